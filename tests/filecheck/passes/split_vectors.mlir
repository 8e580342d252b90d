// RUN: xdsl-opt %s --split-input-file -p vyre-split-vectors | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p vyre-split-vectors,vyre-split-vectors | filecheck %s

// Loads, arithmetic and stores of 12 lanes are those of 8 and of 4.
// CHECK-LABEL: vyre.kernel @twelve
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %0 = vyre.load %in[%c0] in_bounds : !vyre.buffer<12xi32, read_only> -> vector<8xi32>
// CHECK-NEXT:    %1 = arith.constant 8 : index
// CHECK-NEXT:    %2 = arith.addi %c0, %1 : index
// CHECK-NEXT:    %3 = vyre.load %in[%2] in_bounds : !vyre.buffer<12xi32, read_only> -> vector<4xi32>
// CHECK-NEXT:    %4 = arith.addi %0, %0 : vector<8xi32>
// CHECK-NEXT:    %5 = arith.addi %3, %3 : vector<4xi32>
// CHECK-NEXT:    vyre.store %4, %out[%c0] : vector<8xi32>, !vyre.buffer<12xi32, read_write>
// CHECK-NEXT:    %6 = arith.constant 8 : index
// CHECK-NEXT:    %7 = arith.addi %c0, %6 : index
// CHECK-NEXT:    vyre.store %5, %out[%7] : vector<4xi32>, !vyre.buffer<12xi32, read_write>
// CHECK-NEXT:  }
vyre.kernel @twelve(%in: !vyre.buffer<12xi32, read_only>, %out: !vyre.buffer<12xi32, read_write>)
    workgroup_size [1] generator "twelve" {
  %c0 = arith.constant 0 : index
  %v = vyre.load %in[%c0] in_bounds aligned 4 : !vyre.buffer<12xi32, read_only> -> vector<12xi32>
  %sum = arith.addi %v, %v : vector<12xi32>
  vyre.store %sum, %out[%c0] : vector<12xi32>, !vyre.buffer<12xi32, read_write>
}

// -----

// A run of bytes that lanes of words are made of begins where the words before it end.
// CHECK-LABEL: vyre.kernel @words_of_bytes
// CHECK:         vyre.load %in[%c0] : !vyre.buffer<20xi8, read_only> -> vector<4xi32>
// CHECK:         %[[STEP:.*]] = arith.constant 16 : index
// CHECK-NEXT:    %[[AT:.*]] = arith.addi %c0, %[[STEP]] : index
// CHECK-NEXT:    vyre.load %in[%[[AT]]] : !vyre.buffer<20xi8, read_only> -> vector<1xi32>
vyre.kernel @words_of_bytes(%in: !vyre.buffer<20xi8, read_only>, %out: !vyre.buffer<5xi32, read_write>)
    workgroup_size [1] generator "words_of_bytes" {
  %c0 = arith.constant 0 : index
  %v = vyre.load %in[%c0] : !vyre.buffer<20xi8, read_only> -> vector<5xi32>
  vyre.store %v, %out[%c0] : vector<5xi32>, !vyre.buffer<5xi32, read_write>
}

// -----

// A loop carries the parts, and a branch yields them.
// CHECK-LABEL: vyre.kernel @carried
// CHECK:         %{{.*}}, %{{.*}} = scf.for %k = %c0 to %n step %c1 iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (vector<4xi32>, vector<2xi32>) {
// CHECK-NEXT:      %{{.*}}, %{{.*}} = scf.if %odd -> (vector<4xi32>, vector<2xi32>) {
// CHECK-NEXT:        %[[C:.*]] = arith.addi %[[A]], %[[A]] : vector<4xi32>
// CHECK-NEXT:        %[[D:.*]] = arith.addi %[[B]], %[[B]] : vector<2xi32>
// CHECK-NEXT:        scf.yield %[[C]], %[[D]] : vector<4xi32>, vector<2xi32>
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %[[A]], %[[B]] : vector<4xi32>, vector<2xi32>
// CHECK-NOT:     vector<6xi32>
vyre.kernel @carried(%n: index, %out: !vyre.buffer<6xi32, read_write>)
    workgroup_size [1] generator "carried" {
  %c0 = arith.constant 0 : index
  %odd = arith.cmpi sgt, %n, %c0 : index
  %c1 = arith.constant 1 : index
  %start = arith.constant dense<[1, 2, 3, 4, 5, 6]> : vector<6xi32>
  %last = scf.for %k = %c0 to %n step %c1 iter_args(%v = %start) -> (vector<6xi32>) {
    %next = scf.if %odd -> (vector<6xi32>) {
      %double = arith.addi %v, %v : vector<6xi32>
      scf.yield %double : vector<6xi32>
    } else {
      scf.yield %v : vector<6xi32>
    }
    scf.yield %next : vector<6xi32>
  }
  vyre.store %last, %out[%c0] : vector<6xi32>, !vyre.buffer<6xi32, read_write>
}

// -----

// A lane is taken from its part; floats are summed from the first lane to the last.
// CHECK-LABEL: vyre.kernel @lanes
// CHECK:         %[[FOUR:.*]] = vyre.load %in[%c0] : !vyre.buffer<5xf32, read_only> -> vector<4xf32>
// CHECK:         %[[ONE:.*]] = vyre.load %in[%{{.*}}] : !vyre.buffer<5xf32, read_only> -> vector<1xf32>
// CHECK:         vector.extract %[[FOUR]][3] : f32 from vector<4xf32>
// CHECK:         %[[SUM:.*]] = vector.reduction <add>, %[[FOUR]] : vector<4xf32> into f32
// CHECK-NEXT:    %[[LAST:.*]] = vector.extract %[[ONE]][0] : f32 from vector<1xf32>
// CHECK-NEXT:    arith.addf %[[SUM]], %[[LAST]] : f32
vyre.kernel @lanes(%in: !vyre.buffer<5xf32, read_only>, %out: !vyre.buffer<2xf32, read_write>)
    workgroup_size [1] generator "lanes" {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = vyre.load %in[%c0] : !vyre.buffer<5xf32, read_only> -> vector<5xf32>
  %lane = vector.extract %v[3] : f32 from vector<5xf32>
  vyre.store %lane, %out[%c0] : f32, !vyre.buffer<2xf32, read_write>
  %sum = vector.reduction <add>, %v : vector<5xf32> into f32
  vyre.store %sum, %out[%c1] : f32, !vyre.buffer<2xf32, read_write>
}

// -----

// What OpenCL has stays as it is.
// CHECK-LABEL: vyre.kernel @known
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %v = vyre.load %in[%c0] : !vyre.buffer<3xi32, read_only> -> vector<3xi32>
// CHECK-NEXT:    vyre.store %v, %out[%c0] : vector<3xi32>, !vyre.buffer<3xi32, read_write>
vyre.kernel @known(%in: !vyre.buffer<3xi32, read_only>, %out: !vyre.buffer<3xi32, read_write>)
    workgroup_size [1] generator "known" {
  %c0 = arith.constant 0 : index
  %v = vyre.load %in[%c0] : !vyre.buffer<3xi32, read_only> -> vector<3xi32>
  vyre.store %v, %out[%c0] : vector<3xi32>, !vyre.buffer<3xi32, read_write>
}
