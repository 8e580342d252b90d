// RUN: xdsl-opt %s --split-input-file | filecheck %s

// What all invocations of a workgroup take alike may hold a barrier.

// CHECK-LABEL: @constant_condition
// CHECK: vyre.barrier
vyre.program @constant_condition {
  vyre.region "arm" invocations [64] {
    %c = arith.constant true
    scf.if %c {
      vyre.barrier
    }
  }
}

// CHECK-LABEL: @condition_of_the_workgroup
// CHECK: vyre.barrier
vyre.program @condition_of_the_workgroup {
  vyre.region "arm" invocations [64] {
    %g = vyre.workgroup_id x
    %c0 = arith.constant 0 : index
    %c = arith.cmpi eq, %g, %c0 : index
    scf.if %c {
    } else {
      vyre.barrier
    }
  }
}

// CHECK-LABEL: @condition_from_the_host
// CHECK: vyre.barrier
vyre.program @condition_from_the_host {
  %input = vyre.buffer @input : !vyre.buffer<?xi8, read_only>
  %length = vyre.buf_len %input : !vyre.buffer<?xi8, read_only>
  vyre.region "arm" invocations [64] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %j = %c0 to %length step %c1 {
      vyre.barrier
    }
  }
}

// A flag in workgroup memory, as the leader of a workgroup shares it.
// CHECK-LABEL: @condition_in_workgroup_memory
// CHECK-COUNT-2: vyre.barrier
vyre.program @condition_in_workgroup_memory {
  %flag = vyre.buffer @flag : !vyre.buffer<1xi1, read_write, workgroup>
  vyre.region "arm" invocations [64] {
    %c0 = arith.constant 0 : index
    vyre.barrier
    %c = vyre.load %flag[%c0] : !vyre.buffer<1xi1, read_write, workgroup> -> i1
    scf.if %c {
      vyre.barrier
    }
  }
}

// A tree reduction: the stride is halved alike everywhere, the sum is not.
// CHECK-LABEL: @counter_of_a_loop_that_carries_divergence
// CHECK: vyre.barrier
vyre.program @counter_of_a_loop_that_carries_divergence {
  vyre.region "arm" invocations [64] {
    %l = vyre.local_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %r:2 = scf.for %j = %c0 to %c8 step %c1 iter_args(%stride = %c8, %sum = %l) -> (index, index) {
      %even = arith.remsi %j, %c8 : index
      %c = arith.cmpi slt, %even, %stride : index
      scf.if %c {
        vyre.barrier
      }
      %half = arith.shrui %stride, %c1 : index
      %more = arith.addi %sum, %l : index
      scf.yield %half, %more : index, index
    }
  }
}

// CHECK-LABEL: @while_over_uniform_values
// CHECK: vyre.barrier
vyre.program @while_over_uniform_values {
  vyre.region "arm" invocations [64] {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %r = scf.while (%s = %c64) : (index) -> index {
      %c = arith.cmpi ugt, %s, %c1 : index
      scf.condition(%c) %s : index
    } do {
    ^bb0(%s : index):
      vyre.barrier
      %half = arith.shrui %s, %c1 : index
      scf.yield %half : index
    }
  }
}

// CHECK-LABEL: @switch_on_a_uniform_value
// CHECK: vyre.barrier
vyre.program @switch_on_a_uniform_value {
  vyre.region "arm" invocations [64] {
    %g = vyre.workgroup_id x
    scf.index_switch %g
    case 0 {
      vyre.barrier
      scf.yield
    }
    default {
      scf.yield
    }
  }
}

// CHECK-LABEL: @result_of_a_uniform_if
// CHECK: vyre.barrier
vyre.program @result_of_a_uniform_if {
  vyre.region "arm" invocations [64] {
    %l = vyre.local_id x
    %t = arith.constant true
    %f = arith.constant false
    %r:2 = scf.if %t -> (i1, index) {
      scf.yield %t, %l : i1, index
    } else {
      scf.yield %f, %l : i1, index
    }
    scf.if %r#0 {
      vyre.barrier
    }
  }
}

// CHECK-LABEL: vyre.kernel @kernel
// CHECK: vyre.barrier
vyre.kernel @kernel(%n : index) workgroup_size [64] generator "arm" {
  %c0 = arith.constant 0 : index
  %c = arith.cmpi eq, %n, %c0 : index
  scf.if %c {
    vyre.barrier
  }
}
