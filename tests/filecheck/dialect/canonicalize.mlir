// RUN: xdsl-opt %s -p canonicalize | filecheck %s
// RUN: xdsl-opt %s -p canonicalize,canonicalize | filecheck %s
// RUN: xdsl-opt %s -p cse,dce | filecheck %s --check-prefix=CHECK-CSE

// The length of a static buffer is a constant; that of a run-time sized one is not.
// CHECK-LABEL: vyre.program @lengths
// CHECK: %length = arith.constant 16 : index
// CHECK: %unknown = vyre.buf_len %input
vyre.program @lengths {
  %input = vyre.buffer @input : !vyre.buffer<?xi8, read_only>
  %b = vyre.buffer @b live_out : !vyre.buffer<16xindex, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.region "arm" invocations [4] {
    %length = vyre.buf_len %b : !vyre.buffer<16xindex, read_write>
    %unknown = vyre.buf_len %input : !vyre.buffer<?xi8, read_only>
    %sum = arith.addi %length, %unknown : index
    vyre.trap "kept" at %sum, %errors : !vyre.buffer<1xi32, read_write>
  }
}

// Counts that are constants become static, through the length of a static buffer too. A launch
// keeps its attributes.
// CHECK-LABEL: vyre.program @static_counts
// CHECK: vyre.region "arm" invocations [16, 3, %n]
// CHECK: vyre.launch @k[5, %n, 2](%b) {note}
vyre.program @static_counts {
  %input = vyre.buffer @input : !vyre.buffer<?xi8, read_only>
  %b = vyre.buffer @b : !vyre.buffer<16xi32, read_write>
  %length = vyre.buf_len %b : !vyre.buffer<16xi32, read_write>
  %n = vyre.buf_len %input : !vyre.buffer<?xi8, read_only>
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %v = arith.constant 1 : i32
  vyre.region "arm" invocations [%length, %c3, %n] {
    %i = vyre.invocation_id x
    vyre.store %v, %b[%i] : i32, !vyre.buffer<16xi32, read_write>
  }
  vyre.launch @k[%c5, %n, 2](%b) {note} : (!vyre.buffer<16xi32, read_write>)
}

// Counts that no static domain may have stay, and fail when the program runs.
// CHECK-LABEL: vyre.program @counts_that_are_errors
// CHECK: vyre.region "no invocations" invocations [%c0]
// CHECK: vyre.region "negative" invocations [%minus]
// CHECK: vyre.region "part of a workgroup" invocations [%c100]
// CHECK: vyre.region "whole workgroups" invocations [128]
// CHECK: vyre.launch @k[%c0](%b)
vyre.program @counts_that_are_errors {
  %b = vyre.buffer @b : !vyre.buffer<16xi32, read_write>
  %c0 = arith.constant 0 : index
  %minus = arith.constant -4 : index
  %c100 = arith.constant 100 : index
  %c128 = arith.constant 128 : index
  %v = arith.constant 1 : i32
  vyre.region "no invocations" invocations [%c0] {
    vyre.store %v, %b[%c0] : i32, !vyre.buffer<16xi32, read_write>
  }
  vyre.region "negative" invocations [%minus] {
    vyre.store %v, %b[%c0] : i32, !vyre.buffer<16xi32, read_write>
  }
  vyre.region "part of a workgroup" invocations [%c100] {
    vyre.barrier
    vyre.store %v, %b[%c0] : i32, !vyre.buffer<16xi32, read_write>
  }
  vyre.region "whole workgroups" invocations [%c128] {
    vyre.barrier
    vyre.store %v, %b[%c0] : i32, !vyre.buffer<16xi32, read_write>
  }
  vyre.launch @k[%c0](%b) : (!vyre.buffer<16xi32, read_write>)
}

