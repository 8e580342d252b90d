// RUN: xdsl-opt %s --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s

vyre.program @empty_literal {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  vyre.scan.literal "" in %text count %count : !vyre.buffer<?xi8, read_only>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.scan.literal' expected a literal of at least one byte, got none
// CHECK: "empty_literal"

// -----

vyre.program @source_of_words {
  %text = vyre.buffer @text : !vyre.buffer<8xi32, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  vyre.scan.literal "a" in %text count %count : !vyre.buffer<8xi32, read_only>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.scan.literal' expected a source of i8, got i32
// CHECK: "source_of_words"

// -----

vyre.program @write_only_source {
  %text = vyre.buffer @text : !vyre.buffer<8xi8, write_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  vyre.scan.literal "a" in %text count %count : !vyre.buffer<8xi8, write_only>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.scan.literal' expected a readable source, got a write_only one
// CHECK: "write_only_source"

// -----

vyre.program @source_in_workgroup_memory {
  %text = vyre.buffer @text : !vyre.buffer<8xi8, read_write, workgroup>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  vyre.scan.literal "a" in %text count %count : !vyre.buffer<8xi8, read_write, workgroup>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.scan.literal' expected a source in global memory, got workgroup memory
// CHECK: "source_in_workgroup_memory"

// -----

vyre.program @count_of_i16 {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi16, read_write>
  vyre.scan.literal "a" in %text count %count : !vyre.buffer<?xi8, read_only>, !vyre.buffer<1xi16, read_write>
}

// CHECK: 'vyre.scan.literal' expected a count of i32 or i64, got i16
// CHECK: "count_of_i16"

// -----

vyre.program @count_of_f32 {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xf32, read_write>
  vyre.scan.literal "a" in %text count %count : !vyre.buffer<?xi8, read_only>, !vyre.buffer<1xf32, read_write>
}

// CHECK: 'vyre.scan.literal' expected a count of i32 or i64, got f32
// CHECK: "count_of_f32"

// -----

vyre.program @write_only_count {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, write_only>
  vyre.scan.literal "a" in %text count %count : !vyre.buffer<?xi8, read_only>, !vyre.buffer<1xi32, write_only>
}

// CHECK: 'vyre.scan.literal' expected a count that is read_write, got write_only
// CHECK: "write_only_count"

// -----

vyre.program @private_count {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write, private>
  vyre.scan.literal "a" in %text count %count : !vyre.buffer<?xi8, read_only>, !vyre.buffer<1xi32, read_write, private>
}

// CHECK: 'vyre.scan.literal' expected a count in global memory, got private memory
// CHECK: "private_count"

// -----

vyre.program @positions_filled_with_zeros {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  %positions = vyre.buffer @positions : !vyre.buffer<4xi32, read_write>
  vyre.scan.literal "a" in %text count %count positions %positions : !vyre.buffer<?xi8, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<4xi32, read_write>
}

// CHECK: 'vyre.scan.literal' expected positions declared with 'fill -1'
// CHECK: "positions_filled_with_zeros"

// -----

vyre.program @positions_filled_with_ones {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  %positions = vyre.buffer @positions fill 1 : i32 : !vyre.buffer<4xi32, read_write>
  vyre.scan.literal "a" in %text count %count positions %positions : !vyre.buffer<?xi8, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<4xi32, read_write>
}

// CHECK: 'vyre.scan.literal' expected positions declared with 'fill -1'
// CHECK: "positions_filled_with_ones"

// -----

vyre.program @positions_of_i8 {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  %positions = vyre.buffer @positions fill -1 : i8 : !vyre.buffer<4xi8, read_write>
  vyre.scan.literal "a" in %text count %count positions %positions : !vyre.buffer<?xi8, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<4xi8, read_write>
}

// CHECK: 'vyre.scan.literal' expected positions of i32 or i64, got i8
// CHECK: "positions_of_i8"

// -----

vyre.program @count_among_the_positions {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %count = vyre.buffer @count fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.scan.literal "a" in %text count %count positions %count : !vyre.buffer<?xi8, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.scan.literal' expected a buffer of its own for the source and for each result
// CHECK: "count_among_the_positions"

// -----

vyre.program @no_literals {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %matches = vyre.buffer @matches : !vyre.buffer<2xi32, read_write>
  vyre.scan.literals [] in %text matches %matches : !vyre.buffer<?xi8, read_only>, !vyre.buffer<2xi32, read_write>
}

// CHECK: 'vyre.scan.literals' expected at least one literal, got none
// CHECK: "no_literals"

// -----

vyre.program @empty_literal_among_literals {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %matches = vyre.buffer @matches : !vyre.buffer<2xi32, read_write>
  vyre.scan.literals ["a", ""] in %text matches %matches : !vyre.buffer<?xi8, read_only>, !vyre.buffer<2xi32, read_write>
}

// CHECK: 'vyre.scan.literals' expected literals of at least one byte, got none at 1
// CHECK: "empty_literal_among_literals"

// -----

vyre.program @number_as_a_literal {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %matches = vyre.buffer @matches : !vyre.buffer<2xi32, read_write>
  vyre.scan.literals ["a", 1] in %text matches %matches : !vyre.buffer<?xi8, read_only>, !vyre.buffer<2xi32, read_write>
}

// CHECK: Unexpected attribute 1 : i64

// -----

vyre.program @too_few_matches {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %matches = vyre.buffer @matches : !vyre.buffer<2xi32, read_write>
  vyre.scan.literals ["a", "b", "c"] in %text matches %matches : !vyre.buffer<?xi8, read_only>, !vyre.buffer<2xi32, read_write>
}

// CHECK: 'vyre.scan.literals' expected matches of 3 elements, got 2
// CHECK: "too_few_matches"

// -----

vyre.program @chunk_of_24_bytes {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %matches = vyre.buffer @matches : !vyre.buffer<2xi32, read_write>
  vyre.scan.literals ["a", "b"] in %text matches %matches chunk 24 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<2xi32, read_write>
}

// CHECK: 'vyre.scan.literals' expected a chunk of 16 to 1048576 bytes that is a multiple of 16, got 24
// CHECK: "chunk_of_24_bytes"

// -----

vyre.program @chunk_of_nothing {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %matches = vyre.buffer @matches : !vyre.buffer<2xi32, read_write>
  vyre.scan.literals ["a", "b"] in %text matches %matches chunk 0 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<2xi32, read_write>
}

// CHECK: 'vyre.scan.literals' expected a chunk of 16 to 1048576 bytes that is a multiple of 16, got 0
// CHECK: "chunk_of_nothing"

// -----

vyre.program @nothing_to_locate {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %positions = vyre.buffer @positions : !vyre.buffer<?xi32, read_write>
  %which = vyre.buffer @which : !vyre.buffer<?xi32, read_write>
  vyre.scan.locate [] in %text positions %positions which %which : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi32, read_write>
}

// CHECK: 'vyre.scan.locate' expected at least one literal, got none
// CHECK: "nothing_to_locate"

// -----

vyre.program @positions_of_bytes {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %positions = vyre.buffer @positions : !vyre.buffer<?xi8, read_write>
  %which = vyre.buffer @which : !vyre.buffer<?xi32, read_write>
  vyre.scan.locate ["a"] in %text positions %positions which %which : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<?xi32, read_write>
}

// CHECK: 'vyre.scan.locate' expected positions of i32 or i64, got i8
// CHECK: "positions_of_bytes"

// -----

vyre.program @numbers_of_literals_in_bytes {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %positions = vyre.buffer @positions : !vyre.buffer<?xi32, read_write>
  %which = vyre.buffer @which : !vyre.buffer<?xi8, read_write>
  vyre.scan.locate ["a"] in %text positions %positions which %which : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi8, read_write>
}

// CHECK: 'vyre.scan.locate' expected numbers of literals of i32 or i64, got i8
// CHECK: "numbers_of_literals_in_bytes"

// -----

vyre.program @positions_and_numbers_in_one {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %positions = vyre.buffer @positions : !vyre.buffer<?xi32, read_write>
  %which = vyre.buffer @which : !vyre.buffer<?xi32, read_write>
  vyre.scan.locate ["a"] in %text positions %positions which %positions : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi32, read_write>
}

// CHECK: 'vyre.scan.locate' expected a buffer of its own for the source and for each result
// CHECK: "positions_and_numbers_in_one"

// -----

vyre.program @pairs_of_one_byte {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %positions = vyre.buffer @positions : !vyre.buffer<?xi32, read_write>
  %which = vyre.buffer @which : !vyre.buffer<?xi32, read_write>
  vyre.scan.locate ["a"] in %text positions %positions which %which prefilter "pairs" : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi32, read_write>
}

// CHECK: 'vyre.scan.locate' expected prefilter of none, windows, got pairs
// CHECK: "pairs_of_one_byte"

// -----

vyre.program @bins_for_half_the_bytes {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %bins = vyre.buffer @bins : !vyre.buffer<255xi32, read_write>
  vyre.scan.histogram %text bins %bins : !vyre.buffer<?xi8, read_only>, !vyre.buffer<255xi32, read_write>
}

// CHECK: 'vyre.scan.histogram' expected bins of 256 elements, got 255
// CHECK: "bins_for_half_the_bytes"

// -----

vyre.program @bins_that_are_the_source {
  %text = vyre.buffer @text : !vyre.buffer<256xi8, read_write>
  vyre.scan.histogram %text bins %text : !vyre.buffer<256xi8, read_write>, !vyre.buffer<256xi8, read_write>
}

// CHECK: 'vyre.scan.histogram' expected bins of i32 or i64, got i8
// CHECK: "bins_that_are_the_source"

// -----

vyre.program @empty_range {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  vyre.scan.filter %values in [7, 7) count %count : !vyre.buffer<?xi32, read_only>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.scan.filter' expected a range of 32-bit values that is not empty, got [7, 7)
// CHECK: "empty_range"

// -----

vyre.program @range_beyond_32_bits {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  vyre.scan.filter %values in [0, 2147483649) count %count : !vyre.buffer<?xi32, read_only>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.scan.filter' expected a range of 32-bit values that is not empty, got [0, 2147483649)
// CHECK: "range_beyond_32_bits"

// -----

vyre.program @filter_of_bytes {
  %values = vyre.buffer @values : !vyre.buffer<?xi8, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  vyre.scan.filter %values in [0, 7) count %count : !vyre.buffer<?xi8, read_only>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.scan.filter' expected a source of i32, got i8
// CHECK: "filter_of_bytes"

// -----

vyre.program @sum_of_i32 {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  %sum = vyre.buffer @sum : !vyre.buffer<1xi32, read_write>
  vyre.scan.filter %values in [0, 7) count %count sum %sum : !vyre.buffer<?xi32, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.scan.filter' expected a sum of i64, got i32
// CHECK: "sum_of_i32"

// -----

vyre.program @sum_that_is_the_count {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %sum = vyre.buffer @sum : !vyre.buffer<1xi64, read_write>
  vyre.scan.filter %values in [0, 7) count %sum sum %sum : !vyre.buffer<?xi32, read_only>, !vyre.buffer<1xi64, read_write>, !vyre.buffer<1xi64, read_write>
}

// CHECK: 'vyre.scan.filter' expected a buffer of its own for the source and for each result
// CHECK: "sum_that_is_the_count"

// -----

vyre.program @codes_of_i64 {
  %codes = vyre.buffer @codes : !vyre.buffer<?xi64, read_only>
  %table = vyre.buffer @table : !vyre.buffer<?xi32, read_only>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  vyre.scan.dictionary_filter %codes table %table errors %errors in [0, 7) count %count : !vyre.buffer<?xi64, read_only>, !vyre.buffer<?xi32, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.scan.dictionary_filter' expected a source of i8 or i16 or i32, got i64
// CHECK: "codes_of_i64"

// -----

vyre.program @table_of_i64 {
  %codes = vyre.buffer @codes : !vyre.buffer<?xi8, read_only>
  %table = vyre.buffer @table : !vyre.buffer<?xi64, read_only>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  vyre.scan.dictionary_filter %codes table %table errors %errors in [0, 7) count %count : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.scan.dictionary_filter' expected a table of i32, got i64
// CHECK: "table_of_i64"

// -----

vyre.program @table_that_cannot_be_read {
  %codes = vyre.buffer @codes : !vyre.buffer<?xi8, read_only>
  %table = vyre.buffer @table : !vyre.buffer<?xi32, write_only>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  vyre.scan.dictionary_filter %codes table %table errors %errors in [0, 7) count %count : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, write_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.scan.dictionary_filter' expected a readable table, got a write_only one
// CHECK: "table_that_cannot_be_read"

// -----

vyre.program @errors_that_begin_with_one {
  %codes = vyre.buffer @codes : !vyre.buffer<?xi8, read_only>
  %table = vyre.buffer @table : !vyre.buffer<?xi32, read_only>
  %errors = vyre.buffer @errors : !vyre.buffer<1xi32, read_write>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  vyre.scan.dictionary_filter %codes table %table errors %errors in [0, 7) count %count : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.scan.dictionary_filter' expected errors declared with 'fill -1'
// CHECK: "errors_that_begin_with_one"

// -----

vyre.program @errors_that_are_the_count {
  %codes = vyre.buffer @codes : !vyre.buffer<?xi8, read_only>
  %table = vyre.buffer @table : !vyre.buffer<?xi32, read_only>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  vyre.scan.dictionary_filter %codes table %table errors %errors in [0, 7) count %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.scan.dictionary_filter' expected a buffer of its own for the source and for each result
// CHECK: "errors_that_are_the_count"

// -----

vyre.program @range_of_nothing {
  %codes = vyre.buffer @codes : !vyre.buffer<?xi8, read_only>
  %table = vyre.buffer @table : !vyre.buffer<?xi32, read_only>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  vyre.scan.dictionary_filter %codes table %table errors %errors in [7, 7) count %count : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.scan.dictionary_filter' expected a range of 32-bit values that is not empty, got [7, 7)
// CHECK: "range_of_nothing"

// -----

vyre.program @table_of_codes {
  %codes = vyre.buffer @codes : !vyre.buffer<?xi32, read_only>
  %table = vyre.buffer @table : !vyre.buffer<?xi32, read_only>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  vyre.scan.dictionary_filter %table table %table errors %errors in [0, 7) count %count : !vyre.buffer<?xi32, read_only>, !vyre.buffer<?xi32, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.scan.dictionary_filter' expected a buffer of its own for the source and for each result
// CHECK: "table_of_codes"

// -----

vyre.program @prefix_sums_of_i16 {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %sums = vyre.buffer @sums : !vyre.buffer<8xi16, read_write>
  vyre.scan.prefix_sum %values to %sums : !vyre.buffer<?xi32, read_only>, !vyre.buffer<8xi16, read_write>
}

// CHECK: 'vyre.scan.prefix_sum' expected a destination of i32 or i64, got i16
// CHECK: "prefix_sums_of_i16"

// -----

vyre.program @prefix_sums_that_lose_bits {
  %values = vyre.buffer @values : !vyre.buffer<?xi64, read_only>
  %sums = vyre.buffer @sums : !vyre.buffer<8xi32, read_write>
  vyre.scan.prefix_sum %values to %sums : !vyre.buffer<?xi64, read_only>, !vyre.buffer<8xi32, read_write>
}

// CHECK: 'vyre.scan.prefix_sum' expected a destination of i64, got i32
// CHECK: "prefix_sums_that_lose_bits"

// -----

vyre.program @prefix_sums_into_read_only {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %sums = vyre.buffer @sums : !vyre.buffer<8xi32, read_only>
  vyre.scan.prefix_sum %values to %sums : !vyre.buffer<?xi32, read_only>, !vyre.buffer<8xi32, read_only>
}

// CHECK: 'vyre.scan.prefix_sum' expected a writable destination, got a read_only one
// CHECK: "prefix_sums_into_read_only"

// -----

vyre.program @prefix_sums_in_place {
  %values = vyre.buffer @values : !vyre.buffer<8xi32, read_write>
  vyre.scan.prefix_sum %values to %values : !vyre.buffer<8xi32, read_write>, !vyre.buffer<8xi32, read_write>
}

// CHECK: 'vyre.scan.prefix_sum' expected a buffer of its own for the source and for each result
// CHECK: "prefix_sums_in_place"

// -----

vyre.program @scan_in_an_arm {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  vyre.region "arm" invocations [1] {
    vyre.scan.literal "a" in %text count %count : !vyre.buffer<?xi8, read_only>, !vyre.buffer<1xi32, read_write>
  }
}

// CHECK: 'vyre.scan.literal' expects parent op 'vyre.program'
// CHECK: "scan_in_an_arm"

// -----

vyre.program @lanes_of_no_vector {
  %values = vyre.buffer @values : !vyre.buffer<64xi32, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  vyre.scan.filter %values in [-5, 7) count %count lanes 64 : !vyre.buffer<64xi32, read_only>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.scan.filter' expected lanes of 4, 8, 16, got 64
// CHECK: "lanes_of_no_vector"

// -----

vyre.program @places_of_no_vector {
  %text = vyre.buffer @text : !vyre.buffer<64xi8, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  vyre.scan.literal "a" in %text count %count places 128 : !vyre.buffer<64xi8, read_only>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.scan.literal' expected places of 8, 16, 32, 64, got 128
// CHECK: "places_of_no_vector"

// -----

vyre.program @more_than_is_compared_at_places {
  %text = vyre.buffer @text : !vyre.buffer<64xi8, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  vyre.scan.literal "about" in %text count %count counting "places" : !vyre.buffer<64xi8, read_only>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.scan.literal' expected counting of matches, got places
// CHECK: "more_than_is_compared_at_places"

// -----

vyre.program @zeros_past_the_end_at_places {
  %text = vyre.buffer @text : !vyre.buffer<64xi8, read_only>
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  vyre.scan.literal "a\00" in %text count %count counting "places" : !vyre.buffer<64xi8, read_only>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.scan.literal' expected counting of matches, got places
// CHECK: "zeros_past_the_end_at_places"
