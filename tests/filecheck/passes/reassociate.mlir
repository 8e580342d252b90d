// RUN: xdsl-opt %s -p vyre-reassociate,canonicalize | filecheck %s
// RUN: xdsl-opt %s -p vyre-reassociate,vyre-reassociate,canonicalize | filecheck %s

// An offset into a tile is what is left of an address without the base, whatever may wrap around.
// CHECK-LABEL: func.func @offset
// CHECK-NEXT:    %c36 = arith.constant 36 : index
// CHECK-NEXT:    func.return %c36 : index
func.func @offset(%i: index) -> index {
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %c96 = arith.constant 96 : index
  %first = arith.muli %i, %c8 : index
  %item = arith.addi %first, %c3 : index
  %start = arith.muli %item, %c12 : index
  %base = arith.muli %c96, %i : index
  %c36 = arith.subi %start, %base : index
  func.return %c36 : index
}

// One value that is left stands for itself, or for its sum with a number; integers wrap, too.
// CHECK-LABEL: func.func @one_left
// CHECK-NEXT:    [[C7:%.*]] = arith.constant 7 : i32
// CHECK-NEXT:    [[SUM:%.*]] = arith.addi %x, [[C7]] : i32
// CHECK-NEXT:    func.return %x, [[SUM]] : i32, i32
func.func @one_left(%x: i32, %y: i32) -> (i32, i32) {
  %c7 = arith.constant 7 : i32
  %sum = arith.addi %x, %y : i32
  %back = arith.subi %sum, %y : i32
  %more = arith.addi %sum, %c7 : i32
  %shifted = arith.subi %more, %y : i32
  func.return %back, %shifted : i32, i32
}

// A shift by a constant is a product; one by the width or more is not.
// CHECK-LABEL: func.func @shifts
// CHECK-NEXT:    %c40 = arith.constant 40 : i32
// CHECK-NEXT:    %five = arith.constant 5 : i32
// CHECK-NEXT:    %far = arith.shli %x, %c40 : i32
// CHECK-NEXT:    func.return %five, %far : i32, i32
func.func @shifts(%x: i32) -> (i32, i32) {
  %c3 = arith.constant 3 : i32
  %c5 = arith.constant 5 : i32
  %c8 = arith.constant 8 : i32
  %c40 = arith.constant 40 : i32
  %eight = arith.shli %x, %c3 : i32
  %more = arith.addi %eight, %c5 : i32
  %product = arith.muli %c8, %x : i32
  %five = arith.subi %more, %product : i32
  %far = arith.shli %x, %c40 : i32
  func.return %five, %far : i32, i32
}

// Nothing cancels, products of values and shifts are not sums, and multiples of one value stay.
// CHECK-LABEL: func.func @negative
// CHECK:         arith.muli %i, %j
// CHECK:         arith.shli %i, %j
// CHECK:         %difference = arith.subi %square, %shifted
// CHECK:         %twice = arith.muli %difference,
func.func @negative(%i: index, %j: index) -> index {
  %c2 = arith.constant 2 : index
  %square = arith.muli %i, %j : index
  %shifted = arith.shli %i, %j : index
  %difference = arith.subi %square, %shifted : index
  %twice = arith.muli %difference, %c2 : index
  func.return %twice : index
}

// Vectors are left alone.
// CHECK-LABEL: func.func @vectors
// CHECK-NEXT:    arith.addi
// CHECK-NEXT:    arith.subi
func.func @vectors(%x: vector<4xi32>, %y: vector<4xi32>) -> vector<4xi32> {
  %sum = arith.addi %x, %y : vector<4xi32>
  %back = arith.subi %sum, %y : vector<4xi32>
  func.return %back : vector<4xi32>
}