// Buffers are the interface of the program: they stay, used or not.
// CHECK-LABEL: vyre.program @buffers_stay
// CHECK-NEXT: vyre.buffer @input
// CHECK-NEXT: vyre.buffer @tile
// CHECK-NEXT: }
// CHECK-CSE-LABEL: vyre.program @buffers_stay
// CHECK-CSE-NEXT: vyre.buffer @input
// CHECK-CSE-NEXT: vyre.buffer @tile
// CHECK-CSE-NEXT: }
vyre.program @buffers_stay {
  %input = vyre.buffer @input : !vyre.buffer<?xi8, read_only>
  %tile = vyre.buffer @tile : !vyre.buffer<4xi8, read_write, workgroup>
}

// An arm that writes nothing has no effect: it goes, with what only computes its domain.
// CHECK-LABEL: vyre.program @arms_without_effects
// CHECK-NEXT: vyre.buffer @input
// CHECK-NEXT: }
// CHECK-CSE-LABEL: vyre.program @arms_without_effects
// CHECK-CSE-NEXT: vyre.buffer @input
// CHECK-CSE-NEXT: }
vyre.program @arms_without_effects {
  %input = vyre.buffer @input : !vyre.buffer<?xi8, read_only>
  %length = vyre.buf_len %input : !vyre.buffer<?xi8, read_only>
  vyre.region "empty" invocations [4] {}
  vyre.region "only loads" invocations [%length] {
    %i = vyre.invocation_id x
    %v = vyre.load %input[%i] : !vyre.buffer<?xi8, read_only> -> i8
  }
}

// Whatever writes, reports or orders stays, used or not.
// CHECK-LABEL: vyre.program @effects_stay
// CHECK: vyre.region "effects"
// CHECK-NEXT: arith.constant
// CHECK-NEXT: arith.constant
// CHECK-NEXT: vyre.store
// CHECK-NEXT: vyre.store
// CHECK-NEXT: vyre.atomic_rmw addi
// CHECK-NEXT: vyre.atomic_rmw addi
// CHECK-NEXT: vyre.atomic_cas
// CHECK-NEXT: vyre.barrier
// CHECK-NEXT: vyre.barrier
// CHECK-NEXT: vyre.async_copy
// CHECK-NEXT: vyre.async_wait
// CHECK-NEXT: vyre.trap
// CHECK-NEXT: vyre.trap
// CHECK-NEXT: }
// CHECK-CSE-LABEL: vyre.program @effects_stay
// CHECK-CSE: vyre.region "effects"
// CHECK-CSE-NEXT: arith.constant
// CHECK-CSE-NEXT: arith.constant
// CHECK-CSE-NEXT: vyre.store
// CHECK-CSE-NEXT: vyre.store
// CHECK-CSE-NEXT: vyre.atomic_rmw addi
// CHECK-CSE-NEXT: vyre.atomic_rmw addi
// CHECK-CSE-NEXT: vyre.atomic_cas
// CHECK-CSE-NEXT: vyre.barrier
// CHECK-CSE-NEXT: vyre.barrier
// CHECK-CSE-NEXT: vyre.async_copy
// CHECK-CSE-NEXT: vyre.async_wait
// CHECK-CSE-NEXT: vyre.trap
// CHECK-CSE-NEXT: vyre.trap
// CHECK-CSE-NEXT: }
vyre.program @effects_stay {
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write>
  %tile = vyre.buffer @tile : !vyre.buffer<64xi32, read_write, workgroup>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.region "effects" invocations [64] {
    %i = arith.constant 0 : index
    %v = arith.constant 1 : i32
    vyre.store %v, %b[%i] : i32, !vyre.buffer<64xi32, read_write>
    vyre.store %v, %b[%i] : i32, !vyre.buffer<64xi32, read_write>
    %o0 = vyre.atomic_rmw addi %v, %b[%i] : i32, !vyre.buffer<64xi32, read_write>
    %o1 = vyre.atomic_rmw addi %v, %b[%i] : i32, !vyre.buffer<64xi32, read_write>
    %o2 = vyre.atomic_cas %v, %v, %b[%i] : i32, !vyre.buffer<64xi32, read_write>
    vyre.barrier
    vyre.barrier
    %t = vyre.async_copy %b[%i], %tile[%i], %i : !vyre.buffer<64xi32, read_write>, !vyre.buffer<64xi32, read_write, workgroup>
    vyre.async_wait %t
    vyre.trap "bad" at %i, %errors : !vyre.buffer<1xi32, read_write>
    vyre.trap "bad" at %i, %errors : !vyre.buffer<1xi32, read_write>
  }
}

