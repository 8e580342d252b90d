// RUN: xdsl-opt %s --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s

// Asynchronous copies.

vyre.program @copy_of_divergent_operands {
  %g = vyre.buffer @g : !vyre.buffer<64xi32, read_only>
  %t = vyre.buffer @t : !vyre.buffer<64xi32, read_write, workgroup>
  vyre.region "arm" invocations [64] {
    %l = vyre.local_id x
    %c0 = arith.constant 0 : index
    %k = vyre.async_copy %g[%l], %t[%c0], %c0 : !vyre.buffer<64xi32, read_only>, !vyre.buffer<64xi32, read_write, workgroup>
    vyre.async_wait %k
  }
}

// CHECK: 'vyre.async_copy' expected operands that are the same in the whole workgroup, got one that differs between its invocations
// CHECK: "copy_of_divergent_operands"

// -----

vyre.program @copy_that_nobody_waits_for {
  %g = vyre.buffer @g : !vyre.buffer<64xi32, read_only>
  %t = vyre.buffer @t : !vyre.buffer<64xi32, read_write, workgroup>
  vyre.region "arm" invocations [64] {
    %c0 = arith.constant 0 : index
    %k = vyre.async_copy %g[%c0], %t[%c0], %c0 : !vyre.buffer<64xi32, read_only>, !vyre.buffer<64xi32, read_write, workgroup>
  }
}

// CHECK: 'vyre.async_copy' expected a 'vyre.async_wait' for its token, got no use
// CHECK: "copy_that_nobody_waits_for"

// -----

vyre.program @copy_between_element_types {
  %g = vyre.buffer @g : !vyre.buffer<64xi8, read_only>
  %t = vyre.buffer @t : !vyre.buffer<64xi32, read_write, workgroup>
  vyre.region "arm" invocations [64] {
    %c0 = arith.constant 0 : index
    %k = vyre.async_copy %g[%c0], %t[%c0], %c0 : !vyre.buffer<64xi8, read_only>, !vyre.buffer<64xi32, read_write, workgroup>
    vyre.async_wait %k
  }
}

// CHECK: 'vyre.async_copy' expected buffers of one element type, got i8 and i32
// CHECK: "copy_between_element_types"

// -----

vyre.program @copy_to_read_only {
  %g = vyre.buffer @g : !vyre.buffer<64xi32, read_only>
  %t = vyre.buffer @t : !vyre.buffer<64xi32, read_write, workgroup>
  vyre.region "arm" invocations [64] {
    %c0 = arith.constant 0 : index
    %k = vyre.async_copy %t[%c0], %g[%c0], %c0 : !vyre.buffer<64xi32, read_write, workgroup>, !vyre.buffer<64xi32, read_only>
    vyre.async_wait %k
  }
}

// CHECK: 'vyre.async_copy' expected to copy from a readable to a writable buffer, got read_write to read_only
// CHECK: "copy_to_read_only"

// -----

vyre.program @copy_from_write_only {
  %g = vyre.buffer @g : !vyre.buffer<64xi32, write_only>
  %t = vyre.buffer @t : !vyre.buffer<64xi32, read_write, workgroup>
  vyre.region "arm" invocations [64] {
    %c0 = arith.constant 0 : index
    %k = vyre.async_copy %g[%c0], %t[%c0], %c0 : !vyre.buffer<64xi32, write_only>, !vyre.buffer<64xi32, read_write, workgroup>
    vyre.async_wait %k
  }
}

// CHECK: 'vyre.async_copy' expected to copy from a readable to a writable buffer, got write_only to read_write
// CHECK: "copy_from_write_only"

// -----

vyre.program @copy_within_global_memory {
  %g = vyre.buffer @g : !vyre.buffer<64xi32, read_only>
  %t = vyre.buffer @t : !vyre.buffer<64xi32, read_write>
  vyre.region "arm" invocations [64] {
    %c0 = arith.constant 0 : index
    %k = vyre.async_copy %g[%c0], %t[%c0], %c0 : !vyre.buffer<64xi32, read_only>, !vyre.buffer<64xi32, read_write>
    vyre.async_wait %k
  }
}

// CHECK: 'vyre.async_copy' expected to copy between global and workgroup memory, got global to global
// CHECK: "copy_within_global_memory"

// -----

vyre.program @copy_of_an_unknown_buffer {
  %t = vyre.buffer @t : !vyre.buffer<64xi32, read_write, workgroup>
  vyre.region "arm" invocations [64] {
    %c0 = arith.constant 0 : index
    %g = "test.op"() : () -> !vyre.buffer<64xi32, read_only>
    %k = vyre.async_copy %g[%c0], %t[%c0], %c0 : !vyre.buffer<64xi32, read_only>, !vyre.buffer<64xi32, read_write, workgroup>
    vyre.async_wait %k
  }
}

