// RUN: xdsl-opt %s --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s

vyre.program @source_of_words {
  %encoded = vyre.buffer @encoded : !vyre.buffer<8xi32, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<?xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.base64 %encoded to %decoded errors %errors : !vyre.buffer<8xi32, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.base64' expected a source of i8, got i32
// CHECK: "source_of_words"

// -----

vyre.program @destination_of_words {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<8xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.base64 %encoded to %decoded errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<8xi32, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.base64' expected a destination of i8, got i32
// CHECK: "destination_of_words"

// -----

vyre.program @write_only_source {
  %encoded = vyre.buffer @encoded : !vyre.buffer<8xi8, write_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<?xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.base64 %encoded to %decoded errors %errors : !vyre.buffer<8xi8, write_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.base64' expected a readable source, got a write_only one
// CHECK: "write_only_source"

// -----

vyre.program @read_only_destination {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<8xi8, read_only>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.base64 %encoded to %decoded errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<8xi8, read_only>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.base64' expected a writable destination, got a read_only one
// CHECK: "read_only_destination"

// -----

vyre.program @source_in_workgroup_memory {
  %encoded = vyre.buffer @encoded : !vyre.buffer<8xi8, read_write, workgroup>
  %decoded = vyre.buffer @decoded : !vyre.buffer<?xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.base64 %encoded to %decoded errors %errors : !vyre.buffer<8xi8, read_write, workgroup>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.base64' expected a source in global memory, got workgroup memory
// CHECK: "source_in_workgroup_memory"

// -----

vyre.program @destination_in_private_memory {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<6xi8, read_write, private>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.base64 %encoded to %decoded errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<6xi8, read_write, private>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.base64' expected a destination in global memory, got private memory
// CHECK: "destination_in_private_memory"

// -----

vyre.program @errors_in_workgroup_memory {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<?xi8, read_write>
  %errors = vyre.buffer @errors : !vyre.buffer<1xi32, read_write, workgroup>
  vyre.decode.base64 %encoded to %decoded errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write, workgroup>
}

// CHECK: 'vyre.decode.base64' expected errors in global memory, got workgroup memory
// CHECK: "errors_in_workgroup_memory"

// -----

vyre.program @in_place {
  %decoded = vyre.buffer @decoded : !vyre.buffer<?xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.base64 %decoded to %decoded errors %errors : !vyre.buffer<?xi8, read_write>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.base64' expected a destination other than the source
// CHECK: "in_place"

// -----

vyre.program @errors_of_bytes {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<?xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i8 : !vyre.buffer<1xi8, read_write>
  vyre.decode.base64 %encoded to %decoded errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi8, read_write>
}

// CHECK: 'vyre.decode.base64' expected errors of i32 or i64, got i8
// CHECK: "errors_of_bytes"

// -----

vyre.program @write_only_errors {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<?xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, write_only>
  vyre.decode.base64 %encoded to %decoded errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, write_only>
}

// CHECK: 'vyre.decode.base64' expected errors that are read_write, got write_only
// CHECK: "write_only_errors"

// -----

vyre.program @errors_without_fill {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<?xi8, read_write>
  %errors = vyre.buffer @errors : !vyre.buffer<1xi32, read_write>
  vyre.decode.base64 %encoded to %decoded errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.base64' expected errors declared with 'fill -1'
// CHECK: "errors_without_fill"

// -----

vyre.program @errors_with_another_fill {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<?xi8, read_write>
  %errors = vyre.buffer @errors fill 0 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.base64 %encoded to %decoded errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.base64' expected errors declared with 'fill -1'
// CHECK: "errors_with_another_fill"

// -----

vyre.program @errors_in_the_destination {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %values = vyre.buffer @values fill -1 : i32 : !vyre.buffer<?xi32, read_write>
  vyre.decode.delta %encoded to %values errors %values block 4 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi32, read_write>
}

// CHECK: 'vyre.decode.delta' expected a buffer of their own for errors
// CHECK: "errors_in_the_destination"

// -----

vyre.program @base64_of_any_length {
  %encoded = vyre.buffer @encoded : !vyre.buffer<10xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<?xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.base64 %encoded to %decoded errors %errors : !vyre.buffer<10xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.base64' expected a length that is a multiple of 4, got 10
// CHECK: "base64_of_any_length"

// -----

vyre.program @base64_to_too_little {
  %encoded = vyre.buffer @encoded : !vyre.buffer<16xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<9xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.base64 %encoded to %decoded errors %errors : !vyre.buffer<16xi8, read_only>, !vyre.buffer<9xi8, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.base64' expected a destination of 10 or 11 or 12 elements for a source of 16, got 9
// CHECK: "base64_to_too_little"

// -----

vyre.program @unpadded_base64_with_one_left {
  %encoded = vyre.buffer @encoded : !vyre.buffer<9xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<?xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.base64 %encoded to %decoded errors %errors unpadded : !vyre.buffer<9xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.base64' expected a length other than one more than a multiple of 4, got 9
// CHECK: "unpadded_base64_with_one_left"

// -----

vyre.program @unpadded_base64_to_too_much {
  %encoded = vyre.buffer @encoded : !vyre.buffer<10xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<8xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.base64 %encoded to %decoded errors %errors unpadded : !vyre.buffer<10xi8, read_only>, !vyre.buffer<8xi8, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.base64' expected a destination of 7 elements for a source of 10, got 8
// CHECK: "unpadded_base64_to_too_much"

// -----

vyre.program @unknown_alphabet {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<?xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.base64 %encoded to %decoded errors %errors alphabet hex : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: Expected `standard`, or `url`

// -----

vyre.program @odd_hex {
  %encoded = vyre.buffer @encoded : !vyre.buffer<7xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<?xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.hex %encoded to %decoded errors %errors : !vyre.buffer<7xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.hex' expected an even length, got 7
// CHECK: "odd_hex"

// -----

vyre.program @hex_to_too_much {
  %encoded = vyre.buffer @encoded : !vyre.buffer<8xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<8xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.hex %encoded to %decoded errors %errors : !vyre.buffer<8xi8, read_only>, !vyre.buffer<8xi8, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.hex' expected a destination of 4 elements for a source of 8, got 8
// CHECK: "hex_to_too_much"

// -----

vyre.program @empty_key {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<?xi8, read_write>
  vyre.decode.xor %encoded to %decoded key "" : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>
}

// CHECK: 'vyre.decode.xor' expected a key of at least one byte, got none
// CHECK: "empty_key"

// -----

vyre.program @xor_of_another_length {
  %encoded = vyre.buffer @encoded : !vyre.buffer<8xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<9xi8, read_write>
  vyre.decode.xor %encoded to %decoded key "k" : !vyre.buffer<8xi8, read_only>, !vyre.buffer<9xi8, read_write>
}

// CHECK: 'vyre.decode.xor' expected a destination of 8 elements for a source of 8, got 9
// CHECK: "xor_of_another_length"

// -----

vyre.program @empty_blocks {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_write>
  %sums = vyre.buffer @sums : !vyre.buffer<?xi32, read_write>
  vyre.decode.delta %values to %sums block 0 : !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi32, read_write>
}

// CHECK: 'vyre.decode.delta' expected blocks of at least one word, got 0
// CHECK: "empty_blocks"

// -----

vyre.program @delta_of_long_words {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_write>
  %words = vyre.buffer @words : !vyre.buffer<8xi64, read_only>
  vyre.decode.delta %words to %values block 4 : !vyre.buffer<8xi64, read_only>, !vyre.buffer<?xi32, read_write>
}

// CHECK: 'vyre.decode.delta' expected a source of i8 or i32, got i64
// CHECK: "delta_of_long_words"

// -----

vyre.program @delta_to_long_words {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_write>
  %sums = vyre.buffer @sums : !vyre.buffer<8xi64, read_write>
  vyre.decode.delta %values to %sums block 4 : !vyre.buffer<?xi32, read_write>, !vyre.buffer<8xi64, read_write>
}

// CHECK: 'vyre.decode.delta' expected a source of i8 or i64, got i32
// CHECK: "delta_to_long_words"

// -----

vyre.program @bytes_without_errors {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_write>
  vyre.decode.delta %encoded to %values block 4 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
}

// CHECK: 'vyre.decode.delta' expected errors for a source of i8, whose length may be invalid
// CHECK: "bytes_without_errors"

// -----

vyre.program @words_with_errors {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %words = vyre.buffer @words : !vyre.buffer<8xi32, read_only>
  vyre.decode.delta %words to %values errors %errors block 4 : !vyre.buffer<8xi32, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.delta' expected no errors for a source of i32, which is always valid
// CHECK: "words_with_errors"

// -----

vyre.program @part_of_a_word {
  %encoded = vyre.buffer @encoded : !vyre.buffer<9xi8, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.delta %encoded to %values errors %errors block 4 : !vyre.buffer<9xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.delta' expected a length that is a multiple of 4, got 9
// CHECK: "part_of_a_word"

// -----

vyre.program @delta_of_another_length {
  %encoded = vyre.buffer @encoded : !vyre.buffer<8xi8, read_only>
  %values = vyre.buffer @values : !vyre.buffer<8xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.delta %encoded to %values errors %errors block 4 : !vyre.buffer<8xi8, read_only>, !vyre.buffer<8xi32, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.delta' expected a destination of 2 elements for a source of 8, got 8
// CHECK: "delta_of_another_length"

// -----

vyre.program @no_bits {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_write>
  vyre.decode.bitunpack %encoded to %values bits 0 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
}

// CHECK: 'vyre.decode.bitunpack' expected a count of integers of 0 bits
// CHECK: "no_bits"

// -----

vyre.program @too_many_bits {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_write>
  vyre.decode.bitunpack %encoded to %values bits 33 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
}

// CHECK: 'vyre.decode.bitunpack' expected integers of 0 to 32 bits, got 33
// CHECK: "too_many_bits"

// -----

vyre.program @count_without_errors {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_write>
  %n = arith.constant 5 : index
  vyre.decode.bitunpack %encoded to %values bits 3 count %n : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
}

// CHECK: 'vyre.decode.bitunpack' expected both a count and errors for a source too short, or neither
// CHECK: "count_without_errors"

// -----

vyre.program @errors_without_count {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack %encoded to %values bits 3 errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.bitunpack' expected both a count and errors for a source too short, or neither
// CHECK: "errors_without_count"

// -----

vyre.program @bitunpack_to_too_little {
  %encoded = vyre.buffer @encoded : !vyre.buffer<8xi8, read_only>
  %values = vyre.buffer @values : !vyre.buffer<20xi32, read_write>
  vyre.decode.bitunpack %encoded to %values bits 3 : !vyre.buffer<8xi8, read_only>, !vyre.buffer<20xi32, read_write>
}

// CHECK: 'vyre.decode.bitunpack' expected a destination of 21 elements for a source of 8, got 20
// CHECK: "bitunpack_to_too_little"

// -----

vyre.program @lanes_of_no_vector {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<?xi8, read_write>
  vyre.decode.xor %encoded to %decoded key "k" lanes 3 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>
}

// CHECK: 'vyre.decode.xor' expected lanes of 4, 8, 16, got 3
// CHECK: "lanes_of_no_vector"

// -----

vyre.program @lanes_of_groups {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<?xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.base64 %encoded to %decoded errors %errors lanes 2 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.base64' expected lanes of 1, 4, 8, 16, got 2
// CHECK: "lanes_of_groups"

// -----

vyre.program @lanes_of_digits {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<?xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.hex %encoded to %decoded errors %errors lanes 32 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.decode.hex' expected lanes of 4, 8, 16, got 32
// CHECK: "lanes_of_digits"

// -----

vyre.program @lanes_of_differences {
  %words = vyre.buffer @words : !vyre.buffer<64xi32, read_only>
  %values = vyre.buffer @values : !vyre.buffer<64xi32, read_write>
  vyre.decode.delta %words to %values block 24 lanes 16 : !vyre.buffer<64xi32, read_only>, !vyre.buffer<64xi32, read_write>
}

// CHECK: 'vyre.decode.delta' expected lanes of 4, 8, got 16
// CHECK: "lanes_of_differences"

// -----

vyre.program @decoder_in_an_arm {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<?xi8, read_write>
  vyre.region "nested" invocations [1] {
    vyre.decode.xor %encoded to %decoded key "k" : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>
  }
}

// CHECK: 'vyre.decode.xor' expects parent op 'vyre.program'
// CHECK: "decoder_in_an_arm"
