// RUN: xdsl-opt %s --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s

vyre.program @floats {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xf32, read_write>
  vyre.decode.bitunpack %packed to %values bits 3 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xf32, read_write>
}

// CHECK: 'vyre.decode.bitunpack' expected a destination of i8 or i16 or i32 or i64, got f32
// CHECK: "floats"

// -----

vyre.program @more_bits_than_bytes_have {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi8, read_write>
  vyre.decode.bitunpack %packed to %values bits 9 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>
}

// CHECK: 'vyre.decode.bitunpack' expected integers of 0 to 8 bits, got 9
// CHECK: "more_bits_than_bytes_have"

// -----

vyre.program @more_bits_than_longs_have {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi64, read_write>
  vyre.decode.bitunpack %packed to %values bits 65 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi64, read_write>
}

// CHECK: 'vyre.decode.bitunpack' expected integers of 0 to 64 bits, got 65
// CHECK: "more_bits_than_longs_have"

// -----

vyre.program @no_bits_of_interleaved {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi16, read_write>
  vyre.decode.bitunpack %packed to %values bits 0 layout interleaved : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi16, read_write>
}

// CHECK: 'vyre.decode.bitunpack' expected a count of integers of 0 bits
// CHECK: "no_bits_of_interleaved"

// -----

vyre.program @large_base {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi8, read_write>
  vyre.decode.bitunpack %packed to %values bits 4 base 256 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>
}

// CHECK: 'vyre.decode.bitunpack' expected a base that an i8 holds, got 256
// CHECK: "large_base"

// -----

vyre.program @small_base {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi8, read_write>
  vyre.decode.bitunpack %packed to %values bits 4 base -129 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>
}

// CHECK: 'vyre.decode.bitunpack' expected a base that an i8 holds, got -129
// CHECK: "small_base"

// -----

vyre.program @values_of_no_shape {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_write>
  vyre.decode.bitunpack %packed to %values bits 4 values 5 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
}

// CHECK: 'vyre.decode.bitunpack' expected values of 4, 8, 16, 32, got 5
// CHECK: "values_of_no_shape"

// -----

vyre.program @lanes_of_no_block {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_write>
  vyre.decode.bitunpack %packed to %values bits 4 layout interleaved lanes 2 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
}

// CHECK: 'vyre.decode.bitunpack' expected lanes of 1, 4, 8, 16, got 2
// CHECK: "lanes_of_no_block"

// -----

// 1000 bytes are two blocks of three bits, and some bytes.

vyre.program @blocks_that_are_not_whole {
  %packed = vyre.buffer @packed : !vyre.buffer<1000xi8, read_only>
  %values = vyre.buffer @values : !vyre.buffer<2666xi32, read_write>
  vyre.decode.bitunpack %packed to %values bits 3 layout interleaved : !vyre.buffer<1000xi8, read_only>, !vyre.buffer<2666xi32, read_write>
}

// CHECK: 'vyre.decode.bitunpack' expected a destination of 2048 elements for a source of 1000, got 2666
// CHECK: "blocks_that_are_not_whole"

// -----

