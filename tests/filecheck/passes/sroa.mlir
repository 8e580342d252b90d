// RUN: xdsl-opt %s --split-input-file -p vyre-sroa,canonicalize | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p vyre-sroa,vyre-sroa,canonicalize | filecheck %s

// What vectors were stored as they are loaded as, cut or joined.
// CHECK-LABEL: vyre.kernel @vectors
// CHECK-NOT:     vyre.buffer @tile
// CHECK:         %low = vyre.load %in[%{{.*}}]
// CHECK:         %high = vyre.load %in[%{{.*}}]
// CHECK-NEXT:    vyre.store %high, %out
// CHECK-NEXT:    %middle = vector.shuffle %low, %high [2, 3, 4, 5] : vector<4xi32>, vector<4xi32>
// CHECK-NEXT:    vyre.store %middle, %out
// CHECK-NEXT:    %word = vector.extract %low[3] : i32 from vector<4xi32>
// CHECK-NEXT:    vyre.store %word, %out
// CHECK-NEXT:    %bytes = vector.bitcast %low : vector<4xi32> to vector<16xi8>
// CHECK-NEXT:    vyre.store %bytes, %out
vyre.kernel @vectors(%in: !vyre.buffer<64xi8, read_only>, %out: !vyre.buffer<64xi8, write_only>) workgroup_size [64] generator "vectors" {
  %tile = vyre.buffer @tile : !vyre.buffer<32xi8, read_write, private>
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %c16 = arith.constant 16 : index
  %low = vyre.load %in[%c0] : !vyre.buffer<64xi8, read_only> -> vector<4xi32>
  vyre.store %low, %tile[%c0] : vector<4xi32>, !vyre.buffer<32xi8, read_write, private>
  %high = vyre.load %in[%c16] : !vyre.buffer<64xi8, read_only> -> vector<4xi32>
  vyre.store %high, %tile[%c16] : vector<4xi32>, !vyre.buffer<32xi8, read_write, private>
  %same = vyre.load %tile[%c16] : !vyre.buffer<32xi8, read_write, private> -> vector<4xi32>
  vyre.store %same, %out[%c0] : vector<4xi32>, !vyre.buffer<64xi8, write_only>
  %middle = vyre.load %tile[%c8] : !vyre.buffer<32xi8, read_write, private> -> vector<4xi32>
  vyre.store %middle, %out[%c0] : vector<4xi32>, !vyre.buffer<64xi8, write_only>
  %word = vyre.load %tile[%c12] : !vyre.buffer<32xi8, read_write, private> -> i32
  vyre.store %word, %out[%c0] : i32, !vyre.buffer<64xi8, write_only>
  %bytes = vyre.load %tile[%c0] : !vyre.buffer<32xi8, read_write, private> -> vector<16xi8>
  vyre.store %bytes, %out[%c0] : vector<16xi8>, !vyre.buffer<64xi8, write_only>
}

// -----

// A store to a part of a vector, in a branch, gives another vector; a loop carries what it reads.
// CHECK-LABEL: vyre.kernel @control_flow
// CHECK-NOT:     vyre.buffer @tile
// CHECK:         %all_1 = scf.if %some -> (vector<4xi32>) {
// CHECK:           %all_2 = vector.insert %word, %all [2] : i32 into vector<4xi32>
// CHECK-NEXT:      scf.yield %all_2 : vector<4xi32>
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %all : vector<4xi32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %all_3 = scf.for %k = %{{.*}} to %n step %{{.*}} iter_args(%all_4 = %all_1) -> (vector<4xi32>) {
// CHECK-NEXT:      %twice = arith.addi %all_4, %all_4 : vector<4xi32>
// CHECK-NEXT:      scf.yield %twice : vector<4xi32>
// CHECK-NEXT:    }
// CHECK-NEXT:    vyre.store %all_3, %out
vyre.kernel @control_flow(%out: !vyre.buffer<?xi32, write_only>, %n: index) workgroup_size [64] generator "flow" {
  %tile = vyre.buffer @tile : !vyre.buffer<4xi32, read_write, private>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %all = arith.constant dense<[1, 2, 3, 4]> : vector<4xi32>
  vyre.store %all, %tile[%c0] : vector<4xi32>, !vyre.buffer<4xi32, read_write, private>
  %i = vyre.invocation_id x
  %some = arith.cmpi slt, %i, %n : index
  scf.if %some {
    %word = arith.index_cast %i : index to i32
    vyre.store %word, %tile[%c2] : i32, !vyre.buffer<4xi32, read_write, private>
  }
  scf.for %k = %c0 to %n step %c1 {
    %value = vyre.load %tile[%c0] : !vyre.buffer<4xi32, read_write, private> -> vector<4xi32>
    %twice = arith.addi %value, %value : vector<4xi32>
    vyre.store %twice, %tile[%c0] : vector<4xi32>, !vyre.buffer<4xi32, read_write, private>
  }
  %last = vyre.load %tile[%c0] : !vyre.buffer<4xi32, read_write, private> -> vector<4xi32>
  vyre.store %last, %out[%i] : vector<4xi32>, !vyre.buffer<?xi32, write_only>
}

// -----

// What is stored and never read goes, and so does what a loop would carry of it.
// CHECK-LABEL: vyre.kernel @never_read
// CHECK-NOT:     tile
// CHECK:         scf.for %k = %{{.*}} to %n step %{{.*}} {
// CHECK-NEXT:      %value = vyre.load %in[%k]
// CHECK-NEXT:      vyre.store %value, %out[%k]
// CHECK-NEXT:    }
vyre.kernel @never_read(%in: !vyre.buffer<64xi32, read_only>, %out: !vyre.buffer<64xi32, write_only>, %n: index) workgroup_size [64] generator "dead" {
  %tile = vyre.buffer @tile : !vyre.buffer<4xi32, read_write, private>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    %value = vyre.load %in[%k] : !vyre.buffer<64xi32, read_only> -> i32
    vyre.store %value, %tile[%c1] : i32, !vyre.buffer<4xi32, read_write, private>
    %same = vyre.load %tile[%c1] : !vyre.buffer<4xi32, read_write, private> -> i32
    vyre.store %same, %out[%k] : i32, !vyre.buffer<64xi32, write_only>
  }
}

