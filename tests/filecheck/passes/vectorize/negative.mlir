// RUN: xdsl-opt %s --split-input-file -p 'vyre-vectorize{lanes=4 annotate=true}' | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'vyre-vectorize{lanes=4 annotate=true},vyre-vectorize{lanes=4 annotate=true}' | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'vyre-vectorize{lanes=4}' | filecheck %s --check-prefix=SILENT
// RUN: xdsl-opt %s --split-input-file -p 'vyre-vectorize{lanes=16 vectors=false annotate=true}' | filecheck %s --check-prefix=NUMBERS
// RUN: xdsl-opt %s --split-input-file -p 'vyre-vectorize' | filecheck %s --check-prefix=SILENT

// SILENT-NOT: vyre.not_vectorized
// SILENT-NOT: vyre.lanes

// An arm that depends on its workgroups.
// CHECK: vyre.region "cooperative" invocations [64] attributes {vyre.not_vectorized = {reason = "cooperative", detail = "'vyre.local_id' depends on the workgroup"}} {
vyre.program @cooperative {
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "cooperative" invocations [64] {
    %i = vyre.local_id x
    %value = arith.index_cast %i : index to i32
    vyre.store %value, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// -----

// An invocation that does several items.
// CHECK: vyre.region "coarsened" invocations [64] attributes {vyre.items = 4 : i64, vyre.not_vectorized = {reason = "coarsened", detail = "an invocation does several items already"}} {
vyre.program @coarsened {
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "coarsened" invocations [64] attributes {vyre.items = 4 : i64} {
    %i = vyre.invocation_id x
    %value = arith.index_cast %i : index to i32
    vyre.store %value, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// -----

// CHECK: {reason = "too-few", detail = "3 invocations are fewer than 4 lanes"}
vyre.program @few {
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "few" invocations [3] {
    %i = vyre.invocation_id x
    %value = arith.index_cast %i : index to i32
    vyre.store %value, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// -----

// NUMBERS: {reason = "vectors", detail = "an invocation computes with vectors of 4 lanes already"}
// CHECK: {reason = "too-wide", detail = "items compute with vectors of 4 lanes, vectors of 4 hold too few"}
vyre.program @wide {
  %x = vyre.buffer @x : !vyre.buffer<64xvector<4xi32>, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xvector<4xi32>, read_write>
  vyre.region "wide" invocations [64] {
    %i = vyre.invocation_id x
    %value = vyre.load %x[%i] : !vyre.buffer<64xvector<4xi32>, read_only> -> vector<4xi32>
    vyre.store %value, %out[%i] : vector<4xi32>, !vyre.buffer<64xvector<4xi32>, read_write>
  }
}

// -----

// CHECK: {reason = "private-memory", detail = "'vyre.store' touches private memory, which is one invocation's"}
vyre.program @private {
  %x = vyre.buffer @x : !vyre.buffer<64xi32, read_only>
  %tile = vyre.buffer @tile : !vyre.buffer<4xi32, read_write, private>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "private" invocations [64] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %value = vyre.load %x[%i] : !vyre.buffer<64xi32, read_only> -> i32
    vyre.store %value, %tile[%zero] : i32, !vyre.buffer<4xi32, read_write, private>
    %again = vyre.load %tile[%zero] : !vyre.buffer<4xi32, read_write, private> -> i32
    vyre.store %again, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// -----

// A lane that the data choose.
// CHECK: {reason = "no-vector-form", detail = "'vector.extract' of values that differ between lanes has no vector form: (vector<2xi32>, index) -> (i32)"}
vyre.program @formless {
  %x = vyre.buffer @x : !vyre.buffer<128xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "formless" invocations [64] {
    %i = vyre.invocation_id x
    %two = arith.constant 2 : index
    %place = arith.muli %i, %two : index
    %pair = vyre.load %x[%place] : !vyre.buffer<128xi32, read_only> -> vector<2xi32>
    %lane = arith.remui %i, %two : index
    %value = vector.extract %pair[%lane] : i32 from vector<2xi32>
    vyre.store %value, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// -----

// What follows the data from one iteration to the next.
// CHECK: {reason = "no-vector-form", detail = "'scf.while' of values that differ between lanes has no vector form: (i32) -> (i32)"}
vyre.program @while {
  %x = vyre.buffer @x : !vyre.buffer<64xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "while" invocations [64] {
    %i = vyre.invocation_id x
    %one = arith.constant 1 : i32
    %start = vyre.load %x[%i] : !vyre.buffer<64xi32, read_only> -> i32
    %value = scf.while (%before = %start) : (i32) -> i32 {
      %more = arith.cmpi ugt, %before, %one : i32
      scf.condition(%more) %before : i32
    } do {
    ^bb0(%inside: i32):
      %half = arith.shrui %inside, %one : i32
      scf.yield %half : i32
    }
    vyre.store %value, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// -----

// As many iterations as the data say: one lane might make all others wait for long.
// CHECK: {reason = "divergent-loop", detail = "lanes run an 'scf.for' a different number of times, which are not known to be 64 at most"}
vyre.program @divergent {
  %x = vyre.buffer @x : !vyre.buffer<64xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "divergent" invocations [64] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %none = arith.constant 0 : i32
    %word = vyre.load %x[%i] : !vyre.buffer<64xi32, read_only> -> i32
    %end = arith.index_cast %word : i32 to index
    %sum = scf.for %k = %zero to %end step %one iter_args(%before = %none) -> (i32) {
      %value = vyre.load %x[%k] : !vyre.buffer<64xi32, read_only> -> i32
      %after = arith.addi %before, %value : i32
      scf.yield %after : i32
    }
    vyre.store %sum, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// -----

// A histogram, whose updates go where the data say, with little to compute for them.
// CHECK: {reason = "mostly-scalar", detail = "2 of 3 accesses and ops would be done one lane after the other"}
vyre.program @histogram {
  %x = vyre.buffer @x : !vyre.buffer<64xi32, read_only>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<256xi32, read_write>
  vyre.region "histogram" invocations [64] {
    %i = vyre.invocation_id x
    %one = arith.constant 1 : i32
    %value = vyre.load %x[%i] : !vyre.buffer<64xi32, read_only> -> i32
    %place = arith.index_cast %value : i32 to index
    %old = vyre.atomic_rmw addi %one, %bins[%place] : i32, !vyre.buffer<256xi32, read_write>
  }
}

// -----

// Processors divide vectors by numbers that nobody knows beforehand one lane after the other.
// CHECK: {reason = "mostly-scalar", detail = "3 of 9 accesses and ops would be done one lane after the other"}
vyre.program @unknown_divisor {
  %x = vyre.buffer @x : !vyre.buffer<64xi32, read_only>
  %size = vyre.buffer @size : !vyre.buffer<1xi32, uniform>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<256xi32, read_write>
  vyre.region "quotients" invocations [64] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %least = arith.constant 0 : i32
    %most = arith.constant 255 : i32
    %wide = vyre.load %size[%zero] : !vyre.buffer<1xi32, uniform> -> i32
    %value = vyre.load %x[%i] : !vyre.buffer<64xi32, read_only> -> i32
    %quotient = arith.divui %value, %wide : i32
    %more = arith.addi %quotient, %one : i32
    %mixed = arith.xori %more, %value : i32
    %other = arith.muli %mixed, %more : i32
    %above = arith.maxsi %other, %least : i32
    %within = arith.minsi %above, %most : i32
    %place = arith.index_cast %within : i32 to index
    %old = vyre.atomic_rmw addi %one, %bins[%place] : i32, !vyre.buffer<256xi32, read_write>
  }
}

// -----

// Lanes that have finished would store what they do not mean to.
// CHECK: {reason = "divergent-loop", detail = "lanes run an 'scf.for' a different number of times, and do more in it than compute and load"}
vyre.program @shows {
  %sizes = vyre.buffer @sizes : !vyre.buffer<64xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<1024xi8, read_write>
  vyre.region "shows" invocations [64] {
    %i = vyre.invocation_id x
    %one = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %most = arith.constant 15 : i8
    %begin = arith.muli %i, %c16 : index
    %size = vyre.load %sizes[%i] : !vyre.buffer<64xi8, read_only> -> i8
    %short = arith.andi %size, %most : i8
    %word = arith.extui %short : i8 to i32
    %count = arith.index_cast %word : i32 to index
    %end = arith.addi %begin, %count : index
    scf.for %k = %begin to %end step %one {
      vyre.store %size, %out[%k] : i8, !vyre.buffer<1024xi8, read_write>
    }
  }
}