vyre.program @float_codes {
  %codes = vyre.buffer @codes : !vyre.buffer<?xf32, read_only>
  %table = vyre.buffer @table : !vyre.buffer<?xi64, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi64, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.dictionary %codes to %values table %table errors %errors : !vyre.buffer<?xf32, read_only>, !vyre.buffer<?xi64, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.dictionary' expected a source of i8 or i16 or i32, got f32
// CHECK: "float_codes"

// -----

vyre.program @another_type_than_the_table {
  %codes = vyre.buffer @codes : !vyre.buffer<?xi32, read_only>
  %table = vyre.buffer @table : !vyre.buffer<?xi64, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.dictionary %codes to %values table %table errors %errors : !vyre.buffer<?xi32, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.dictionary' expected a destination of i64, got i32
// CHECK: "another_type_than_the_table"

// -----

vyre.program @a_table_that_nobody_reads {
  %codes = vyre.buffer @codes : !vyre.buffer<?xi32, read_only>
  %table = vyre.buffer @table : !vyre.buffer<?xi64, write_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi64, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.dictionary %codes to %values table %table errors %errors : !vyre.buffer<?xi32, read_only>, !vyre.buffer<?xi64, read_write>, !vyre.buffer<?xi64, write_only>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.dictionary' expected a readable table, got a write_only one
// CHECK: "a_table_that_nobody_reads"

// -----

vyre.program @a_table_of_itself {
  %codes = vyre.buffer @codes : !vyre.buffer<?xi32, read_write>
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.dictionary %codes to %values table %codes errors %errors : !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.dictionary' expected a buffer of its own for each table
// CHECK: "a_table_of_itself"

// -----

vyre.program @a_table_of_errors {
  %codes = vyre.buffer @codes : !vyre.buffer<?xi32, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.dictionary %codes to %values table %errors errors %errors : !vyre.buffer<?xi32, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.dictionary' expected a buffer of their own for errors
// CHECK: "a_table_of_errors"

// -----

vyre.program @lanes_of_codes {
  %codes = vyre.buffer @codes : !vyre.buffer<?xi32, read_only>
  %table = vyre.buffer @table : !vyre.buffer<?xi64, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi64, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.dictionary %codes to %values table %table errors %errors lanes 2 : !vyre.buffer<?xi32, read_only>, !vyre.buffer<?xi64, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.dictionary' expected lanes of 1, 4, 8, 16, got 2
// CHECK: "lanes_of_codes"

// -----

vyre.program @no_whole_floats {
  %bytes = vyre.buffer @bytes : !vyre.buffer<10xi8, read_only>
  %values = vyre.buffer @values : !vyre.buffer<2xf32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.byte_stream_split %bytes to %values errors %errors : !vyre.buffer<10xi8, read_only>, !vyre.buffer<2xf32, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.byte_stream_split' expected a length that is a multiple of 4, got 10
// CHECK: "no_whole_floats"

// -----

vyre.program @split_halves {
  %bytes = vyre.buffer @bytes : !vyre.buffer<?xi8, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xf16, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.byte_stream_split %bytes to %values errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xf16, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.byte_stream_split' expected a destination of i16 or i32 or i64 or f32 or f64, got f16
// CHECK: "split_halves"

// -----

vyre.program @decimals_of_integers {
  %digits = vyre.buffer @digits : !vyre.buffer<?xi32, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi64, read_write>
  vyre.decode.alp %digits to %values exponent 2 : !vyre.buffer<?xi32, read_only>, !vyre.buffer<?xi64, read_write>
}

// CHECK: 'vyre.decode.alp' expected a destination of f32 or f64, got i64
// CHECK: "decimals_of_integers"

// -----

vyre.program @too_many_decimals {
  %digits = vyre.buffer @digits : !vyre.buffer<?xi32, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xf32, read_write>
  vyre.decode.alp %digits to %values exponent 11 : !vyre.buffer<?xi32, read_only>, !vyre.buffer<?xf32, read_write>
}

// CHECK: 'vyre.decode.alp' expected an exponent from 0 to 10, got 11
// CHECK: "too_many_decimals"

// -----

vyre.program @a_large_factor {
  %digits = vyre.buffer @digits : !vyre.buffer<?xi32, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xf32, read_write>
  vyre.decode.alp %digits to %values exponent 3 factor 4 : !vyre.buffer<?xi32, read_only>, !vyre.buffer<?xf32, read_write>
}

// CHECK: 'vyre.decode.alp' expected a factor from 0 to the exponent, 3, got 4
// CHECK: "a_large_factor"

// -----

vyre.program @exceptions_without_positions {
  %digits = vyre.buffer @digits : !vyre.buffer<?xi32, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xf32, read_write>
  %exceptions = vyre.buffer @exceptions : !vyre.buffer<?xf32, read_only>
  vyre.decode.alp %digits to %values exponent 3 exceptions %exceptions : !vyre.buffer<?xi32, read_only>, !vyre.buffer<?xf32, read_write>, !vyre.buffer<?xf32, read_only>
}

// CHECK: 'vyre.decode.alp' expected both exceptions and their positions, or neither
// CHECK: "exceptions_without_positions"

// -----

vyre.program @exceptions_of_another_type {
  %digits = vyre.buffer @digits : !vyre.buffer<?xi32, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xf32, read_write>
  %exceptions = vyre.buffer @exceptions : !vyre.buffer<?xf64, read_only>
  %positions = vyre.buffer @positions : !vyre.buffer<?xi32, read_only>
  vyre.decode.alp %digits to %values exponent 3 exceptions %exceptions at %positions : !vyre.buffer<?xi32, read_only>, !vyre.buffer<?xf32, read_write>, !vyre.buffer<?xf64, read_only>, !vyre.buffer<?xi32, read_only>
}

// CHECK: 'vyre.decode.alp' expected exceptions of f32, got f64
// CHECK: "exceptions_of_another_type"

// -----

vyre.program @values_without_exceptions {
  %digits = vyre.buffer @digits : !vyre.buffer<?xi32, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xf32, read_write>
  vyre.decode.alp %digits to %values exponent 3 lanes 3 : !vyre.buffer<?xi32, read_only>, !vyre.buffer<?xf32, read_write>
}

// CHECK: 'vyre.decode.alp' expected lanes of 1, 4, 8, 16, got 3
// CHECK: "values_without_exceptions"

// -----

vyre.program @ends_of_bytes {
  %ends = vyre.buffer @ends : !vyre.buffer<?xi8, read_only>
  %table = vyre.buffer @table : !vyre.buffer<?xi64, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi64, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %n = arith.constant 5 : index
  vyre.decode.run_length %ends of %table to %values count %n errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<?xi64, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.run_length' expected a source of i16 or i32 or i64, got i8
// CHECK: "ends_of_bytes"

// -----

vyre.program @runs_per_invocation {
  %ends = vyre.buffer @ends : !vyre.buffer<?xi32, read_only>
  %table = vyre.buffer @table : !vyre.buffer<?xi64, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi64, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %n = arith.constant 5 : index
  vyre.decode.run_length %ends of %table to %values count %n errors %errors values 3 : !vyre.buffer<?xi32, read_only>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<?xi64, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.run_length' expected values of 1, 4, 8, 16, 32, got 3
// CHECK: "runs_per_invocation"

// -----

vyre.program @blocks_of_words {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %blocks = vyre.buffer @blocks : !vyre.buffer<?xi32, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack_blocks %packed to %values blocks %blocks of 32 errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi32, read_only>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.bitunpack_blocks' expected blocks of i64, got i32
// CHECK: "blocks_of_words"

// -----

vyre.program @mask_of_words {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %blocks = vyre.buffer @blocks : !vyre.buffer<?xi64, read_only>
  %wanted = vyre.buffer @wanted : !vyre.buffer<?xi32, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack_blocks %packed to %values blocks %blocks of 32 errors %errors wanted %wanted : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<?xi32, read_only>
}

// CHECK: 'vyre.decode.bitunpack_blocks' expected a mask of wanted blocks of i8, got i32
// CHECK: "mask_of_words"

// -----

vyre.program @blocks_without_values {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %blocks = vyre.buffer @blocks : !vyre.buffer<?xi64, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack_blocks %packed to %values blocks %blocks of 0 errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.bitunpack_blocks' expected blocks of one or more values, got 0
// CHECK: "blocks_without_values"

// -----

vyre.program @other_interleaved_blocks {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %blocks = vyre.buffer @blocks : !vyre.buffer<?xi64, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack_blocks %packed to %values blocks %blocks of 128 layout interleaved errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.bitunpack_blocks' expected blocks of 1024 values, got 128
// CHECK: "other_interleaved_blocks"

// -----

vyre.program @lanes_that_divide_no_block {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %blocks = vyre.buffer @blocks : !vyre.buffer<?xi64, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack_blocks %packed to %values blocks %blocks of 12 errors %errors lanes 8 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.bitunpack_blocks' expected lanes of 1, 4, got 8
// CHECK: "lanes_that_divide_no_block"

// -----

vyre.program @bases_of_another_width {
  %words = vyre.buffer @words : !vyre.buffer<?xi32, read_only>
  %bases = vyre.buffer @bases : !vyre.buffer<?xi64, read_only>
  %sums = vyre.buffer @sums : !vyre.buffer<?xi32, read_write>
  vyre.decode.delta %words to %sums bases %bases : !vyre.buffer<?xi64, read_only> block 4 : !vyre.buffer<?xi32, read_only>, !vyre.buffer<?xi32, read_write>
}

// CHECK: 'vyre.decode.delta' expected bases of i32, got i64
// CHECK: "bases_of_another_width"

// -----

vyre.program @packed_runs_of_floats {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %ends = vyre.buffer @ends : !vyre.buffer<?xi64, read_only>
  %runs = vyre.buffer @runs : !vyre.buffer<?xi64, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xf32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %n = arith.constant 100 : index
  vyre.decode.bitunpack_runs %packed to %values ends %ends runs %runs count %n errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xf32, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.bitunpack_runs' expected a destination of i8 or i16 or i32 or i64, got f32
// CHECK: "packed_runs_of_floats"

// -----

vyre.program @ends_of_bytes {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %ends = vyre.buffer @ends : !vyre.buffer<?xi8, read_only>
  %runs = vyre.buffer @runs : !vyre.buffer<?xi64, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %n = arith.constant 100 : index
  vyre.decode.bitunpack_runs %packed to %values ends %ends runs %runs count %n errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.bitunpack_runs' expected ends of i32 or i64, got i8
// CHECK: "ends_of_bytes"

// -----

vyre.program @runs_of_words {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %ends = vyre.buffer @ends : !vyre.buffer<?xi64, read_only>
  %runs = vyre.buffer @runs : !vyre.buffer<?xi32, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %n = arith.constant 100 : index
  vyre.decode.bitunpack_runs %packed to %values ends %ends runs %runs count %n errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<?xi32, read_only>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.bitunpack_runs' expected runs of i64, got i32
// CHECK: "runs_of_words"

// -----

vyre.program @values_that_are_no_choice {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %ends = vyre.buffer @ends : !vyre.buffer<?xi64, read_only>
  %runs = vyre.buffer @runs : !vyre.buffer<?xi64, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %n = arith.constant 100 : index
  vyre.decode.bitunpack_runs %packed to %values ends %ends runs %runs count %n errors %errors values 5 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.bitunpack_runs' expected values of 1, 4, 8, 16, 32, got 5
// CHECK: "values_that_are_no_choice"

// -----

vyre.program @ends_that_are_runs {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %runs = vyre.buffer @runs : !vyre.buffer<?xi64, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %n = arith.constant 100 : index
  vyre.decode.bitunpack_runs %packed to %values ends %runs runs %runs count %n errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.bitunpack_runs' expected a buffer of its own for each table
// CHECK: "ends_that_are_runs"

// -----

vyre.program @limits_of_words {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %ends = vyre.buffer @ends : !vyre.buffer<?xi64, read_only>
  %runs = vyre.buffer @runs : !vyre.buffer<?xi64, read_only>
  %limits = vyre.buffer @limits : !vyre.buffer<?xi32, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %n = arith.constant 100 : index
  vyre.decode.bitunpack_runs %packed to %values ends %ends runs %runs limits %limits count %n errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<?xi32, read_only>
}

// CHECK: 'vyre.decode.bitunpack_runs' expected limits of i64, got i32
// CHECK: "limits_of_words"

// -----

vyre.program @skips_of_longs {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %ends = vyre.buffer @ends : !vyre.buffer<?xi64, read_only>
  %runs = vyre.buffer @runs : !vyre.buffer<?xi64, read_only>
  %skips = vyre.buffer @skips : !vyre.buffer<?xi64, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %n = arith.constant 100 : index
  vyre.decode.bitunpack_runs %packed to %values ends %ends runs %runs skips %skips count %n errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write> skips !vyre.buffer<?xi64, read_only>
}

// CHECK: 'vyre.decode.bitunpack_runs' expected skips of i32, got i64
// CHECK: "skips_of_longs"

// -----

vyre.program @values_of_bytes {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %ends = vyre.buffer @ends : !vyre.buffer<?xi32, read_only>
  %runs = vyre.buffer @runs : !vyre.buffer<?xi64, read_only>
  %skips = vyre.buffer @skips : !vyre.buffer<?xi32, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %n = arith.constant 100 : index
  vyre.decode.dictionary_runs %packed to %values ends %ends runs %runs skips %skips count %n errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<?xi32, read_only>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<?xi32, read_only>
}

// CHECK: 'vyre.decode.dictionary_runs' expected a destination of i32 or i64 or f32 or f64, got i8
// CHECK: "values_of_bytes"

// -----

vyre.program @ends_of_bytes {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %ends = vyre.buffer @ends : !vyre.buffer<?xi8, read_only>
  %runs = vyre.buffer @runs : !vyre.buffer<?xi64, read_only>
  %skips = vyre.buffer @skips : !vyre.buffer<?xi32, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %n = arith.constant 100 : index
  vyre.decode.dictionary_runs %packed to %values ends %ends runs %runs skips %skips count %n errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<?xi32, read_only>
}

// CHECK: 'vyre.decode.dictionary_runs' expected ends of i32 or i64, got i8
// CHECK: "ends_of_bytes"

// -----

vyre.program @runs_of_words {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %ends = vyre.buffer @ends : !vyre.buffer<?xi32, read_only>
  %runs = vyre.buffer @runs : !vyre.buffer<?xi32, read_only>
  %skips = vyre.buffer @skips : !vyre.buffer<?xi32, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %n = arith.constant 100 : index
  vyre.decode.dictionary_runs %packed to %values ends %ends runs %runs skips %skips count %n errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi32, read_only>, !vyre.buffer<?xi32, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<?xi32, read_only>
}

// CHECK: 'vyre.decode.dictionary_runs' expected runs of i64, got i32
// CHECK: "runs_of_words"

// -----

vyre.program @skips_of_long_words {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %ends = vyre.buffer @ends : !vyre.buffer<?xi32, read_only>
  %runs = vyre.buffer @runs : !vyre.buffer<?xi64, read_only>
  %skips = vyre.buffer @skips : !vyre.buffer<?xi64, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %n = arith.constant 100 : index
  vyre.decode.dictionary_runs %packed to %values ends %ends runs %runs skips %skips count %n errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi32, read_only>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<?xi64, read_only>
}

// CHECK: 'vyre.decode.dictionary_runs' expected skips of i32, got i64
// CHECK: "skips_of_long_words"
