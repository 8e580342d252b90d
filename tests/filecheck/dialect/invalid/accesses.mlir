// RUN: xdsl-opt %s --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s

// Accesses.

vyre.program @store_to_read_only {
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_only>
  vyre.region "arm" invocations [64] {
    %i = vyre.invocation_id x
    %v = arith.constant 1 : i32
    vyre.store %v, %b[%i] : i32, !vyre.buffer<64xi32, read_only>
  }
}

// CHECK: 'vyre.store' expected a writable buffer, got a read_only one
// CHECK: "store_to_read_only"

// -----

vyre.program @store_to_uniform {
  %b = vyre.buffer @b : !vyre.buffer<64xi32, uniform>
  vyre.region "arm" invocations [64] {
    %i = vyre.invocation_id x
    %v = arith.constant 1 : i32
    vyre.store %v, %b[%i] : i32, !vyre.buffer<64xi32, uniform>
  }
}

// CHECK: 'vyre.store' expected a writable buffer, got a uniform one
// CHECK: "store_to_uniform"

// -----

vyre.program @load_from_write_only {
  %b = vyre.buffer @b : !vyre.buffer<64xi32, write_only>
  vyre.region "arm" invocations [64] {
    %i = vyre.invocation_id x
    %v = arith.constant 1 : i32
    %x = vyre.load %b[%i] : !vyre.buffer<64xi32, write_only> -> i32
  }
}

// CHECK: 'vyre.load' expected a readable buffer, got a write_only one
// CHECK: "load_from_write_only"

// -----

vyre.program @index_that_is_no_index {
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write>
  vyre.region "arm" invocations [64] {
    %i = vyre.invocation_id x
    %v = arith.constant 1 : i32
    "vyre.store"(%v, %b, %v) : (i32, !vyre.buffer<64xi32, read_write>, i32) -> ()
  }
}

// CHECK: operand 'index' at position 2 does not verify:
// CHECK-NEXT: Expected attribute index but got i32
// CHECK: "index_that_is_no_index"

// -----

vyre.program @load_of_part_of_an_element {
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write>
  vyre.region "arm" invocations [64] {
    %i = vyre.invocation_id x
    %v = arith.constant 1 : i32
    %x = vyre.load %b[%i] : !vyre.buffer<64xi32, read_write> -> i8
  }
}

// CHECK: 'vyre.load' expected a type that covers whole elements of i32, got i8
// CHECK: "load_of_part_of_an_element"

// -----

vyre.program @load_of_no_whole_elements {
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write>
  vyre.region "arm" invocations [64] {
    %i = vyre.invocation_id x
    %v = arith.constant 1 : i32
    %x = vyre.load %b[%i] : !vyre.buffer<64xi32, read_write> -> vector<3xi16>
  }
}

// CHECK: 'vyre.load' expected a type that covers whole elements of i32, got vector<3xi16>
// CHECK: "load_of_no_whole_elements"

// -----

vyre.program @load_of_bits_that_fill_no_bytes {
  %b = vyre.buffer @b : !vyre.buffer<64xi8, read_write>
  vyre.region "arm" invocations [64] {
    %i = vyre.invocation_id x
    %v = arith.constant 1 : i32
    %x = vyre.load %b[%i] : !vyre.buffer<64xi8, read_write> -> i12
  }
}

// CHECK: 'vyre.load' expected a type that covers whole elements of i8, got i12
// CHECK: "load_of_bits_that_fill_no_bytes"

// -----

vyre.program @load_of_an_unsized_type {
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write>
  vyre.region "arm" invocations [64] {
    %i = vyre.invocation_id x
    %v = arith.constant 1 : i32
    %x = vyre.load %b[%i] : !vyre.buffer<64xi32, read_write> -> index
  }
}

// CHECK: 'vyre.load' expected a type that covers whole elements of i32, got index
// CHECK: "load_of_an_unsized_type"

// -----

