// RUN: xdsl-opt %s --split-input-file -p 'vyre-privatize-reductions{scope=invocation copies=4 budget=295}' > %t.after
// RUN: xdsl-opt %s --split-input-file > %t.before
// RUN: diff %t.before %t.after

// Three updates of an invocation are fewer than eight elements to clear and to flush, also where
// branches and loops around them run as often as they can.
vyre.program @few_updates {
  %data = vyre.buffer @data : !vyre.buffer<64xi32, read_only>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<8xi32, read_write>
  vyre.region "few" invocations [64] {
    %i = vyre.invocation_id x
    %value = vyre.load %data[%i] : !vyre.buffer<64xi32, read_only> -> i32
    %bin = arith.index_cast %value : i32 to index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %end = arith.minsi %i, %c2 : index
    %one = arith.constant 1 : i32
    scf.for %k = %c0 to %end step %c1 {
      %0 = vyre.atomic_rmw addi %one, %bins[%bin] : i32, !vyre.buffer<8xi32, read_write>
    }
    %more = arith.cmpi sgt, %i, %c1 : index
    scf.if %more {
      %1 = vyre.atomic_rmw addi %one, %bins[%bin] : i32, !vyre.buffer<8xi32, read_write>
    }
  }
}

// -----

// 37 elements of eight bytes exceed the budget.
vyre.program @too_large {
  %data = vyre.buffer @data : !vyre.buffer<64xi64, read_only>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<37xi64, read_write>
  vyre.region "large" invocations [1] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    scf.for %k = %c0 to %c64 step %c1 {
      %value = vyre.load %data[%k] : !vyre.buffer<64xi64, read_only> -> i64
      %bin = arith.index_cast %value : i64 to index
      %0 = vyre.atomic_rmw addi %value, %bins[%bin] : i64, !vyre.buffer<37xi64, read_write>
    }
  }
}

// -----

// Nor is there room beside the private memory that the arm has already.
vyre.program @too_large_together {
  %data = vyre.buffer @data : !vyre.buffer<64xi32, read_only>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<37xi32, read_write>
  %tile = vyre.buffer @tile : !vyre.buffer<37xi32, read_write, private>
  vyre.region "together" invocations [1] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    scf.for %k = %c0 to %c64 step %c1 {
      %value = vyre.load %data[%k] : !vyre.buffer<64xi32, read_only> -> i32
      %place = arith.index_cast %value : i32 to index
      vyre.store %value, %tile[%place] : i32, !vyre.buffer<37xi32, read_write, private>
      %held = vyre.load %tile[%k] : !vyre.buffer<37xi32, read_write, private> -> i32
      %bin = arith.index_cast %held : i32 to index
      %0 = vyre.atomic_rmw addi %value, %bins[%bin] : i32, !vyre.buffer<37xi32, read_write>
    }
  }
}

// -----

// How many elements there are is known at run time only.
vyre.program @run_time_sized {
  %data = vyre.buffer @data : !vyre.buffer<64xi32, read_only>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<?xi32, read_write>
  vyre.region "bins" invocations [1] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    scf.for %k = %c0 to %c64 step %c1 {
      %value = vyre.load %data[%k] : !vyre.buffer<64xi32, read_only> -> i32
      %bin = arith.index_cast %value : i32 to index
      %0 = vyre.atomic_rmw addi %value, %bins[%bin] : i32, !vyre.buffer<?xi32, read_write>
    }
  }
}

// -----

// The arm reads what it counted.
vyre.program @read_back {
  %bins = vyre.buffer @bins live_out : !vyre.buffer<8xi32, read_write>
  vyre.region "read" invocations [1] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    scf.for %k = %c0 to %c64 step %c1 {
      %value = vyre.load %bins[%k] : !vyre.buffer<8xi32, read_write> -> i32
      %bin = arith.index_cast %value : i32 to index
      %0 = vyre.atomic_rmw addi %value, %bins[%bin] : i32, !vyre.buffer<8xi32, read_write>
    }
  }
}

// -----

// Which assignment is the last is up to the order, and an old value that is used is one's own.
vyre.program @order_is_seen {
  %data = vyre.buffer @data : !vyre.buffer<64xi32, read_only>
  %last = vyre.buffer @last live_out : !vyre.buffer<8xi32, read_write>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<8xi32, read_write>
  %places = vyre.buffer @places live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "seen" invocations [1] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    scf.for %k = %c0 to %c64 step %c1 {
      %value = vyre.load %data[%k] : !vyre.buffer<64xi32, read_only> -> i32
      %bin = arith.index_cast %value : i32 to index
      %0 = vyre.atomic_rmw assign %value, %last[%bin] : i32, !vyre.buffer<8xi32, read_write>
      %place = vyre.atomic_rmw addi %value, %bins[%bin] : i32, !vyre.buffer<8xi32, read_write>
      vyre.store %place, %places[%k] : i32, !vyre.buffer<64xi32, read_write>
    }
  }
}
