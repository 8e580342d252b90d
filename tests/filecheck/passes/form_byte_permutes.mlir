// RUN: xdsl-opt %s -p vyre-form-byte-permutes,canonicalize,vyre-cse | filecheck %s
// RUN: xdsl-opt %s -p vyre-form-byte-permutes,vyre-form-byte-permutes,canonicalize,vyre-cse | filecheck %s

// The bytes of a word in the opposite order, of a word that was put together of two.
// CHECK-LABEL: func.func @reversed
// CHECK-NEXT:    %word = vyre.permute_bytes %a, %b [2, 1, 0, 6] : i32
// CHECK-NEXT:    func.return %word : i32
func.func @reversed(%a: i32, %b: i32) -> i32 {
  %c8 = arith.constant 8 : i32
  %c16 = arith.constant 16 : i32
  %c24 = arith.constant 24 : i32
  %c255 = arith.constant 255 : i32
  %c65280 = arith.constant 65280 : i32
  %high = arith.shli %a, %c8 : i32
  %upper = arith.shrui %b, %c16 : i32
  %low = arith.andi %upper, %c255 : i32
  %joined = arith.ori %high, %low : i32
  %byte0 = arith.shrui %joined, %c24 : i32
  %second = arith.shrui %joined, %c8 : i32
  %byte1 = arith.andi %second, %c65280 : i32
  %third = arith.andi %joined, %c65280 : i32
  %byte2 = arith.shli %third, %c8 : i32
  %byte3 = arith.shli %joined, %c24 : i32
  %two = arith.ori %byte0, %byte1 : i32
  %three = arith.ori %two, %byte2 : i32
  %word = arith.ori %three, %byte3 : i32
  func.return %word : i32
}

// Of one word and zeros; sums carry nothing where bytes do not meet.
// CHECK-LABEL: func.func @one_word
// CHECK-NEXT:    [[ZERO:%.*]] = arith.constant 0 : i32
// CHECK-NEXT:    %word = vyre.permute_bytes %a, [[ZERO]] [3, 4, 1, 4] : i32
func.func @one_word(%a: i32) -> i32 {
  %c8 = arith.constant 8 : i32
  %c24 = arith.constant 24 : i32
  %c65280 = arith.constant 65280 : i32
  %top = arith.shrui %a, %c24 : i32
  %kept = arith.andi %a, %c65280 : i32
  %moved = arith.shli %kept, %c8 : i32
  %word = arith.addi %top, %moved : i32
  func.return %word : i32
}

// Lanes of vectors, through shuffles; what is put together of one word in order is that word.
// CHECK-LABEL: func.func @lanes
// CHECK-NEXT:    [[ODD:%.*]] = vector.shuffle %v, %v [1, 3]
// CHECK-NEXT:    [[EVEN:%.*]] = vector.shuffle %v, %v [0, 2]
// CHECK:         %words = vyre.permute_bytes [[EVEN]], [[ODD]] [0, 1, 4, 5] : vector<2xi32>
// CHECK-NEXT:    func.return %words, %a : vector<2xi32>, i32
func.func @lanes(%v: vector<4xi32>, %a: i32) -> (vector<2xi32>, i32) {
  %mask = arith.constant dense<65535> : vector<4xi32>
  %c16 = arith.constant dense<16> : vector<2xi32>
  %halves = arith.andi %v, %mask : vector<4xi32>
  %even = vector.shuffle %halves, %halves [0, 2] : vector<4xi32>, vector<4xi32>
  %odd = vector.shuffle %halves, %halves [1, 3] : vector<4xi32>, vector<4xi32>
  %upper = arith.shli %odd, %c16 : vector<2xi32>
  %words = arith.ori %even, %upper : vector<2xi32>
  %low_mask = arith.constant 65535 : i32
  %high_mask = arith.constant -65536 : i32
  %low = arith.andi %a, %low_mask : i32
  %high = arith.andi %a, %high_mask : i32
  %same = arith.ori %low, %high : i32
  func.return %words, %same : vector<2xi32>, i32
}

