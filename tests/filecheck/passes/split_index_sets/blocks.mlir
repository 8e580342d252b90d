// RUN: xdsl-opt %s --split-input-file -p 'vyre-split-index-sets,canonicalize' | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'vyre-split-index-sets,vyre-split-index-sets,canonicalize' | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'vyre-split-index-sets,vyre-prove-accesses' | filecheck %s --check-prefix=PROVEN

// The last of the loads decides for all of them, and the guard of the tail is never true inside.
// What comes after stands once.
// CHECK-LABEL: vyre.kernel @interior
// CHECK:         [[END:%.*]] = arith.addi %second, %{{.*}} : index
// CHECK-NEXT:    %inside = arith.cmpi sle, [[END]], %in_len : index
// CHECK-NEXT:    %b, %masked = scf.if %inside -> (vector<4xi32>, vector<4xi32>) {
// CHECK-NEXT:      %a = vyre.load %in[%first]
// CHECK-NEXT:      %b_1 = vyre.load %in[%second]
// CHECK-NEXT:      scf.yield %b_1, %a
// CHECK-NEXT:    } else {
// CHECK:           vyre.load %in[%first]
// CHECK:           vyre.load %in[%second]
// CHECK:           arith.cmpi sgt
// CHECK:           scf.if
// CHECK:         }{vyre.interior}
// CHECK-NEXT:    %sum = arith.addi %masked, %b : vector<4xi32>
// CHECK-NEXT:    scf.yield %sum : vector<4xi32>

// What the first branch knows, the prover sees.
// PROVEN-LABEL: vyre.kernel @interior
// PROVEN:         vyre.load %in[%first] in_bounds aligned 16
// PROVEN-NEXT:    vyre.load %in[%second] in_bounds aligned 16
// PROVEN:       } else {
// PROVEN:         vyre.load %in[%first] aligned 16
// PROVEN-NEXT:    vyre.load %in[%second] aligned 16
vyre.kernel @interior(%in: !vyre.buffer<?xi8, read_only>, %in_len: index, %out: !vyre.buffer<64xi8, write_only>) workgroup_size [64] generator "interior" {
  %i = vyre.invocation_id x
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0> : vector<4xi32>
  %0 = scf.for %k = %i to %c64 step %c64 iter_args(%carried = %zero) -> (vector<4xi32>) {
    %first = arith.muli %k, %c32 : index
    %a = vyre.load %in[%first] : !vyre.buffer<?xi8, read_only> -> vector<4xi32>
    %second = arith.addi %first, %c16 : index
    %b = vyre.load %in[%second] : !vyre.buffer<?xi8, read_only> -> vector<4xi32>
    %end = arith.addi %first, %c32 : index
    %past = arith.cmpi sgt, %end, %in_len : index
    %masked = scf.if %past -> (vector<4xi32>) {
      scf.yield %zero : vector<4xi32>
    } else {
      scf.yield %a : vector<4xi32>
    }
    %sum = arith.addi %masked, %b : vector<4xi32>
    scf.yield %sum : vector<4xi32>
  }
  %c0 = arith.constant 0 : index
  vyre.store %0, %out[%c0] : vector<4xi32>, !vyre.buffer<64xi8, write_only>
}

// -----

