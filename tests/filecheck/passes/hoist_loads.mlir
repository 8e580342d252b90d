// RUN: xdsl-opt %s -p vyre-hoist-loads --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p vyre-hoist-loads,vyre-hoist-loads --split-input-file | filecheck %s

// Out of both loops, without what was proven where the inner one runs.

// CHECK-LABEL: vyre.region "hoisted"
vyre.program @hoisted {
  %in = vyre.buffer @in : !vyre.buffer<64xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "hoisted" invocations [64] {
    %i = vyre.invocation_id x
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    // CHECK: [[X:%\S+]] = vyre.load %in[%i] :
    // CHECK-NEXT: scf.for
    // CHECK-NEXT:   scf.for
    // CHECK-NEXT:     vyre.store [[X]]
    scf.for %j = %0 to %i step %1 {
      scf.for %k = %0 to %j step %1 {
        %x = vyre.load %in[%i] in_bounds : !vyre.buffer<64xi32, read_only> -> i32
        vyre.store %x, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
      }
    }
  }
}

// -----

// What stays: another place in each iteration, a buffer that the loop writes, one that others update
// by atomics, a load under a condition, a loop with a barrier, and one that runs once.

// CHECK-LABEL: vyre.region "kept"
vyre.program @kept workgroup_size [64] {
  %in = vyre.buffer @in : !vyre.buffer<64xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "kept" invocations [64] {
    %i = vyre.invocation_id x
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %9 = arith.constant 9 : index
    %yes = arith.constant true
    // CHECK: scf.for
    // CHECK-NEXT: vyre.load %in[%k]
    // CHECK-NEXT: vyre.load %out[%i]
    // CHECK-NEXT: vyre.load %sum[%{{.*}}]
    // CHECK-NEXT: vyre.store
    // CHECK-NEXT: vyre.atomic_rmw
    // CHECK-NEXT: scf.if
    // CHECK-NEXT: vyre.load %in[%i]
    scf.for %k = %0 to %9 step %1 {
      %x = vyre.load %in[%k] : !vyre.buffer<64xi32, read_only> -> i32
      %y = vyre.load %out[%i] : !vyre.buffer<64xi32, read_write> -> i32
      %z = vyre.load %sum[%0] : !vyre.buffer<1xi32, read_write> -> i32
      vyre.store %z, %out[%k] : i32, !vyre.buffer<64xi32, read_write>
      %old = vyre.atomic_rmw addi %x, %sum[%0] : i32, !vyre.buffer<1xi32, read_write>
      scf.if %yes {
        %w = vyre.load %in[%i] : !vyre.buffer<64xi32, read_only> -> i32
        vyre.store %w, %out[%k] : i32, !vyre.buffer<64xi32, read_write>
      }
    }
    // CHECK: scf.for
    // CHECK-NEXT: vyre.barrier
    // CHECK-NEXT: vyre.load %out[%i]
    scf.for %k = %0 to %9 step %1 {
      vyre.barrier
      %x = vyre.load %out[%i] : !vyre.buffer<64xi32, read_write> -> i32
      vyre.store %x, %sum[%0] : i32, !vyre.buffer<1xi32, read_write>
    }
    // CHECK: scf.for
    // CHECK-NEXT: vyre.load %in[%i]
    scf.for %k = %0 to %1 step %1 {
      %x = vyre.load %in[%i] : !vyre.buffer<64xi32, read_only> -> i32
      vyre.store %x, %out[%k] : i32, !vyre.buffer<64xi32, read_write>
    }
  }
}
