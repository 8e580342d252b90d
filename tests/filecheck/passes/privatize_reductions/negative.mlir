// RUN: xdsl-opt %s --split-input-file -p 'vyre-privatize-reductions{scope=workgroup}' > %t.after
// RUN: xdsl-opt %s --split-input-file > %t.before
// RUN: diff %t.before %t.after
// RUN: xdsl-opt %s --split-input-file -p 'vyre-privatize-reductions{scope=invocation}' > %t.invocation
// RUN: diff %t.before %t.invocation

// The old value is used.
vyre.program @old_value {
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "old" invocations [64] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %old = vyre.atomic_rmw addi %one, %count[%c0] : i32, !vyre.buffer<1xi32, read_write>
    vyre.store %old, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// -----

// Which of the assignments is the last one is up to the order.
vyre.program @assignment {
  %out = vyre.buffer @out live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "assign" invocations [64] {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %old = vyre.atomic_rmw assign %one, %out[%c0] : i32, !vyre.buffer<1xi32, read_write>
  }
}

// -----

// Additions and maxima of one buffer do not commute.
vyre.program @two_kinds {
  %out = vyre.buffer @out live_out : !vyre.buffer<2xi32, read_write>
  vyre.region "mixed" invocations [64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1 : i32
    %0 = vyre.atomic_rmw addi %one, %out[%c0] : i32, !vyre.buffer<2xi32, read_write>
    %1 = vyre.atomic_rmw maxu %one, %out[%c1] : i32, !vyre.buffer<2xi32, read_write>
  }
}

// -----

// The arm reads the buffer, too.
vyre.program @read_back {
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "read" invocations [64] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %value = vyre.load %out[%i] : !vyre.buffer<64xi32, read_write> -> i32
    %old = vyre.atomic_rmw addi %value, %out[%c0] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// -----

// Each invocation updates its own element, once: nothing to combine.
vyre.program @once {
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "once" invocations [64] {
    %i = vyre.invocation_id x
    %one = arith.constant 1 : i32
    %old = vyre.atomic_rmw addi %one, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// -----

// Another element in each iteration, whatever the data are: a copy would only be one more pass.
vyre.program @each_iteration {
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "iterations" invocations [64] {
    %i = vyre.invocation_id x
    %c64 = arith.constant 64 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1 : i32
    scf.for %k = %i to %c64 step %c1 {
      %old = vyre.atomic_rmw addi %one, %out[%k] : i32, !vyre.buffer<64xi32, read_write>
    }
  }
}

// -----

// The data choose among elements whose number is known at run time only.
vyre.program @run_time_sized {
  %data = vyre.buffer @data : !vyre.buffer<64xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<?xi32, read_write>
  vyre.region "bins" invocations [64] {
    %i = vyre.invocation_id x
    %value = vyre.load %data[%i] : !vyre.buffer<64xi32, read_only> -> i32
    %bin = arith.index_cast %value : i32 to index
    %one = arith.constant 1 : i32
    %old = vyre.atomic_rmw addi %one, %out[%bin] : i32, !vyre.buffer<?xi32, read_write>
  }
}

// -----

// One invocation of each workgroup updates already.
vyre.program @one_lane {
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "lane" invocations [64] {
    %lane = vyre.local_id x
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %chosen = arith.cmpi eq, %lane, %c3 : index
    scf.if %chosen {
      %one = arith.constant 1 : i32
      %old = vyre.atomic_rmw addi %one, %count[%c0] : i32, !vyre.buffer<1xi32, read_write>
    }
  }
}

// -----

// Bad input is rare, and a trap that nobody reaches costs nothing.
vyre.program @traps {
  %data = vyre.buffer @data : !vyre.buffer<64xi32, read_only>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.region "check" invocations [64] {
    %i = vyre.invocation_id x
    %value = vyre.load %data[%i] : !vyre.buffer<64xi32, read_only> -> i32
    %zero = arith.constant 0 : i32
    %bad = arith.cmpi eq, %value, %zero : i32
    scf.if %bad {
      vyre.trap "bad input" at %i, %errors : !vyre.buffer<1xi32, read_write>
    }
  }
}
