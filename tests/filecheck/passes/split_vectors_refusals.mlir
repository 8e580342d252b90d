// RUN: xdsl-opt %s --split-input-file --verify-diagnostics -p vyre-split-vectors | filecheck %s

// Elements cannot be cut: memory has no place for a part of one.
// CHECK: 'vyre.load' has vectors of other numbers of lanes than OpenCL has, and is not known to do the same in each lane: expected 1, 2, 3, 4, 8, 16 lanes
vyre.kernel @element(%b: !vyre.buffer<2xvector<5xi32>, read_write>) workgroup_size [1] generator "element" {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = vyre.load %b[%c0] : !vyre.buffer<2xvector<5xi32>, read_write> -> vector<5xi32>
  vyre.store %v, %b[%c1] : vector<5xi32>, !vyre.buffer<2xvector<5xi32>, read_write>
}

// -----

// Nobody knows what another package's op does in each lane.
// CHECK: 'test.op' has vectors of other numbers of lanes than OpenCL has
vyre.kernel @unknown(%out: !vyre.buffer<5xi32, read_write>) workgroup_size [1] generator "unknown" {
  %c0 = arith.constant 0 : index
  %v = "test.op"() : () -> vector<5xi32>
  vyre.store %v, %out[%c0] : vector<5xi32>, !vyre.buffer<5xi32, read_write>
}