// The guard may compare unsigned numbers, as one does for both ends at once.
// CHECK-LABEL: vyre.kernel @unsigned
// CHECK:         scf.if %{{.*}} -> (vector<4xi32>, vector<4xi32>) {
// CHECK-NEXT:      %a = vyre.load %in[%first]
// CHECK-NEXT:      %b_1 = vyre.load %in[%second]
// CHECK-NEXT:      scf.yield %b_1, %a
// CHECK-NEXT:    } else {
// CHECK:           arith.cmpi ult
// CHECK:           scf.if
// CHECK:         }{vyre.interior}
vyre.kernel @unsigned(%in: !vyre.buffer<?xi8, read_only>, %in_len: index, %out: !vyre.buffer<64xi8, write_only>) workgroup_size [64] generator "unsigned" {
  %i = vyre.invocation_id x
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0> : vector<4xi32>
  %0 = scf.for %k = %i to %c64 step %c64 iter_args(%carried = %zero) -> (vector<4xi32>) {
    %first = arith.muli %k, %c32 : index
    %a = vyre.load %in[%first] : !vyre.buffer<?xi8, read_only> -> vector<4xi32>
    %second = arith.addi %first, %c16 : index
    %b = vyre.load %in[%second] : !vyre.buffer<?xi8, read_only> -> vector<4xi32>
    %end = arith.addi %first, %c32 : index
    %last = arith.subi %end, %c1 : index
    %inside = arith.cmpi ult, %last, %in_len : index
    %masked = scf.if %inside -> (vector<4xi32>) {
      scf.yield %a : vector<4xi32>
    } else {
      scf.yield %zero : vector<4xi32>
    }
    %sum = arith.addi %masked, %b : vector<4xi32>
    scf.yield %sum : vector<4xi32>
  }
  %c0 = arith.constant 0 : index
  vyre.store %0, %out[%c0] : vector<4xi32>, !vyre.buffer<64xi8, write_only>
}

// -----

// A load in front of the buffer asks for a second comparison; in an arm, for the length.
// CHECK-LABEL: vyre.program @both_ends
// CHECK:         [[BEGIN:%.*]] = arith.cmpi sge, %before, %{{.*}} : index
// CHECK:         %inside = arith.andi %{{.*}}, %{{.*}} : i1
// CHECK-NEXT:    %a, %b = scf.if %inside -> (i64, i32) {
vyre.program @both_ends {
  %in = vyre.buffer @in : !vyre.buffer<?xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<?xi32, write_only>
  %n = vyre.buf_len %in : !vyre.buffer<?xi8, read_only>
  vyre.region "window" invocations [%n] {
    %i = vyre.invocation_id x
    %c4 = arith.constant 4 : index
    %before = arith.subi %i, %c4 : index
    %a = vyre.load %in[%before] : !vyre.buffer<?xi8, read_only> -> i64
    %b = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i32
    %low = arith.trunci %a : i64 to i32
    %sum = arith.addi %low, %b : i32
    vyre.store %sum, %out[%i] : i32, !vyre.buffer<?xi32, write_only>
  }
}

// -----

// Where the end may be beyond what an index holds, it is the length that is made smaller: the prover
// would not believe a sum that may wrap around.
// CHECK-LABEL: vyre.kernel @anywhere
// CHECK:         [[LAST:%.*]] = arith.subi %in_len, %{{.*}} : index
// CHECK-NEXT:    arith.cmpi sle, %place, [[LAST]] : index
// PROVEN-LABEL: vyre.kernel @anywhere
// PROVEN:         %a = scf.if %inside -> (i32) {
// PROVEN-NEXT:      vyre.load %in[%place] in_bounds
vyre.kernel @anywhere(%in: !vyre.buffer<?xi8, read_only>, %in_len: index, %place: index, %out: !vyre.buffer<64xi32, write_only>) workgroup_size [64] generator "anywhere" {
  %i = vyre.local_id x
  %a = vyre.load %in[%place] : !vyre.buffer<?xi8, read_only> -> i32
  vyre.store %a, %out[%i] : i32, !vyre.buffer<64xi32, write_only>
}

// -----

