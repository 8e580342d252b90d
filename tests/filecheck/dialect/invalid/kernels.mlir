// RUN: xdsl-opt %s --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s

// Kernels.

vyre.program @kernel_in_a_program {
  vyre.kernel @k() workgroup_size [64] generator "g" {}
}

// CHECK: 'vyre.kernel' expects parent op 'builtin.module'
// CHECK: "kernel_in_a_program"

// -----

vyre.kernel @kernel_of_a_scalar(%n : i32) workgroup_size [64] generator "g" {}

// CHECK: 'vyre.kernel' @kernel_of_a_scalar: expected buffers and sizes of type index as arguments, got i32
// CHECK: "kernel_of_a_scalar"

// -----

vyre.kernel @kernel_of_workgroup_memory(%b : !vyre.buffer<64xi32, read_write, workgroup>) workgroup_size [64] generator "g" {}

// CHECK: 'vyre.kernel' @kernel_of_workgroup_memory: expected global buffers as arguments, got a workgroup one
// CHECK: "kernel_of_workgroup_memory"

// -----

vyre.kernel @kernel_without_a_length(%b : !vyre.buffer<?xi32, read_only>) workgroup_size [64] generator "g" {}

// CHECK: 'vyre.kernel' @kernel_without_a_length: expected the length of argument 0, an index, behind it
// CHECK: "kernel_without_a_length"

// -----

vyre.kernel @kernel_with_a_buffer_for_a_length(%a : !vyre.buffer<?xi32, read_only>, %b : !vyre.buffer<4xi32, read_only>) workgroup_size [64] generator "g" {}

// CHECK: 'vyre.kernel' @kernel_with_a_buffer_for_a_length: expected the length of argument 0, an index, behind it
// CHECK: "kernel_with_a_buffer_for_a_length"

// -----

vyre.kernel @kernel_that_computes_a_length(%b : !vyre.buffer<?xi32, read_only>, %b_len : index) workgroup_size [64] generator "g" {
  %n = vyre.buf_len %b : !vyre.buffer<?xi32, read_only>
}

// CHECK: 'vyre.kernel' @kernel_that_computes_a_length: expected argument 1 in place of 'vyre.buf_len' of argument 0
// CHECK: "kernel_that_computes_a_length"

// -----

vyre.program @launch_with_another_length {
  %a = vyre.buffer @a : !vyre.buffer<?xi32, read_only>
  %b = vyre.buffer @b : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %b : !vyre.buffer<?xi32, read_only>
  vyre.launch @k[1](%a, %n) : (!vyre.buffer<?xi32, read_only>, index)
}
vyre.kernel @k(%a : !vyre.buffer<?xi32, read_only>, %a_len : index) workgroup_size [64] generator "g" {}

// CHECK: 'vyre.launch' @k expected 'vyre.buf_len' of argument 0 as argument 1
// CHECK: "launch_with_another_length"

// -----

vyre.kernel @kernel_workgroup_beyond_the_total() workgroup_size [1024, 2] generator "g" {}

// CHECK: 'vyre.kernel' expected at most 1024 invocations in a workgroup, got 2048
// CHECK: "kernel_workgroup_beyond_the_total"

// -----

vyre.kernel @kernel_generator_beyond_ascii() workgroup_size [64] generator "é" {}

// CHECK: 'vyre.kernel' expected ASCII text, got 'é'
// CHECK: "kernel_generator_beyond_ascii"

// -----

vyre.kernel @kernel_without_a_generator() workgroup_size [64] generator "" {}

// CHECK: 'vyre.kernel' @kernel_without_a_generator: expected a generator, got an empty string
// CHECK: "kernel_without_a_generator"

// -----

vyre.kernel @kernel_subgroup_of_no_power_of_two() workgroup_size [64] subgroup_size 3 generator "g" {}

// CHECK: 'vyre.kernel' expected a power of two as subgroup size, got 3
// CHECK: "kernel_subgroup_of_no_power_of_two"

// -----

vyre.kernel @kernel_subgroups_that_do_not_fill_the_workgroup() workgroup_size [16] generator "g" {
  %l = vyre.subgroup_id
}

// CHECK: 'vyre.kernel' expected whole subgroups of 32 invocations in a workgroup, got 16 invocations
// CHECK: "kernel_subgroups_that_do_not_fill_the_workgroup"

// -----

vyre.kernel @kernel_with_a_global_buffer() workgroup_size [64] generator "g" {
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write>
}

// CHECK: 'vyre.buffer' @b: expected a workgroup or private buffer in a kernel, got global
// CHECK: "kernel_with_a_global_buffer"

// -----

vyre.kernel @kernel_with_two_buffers_of_one_name() workgroup_size [64] generator "g" {
  %a = vyre.buffer @same : !vyre.buffer<64xi32, read_write, workgroup>
  %b = vyre.buffer @same : !vyre.buffer<64xi32, read_write, workgroup>
}

// CHECK: 'vyre.kernel' @kernel_with_two_buffers_of_one_name: expected buffer names to be unique, got '@same' twice
// CHECK: "kernel_with_two_buffers_of_one_name"

// -----

vyre.kernel @kernel_with_an_arm() workgroup_size [64] generator "g" {
  vyre.region "arm" invocations [4] {}
}

// CHECK: 'vyre.region' expects parent op 'vyre.program'
// CHECK: "kernel_with_an_arm"

// -----

vyre.kernel @kernel_with_a_divergent_barrier() workgroup_size [64] generator "g" {
  %i = vyre.local_id x
  %c0 = arith.constant 0 : index
  %c = arith.cmpi eq, %i, %c0 : index
  scf.if %c {
    vyre.barrier
  }
}