// CHECK: 'vyre.async_copy' expected a buffer declared by 'vyre.buffer' or a kernel argument, got a result of 'test.op'
// CHECK: "copy_of_an_unknown_buffer"

// -----

vyre.program @copy_of_unsized_elements {
  %g = vyre.buffer @g : !vyre.buffer<4xindex, read_only>
  vyre.region "arm" invocations [64] {
    %c0 = arith.constant 0 : index
    %k = vyre.async_copy %g[%c0], %g[%c0], %c0 : !vyre.buffer<4xindex, read_only>, !vyre.buffer<4xindex, read_only>
    vyre.async_wait %k
  }
}

// CHECK: 'vyre.async_copy' expected elements of a fixed size, got index
// CHECK: "copy_of_unsized_elements"

// -----

// Subgroups.

vyre.program @shuffle_of_a_vector {
  vyre.region "arm" invocations [64] {
    %c0 = arith.constant 0 : index
    %v = arith.constant dense<0> : vector<4xi32>
    %s = vyre.subgroup_shuffle %v, %c0 : vector<4xi32>
  }
}

// CHECK: 'vyre.subgroup_shuffle' expected an integer, index or float, got vector<4xi32>
// CHECK: "shuffle_of_a_vector"

// -----

vyre.program @reduce_of_a_float {
  vyre.region "arm" invocations [64] {
    %v = arith.constant 0.0 : f32
    %s = vyre.subgroup_reduce addi %v : f32
  }
}

// CHECK: 'vyre.subgroup_reduce' expected an integer operand, got f32
// CHECK: "reduce_of_a_float"

// -----

// Traps.

vyre.program @trap_into_bytes {
  %e = vyre.buffer @e fill -1 : i8 : !vyre.buffer<1xi8, read_write>
  vyre.region "arm" invocations [64] {
    %i = vyre.invocation_id x
    vyre.trap "bad" at %i, %e : !vyre.buffer<1xi8, read_write>
  }
}

// CHECK: 'vyre.trap' expected errors of type i32 or i64, got i8
// CHECK: "trap_into_bytes"

// -----

vyre.program @trap_into_write_only {
  %e = vyre.buffer @e fill -1 : i32 : !vyre.buffer<1xi32, write_only>
  vyre.region "arm" invocations [64] {
    %i = vyre.invocation_id x
    vyre.trap "bad" at %i, %e : !vyre.buffer<1xi32, write_only>
  }
}

// CHECK: 'vyre.trap' expected a read_write buffer of errors, got write_only
// CHECK: "trap_into_write_only"

// -----

vyre.program @trap_into_workgroup_memory {
  %e = vyre.buffer @e : !vyre.buffer<1xi32, read_write, workgroup>
  vyre.region "arm" invocations [64] {
    %i = vyre.invocation_id x
    vyre.trap "bad" at %i, %e : !vyre.buffer<1xi32, read_write, workgroup>
  }
}

// CHECK: 'vyre.trap' expected a global buffer of errors, got a workgroup one
// CHECK: "trap_into_workgroup_memory"

// -----

vyre.program @trap_into_errors_that_start_at_zero {
  %e = vyre.buffer @e : !vyre.buffer<1xi32, read_write>
  vyre.region "arm" invocations [64] {
    %i = vyre.invocation_id x
    vyre.trap "bad" at %i, %e : !vyre.buffer<1xi32, read_write>
  }
}

// CHECK: 'vyre.trap' expected errors that start with all bits set, got '@e' without 'fill -1'
// CHECK: "trap_into_errors_that_start_at_zero"

// -----

vyre.program @trap_into_errors_that_start_at_one {
  %e = vyre.buffer @e fill 1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.region "arm" invocations [64] {
    %i = vyre.invocation_id x
    vyre.trap "bad" at %i, %e : !vyre.buffer<1xi32, read_write>
  }
}

// CHECK: 'vyre.trap' expected errors that start with all bits set, got '@e' without 'fill -1'
// CHECK: "trap_into_errors_that_start_at_one"

// -----

vyre.program @trap_message_beyond_ascii {
  %e = vyre.buffer @e fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.region "arm" invocations [64] {
    %i = vyre.invocation_id x
    vyre.trap "é" at %i, %e : !vyre.buffer<1xi32, read_write>
  }
}

// CHECK: 'vyre.trap' expected ASCII text, got 'é'
// CHECK: "trap_message_beyond_ascii"

// -----

vyre.program @trap_into_an_unknown_buffer {
  vyre.region "arm" invocations [64] {
    %i = vyre.invocation_id x
    %e = "test.op"() : () -> !vyre.buffer<64xi32, read_write>
    vyre.trap "bad" at %i, %e : !vyre.buffer<64xi32, read_write>
  }
}

// CHECK: 'vyre.trap' expected a buffer declared by 'vyre.buffer' or a kernel argument, got a result of 'test.op'
// CHECK: "trap_into_an_unknown_buffer"
