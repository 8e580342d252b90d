// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP
// Printing is idempotent, from the custom form and from the generic one.
// RUN: xdsl-opt %s > %t.mlir && xdsl-opt %t.mlir | diff %t.mlir -
// RUN: xdsl-opt %s --print-op-generic | xdsl-opt | diff %t.mlir -

vyre.program @columns {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %bytes = vyre.buffer @bytes : !vyre.buffer<?xi8, read_write>
  %halves = vyre.buffer @halves : !vyre.buffer<?xi16, read_write>
  %words = vyre.buffer @words : !vyre.buffer<?xi32, read_write>
  %bases = vyre.buffer @bases : !vyre.buffer<?xi32, read_write>
  %sums = vyre.buffer @sums : !vyre.buffer<?xi32, read_write>
  %longs = vyre.buffer @longs : !vyre.buffer<?xi64, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %n = vyre.buf_len %packed : !vyre.buffer<?xi8, read_only>
  vyre.decode.bitunpack %packed to %bytes bits 3 layout interleaved : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>
  vyre.decode.bitunpack %packed to %halves bits 16 base -32768 zigzag : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi16, read_write>
  vyre.decode.bitunpack %packed to %words bits 0 layout interleaved base 7 count %n errors %errors lanes 1 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<1xi32, read_write>
  %blocks = vyre.buffer @blocks : !vyre.buffer<?xi64, read_only>
  vyre.decode.bitunpack_blocks %packed to %words blocks %blocks of 128 errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack_blocks %packed to %longs blocks %blocks of 1024 layout interleaved zigzag count %n errors %errors lanes 8 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi64, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack_runs %packed to %words ends %bases runs %blocks count %n errors %errors values 16 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack_runs %packed to %words ends %bases runs %blocks limits %longs count %n errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<?xi64, read_write>
  %doubles = vyre.buffer @doubles : !vyre.buffer<?xf64, read_write>
  vyre.decode.dictionary_runs %packed to %doubles ends %bases runs %blocks count %n errors %errors values 4 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xf64, read_write>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.decode.dictionary_runs %packed to %longs ends %bases runs %blocks skips %words count %n errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi64, read_write>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<?xi32, read_write>
  vyre.decode.bitunpack_runs %packed to %longs ends %bases runs %blocks skips %words count %n errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi64, read_write>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write> skips !vyre.buffer<?xi32, read_write>
  %wanted = vyre.buffer @wanted : !vyre.buffer<?xi8, read_only>
  vyre.decode.bitunpack_blocks %packed to %longs blocks %blocks of 1024 layout interleaved zigzag count %n errors %errors wanted %wanted lanes 8 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi64, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<?xi8, read_only>
  vyre.decode.delta %words to %sums bases %bases : !vyre.buffer<?xi32, read_write> block 128 plain lanes 8 : !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi32, read_write>
  vyre.decode.delta %packed to %sums bases %bases : !vyre.buffer<?xi32, read_write> errors %errors block 4 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack %packed to %longs bits 64 layout sequential values 8 lanes 4 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi64, read_write>
}

// CHECK: vyre.decode.bitunpack %packed to %bytes bits 3 layout interleaved : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>
// CHECK: vyre.decode.bitunpack %packed to %halves bits 16 base -32768 zigzag : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi16, read_write>
// CHECK: vyre.decode.bitunpack %packed to %words bits 0 layout interleaved base 7 count %n errors %errors lanes 1 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<1xi32, read_write>
// CHECK: vyre.decode.bitunpack_blocks %packed to %words blocks %blocks of 128 errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
// CHECK: vyre.decode.bitunpack_blocks %packed to %longs blocks %blocks of 1024 layout interleaved zigzag count %n errors %errors lanes 8 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi64, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
// CHECK: vyre.decode.bitunpack_runs %packed to %words ends %bases runs %blocks count %n errors %errors values 16 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
// CHECK: vyre.decode.bitunpack_runs %packed to %words ends %bases runs %blocks limits %longs count %n errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<?xi64, read_write>
// CHECK: vyre.decode.dictionary_runs %packed to %doubles ends %bases runs %blocks count %n errors %errors values 4 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xf64, read_write>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
// CHECK: vyre.decode.dictionary_runs %packed to %longs ends %bases runs %blocks skips %words count %n errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi64, read_write>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<?xi32, read_write>
// CHECK: vyre.decode.bitunpack_runs %packed to %longs ends %bases runs %blocks skips %words count %n errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi64, read_write>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write> skips !vyre.buffer<?xi32, read_write>
// CHECK: vyre.decode.bitunpack_blocks %packed to %longs blocks %blocks of 1024 layout interleaved zigzag count %n errors %errors wanted %wanted lanes 8 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi64, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<?xi8, read_only>
// CHECK: vyre.decode.delta %words to %sums bases %bases : !vyre.buffer<?xi32, read_write> block 128 plain lanes 8 : !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi32, read_write>
// CHECK: vyre.decode.delta %packed to %sums bases %bases : !vyre.buffer<?xi32, read_write> errors %errors block 4 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<1xi32, read_write>
// CHECK: vyre.decode.bitunpack %packed to %longs bits 64 values 8 lanes 4 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi64, read_write>