// Single elements, accesses that lie inside, and what a workgroup does together stay as they are;
// so do places that the data choose, since the test would have to wait for them.
// CHECK-LABEL: vyre.kernel @negative
// CHECK-NOT:     vyre.interior
vyre.kernel @negative(%in: !vyre.buffer<?xi8, read_only>, %in_len: index, %fixed: !vyre.buffer<256xi8, read_only>, %out: !vyre.buffer<?xi32, write_only>, %out_len: index) workgroup_size [64] generator "negative" {
  %i = vyre.invocation_id x
  %lane = vyre.local_id x
  %c1 = arith.constant 1 : index
  %one = arith.cmpi slt, %lane, %c1 : index
  scf.if %one {
    %a = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %b = vyre.load %fixed[%lane] : !vyre.buffer<256xi8, read_only> -> i32
    %c = arith.extui %a : i8 to i32
    %d = arith.addi %b, %c : i32
    vyre.store %d, %out[%i] : i32, !vyre.buffer<?xi32, write_only>
  } else {
    %a = vyre.load %fixed[%lane] : !vyre.buffer<256xi8, read_only> -> i64
    %place = arith.index_cast %a : i64 to index
    %b = vyre.load %in[%place] : !vyre.buffer<?xi8, read_only> -> i32
    vyre.store %b, %out[%i] : i32, !vyre.buffer<?xi32, write_only>
    %c = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i32
    %e = arith.index_cast %c : i32 to index
    %f = vyre.load %in[%e] : !vyre.buffer<?xi8, read_only> -> i32
    vyre.store %f, %out[%i] : i32, !vyre.buffer<?xi32, write_only>
  }
  %wide = vyre.load %in[%lane] : !vyre.buffer<?xi8, read_only> -> i32
  vyre.barrier
  %after = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i32
  %both = arith.addi %wide, %after : i32
  vyre.store %both, %out[%i] : i32, !vyre.buffer<?xi32, write_only>
}

// -----

// Nothing ever lies inside of a buffer that is shorter than what is loaded of it.
// CHECK-LABEL: vyre.kernel @hopeless
// CHECK-NOT:     vyre.interior
vyre.kernel @hopeless(%in: !vyre.buffer<3xi8, read_only>, %out: !vyre.buffer<4xi8, write_only>) workgroup_size [64] generator "hopeless" {
  %i = vyre.invocation_id x
  %c0 = arith.constant 0 : index
  %a = vyre.load %in[%i] : !vyre.buffer<3xi8, read_only> -> i32
  vyre.store %a, %out[%c0] : i32, !vyre.buffer<4xi8, write_only>
}

// -----

// A loop in front of what is split has a split of its own.
// CHECK-LABEL: vyre.kernel @loop_before
// CHECK:         scf.for
// CHECK:           }{vyre.interior}
// CHECK:         }{vyre.interior}
vyre.kernel @loop_before(%in: !vyre.buffer<?xi8, read_only>, %in_len: index, %out: !vyre.buffer<?xi32, write_only>, %out_len: index) workgroup_size [64] generator "two" {
  %i = vyre.invocation_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %i step %c1 {
    %a = vyre.load %in[%k] : !vyre.buffer<?xi8, read_only> -> i32
    vyre.store %a, %out[%k] : i32, !vyre.buffer<?xi32, write_only>
  }
  %b = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i32
  vyre.store %b, %out[%i] : i32, !vyre.buffer<?xi32, write_only>
}

// -----

// What leads up to a loop that is split runs once for all of its iterations, and stays.
// CHECK-LABEL: vyre.kernel @loop_behind
// CHECK-NOT:     vyre.interior
// CHECK:         scf.for
// CHECK:           }{vyre.interior}
// CHECK-NOT:     vyre.interior
vyre.kernel @loop_behind(%in: !vyre.buffer<?xi8, read_only>, %in_len: index, %out: !vyre.buffer<?xi32, write_only>, %out_len: index) workgroup_size [64] generator "two" {
  %i = vyre.invocation_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i32
  scf.for %k = %c0 to %i step %c1 {
    %a = vyre.load %in[%k] : !vyre.buffer<?xi8, read_only> -> i32
    %sum = arith.addi %a, %b : i32
    vyre.store %sum, %out[%k] : i32, !vyre.buffer<?xi32, write_only>
  }
}

// -----