// -----

// In an arm, each of two arms has a buffer of its own under one name.
// CHECK-LABEL: vyre.program @arms
// CHECK-NOT:     private>
// CHECK:         vyre.region "one"
// CHECK:           vyre.store %{{.*}}, %out
// CHECK:         vyre.region "two"
// CHECK:           vyre.store %{{.*}}, %out
vyre.program @arms {
  %tile = vyre.buffer @tile : !vyre.buffer<1xi32, read_write, private>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, write_only>
  vyre.region "one" invocations [64] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    vyre.store %one, %tile[%c0] : i32, !vyre.buffer<1xi32, read_write, private>
    %value = vyre.load %tile[%c0] : !vyre.buffer<1xi32, read_write, private> -> i32
    vyre.store %value, %out[%i] : i32, !vyre.buffer<64xi32, write_only>
  }
  vyre.region "two" invocations [64] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %two = arith.constant 2 : i32
    vyre.store %two, %tile[%c0] : i32, !vyre.buffer<1xi32, read_write, private>
    %value = vyre.load %tile[%c0] : !vyre.buffer<1xi32, read_write, private> -> i32
    vyre.store %value, %out[%i] : i32, !vyre.buffer<64xi32, write_only>
  }
}

// -----

// The offset is not known, the words of a vector would be three: such buffers stay memory.
// CHECK-LABEL: vyre.kernel @negative
// CHECK:         vyre.buffer @unknown
// CHECK:         vyre.buffer @three
// CHECK-COUNT-2: vyre.load
vyre.kernel @negative(%out: !vyre.buffer<64xi32, write_only>) workgroup_size [64] generator "negative" {
  %unknown = vyre.buffer @unknown : !vyre.buffer<4xi32, read_write, private>
  %three = vyre.buffer @three : !vyre.buffer<3xi32, read_write, private>
  %i = vyre.invocation_id x
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  vyre.store %zero, %unknown[%i] : i32, !vyre.buffer<4xi32, read_write, private>
  %0 = vyre.load %unknown[%c0] : !vyre.buffer<4xi32, read_write, private> -> i32
  vyre.store %0, %out[%c0] : i32, !vyre.buffer<64xi32, write_only>
  %zeros = arith.constant dense<0> : vector<3xi32>
  vyre.store %zeros, %three[%c0] : vector<3xi32>, !vyre.buffer<3xi32, read_write, private>
  %2 = vyre.load %three[%c0] : !vyre.buffer<3xi32, read_write, private> -> i32
  vyre.store %2, %out[%c0] : i32, !vyre.buffer<64xi32, write_only>
}

// -----

// A loop whose iterations are items carries no private memory on; another one does.
// CHECK-LABEL: vyre.kernel @items
// CHECK:         scf.for %item = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT:      %first = arith.cmpi eq, %item, %c0 : index
// CHECK-NEXT:      %{{.*}} = scf.if %first -> (i32) {
// CHECK:         } {vyre.each_item}
// CHECK:         scf.for %other = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (i32) {
vyre.kernel @items(%out: !vyre.buffer<64xi32, write_only>) workgroup_size [64] generator "items" {
  %tile = vyre.buffer @tile : !vyre.buffer<1xi32, read_write, private>
  %kept = vyre.buffer @kept : !vyre.buffer<1xi32, read_write, private>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1 : i32
  scf.for %item = %c0 to %c64 step %c1 {
    %first = arith.cmpi eq, %item, %c0 : index
    scf.if %first {
      vyre.store %one, %tile[%c0] : i32, !vyre.buffer<1xi32, read_write, private>
    }
    %0 = vyre.load %tile[%c0] : !vyre.buffer<1xi32, read_write, private> -> i32
    vyre.store %0, %out[%item] : i32, !vyre.buffer<64xi32, write_only>
  } {vyre.each_item}
  scf.for %other = %c0 to %c64 step %c1 {
    %first = arith.cmpi eq, %other, %c0 : index
    scf.if %first {
      vyre.store %one, %kept[%c0] : i32, !vyre.buffer<1xi32, read_write, private>
    }
    %0 = vyre.load %kept[%c0] : !vyre.buffer<1xi32, read_write, private> -> i32
    vyre.store %0, %out[%other] : i32, !vyre.buffer<64xi32, write_only>
  }
}