// CHECK: 'vyre.barrier' expected uniform control flow, got a 'scf.if' that the invocations of a workgroup may take differently
// CHECK: "kernel_with_a_divergent_barrier"

// -----

// Launches.

vyre.program @launch_of_nothing_known {
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write>
  %n = arith.constant 4 : index
  vyre.launch @missing[1](%b, %n) : (!vyre.buffer<64xi32, read_write>, index)
}
vyre.kernel @k(%b : !vyre.buffer<64xi32, read_write>, %n : index) workgroup_size [64] generator "g" {}

// CHECK: 'vyre.launch' expected a 'vyre.kernel' of the module, got '@missing'
// CHECK: "launch_of_nothing_known"

// -----

vyre.program @launch_of_a_program {
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write>
  %n = arith.constant 4 : index
  vyre.launch @launch_of_a_program[1](%b, %n) : (!vyre.buffer<64xi32, read_write>, index)
}
vyre.kernel @k(%b : !vyre.buffer<64xi32, read_write>, %n : index) workgroup_size [64] generator "g" {}

// CHECK: 'vyre.launch' expected a 'vyre.kernel' of the module, got '@launch_of_a_program'
// CHECK: "launch_of_a_program"

// -----

vyre.program @launch_without_axes {
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write>
  %n = arith.constant 4 : index
  vyre.launch @k[](%b, %n) : (!vyre.buffer<64xi32, read_write>, index)
}
vyre.kernel @k(%b : !vyre.buffer<64xi32, read_write>, %n : index) workgroup_size [64] generator "g" {}

// CHECK: 'vyre.launch' expected a grid of 1 to 3 axes, got 0
// CHECK: "launch_without_axes"

// -----

vyre.program @launch_of_four_axes {
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write>
  %n = arith.constant 4 : index
  vyre.launch @k[1, 1, 1, 1](%b, %n) : (!vyre.buffer<64xi32, read_write>, index)
}
vyre.kernel @k(%b : !vyre.buffer<64xi32, read_write>, %n : index) workgroup_size [64] generator "g" {}

// CHECK: 'vyre.launch' expected a grid of 1 to 3 axes, got 4
// CHECK: "launch_of_four_axes"

// -----

vyre.program @launch_of_no_workgroups {
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write>
  %n = arith.constant 4 : index
  vyre.launch @k[0](%b, %n) : (!vyre.buffer<64xi32, read_write>, index)
}
vyre.kernel @k(%b : !vyre.buffer<64xi32, read_write>, %n : index) workgroup_size [64] generator "g" {}

// CHECK: 'vyre.launch' expected a positive workgroup count, got 0
// CHECK: "launch_of_no_workgroups"

// -----

vyre.program @launch_of_negative_size {
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write>
  %n = arith.constant 4 : index
  vyre.launch @k[-1](%b, %n) : (!vyre.buffer<64xi32, read_write>, index)
}
vyre.kernel @k(%b : !vyre.buffer<64xi32, read_write>, %n : index) workgroup_size [64] generator "g" {}

// CHECK: 'vyre.launch' expected a positive workgroup count, got -1
// CHECK: "launch_of_negative_size"

// -----

vyre.program @launch_with_an_argument_missing {
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write>
  %n = arith.constant 4 : index
  vyre.launch @k[1](%b) : (!vyre.buffer<64xi32, read_write>)
}
vyre.kernel @k(%b : !vyre.buffer<64xi32, read_write>, %n : index) workgroup_size [64] generator "g" {}

// CHECK: 'vyre.launch' @k expected 2 arguments, got 1
// CHECK: "launch_with_an_argument_missing"

// -----

vyre.program @launch_with_another_type {
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write>
  %n = arith.constant 4 : index
  vyre.launch @k[1](%n, %n) : (index, index)
}
vyre.kernel @k(%b : !vyre.buffer<64xi32, read_write>, %n : index) workgroup_size [64] generator "g" {}

// CHECK: 'vyre.launch' @k expected !vyre.buffer<64xi32, read_write> as argument 0, got index
// CHECK: "launch_with_another_type"

// -----

vyre.program @launch_with_a_buffer_twice {
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write>
  %n = arith.constant 4 : index
  vyre.launch @k2[1](%b, %b) : (!vyre.buffer<64xi32, read_write>, !vyre.buffer<64xi32, read_write>)
}
vyre.kernel @k2(%a : !vyre.buffer<64xi32, read_write>, %b : !vyre.buffer<64xi32, read_write>) workgroup_size [64] generator "g" {}

// CHECK: 'vyre.launch' @k2 expected each buffer once, got one twice
// CHECK: "launch_with_a_buffer_twice"

// -----

vyre.program @launch_with_an_unknown_buffer {
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write>
  %n = arith.constant 4 : index
  %x = "test.op"() : () -> !vyre.buffer<64xi32, read_write>
  vyre.launch @k[1](%x, %n) : (!vyre.buffer<64xi32, read_write>, index)
}
vyre.kernel @k(%b : !vyre.buffer<64xi32, read_write>, %n : index) workgroup_size [64] generator "g" {}

// CHECK: 'vyre.launch' expected a buffer declared by 'vyre.buffer' or a kernel argument, got a result of 'test.op'
// CHECK: "launch_with_an_unknown_buffer"

// -----

vyre.program @launch_in_an_arm {
  vyre.region "arm" invocations [64] {
    vyre.launch @k[1]() : ()
  }
}

// CHECK: 'vyre.launch' expects parent op 'vyre.program'
// CHECK: "launch_in_an_arm"

// -----

// CHECK: 'vyre.check_whole_workgroups' expected a positive workgroup size, got 0
vyre.program @p {
  %n = arith.constant 3 : index
  vyre.check_whole_workgroups %n of 0 for "arm"
}
