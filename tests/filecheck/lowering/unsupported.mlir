// RUN: xdsl-opt %s --split-input-file --verify-diagnostics -t vyre-opencl | filecheck %s

// CHECK: 'vyre.region' has no OpenCL form; run 'vyre-outline-kernels' first
vyre.program @arm {
  vyre.region "arm" invocations [1] {
  }
}

// -----

// CHECK: 'vyre.decode.xor' has no OpenCL form; run 'vyre-expand' first
vyre.program @library {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %encoded : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded[%n] live_out : !vyre.buffer<?xi8, read_write>
  vyre.decode.xor %encoded to %decoded key "key" : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>
}

// -----

// CHECK: 'scf.parallel' has no OpenCL form
vyre.kernel @parallel(%n: index) workgroup_size [1] generator "parallel" {
  "scf.parallel"(%n, %n, %n) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    scf.reduce
  }) : (index, index, index) -> ()
}

// -----

// CHECK: type 'i24' has no OpenCL form: expected index, i1, i8, i16, i32, i64, f16, f32, f64 or a vector of these
vyre.kernel @width(%out: !vyre.buffer<1xi24, read_write>) workgroup_size [1] generator "width" {
}

// -----

// CHECK: type 'vector<5xi32>' has no OpenCL form: expected vectors of 1, 2, 3, 4, 8 or 16 lanes, into which 'vyre-split-vectors' splits those of one axis
vyre.kernel @lanes(%out: !vyre.buffer<8xi32, read_write>) workgroup_size [1] generator "lanes" {
  %c0 = arith.constant 0 : index
  %five = vyre.load %out[%c0] : !vyre.buffer<8xi32, read_write> -> vector<5xi32>
  vyre.store %five, %out[%c0] : vector<5xi32>, !vyre.buffer<8xi32, read_write>
}

// -----

// CHECK: 'vyre.atomic_rmw' minu of an i64 needs 64-bit atomics: expected a device with cl_khr_int64_base_atomics and cl_khr_int64_extended_atomics, or 'vyre-opencl{int64_atomics=true}' for one that has them
vyre.kernel @minimum(%out: !vyre.buffer<8xi64, read_write>) workgroup_size [1] generator "minimum" {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  %old = vyre.atomic_rmw minu %one, %out[%c0] : i64, !vyre.buffer<8xi64, read_write>
}

// -----

// CHECK: 'vyre.atomic_rmw' addi of an i64 whose old value is used needs 64-bit atomics
vyre.kernel @old_sum(%out: !vyre.buffer<8xi64, read_write>) workgroup_size [1] generator "old_sum" {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  %old = vyre.atomic_rmw addi %one, %out[%c0] : i64, !vyre.buffer<8xi64, read_write>
  vyre.store %old, %out[%c0] : i64, !vyre.buffer<8xi64, read_write>
}

// -----

// CHECK: 'vyre.atomic_cas' of an i64 needs 64-bit atomics
vyre.kernel @exchange(%out: !vyre.buffer<8xi64, read_write>) workgroup_size [1] generator "exchange" {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  %old = vyre.atomic_cas %one, %one, %out[%c0] : i64, !vyre.buffer<8xi64, read_write>
}

// -----

// CHECK: 'vyre.trap' with errors of type i64 needs 64-bit atomics
vyre.kernel @trap(%errors: !vyre.buffer<1xi64, read_write>) workgroup_size [1] generator "trap" {
  %c0 = arith.constant 0 : index
  vyre.trap "message" at %c0, %errors : !vyre.buffer<1xi64, read_write>
}

// -----

// CHECK: 'vyre.kernel' @no-name: expected the name of a C function, got 'no-name'
vyre.kernel @"no-name"() workgroup_size [1] generator "name" {
}

// -----

// CHECK: 'vector.broadcast' has an OpenCL form for scalars, got 'vector<4xi32>'
vyre.kernel @broadcast(%out: !vyre.buffer<8xi32, read_write>) workgroup_size [1] generator "broadcast" {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<1> : vector<4xi32>
  %b = vector.broadcast %a : vector<4xi32> to vector<8xi32>
  vyre.store %b, %out[%c0] : vector<8xi32>, !vyre.buffer<8xi32, read_write>
}

// -----

// CHECK: 'arith.cmpi' of vectors has no OpenCL form
vyre.kernel @compare(%out: !vyre.buffer<1xi1, read_write>) workgroup_size [1] generator "compare" {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[1, 2, 3, 4]> : vector<4xi32>
  %x = arith.cmpi eq, %v, %v : vector<4xi32>
  vyre.store %x, %out[%c0] : i1, !vyre.buffer<1xi1, read_write>
}
