// RUN: xdsl-opt %s --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s

// Definitions.

vyre.program @use_from_other_arm {
  %out = vyre.buffer @out live_out : !vyre.buffer<4xi8, read_write>
  vyre.region "a" invocations [4] {
    %c = arith.constant 1 : i8
    vyre.store %c, %out[%i] : i8, !vyre.buffer<4xi8, read_write>
  }
  vyre.region "b" invocations [4] {
    %i = vyre.invocation_id x
    %c = arith.constant 1 : i8
    vyre.store %c, %out[%i] : i8, !vyre.buffer<4xi8, read_write>
  }
}

// CHECK: 'vyre.store' expected operand 2 to be defined before it, got %i, which 'vyre.invocation_id' defines in a 'vyre.region' that does not contain 'vyre.store'
// CHECK: "use_from_other_arm"

// -----

vyre.program @cyclic_value {
  %h = vyre.buffer @h : !vyre.buffer<256xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<256xi8, write_only>
  vyre.region "both" invocations [256] {
    %i = vyre.invocation_id x
    %c = arith.constant 1 : i8
    vyre.store %c, %h[%i] : i8, !vyre.buffer<256xi8, read_write>
    %a = arith.addi %b, %i : index
    %b = arith.addi %a, %i : index
    %v = vyre.load %h[%b] : !vyre.buffer<256xi8, read_write> -> i8
    vyre.store %v, %out[%i] : i8, !vyre.buffer<256xi8, write_only>
  }
}

// CHECK: 'arith.addi' expected operand 0 to be defined before it, got %b, which 'arith.addi' defines later
// CHECK: "cyclic_value"

// -----

vyre.program @value_of_itself {
  vyre.region "a" invocations [4] {
    %a = arith.addi %a, %a : index
  }
}

// CHECK: 'arith.addi' expected operand 0 to be defined before it, got %a, which it defines itself
// CHECK: "value_of_itself"

// -----

vyre.program @use_before_definition {
  %o = vyre.buffer @o live_out : !vyre.buffer<4xi8, read_write>
  vyre.region "a" invocations [4] {
    %i = vyre.invocation_id x
    vyre.store %v, %o[%i] : i8, !vyre.buffer<4xi8, read_write>
    %v = vyre.load %o[%i] : !vyre.buffer<4xi8, read_write> -> i8
  }
}

// CHECK: 'vyre.store' expected operand 0 to be defined before it, got %v, which 'vyre.load' defines later
// CHECK: "use_before_definition"

// -----

vyre.program @index_used_before_definition {
  %o = vyre.buffer @o live_out : !vyre.buffer<4xi8, read_write>
  vyre.region "a" invocations [4] {
    %c = arith.constant 1 : i8
    vyre.store %c, %o[%i] : i8, !vyre.buffer<4xi8, read_write>
    %i = vyre.invocation_id x
  }
}

// CHECK: 'vyre.store' expected operand 2 to be defined before it, got %i, which 'vyre.invocation_id' defines later
// CHECK: "index_used_before_definition"

// -----

// The values of the host, too.
vyre.program @host_value_before_definition {
  %a = vyre.buffer @a : !vyre.buffer<?xi8, read_only>
  vyre.region "a" invocations [%n] {
  }
  %n = vyre.buf_len %a : !vyre.buffer<?xi8, read_only>
}

// CHECK: 'vyre.region' expected operand 0 to be defined before it, got %n, which 'vyre.buf_len' defines later
// CHECK: "host_value_before_definition"

// -----

vyre.program @buffer_declared_after_its_arm {
  vyre.region "a" invocations [4] {
    %i = vyre.invocation_id x
    %v = vyre.load %o[%i] : !vyre.buffer<4xi8, read_write> -> i8
  }
  %o = vyre.buffer @o live_out : !vyre.buffer<4xi8, read_write>
}

// CHECK: 'vyre.load' expected operand 0 to be defined before it, got %o, which 'vyre.buffer' defines later
// CHECK: "buffer_declared_after_its_arm"

// -----

vyre.program @condition_of_a_barrier_from_later {
  vyre.region "a" invocations [64] {
    %c = arith.constant true
    scf.if %c {
      %c0 = arith.constant 0 : index
      %d = arith.cmpi eq, %k, %c0 : index
      scf.if %d {
        vyre.barrier
      }
    }
    %k = vyre.local_id x
  }
}

// CHECK: 'arith.cmpi' expected operand 0 to be defined before it, got %k, which 'vyre.local_id' defines later
// CHECK: "condition_of_a_barrier_from_later"

