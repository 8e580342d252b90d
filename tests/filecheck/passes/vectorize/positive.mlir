// RUN: xdsl-opt %s --split-input-file -p 'vyre-vectorize{lanes=8 annotate=true}' | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'vyre-vectorize{lanes=8 annotate=true},vyre-vectorize{lanes=8 annotate=true}' | filecheck %s

// Contiguous accesses, a neighbour's value, and numbers of the item itself; the tail is scalar.
// CHECK-LABEL: vyre.program @contiguous
// CHECK:       vyre.region "contiguous" invocations [%{{.*}}] attributes {vyre.lanes = 8 : i64} {
// CHECK-NEXT:    %{{.*}} = vyre.invocation_id x
// CHECK-NEXT:    %{{.*}} = arith.constant 8 : index
// CHECK-NEXT:    %first = arith.muli %{{.*}}, %{{.*}} : index
// CHECK-NEXT:    %{{.*}} = arith.constant 8 : index
// CHECK-NEXT:    %{{.*}} = arith.addi %first, %{{.*}} : index
// CHECK-NEXT:    %{{.*}} = arith.cmpi sle, %{{.*}}, %n : index
// CHECK-NEXT:    scf.if %{{.*}} {
// CHECK-NEXT:      %one = arith.constant 1 : index
// CHECK-NEXT:      %next = arith.addi %first, %one : index
// CHECK-NEXT:      %a = vyre.load %x[%first] in_bounds : !vyre.buffer<?xi8, read_only> -> vector<8xi8>
// CHECK-NEXT:      %b = vyre.load %x[%next] : !vyre.buffer<?xi8, read_only> -> vector<8xi8>
// CHECK-NEXT:      %sum = arith.addi %a, %b : vector<8xi8>
// CHECK-NEXT:      %wide = vyre.convert_lanes extui %sum : vector<8xi8> to vector<8xi32>
// CHECK-NEXT:      %id = arith.index_cast %first : index to i32
// CHECK-NEXT:      %{{.*}} = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi32>
// CHECK-NEXT:      %{{.*}} = vector.broadcast %id : i32 to vector<8xi32>
// CHECK-NEXT:      %{{.*}} = arith.addi %{{.*}}, %{{.*}} : vector<8xi32>
// CHECK-NEXT:      %total = arith.addi %wide, %{{.*}} : vector<8xi32>
// CHECK-NEXT:      vyre.store %total, %out[%first] : vector<8xi32>, !vyre.buffer<?xi32, read_write>
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %{{.*}} = arith.constant 1 : index
// CHECK-NEXT:      scf.for %item = %first to %n step %{{.*}} {
// CHECK-NEXT:        %one_1 = arith.constant 1 : index
// CHECK-NEXT:        %next_1 = arith.addi %item, %one_1 : index
// CHECK-NEXT:        %a_1 = vyre.load %x[%item] in_bounds : !vyre.buffer<?xi8, read_only> -> i8
// CHECK-NEXT:        %b_1 = vyre.load %x[%next_1] : !vyre.buffer<?xi8, read_only> -> i8
// CHECK-NEXT:        %sum_1 = arith.addi %a_1, %b_1 : i8
// CHECK-NEXT:        %wide_1 = arith.extui %sum_1 : i8 to i32
// CHECK-NEXT:        %id_1 = arith.index_cast %item : index to i32
// CHECK-NEXT:        %total_1 = arith.addi %wide_1, %id_1 : i32
// CHECK-NEXT:        vyre.store %total_1, %out[%item] : i32, !vyre.buffer<?xi32, read_write>
// CHECK-NEXT:      } {vyre.unroll = 1 : i64, vyre.remainder}
// CHECK-NEXT:    }
vyre.program @contiguous {
  %x = vyre.buffer @x : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %x : !vyre.buffer<?xi8, read_only>
  %out = vyre.buffer @out[%n] live_out initial undefined : !vyre.buffer<?xi32, read_write>
  vyre.region "contiguous" invocations [%n] {
    %i = vyre.invocation_id x
    %one = arith.constant 1 : index
    %next = arith.addi %i, %one : index
    %a = vyre.load %x[%i] in_bounds : !vyre.buffer<?xi8, read_only> -> i8
    %b = vyre.load %x[%next] : !vyre.buffer<?xi8, read_only> -> i8
    %sum = arith.addi %a, %b : i8
    %wide = arith.extui %sum : i8 to i32
    %id = arith.index_cast %i : index to i32
    %total = arith.addi %wide, %id : i32
    vyre.store %total, %out[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
}

// -----

// A whole number of vectors needs no tail; a step of three is three loads and shuffles, the other
// way round shuffles and three stores.
// CHECK-LABEL: vyre.program @strided
// CHECK:       vyre.region "strided" invocations [8] attributes {vyre.lanes = 8 : i64} {
// CHECK-NEXT:    %{{.*}} = vyre.invocation_id x
// CHECK-NEXT:    %{{.*}} = arith.constant 8 : index
// CHECK-NEXT:    %first = arith.muli %{{.*}}, %{{.*}} : index
// CHECK-NEXT:    %one = arith.constant 1 : index
// CHECK-NEXT:    %two = arith.constant 2 : index
// CHECK-NEXT:    %three = arith.constant 3 : index
// CHECK-NEXT:    %first_1 = arith.muli %first, %three : index
// CHECK-NEXT:    %third = arith.addi %first_1, %two : index
// CHECK-NEXT:    %{{.*}} = arith.constant 8 : index
// CHECK-NEXT:    %{{.*}} = arith.addi %first_1, %{{.*}} : index
// CHECK-NEXT:    %{{.*}} = arith.constant 16 : index
// CHECK-NEXT:    %{{.*}} = arith.addi %first_1, %{{.*}} : index
// CHECK-NEXT:    %{{.*}} = vyre.load %x[%first_1] : !vyre.buffer<192xi8, read_only> -> vector<8xi8>
// CHECK-NEXT:    %{{.*}} = vyre.load %x[%{{.*}}] : !vyre.buffer<192xi8, read_only> -> vector<8xi8>
// CHECK-NEXT:    %{{.*}} = vyre.load %x[%{{.*}}] : !vyre.buffer<192xi8, read_only> -> vector<8xi8>
// CHECK-NEXT:    %{{.*}} = vector.shuffle %{{.*}}, %{{.*}} [0, 3, 6, 9, 12, 15, 6, 7] : vector<8xi8>, vector<8xi8>
// CHECK-NEXT:    %a = vector.shuffle %{{.*}}, %{{.*}} [0, 1, 2, 3, 4, 5, 10, 13] : vector<8xi8>, vector<8xi8>
// CHECK-NEXT:    %{{.*}} = vector.shuffle %{{.*}}, %{{.*}} [2, 5, 8, 11, 14, 5, 6, 7] : vector<8xi8>, vector<8xi8>
// CHECK-NEXT:    %b = vector.shuffle %{{.*}}, %{{.*}} [0, 1, 2, 3, 4, 9, 12, 15] : vector<8xi8>, vector<8xi8>
// CHECK-NEXT:    %sum = arith.addi %a, %b : vector<8xi8>
// CHECK-NEXT:    %place = arith.muli %first, %two : index
// CHECK-NEXT:    %after = arith.addi %place, %one : index
// CHECK-NEXT:    %{{.*}} = vector.shuffle %b, %sum [0, 8, 1, 9, 2, 10, 3, 11] : vector<8xi8>, vector<8xi8>
// CHECK-NEXT:    vyre.store %{{.*}}, %out[%place] : vector<8xi8>, !vyre.buffer<128xi8, read_write>
// CHECK-NEXT:    %{{.*}} = vector.shuffle %b, %sum [4, 12, 5, 13, 6, 14, 7, 15] : vector<8xi8>, vector<8xi8>
// CHECK-NEXT:    %{{.*}} = arith.constant 8 : index
// CHECK-NEXT:    %{{.*}} = arith.addi %place, %{{.*}} : index
// CHECK-NEXT:    vyre.store %{{.*}}, %out[%{{.*}}] : vector<8xi8>, !vyre.buffer<128xi8, read_write>
vyre.program @strided {
  %x = vyre.buffer @x : !vyre.buffer<192xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<128xi8, read_write>
  vyre.region "strided" invocations [64] {
    %i = vyre.invocation_id x
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %three = arith.constant 3 : index
    %first = arith.muli %i, %three : index
    %third = arith.addi %first, %two : index
    %a = vyre.load %x[%first] : !vyre.buffer<192xi8, read_only> -> i8
    %b = vyre.load %x[%third] : !vyre.buffer<192xi8, read_only> -> i8
    %sum = arith.addi %a, %b : i8
    %place = arith.muli %i, %two : index
    %after = arith.addi %place, %one : index
    vyre.store %sum, %out[%after] : i8, !vyre.buffer<128xi8, read_write>
    vyre.store %b, %out[%place] : i8, !vyre.buffer<128xi8, read_write>
  }
}

// -----

// Lanes of an item are lanes of the vector of all items.
// CHECK-LABEL: vyre.program @items
// CHECK:       vyre.region "items" invocations [32] attributes {vyre.lanes = 2 : i64} {
// CHECK-NEXT:    %{{.*}} = vyre.invocation_id x
// CHECK-NEXT:    %{{.*}} = arith.constant 2 : index
// CHECK-NEXT:    %first = arith.muli %{{.*}}, %{{.*}} : index
// CHECK-NEXT:    %four = arith.constant 4 : index
// CHECK-NEXT:    %place = arith.muli %first, %four : index
// CHECK-NEXT:    %item = vyre.load %x[%place] : !vyre.buffer<256xi8, read_only> -> vector<8xi8>
// CHECK-NEXT:    %turned = vector.shuffle %item, %item [3, 2, 1, 8, 7, 6, 5, 12] : vector<8xi8>, vector<8xi8>
// CHECK-NEXT:    %zero = arith.constant 0 : i8
// CHECK-NEXT:    %{{.*}} = vector.broadcast %zero : i8 to vector<2xi8>
// CHECK-NEXT:    %{{.*}} = vector.shuffle %{{.*}}, %{{.*}} [0, 0, 0, 0, 1, 1, 1, 1] : vector<2xi8>, vector<2xi8>
// CHECK-NEXT:    %inserted = vector.shuffle %turned, %{{.*}} [0, 9, 2, 3, 4, 13, 6, 7] : vector<8xi8>, vector<8xi8>
// CHECK-NEXT:    %word = vector.bitcast %inserted : vector<8xi8> to vector<2xi32>
// CHECK-NEXT:    %value = vector.shuffle %word, %word [0, 1] : vector<2xi32>, vector<2xi32>
// CHECK-NEXT:    vyre.store %value, %out[%first] : vector<2xi32>, !vyre.buffer<64xi32, read_write>
vyre.program @items {
  %x = vyre.buffer @x : !vyre.buffer<256xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "items" invocations [64] {
    %i = vyre.invocation_id x
    %four = arith.constant 4 : index
    %place = arith.muli %i, %four : index
    %item = vyre.load %x[%place] : !vyre.buffer<256xi8, read_only> -> vector<4xi8>
    %turned = vector.shuffle %item, %item [3, 2, 1, 4] : vector<4xi8>, vector<4xi8>
    %zero = arith.constant 0 : i8
    %inserted = vector.insert %zero, %turned [1] : i8 into vector<4xi8>
    %word = vector.bitcast %inserted : vector<4xi8> to vector<1xi32>
    %value = vector.extract %word[0] : i32 from vector<1xi32>
    vyre.store %value, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// -----

// A reduction of what lanes carry is one of vectors; a loop that all run alike is one loop.
// CHECK-LABEL: vyre.program @loops
// CHECK:       vyre.region "loops" invocations [8] attributes {vyre.lanes = 8 : i64} {
// CHECK-NEXT:    %{{.*}} = vyre.invocation_id x
// CHECK-NEXT:    %{{.*}} = arith.constant 8 : index
// CHECK-NEXT:    %first = arith.muli %{{.*}}, %{{.*}} : index
// CHECK-NEXT:    %zero = arith.constant 0 : index
// CHECK-NEXT:    %one = arith.constant 1 : index
// CHECK-NEXT:    %eight = arith.constant 8 : index
// CHECK-NEXT:    %none = arith.constant 0 : i32
// CHECK-NEXT:    %{{.*}} = vector.broadcast %none : i32 to vector<8xi32>
// CHECK-NEXT:    %sum = scf.for %k = %zero to %eight step %one iter_args(%before = %{{.*}}) -> (vector<8xi32>) {
// CHECK-NEXT:      %place = arith.addi %first, %k : index
// CHECK-NEXT:      %value = vyre.load %x[%place] : !vyre.buffer<80xi32, read_only> -> vector<8xi32>
// CHECK-NEXT:      %after = arith.addi %before, %value : vector<8xi32>
// CHECK-NEXT:      scf.yield %after : vector<8xi32>
// CHECK-NEXT:    }
// CHECK-NEXT:    vyre.store %sum, %out[%first] : vector<8xi32>, !vyre.buffer<64xi32, read_write>
vyre.program @loops {
  %x = vyre.buffer @x : !vyre.buffer<80xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "loops" invocations [64] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %eight = arith.constant 8 : index
    %none = arith.constant 0 : i32
    %sum = scf.for %k = %zero to %eight step %one iter_args(%before = %none) -> (i32) {
      %place = arith.addi %i, %k : index
      %value = vyre.load %x[%place] : !vyre.buffer<80xi32, read_only> -> i32
      %after = arith.addi %before, %value : i32
      scf.yield %after : i32
    }
    vyre.store %sum, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// -----

// A guard is tested for the lane that fails first; where it fails, lanes go one by one.
// CHECK-LABEL: vyre.program @guards
// CHECK:       vyre.region "guards" invocations [8] attributes {vyre.lanes = 8 : i64} {
// CHECK-NEXT:    %{{.*}} = vyre.invocation_id x
// CHECK-NEXT:    %{{.*}} = arith.constant 8 : index
// CHECK-NEXT:    %first = arith.muli %{{.*}}, %{{.*}} : index
// CHECK-NEXT:    %a = vyre.load %x[%first] : !vyre.buffer<?xi8, read_only> -> vector<8xi8>
// CHECK-NEXT:    %b = arith.addi %a, %a : vector<8xi8>
// CHECK-NEXT:    %{{.*}} = arith.subi %n, %first : index
// CHECK-NEXT:    %{{.*}} = arith.constant 8 : index
// CHECK-NEXT:    %{{.*}} = arith.minsi %{{.*}}, %{{.*}} : index
// CHECK-NEXT:    %{{.*}} = arith.constant -1 : index
// CHECK-NEXT:    %{{.*}} = arith.maxsi %{{.*}}, %{{.*}} : index
// CHECK-NEXT:    %{{.*}} = arith.index_cast %{{.*}} : index to i64
// CHECK-NEXT:    %{{.*}} = arith.trunci %{{.*}} : i64 to i32
// CHECK-NEXT:    %{{.*}} = vector.broadcast %{{.*}} : i32 to vector<8xi32>
// CHECK-NEXT:    %{{.*}} = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi32>
// CHECK-NEXT:    %exists = vyre.compare_lanes slt %{{.*}}, %{{.*}} : vector<8xi32> -> vector<8xi1>
// CHECK-NEXT:    %{{.*}} = arith.constant 7 : index
// CHECK-NEXT:    %{{.*}} = arith.addi %first, %{{.*}} : index
// CHECK-NEXT:    %{{.*}} = arith.cmpi slt, %{{.*}}, %n : index
// CHECK-NEXT:    scf.if %{{.*}} {
// CHECK-NEXT:      vyre.store %b, %out[%first] : vector<8xi8>, !vyre.buffer<64xi8, read_write>
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %{{.*}} = arith.constant 0 : index
// CHECK-NEXT:      %{{.*}} = arith.constant 8 : index
// CHECK-NEXT:      %{{.*}} = arith.constant 1 : index
// CHECK-NEXT:      scf.for %lane = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT:        %{{.*}} = arith.addi %first, %lane : index
// CHECK-NEXT:        %{{.*}} = arith.cmpi slt, %{{.*}}, %n : index
// CHECK-NEXT:        scf.if %{{.*}} {
// CHECK-NEXT:          %{{.*}} = vector.extract %b[%lane] : i8 from vector<8xi8>
// CHECK-NEXT:          %{{.*}} = arith.addi %first, %lane : index
// CHECK-NEXT:          vyre.store %{{.*}}, %out[%{{.*}}] : i8, !vyre.buffer<64xi8, read_write>
// CHECK-NEXT:        }
// CHECK-NEXT:      } {vyre.unroll = 1 : i64}
// CHECK-NEXT:    }
vyre.program @guards {
  %x = vyre.buffer @x : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %x : !vyre.buffer<?xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, read_write>
  vyre.region "guards" invocations [64] {
    %i = vyre.invocation_id x
    %a = vyre.load %x[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %b = arith.addi %a, %a : i8
    %exists = arith.cmpi slt, %i, %n : index
    scf.if %exists {
      vyre.store %b, %out[%i] : i8, !vyre.buffer<64xi8, read_write>
    }
  }
}

// -----

// A report is rare: one test of all lanes, and a loop over them.
// CHECK-LABEL: vyre.program @reports
// CHECK:       vyre.region "reports" invocations [8] attributes {vyre.lanes = 8 : i64} {
// CHECK-NEXT:    %{{.*}} = vyre.invocation_id x
// CHECK-NEXT:    %{{.*}} = arith.constant 8 : index
// CHECK-NEXT:    %first = arith.muli %{{.*}}, %{{.*}} : index
// CHECK-NEXT:    %a = vyre.load %x[%first] : !vyre.buffer<64xi8, read_only> -> vector<8xi8>
// CHECK-NEXT:    %most = arith.constant 127 : i8
// CHECK-NEXT:    %{{.*}} = vector.broadcast %most : i8 to vector<8xi8>
// CHECK-NEXT:    %bad = vyre.compare_lanes ugt %a, %{{.*}} : vector<8xi8> -> vector<8xi1>
// CHECK-NEXT:    %{{.*}} = vyre.convert_lanes extui %bad : vector<8xi1> to vector<8xi8>
// CHECK-NEXT:    %{{.*}} = vector.bitcast %{{.*}} : vector<8xi8> to vector<1xi64>
// CHECK-NEXT:    %{{.*}} = vector.extract %{{.*}}[0] : i64 from vector<1xi64>
// CHECK-NEXT:    %{{.*}} = arith.constant 0 : i64
// CHECK-NEXT:    %{{.*}} = arith.cmpi ne, %{{.*}}, %{{.*}} : i64
// CHECK-NEXT:    scf.if %{{.*}} {
// CHECK-NEXT:      %{{.*}} = arith.constant 0 : index
// CHECK-NEXT:      %{{.*}} = arith.constant 8 : index
// CHECK-NEXT:      %{{.*}} = arith.constant 1 : index
// CHECK-NEXT:      scf.for %lane = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT:        %{{.*}} = vector.extract %bad[%lane] : i1 from vector<8xi1>
// CHECK-NEXT:        scf.if %{{.*}} {
// CHECK-NEXT:          %{{.*}} = arith.addi %first, %lane : index
// CHECK-NEXT:          vyre.trap "not ascii" at %{{.*}}, %errors : !vyre.buffer<1xi32, read_write>
// CHECK-NEXT:        }
// CHECK-NEXT:      } {vyre.unroll = 1 : i64}
// CHECK-NEXT:    }
// CHECK-NEXT:    vyre.store %a, %out[%first] : vector<8xi8>, !vyre.buffer<64xi8, read_write>
vyre.program @reports {
  %x = vyre.buffer @x : !vyre.buffer<64xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, read_write>
  %errors = vyre.buffer @errors live_out fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.region "reports" invocations [64] {
    %i = vyre.invocation_id x
    %a = vyre.load %x[%i] : !vyre.buffer<64xi8, read_only> -> i8
    %most = arith.constant 127 : i8
    %bad = arith.cmpi ugt, %a, %most : i8
    scf.if %bad {
      vyre.trap "not ascii" at %i, %errors : !vyre.buffer<1xi32, read_write>
    }
    vyre.store %a, %out[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
}

// -----

// What both branches only compute is chosen; lanes that add nothing add zero.
// CHECK-LABEL: vyre.program @choices
// CHECK:       vyre.region "choices" invocations [8] attributes {vyre.lanes = 8 : i64} {
// CHECK-NEXT:    %{{.*}} = vyre.invocation_id x
// CHECK-NEXT:    %{{.*}} = arith.constant 8 : index
// CHECK-NEXT:    %first = arith.muli %{{.*}}, %{{.*}} : index
// CHECK-NEXT:    %zero = arith.constant 0 : index
// CHECK-NEXT:    %a = vyre.load %x[%first] : !vyre.buffer<64xi8, read_only> -> vector<8xi8>
// CHECK-NEXT:    %limit = arith.constant 97 : i8
// CHECK-NEXT:    %{{.*}} = vector.broadcast %limit : i8 to vector<8xi8>
// CHECK-NEXT:    %lower = vyre.compare_lanes uge %a, %{{.*}} : vector<8xi8> -> vector<8xi1>
// CHECK-NEXT:    %one = arith.constant 1 : i32
// CHECK-NEXT:    %{{.*}} = vector.broadcast %one : i32 to vector<8xi32>
// CHECK-NEXT:    %{{.*}} = arith.constant 0 : i32
// CHECK-NEXT:    %{{.*}} = vector.broadcast %{{.*}} : i32 to vector<8xi32>
// CHECK-NEXT:    %{{.*}} = vyre.select_lanes %lower, %{{.*}}, %{{.*}} : vector<8xi1>, vector<8xi32>
// CHECK-NEXT:    %{{.*}} = vector.shuffle %{{.*}}, %{{.*}} [0, 1, 2, 3] : vector<8xi32>, vector<8xi32>
// CHECK-NEXT:    %{{.*}} = vector.shuffle %{{.*}}, %{{.*}} [4, 5, 6, 7] : vector<8xi32>, vector<8xi32>
// CHECK-NEXT:    %{{.*}} = arith.addi %{{.*}}, %{{.*}} : vector<4xi32>
// CHECK-NEXT:    %{{.*}} = vector.shuffle %{{.*}}, %{{.*}} [0, 1] : vector<4xi32>, vector<4xi32>
// CHECK-NEXT:    %{{.*}} = vector.shuffle %{{.*}}, %{{.*}} [2, 3] : vector<4xi32>, vector<4xi32>
// CHECK-NEXT:    %{{.*}} = arith.addi %{{.*}}, %{{.*}} : vector<2xi32>
// CHECK-NEXT:    %{{.*}} = vector.extract %{{.*}}[0] : i32 from vector<2xi32>
// CHECK-NEXT:    %{{.*}} = vector.extract %{{.*}}[1] : i32 from vector<2xi32>
// CHECK-NEXT:    %{{.*}} = arith.addi %{{.*}}, %{{.*}} : i32
// CHECK-NEXT:    %{{.*}} = arith.constant 0 : i32
// CHECK-NEXT:    %{{.*}} = arith.cmpi ne, %{{.*}}, %{{.*}} : i32
// CHECK-NEXT:    scf.if %{{.*}} {
// CHECK-NEXT:      %old = vyre.atomic_rmw addi %{{.*}}, %count[%zero] : i32, !vyre.buffer<1xi32, read_write>
// CHECK-NEXT:    }
// CHECK-NEXT:    %bit = arith.constant 32 : i8
// CHECK-NEXT:    %{{.*}} = vector.broadcast %bit : i8 to vector<8xi8>
// CHECK-NEXT:    %upper = arith.subi %a, %{{.*}} : vector<8xi8>
// CHECK-NEXT:    %{{.*}} = arith.constant dense<true> : vector<8xi1>
// CHECK-NEXT:    %{{.*}} = arith.xori %lower, %{{.*}} : vector<8xi1>
// CHECK-NEXT:    %case = vyre.select_lanes %lower, %upper, %a : vector<8xi1>, vector<8xi8>
// CHECK-NEXT:    vyre.store %case, %out[%first] : vector<8xi8>, !vyre.buffer<64xi8, read_write>
// CHECK-NEXT:    %value = vyre.convert_lanes extui %a : vector<8xi8> to vector<8xi32>
// CHECK-NEXT:    %{{.*}} = vector.shuffle %value, %value [0, 1, 2, 3] : vector<8xi32>, vector<8xi32>
// CHECK-NEXT:    %{{.*}} = vector.shuffle %value, %value [4, 5, 6, 7] : vector<8xi32>, vector<8xi32>
// CHECK-NEXT:    %{{.*}} = arith.maxui %{{.*}}, %{{.*}} : vector<4xi32>
// CHECK-NEXT:    %{{.*}} = vector.shuffle %{{.*}}, %{{.*}} [0, 1] : vector<4xi32>, vector<4xi32>
// CHECK-NEXT:    %{{.*}} = vector.shuffle %{{.*}}, %{{.*}} [2, 3] : vector<4xi32>, vector<4xi32>
// CHECK-NEXT:    %{{.*}} = arith.maxui %{{.*}}, %{{.*}} : vector<2xi32>
// CHECK-NEXT:    %{{.*}} = vector.extract %{{.*}}[0] : i32 from vector<2xi32>
// CHECK-NEXT:    %{{.*}} = vector.extract %{{.*}}[1] : i32 from vector<2xi32>
// CHECK-NEXT:    %{{.*}} = arith.maxui %{{.*}}, %{{.*}} : i32
// CHECK-NEXT:    %before = vyre.atomic_rmw maxu %{{.*}}, %most[%zero] : i32, !vyre.buffer<1xi32, read_write>
vyre.program @choices {
  %x = vyre.buffer @x : !vyre.buffer<64xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  %most = vyre.buffer @most live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "choices" invocations [64] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %a = vyre.load %x[%i] : !vyre.buffer<64xi8, read_only> -> i8
    %limit = arith.constant 97 : i8
    %lower = arith.cmpi uge, %a, %limit : i8
    %case = scf.if %lower -> (i8) {
      %one = arith.constant 1 : i32
      %old = vyre.atomic_rmw addi %one, %count[%zero] : i32, !vyre.buffer<1xi32, read_write>
      %bit = arith.constant 32 : i8
      %upper = arith.subi %a, %bit : i8
      scf.yield %upper : i8
    } else {
      scf.yield %a : i8
    }
    vyre.store %case, %out[%i] : i8, !vyre.buffer<64xi8, read_write>
    %value = arith.extui %a : i8 to i32
    %before = vyre.atomic_rmw maxu %value, %most[%zero] : i32, !vyre.buffer<1xi32, read_write>
  }
}

// -----

// A table is looked up lane by lane.
// CHECK-LABEL: vyre.program @tables
// CHECK:       vyre.region "tables" invocations [8] attributes {vyre.lanes = 8 : i64} {
// CHECK-NEXT:    %{{.*}} = vyre.invocation_id x
// CHECK-NEXT:    %{{.*}} = arith.constant 8 : index
// CHECK-NEXT:    %first = arith.muli %{{.*}}, %{{.*}} : index
// CHECK-NEXT:    %a = vyre.load %x[%first] : !vyre.buffer<64xi8, read_only> -> vector<8xi8>
// CHECK-NEXT:    %wide = vyre.convert_lanes extui %a : vector<8xi8> to vector<8xi64>
// CHECK-NEXT:    %{{.*}} = vector.extract %wide[0] : i64 from vector<8xi64>
// CHECK-NEXT:    %place = arith.index_cast %{{.*}} : i64 to index
// CHECK-NEXT:    %{{.*}} = vector.extract %wide[1] : i64 from vector<8xi64>
// CHECK-NEXT:    %place_1 = arith.index_cast %{{.*}} : i64 to index
// CHECK-NEXT:    %{{.*}} = vector.extract %wide[2] : i64 from vector<8xi64>
// CHECK-NEXT:    %place_2 = arith.index_cast %{{.*}} : i64 to index
// CHECK-NEXT:    %{{.*}} = vector.extract %wide[3] : i64 from vector<8xi64>
// CHECK-NEXT:    %place_3 = arith.index_cast %{{.*}} : i64 to index
// CHECK-NEXT:    %{{.*}} = vector.extract %wide[4] : i64 from vector<8xi64>
// CHECK-NEXT:    %place_4 = arith.index_cast %{{.*}} : i64 to index
// CHECK-NEXT:    %{{.*}} = vector.extract %wide[5] : i64 from vector<8xi64>
// CHECK-NEXT:    %place_5 = arith.index_cast %{{.*}} : i64 to index
// CHECK-NEXT:    %{{.*}} = vector.extract %wide[6] : i64 from vector<8xi64>
// CHECK-NEXT:    %place_6 = arith.index_cast %{{.*}} : i64 to index
// CHECK-NEXT:    %{{.*}} = vector.extract %wide[7] : i64 from vector<8xi64>
// CHECK-NEXT:    %place_7 = arith.index_cast %{{.*}} : i64 to index
// CHECK-NEXT:    %b = vyre.load %table[%place] : !vyre.buffer<256xi8, read_only> -> i8
// CHECK-NEXT:    %b_1 = vyre.load %table[%place_1] : !vyre.buffer<256xi8, read_only> -> i8
// CHECK-NEXT:    %b_2 = vyre.load %table[%place_2] : !vyre.buffer<256xi8, read_only> -> i8
// CHECK-NEXT:    %b_3 = vyre.load %table[%place_3] : !vyre.buffer<256xi8, read_only> -> i8
// CHECK-NEXT:    %b_4 = vyre.load %table[%place_4] : !vyre.buffer<256xi8, read_only> -> i8
// CHECK-NEXT:    %b_5 = vyre.load %table[%place_5] : !vyre.buffer<256xi8, read_only> -> i8
// CHECK-NEXT:    %b_6 = vyre.load %table[%place_6] : !vyre.buffer<256xi8, read_only> -> i8
// CHECK-NEXT:    %b_7 = vyre.load %table[%place_7] : !vyre.buffer<256xi8, read_only> -> i8
// CHECK-NEXT:    %{{.*}} = arith.constant dense<0> : vector<8xi8>
// CHECK-NEXT:    %{{.*}} = vector.insert %b, %{{.*}} [0] : i8 into vector<8xi8>
// CHECK-NEXT:    %{{.*}} = vector.insert %b_1, %{{.*}} [1] : i8 into vector<8xi8>
// CHECK-NEXT:    %{{.*}} = vector.insert %b_2, %{{.*}} [2] : i8 into vector<8xi8>
// CHECK-NEXT:    %{{.*}} = vector.insert %b_3, %{{.*}} [3] : i8 into vector<8xi8>
// CHECK-NEXT:    %{{.*}} = vector.insert %b_4, %{{.*}} [4] : i8 into vector<8xi8>
// CHECK-NEXT:    %{{.*}} = vector.insert %b_5, %{{.*}} [5] : i8 into vector<8xi8>
// CHECK-NEXT:    %{{.*}} = vector.insert %b_6, %{{.*}} [6] : i8 into vector<8xi8>
// CHECK-NEXT:    %{{.*}} = vector.insert %b_7, %{{.*}} [7] : i8 into vector<8xi8>
// CHECK-NEXT:    vyre.store %{{.*}}, %out[%first] : vector<8xi8>, !vyre.buffer<64xi8, read_write>
vyre.program @tables {
  %x = vyre.buffer @x : !vyre.buffer<64xi8, read_only>
  %table = vyre.buffer @table : !vyre.buffer<256xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, read_write>
  vyre.region "tables" invocations [64] {
    %i = vyre.invocation_id x
    %a = vyre.load %x[%i] : !vyre.buffer<64xi8, read_only> -> i8
    %wide = arith.extui %a : i8 to i64
    %place = arith.index_cast %wide : i64 to index
    %b = vyre.load %table[%place] : !vyre.buffer<256xi8, read_only> -> i8
    vyre.store %b, %out[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
}

// -----

// A branch that yields and stores: where any lane takes the first side, lanes go one by one.
// CHECK-LABEL: vyre.program @rare
// CHECK:       vyre.region "rare" invocations [8] attributes {vyre.lanes = 8 : i64} {
// CHECK-NEXT:    %{{.*}} = vyre.invocation_id x
// CHECK-NEXT:    %{{.*}} = arith.constant 8 : index
// CHECK-NEXT:    %first = arith.muli %{{.*}}, %{{.*}} : index
// CHECK-NEXT:    %a = vyre.load %x[%first] : !vyre.buffer<64xi8, read_only> -> vector<8xi8>
// CHECK-NEXT:    %b = arith.addi %a, %a : vector<8xi8>
// CHECK-NEXT:    %escape = arith.constant 37 : i8
// CHECK-NEXT:    %{{.*}} = vector.broadcast %escape : i8 to vector<8xi8>
// CHECK-NEXT:    %is_escape = vyre.compare_lanes eq %a, %{{.*}} : vector<8xi8> -> vector<8xi1>
// CHECK-NEXT:    %{{.*}} = vyre.convert_lanes extui %is_escape : vector<8xi1> to vector<8xi8>
// CHECK-NEXT:    %{{.*}} = vector.bitcast %{{.*}} : vector<8xi8> to vector<1xi64>
// CHECK-NEXT:    %{{.*}} = vector.extract %{{.*}}[0] : i64 from vector<1xi64>
// CHECK-NEXT:    %{{.*}} = arith.constant 0 : i64
// CHECK-NEXT:    %{{.*}} = arith.cmpi ne, %{{.*}}, %{{.*}} : i64
// CHECK-NEXT:    %c = scf.if %{{.*}} -> (vector<8xi8>) {
// CHECK-NEXT:      %{{.*}} = arith.constant dense<0> : vector<8xi8>
// CHECK-NEXT:      %{{.*}} = arith.constant 0 : index
// CHECK-NEXT:      %{{.*}} = arith.constant 8 : index
// CHECK-NEXT:      %{{.*}} = arith.constant 1 : index
// CHECK-NEXT:      %{{.*}} = scf.for %lane = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (vector<8xi8>) {
// CHECK-NEXT:        %{{.*}} = vector.extract %is_escape[%lane] : i1 from vector<8xi1>
// CHECK-NEXT:        %{{.*}} = scf.if %{{.*}} -> (i8) {
// CHECK-NEXT:          %{{.*}} = vector.extract %b[%lane] : i8 from vector<8xi8>
// CHECK-NEXT:          %{{.*}} = arith.addi %first, %lane : index
// CHECK-NEXT:          vyre.store %{{.*}}, %found[%{{.*}}] : i8, !vyre.buffer<64xi8, read_write>
// CHECK-NEXT:          scf.yield %escape : i8
// CHECK-NEXT:        } else {
// CHECK-NEXT:          %{{.*}} = vector.extract %b[%lane] : i8 from vector<8xi8>
// CHECK-NEXT:          scf.yield %{{.*}} : i8
// CHECK-NEXT:        }
// CHECK-NEXT:        %{{.*}} = vector.insert %{{.*}}, %{{.*}} [%lane] : i8 into vector<8xi8>
// CHECK-NEXT:        scf.yield %{{.*}} : vector<8xi8>
// CHECK-NEXT:      } {vyre.unroll = 1 : i64}
// CHECK-NEXT:      scf.yield %{{.*}} : vector<8xi8>
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %b : vector<8xi8>
// CHECK-NEXT:    }
// CHECK-NEXT:    vyre.store %c, %out[%first] : vector<8xi8>, !vyre.buffer<64xi8, read_write>
vyre.program @rare {
  %x = vyre.buffer @x : !vyre.buffer<64xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, read_write>
  %found = vyre.buffer @found live_out : !vyre.buffer<64xi8, read_write>
  vyre.region "rare" invocations [64] {
    %i = vyre.invocation_id x
    %a = vyre.load %x[%i] : !vyre.buffer<64xi8, read_only> -> i8
    %b = arith.addi %a, %a : i8
    %escape = arith.constant 37 : i8
    %is_escape = arith.cmpi eq, %a, %escape : i8
    %c = scf.if %is_escape -> (i8) {
      vyre.store %b, %found[%i] : i8, !vyre.buffer<64xi8, read_write>
      scf.yield %escape : i8
    } else {
      scf.yield %b : i8
    }
    vyre.store %c, %out[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
}

// -----

// Floats: comparisons, choices, and integers of and from them.
// CHECK-LABEL: vyre.program @floats
// CHECK:       vyre.region "floats" invocations [8] attributes {vyre.lanes = 8 : i64} {
// CHECK:         %value = vyre.load %x[%first] : !vyre.buffer<64xf32, read_only> -> vector<8xf32>
// CHECK:         %above = vyre.compare_float_lanes ugt %value, %{{.*}} : vector<8xf32> -> vector<8xi1>
// CHECK:         %kept = vyre.select_lanes %above, %value, %{{.*}} : vector<8xi1>, vector<8xf32>
// CHECK:         %whole = vyre.convert_lanes fptosi %kept : vector<8xf32> to vector<8xi16>
// CHECK-NEXT:    %again = vyre.convert_lanes uitofp %whole : vector<8xi16> to vector<8xf64>
// CHECK-NEXT:    %small = arith.truncf %again : vector<8xf64> to vector<8xf32>
// CHECK-NEXT:    vyre.store %small, %out[%first] : vector<8xf32>, !vyre.buffer<64xf32, read_write>
vyre.program @floats {
  %x = vyre.buffer @x : !vyre.buffer<64xf32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xf32, read_write>
  vyre.region "floats" invocations [64] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0.0 : f32
    %value = vyre.load %x[%i] : !vyre.buffer<64xf32, read_only> -> f32
    %above = arith.cmpf ugt, %value, %zero : f32
    %kept = arith.select %above, %value, %zero : f32
    %whole = arith.fptosi %kept : f32 to i16
    %again = arith.uitofp %whole : i16 to f64
    %small = arith.truncf %again : f64 to f32
    vyre.store %small, %out[%i] : f32, !vyre.buffer<64xf32, read_write>
  }
}

// -----

// A window around each item: all lanes run the loop as often, and read next to each other.
// CHECK-LABEL: vyre.program @window
// CHECK:         vyre.region "window" invocations [8] attributes {vyre.lanes = 8 : i64} {
// CHECK:           %begin = arith.subi %first, %two : index
// CHECK:           %end = arith.addi %first, %three : index
// CHECK-NOT:       scf.if
// CHECK:           %sum = scf.for %{{.*}} = %begin to %end step %one iter_args(%{{.*}} = %{{.*}}) -> (vector<8xi32>) {
// CHECK-NEXT:        %value = vyre.load %x[%{{.*}}] : !vyre.buffer<64xi32, read_only> -> vector<8xi32>
// CHECK-NEXT:        %next = arith.addi %{{.*}}, %value : vector<8xi32>
// CHECK-NEXT:        scf.yield %next : vector<8xi32>
// CHECK-NEXT:      }
// CHECK-NEXT:      vyre.store %sum, %out[%first] : vector<8xi32>, !vyre.buffer<64xi32, read_write>
vyre.program @window {
  %x = vyre.buffer @x : !vyre.buffer<64xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "window" invocations [64] {
    %i = vyre.invocation_id x
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %three = arith.constant 3 : index
    %none = arith.constant 0 : i32
    %begin = arith.subi %i, %two : index
    %end = arith.addi %i, %three : index
    %sum = scf.for %k = %begin to %end step %one iter_args(%so_far = %none) -> (i32) {
      %value = vyre.load %x[%k] : !vyre.buffer<64xi32, read_only> -> i32
      %next = arith.addi %so_far, %value : i32
      scf.yield %next : i32
    }
    vyre.store %sum, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// -----

// The same, cut off at the ends of the buffer: where that changes nothing for the lane that would
// meet it first, all lanes go together, and elsewhere each runs its own loop.
// CHECK-LABEL: vyre.program @cut
// CHECK:         %{{.*}} = arith.cmpi sge, %{{.*}}, %zero : index
// CHECK:         %{{.*}} = arith.cmpi sle, %{{.*}}, %n : index
// CHECK:         %{{.*}} = arith.andi
// CHECK-NEXT:    %sum = scf.if %{{.*}} -> (vector<8xi32>) {
// CHECK:           scf.for %{{.*}} = %low to %high step %one iter_args(%{{.*}}) -> (vector<8xi32>) {
// CHECK-NEXT:        %value = vyre.load %x[%{{.*}}] in_bounds : !vyre.buffer<64xi32, read_only> -> vector<8xi32>
// CHECK:         } else {
// CHECK:           scf.for %lane =
// CHECK:             scf.for %{{.*}} -> (i32) {
// CHECK-NEXT:          vyre.load %x[%{{.*}}] in_bounds : !vyre.buffer<64xi32, read_only> -> i32
vyre.program @cut {
  %x = vyre.buffer @x : !vyre.buffer<64xi32, read_only>
  %n = vyre.buf_len %x : !vyre.buffer<64xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "cut" invocations [64] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %none = arith.constant 0 : i32
    %low = arith.subi %i, %two : index
    %high = arith.addi %i, %two : index
    %begin = arith.maxsi %low, %zero : index
    %end = arith.minsi %high, %n : index
    %sum = scf.for %k = %begin to %end step %one iter_args(%so_far = %none) -> (i32) {
      %value = vyre.load %x[%k] in_bounds : !vyre.buffer<64xi32, read_only> -> i32
      %next = arith.addi %so_far, %value : i32
      scf.yield %next : i32
    }
    vyre.store %sum, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// -----

// Loops that lanes run a different number of times, and few times: as often as any does, under a
// mask; what is loaded for the others is guarded, though no lane itself would need it.
// CHECK-LABEL: vyre.program @counted
// CHECK:         vyre.region "counted" invocations [8] attributes {vyre.lanes = 8 : i64} {
// CHECK:           %size = vyre.load %sizes[%first] : !vyre.buffer<64xi8, read_only> -> vector<8xi8>
// CHECK:           %{{.*}} = arith.maxsi %{{.*}}, %{{.*}} : vector<4xi64>
// CHECK:           %{{.*}} = arith.maxsi %{{.*}}, %{{.*}} : vector<2xi64>
// CHECK:           %hash = scf.for %{{.*}} = %{{.*}} to %{{.*}} step %one iter_args(%so_far = %{{.*}}) -> (vector<8xi32>) {
// CHECK:             %{{.*}} = vyre.compare_lanes slt %{{.*}}, %{{.*}} : vector<8xi64> -> vector<8xi1>
// CHECK-COUNT-8:     vyre.load %x[%{{.*}}] : !vyre.buffer<?xi8, read_only> -> i8
// CHECK:             %{{.*}} = vyre.select_lanes %{{.*}}, %next, %so_far : vector<8xi1>, vector<8xi32>
// CHECK-NEXT:        scf.yield %{{.*}} : vector<8xi32>
vyre.program @counted {
  %x = vyre.buffer @x : !vyre.buffer<?xi8, read_only>
  %sizes = vyre.buffer @sizes : !vyre.buffer<64xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "counted" invocations [64] {
    %i = vyre.invocation_id x
    %one = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %most = arith.constant 15 : i8
    %none = arith.constant 7 : i32
    %prime = arith.constant 31 : i32
    %begin = arith.muli %i, %c16 : index
    %size = vyre.load %sizes[%i] : !vyre.buffer<64xi8, read_only> -> i8
    %short = arith.andi %size, %most : i8
    %word = arith.extui %short : i8 to i32
    %count = arith.index_cast %word : i32 to index
    %end = arith.addi %begin, %count : index
    %hash = scf.for %k = %begin to %end step %one iter_args(%so_far = %none) -> (i32) {
      %value = vyre.load %x[%k] in_bounds : !vyre.buffer<?xi8, read_only> -> i8
      %wide = arith.extui %value : i8 to i32
      %mixed = arith.xori %so_far, %wide : i32
      %next = arith.muli %mixed, %prime : i32
      scf.yield %next : i32
    }
    vyre.store %hash, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// -----

// Elements that the data choose, for which there is much to compute, also a division by a constant:
// lanes go through memory to a loop of updates, which are known to stay inside as they were.
// CHECK-LABEL: vyre.program @chosen
// CHECK:         [[KEPT:%.*]] = vyre.buffer @within_of_lanes : !vyre.buffer<8xi32, read_write, private>
// CHECK-NEXT:    vyre.region "bins" invocations [8] attributes {vyre.lanes = 8 : i64} {
// CHECK:           %quotient = arith.floordivsi %value, %{{.*}} : vector<8xi32>
// CHECK:           %within = arith.minsi %{{.*}}, %{{.*}} : vector<8xi32>
// CHECK:           vyre.store %within, [[KEPT]][%{{.*}}] in_bounds : vector<8xi32>
// CHECK:           scf.for %lane = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT:        [[BIN:%.*]] = vyre.load [[KEPT]][%lane] in_bounds : !vyre.buffer<8xi32, read_write, private> -> i32
// CHECK-NEXT:        [[PLACE:%.*]] = arith.index_cast [[BIN]] : i32 to index
// CHECK-NEXT:        vyre.atomic_rmw addi %{{.*}}, %bins[[[PLACE]]] in_bounds : i32
// CHECK-NEXT:      } {vyre.unroll = 8 : i64}
// CHECK-NOT:       vyre.atomic_rmw
vyre.program @chosen {
  %x = vyre.buffer @x : !vyre.buffer<64xi32, read_only>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "bins" invocations [64] {
    %i = vyre.invocation_id x
    %one = arith.constant 1 : i32
    %thousand = arith.constant 1000 : i32
    %middle = arith.constant 32 : i32
    %least = arith.constant 0 : i32
    %most = arith.constant 63 : i32
    %value = vyre.load %x[%i] : !vyre.buffer<64xi32, read_only> -> i32
    %quotient = arith.floordivsi %value, %thousand : i32
    %raised = arith.addi %quotient, %middle : i32
    %above = arith.maxsi %raised, %least : i32
    %within = arith.minsi %above, %most : i32
    %bin = arith.index_cast %within : i32 to index
    %old = vyre.atomic_rmw addi %one, %bins[%bin] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// -----

// Where lanes are in rows of a run-time size: one division, and a load of all where they end in none.
// CHECK-LABEL: vyre.program @rows
// CHECK:         vyre.region "rows" invocations [%{{.*}}] attributes {vyre.lanes = 8 : i64} {
// CHECK:           [[PLACE:%.*]] = arith.remui %first, %size : index
// CHECK-NOT:       arith.remui
// CHECK:           [[LAST:%.*]] = arith.subi %size, %{{.*}} : index
// CHECK-NEXT:      [[FITS:%.*]] = arith.cmpi sle, [[PLACE]], [[LAST]] : index
// CHECK-NEXT:      %mask = scf.if [[FITS]] -> (vector<8xi8>) {
// CHECK-NEXT:        [[ALL:%.*]] = vyre.load %key[[[PLACE]]] : !vyre.buffer<?xi8, read_only> -> vector<8xi8>
// CHECK-NEXT:        scf.yield [[ALL]] : vector<8xi8>
// CHECK-NEXT:      } else {
// CHECK:             [[NEXT:%.*]] = arith.addi [[PLACE]], %{{.*}} : index
// CHECK:             [[INSIDE:%.*]] = arith.cmpi slt, [[NEXT]], %size : index
// CHECK:             [[SECOND:%.*]] = arith.select [[INSIDE]], [[NEXT]], %{{.*}} : index
// CHECK:             vyre.load %key[[[SECOND]]] : !vyre.buffer<?xi8, read_only> -> i8
// CHECK:           }
// CHECK-NOT:       arith.remui
// CHECK:         } else {
// CHECK:           arith.remui
vyre.program @rows {
  %x = vyre.buffer @x : !vyre.buffer<?xi8, read_only>
  %key = vyre.buffer @key : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %x : !vyre.buffer<?xi8, read_only>
  %size = vyre.buf_len %key : !vyre.buffer<?xi8, read_only>
  %o = vyre.buffer @o[%n] live_out : !vyre.buffer<?xi8, read_write>
  vyre.region "rows" invocations [%n] {
    %i = vyre.invocation_id x
    %value = vyre.load %x[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %place = arith.remui %i, %size : index
    %mask = vyre.load %key[%place] : !vyre.buffer<?xi8, read_only> -> i8
    %plain = arith.xori %value, %mask : i8
    vyre.store %plain, %o[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
}

// -----

// What is divided may be negative, and so may be where the first lane is.
// CHECK-LABEL: vyre.program @shifted_rows
// CHECK-COUNT-8: arith.remsi
vyre.program @shifted_rows {
  %key = vyre.buffer @key : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %key : !vyre.buffer<?xi8, read_only>
  %o = vyre.buffer @o[%n] live_out : !vyre.buffer<?xi8, read_write>
  vyre.region "rows" invocations [%n] {
    %i = vyre.invocation_id x
    %c5 = arith.constant 5 : index
    %moved = arith.subi %i, %c5 : index
    %place = arith.remsi %moved, %n : index
    %value = vyre.load %key[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %mask = vyre.load %key[%place] : !vyre.buffer<?xi8, read_only> -> i8
    %plain = arith.xori %value, %mask : i8
    vyre.store %plain, %o[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
}

// -----

// All lanes ask at once whether the elements that the data choose are in the buffer.
// CHECK-LABEL: vyre.program @look_up
// CHECK:           [[COUNT:%.*]] = vyre.buf_len %table
// CHECK:           [[REACHED:%.*]] = vector.broadcast %{{.*}} : i32 to vector<8xi32>
// CHECK-NEXT:      [[INSIDE:%.*]] = vyre.compare_lanes ult %code, [[REACHED]] : vector<8xi32> -> vector<8xi1>
// CHECK-NEXT:      [[NONE:%.*]] = arith.constant dense<0> : vector<8xi32>
// CHECK-NEXT:      [[SAFE:%.*]] = vyre.select_lanes [[INSIDE]], %code, [[NONE]] : vector<8xi1>, vector<8xi32>
// CHECK:           [[ANY:%.*]] = arith.cmpi sgt, [[COUNT]], %{{.*}} : index
// CHECK-NEXT:      %value = scf.if [[ANY]] -> (vector<8xi8>) {
// CHECK-NEXT:        [[FIRST:%.*]] = vector.extract [[SAFE]][0] : i32 from vector<8xi32>
// CHECK-NEXT:        [[WIDE:%.*]] = arith.extui [[FIRST]] : i32 to i64
// CHECK-NEXT:        [[PLACE:%.*]] = arith.index_cast [[WIDE]] : i64 to index
// CHECK-NEXT:        vyre.load %table[[[PLACE]]] in_bounds : !vyre.buffer<?xi8, read_only> -> i8
// CHECK:             [[ITEMS:%.*]] = vyre.select_lanes [[INSIDE]], %{{.*}}, %{{.*}} : vector<8xi1>, vector<8xi8>
// CHECK-NEXT:        scf.yield [[ITEMS]] : vector<8xi8>
// CHECK-NEXT:      } else {
vyre.program @look_up {
  %codes = vyre.buffer @codes : !vyre.buffer<?xi32, read_only>
  %table = vyre.buffer @table : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %codes : !vyre.buffer<?xi32, read_only>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, read_write>
  vyre.region "look_up" invocations [%n] {
    %i = vyre.invocation_id x
    %coded = vyre.load %codes[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %mask = arith.constant 85 : i32
    %code = arith.xori %coded, %mask : i32
    %place = arith.index_cast %code : i32 to index
    %value = vyre.load %table[%place] : !vyre.buffer<?xi8, read_only> -> i8
    vyre.store %value, %out[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
}

// -----

// What the data choose is an element of the table, whatever they are.
// CHECK-LABEL: vyre.program @any_byte
// CHECK-NOT:     vyre.compare_lanes
vyre.program @any_byte {
  %codes = vyre.buffer @codes : !vyre.buffer<?xi8, read_only>
  %table = vyre.buffer @table : !vyre.buffer<256xi8, read_only>
  %n = vyre.buf_len %codes : !vyre.buffer<?xi8, read_only>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, read_write>
  vyre.region "look_up" invocations [%n] {
    %i = vyre.invocation_id x
    %code = vyre.load %codes[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %coded = arith.extui %code : i8 to i32
    %mask = arith.constant 85 : i32
    %word = arith.xori %coded, %mask : i32
    %place = arith.index_cast %word : i32 to index
    %value = vyre.load %table[%place] : !vyre.buffer<256xi8, read_only> -> i8
    vyre.store %value, %out[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
}
