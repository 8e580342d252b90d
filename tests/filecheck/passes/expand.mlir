// RUN: xdsl-opt %s -p vyre-expand --split-input-file | filecheck %s
// Nothing is left for a second run to do.
// RUN: xdsl-opt %s -p vyre-expand --split-input-file > %t.mlir
// RUN: xdsl-opt %t.mlir -p vyre-expand --split-input-file | diff %t.mlir -

// Each library op becomes an arm, in its place; what is no library op stays, used or not.

vyre.program @chain workgroup_size [128] entry_op_id "chain" {
  %encoded = vyre.buffer @encoded binding 0 : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<?xi8, read_write>
  %plain = vyre.buffer @plain live_out : !vyre.buffer<?xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %unused = vyre.buffer @unused binding 3 : !vyre.buffer<7xi8, read_only>
  vyre.decode.hex %encoded to %decoded errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
  vyre.region "between" invocations [1] {
  }
  vyre.decode.xor %decoded to %plain key "k" : !vyre.buffer<?xi8, read_write>, !vyre.buffer<?xi8, read_write>
}

// CHECK-LABEL: vyre.program @chain workgroup_size [128] entry_op_id "chain" {
// CHECK-NEXT:    %encoded = vyre.buffer @encoded binding 0 : !vyre.buffer<?xi8, read_only>
// CHECK-NEXT:    %errors = vyre.buffer @errors
// CHECK-NEXT:    %unused = vyre.buffer @unused binding 3 : !vyre.buffer<7xi8, read_only>
// CHECK:         %decoded = vyre.buffer @decoded[%decoded_length] initial undefined : !vyre.buffer<?xi8, read_write>
// CHECK:         vyre.region "decode.hex" invocations [%invocations] {
// CHECK:         vyre.region "between" invocations [1] {
// CHECK:         %plain_length = vyre.buf_len %decoded
// CHECK-NEXT:    %plain = vyre.buffer @plain[%plain_length] live_out initial undefined : !vyre.buffer<?xi8, read_write>
// CHECK:         vyre.region "decode.xor" invocations [%invocations_1] {
// CHECK-NOT:     vyre.decode

// -----

// A destination keeps the size, the fill and the start that it has.

vyre.program @sized {
  %encoded = vyre.buffer @encoded : !vyre.buffer<32xi8, read_only>
  %n = arith.constant 32 : index
  %plain = vyre.buffer @plain[%n] : !vyre.buffer<?xi8, read_write>
  %filled = vyre.buffer @filled fill 7 : i8 : !vyre.buffer<?xi8, read_write>
  %started = vyre.buffer @started initial host : !vyre.buffer<?xi8, read_write>
  vyre.decode.xor %encoded to %plain key "k" : !vyre.buffer<32xi8, read_only>, !vyre.buffer<?xi8, read_write>
  vyre.decode.xor %encoded to %filled key "k" : !vyre.buffer<32xi8, read_only>, !vyre.buffer<?xi8, read_write>
  vyre.decode.xor %encoded to %started key "k" : !vyre.buffer<32xi8, read_only>, !vyre.buffer<?xi8, read_write>
}

// CHECK-LABEL: vyre.program @sized {
// CHECK:         %plain = vyre.buffer @plain[%n] : !vyre.buffer<?xi8, read_write>
// CHECK:         vyre.region "decode.xor" invocations [2] {
// CHECK:         %filled = vyre.buffer @filled[%filled_length] fill 7 : i8 : !vyre.buffer<?xi8, read_write>
// CHECK:         vyre.region "decode.xor" invocations [2] {
// CHECK:         %started = vyre.buffer @started[%started_length] initial host : !vyre.buffer<?xi8, read_write>
// CHECK:         vyre.region "decode.xor" invocations [2] {
