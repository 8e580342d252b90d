// RUN: xdsl-opt %s --split-input-file -p 'vyre-split-vectors{lanes=64}' | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'vyre-split-vectors{lanes=64},vyre-split-vectors{lanes=64}' -o %t && xdsl-opt %s --split-input-file -p 'vyre-split-vectors{lanes=64}' | diff - %t
// RUN: xdsl-opt %s --split-input-file -p vyre-split-vectors | filecheck %s --check-prefix=OPENCL

// Clang has vectors of 32 and 64 integers, OpenCL has not.
// CHECK-LABEL: vyre.kernel @bytes
// CHECK:         arith.addi %{{.*}}, %{{.*}} : vector<64xi8>
// CHECK:         vector.shuffle %sum, %sum [0, 1, 2, 3
// CHECK-NOT:     vector<16xi8>
// OPENCL-LABEL: vyre.kernel @bytes
// OPENCL-NOT:     vector<64xi8>
// OPENCL-NOT:     vector<32xi8>
vyre.kernel @bytes(%in: !vyre.buffer<64xi8, read_only>, %out: !vyre.buffer<32xi8, read_write>) workgroup_size [1] generator "bytes" {
  %i = vyre.invocation_id x
  %bytes = vyre.load %in[%i] : !vyre.buffer<64xi8, read_only> -> vector<64xi8>
  %sum = arith.addi %bytes, %bytes : vector<64xi8>
  %half = vector.shuffle %sum, %sum [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31] : vector<64xi8>, vector<64xi8>
  vyre.store %half, %out[%i] : vector<32xi8>, !vyre.buffer<32xi8, read_write>
}

// -----

// One op that is not known of them, floats, other numbers of lanes, or words of bytes, and all are split.
// CHECK-LABEL: vyre.kernel @divided
// CHECK-NOT:     vector<64xi8>
vyre.kernel @divided(%in: !vyre.buffer<64xi8, read_only>, %out: !vyre.buffer<64xi8, read_write>) workgroup_size [1] generator "divided" {
  %i = vyre.invocation_id x
  %bytes = vyre.load %in[%i] : !vyre.buffer<64xi8, read_only> -> vector<64xi8>
  %sum = arith.addi %bytes, %bytes : vector<64xi8>
  %quotient = arith.divui %sum, %bytes : vector<64xi8>
  vyre.store %quotient, %out[%i] : vector<64xi8>, !vyre.buffer<64xi8, read_write>
}

// -----

// CHECK-LABEL: vyre.kernel @floats
// CHECK-NOT:     vector<32xf32>
vyre.kernel @floats(%in: !vyre.buffer<32xf32, read_only>, %out: !vyre.buffer<32xf32, read_write>) workgroup_size [1] generator "floats" {
  %i = vyre.invocation_id x
  %numbers = vyre.load %in[%i] : !vyre.buffer<32xf32, read_only> -> vector<32xf32>
  vyre.store %numbers, %out[%i] : vector<32xf32>, !vyre.buffer<32xf32, read_write>
}

// -----

// CHECK-LABEL: vyre.kernel @words
// CHECK-NOT:     vector<32xi32>
vyre.kernel @words(%in: !vyre.buffer<128xi8, read_only>, %out: !vyre.buffer<32xi32, read_write>) workgroup_size [1] generator "words" {
  %i = vyre.invocation_id x
  %numbers = vyre.load %in[%i] : !vyre.buffer<128xi8, read_only> -> vector<32xi32>
  vyre.store %numbers, %out[%i] : vector<32xi32>, !vyre.buffer<32xi32, read_write>
}

// -----

// CHECK-LABEL: vyre.kernel @others
// CHECK-NOT:     vector<64xi8>
vyre.kernel @others(%in: !vyre.buffer<64xi8, read_only>, %out: !vyre.buffer<64xi8, read_write>) workgroup_size [1] generator "others" {
  %i = vyre.invocation_id x
  %bytes = vyre.load %in[%i] : !vyre.buffer<64xi8, read_only> -> vector<64xi8>
  %few = vyre.load %in[%i] : !vyre.buffer<64xi8, read_only> -> vector<24xi8>
  vyre.store %bytes, %out[%i] : vector<64xi8>, !vyre.buffer<64xi8, read_write>
  vyre.store %few, %out[%i] : vector<24xi8>, !vyre.buffer<64xi8, read_write>
}
