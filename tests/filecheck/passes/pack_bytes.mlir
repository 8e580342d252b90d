// RUN: xdsl-opt %s -p vyre-pack-bytes,canonicalize,vyre-cse | filecheck %s
// RUN: xdsl-opt %s -p vyre-pack-bytes,vyre-pack-bytes -o %t && xdsl-opt %s -p vyre-pack-bytes | diff - %t

// A digit in hex: nothing is carried, as ranges say, so that sums and products are those of words.
// CHECK-LABEL: func.func @digits
// CHECK:         %[[UP:.*]] = arith.shrui %words, %{{.*}} : vector<2xi32>
// CHECK:         %letter = arith.andi %[[UP]], %{{.*}} : vector<2xi32>
// CHECK:         %more = arith.muli %letter, %{{.*}} : vector<2xi32>
// CHECK-NEXT:    %low = arith.andi %words, %{{.*}} : vector<2xi32>
// CHECK-NEXT:    %value = arith.addi %low, %more : vector<2xi32>
// CHECK-NEXT:    %[[BYTES:.*]] = vector.bitcast %value : vector<2xi32> to vector<8xi8>
// CHECK-NEXT:    func.return %[[BYTES]] : vector<8xi8>
func.func @digits(%words: vector<2xi32>) -> vector<8xi8> {
  %loaded = vector.bitcast %words : vector<2xi32> to vector<8xi8>
  %six = arith.constant dense<6> : vector<8xi8>
  %nine = arith.constant dense<9> : vector<8xi8>
  %fifteen = arith.constant dense<15> : vector<8xi8>
  %letter = arith.shrui %loaded, %six : vector<8xi8>
  %more = arith.muli %letter, %nine : vector<8xi8>
  %low = arith.andi %loaded, %fifteen : vector<8xi8>
  %value = arith.addi %low, %more : vector<8xi8>
  func.return %value : vector<8xi8>
}

// Lanes that equal a byte that only runs tell, counted.
// CHECK-LABEL: func.func @count
// CHECK:         %[[KEY:.*]] = arith.extui %key : i8 to i32
// CHECK-NOT:     vyre.compare_lanes
// CHECK:         %total = arith.shrui %{{.*}}, %{{.*}} : i32
// CHECK-NEXT:    func.return %total : i32
func.func @count(%words: vector<1xi32>, %key: i8) -> i32 {
  %loaded = vector.bitcast %words : vector<1xi32> to vector<4xi8>
  %keys = vector.broadcast %key : i8 to vector<4xi8>
  %are = vyre.compare_lanes eq %loaded, %keys : vector<4xi8> -> vector<4xi1>
  %ones = vyre.convert_lanes extui %are : vector<4xi1> to vector<4xi32>
  %first = vector.extract %ones[0] : i32 from vector<4xi32>
  %second = vector.extract %ones[1] : i32 from vector<4xi32>
  %third = vector.extract %ones[2] : i32 from vector<4xi32>
  %fourth = vector.extract %ones[3] : i32 from vector<4xi32>
  %low = arith.addi %first, %second : i32
  %high = arith.addi %third, %fourth : i32
  %total = arith.addi %low, %high : i32
  func.return %total : i32
}

// A mask that something else reads stays, and so does what compares for it; what it selects by, too.
// CHECK-LABEL: func.func @read_elsewhere
// CHECK:         %are = vyre.compare_lanes ult %{{.*}}, %{{.*}} : vector<4xi8> -> vector<4xi1>
// CHECK-NEXT:    %chosen = vyre.select_lanes %are, %{{.*}} : vector<4xi1>, vector<4xi8>
// CHECK-NEXT:    func.return
func.func @read_elsewhere(%words: vector<1xi32>, %others: vector<1xi32>) -> (vector<4xi8>, vector<4xi1>) {
  %one = vector.bitcast %words : vector<1xi32> to vector<4xi8>
  %other = vector.bitcast %others : vector<1xi32> to vector<4xi8>
  %are = vyre.compare_lanes ult %one, %other : vector<4xi8> -> vector<4xi1>
  %chosen = vyre.select_lanes %are, %one, %other : vector<4xi1>, vector<4xi8>
  func.return %chosen, %are : vector<4xi8>, vector<4xi1>
}

// Not: bytes that were put together one by one, for one op; products that carry; shifts by a number
// that only runs tell; two lanes, which are no word; wider numbers.
// CHECK-LABEL: func.func @stay
// CHECK:         arith.xori %a, %three : vector<4xi8>
// CHECK-NEXT:    arith.muli %loaded, %three : vector<4xi8>
// CHECK-NEXT:    arith.shli %loaded, %bys : vector<4xi8>
// CHECK-NEXT:    arith.andi %pair, %pair : vector<2xi8>
// CHECK-NEXT:    arith.andi %w, %w : vector<4xi16>
func.func @stay(%words: vector<1xi32>, %half: vector<1xi16>, %a: vector<4xi8>, %by: i8, %w: vector<4xi16>) -> (vector<4xi8>, vector<4xi8>, vector<4xi8>, vector<2xi8>, vector<4xi16>) {
  %loaded = vector.bitcast %words : vector<1xi32> to vector<4xi8>
  %pair = vector.bitcast %half : vector<1xi16> to vector<2xi8>
  %three = arith.constant dense<3> : vector<4xi8>
  %bys = vector.broadcast %by : i8 to vector<4xi8>
  %mixed = arith.xori %a, %three : vector<4xi8>
  %wrapped = arith.muli %loaded, %three : vector<4xi8>
  %moved = arith.shli %loaded, %bys : vector<4xi8>
  %small = arith.andi %pair, %pair : vector<2xi8>
  %wide = arith.andi %w, %w : vector<4xi16>
  func.return %mixed, %wrapped, %moved, %small, %wide : vector<4xi8>, vector<4xi8>, vector<4xi8>, vector<2xi8>, vector<4xi16>
}
