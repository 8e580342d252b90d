// RUN: xdsl-opt %s --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s

// Buffer types.

vyre.program @buffer_of_no_elements {
  %b = vyre.buffer @b : !vyre.buffer<0xi8, read_only>
}

// CHECK: 'vyre.buffer' expected a positive element count or '?', got 0

// -----

"test.op"() {buffer_of_negative_count = !vyre.buffer<-4xi8, read_only>} : () -> ()

// CHECK: Expected either integer literal or '?' in shape dimension, got MINUS!

// -----

"test.op"() {buffer_of_unknown_access = !vyre.buffer<4xi8, append>} : () -> ()

// CHECK: Expected `read_only`, `write_only`, `read_write`, or `uniform`.

// -----

"test.op"() {buffer_in_unknown_memory = !vyre.buffer<4xi8, read_only, texture>} : () -> ()

// CHECK: Expected `global`, `workgroup`, or `private`.

// -----

// Buffers.

vyre.program @buffer_in_an_arm {
  vyre.region "arm" invocations [64] {
    %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write, workgroup>
  }
}

// CHECK: 'vyre.buffer' expects parent op to be one of 'vyre.program', 'vyre.kernel'
// CHECK: "buffer_in_an_arm"

// -----

vyre.program @sized_buffer_of_static_count {
  %n = arith.constant 4 : index
  %b = vyre.buffer @b[%n] : !vyre.buffer<64xi32, read_write>
}

// CHECK: 'vyre.buffer' @b: expected no run-time size for a static count of 64
// CHECK: "sized_buffer_of_static_count"

// -----

vyre.program @workgroup_buffer_without_static_count {
  %b = vyre.buffer @b : !vyre.buffer<?xi32, read_write, workgroup>
}

// CHECK: 'vyre.buffer' @b: expected a static count for a workgroup buffer, got '?'
// CHECK: "workgroup_buffer_without_static_count"

// -----

vyre.program @private_buffer_without_static_count {
  %b = vyre.buffer @b : !vyre.buffer<?xi32, read_write, private>
}

// CHECK: 'vyre.buffer' @b: expected a static count for a private buffer, got '?'
// CHECK: "private_buffer_without_static_count"

// -----

vyre.program @workgroup_buffer_of_unsized_elements {
  %b = vyre.buffer @b : !vyre.buffer<4xindex, read_write, workgroup>
}

// CHECK: 'vyre.buffer' @b: expected elements of a fixed size for a workgroup buffer, got index
// CHECK: "workgroup_buffer_of_unsized_elements"

// -----

vyre.program @negative_binding {
  %b = vyre.buffer @b binding -1 : !vyre.buffer<64xi32, read_write>
}

// CHECK: 'vyre.buffer' @b: expected a non-negative binding, got -1
// CHECK: "negative_binding"

// -----

vyre.program @live_out_workgroup_buffer {
  %b = vyre.buffer @b live_out : !vyre.buffer<64xi32, read_write, workgroup>
}

// CHECK: 'vyre.buffer' @b: expected a live-out buffer in global memory, got workgroup
// CHECK: "live_out_workgroup_buffer"

// -----

vyre.program @bound_workgroup_buffer {
  %b = vyre.buffer @b binding 0 : !vyre.buffer<64xi32, read_write, workgroup>
}

// CHECK: 'vyre.buffer' @b: expected no binding for a workgroup buffer
// CHECK: "bound_workgroup_buffer"

// -----

vyre.program @workgroup_buffer_from_the_host {
  %b = vyre.buffer @b initial host : !vyre.buffer<64xi32, read_write, workgroup>
}

// CHECK: 'vyre.buffer' @b: expected no initial contents for a workgroup buffer
// CHECK: "workgroup_buffer_from_the_host"

// -----

vyre.program @filled_workgroup_buffer {
  %b = vyre.buffer @b fill 0 : i32 : !vyre.buffer<64xi32, read_write, workgroup>
}

// CHECK: 'vyre.buffer' @b: expected no initial contents for a workgroup buffer
// CHECK: "filled_workgroup_buffer"

// -----

vyre.program @uniform_workgroup_buffer {
  %b = vyre.buffer @b : !vyre.buffer<4xi32, uniform, workgroup>
}

// CHECK: 'vyre.buffer' @b: expected initial contents for a buffer that is uniform
// CHECK: "uniform_workgroup_buffer"

// -----

vyre.program @undefined_input {
  %b = vyre.buffer @b initial undefined : !vyre.buffer<4xi32, read_only>
}

// CHECK: 'vyre.buffer' @b: expected initial contents for a buffer that is read_only
// CHECK: "undefined_input"

// -----

