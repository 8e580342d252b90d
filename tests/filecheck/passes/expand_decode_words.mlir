// RUN: xdsl-opt %s -p vyre-expand,canonicalize,cse --split-input-file | filecheck %s

// Sixteen digits make eight bytes, stored at once.

vyre.program @hex {
  %encoded = vyre.buffer @encoded : !vyre.buffer<64xi8, read_only>
  %decoded = vyre.buffer @decoded live_out : !vyre.buffer<32xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i64 : !vyre.buffer<1xi64, read_write>
  vyre.decode.hex %encoded to %decoded errors %errors : !vyre.buffer<64xi8, read_only>, !vyre.buffer<32xi8, read_write>, !vyre.buffer<1xi64, read_write>
}

// CHECK-LABEL: vyre.program @hex {
// CHECK:         vyre.region "decode.hex" invocations [4] {
// CHECK:           %digits = vyre.load %encoded[%start] : !vyre.buffer<64xi8, read_only> -> vector<4xi32>
// CHECK:           %nibbles = scf.if %suspicious -> (vector<4xi32>) {
// CHECK:             vyre.trap "invalid hex input" at %first_bad, %errors : !vyre.buffer<1xi64, read_write>
// CHECK:           vyre.store %{{.*}}, %decoded[%{{.*}}] : vector<2xi32>, !vyre.buffer<32xi8, read_write>

// -----

// A vector of digits makes half a vector of bytes.

