// RUN: xdsl-opt %s -p vyre-expand,canonicalize,cse --split-input-file | filecheck %s

// Four values of 12 bits start at bit 0 or 16 of a word: two words are loaded, and shifted to the first bit.

vyre.program @few {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %values = vyre.buffer @values live_out : !vyre.buffer<?xi32, read_write>
  vyre.decode.bitunpack %packed to %values bits 12 values 4 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
}

// CHECK-LABEL: vyre.program @few {
// CHECK:         vyre.region "decode.bitunpack" invocations [%invocations] {
// CHECK:           %first_bit = arith.muli %i
// CHECK:           %shift = arith.trunci
// CHECK:           %words0 = vyre.load %packed[%packed_start] : !vyre.buffer<?xi8, read_only> -> vector<2xi32>
// CHECK:           vector.broadcast %shift
// CHECK-COUNT-1:   vyre.store %values0, %values[%unpacked_start] : vector<4xi32>, !vyre.buffer<?xi32, read_write>
// CHECK-NOT:       vyre.store

// -----

// Four of 24 bits are three whole words, so that all shifts are constants.

vyre.program @few_in_whole_words {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %values = vyre.buffer @values live_out : !vyre.buffer<?xi32, read_write>
  vyre.decode.bitunpack %packed to %values bits 24 values 4 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
}

// CHECK-LABEL: vyre.program @few_in_whole_words {
// CHECK:           %packed_start = arith.muli %i
// CHECK-NOT:       %shift
// CHECK-COUNT-2:   vyre.load %packed[%{{.*}}] : !vyre.buffer<?xi8, read_only> -> vector<2xi32>
// CHECK:           vyre.store %values0, %values[%unpacked_start] : vector<4xi32>, !vyre.buffer<?xi32, read_write>

// -----

// A frame of reference is a sum behind what zigzag stands for, in the width of the result where that is more.

vyre.program @frame {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %values = vyre.buffer @values live_out : !vyre.buffer<?xi64, read_write>
  vyre.decode.bitunpack %packed to %values bits 8 base -100 zigzag : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi64, read_write>
}

// CHECK-LABEL: vyre.program @frame {
// CHECK:           vyre.convert_lanes extui %{{.*}} : vector<4xi32> to vector<4xi64>
// CHECK:           arith.xori %{{.*}} : vector<4xi64>
// CHECK-NEXT:      arith.constant dense<-100> : vector<4xi64>
// CHECK-NEXT:      %values0 = arith.addi %{{.*}} : vector<4xi64>

// -----

// Values without bits are the base: nothing is loaded.

vyre.program @no_bits {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %values = vyre.buffer @values live_out : !vyre.buffer<?xi16, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %n = arith.constant 100 : index
  vyre.decode.bitunpack %packed to %values bits 0 base 7 count %n errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi16, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK-LABEL: vyre.program @no_bits {
// CHECK-NOT:       vyre.load
// CHECK:           vyre.store %{{.*}}, %values[%unpacked_start] : vector<4xi16>, !vyre.buffer<?xi16, read_write>

// -----

// In lanes, an invocation has a vector of them: a load for each bit, a store for each row.

vyre.program @interleaved {
  %packed = vyre.buffer @packed : !vyre.buffer<768xi8, read_only>
  %values = vyre.buffer @values live_out : !vyre.buffer<2048xi32, read_write>
  vyre.decode.bitunpack %packed to %values bits 3 layout interleaved lanes 16 : !vyre.buffer<768xi8, read_only>, !vyre.buffer<2048xi32, read_write>
}

// CHECK-LABEL: vyre.program @interleaved {
// CHECK:         vyre.region "decode.bitunpack" invocations [%invocations] {
// CHECK-COUNT-3:   vyre.load %packed[%{{.*}}] : !vyre.buffer<768xi8, read_only> -> vector<16xi32>
// CHECK-NOT:       vyre.load
// CHECK-COUNT-32:  vyre.store %values{{[0-9]+}}, %values[%{{.*}}] : vector<16xi32>, !vyre.buffer<2048xi32, read_write>
