// RUN: xdsl-opt %s --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s

// Divergent control flow.

vyre.program @barrier_in_a_divergent_if {
  vyre.region "arm" invocations [64] {
    %l = vyre.local_id x
    %c0 = arith.constant 0 : index
    %c = arith.cmpi eq, %l, %c0 : index
    scf.if %c {
      vyre.barrier
    }
  }
}

// CHECK: 'vyre.barrier' expected uniform control flow, got a 'scf.if' that the invocations of a workgroup may take differently
// CHECK: "barrier_in_a_divergent_if"

// -----

vyre.program @barrier_in_a_divergent_else {
  vyre.region "arm" invocations [64] {
    %l = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c = arith.cmpi eq, %l, %c0 : index
    scf.if %c {
    } else {
      vyre.barrier
    }
  }
}

// CHECK: 'vyre.barrier' expected uniform control flow, got a 'scf.if' that the invocations of a workgroup may take differently
// CHECK: "barrier_in_a_divergent_else"

// -----

vyre.program @barrier_in_a_divergent_for {
  vyre.region "arm" invocations [64] {
    %l = vyre.local_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %j = %c0 to %l step %c1 {
      vyre.barrier
    }
  }
}

// CHECK: 'vyre.barrier' expected uniform control flow, got a 'scf.for' that the invocations of a workgroup may take differently
// CHECK: "barrier_in_a_divergent_for"

// -----

vyre.program @barrier_in_a_divergent_while {
  vyre.region "arm" invocations [64] {
    %l = vyre.local_id x
    %c0 = arith.constant 0 : index
    %r = scf.while (%j = %l) : (index) -> index {
      %c = arith.cmpi ult, %j, %c0 : index
      scf.condition(%c) %j : index
    } do {
    ^bb0(%k : index):
      vyre.barrier
      scf.yield %k : index
    }
  }
}

// CHECK: 'vyre.barrier' expected uniform control flow, got a 'scf.while' that the invocations of a workgroup may take differently
// CHECK: "barrier_in_a_divergent_while"

// -----

vyre.program @barrier_in_a_divergent_switch {
  vyre.region "arm" invocations [64] {
    %l = vyre.local_id x
    %c0 = arith.constant 0 : index
    scf.index_switch %l
    case 0 {
      vyre.barrier
      scf.yield
    }
    default {
      scf.yield
    }
  }
}

// CHECK: 'vyre.barrier' expected uniform control flow, got a 'scf.index_switch' that the invocations of a workgroup may take differently
// CHECK: "barrier_in_a_divergent_switch"

// -----

vyre.program @barrier_in_a_uniform_if_in_a_divergent_one {
  vyre.region "arm" invocations [64] {
    %l = vyre.local_id x
    %c0 = arith.constant 0 : index
    %c = arith.cmpi eq, %l, %c0 : index
    %u = arith.constant true
    scf.if %c {
      scf.if %u {
        vyre.barrier
      }
    }
  }
}

// CHECK: 'vyre.barrier' expected uniform control flow, got a 'scf.if' that the invocations of a workgroup may take differently
// CHECK: "barrier_in_a_uniform_if_in_a_divergent_one"

// -----

vyre.program @barrier_where_a_divergent_if_decided {
  vyre.region "arm" invocations [64] {
    %l = vyre.local_id x
    %c0 = arith.constant 0 : index
    %c = arith.cmpi eq, %l, %c0 : index
    %t = arith.constant true
    %f = arith.constant false
    %d = scf.if %c -> (i1) {
      scf.yield %t : i1
    } else {
      scf.yield %f : i1
    }
    scf.if %d {
      vyre.barrier
    }
  }
}

// CHECK: 'vyre.barrier' expected uniform control flow, got a 'scf.if' that the invocations of a workgroup may take differently
// CHECK: "barrier_where_a_divergent_if_decided"

// -----

vyre.program @barrier_where_a_loop_carries_divergence {
  vyre.region "arm" invocations [64] {
    %l = vyre.local_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %f = arith.constant false
    %r = scf.for %j = %c0 to %c4 step %c1 iter_args(%d = %f) -> (i1) {
      scf.if %d {
        vyre.barrier
      }
      %e = arith.cmpi eq, %l, %j : index
      scf.yield %e : i1
    }
  }
}