// -----

vyre.program @value_of_the_other_branch {
  vyre.region "a" invocations [4] {
    %c = arith.constant true
    scf.if %c {
      %d = arith.addi %k, %k : index
    } else {
      %k = vyre.invocation_id x
    }
  }
}

// CHECK: 'arith.addi' expected operand 0 to be defined before it, got %k, which 'vyre.invocation_id' defines in a 'scf.if' that does not contain 'arith.addi'
// CHECK: "value_of_the_other_branch"

// -----

vyre.program @counter_before_its_loop {
  vyre.region "a" invocations [4] {
    %c1 = arith.constant 1 : index
    %d = arith.addi %j, %c1 : index
    scf.for %j = %c1 to %c1 step %c1 {
    }
  }
}

// CHECK: 'arith.addi' expected operand 0 to be defined before it, got %j, which is an argument of a block in a 'scf.for' that does not contain 'arith.addi'
// CHECK: "counter_before_its_loop"

// -----

%n = arith.constant 1 : index
vyre.program @value_from_outside {
  vyre.region "a" invocations [4] {
    %d = arith.addi %n, %n : index
  }
}

// CHECK: "value_from_outside"
// CHECK: 'arith.addi' expected operand 0 to be defined before it, got %n, which 'arith.constant' defines outside 'vyre.program'

// -----

vyre.kernel @kernel_use_before_definition(%b : !vyre.buffer<4xi8, read_write>) workgroup_size [4] generator "k" {
  %c = arith.constant 1 : i8
  vyre.store %c, %b[%i] : i8, !vyre.buffer<4xi8, read_write>
  %i = vyre.local_id x
}

// CHECK: 'vyre.store' expected operand 2 to be defined before it, got %i, which 'vyre.local_id' defines later
// CHECK: "kernel_use_before_definition"

// -----

// Regions of `scf`.

vyre.program @if_without_yield {
  vyre.region "a" invocations [4] {
    %one = arith.constant 1 : i32
    %t = arith.constant true
    %v = scf.if %t -> (i32) {
      scf.yield %one : i32
    } else {
      %d = arith.addi %one, %one : i32
    }
  }
}

// CHECK: 'scf.if' expected 'scf.yield' of (i32), got ()
// CHECK: "if_without_yield"

// -----

vyre.program @if_without_else {
  vyre.region "a" invocations [4] {
    %one = arith.constant 1 : i32
    %t = arith.constant true
    %v = scf.if %t -> (i32) {
      scf.yield %one : i32
    }
  }
}

// CHECK: 'scf.if' expected a block that yields (i32) in each region, got none
// CHECK: "if_without_else"

// -----

vyre.program @if_that_ends_with_another_op {
  vyre.region "a" invocations [4] {
    %t = arith.constant true
    "scf.if"(%t) ({
      %one = arith.constant 1 : i32
    }, {}) : (i1) -> ()
  }
}

// CHECK: 'scf.if' expected 'scf.yield' at the end of each region, got 'arith.constant'
// CHECK: "if_that_ends_with_another_op"

// -----

vyre.program @if_of_an_empty_block {
  vyre.region "a" invocations [4] {
    %t = arith.constant true
    "scf.if"(%t) ({
    ^bb0:
    }, {}) : (i1) -> ()
  }
}

// CHECK: 'scf.if' expected 'scf.yield' at the end of each region, got an empty block
// CHECK: "if_of_an_empty_block"

// -----

vyre.program @for_without_yield {
  vyre.region "a" invocations [4] {
    %c1 = arith.constant 1 : index
    %v = scf.for %j = %c1 to %c1 step %c1 iter_args(%k = %c1) -> (index) {
      %d = arith.addi %j, %k : index
    }
  }
}

// CHECK: 'scf.for' expected 'scf.yield' at the end of each region, got 'arith.addi'
// CHECK: "for_without_yield"

// -----

vyre.program @for_with_a_yield_of_too_few {
  vyre.region "a" invocations [4] {
    %c1 = arith.constant 1 : index
    %v = scf.for %j = %c1 to %c1 step %c1 iter_args(%k = %c1) -> (index) {
      scf.yield
    }
  }
}

// CHECK: 'scf.for' expected 'scf.yield' of (index), got ()
// CHECK: "for_with_a_yield_of_too_few"

// -----

vyre.program @for_with_bounds_of_two_types {
  vyre.region "a" invocations [4] {
    %c = arith.constant 1 : i32
    scf.for %k = %c to %c step %c {
    }
  }
}