// CHECK-GENERIC: "vyre.decode.bitunpack"(%packed, %bytes) <{bits = 3 : i64, layout = #vyre<layout interleaved>, operandSegmentSizes = array<i32: 1, 1, 0, 0>}>
// CHECK-GENERIC: "vyre.decode.bitunpack"(%packed, %halves) <{
// CHECK-GENERIC-SAME: base = -32768 : i64
// CHECK-GENERIC-SAME: zigzag
// CHECK-GENERIC-SAME: layout = #vyre<layout sequential>

vyre.program @value_by_value {
  %bytes = vyre.buffer @bytes : !vyre.buffer<?xi8, read_only>
  %ends = vyre.buffer @ends : !vyre.buffer<?xi16, read_only>
  %digits = vyre.buffer @digits : !vyre.buffer<?xi64, read_only>
  %table = vyre.buffer @table : !vyre.buffer<?xf64, read_only>
  %positions = vyre.buffer @positions : !vyre.buffer<?xi32, read_only>
  %floats = vyre.buffer @floats : !vyre.buffer<?xf64, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %n = vyre.buf_len %digits : !vyre.buffer<?xi64, read_only>
  vyre.decode.dictionary %bytes to %floats table %table errors %errors lanes 16 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xf64, read_write>, !vyre.buffer<?xf64, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.decode.byte_stream_split %bytes to %floats errors %errors lanes 1 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xf64, read_write>, !vyre.buffer<1xi32, read_write>
  vyre.decode.alp %digits to %floats exponent 14 factor 12 : !vyre.buffer<?xi64, read_only>, !vyre.buffer<?xf64, read_write>
  vyre.decode.alp %digits to %floats exponent 2 exceptions %table at %positions values 16 : !vyre.buffer<?xi64, read_only>, !vyre.buffer<?xf64, read_write>, !vyre.buffer<?xf64, read_only>, !vyre.buffer<?xi32, read_only>
  vyre.decode.run_length %ends of %table to %floats count %n errors %errors values 4 : !vyre.buffer<?xi16, read_only>, !vyre.buffer<?xf64, read_only>, !vyre.buffer<?xf64, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK: vyre.decode.dictionary %bytes to %floats table %table errors %errors lanes 16 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xf64, read_write>, !vyre.buffer<?xf64, read_only>, !vyre.buffer<1xi32, read_write>
// CHECK: vyre.decode.byte_stream_split %bytes to %floats errors %errors lanes 1 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xf64, read_write>, !vyre.buffer<1xi32, read_write>
// CHECK: vyre.decode.alp %digits to %floats exponent 14 factor 12 : !vyre.buffer<?xi64, read_only>, !vyre.buffer<?xf64, read_write>
// CHECK: vyre.decode.alp %digits to %floats exponent 2 exceptions %table at %positions values 16 : !vyre.buffer<?xi64, read_only>, !vyre.buffer<?xf64, read_write>, !vyre.buffer<?xf64, read_only>, !vyre.buffer<?xi32, read_only>
// CHECK: vyre.decode.run_length %ends of %table to %floats count %n errors %errors values 4 : !vyre.buffer<?xi16, read_only>, !vyre.buffer<?xf64, read_only>, !vyre.buffer<?xf64, read_write>, !vyre.buffer<1xi32, read_write>