// Loads in branches are decided on together with the branches around them: in the interior, every
// guard is true. A comparison that decides several others is asked for, too, if it fails at the
// same end.
// CHECK-LABEL: vyre.kernel @guarded
// CHECK:         %inside = arith.andi
// CHECK-NEXT:    scf.if %inside {
// CHECK-NOT:       scf.if
// CHECK:           vyre.load %in[%first]
// CHECK-NOT:       scf.if
// CHECK:           vyre.load %in[%second_1]
// CHECK-NOT:       scf.if
// CHECK:         } else {
// CHECK-COUNT-4:   scf.if
// CHECK:         }{vyre.interior}
vyre.kernel @guarded(%in: !vyre.buffer<?xi8, read_only>, %in_len: index, %out: !vyre.buffer<?xi8, write_only>, %out_len: index, %n: index) workgroup_size [64] generator "guarded" {
  %i = vyre.invocation_id x
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant dense<0> : vector<4xi32>
  %padded = arith.addi %in_len, %c15 : index
  %count = arith.floordivsi %padded, %c16 : index
  %item = arith.muli %i, %c2 : index
  %next = arith.addi %item, %c1 : index
  %has_first = arith.cmpi slt, %item, %count : index
  %a = scf.if %has_first -> (vector<4xi32>) {
    %first = arith.muli %item, %c16 : index
    %0 = vyre.load %in[%first] : !vyre.buffer<?xi8, read_only> -> vector<4xi32>
    scf.yield %0 : vector<4xi32>
  } else {
    scf.yield %zero : vector<4xi32>
  }
  %has_next = arith.cmpi slt, %next, %count : index
  %b = scf.if %has_next -> (vector<4xi32>) {
    %second = arith.muli %next, %c16 : index
    %0 = vyre.load %in[%second] : !vyre.buffer<?xi8, read_only> -> vector<4xi32>
    scf.yield %0 : vector<4xi32>
  } else {
    scf.yield %zero : vector<4xi32>
  }
  %wanted = arith.cmpi slt, %item, %n : index
  scf.if %wanted {
    %0 = vector.extract %a[0] : i32 from vector<4xi32>
    %1 = arith.trunci %0 : i32 to i8
    vyre.store %1, %out[%item] : i8, !vyre.buffer<?xi8, write_only>
  }
  %next_wanted = arith.cmpi slt, %next, %n : index
  scf.if %next_wanted {
    %0 = vector.extract %b[0] : i32 from vector<4xi32>
    %1 = arith.trunci %0 : i32 to i8
    vyre.store %1, %out[%next] : i8, !vyre.buffer<?xi8, write_only>
  }
}

// -----

// Lengths that need not agree: a comparison for each.
// CHECK-LABEL: vyre.kernel @columns
// CHECK-COUNT-4: arith.cmpi sle
// CHECK:         scf.if %inside
// PROVEN-LABEL: vyre.kernel @columns
// PROVEN-COUNT-4: in_bounds
// PROVEN:         } else {
// PROVEN-NOT:     in_bounds
vyre.kernel @columns(%a: !vyre.buffer<?xi8, read_only>, %a_len: index, %b: !vyre.buffer<?xi8, read_only>, %b_len: index, %c: !vyre.buffer<?xi8, read_only>, %c_len: index, %d: !vyre.buffer<?xi8, read_only>, %d_len: index, %out: !vyre.buffer<64xi32, write_only>) workgroup_size [64] generator "columns" {
  %i = vyre.invocation_id x
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0> : vector<4xi32>
  %0 = scf.for %k = %i to %c64 step %c64 iter_args(%carried = %zero) -> (vector<4xi32>) {
    %first = arith.muli %k, %c16 : index
    %a_first = vyre.load %a[%first] : !vyre.buffer<?xi8, read_only> -> vector<4xi32>
    %b_first = vyre.load %b[%first] : !vyre.buffer<?xi8, read_only> -> vector<4xi32>
    %c_first = vyre.load %c[%first] : !vyre.buffer<?xi8, read_only> -> vector<4xi32>
    %d_first = vyre.load %d[%first] : !vyre.buffer<?xi8, read_only> -> vector<4xi32>
    %ab = arith.addi %a_first, %b_first : vector<4xi32>
    %cd = arith.addi %c_first, %d_first : vector<4xi32>
    %sum = arith.addi %ab, %cd : vector<4xi32>
    %all = arith.addi %sum, %carried : vector<4xi32>
    scf.yield %all : vector<4xi32>
  }
  %lane = vector.extract %0[0] : i32 from vector<4xi32>
  vyre.store %lane, %out[%i] : i32, !vyre.buffer<64xi32, write_only>
}