vyre.program @load_of_unsized_elements {
  %b = vyre.buffer @b : !vyre.buffer<64xindex, read_write>
  vyre.region "arm" invocations [64] {
    %i = vyre.invocation_id x
    %v = arith.constant 1 : i32
    %x = vyre.load %b[%i] : !vyre.buffer<64xindex, read_write> -> index
  }
}

// CHECK: 'vyre.load' expected elements of a fixed size, got index
// CHECK: "load_of_unsized_elements"

// -----

vyre.program @store_of_part_of_an_element {
  %b = vyre.buffer @b : !vyre.buffer<64xi64, read_write>
  vyre.region "arm" invocations [64] {
    %i = vyre.invocation_id x
    %v = arith.constant 1 : i32
    vyre.store %v, %b[%i] : i32, !vyre.buffer<64xi64, read_write>
  }
}

// CHECK: 'vyre.store' expected a type that covers whole elements of i64, got i32
// CHECK: "store_of_part_of_an_element"

// -----

vyre.program @load_aligned_to_no_power_of_two {
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write>
  vyre.region "arm" invocations [64] {
    %i = vyre.invocation_id x
    %v = arith.constant 1 : i32
    %x = vyre.load %b[%i] aligned 12 : !vyre.buffer<64xi32, read_write> -> i32
  }
}

// CHECK: 'vyre.load' expected a power of two as alignment, got 12
// CHECK: "load_aligned_to_no_power_of_two"

// -----

vyre.program @store_aligned_to_zero {
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write>
  vyre.region "arm" invocations [64] {
    %i = vyre.invocation_id x
    %v = arith.constant 1 : i32
    vyre.store %v, %b[%i] aligned 0 : i32, !vyre.buffer<64xi32, read_write>
  }
}

// CHECK: 'vyre.store' expected a power of two as alignment, got 0
// CHECK: "store_aligned_to_zero"

// -----

vyre.program @load_from_an_unknown_buffer {
  %a = vyre.buffer @a : !vyre.buffer<64xi32, read_write>
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write>
  vyre.region "arm" invocations [64] {
    %i = vyre.invocation_id x
    %c = arith.constant true
    %d = arith.select %c, %a, %b : !vyre.buffer<64xi32, read_write>
    %v = vyre.load %d[%i] : !vyre.buffer<64xi32, read_write> -> i32
  }
}

// CHECK: 'vyre.load' expected a buffer declared by 'vyre.buffer' or a kernel argument, got a result of 'arith.select'
// CHECK: "load_from_an_unknown_buffer"

// -----

vyre.program @buffer_carried_by_a_loop {
  %a = vyre.buffer @a : !vyre.buffer<64xi32, read_write>
  vyre.region "arm" invocations [64] {
    %i = vyre.invocation_id x
    %r = scf.for %j = %i to %i step %i iter_args(%b = %a) -> (!vyre.buffer<64xi32, read_write>) {
      %v = vyre.load %b[%i] : !vyre.buffer<64xi32, read_write> -> i32
      scf.yield %b : !vyre.buffer<64xi32, read_write>
    }
  }
}

// CHECK: 'vyre.load' expected a buffer declared by 'vyre.buffer' or a kernel argument, got a block argument of 'scf.for'
// CHECK: "buffer_carried_by_a_loop"

// -----

vyre.program @store_by_the_host {
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write>
  %i = arith.constant 0 : index
  %v = arith.constant 1 : i32
  vyre.store %v, %b[%i] : i32, !vyre.buffer<64xi32, read_write>
}

// CHECK: 'vyre.store' expects ancestor op to be one of 'vyre.region', 'vyre.kernel'
// CHECK: "store_by_the_host"

// -----

vyre.program @host_load_from_workgroup_memory {
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write, workgroup>
  %i = arith.constant 0 : index
  %v = vyre.load %b[%i] : !vyre.buffer<64xi32, read_write, workgroup> -> i32
}

// CHECK: 'vyre.load' expected a global buffer outside an arm, got a workgroup one
// CHECK: "host_load_from_workgroup_memory"

