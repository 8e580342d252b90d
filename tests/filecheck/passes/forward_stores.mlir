// RUN: xdsl-opt %s -p vyre-forward-stores --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p vyre-forward-stores,vyre-forward-stores --split-input-file | filecheck %s

// A load of what was stored, past a store that is known to be elsewhere, into a branch, and around
// a barrier in private memory. A place that may be outside of its buffer would read as zero.

// CHECK-LABEL: vyre.region "forward"
vyre.program @forward {
  %in = vyre.buffer @in : !vyre.buffer<8xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  %own = vyre.buffer @own : !vyre.buffer<4xi32, read_write, private>
  vyre.region "forward" invocations [64] {
    %i = vyre.invocation_id x
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %next = arith.addi %i, %c1 : index
    %yes = arith.constant true
    // CHECK: [[A:%\S+]] = vyre.load %in[%i]
    %a = vyre.load %in[%i] : !vyre.buffer<8xi32, read_only> -> i32
    vyre.store %a, %out[%i] in_bounds : i32, !vyre.buffer<64xi32, read_write>
    vyre.store %a, %out[%next] : i32, !vyre.buffer<64xi32, read_write>
    // CHECK: vyre.store [[A]], %out[%i]
    // CHECK-NEXT: vyre.store [[A]], %out[%next]
    // CHECK-NEXT: [[SUM:%\S+]] = arith.addi [[A]], [[A]]
    // CHECK-NEXT: [[MAYBE:%\S+]] = vyre.load %out[%next]
    %b = vyre.load %out[%i] : !vyre.buffer<64xi32, read_write> -> i32
    %sum = arith.addi %a, %b : i32
    %maybe = vyre.load %out[%next] : !vyre.buffer<64xi32, read_write> -> i32
    vyre.store %sum, %own[%c1] in_bounds : i32, !vyre.buffer<4xi32, read_write, private>
    // CHECK: scf.if
    // CHECK-NEXT: vyre.store [[SUM]], %out[%next]
    scf.if %yes {
      %c = vyre.load %own[%c1] : !vyre.buffer<4xi32, read_write, private> -> i32
      vyre.store %c, %out[%next] : i32, !vyre.buffer<64xi32, read_write>
    }
    vyre.barrier
    // CHECK: vyre.barrier
    // CHECK-NEXT: [[D:%\S+]] = arith.addi [[SUM]], [[MAYBE]]
    %c = vyre.load %own[%c1] : !vyre.buffer<4xi32, read_write, private> -> i32
    %d = arith.addi %c, %maybe : i32
    // CHECK-NEXT: vyre.store [[D]], %out[%c2]
    vyre.store %d, %out[%c2] : i32, !vyre.buffer<64xi32, read_write>
  }
  // The private buffer is only stored to, then: nobody sees it.
  // CHECK-NOT: %own
}

// -----

// What stands between: a store that may be to the same place, a barrier, an iteration before, a store
// in a branch, another type, an atomic of anybody, an op that nobody knows.

// CHECK-LABEL: vyre.region "kept"
vyre.program @kept workgroup_size [64] {
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  %hits = vyre.buffer @hits live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "kept" invocations [64] {
    %i = vyre.local_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %x = arith.constant 7 : i32
    vyre.store %x, %out[%i] in_bounds : i32, !vyre.buffer<64xi32, read_write>
    vyre.store %x, %out[%zero] in_bounds : i32, !vyre.buffer<64xi32, read_write>
    // CHECK: [[A:%\S+]] = vyre.load %out[%i]
    %a = vyre.load %out[%i] : !vyre.buffer<64xi32, read_write> -> i32
    // CHECK: vyre.barrier
    vyre.barrier
    // CHECK-NEXT: [[B:%\S+]] = vyre.load %out[%zero]
    %b = vyre.load %out[%zero] : !vyre.buffer<64xi32, read_write> -> i32
    %c = arith.addi %a, %b : i32
    vyre.store %c, %out[%i] in_bounds : i32, !vyre.buffer<64xi32, read_write>
    scf.for %k = %zero to %i step %one {
      // CHECK: scf.for
      // CHECK-NEXT: [[D:%\S+]] = vyre.load %out[%i]
      %d = vyre.load %out[%i] : !vyre.buffer<64xi32, read_write> -> i32
      %e = arith.addi %d, %d : i32
      vyre.store %e, %out[%i] in_bounds : i32, !vyre.buffer<64xi32, read_write>
    }
    // CHECK: [[F:%\S+]] = vyre.load %out[%i] : !vyre.buffer<64xi32, read_write> -> i64
    vyre.store %c, %out[%i] in_bounds : i32, !vyre.buffer<64xi32, read_write>
    %f = vyre.load %out[%i] : !vyre.buffer<64xi32, read_write> -> i64
    %g = arith.trunci %f : i64 to i32
    %old = vyre.atomic_rmw addi %g, %hits[%zero] : i32, !vyre.buffer<1xi32, read_write>
    vyre.store %g, %hits[%zero] in_bounds : i32, !vyre.buffer<1xi32, read_write>
    // CHECK: vyre.store {{.*}}, %hits[%zero]
    // CHECK-NEXT: [[H:%\S+]] = vyre.load %hits[%zero]
    %h = vyre.load %hits[%zero] : !vyre.buffer<1xi32, read_write> -> i32
    vyre.store %h, %out[%i] in_bounds : i32, !vyre.buffer<64xi32, read_write>
  }
}

// -----

// Stores that are overwritten before anybody reads them; not those that are read, by anything that
// may read the place, or that others may see after a barrier.

// CHECK-LABEL: vyre.region "overwritten"
vyre.program @overwritten workgroup_size [64] {
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "overwritten" invocations [64] {
    // CHECK: %[[ONE:\S+]] = arith.constant 1 : i32
    // CHECK: %[[TWO:\S+]] = arith.constant 2 : i32
    // CHECK: %[[THREE:\S+]] = arith.constant 3 : i32
    %i = vyre.local_id x
    %zero = arith.constant 0 : index
    %1 = arith.constant 1 : i32
    %2 = arith.constant 2 : i32
    %3 = arith.constant 3 : i32
    // CHECK-NOT: vyre.store %[[ONE]]
    vyre.store %1, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
    // CHECK: vyre.store %[[TWO]], %out[%i]
    vyre.store %2, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
    // CHECK-NEXT: [[X:%\S+]] = vyre.load %out[%zero]
    %x = vyre.load %out[%zero] : !vyre.buffer<64xi32, read_write> -> i32
    // CHECK-NEXT: vyre.store %[[THREE]], %out[%i]
    vyre.store %3, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
    // CHECK-NEXT: vyre.barrier
    vyre.barrier
    // CHECK-NEXT: vyre.store [[X]], %out[%i]
    vyre.store %x, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}