// A byte of a word that was put together is taken from where it comes from.
// CHECK-LABEL: func.func @byte
// CHECK:         [[LANE:%.*]] = vector.extract %v[1]
// CHECK:         [[MOVED:%.*]] = arith.shrui [[LANE]], {{%.*}} : i32
// CHECK:         %byte = arith.andi [[MOVED]], {{%.*}} : i32
// CHECK-NEXT:    func.return %byte : i32
func.func @byte(%v: vector<2xi32>) -> i32 {
  %c16 = arith.constant 16 : i32
  %c24 = arith.constant 24 : i32
  %c65535 = arith.constant 65535 : i32
  %first = vector.extract %v[0] : i32 from vector<2xi32>
  %second = vector.extract %v[1] : i32 from vector<2xi32>
  %low = arith.andi %first, %c65535 : i32
  %high = arith.shli %second, %c16 : i32
  %word = arith.ori %low, %high : i32
  %byte = arith.shrui %word, %c24 : i32
  func.return %byte : i32
}

// Compilers take a funnel shift apart whose words combine bits with constant ones.
// CHECK-LABEL: func.func @funnel
// CHECK:         %plain = vector.shuffle
// CHECK:         vyre.permute_bytes %plain, %other [3, 4, 5, 6] : vector<2xi32>
func.func @funnel(%a: vector<2xi32>, %other: vector<2xi32>) -> vector<2xi32> {
  %key = arith.constant dense<[7, 9]> : vector<2xi32>
  %c8 = arith.constant dense<8> : vector<2xi32>
  %c24 = arith.constant dense<24> : vector<2xi32>
  %masked = arith.xori %a, %key : vector<2xi32>
  %plain = vector.shuffle %masked, %other [1, 2] : vector<2xi32>, vector<2xi32>
  %down = arith.shrui %plain, %c24 : vector<2xi32>
  %up = arith.shli %other, %c8 : vector<2xi32>
  %word = arith.ori %down, %up : vector<2xi32>
  func.return %word : vector<2xi32>
}

// Left as they are: bytes of three words; bytes that meet; sums that carry; shifts by no whole
// bytes; a byte that is taken already; bits that stay where they are; a funnel shift; other widths;
// rows of matrices.
// CHECK-LABEL: func.func @negative
// CHECK-NOT:     vyre.permute_bytes
// CHECK:         func.return
func.func @negative(%a: i32, %b: i32, %c: i32, %l: i64, %m: vector<2x2xi32>) -> (i32, i32, i32, i32, i32, i32, i32, i64, vector<2xi32>) {
  %c4 = arith.constant 4 : i32
  %c8 = arith.constant 8 : i32
  %c24 = arith.constant 24 : i32
  %c255 = arith.constant 255 : i32
  %c65280 = arith.constant 65280 : i32
  %c16711680 = arith.constant 16711680 : i32
  %cn256 = arith.constant -256 : i32
  %l8 = arith.constant 8 : i64
  %top = arith.shrui %a, %c24 : i32
  %middle = arith.andi %b, %c65280 : i32
  %third = arith.andi %c, %c16711680 : i32
  %two = arith.ori %top, %middle : i32
  %three = arith.ori %two, %third : i32
  %shifted = arith.shli %b, %c8 : i32
  %meets = arith.ori %a, %shifted : i32
  %carries = arith.addi %a, %shifted : i32
  %nibble = arith.shli %a, %c4 : i32
  %upper = arith.shrui %nibble, %c24 : i32
  %kept = arith.andi %a, %cn256 : i32
  %low = arith.andi %b, %c255 : i32
  %select = arith.ori %kept, %low : i32
  %down = arith.shrui %a, %c8 : i32
  %up = arith.shli %b, %c24 : i32
  %funnel = arith.ori %down, %up : i32
  %byte = arith.andi %down, %c255 : i32
  %wide = arith.shli %l, %l8 : i64
  %mask = arith.constant dense<255> : vector<2xi32>
  %row = vector.extract %m[1] : vector<2xi32> from vector<2x2xi32>
  %bytes = arith.andi %row, %mask : vector<2xi32>
  func.return %three, %meets, %carries, %upper, %select, %funnel, %byte, %wide, %bytes : i32, i32, i32, i32, i32, i32, i32, i64, vector<2xi32>
}
