// RUN: xdsl-opt %s -p vyre-drop-claims --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p vyre-drop-claims,vyre-drop-claims --split-input-file | filecheck %s

// What passes prove of accesses, of arithmetic and of loops, in an arm.

// CHECK-LABEL: vyre.program @arm
vyre.program @arm {
  %in = vyre.buffer @in : !vyre.buffer<64xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<16xi32, read_write>
  vyre.region "arm" invocations [16] {
    %i = vyre.invocation_id x
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %e = arith.constant 0 : i32
    %f = arith.constant 1.0 : f32
    // CHECK: arith.addi %i, %1 : index
    %next = arith.addi %i, %1 overflow<nsw, nuw> : index
    // CHECK: arith.addf %f, %f : f32
    %sum = arith.addf %f, %f fastmath<fast> : f32
    // CHECK: math.absf %f : f32
    %abs = math.absf %f fastmath<nnan> : f32
    // CHECK: arith.negf %f : f32
    %neg = arith.negf %f fastmath<nnan> : f32
    // CHECK: vyre.load %in[%next] :
    %w = vyre.load %in[%next] in_bounds aligned 4 : !vyre.buffer<64xi8, read_only> -> i32
    // CHECK: vyre.atomic_rmw addi %w, %out[%next] :
    %old = vyre.atomic_rmw addi %w, %out[%next] in_bounds : i32, !vyre.buffer<16xi32, read_write>
    // CHECK: vyre.atomic_cas %w, %e, %out[%next] :
    %was = vyre.atomic_cas %w, %e, %out[%next] in_bounds : i32, !vyre.buffer<16xi32, read_write>
    // CHECK: scf.for
    scf.for %k = %0 to %i step %1 {
      // CHECK: vyre.store %w, %out[%k] :
      vyre.store %w, %out[%k] in_bounds : i32, !vyre.buffer<16xi32, read_write>
    // CHECK-NEXT: }
    // CHECK-NOT: no_wrap
    } {vyre.no_wrap, vyre.each_item}
  }
}

// -----

// The same in a kernel. What is a hint, or is verified, stays.

// CHECK-LABEL: vyre.kernel @kernel
vyre.kernel @kernel(%in : !vyre.buffer<16xi8, read_only>) workgroup_size [4, 1, 1] generator "g" arena_bytes 256 {
  // CHECK: vyre.buffer @tile arena_offset 128
  %tile = vyre.buffer @tile arena_offset 128 : !vyre.buffer<4xi8, read_write, workgroup>
  %i = vyre.local_id x
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  // CHECK: vyre.load %in[%i] :
  %v = vyre.load %in[%i] in_bounds : !vyre.buffer<16xi8, read_only> -> i8
  scf.for %k = %0 to %i step %1 {
    // CHECK: vyre.store %v, %tile[%k] :
    vyre.store %v, %tile[%k] in_bounds : i8, !vyre.buffer<4xi8, read_write, workgroup>
  // CHECK: } {vyre.unroll = 2 : i64}
  } {vyre.unroll = 2 : i64, vyre.no_wrap}
}

// -----

// An attribute of another package that has one of the names is not dropped.

// CHECK-LABEL: vyre.program @others
vyre.program @others {
  %0 = arith.constant 0 : index
  // CHECK: %x = arith.maxsi %0, %0 {in_bounds, alignment = 4 : i64} : index
  %x = arith.maxsi %0, %0 {in_bounds, alignment = 4 : i64} : index
}

// -----

// That an arm is a probe of the host's, only fusion knows.

// CHECK-LABEL: vyre.program @probe
// CHECK-NOT: vyre.probe
vyre.program @probe {
  vyre.region "probe" invocations [1] attributes {vyre.probe} {
  }
}

// -----

// How a program is cut into pieces, which whoever cuts it proves.

// CHECK-LABEL: vyre.program @in_pieces
// CHECK-NOT: vyre.stream
vyre.program @in_pieces {
  vyre.stream @in multiple 4 before 0 after 0 least 1
  %in = vyre.buffer @in : !vyre.buffer<?xi8, read_only>
}
