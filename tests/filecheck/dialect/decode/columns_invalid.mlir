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