// Loads, ids and subgroup ops that nobody uses go.
// CHECK-LABEL: vyre.program @unused_values_go
// CHECK: vyre.region
// CHECK-NEXT: vyre.barrier
// CHECK-NEXT: }
// CHECK-CSE-LABEL: vyre.program @unused_values_go
// CHECK-CSE: vyre.region
// CHECK-CSE-NEXT: vyre.barrier
// CHECK-CSE-NEXT: }
vyre.program @unused_values_go {
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write>
  %c0 = arith.constant 0 : index
  %host = vyre.load %b[%c0] : !vyre.buffer<64xi32, read_write> -> i32
  vyre.region "arm" invocations [64] {
    %i = vyre.invocation_id x
    %g = vyre.workgroup_id x
    %l = vyre.local_id x
    %s = vyre.subgroup_lane
    %u = vyre.subgroup_id
    %n = vyre.buf_len %b : !vyre.buffer<64xi32, read_write>
    %v = vyre.load %b[%i] : !vyre.buffer<64xi32, read_write> -> i32
    %x = vyre.subgroup_shuffle %v, %s : i32
    %y = vyre.subgroup_reduce addi %v : i32
    vyre.barrier
  }
}

// Equal ids are one, per axis and within an arm; ids of two arms have nothing in common.
// CHECK-CSE-LABEL: vyre.program @equal_ids
// CHECK-CSE: vyre.region "first"
// CHECK-CSE-NEXT: %i = vyre.invocation_id x
// CHECK-CSE-NEXT: %j = vyre.invocation_id y
// CHECK-CSE-NEXT: %v = vyre.load %in[%i]
// CHECK-CSE-NEXT: vyre.store %v, %b[%i]
// CHECK-CSE-NEXT: vyre.store %v, %b[%j]
// CHECK-CSE: vyre.region "second"
// CHECK-CSE-NEXT: %k = vyre.invocation_id x
vyre.program @equal_ids {
  %in = vyre.buffer @in : !vyre.buffer<64xi32, read_only>
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write>
  vyre.region "first" invocations [8, 8] {
    %i = vyre.invocation_id x
    %i_again = vyre.invocation_id x
    %j = vyre.invocation_id y
    %v = vyre.load %in[%i] : !vyre.buffer<64xi32, read_only> -> i32
    %v_again = vyre.load %in[%i_again] : !vyre.buffer<64xi32, read_only> -> i32
    vyre.store %v, %b[%i_again] : i32, !vyre.buffer<64xi32, read_write>
    vyre.store %v_again, %b[%j] : i32, !vyre.buffer<64xi32, read_write>
  }
  vyre.region "second" invocations [64] {
    %k = vyre.invocation_id x
    %v = vyre.load %in[%k] : !vyre.buffer<64xi32, read_only> -> i32
    vyre.store %v, %b[%k] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// A load is not repeated, unless something may have written in between: a store, an
// atomic, what other invocations did before a barrier, or, on the host, an arm.
// CHECK-CSE-LABEL: vyre.program @equal_loads
// CHECK-CSE: vyre.load
// CHECK-CSE-NEXT: vyre.region "arm"
// CHECK-CSE: %v0 = vyre.load
// CHECK-CSE-NEXT: vyre.store
// CHECK-CSE-NEXT: vyre.load
// CHECK-CSE-NEXT: vyre.store
// CHECK-CSE-NEXT: vyre.load
// CHECK-CSE-NEXT: vyre.barrier
// CHECK-CSE-NEXT: vyre.load
// CHECK-CSE-NEXT: arith.addi
// CHECK-CSE-NEXT: arith.addi
// CHECK-CSE-NEXT: vyre.store
// CHECK-CSE-NEXT: vyre.store %host,
// CHECK-CSE-NEXT: }
// CHECK-CSE-NEXT: vyre.load
vyre.program @equal_loads {
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write>
  %b2 = vyre.buffer @b2 : !vyre.buffer<16xi32, read_write>
  %c0 = arith.constant 0 : index
  %host = vyre.load %b[%c0] : !vyre.buffer<64xi32, read_write> -> i32
  %host_again = vyre.load %b[%c0] : !vyre.buffer<64xi32, read_write> -> i32
  vyre.region "arm" invocations [64] {
    %i = vyre.invocation_id x
    %v0 = vyre.load %b[%i] : !vyre.buffer<64xi32, read_write> -> i32
    vyre.store %v0, %b[%c0] : i32, !vyre.buffer<64xi32, read_write>
    %v1 = vyre.load %b[%i] : !vyre.buffer<64xi32, read_write> -> i32
    vyre.store %v1, %b[%c0] : i32, !vyre.buffer<64xi32, read_write>
    %v2 = vyre.load %b[%i] : !vyre.buffer<64xi32, read_write> -> i32
    vyre.barrier
    %v3 = vyre.load %b[%i] : !vyre.buffer<64xi32, read_write> -> i32
    %sum = arith.addi %v2, %v3 : i32
    %sum_and_host = arith.addi %sum, %host : i32
    vyre.store %sum_and_host, %b[%c0] : i32, !vyre.buffer<64xi32, read_write>
    vyre.store %host_again, %b[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
  %after = vyre.load %b[%c0] : !vyre.buffer<64xi32, read_write> -> i32
  %n = arith.index_cast %after : i32 to index
  vyre.launch @k[%n](%b2) : (!vyre.buffer<16xi32, read_write>)
}

// Launches write what they may write, so equal ones all stay; one that writes nothing goes.
// CHECK-LABEL: vyre.program @launches
// CHECK: vyre.launch @k[1](%b)
// CHECK-NEXT: vyre.launch @k[1](%b)
// CHECK-NEXT: }
// CHECK-CSE-LABEL: vyre.program @launches
// CHECK-CSE: vyre.launch @k[1](%b)
// CHECK-CSE-NEXT: vyre.launch @k[1](%b)
// CHECK-CSE-NEXT: }
vyre.program @launches {
  %b = vyre.buffer @b : !vyre.buffer<16xi32, read_write>
  %input = vyre.buffer @input : !vyre.buffer<16xi32, read_only>
  vyre.launch @k[1](%b) : (!vyre.buffer<16xi32, read_write>)
  vyre.launch @k[1](%b) : (!vyre.buffer<16xi32, read_write>)
  vyre.launch @reads[1](%input) : (!vyre.buffer<16xi32, read_only>)
}

// Kernels and programs stay, whether anything names them or not.
// CHECK: vyre.kernel @k
// CHECK: vyre.kernel @reads
// CHECK: vyre.kernel @unnamed
// CHECK-CSE: vyre.kernel @k
// CHECK-CSE: vyre.kernel @reads
// CHECK-CSE: vyre.kernel @unnamed
vyre.kernel @k(%b : !vyre.buffer<16xi32, read_write>) workgroup_size [64] generator "k" {
  %i = vyre.invocation_id x
  %one = arith.constant 1 : i32
  vyre.store %one, %b[%i] : i32, !vyre.buffer<16xi32, read_write>
}
vyre.kernel @reads(%b : !vyre.buffer<16xi32, read_only>) workgroup_size [64] generator "reads" {
  %i = vyre.invocation_id x
  %v = vyre.load %b[%i] : !vyre.buffer<16xi32, read_only> -> i32
}
vyre.kernel @unnamed() workgroup_size [64] generator "unnamed" {}
