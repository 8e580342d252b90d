// RUN: xdsl-opt %s --split-input-file -p vyre-prove-accesses,vyre-optimize-integers | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p vyre-prove-accesses,vyre-optimize-integers,vyre-optimize-integers | filecheck %s

// A minimum or a maximum that is always one of two is that one, also of lanes, whose range is that of all of them: of
// what is extended, taken out, masked and shuffled. One number less, and it stays.
// CHECK-LABEL: vyre.region "extrema"
// CHECK:         vyre.store %value, %out[%i]
// CHECK-NEXT:    vyre.store %value, %out[%i]
// CHECK-NEXT:    %cut = arith.minui %value, %less : i32
// CHECK:         %third = vector.extract %wide[2]
// CHECK-NEXT:    vyre.store %third, %lanes[%i]
// CHECK:         vyre.store %limits, %lanes[%i]
// CHECK:         %one_less = arith.maxui %wide, %some : vector<4xi32>
// CHECK:         %index = arith.index_cast %first : i32 to index
// CHECK-NEXT:    vyre.store %value, %out[%index] in_bounds : i32
vyre.program @extrema {
  %data = vyre.buffer @data : !vyre.buffer<64xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  %lanes = vyre.buffer @lanes live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "extrema" invocations [16] {
    %i = vyre.invocation_id x
    %most = arith.constant 255 : i32
    %less = arith.constant 254 : i32
    %byte = vyre.load %data[%i] : !vyre.buffer<64xi8, read_only> -> i8
    %value = arith.extui %byte : i8 to i32
    %kept = arith.minui %value, %most : i32
    vyre.store %kept, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
    %itself = arith.maxsi %value, %value : i32
    vyre.store %itself, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
    %cut = arith.minui %value, %less : i32
    vyre.store %cut, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
    %bytes = vyre.load %data[%i] : !vyre.buffer<64xi8, read_only> -> vector<4xi8>
    %wide = vyre.convert_lanes extui %bytes : vector<4xi8> to vector<4xi32>
    %third = vector.extract %wide[2] : i32 from vector<4xi32>
    %same = arith.minsi %third, %most : i32
    vyre.store %same, %lanes[%i] : i32, !vyre.buffer<64xi32, read_write>
    %limits = arith.constant dense<[255, 256, 300, 255]> : vector<4xi32>
    %all = arith.maxui %wide, %limits : vector<4xi32>
    vyre.store %all, %lanes[%i] : vector<4xi32>, !vyre.buffer<64xi32, read_write>
    %some = arith.constant dense<[255, 256, 254, 255]> : vector<4xi32>
    %one_less = arith.maxui %wide, %some : vector<4xi32>
    vyre.store %one_less, %lanes[%i] : vector<4xi32>, !vyre.buffer<64xi32, read_write>
    %mask = arith.constant dense<63> : vector<4xi32>
    %low = arith.andi %wide, %mask : vector<4xi32>
    %shuffled = vector.shuffle %low, %low [3, 0] : vector<4xi32>, vector<4xi32>
    %first = vector.extract %shuffled[0] : i32 from vector<2xi32>
    %index = arith.index_cast %first : i32 to index
    vyre.store %value, %out[%index] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// -----

// Lanes that are indices are read as signed numbers, as an index is: where a lane may be negative, the unsigned minimum
// is not decided by ranges, and the signed one is.
// CHECK-LABEL: vyre.region "indices"
// CHECK:         %unsigned = arith.minui %negative, %small : vector<4xindex>
// CHECK-NEXT:    %unsigned_lane = vector.extract %unsigned[0]
// CHECK-NEXT:    %signed_lane = vector.extract %negative[0]
// CHECK-NEXT:    %large_lane = vector.extract %large[0]
vyre.program @indices {
  %numbers = vyre.buffer @numbers live_out : !vyre.buffer<3xi64, read_write>
  vyre.region "indices" invocations [1] {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %negative = arith.constant dense<[-5, -4, -3, -2]> : vector<4xindex>
    %small = arith.constant dense<[0, 1, 2, 3]> : vector<4xindex>
    %large = arith.constant dense<[3, 4, 5, 6]> : vector<4xindex>
    %unsigned = arith.minui %negative, %small : vector<4xindex>
    %unsigned_lane = vector.extract %unsigned[0] : index from vector<4xindex>
    %signed = arith.minsi %negative, %small : vector<4xindex>
    %signed_lane = vector.extract %signed[0] : index from vector<4xindex>
    %both = arith.maxui %small, %large : vector<4xindex>
    %large_lane = vector.extract %both[0] : index from vector<4xindex>
    %first = arith.index_cast %unsigned_lane : index to i64
    %second = arith.index_cast %signed_lane : index to i64
    %third = arith.index_cast %large_lane : index to i64
    vyre.store %first, %numbers[%zero] : i64, !vyre.buffer<3xi64, read_write>
    vyre.store %second, %numbers[%one] : i64, !vyre.buffer<3xi64, read_write>
    vyre.store %third, %numbers[%two] : i64, !vyre.buffer<3xi64, read_write>
  }
}
