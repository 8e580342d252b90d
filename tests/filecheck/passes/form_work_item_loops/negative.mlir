// RUN: xdsl-opt %s --split-input-file -p 'vyre-form-work-item-loops{annotate=true}' | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'vyre-form-work-item-loops{annotate=true},vyre-form-work-item-loops{annotate=true}' | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'vyre-form-work-item-loops' | filecheck %s --check-prefix=SILENT

// SILENT-NOT: vyre.no_work_item_loops
// SILENT-NOT: workgroup_size [1]

// A data-parallel arm has no workgroups to speak of, and 'vyre-coarsen{workgroup=1}'.
// CHECK: vyre.region "data_parallel" invocations [64] {
vyre.program @data_parallel {
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "data_parallel" invocations [64] {
    %i = vyre.invocation_id x
    %value = arith.index_cast %i : index to i32
    vyre.store %value, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// -----

// CHECK: {reason = "too-many", detail = "workgroups have 320 invocations, more than 256"}
vyre.program @too_many {
  %out = vyre.buffer @out live_out : !vyre.buffer<320xi32, read_write>
  vyre.region "too_many" invocations [320] workgroup_size [320] {
    %i = vyre.local_id x
    %value = arith.index_cast %i : index to i32
    vyre.store %value, %out[%i] : i32, !vyre.buffer<320xi32, read_write>
  }
}

// -----

// CHECK: {reason = "subgroups", detail = "'vyre.subgroup_reduce' depends on subgroups"}
vyre.program @subgroups {
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "subgroups" invocations [64] {
    %i = vyre.invocation_id x
    %value = arith.index_cast %i : index to i32
    %sum = vyre.subgroup_reduce addi %value : i32
    vyre.store %sum, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// -----

// CHECK: {reason = "control-flow", detail = "'scf.while' around what a workgroup does together is neither a branch nor an 'scf.for'"}
vyre.program @while {
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "while" invocations [64] {
    %i = vyre.invocation_id x
    %start = vyre.workgroup_id x
    %one = arith.constant 1 : index
    %last = scf.while (%before = %start) : (index) -> index {
      %more = arith.cmpi sgt, %before, %one : index
      scf.condition(%more) %before : index
    } do {
    ^bb0(%inside: index):
      vyre.barrier
      %half = arith.shrui %inside, %one : index
      scf.yield %half : index
    }
    %value = arith.index_cast %last : index to i32
    vyre.store %value, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// -----

// All invocations agree on the number, but each counts for itself in a loop of its own.
// CHECK: {reason = "divergent", detail = "'scf.if' depends on what each invocation computes by itself"}
vyre.program @divergent {
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "divergent" invocations [64] {
    %i = vyre.invocation_id x
    %one = arith.constant 1 : index
    %none = arith.constant 0 : i32
    %start = vyre.workgroup_id x
    %last = scf.while (%before = %start) : (index) -> index {
      %more = arith.cmpi sgt, %before, %one : index
      scf.condition(%more) %before : index
    } do {
    ^bb0(%inside: index):
      vyre.store %none, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
      %half = arith.shrui %inside, %one : index
      scf.yield %half : index
    }
    %some = arith.cmpi sgt, %last, %one : index
    scf.if %some {
      vyre.barrier
    }
  }
}

// -----

// Two copies under way: which of them is waited for, only the loop knows.
// CHECK: {reason = "async-copy", detail = "'scf.for' has the token of a copy, which only 'vyre.async_wait' waits for"}
vyre.program @async_copy {
  %x = vyre.buffer @x : !vyre.buffer<64xi32, read_only>
  %tile = vyre.buffer @tile : !vyre.buffer<16xi32, read_write, workgroup>
  vyre.region "async_copy" invocations [64] {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %eight = arith.constant 8 : index
    %first = vyre.async_copy %x[%zero], %tile[%zero], %eight : !vyre.buffer<64xi32, read_only>, !vyre.buffer<16xi32, read_write, workgroup>
    %last = scf.for %k = %zero to %eight step %one iter_args(%before = %first) -> (!vyre.token) {
      %next = vyre.async_copy %x[%k], %tile[%eight], %eight : !vyre.buffer<64xi32, read_only>, !vyre.buffer<16xi32, read_write, workgroup>
      vyre.async_wait %before
      scf.yield %next : !vyre.token
    }
    vyre.async_wait %last
  }
}

// -----

// CHECK: {reason = "value-type", detail = "no buffer holds a vector<4xindex>, which is needed later on"}
vyre.program @value_type {
  %x = vyre.buffer @x : !vyre.buffer<64xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "value_type" invocations [64] {
    %i = vyre.invocation_id x
    %value = vyre.load %x[%i] : !vyre.buffer<64xi32, read_only> -> i32
    %number = arith.index_cast %value : i32 to index
    %numbers = vector.broadcast %number : index to vector<4xindex>
    vyre.barrier
    %again = vector.extract %numbers[2] : index from vector<4xindex>
    %none = arith.constant 0 : i32
    vyre.store %none, %out[%again] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// -----

// Outside of the private memory of one lane there is that of the next.
// CHECK: {reason = "private-memory", detail = "'@own' lives across a barrier, and a 'vyre.load' may lie outside of it"}
vyre.program @private_memory {
  %own = vyre.buffer @own : !vyre.buffer<4xi32, read_write, private>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "private_memory" invocations [64] {
    %i = vyre.invocation_id x
    %one = arith.constant 1 : index
    %value = arith.index_cast %i : index to i32
    vyre.store %value, %own[%one] : i32, !vyre.buffer<4xi32, read_write, private>
    vyre.barrier
    %kept = vyre.load %own[%i] : !vyre.buffer<4xi32, read_write, private> -> i32
    vyre.store %kept, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// -----

// In a loop, what one iteration stores is what the next one loads, without a barrier in between.
// CHECK: {reason = "private-memory", detail = "'@own' lives across a barrier, and a 'vyre.load' may lie outside of it"}
vyre.program @private_memory_in_a_loop {
  %own = vyre.buffer @own : !vyre.buffer<4xi32, read_write, private>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "loop" invocations [64] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %four = arith.constant 4 : index
    %value = arith.index_cast %i : index to i32
    scf.for %k = %zero to %four step %one {
      vyre.barrier
      %kept = vyre.load %own[%i] : !vyre.buffer<4xi32, read_write, private> -> i32
      vyre.store %kept, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
      vyre.store %value, %own[%k] : i32, !vyre.buffer<4xi32, read_write, private>
    }
  }
}
