// RUN: xdsl-opt %s --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s

// Programs.

vyre.program @program_in_a_program {
  vyre.program @inner {}
}

// CHECK: 'vyre.program' expects parent op 'builtin.module'
// CHECK: "program_in_a_program"

// -----

"vyre.program"() <{sym_name = "program_with_arguments"}> ({
^bb0(%n : index):
}) : () -> ()

// CHECK: Region 'body' at position 0 entry arguments do not verify:
// CHECK-NEXT: incorrect length for range variable:
// CHECK: "program_with_arguments"

// -----

vyre.program @program_workgroup_without_axes workgroup_size [] {}

// CHECK: 'vyre.program' expected a workgroup size of 1 to 3 axes, got 0
// CHECK: "program_workgroup_without_axes"

// -----

vyre.program @program_workgroup_of_four_axes workgroup_size [1, 1, 1, 1] {}

// CHECK: 'vyre.program' expected a workgroup size of 1 to 3 axes, got 4
// CHECK: "program_workgroup_of_four_axes"

// -----

vyre.program @program_workgroup_of_zero workgroup_size [64, 0] {}

// CHECK: 'vyre.program' expected a workgroup size of 1 to 1024 along y, got 0
// CHECK: "program_workgroup_of_zero"

// -----

vyre.program @program_workgroup_of_negative_size workgroup_size [-64] {}

// CHECK: 'vyre.program' expected a workgroup size of 1 to 1024 along x, got -64
// CHECK: "program_workgroup_of_negative_size"

// -----

vyre.program @program_workgroup_beyond_an_axis workgroup_size [1, 1, 65] {}

// CHECK: 'vyre.program' expected a workgroup size of 1 to 64 along z, got 65
// CHECK: "program_workgroup_beyond_an_axis"

// -----

vyre.program @program_workgroup_beyond_the_total workgroup_size [64, 32] {}

// CHECK: 'vyre.program' expected at most 1024 invocations in a workgroup, got 2048
// CHECK: "program_workgroup_beyond_the_total"

// -----

vyre.program @two_buffers_of_one_name {
  %a = vyre.buffer @same : !vyre.buffer<64xi32, read_write>
  %b = vyre.buffer @same : !vyre.buffer<64xi32, read_write>
}

// CHECK: 'vyre.program' expected buffer names to be unique, got '@same' twice
// CHECK: "two_buffers_of_one_name"

// -----

vyre.program @two_buffers_at_one_binding {
  %a = vyre.buffer @a binding 3 : !vyre.buffer<64xi32, read_write>
  %b = vyre.buffer @b binding 3 : !vyre.buffer<64xi32, read_write>
}

// CHECK: 'vyre.program' expected one buffer per binding, got '@a' and '@b' at binding 3
// CHECK: "two_buffers_at_one_binding"

// -----

vyre.program @twice {}
vyre.program @twice {}

// CHECK: Redefinition of symbol "twice"

// -----

vyre.program @telemetry_key_beyond_ascii entry_op_id "a→b" {}

// CHECK: 'vyre.program' expected ASCII text, got 'a→b'
// CHECK: "telemetry_key_beyond_ascii"

// -----

vyre.program @"" {}

// CHECK: 'vyre.program' expected a name, got an empty string
