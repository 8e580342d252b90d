// RUN: xdsl-opt %s -p 'vyre-split-index-sets{loops=true},canonicalize' | filecheck %s --check-prefix=ONCE
// RUN: xdsl-opt %s -p 'vyre-split-index-sets{loops=true},vyre-split-index-sets{loops=true},canonicalize' | filecheck %s
// RUN: xdsl-opt %s -p 'vyre-split-index-sets{loops=true},vyre-split-index-sets{loops=true},vyre-split-index-sets{loops=true},canonicalize' | filecheck %s

// A loop around that is yet to be split comes first: in its interior, all iterations have all lanes.
// ONCE:       scf.for %item = %c0 to %end
// ONCE:         }{vyre.interior}
// ONCE:         scf.for %k = %c0 to %c2
// ONCE:           }{vyre.all_lanes}

// CHECK:      scf.for %item = %c0 to %interior_end
// CHECK:        scf.for %k = %c0 to %c2
// CHECK-NOT:      scf.if
// CHECK:      } {vyre.interior}
// CHECK:      scf.for %item_1 = %tail_begin to %end
// CHECK:        scf.for %k_1 = %c0 to %interior_end_1
// CHECK:        scf.for %k_2 = %tail_begin_1 to %c2
vyre.kernel @around(%in: !vyre.buffer<?xi8, read_only>, %in_len: index, %steps: index, %out: !vyre.buffer<1xi8, read_write>) workgroup_size [1] generator "around" {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0 : i8
  %known = arith.constant 1048576 : index
  %end = arith.minsi %steps, %known : index
  %total = scf.for %item = %c0 to %end step %c1 iter_args(%sum = %zero) -> (i8) {
    %base = arith.muli %item, %c32 overflow<nsw, nuw> : index
    %all = vyre.load %in[%base] : !vyre.buffer<?xi8, read_only> -> vector<32xi8>
    %lowest = vector.extract %all[0] : i8 from vector<32xi8>
    %inner = scf.for %k = %c0 to %c2 step %c1 iter_args(%so_far = %lowest) -> (i8) {
      %place = arith.muli %k, %c16 overflow<nsw, nuw> : index
      %first = arith.addi %base, %place overflow<nsw, nuw> : index
      %after = arith.addi %first, %c16 overflow<nsw, nuw> : index
      %exist = arith.cmpi sle, %after, %in_len : index
      %one = scf.if %exist -> (i8) {
        %vector = vyre.load %in[%first] in_bounds : !vyre.buffer<?xi8, read_only> -> vector<16xi8>
        %lane = vector.extract %vector[3] : i8 from vector<16xi8>
        scf.yield %lane : i8
      } else {
        %single = vyre.load %in[%first] : !vyre.buffer<?xi8, read_only> -> i8
        scf.yield %single : i8
      } {vyre.all_lanes}
      %more = arith.addi %so_far, %one : i8
      scf.yield %more : i8
    }
    %next = arith.addi %sum, %inner : i8
    scf.yield %next : i8
  }
  vyre.store %total, %out[%c0] in_bounds : i8, !vyre.buffer<1xi8, read_write>
}
