// RUN: xdsl-opt %s --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s

// What only an invocation has.

vyre.program @host_invocation_id {
  %i = vyre.invocation_id x
}

// CHECK: 'vyre.invocation_id' expects ancestor op to be one of 'vyre.region', 'vyre.kernel'
// CHECK: "host_invocation_id"

// -----

vyre.program @host_workgroup_id {
  %i = vyre.workgroup_id x
}

// CHECK: 'vyre.workgroup_id' expects ancestor op to be one of 'vyre.region', 'vyre.kernel'
// CHECK: "host_workgroup_id"

// -----

vyre.program @host_local_id {
  %i = vyre.local_id x
}

// CHECK: 'vyre.local_id' expects ancestor op to be one of 'vyre.region', 'vyre.kernel'
// CHECK: "host_local_id"

// -----

vyre.program @host_subgroup_lane {
  %i = vyre.subgroup_lane
}

// CHECK: 'vyre.subgroup_lane' expects ancestor op to be one of 'vyre.region', 'vyre.kernel'
// CHECK: "host_subgroup_lane"

// -----

vyre.program @host_subgroup_id {
  %i = vyre.subgroup_id
}

// CHECK: 'vyre.subgroup_id' expects ancestor op to be one of 'vyre.region', 'vyre.kernel'
// CHECK: "host_subgroup_id"

// -----

vyre.program @host_barrier {
  vyre.barrier
}

// CHECK: 'vyre.barrier' expects ancestor op to be one of 'vyre.region', 'vyre.kernel'
// CHECK: "host_barrier"

// -----

vyre.program @host_atomic {
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write>
  %i = arith.constant 0 : index
  %v = arith.constant 1 : i32
  %o = vyre.atomic_rmw addi %v, %b[%i] : i32, !vyre.buffer<64xi32, read_write>
}

// CHECK: 'vyre.atomic_rmw' expects ancestor op to be one of 'vyre.region', 'vyre.kernel'
// CHECK: "host_atomic"

// -----

vyre.program @host_trap {
  %e = vyre.buffer @e fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %i = arith.constant 0 : index
  vyre.trap "bad" at %i, %e : !vyre.buffer<1xi32, read_write>
}

// CHECK: 'vyre.trap' expects ancestor op to be one of 'vyre.region', 'vyre.kernel'
// CHECK: "host_trap"
