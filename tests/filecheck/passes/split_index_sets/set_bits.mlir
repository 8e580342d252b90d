// RUN: xdsl-opt %s --split-input-file -p 'vyre-split-index-sets{loops=true},canonicalize' | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'vyre-split-index-sets{loops=true},canonicalize,vyre-split-index-sets{loops=true},canonicalize' | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'vyre-split-index-sets,canonicalize' | filecheck %s --check-prefix=ALL

// The lanes that are set are visited by their bits.
// CHECK-LABEL: vyre.kernel @visits
// CHECK:         [[BITS:%\S+]] = arith.shrui %{{.*}}, %{{.*}} : i64
// CHECK-NEXT:    [[COUNT:%\S+]] = math.ctpop [[BITS]] : i64
// CHECK-NEXT:    %set = arith.index_cast [[COUNT]] : i64 to index
// CHECK:         scf.for %{{.*}} = %{{.*}} to %set step %{{.*}} iter_args(%left = [[BITS]]) -> (i64) {
// CHECK-NEXT:      [[FIRST:%\S+]] = math.cttz %left : i64
// CHECK-NEXT:      [[LANE:%\S+]] = arith.andi [[FIRST]], %{{.*}} : i64
// CHECK-NEXT:      %lane = arith.index_cast [[LANE]] : i64 to index
// CHECK-NEXT:      [[OLD:%\S+]] = vyre.load %sums[%lane]
// CHECK-NEXT:      [[NEW:%\S+]] = arith.addi [[OLD]], %one : i32
// CHECK-NEXT:      vyre.store [[NEW]], %sums[%lane]
// CHECK:           arith.subi %left
// CHECK-NEXT:      arith.andi %left
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    } {vyre.unroll = 1 : i64}
// ALL-LABEL: vyre.kernel @visits
// ALL:         vector.extract
// ALL-NOT:     math.ctpop
vyre.kernel @visits(%a: !vyre.buffer<8xi8, read_only>, %sums: !vyre.buffer<8xi32, read_write>) workgroup_size [1] generator "visits" {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i32
  %limit = arith.constant dense<9> : vector<8xi8>
  %v = vyre.load %a[%c0] : !vyre.buffer<8xi8, read_only> -> vector<8xi8>
  %mask = vyre.compare_lanes ult %v, %limit : vector<8xi8> -> vector<8xi1>
  scf.for %k = %c0 to %c8 step %c1 {
    %is = vector.extract %mask[%k] : i1 from vector<8xi1>
    scf.if %is {
      %old = vyre.load %sums[%k] : !vyre.buffer<8xi32, read_write> -> i32
      %new = arith.addi %old, %one : i32
      vyre.store %new, %sums[%k] : i32, !vyre.buffer<8xi32, read_write>
    }
  }
}

// -----

// Half of the lanes, lanes of which each does something, and a number of each lane that is set: all are asked.
// CHECK-LABEL: vyre.kernel @asks
// CHECK-NOT:     math.ctpop
vyre.kernel @asks(%a: !vyre.buffer<8xi8, read_only>, %sums: !vyre.buffer<8xi32, read_write>) workgroup_size [1] generator "asks" {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %limit = arith.constant dense<9> : vector<8xi8>
  %v = vyre.load %a[%c0] : !vyre.buffer<8xi8, read_only> -> vector<8xi8>
  %mask = vyre.compare_lanes ult %v, %limit : vector<8xi8> -> vector<8xi1>
  scf.for %k = %c0 to %c4 step %c1 {
    %is = vector.extract %mask[%k] : i1 from vector<8xi1>
    scf.if %is {
      vyre.store %one, %sums[%k] : i32, !vyre.buffer<8xi32, read_write>
    }
  }
  scf.for %k = %c0 to %c8 step %c1 {
    %is = vector.extract %mask[%k] : i1 from vector<8xi1>
    scf.if %is {
      vyre.store %one, %sums[%k] : i32, !vyre.buffer<8xi32, read_write>
    } else {
      vyre.store %two, %sums[%k] : i32, !vyre.buffer<8xi32, read_write>
    }
  }
  %count = scf.for %k = %c0 to %c8 step %c1 iter_args(%sum = %two) -> (i32) {
    %is = vector.extract %mask[%k] : i1 from vector<8xi1>
    %next = scf.if %is -> (i32) {
      %more = arith.addi %sum, %one : i32
      scf.yield %more : i32
    } else {
      scf.yield %sum : i32
    }
    scf.yield %next : i32
  }
  vyre.store %count, %sums[%c0] : i32, !vyre.buffer<8xi32, read_write>
}
