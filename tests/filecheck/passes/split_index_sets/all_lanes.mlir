// RUN: xdsl-opt %s --split-input-file -p 'vyre-split-index-sets{loops=true},canonicalize' | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'vyre-split-index-sets{loops=true},vyre-split-index-sets{loops=true},canonicalize' | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'vyre-split-index-sets,canonicalize' | filecheck %s --check-prefix=WHOLE

// Iterations whose lanes all have an invocation come first. What asks the same goes with the test, and what follows
// from it is decided there.
// CHECK-LABEL: vyre.kernel @lanes
// CHECK:         [[SUM:%.*]] = scf.for %k = %c0 to %interior_end step %c1 iter_args(%{{.*}} = %zero) -> (i8) {
// CHECK-NOT:       scf.if
// CHECK:           vyre.load %in[%first] in_bounds : !vyre.buffer<?xi8, read_only> -> vector<16xi8>
// CHECK-NOT:       scf.if
// CHECK:         } {vyre.interior}
// CHECK:         scf.for %{{.*}} = %tail_begin to %end step %c1 iter_args(%{{.*}} = [[SUM]]) -> (i8) {
// CHECK-NOT:       vector
// CHECK:         } {vyre.tail}

// Without `loops`, they stay whole.
// WHOLE-LABEL: vyre.kernel @lanes
// WHOLE:         scf.for
// WHOLE:           scf.if
// WHOLE:           scf.if
// WHOLE-NOT:     vyre.tail
vyre.kernel @lanes(%in: !vyre.buffer<?xi8, read_only>, %n: index, %steps: index, %out: !vyre.buffer<1xi8, read_write>) workgroup_size [1] generator "lanes" {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i8
  %known = arith.constant 1048576 : index
  %end = arith.minsi %steps, %known : index
  %total = scf.for %k = %c0 to %end step %c1 iter_args(%sum = %zero) -> (i8) {
    %first = arith.muli %k, %c16 : index
    %after = arith.addi %first, %c16 : index
    %exist = arith.cmpi sle, %after, %n : index
    %one = scf.if %exist -> (i8) {
      %vector = vyre.load %in[%first] in_bounds : !vyre.buffer<?xi8, read_only> -> vector<16xi8>
      %lane = vector.extract %vector[3] : i8 from vector<16xi8>
      scf.yield %lane : i8
    } else {
      %item = vyre.load %in[%first] : !vyre.buffer<?xi8, read_only> -> i8
      scf.yield %item : i8
    } {vyre.all_lanes}
    %more = arith.addi %sum, %one : i8
    %next = scf.if %exist -> (i8) {
      %twice = arith.addi %more, %one : i8
      scf.yield %twice : i8
    } else {
      scf.yield %more : i8
    }
    scf.yield %next : i8
  }
  vyre.store %total, %out[%c0] in_bounds : i8, !vyre.buffer<1xi8, read_write>
}

// -----

// A branch that lanes have nothing to do with stays in its loop.
// CHECK-LABEL: vyre.kernel @other
// CHECK-NOT:     vyre.interior
vyre.kernel @other(%in: !vyre.buffer<?xi8, read_only>, %n: index, %out: !vyre.buffer<1xi8, read_write>) workgroup_size [1] generator "other" {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 64 : index
  %zero = arith.constant 0 : i8
  %total = scf.for %k = %c0 to %end step %c1 iter_args(%sum = %zero) -> (i8) {
    %exist = arith.cmpi slt, %k, %n : index
    %next = scf.if %exist -> (i8) {
      %item = vyre.load %in[%k] in_bounds : !vyre.buffer<?xi8, read_only> -> i8
      %more = arith.addi %sum, %item : i8
      scf.yield %more : i8
    } else {
      scf.yield %sum : i8
    }
    scf.yield %next : i8
  }
  vyre.store %total, %out[%c0] in_bounds : i8, !vyre.buffer<1xi8, read_write>
}

// -----

// So do those behind what asks whether an iteration has anything to do. It asks that in the tail only.
// CHECK-LABEL: vyre.kernel @guarded
// CHECK:         [[SUM:%.*]] = scf.for %k = %c0 to %interior_end step %c1 iter_args(%{{.*}} = %zero) -> (i8) {
// CHECK-NOT:       scf.if
// CHECK:         } {vyre.interior}
// CHECK:         scf.for %{{.*}} = %tail_begin to %end step %c1 iter_args(%{{.*}} = [[SUM]]) -> (i8) {
// CHECK-NEXT:      arith.cmpi slt
// CHECK-NEXT:      scf.if
// CHECK-NOT:       vector
// CHECK:         } {vyre.tail}
vyre.kernel @guarded(%in: !vyre.buffer<?xi8, read_only>, %count: index, %n: index, %steps: index, %out: !vyre.buffer<1xi8, read_write>) workgroup_size [1] generator "guarded" {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i8
  %known = arith.constant 1048576 : index
  %end = arith.minsi %steps, %known : index
  %total = scf.for %k = %c0 to %end step %c1 iter_args(%sum = %zero) -> (i8) {
    %any = arith.cmpi slt, %k, %count : index
    %next = scf.if %any -> (i8) {
      %first = arith.muli %k, %c16 : index
      %after = arith.addi %first, %c16 : index
      %exist = arith.cmpi sle, %after, %n : index
      %one = scf.if %exist -> (i8) {
        %vector = vyre.load %in[%first] in_bounds : !vyre.buffer<?xi8, read_only> -> vector<16xi8>
        %lane = vector.extract %vector[3] : i8 from vector<16xi8>
        scf.yield %lane : i8
      } else {
        %item = vyre.load %in[%first] : !vyre.buffer<?xi8, read_only> -> i8
        scf.yield %item : i8
      } {vyre.all_lanes}
      %more = arith.addi %sum, %one : i8
      scf.yield %more : i8
    } else {
      scf.yield %sum : i8
    }
    scf.yield %next : i8
  }
  vyre.store %total, %out[%c0] in_bounds : i8, !vyre.buffer<1xi8, read_write>
}