// -----

// Atomics.

vyre.program @atomic_on_read_only {
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_only>
  vyre.region "arm" invocations [64] {
    %i = vyre.invocation_id x
    %v = arith.constant 1 : i32
    %o = vyre.atomic_rmw addi %v, %b[%i] : i32, !vyre.buffer<64xi32, read_only>
  }
}

// CHECK: 'vyre.atomic_rmw' expected a writable buffer, got a read_only one
// CHECK: "atomic_on_read_only"

// -----

vyre.program @atomic_on_write_only {
  %b = vyre.buffer @b : !vyre.buffer<64xi32, write_only>
  vyre.region "arm" invocations [64] {
    %i = vyre.invocation_id x
    %v = arith.constant 1 : i32
    %o = vyre.atomic_rmw addi %v, %b[%i] : i32, !vyre.buffer<64xi32, write_only>
  }
}

// CHECK: 'vyre.atomic_rmw' expected a readable buffer, got a write_only one
// CHECK: "atomic_on_write_only"

// -----

vyre.program @atomic_of_another_type {
  %b = vyre.buffer @b : !vyre.buffer<64xi64, read_write>
  vyre.region "arm" invocations [64] {
    %i = vyre.invocation_id x
    %v = arith.constant 1 : i32
    %o = vyre.atomic_rmw addi %v, %b[%i] : i32, !vyre.buffer<64xi64, read_write>
  }
}

// CHECK: 'vyre.atomic_rmw' expected an operand of type i64, got i32
// CHECK: "atomic_of_another_type"

// -----

vyre.program @atomic_on_bytes {
  %b = vyre.buffer @b : !vyre.buffer<64xi8, read_write>
  vyre.region "arm" invocations [64] {
    %i = vyre.invocation_id x
    %v = arith.constant 1 : i8
    %o = vyre.atomic_rmw addi %v, %b[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
}

// CHECK: 'vyre.atomic_rmw' expected elements of type i32 or i64, got i8
// CHECK: "atomic_on_bytes"

// -----

vyre.program @atomic_on_floats {
  %b = vyre.buffer @b : !vyre.buffer<64xf32, read_write>
  vyre.region "arm" invocations [64] {
    %i = vyre.invocation_id x
    %v = arith.constant 1.0 : f32
    %o = vyre.atomic_rmw addi %v, %b[%i] : f32, !vyre.buffer<64xf32, read_write>
  }
}

// CHECK: 'vyre.atomic_rmw' expected elements of type i32 or i64, got f32
// CHECK: "atomic_on_floats"

// -----

vyre.program @atomic_on_private_memory {
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write, private>
  vyre.region "arm" invocations [64] {
    %i = vyre.invocation_id x
    %v = arith.constant 1 : i32
    %o = vyre.atomic_cas %v, %v, %b[%i] : i32, !vyre.buffer<64xi32, read_write, private>
  }
}

// CHECK: 'vyre.atomic_cas' expected a buffer that invocations share, got a private one
// CHECK: "atomic_on_private_memory"

// -----

vyre.program @compare_and_swap_on_uniform {
  %b = vyre.buffer @b : !vyre.buffer<64xi32, uniform>
  vyre.region "arm" invocations [64] {
    %i = vyre.invocation_id x
    %v = arith.constant 1 : i32
    %o = vyre.atomic_cas %v, %v, %b[%i] : i32, !vyre.buffer<64xi32, uniform>
  }
}

// CHECK: 'vyre.atomic_cas' expected a writable buffer, got a uniform one
// CHECK: "compare_and_swap_on_uniform"

// -----

vyre.program @unknown_atomic {
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_write>
  vyre.region "arm" invocations [64] {
    %i = vyre.invocation_id x
    %v = arith.constant 1 : i32
    %o = vyre.atomic_rmw muli %v, %b[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// CHECK: Expected `addi`, `andi`, `ori`, `xori`, `maxs`, `maxu`, `mins`, `minu`, or `assign`.
