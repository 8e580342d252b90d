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

// -----

// Places that are told apart by steps, by the iterations of a loop, by a guard, and by what isl knows of
// a mask; and the same place computed in two ways, or under a guard that says so.

// CHECK-LABEL: vyre.region "told_apart"
vyre.program @told_apart {
  %in = vyre.buffer @in : !vyre.buffer<64xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<512xi32, read_write>
  vyre.region "told_apart" invocations [64] {
    %i = vyre.invocation_id x
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %2 = arith.constant 2 : index
    %3 = arith.constant 3 : index
    %6 = arith.constant 6 : index
    %8 = arith.constant 8 : index
    %9 = arith.constant 9 : index
    %64 = arith.constant 64 : index
    %72 = arith.constant 72 : index
    %x = vyre.load %in[%i] : !vyre.buffer<64xi32, read_only> -> i32
    %y = vyre.load %in[%8] : !vyre.buffer<64xi32, read_only> -> i32
    %row = arith.muli %i, %8 : index
    vyre.store %x, %out[%row] in_bounds : i32, !vyre.buffer<512xi32, read_write>
    // CHECK:      scf.for %k
    // CHECK-NEXT:   %twice = arith.muli
    // CHECK-NEXT:   %odd = arith.addi
    // CHECK-NEXT:   vyre.store %x, %out[%odd]
    scf.for %k = %0 to %9 step %1 {
      %twice = arith.muli %k, %2 : index
      %odd = arith.addi %twice, %1 : index
      %a = vyre.load %out[%row] : !vyre.buffer<512xi32, read_write> -> i32
      vyre.store %a, %out[%odd] : i32, !vyre.buffer<512xi32, read_write>
    }
    // CHECK-NOT:    vyre.load
    // CHECK:        scf.for %l
    // CHECK:        vyre.store %x, %out[%behind]
    scf.for %l = %1 to %8 step %1 {
      %behind = arith.addi %row, %l : index
      %a = vyre.load %out[%row] : !vyre.buffer<512xi32, read_write> -> i32
      vyre.store %a, %out[%behind] : i32, !vyre.buffer<512xi32, read_write>
    }
    // CHECK:        scf.if %far
    // CHECK-NEXT:     vyre.store %y, %out[%i]
    // CHECK-NEXT:   }
    // CHECK-NEXT:   vyre.store %x, %out[%0]
    %far = arith.cmpi sgt, %i, %9 : index
    vyre.store %x, %out[%9] in_bounds : i32, !vyre.buffer<512xi32, read_write>
    scf.if %far {
      vyre.store %y, %out[%i] : i32, !vyre.buffer<512xi32, read_write>
    }
    %b = vyre.load %out[%9] : !vyre.buffer<512xi32, read_write> -> i32
    vyre.store %b, %out[%0] : i32, !vyre.buffer<512xi32, read_write>
    // CHECK-NOT:    vyre.load
    // CHECK:        vyre.store %x, %out[%next]
    %masked = arith.andi %i, %6 : index
    %next = arith.addi %masked, %3 : index
    vyre.store %x, %out[%8] in_bounds : i32, !vyre.buffer<512xi32, read_write>
    vyre.store %x, %out[%next] : i32, !vyre.buffer<512xi32, read_write>
    %c = vyre.load %out[%8] : !vyre.buffer<512xi32, read_write> -> i32
    // CHECK-NOT:    vyre.load
    // CHECK:        vyre.store %x, %out[%sum] in_bounds
    // CHECK-NEXT:   %is_eighth = arith.cmpi eq
    // CHECK-NEXT:   scf.if %is_eighth
    // CHECK-NEXT:     %f = arith.minui %x, %x
    // CHECK-NEXT:     vyre.store %f, %out[%1]
    %quotient = arith.divui %i, %8 : index
    %whole = arith.muli %quotient, %8 : index
    %rest = arith.remui %i, %8 : index
    %there = arith.addi %i, %64 : index
    %half = arith.addi %whole, %64 : index
    %sum = arith.addi %half, %rest : index
    vyre.store %c, %out[%sum] in_bounds : i32, !vyre.buffer<512xi32, read_write>
    %d = vyre.load %out[%there] : !vyre.buffer<512xi32, read_write> -> i32
    %is_eighth = arith.cmpi eq, %i, %8 : index
    scf.if %is_eighth {
      %e = vyre.load %out[%72] : !vyre.buffer<512xi32, read_write> -> i32
      %f = arith.minui %d, %e : i32
      vyre.store %f, %out[%1] : i32, !vyre.buffer<512xi32, read_write>
    }
  }
}

// -----

// What an odd loop meets in some iteration, what the data choose, what holds under a guard only, and
// what an earlier iteration has stored.

