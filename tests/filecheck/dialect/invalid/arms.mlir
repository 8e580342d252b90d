// RUN: xdsl-opt %s --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s

// Arms.

vyre.region "arm_without_a_program" invocations [4] {}

// CHECK: 'vyre.region' expects parent op 'vyre.program'
// CHECK: "arm_without_a_program"

// -----

vyre.program @arm_in_an_arm {
  vyre.region "arm" invocations [64] {
    vyre.region "inner" invocations [4] {}
  }
}

// CHECK: 'vyre.region' expects parent op 'vyre.program'
// CHECK: "arm_in_an_arm"

// -----

vyre.program @arm_with_arguments {
  "vyre.region"() <{generator = "arm", static_invocations = array<i64: 4>}> ({
  ^bb0(%i : index):
  }) : () -> ()
}

// CHECK: Region 'body' at position 0 entry arguments do not verify:
// CHECK-NEXT: incorrect length for range variable:
// CHECK: "arm_with_arguments"

// -----

vyre.program @arm_without_a_generator {
  vyre.region "" invocations [4] {}
}

// CHECK: 'vyre.region' expected a generator, got an empty string
// CHECK: "arm_without_a_generator"

// -----

vyre.program @generator_beyond_ascii {
  vyre.region "a→b" invocations [4] {}
}

// CHECK: 'vyre.region' expected ASCII text, got 'a→b'
// CHECK: "generator_beyond_ascii"

// -----

vyre.program @source_beyond_ascii {
  vyre.region "a" source "é" invocations [4] {}
}

// CHECK: 'vyre.region' expected ASCII text, got 'é'
// CHECK: "source_beyond_ascii"

// -----

vyre.program @domain_without_axes {
  vyre.region "arm" invocations [] {}
}

// CHECK: 'vyre.region' expected an invocation domain of 1 to 3 axes, got 0
// CHECK: "domain_without_axes"

// -----

vyre.program @domain_of_four_axes {
  vyre.region "arm" invocations [1, 2, 3, 4] {}
}

// CHECK: 'vyre.region' expected an invocation domain of 1 to 3 axes, got 4
// CHECK: "domain_of_four_axes"

// -----

vyre.program @domain_of_zero {
  vyre.region "arm" invocations [4, 0] {}
}

// CHECK: 'vyre.region' expected a positive invocation count, got 0
// CHECK: "domain_of_zero"

// -----

vyre.program @domain_of_negative_size {
  vyre.region "arm" invocations [-4] {}
}

// CHECK: 'vyre.region' expected a positive invocation count, got -4
// CHECK: "domain_of_negative_size"

// -----

vyre.program @domain_without_its_operand {
  "vyre.region"() <{generator = "arm", static_invocations = array<i64: -9223372036854775808>}> ({
  ^bb0:
  }) : () -> ()
}

// CHECK: The number of dynamic positions passed as values (0) does not match the number of dynamic position markers (1).
// CHECK: "domain_without_its_operand"

// -----

vyre.program @domain_that_is_no_index {
  %n = arith.constant 4 : i32
  "vyre.region"(%n) <{generator = "arm", static_invocations = array<i64: -9223372036854775808>}> ({
  ^bb0:
  }) : (i32) -> ()
}

// CHECK: operand 'invocations' at position 0 does not verify:
// CHECK-NEXT: Expected attribute index but got i32
// CHECK: "domain_that_is_no_index"

// -----

vyre.program @arm_workgroup_beyond_an_axis {
  vyre.region "arm" invocations [4] workgroup_size [2048] {}
}

// CHECK: 'vyre.region' expected a workgroup size of 1 to 1024 along x, got 2048
// CHECK: "arm_workgroup_beyond_an_axis"

// -----

vyre.program @subgroup_of_no_power_of_two {
  vyre.region "arm" invocations [48] workgroup_size [48] subgroup_size 24 {}
}

// CHECK: 'vyre.region' expected a power of two as subgroup size, got 24
// CHECK: "subgroup_of_no_power_of_two"

// -----

vyre.program @subgroup_of_zero {
  vyre.region "arm" invocations [48] subgroup_size 0 {}
}

// CHECK: 'vyre.region' expected a power of two as subgroup size, got 0
// CHECK: "subgroup_of_zero"

// -----

vyre.program @subgroups_that_do_not_fill_the_workgroup {
  vyre.region "arm" invocations [48] workgroup_size [48] subgroup_size 32 {}
}

// CHECK: 'vyre.region' expected whole subgroups of 32 invocations in a workgroup, got 48 invocations
// CHECK: "subgroups_that_do_not_fill_the_workgroup"

// -----

vyre.program @default_subgroups_that_do_not_fill_the_workgroup {
  vyre.region "arm" invocations [48] workgroup_size [48] {
    %l = vyre.subgroup_lane
  }
}

// CHECK: 'vyre.region' expected whole subgroups of 32 invocations in a workgroup, got 48 invocations
// CHECK: "default_subgroups_that_do_not_fill_the_workgroup"

// -----

vyre.program @cooperative_arm_with_part_of_a_workgroup {
  vyre.region "arm" invocations [100] {
    vyre.barrier
  }
}

// CHECK: 'vyre.region' "arm" is cooperative and expected whole workgroups of 64 invocations, got 100 invocations
// CHECK: "cooperative_arm_with_part_of_a_workgroup"

// -----

vyre.program @arm_on_workgroup_memory_with_part_of_a_workgroup {
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write, workgroup>
  vyre.region "arm" invocations [64, 2] workgroup_size [8, 4] {
    %i = vyre.invocation_id x
    %v = vyre.load %b[%i] : !vyre.buffer<64xi32, read_write, workgroup> -> i32
  }
}

// CHECK: 'vyre.region' "arm" is cooperative and expected whole workgroups of 4 invocations, got 2 invocations
// CHECK: "arm_on_workgroup_memory_with_part_of_a_workgroup"