vyre.program @wide_hex {
  %encoded = vyre.buffer @encoded : !vyre.buffer<130xi8, read_only>
  %decoded = vyre.buffer @decoded live_out : !vyre.buffer<65xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.hex %encoded to %decoded errors %errors lanes 16 : !vyre.buffer<130xi8, read_only>, !vyre.buffer<65xi8, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK-LABEL: vyre.program @wide_hex {
// CHECK:         vyre.region "decode.hex" invocations [3] {
// CHECK:           %digits = vyre.load %encoded[%start] : !vyre.buffer<130xi8, read_only> -> vector<16xi32>
// CHECK:           vector.shuffle %halves, %halves [0, 2, 4, 6, 8, 10, 12, 14]
// CHECK:           vector.shuffle %halves, %halves [1, 3, 5, 7, 9, 11, 13, 15]
// CHECK:           vyre.store %{{.*}}, %decoded[%{{.*}}] : vector<8xi32>, !vyre.buffer<65xi8, read_write>

// -----

// A key whose length divides 16 is a constant.

vyre.program @constant_key {
  %encoded = vyre.buffer @encoded : !vyre.buffer<64xi8, read_only>
  %decoded = vyre.buffer @decoded live_out : !vyre.buffer<64xi8, read_write>
  vyre.decode.xor %encoded to %decoded key "\01\02" : !vyre.buffer<64xi8, read_only>, !vyre.buffer<64xi8, read_write>
}

// CHECK-LABEL: vyre.program @constant_key {
// CHECK-NOT:     vyre.buffer @key
// CHECK:         vyre.region "decode.xor" invocations [4] {
// CHECK:           %key_words = arith.constant dense<33620481> : vector<4xi32>
// CHECK:           vyre.load %encoded[%start] : !vyre.buffer<64xi8, read_only> -> vector<4xi32>
// CHECK:           vyre.store %{{.*}}, %decoded[%start] : vector<4xi32>, !vyre.buffer<64xi8, read_write>

// -----

// Any other key stands in a table of as many chunks as it takes to start anew.

vyre.program @key_table {
  %key = vyre.buffer @key : !vyre.buffer<64xi8, read_only>
  %decoded = vyre.buffer @decoded live_out : !vyre.buffer<64xi8, read_write>
  vyre.decode.xor %key to %decoded key "abc" : !vyre.buffer<64xi8, read_only>, !vyre.buffer<64xi8, read_write>
}

// CHECK-LABEL: vyre.program @key_table {
// CHECK:         %key_1 = vyre.buffer @key_1 contents dense<[1633903201, 1650549602, 1667391843, 1633903201, 1650549602, 1667391843, 1633903201, 1650549602, 1667391843, 1633903201, 1650549602, 1667391843]> : vector<12xi32> : !vyre.buffer<12xi32, read_only>
// CHECK:         vyre.region "decode.xor" invocations [4] {
// CHECK:           arith.remsi %i
// CHECK:           %key_words = vyre.load %key_1[%{{.*}}] : !vyre.buffer<12xi32, read_only> -> vector<4xi32>

// -----

// So does one whose length divides that of a wider vector.

vyre.program @wide_key {
  %encoded = vyre.buffer @encoded : !vyre.buffer<130xi8, read_only>
  %decoded = vyre.buffer @decoded live_out : !vyre.buffer<130xi8, read_write>
  vyre.decode.xor %encoded to %decoded key "\01\02" lanes 16 : !vyre.buffer<130xi8, read_only>, !vyre.buffer<130xi8, read_write>
}

// CHECK-LABEL: vyre.program @wide_key {
// CHECK-NOT:     vyre.buffer @key
// CHECK:         vyre.region "decode.xor" invocations [3] {
// CHECK:           %key_words = arith.constant dense<33620481> : vector<16xi32>
// CHECK:           vyre.load %encoded[%start] : !vyre.buffer<130xi8, read_only> -> vector<16xi32>
// CHECK:           vyre.store %{{.*}}, %decoded[%start] : vector<16xi32>, !vyre.buffer<130xi8, read_write>

// -----

// Blocks of whole vectors are summed a vector at a time.

vyre.program @vector_blocks {
  %encoded = vyre.buffer @encoded : !vyre.buffer<300xi32, read_only>
  %decoded = vyre.buffer @decoded live_out : !vyre.buffer<300xi32, read_write>
  vyre.decode.delta %encoded to %decoded block 128 : !vyre.buffer<300xi32, read_only>, !vyre.buffer<300xi32, read_write>
}

// CHECK-LABEL: vyre.program @vector_blocks {
// CHECK:         vyre.region "decode.delta" invocations [3] {
// CHECK-NOT:       vyre.trap
// CHECK:           %first = vyre.load %encoded[%block_start] : !vyre.buffer<300xi32, read_only> -> i32
// CHECK:           scf.for
// CHECK:             vyre.load %encoded[%word] : !vyre.buffer<300xi32, read_only> -> vector<4xi32>
// CHECK:             %values = arith.addi %{{.*}} : vector<4xi32>
// CHECK:             vyre.store %values, %decoded[%word] : vector<4xi32>, !vyre.buffer<300xi32, read_write>

// -----

// The words of a wide one take as many steps as it takes to double 1 to their number.

vyre.program @wide_blocks {
  %encoded = vyre.buffer @encoded : !vyre.buffer<300xi32, read_only>
  %decoded = vyre.buffer @decoded live_out : !vyre.buffer<300xi32, read_write>
  vyre.decode.delta %encoded to %decoded block 128 lanes 16 : !vyre.buffer<300xi32, read_only>, !vyre.buffer<300xi32, read_write>
}

// CHECK-LABEL: vyre.program @wide_blocks {
// CHECK:           scf.for
// CHECK:             vyre.load %encoded[%word] : !vyre.buffer<300xi32, read_only> -> vector<16xi32>
// CHECK:             vector.shuffle %{{.*}} [0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30]
// CHECK:             vector.shuffle %{{.*}} [0, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29]
// CHECK:             vector.shuffle %{{.*}} [0, 0, 0, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27]
// CHECK:             vector.shuffle %{{.*}} [0, 0, 0, 0, 0, 0, 0, 0, 16, 17, 18, 19, 20, 21, 22, 23]
// CHECK-NOT:         vector.shuffle
// CHECK:             vyre.store %values, %decoded[%word] : vector<16xi32>, !vyre.buffer<300xi32, read_write>

// -----

// Words are decoded one by one where a block is no whole number of vectors, and found in bytes.

vyre.program @words_of_bytes {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded live_out : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.delta %encoded to %decoded errors %errors block 3 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK-LABEL: vyre.program @words_of_bytes {
// CHECK:         vyre.region "decode.delta" invocations [%invocations] {
// CHECK:           vyre.trap "invalid delta input" at %length, %errors
// CHECK:           scf.for
// CHECK:             vyre.load %encoded[%{{.*}}] : !vyre.buffer<?xi8, read_only> -> i32
// CHECK:             vyre.store %values, %decoded[%word] : i32, !vyre.buffer<?xi32, read_write>

// -----

// Thirty-two values of five bits are five words; the vectors that hold these overlap.

vyre.program @bitunpack {
  %encoded = vyre.buffer @encoded : !vyre.buffer<40xi8, read_only>
  %decoded = vyre.buffer @decoded live_out : !vyre.buffer<64xi32, write_only>
  vyre.decode.bitunpack %encoded to %decoded bits 5 : !vyre.buffer<40xi8, read_only>, !vyre.buffer<64xi32, write_only>
}

// CHECK-LABEL: vyre.program @bitunpack {
// CHECK:         vyre.region "decode.bitunpack" invocations [%invocations] {
// CHECK:           %packed_start = arith.muli %i
// CHECK-NEXT:      %words0 = vyre.load %encoded[%packed_start] : !vyre.buffer<40xi8, read_only> -> vector<4xi32>
// CHECK:           %words1 = vyre.load %encoded[%{{.*}}] : !vyre.buffer<40xi8, read_only> -> vector<4xi32>
// CHECK-COUNT-8:   vyre.store %values{{[0-9]+}}, %decoded[%{{.*}}] : vector<4xi32>, !vyre.buffer<64xi32, write_only>

// -----

// A count is checked against what there is.

vyre.program @counted {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded live_out : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %n = arith.constant 100 : index
  vyre.decode.bitunpack %encoded to %decoded bits 32 count %n errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK-LABEL: vyre.program @counted {
// CHECK:         %decoded = vyre.buffer @decoded[%n] live_out
// CHECK:         vyre.region "decode.bitunpack"
// CHECK:           vyre.trap "packed input too short" at %length, %errors
