// RUN: xdsl-opt %s -p vyre-tighten-bounds,canonicalize,vyre-cse --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p vyre-tighten-bounds,vyre-tighten-bounds,canonicalize,vyre-cse --split-input-file | filecheck %s

// What bounds a sum of invariants and a multiple of the counter bounds the loop: here both of its ends,
// of which one is known to be the tighter. What is carried is as it was where the guard does not hold.

// CHECK-LABEL: vyre.region "both_ends"
vyre.program @both_ends {
  %in = vyre.buffer @in : !vyre.buffer<?xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "both_ends" invocations [64] {
    %i = vyre.invocation_id x
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %2 = arith.constant 2 : index
    %1000 = arith.constant 1000 : index
    %zero = arith.constant 0 : i32
    %n = vyre.buf_len %in : !vyre.buffer<?xi32, read_only>
    // CHECK:      [[ONE:%\S+]] = arith.constant 1 : index
    // CHECK:      [[LEFT:%\S+]] = arith.subi %n, %i : index
    // CHECK-NEXT: [[MORE:%\S+]] = arith.addi [[LEFT]], [[ONE]] : index
    // CHECK-NEXT: [[HALF:%\S+]] = arith.shrsi [[MORE]], [[ONE]] : index
    // CHECK-NEXT: [[END:%\S+]] = arith.minsi [[HALF]], %{{.*}} : index
    // CHECK-NEXT: scf.for %k = %i to [[END]] step [[ONE]] iter_args
    // CHECK-NOT:  scf.if
    // CHECK:      vyre.load %in[%at]
    // CHECK-NOT:  scf.if
    // CHECK:      vyre.store
    %sum = scf.for %k = %0 to %1000 step %1 iter_args(%a = %zero) -> (i32) {
      %twice = arith.muli %k, %2 : index
      %at = arith.addi %twice, %i : index
      %inside = arith.cmpi slt, %at, %n : index
      %late = arith.cmpi sge, %k, %i : index
      %both = arith.andi %inside, %late : i1
      %b = scf.if %both -> (i32) {
        %x = vyre.load %in[%at] : !vyre.buffer<?xi32, read_only> -> i32
        %c = arith.addi %a, %x : i32
        scf.yield %c : i32
      } else {
        scf.yield %a : i32
      }
      scf.yield %b : i32
    }
    vyre.store %sum, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// -----

// Bounds that are numbers stay such. A loop with steps begins at one of them. Equality leaves one
// iteration. An unsigned comparison is two signed ones. An else is the contrary.

// CHECK-LABEL: vyre.region "numbers"
vyre.program @numbers {
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "numbers" invocations [1] {
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %3 = arith.constant 3 : index
    %4 = arith.constant 4 : index
    %10 = arith.constant 10 : index
    %64 = arith.constant 64 : index
    %x = arith.constant 7 : i32
    // CHECK:      [[ONE:%\S+]] = arith.constant 1 : index
    // CHECK:      [[TEN:%\S+]] = arith.constant 10 : index
    // CHECK-NEXT: scf.for %below = %{{.*}} to [[TEN]] step [[ONE]] {
    // CHECK-NEXT:   vyre.store
    scf.for %below = %0 to %64 step %1 {
      %c = arith.cmpi slt, %below, %10 : index
      scf.if %c {
        vyre.store %x, %out[%below] : i32, !vyre.buffer<64xi32, read_write>
      }
    }
    // CHECK:      [[TWELVE:%\S+]] = arith.constant 12 : index
    // CHECK-NEXT: scf.for %from = [[TWELVE]] to %{{.*}} step %{{.*}} {
    // CHECK-NEXT:   vyre.store
    scf.for %from = %0 to %64 step %4 {
      %c = arith.cmpi sge, %from, %10 : index
      scf.if %c {
        vyre.store %x, %out[%from] : i32, !vyre.buffer<64xi32, read_write>
      }
    }
    // CHECK-NEXT: }
    // CHECK-NEXT: vyre.store %x, %out[[[TEN]]]
    scf.for %one = %0 to %64 step %1 {
      %c = arith.cmpi eq, %one, %10 : index
      scf.if %c {
        vyre.store %x, %out[%one] : i32, !vyre.buffer<64xi32, read_write>
      }
    }
    // CHECK-NEXT: [[THREE:%\S+]] = arith.constant 3 : index
    // CHECK-NEXT: [[SEVEN:%\S+]] = arith.constant 7 : index
    // CHECK-NEXT: scf.for %near = [[THREE]] to [[SEVEN]] step [[ONE]] {
    // CHECK-NEXT:   vyre.store
    scf.for %near = %0 to %64 step %1 {
      %off = arith.subi %near, %3 : index
      %c = arith.cmpi ult, %off, %4 : index
      scf.if %c {
        vyre.store %x, %out[%near] : i32, !vyre.buffer<64xi32, read_write>
      }
    }
    // CHECK:      scf.for %other = [[TEN]] to %{{.*}} step [[ONE]] {
    // CHECK-NEXT:   vyre.store
    scf.for %other = %0 to %64 step %1 {
      %c = arith.cmpi slt, %other, %10 : index
      scf.if %c {
      } else {
        vyre.store %x, %out[%other] : i32, !vyre.buffer<64xi32, read_write>
      }
    }
    // CHECK-NEXT: }
    // CHECK-NOT:  scf.
  }
}

// -----

// Several effects under one guard, of which one stands deeper; a number that is loaded before the loop.

// CHECK-LABEL: vyre.region "loaded"
vyre.program @loaded {
  %in = vyre.buffer @in : !vyre.buffer<64xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<?xi32, read_write>
  vyre.region "loaded" invocations [1] {
    %i = vyre.invocation_id x
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %n = vyre.buf_len %out : !vyre.buffer<?xi32, read_write>
    %x = vyre.load %in[%i] : !vyre.buffer<64xi32, read_only> -> i32
    %wide = arith.extui %x : i32 to i64
    %most = arith.index_cast %wide : i64 to index
    // CHECK:      %[[END:\S+]] = arith.minsi %most, %n : index
    // CHECK-NEXT: scf.for %k = %{{.*}} to %[[END]]
    // CHECK-NEXT:   vyre.store %x, %out[%k]
    // CHECK-NEXT:   %odd = arith.cmpi ne
    // CHECK-NEXT:   scf.if %odd
    scf.for %k = %0 to %n step %1 {
      %c = arith.cmpi sgt, %most, %k : index
      scf.if %c {
        vyre.store %x, %out[%k] : i32, !vyre.buffer<?xi32, read_write>
        %odd = arith.cmpi ne, %k, %1 : index
        scf.if %odd {
          vyre.store %x, %out[%i] : i32, !vyre.buffer<?xi32, read_write>
        }
      }
    }
  }
}

// -----

// What stays: an effect or a carried value that no guard keeps, guards of which none is common to all
// effects, a limit that the loop computes, a multiple that is no power of two, a sum that may wrap
// around, a number so large that no index is beyond it, a loop of few iterations, one that would begin
// at a step that nobody knows, and one with a barrier.

// CHECK-LABEL: vyre.region "kept"
vyre.program @kept workgroup_size [64] {
  %in = vyre.buffer @in : !vyre.buffer<?xi64, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<?xi64, read_write>
  vyre.region "kept" invocations [64] {
    %i = vyre.invocation_id x
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %3 = arith.constant 3 : index
    %64 = arith.constant 64 : index
    %n = vyre.buf_len %in : !vyre.buffer<?xi64, read_only>
    %m = vyre.buf_len %out : !vyre.buffer<?xi64, read_write>
    %x = vyre.load %in[%i] : !vyre.buffer<?xi64, read_only> -> i64
    %any = arith.index_cast %x : i64 to index
    // CHECK: scf.for %effect = %{{[0-9]+}} to %n
    scf.for %effect = %0 to %n step %1 {
      vyre.store %x, %out[%effect] : i64, !vyre.buffer<?xi64, read_write>
      %c = arith.cmpi slt, %effect, %m : index
      scf.if %c {
        vyre.store %x, %out[%i] : i64, !vyre.buffer<?xi64, read_write>
      }
    }
    // CHECK: scf.for %carried = %{{[0-9]+}} to %n
    %last = scf.for %carried = %0 to %n step %1 iter_args(%was = %0) -> (index) {
      %c = arith.cmpi slt, %carried, %m : index
      scf.if %c {
        vyre.store %x, %out[%was] : i64, !vyre.buffer<?xi64, read_write>
      }
      scf.yield %carried : index
    }
    // CHECK: scf.for %two = %{{[0-9]+}} to %n
    scf.for %two = %0 to %n step %1 {
      %c = arith.cmpi slt, %two, %m : index
      scf.if %c {
        vyre.store %x, %out[%two] : i64, !vyre.buffer<?xi64, read_write>
      }
      %d = arith.cmpi slt, %two, %last : index
      scf.if %d {
        vyre.store %x, %out[%i] : i64, !vyre.buffer<?xi64, read_write>
      }
    }
    // CHECK: scf.for %computed = %{{[0-9]+}} to %n
    scf.for %computed = %0 to %n step %1 {
      %y = vyre.load %in[%computed] : !vyre.buffer<?xi64, read_only> -> i64
      %z = arith.trunci %y : i64 to i32
      %w = arith.index_cast %z : i32 to index
      %c = arith.cmpi slt, %computed, %w : index
      scf.if %c {
        vyre.store %x, %out[%computed] : i64, !vyre.buffer<?xi64, read_write>
      }
    }
    // CHECK: scf.for %thrice = %{{[0-9]+}} to %n
    scf.for %thrice = %0 to %n step %1 {
      %at = arith.muli %thrice, %3 : index
      %c = arith.cmpi slt, %at, %m : index
      scf.if %c {
        vyre.store %x, %out[%thrice] : i64, !vyre.buffer<?xi64, read_write>
      }
    }
    // CHECK: scf.for %wraps = %{{[0-9]+}} to %n
    scf.for %wraps = %0 to %n step %1 {
      %at = arith.addi %wraps, %any : index
      %c = arith.cmpi slt, %at, %m : index
      scf.if %c {
        vyre.store %x, %out[%wraps] : i64, !vyre.buffer<?xi64, read_write>
      }
    }
    // CHECK: scf.for %huge = %{{[0-9]+}} to %n
    scf.for %huge = %0 to %n step %1 {
      %c = arith.cmpi sle, %huge, %any : index
      scf.if %c {
        vyre.store %x, %out[%huge] : i64, !vyre.buffer<?xi64, read_write>
      }
    }
    // CHECK: scf.for %few = %{{[0-9]+}} to %{{[0-9]+}}
    scf.for %few = %0 to %64 step %1 {
      %c = arith.cmpi slt, %few, %m : index
      scf.if %c {
        vyre.store %x, %out[%few] : i64, !vyre.buffer<?xi64, read_write>
      }
    }
    // CHECK: scf.for %steps = %{{[0-9]+}} to %n
    %step = arith.addi %i, %1 : index
    scf.for %steps = %0 to %n step %step {
      %c = arith.cmpi sge, %steps, %m : index
      scf.if %c {
        vyre.store %x, %out[%steps] : i64, !vyre.buffer<?xi64, read_write>
      }
    }
    // CHECK: scf.for %together = %{{[0-9]+}} to %n
    scf.for %together = %0 to %n step %1 {
      %c = arith.cmpi slt, %together, %m : index
      scf.if %c {
        vyre.barrier
        vyre.store %x, %out[%i] : i64, !vyre.buffer<?xi64, read_write>
      }
    }
    // CHECK: vyre.barrier
  }
}

// -----

// What is compared in front of the loop bounds no counter, even where it always holds.

// CHECK-LABEL: vyre.region "in_front"
vyre.program @in_front {
  %in = vyre.buffer @in : !vyre.buffer<24xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<4xi32, read_write>
  vyre.region "in_front" invocations [4] {
    %i = vyre.invocation_id x
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %3 = arith.constant 3 : index
    %10 = arith.constant 10 : index
    %zero = arith.constant 0 : i32
    // CHECK: %c = arith.cmpi slt, %i
    %c = arith.cmpi slt, %i, %10 : index
    // CHECK-NEXT: scf.for
    // CHECK-NEXT: scf.if %c
    %sum = scf.for %k = %0 to %3 step %1 iter_args(%s = %zero) -> (i32) {
      %t = scf.if %c -> (i32) {
        %x = vyre.load %in[%i] : !vyre.buffer<24xi32, read_only> -> i32
        %y = arith.addi %s, %x : i32
        scf.yield %y : i32
      } else {
        scf.yield %s : i32
      }
      scf.yield %t : i32
    }
    vyre.store %sum, %out[%i] : i32, !vyre.buffer<4xi32, read_write>
  }
}

// -----

// A loop of few iterations that says that fewer stand side by side is not written out whole.

// CHECK-LABEL: vyre.region "side_by_side"
// CHECK:         %[[END:.*]] = arith.minsi
// CHECK-NEXT:    scf.for %{{.*}} = %0 to %[[END]] step %1 {
// CHECK:         } {vyre.unroll = 4 : i64}
// CHECK-NEXT:    scf.for %{{.*}} = %0 to %c64 step %1 {
// CHECK:         } {vyre.unroll = 8 : i64}
vyre.program @side_by_side {
  %out = vyre.buffer @out live_out : !vyre.buffer<?xi32, read_write>
  vyre.region "side_by_side" invocations [4] {
    %n = vyre.buf_len %out : !vyre.buffer<?xi32, read_write>
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1 : i32
    scf.for %k = %0 to %c64 step %1 {
      %c = arith.cmpi slt, %k, %n : index
      scf.if %c {
        vyre.store %one, %out[%k] : i32, !vyre.buffer<?xi32, read_write>
      }
    } {vyre.unroll = 4 : i64}
    scf.for %k = %0 to %c64 step %1 {
      %c = arith.cmpi slt, %k, %n : index
      scf.if %c {
        vyre.store %one, %out[%k] : i32, !vyre.buffer<?xi32, read_write>
      }
    } {vyre.unroll = 8 : i64}
  }
}
