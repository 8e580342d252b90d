// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP
// Printing is idempotent, from the custom form and from the generic one.
// RUN: xdsl-opt %s > %t.mlir && xdsl-opt %t.mlir | diff %t.mlir -
// RUN: xdsl-opt %s --print-op-generic | xdsl-opt | diff %t.mlir -

vyre.program @decoders {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded live_out : !vyre.buffer<?xi8, read_write>
  %words = vyre.buffer @words : !vyre.buffer<64xi32, read_only>
  %values = vyre.buffer @values live_out : !vyre.buffer<64xi32, write_only>
  %all = vyre.buffer @all live_out : !vyre.buffer<?xi32, write_only>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %offsets = vyre.buffer @offsets fill -1 : i64 : !vyre.buffer<1xi64, read_write>
  %n = vyre.buf_len %words : !vyre.buffer<64xi32, read_only>
  vyre.decode.base64 %encoded to %decoded errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
  vyre.decode.base64 %encoded to %decoded errors %offsets alphabet url unpadded {note = 1 : i64} : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi64, read_write>
  vyre.decode.base64 %encoded to %decoded errors %errors unpadded : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
  vyre.decode.base64 %encoded to %decoded errors %errors alphabet url unpadded skip_whitespace : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
  vyre.decode.hex %encoded to %decoded errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
  vyre.decode.hex %encoded to %decoded errors %errors skip_whitespace : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
  vyre.decode.base64 %encoded to %decoded errors %errors skip_whitespace lanes 8 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
  vyre.decode.hex %encoded to %decoded errors %errors lanes 16 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
  vyre.decode.xor %encoded to %decoded key "secret" : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>
  vyre.decode.xor %encoded to %decoded key "\00\DE\AD" : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>
  vyre.decode.xor %encoded to %decoded key "secret" lanes 16 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>
  vyre.decode.delta %words to %values block 128 : !vyre.buffer<64xi32, read_only>, !vyre.buffer<64xi32, write_only>
  vyre.decode.delta %words to %values block 128 values 32 lanes 8 : !vyre.buffer<64xi32, read_only>, !vyre.buffer<64xi32, write_only>
  vyre.decode.delta %encoded to %all errors %errors block 1 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, write_only>, !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack %encoded to %all bits 5 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, write_only>
  vyre.decode.bitunpack %encoded to %values bits 32 count %n errors %offsets : !vyre.buffer<?xi8, read_only>, !vyre.buffer<64xi32, write_only>, !vyre.buffer<1xi64, read_write>
}

// CHECK: vyre.decode.base64 %encoded to %decoded errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
// CHECK: vyre.decode.base64 %encoded to %decoded errors %offsets alphabet url unpadded {note = 1 : i64} : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi64, read_write>
// CHECK: vyre.decode.base64 %encoded to %decoded errors %errors unpadded : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
// CHECK: vyre.decode.base64 %encoded to %decoded errors %errors alphabet url unpadded skip_whitespace : !vyre.buffer<?xi8, read_only>
// CHECK: vyre.decode.hex %encoded to %decoded errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
// CHECK: vyre.decode.hex %encoded to %decoded errors %errors skip_whitespace : !vyre.buffer<?xi8, read_only>
// CHECK: vyre.decode.base64 %encoded to %decoded errors %errors skip_whitespace lanes 8 : !vyre.buffer<?xi8, read_only>
// CHECK: vyre.decode.hex %encoded to %decoded errors %errors lanes 16 : !vyre.buffer<?xi8, read_only>
// CHECK: vyre.decode.xor %encoded to %decoded key "secret" : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>
// CHECK: vyre.decode.xor %encoded to %decoded key "\00\DE\AD" : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>
// CHECK: vyre.decode.xor %encoded to %decoded key "secret" lanes 16 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>
// CHECK: vyre.decode.delta %words to %values block 128 : !vyre.buffer<64xi32, read_only>, !vyre.buffer<64xi32, write_only>
// CHECK: vyre.decode.delta %words to %values block 128 values 32 lanes 8 :
// CHECK: vyre.decode.delta %encoded to %all errors %errors block 1 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, write_only>, !vyre.buffer<1xi32, read_write>
// CHECK: vyre.decode.bitunpack %encoded to %all bits 5 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, write_only>
// CHECK: vyre.decode.bitunpack %encoded to %values bits 32 count %n errors %offsets : !vyre.buffer<?xi8, read_only>, !vyre.buffer<64xi32, write_only>, !vyre.buffer<1xi64, read_write>

// CHECK-GENERIC: "vyre.decode.base64"(%encoded, %decoded, %errors) <{alphabet = #vyre<alphabet standard>}> : (!vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>) -> ()
// CHECK-GENERIC: "vyre.decode.base64"(%encoded, %decoded, %offsets) <{alphabet = #vyre<alphabet url>, unpadded}> {note = 1 : i64} : (!vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi64, read_write>) -> ()
// CHECK-GENERIC: "vyre.decode.base64"(%encoded, %decoded, %errors) <{unpadded, alphabet = #vyre<alphabet standard>}> : (!vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>) -> ()
// CHECK-GENERIC: "vyre.decode.hex"(%encoded, %decoded, %errors) : (!vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>) -> ()
// CHECK-GENERIC: "vyre.decode.xor"(%encoded, %decoded) <{key = "secret"}> : (!vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>) -> ()
// CHECK-GENERIC: "vyre.decode.xor"(%encoded, %decoded) <{key = "\00\DE\AD"}> : (!vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>) -> ()
// CHECK-GENERIC: "vyre.decode.xor"(%encoded, %decoded) <{key = "secret", lanes = 16 : i64}> : (!vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>) -> ()
// CHECK-GENERIC: "vyre.decode.delta"(%words, %values) <{block = 128 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!vyre.buffer<64xi32, read_only>, !vyre.buffer<64xi32, write_only>) -> ()
// CHECK-GENERIC: "vyre.decode.delta"(%encoded, %all, %errors) <{block = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 1>}> : (!vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, write_only>, !vyre.buffer<1xi32, read_write>) -> ()
// CHECK-GENERIC: "vyre.decode.bitunpack"(%encoded, %all) <{bits = 5 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0>, layout = #vyre<layout sequential>}> : (!vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, write_only>) -> ()
// CHECK-GENERIC: "vyre.decode.bitunpack"(%encoded, %values, %n, %offsets) <{bits = 32 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1>, layout = #vyre<layout sequential>}> : (!vyre.buffer<?xi8, read_only>, !vyre.buffer<64xi32, write_only>, index, !vyre.buffer<1xi64, read_write>) -> ()