// CHECK: 'vyre.barrier' expected uniform control flow, got a 'scf.if' that the invocations of a workgroup may take differently
// CHECK: "barrier_where_a_loop_carries_divergence"

// -----

vyre.program @barrier_where_private_memory_decides {
  %b = vyre.buffer @b : !vyre.buffer<1xi1, read_write, private>
  vyre.region "arm" invocations [64] {
    %c0 = arith.constant 0 : index
    %c = vyre.load %b[%c0] : !vyre.buffer<1xi1, read_write, private> -> i1
    scf.if %c {
      vyre.barrier
    }
  }
}

// CHECK: 'vyre.barrier' expected uniform control flow, got a 'scf.if' that the invocations of a workgroup may take differently
// CHECK: "barrier_where_private_memory_decides"

// -----

vyre.program @barrier_where_an_unknown_op_decides {
  vyre.region "arm" invocations [64] {
    %c = "test.op"() : () -> i1
    scf.if %c {
      vyre.barrier
    }
  }
}

// CHECK: 'vyre.barrier' expected uniform control flow, got a 'scf.if' that the invocations of a workgroup may take differently
// CHECK: "barrier_where_an_unknown_op_decides"

// -----

vyre.program @barrier_in_an_unknown_op {
  vyre.region "arm" invocations [64] {
    "test.op"() ({
      vyre.barrier
      "test.termop"() : () -> ()
    }) : () -> ()
  }
}

// CHECK: 'vyre.barrier' expected uniform control flow, got a 'test.op' that the invocations of a workgroup may take differently
// CHECK: "barrier_in_an_unknown_op"

// -----

vyre.program @shuffle_in_a_divergent_if {
  vyre.region "arm" invocations [64] {
    %l = vyre.local_id x
    %c0 = arith.constant 0 : index
    %c = arith.cmpi eq, %l, %c0 : index
    scf.if %c {
      %s = vyre.subgroup_shuffle %l, %c0 : index
    }
  }
}

// CHECK: 'vyre.subgroup_shuffle' expected uniform control flow, got a 'scf.if' that the invocations of a workgroup may take differently
// CHECK: "shuffle_in_a_divergent_if"

// -----

vyre.program @reduce_in_a_divergent_if {
  vyre.region "arm" invocations [64] {
    %l = vyre.local_id x
    %c0 = arith.constant 0 : index
    %c = arith.cmpi eq, %l, %c0 : index
    %v = arith.constant 1 : i32
    scf.if %c {
      %s = vyre.subgroup_reduce addi %v : i32
    }
  }
}

// CHECK: 'vyre.subgroup_reduce' expected uniform control flow, got a 'scf.if' that the invocations of a workgroup may take differently
// CHECK: "reduce_in_a_divergent_if"

// -----

vyre.program @copy_in_a_divergent_if {
  %g = vyre.buffer @g : !vyre.buffer<64xi32, read_only>
  %t = vyre.buffer @t : !vyre.buffer<64xi32, read_write, workgroup>
  vyre.region "arm" invocations [64] {
    %l = vyre.local_id x
    %c0 = arith.constant 0 : index
    %c = arith.cmpi eq, %l, %c0 : index
    scf.if %c {
      %k = vyre.async_copy %g[%c0], %t[%c0], %c0 : !vyre.buffer<64xi32, read_only>, !vyre.buffer<64xi32, read_write, workgroup>
      vyre.async_wait %k
    }
  }
}

// CHECK: 'vyre.async_copy' expected uniform control flow, got a 'scf.if' that the invocations of a workgroup may take differently
// CHECK: "copy_in_a_divergent_if"

// -----

vyre.program @wait_in_a_divergent_if {
  %g = vyre.buffer @g : !vyre.buffer<64xi32, read_only>
  %t = vyre.buffer @t : !vyre.buffer<64xi32, read_write, workgroup>
  vyre.region "arm" invocations [64] {
    %l = vyre.local_id x
    %c0 = arith.constant 0 : index
    %c = arith.cmpi eq, %l, %c0 : index
    %k = vyre.async_copy %g[%c0], %t[%c0], %c0 : !vyre.buffer<64xi32, read_only>, !vyre.buffer<64xi32, read_write, workgroup>
    scf.if %c {
      vyre.async_wait %k
    }
  }
}

// CHECK: 'vyre.async_wait' expected uniform control flow, got a 'scf.if' that the invocations of a workgroup may take differently
// CHECK: "wait_in_a_divergent_if"