// CHECK: operand is used with type index, but has been previously used or defined with type i32

// -----

vyre.program @for_with_a_counter_of_another_type {
  vyre.region "a" invocations [4] {
    %c = arith.constant 1 : i32
    "scf.for"(%c, %c, %c) ({
    ^bb0(%k : index):
      scf.yield
    }) : (i32, i32, i32) -> ()
  }
}

// CHECK: 'scf.for' expected block arguments (i32), got (index)
// CHECK: "for_with_a_counter_of_another_type"

// -----

vyre.program @for_with_a_result_of_another_type {
  vyre.region "a" invocations [4] {
    %c = arith.constant 1 : i32
    %r = "scf.for"(%c, %c, %c, %c) ({
    ^bb0(%k : i32, %a : i32):
      scf.yield %a : i32
    }) : (i32, i32, i32, i32) -> i64
  }
}

// CHECK: 'scf.for' expected 'scf.yield' of (i64), got (i32)
// CHECK: "for_with_a_result_of_another_type"

// -----

vyre.program @while_without_condition {
  vyre.region "a" invocations [4] {
    %c = arith.constant true
    scf.while () : () -> () {
      scf.yield
    } do {
      scf.yield
    }
  }
}

// CHECK: 'scf.while' expected 'scf.condition' at the end of each region, got 'scf.yield'
// CHECK: "while_without_condition"

// -----

vyre.program @while_with_a_yield_of_another_type {
  vyre.region "a" invocations [4] {
    %c = arith.constant true
    %i = vyre.invocation_id x
    %r = scf.while (%p = %i) : (index) -> index {
      scf.condition(%c) %p : index
    } do {
    ^bb0(%q : index):
      scf.yield %c : i1
    }
  }
}

// CHECK: 'scf.while' expected 'scf.yield' of (index), got (i1)
// CHECK: "while_with_a_yield_of_another_type"

// -----

vyre.program @while_with_arguments_of_another_type {
  vyre.region "a" invocations [4] {
    %c = arith.constant true
    %i = vyre.invocation_id x
    %r = scf.while (%p = %i) : (index) -> index {
      scf.condition(%c) %p : index
    } do {
    ^bb0(%q : i1):
      scf.yield %i : index
    }
  }
}

// CHECK: 'scf.while' expected block arguments (index), got (i1)
// CHECK: "while_with_arguments_of_another_type"

// -----

vyre.program @while_without_arguments {
  vyre.region "a" invocations [4] {
    %c = arith.constant true
    %i = vyre.invocation_id x
    %r = scf.while (%p = %i) : (index) -> index {
      scf.condition(%c) %p : index
    } do {
      scf.yield %i : index
    }
  }
}

// CHECK: 'scf.while' expected block arguments (index), got ()
// CHECK: "while_without_arguments"

// -----

vyre.program @switch_with_a_yield_of_another_type {
  vyre.region "a" invocations [4] {
    %i = vyre.invocation_id x
    %c = arith.constant true
    %r = scf.index_switch %i -> index
    case 0 {
      scf.yield %c : i1
    }
    default {
      scf.yield %i : index
    }
  }
}

// CHECK: 'scf.index_switch' expected 'scf.yield' of (index), got (i1)
// CHECK: "switch_with_a_yield_of_another_type"

// -----

vyre.program @region_of_two_blocks {
  vyre.region "a" invocations [4] {
    scf.execute_region {
      "cf.br"() [^bb1] : () -> ()
    ^bb1:
      scf.yield
    }
  }
}

// CHECK: 'scf.execute_region' expected regions of one block, got one of 2
// CHECK: "region_of_two_blocks"

// -----

// Lanes.

vyre.program @vector_without_lanes {
  vyre.region "a" invocations [4] {
    %v = arith.constant dense<> : vector<0xi32>
  }
}

// CHECK: 'arith.constant' expected vectors of at least one lane, got vector<0xi32>
// CHECK: "vector_without_lanes"

// -----

vyre.program @elements_without_lanes {
  %h = vyre.buffer @h live_out : !vyre.buffer<8xvector<0xi32>, read_write>
  vyre.region "a" invocations [8] {
    %i = vyre.invocation_id x
    %b = vyre.load %h[%i] : !vyre.buffer<8xvector<0xi32>, read_write> -> vector<0xi32>
    vyre.store %b, %h[%i] : vector<0xi32>, !vyre.buffer<8xvector<0xi32>, read_write>
  }
}