// -----

// Of an access that is partly outside, the elements inside are left; zeros are read outside, and
// what is stored there is dropped.
// CHECK-LABEL: vyre.kernel @partly_outside
// CHECK-NOT:     private>
// CHECK:         %[[VALUES:.*]] = vyre.load %x
// CHECK:         %[[LAST:.*]] = vector.extract %[[VALUES]][3] : i32 from vector<4xi32>
// CHECK:         %[[ZEROS:.*]] = arith.constant dense<0> : vector<4xi32>
// CHECK:         %[[FIRST:.*]] = vector.insert %[[LAST]], %[[ZEROS]] [0] : i32 into vector<4xi32>
// CHECK:         vyre.store %[[FIRST]], %out
// CHECK:         %[[NONE:.*]] = arith.constant dense<0> : vector<4xi32>
// CHECK:         vyre.store %[[NONE]], %out
vyre.kernel @partly_outside(%x: !vyre.buffer<64xi32, read_only>, %out: !vyre.buffer<64xi32, write_only>) workgroup_size [64] generator "partly_outside" {
  %tile = vyre.buffer @tile : !vyre.buffer<1xi32, read_write, private>
  %c0 = arith.constant 0 : index
  %before = arith.constant -3 : index
  %behind = arith.constant 1 : index
  %values = vyre.load %x[%c0] : !vyre.buffer<64xi32, read_only> -> vector<4xi32>
  vyre.store %values, %tile[%before] : vector<4xi32>, !vyre.buffer<1xi32, read_write, private>
  vyre.store %values, %tile[%behind] : vector<4xi32>, !vyre.buffer<1xi32, read_write, private>
  %first = vyre.load %tile[%c0] : !vyre.buffer<1xi32, read_write, private> -> vector<4xi32>
  vyre.store %first, %out[%c0] : vector<4xi32>, !vyre.buffer<64xi32, write_only>
  %none = vyre.load %tile[%behind] : !vyre.buffer<1xi32, read_write, private> -> vector<4xi32>
  vyre.store %none, %out[%c0] : vector<4xi32>, !vyre.buffer<64xi32, write_only>
}

// -----

// What an iteration stores and loads itself, under a condition, is not carried to the next one.
// CHECK-LABEL: vyre.kernel @kept_within
// CHECK:         scf.for %k = %c0 to %n step %c1 {
// CHECK-NEXT:      %x = vyre.load %in[%k]
// CHECK-NEXT:      %c = arith.cmpi
// CHECK-NEXT:      scf.if %c {
// CHECK-NEXT:        vyre.store %x, %out[%k]
// CHECK-NEXT:      }
// CHECK-NEXT:    }
vyre.kernel @kept_within(%in: !vyre.buffer<8xi32, read_only>, %n: index, %out: !vyre.buffer<8xi32, read_write>) workgroup_size [1] generator "kept_within" {
  %kept = vyre.buffer @kept : !vyre.buffer<1xi32, read_write, private>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    %x = vyre.load %in[%k] : !vyre.buffer<8xi32, read_only> -> i32
    %c = arith.cmpi slt, %k, %c1 : index
    scf.if %c {
      vyre.store %x, %kept[%c0] in_bounds : i32, !vyre.buffer<1xi32, read_write, private>
      %y = vyre.load %kept[%c0] in_bounds : !vyre.buffer<1xi32, read_write, private> -> i32
      vyre.store %y, %out[%k] : i32, !vyre.buffer<8xi32, read_write>
    }
  }
}

// -----

// What one iteration leaves for the next one is.
// CHECK-LABEL: vyre.kernel @kept_beyond
// CHECK:         scf.for %k = %c0 to %n step %c1 iter_args(%{{.*}} = %{{.*}}) -> (i32) {
vyre.kernel @kept_beyond(%in: !vyre.buffer<8xi32, read_only>, %n: index, %out: !vyre.buffer<8xi32, read_write>) workgroup_size [1] generator "kept_beyond" {
  %kept = vyre.buffer @kept : !vyre.buffer<1xi32, read_write, private>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    %x = vyre.load %in[%k] : !vyre.buffer<8xi32, read_only> -> i32
    %y = vyre.load %kept[%c0] in_bounds : !vyre.buffer<1xi32, read_write, private> -> i32
    vyre.store %y, %out[%k] : i32, !vyre.buffer<8xi32, read_write>
    %c = arith.cmpi slt, %k, %c1 : index
    scf.if %c {
      vyre.store %x, %kept[%c0] in_bounds : i32, !vyre.buffer<1xi32, read_write, private>
    }
  }
}