vyre.program @fill_of_another_type {
  %b = vyre.buffer @b fill 0 : i8 : !vyre.buffer<64xi32, read_write>
}

// CHECK: 'vyre.buffer' @b: expected a fill of type i32, got i8
// CHECK: "fill_of_another_type"

// -----

vyre.program @vector_fill {
  %b = vyre.buffer @b fill 0 : i8 : !vyre.buffer<4xvector<4xi32>, read_write>
}

// CHECK: 'vyre.buffer' @b: expected a fill of type i32, got i8
// CHECK: "vector_fill"

// -----

vyre.program @filled_undefined_buffer {
  %b = vyre.buffer @b initial undefined fill 0 : i32 : !vyre.buffer<64xi32, read_write>
}

// CHECK: 'vyre.buffer' @b: expected no fill and no contents for an undefined buffer
// CHECK: "filled_undefined_buffer"

// -----

vyre.program @filled_table {
  %b = vyre.buffer @b fill 0 : i8 contents dense<[1, 2]> : vector<2xi8> : !vyre.buffer<2xi8, read_only>
}

// CHECK: 'vyre.buffer' @b: expected a fill or compile-time contents, got both
// CHECK: "filled_table"

// -----

vyre.program @table_without_static_count {
  %b = vyre.buffer @b contents dense<[1, 2]> : vector<2xi8> : !vyre.buffer<?xi8, read_only>
}

// CHECK: 'vyre.buffer' @b: expected a static count for compile-time contents, got '?'
// CHECK: "table_without_static_count"

// -----

vyre.program @writable_table {
  %b = vyre.buffer @b contents dense<[1, 2]> : vector<2xi8> : !vyre.buffer<2xi8, read_write>
}

// CHECK: 'vyre.buffer' @b: expected a read-only buffer for compile-time contents
// CHECK: "writable_table"

// -----

vyre.program @table_of_another_type {
  %b = vyre.buffer @b contents dense<[1, 2]> : vector<2xi8> : !vyre.buffer<2xi32, read_only>
}

// CHECK: 'vyre.buffer' @b: expected contents of type i32, got i8
// CHECK: "table_of_another_type"

// -----

vyre.program @table_of_another_length {
  %b = vyre.buffer @b contents dense<[1, 2]> : vector<2xi8> : !vyre.buffer<3xi8, read_only>
}

// CHECK: 'vyre.buffer' @b: expected contents for 3 elements, got 2
// CHECK: "table_of_another_length"

// -----

vyre.program @output_range_of_one_bound {
  %b = vyre.buffer @b live_out output_range [0] : !vyre.buffer<64xi32, read_write>
}

// CHECK: 'vyre.buffer' @b: expected an output range [begin, end) of bytes, got [0]
// CHECK: "output_range_of_one_bound"

// -----

vyre.program @empty_output_range {
  %b = vyre.buffer @b live_out output_range [8, 8] : !vyre.buffer<64xi32, read_write>
}

// CHECK: 'vyre.buffer' @b: expected an output range [begin, end) of bytes, got [8, 8]
// CHECK: "empty_output_range"

// -----

vyre.program @output_range_from_below_zero {
  %b = vyre.buffer @b live_out output_range [-4, 8] : !vyre.buffer<64xi32, read_write>
}

// CHECK: 'vyre.buffer' @b: expected an output range [begin, end) of bytes, got [-4, 8]
// CHECK: "output_range_from_below_zero"

// -----

vyre.program @output_range_beyond_the_buffer {
  %b = vyre.buffer @b live_out output_range [0, 260] : !vyre.buffer<64xi32, read_write>
}

// CHECK: 'vyre.buffer' @b: expected an output range within 256 bytes, got 260
// CHECK: "output_range_beyond_the_buffer"

// -----

vyre.program @output_range_of_what_stays {
  %b = vyre.buffer @b output_range [0, 4] : !vyre.buffer<64xi32, read_write>
}

// CHECK: 'vyre.buffer' @b: expected an output range on a live-out buffer only
// CHECK: "output_range_of_what_stays"

// -----

vyre.program @buffer_named_beyond_ascii {
  %b = vyre.buffer @"é" : !vyre.buffer<64xi32, read_write>
}

// CHECK: 'vyre.buffer' expected ASCII text, got 'é'
// CHECK: "buffer_named_beyond_ascii"

// -----

vyre.program @length_of_an_unknown_buffer {
  %b = "test.op"() : () -> !vyre.buffer<64xi32, read_write>
  %n = vyre.buf_len %b : !vyre.buffer<64xi32, read_write>
}

// CHECK: 'vyre.buf_len' expected a buffer declared by 'vyre.buffer' or a kernel argument, got a result of 'test.op'
// CHECK: "length_of_an_unknown_buffer"