// CHECK-LABEL: vyre.region "may_meet"
vyre.program @may_meet {
  %in = vyre.buffer @in : !vyre.buffer<64xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<512xi32, read_write>
  vyre.region "may_meet" invocations [64] {
    %i = vyre.invocation_id x
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %2 = arith.constant 2 : index
    %7 = arith.constant 7 : index
    %8 = arith.constant 8 : index
    %x = vyre.load %in[%i] : !vyre.buffer<64xi32, read_only> -> i32
    %y = vyre.load %in[%8] : !vyre.buffer<64xi32, read_only> -> i32
    vyre.store %x, %out[%7] in_bounds : i32, !vyre.buffer<512xi32, read_write>
    // CHECK: scf.for %k
    // CHECK: vyre.load %out[
    scf.for %k = %0 to %8 step %1 {
      %twice = arith.muli %k, %2 : index
      %odd = arith.addi %twice, %1 : index
      %a = vyre.load %out[%7] : !vyre.buffer<512xi32, read_write> -> i32
      vyre.store %a, %out[%odd] : i32, !vyre.buffer<512xi32, read_write>
    }
    // CHECK: vyre.store %y, %out[%any]
    // CHECK: vyre.load %out[%i]
    %any = arith.index_cast %x : i32 to index
    vyre.store %x, %out[%i] in_bounds : i32, !vyre.buffer<512xi32, read_write>
    vyre.store %y, %out[%any] : i32, !vyre.buffer<512xi32, read_write>
    %b = vyre.load %out[%i] : !vyre.buffer<512xi32, read_write> -> i32
    // CHECK: scf.if %is_eighth
    // CHECK: }
    // CHECK: vyre.load %out[%i]
    %is_eighth = arith.cmpi eq, %i, %8 : index
    vyre.store %b, %out[%8] in_bounds : i32, !vyre.buffer<512xi32, read_write>
    scf.if %is_eighth {
      vyre.store %b, %out[%0] : i32, !vyre.buffer<512xi32, read_write>
    }
    %d = vyre.load %out[%i] : !vyre.buffer<512xi32, read_write> -> i32
    // CHECK: scf.for %l
    // CHECK: vyre.load %out[%l]
    scf.for %l = %1 to %8 step %1 {
      %next = arith.addi %l, %1 : index
      %e = vyre.load %out[%l] : !vyre.buffer<512xi32, read_write> -> i32
      %f = arith.addi %e, %d : i32
      vyre.store %f, %out[%next] in_bounds : i32, !vyre.buffer<512xi32, read_write>
    }
  }
}

// -----

// Overwritten in every branch, after a branch, and by a wider store; not in one branch only, not
// where a branch reads before, and not by a store that does not cover all.

// CHECK-LABEL: vyre.region "branches"
vyre.program @branches {
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, read_write>
  vyre.region "branches" invocations [8] {
    // CHECK-DAG: %[[A:\S+]] = arith.constant 1 : i8
    // CHECK-DAG: %[[B:\S+]] = arith.constant 2 : i8
    // CHECK-DAG: %[[C:\S+]] = arith.constant 3 : i8
    // CHECK-DAG: %[[WORD:\S+]] = arith.constant 4 : i32
    %i = vyre.invocation_id x
    %3 = arith.constant 3 : index
    %8 = arith.constant 8 : index
    %a = arith.constant 1 : i8
    %b = arith.constant 2 : i8
    %c = arith.constant 3 : i8
    %word = arith.constant 4 : i32
    %row = arith.muli %i, %8 : index
    %third = arith.addi %row, %3 : index
    %is_low = arith.cmpi slt, %i, %3 : index
    // CHECK:      scf.if %is_low {
    // CHECK-NEXT:   vyre.store %[[B]], %out[%row]
    // CHECK-NEXT: } else {
    // CHECK-NEXT:   vyre.store %[[C]], %out[%row]
    // CHECK-NEXT: }
    vyre.store %a, %out[%row] : i8, !vyre.buffer<64xi8, read_write>
    scf.if %is_low {
      vyre.store %b, %out[%row] : i8, !vyre.buffer<64xi8, read_write>
    } else {
      vyre.store %c, %out[%row] : i8, !vyre.buffer<64xi8, read_write>
    }
    %seen = vyre.load %out[%row] : !vyre.buffer<64xi8, read_write> -> i8
    // CHECK:      scf.if %is_low {
    // CHECK-NEXT: }
    // CHECK-NEXT: vyre.store %[[WORD]], %out[%row]
    scf.if %is_low {
      vyre.store %b, %out[%third] : i8, !vyre.buffer<64xi8, read_write>
    }
    vyre.store %word, %out[%row] : i32, !vyre.buffer<64xi8, read_write>
    %read = vyre.load %out[%i] : !vyre.buffer<64xi8, read_write> -> i8
    // CHECK:      vyre.store %[[A]], %out[%row]
    // CHECK-NEXT: scf.if %is_low {
    // CHECK-NEXT:   vyre.store %[[B]], %out[%row]
    // CHECK-NEXT: }
    // CHECK-NEXT: vyre.load
    vyre.store %a, %out[%row] : i8, !vyre.buffer<64xi8, read_write>
    scf.if %is_low {
      vyre.store %b, %out[%row] : i8, !vyre.buffer<64xi8, read_write>
    }
    %again = vyre.load %out[%i] : !vyre.buffer<64xi8, read_write> -> i8
    // CHECK-NEXT: vyre.store %{{.*}}, %out[%row]
    // CHECK-NEXT: scf.if %is_low {
    // CHECK-NEXT:   vyre.load
    vyre.store %again, %out[%row] : i8, !vyre.buffer<64xi8, read_write>
    scf.if %is_low {
      %sum = vyre.load %out[%i] : !vyre.buffer<64xi8, read_write> -> i8
      vyre.store %sum, %out[%row] : i8, !vyre.buffer<64xi8, read_write>
    } else {
      vyre.store %read, %out[%row] : i8, !vyre.buffer<64xi8, read_write>
    }
    // CHECK: vyre.store %[[WORD]], %out[%row]
    // CHECK-NEXT: vyre.store %{{.*}}, %out[%third]
    vyre.store %word, %out[%row] : i32, !vyre.buffer<64xi8, read_write>
    vyre.store %seen, %out[%third] : i8, !vyre.buffer<64xi8, read_write>
  }
}