// CHECK: 'vyre.buffer' expected elements of at least one lane, got vector<0xi32>

// -----

vyre.program @loop_over_a_vector_without_lanes {
  vyre.region "a" invocations [4] {
    "test.op"() ({
    ^bb0(%v : vector<0xi32>):
      "test.termop"() : () -> ()
    }) : () -> ()
  }
}

// CHECK: 'test.op' expected vectors of at least one lane, got vector<0xi32>
// CHECK: "loop_over_a_vector_without_lanes"

// -----

vyre.program @lane_out_of_range {
  %out = vyre.buffer @out live_out : !vyre.buffer<4xi32, read_write>
  vyre.region "a" invocations [4] {
    %i = vyre.invocation_id x
    %v = arith.constant dense<[1, 2, 3, 4]> : vector<4xi32>
    %x = vector.extract %v[9] : i32 from vector<4xi32>
    vyre.store %x, %out[%i] : i32, !vyre.buffer<4xi32, read_write>
  }
}

// CHECK: 'vector.extract' expected a lane from 0 to 3 of vector<4xi32>, got 9
// CHECK: "lane_out_of_range"

// -----

vyre.program @inserted_lane_out_of_range {
  vyre.region "a" invocations [4] {
    %one = arith.constant 1 : i32
    %v = arith.constant dense<0> : vector<4xi32>
    %x = vector.insert %one, %v [4] : i32 into vector<4xi32>
  }
}

// CHECK: 'vector.insert' expected a lane from 0 to 3 of vector<4xi32>, got 4
// CHECK: "inserted_lane_out_of_range"

// -----

vyre.program @vector_of_two_axes {
  vyre.region "a" invocations [4] {
    %v = arith.constant dense<0> : vector<2x4xi32>
  }
}

// CHECK: 'arith.constant' expected vectors along one axis, got vector<2x4xi32>
// CHECK: "vector_of_two_axes"

// -----

vyre.program @narrow_integer {
  vyre.region "a" invocations [4] {
    %v = arith.constant 3 : i4
  }
}

// CHECK: 'arith.constant' expected integers of 1, 8, 16, 32 or 64 bits, got i4
// CHECK: "narrow_integer"

// -----

vyre.program @lanes_of_narrow_integers {
  %b = vyre.buffer @b : !vyre.buffer<8xi24, read_only>
  vyre.region "a" invocations [4] {
    %i = vyre.invocation_id x
    %v = vyre.load %b[%i] : !vyre.buffer<8xi24, read_only> -> vector<2xi24>
  }
}

// CHECK: 'vyre.load' expected integers of 1, 8, 16, 32 or 64 bits, got vector<2xi24>
// CHECK: "lanes_of_narrow_integers"

// -----

vyre.program @negative_lane {
  vyre.region "a" invocations [4] {
    %v = arith.constant dense<0> : vector<4xi32>
    %x = vector.extract %v[-1] : i32 from vector<4xi32>
  }
}

// CHECK: 'vector.extract' expected a lane from 0 to 3 of vector<4xi32>, got -1
// CHECK: "negative_lane"

// -----

vyre.program @endless_unrolling {
  vyre.region "a" invocations [4] {
    %i = vyre.invocation_id x
    scf.for %k = %i to %i step %i {
    } {vyre.unroll = 1025 : i64}
  }
}

// CHECK: 'scf.for' expected 'vyre.unroll' from 1 to 1024, got 1025 : i64
// CHECK: "endless_unrolling"

// -----

vyre.kernel @unrolled_zero_times(%n : index) workgroup_size [4, 1, 1] generator "a" {
  scf.for %k = %n to %n step %n {
  } {vyre.unroll = 0 : i64}
}

// CHECK: 'scf.for' expected 'vyre.unroll' from 1 to 1024, got 0 : i64

// -----

vyre.kernel @no_number(%n : index) workgroup_size [4, 1, 1] generator "a" {
  scf.for %k = %n to %n step %n {
  } {vyre.unroll}
}

// CHECK: 'scf.for' expected 'vyre.unroll' from 1 to 1024, got unit

// -----

vyre.program @lane_without_a_position {
  vyre.region "a" invocations [4] {
    %v = arith.constant dense<[1, 2, 3, 4]> : vector<4xi32>
    %x = "vector.extract"(%v) <{static_position = array<i64>}> : (vector<4xi32>) -> vector<4xi32>
  }
}

// CHECK: 'vector.extract' expected the position of a lane of vector<4xi32>, got 0 indices
// CHECK: "lane_without_a_position"
