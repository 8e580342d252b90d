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

// In lanes, an invocation has a vector of them: a load for each bit, a store for each row. Rows of wide vectors are not
// written out.

vyre.program @interleaved {
  %packed = vyre.buffer @packed : !vyre.buffer<768xi8, read_only>
  %values = vyre.buffer @values live_out : !vyre.buffer<2048xi32, read_write>
  vyre.decode.bitunpack %packed to %values bits 3 layout interleaved lanes 16 : !vyre.buffer<768xi8, read_only>, !vyre.buffer<2048xi32, read_write>
}

// CHECK-LABEL: vyre.program @interleaved {
// CHECK:         vyre.region "decode.bitunpack" invocations [%invocations] {
// CHECK:           scf.for
// CHECK:             %words = vyre.load %packed[%{{.*}}] : !vyre.buffer<768xi8, read_only> -> vector<16xi32>
// CHECK:             arith.minsi
// CHECK:             %words_1 = vyre.load %packed[%{{.*}}] : !vyre.buffer<768xi8, read_only> -> vector<16xi32>
// CHECK:             vyre.store %{{.*}}, %values[%{{.*}}] : vector<16xi32>, !vyre.buffer<2048xi32, read_write>
// CHECK-NEXT:      } {vyre.unroll = 1 : i64}

// -----

// No value of four bits reaches into the next word.

vyre.program @within_words {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %values = vyre.buffer @values live_out : !vyre.buffer<?xi32, read_write>
  vyre.decode.bitunpack %packed to %values bits 4 layout interleaved lanes 1 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
}

// CHECK-LABEL: vyre.program @within_words {
// CHECK-COUNT-1:     vyre.load %packed[%{{.*}}] : !vyre.buffer<?xi8, read_only> -> i32
// CHECK-NOT:         vyre.load

// -----

// Codes are looked up one by one; the branch in which the first bad one is sought is one for all of them.

vyre.program @dictionary {
  %codes = vyre.buffer @codes : !vyre.buffer<?xi8, read_only>
  %table = vyre.buffer @table : !vyre.buffer<?xf32, read_only>
  %values = vyre.buffer @values live_out : !vyre.buffer<?xf32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.dictionary %codes to %values table %table errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xf32, read_write>, !vyre.buffer<?xf32, read_only>, !vyre.buffer<1xi32, read_write>
}

// CHECK-LABEL: vyre.program @dictionary {
// CHECK:         vyre.region "decode.dictionary" invocations [%invocations] {
// CHECK:           %codes_1 = vyre.load %codes[%start] : !vyre.buffer<?xi8, read_only> -> vector<4xi8>
// CHECK-COUNT-4:     vyre.trap "invalid dictionary code" at
// CHECK-COUNT-4:   vyre.load %table[%{{.*}}] : !vyre.buffer<?xf32, read_only> -> f32
// CHECK:           vyre.store %values_1, %values[%start] : vector<4xf32>, !vyre.buffer<?xf32, read_write>

// -----

// Bytes of several numbers are shifted at a time.

vyre.program @split {
  %bytes = vyre.buffer @bytes : !vyre.buffer<64xi8, read_only>
  %values = vyre.buffer @values live_out : !vyre.buffer<16xf32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.byte_stream_split %bytes to %values errors %errors lanes 8 : !vyre.buffer<64xi8, read_only>, !vyre.buffer<16xf32, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK-LABEL: vyre.program @split {
// CHECK:         vyre.region "decode.byte_stream_split" invocations [2] {
// CHECK:           vyre.trap "invalid byte stream split input" at %length, %errors
// CHECK-COUNT-4:   vyre.load %bytes[%{{.*}}] : !vyre.buffer<64xi8, read_only> -> vector<8xi8>
// CHECK:           arith.bitcast %words : vector<8xi32> to vector<8xf32>

// -----

// An invocation goes through its floats and the exceptions among them.

vyre.program @exceptions {
  %digits = vyre.buffer @digits : !vyre.buffer<?xi64, read_only>
  %floats = vyre.buffer @floats : !vyre.buffer<?xf64, read_only>
  %places = vyre.buffer @places : !vyre.buffer<?xi32, read_only>
  %values = vyre.buffer @values live_out : !vyre.buffer<?xf64, read_write>
  vyre.decode.alp %digits to %values exponent 14 factor 12 exceptions %floats at %places values 16 : !vyre.buffer<?xi64, read_only>, !vyre.buffer<?xf64, read_write>, !vyre.buffer<?xf64, read_only>, !vyre.buffer<?xi32, read_only>
}

// CHECK-LABEL: vyre.program @exceptions {
// CHECK:         vyre.region "decode.alp" invocations [%invocations] {
// CHECK:           scf.while
// CHECK:           scf.for {{.*}} iter_args(%exception
// CHECK:             scf.if
// CHECK:               vyre.load %floats[%exception] : !vyre.buffer<?xf64, read_only> -> f64
// CHECK:             } else {
// CHECK:               arith.sitofp
// CHECK:               arith.mulf
// CHECK:               arith.mulf
// CHECK:             vyre.store %{{.*}}, %values[%place] : f64, !vyre.buffer<?xf64, read_write>

// -----

// An invocation looks for its first run, and goes on from there.

vyre.program @runs {
  %ends = vyre.buffer @ends : !vyre.buffer<?xi32, read_only>
  %table = vyre.buffer @table : !vyre.buffer<?xi8, read_only>
  %values = vyre.buffer @values live_out : !vyre.buffer<?xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %n = arith.constant 100 : index
  vyre.decode.run_length %ends of %table to %values count %n errors %errors : !vyre.buffer<?xi32, read_only>, !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK-LABEL: vyre.program @runs {
// CHECK:         %values = vyre.buffer @values[%n]
// CHECK:         vyre.region "decode.run_length" invocations [%invocations] {
// CHECK:           vyre.trap "run-length input too short" at %runs, %errors
// CHECK:           scf.while
// CHECK:           scf.for
// CHECK:             scf.while
// CHECK:             %value = vyre.load %table[%run] : !vyre.buffer<?xi8, read_only> -> i8
// CHECK:             vyre.store %value, %values[%place] : i8, !vyre.buffer<?xi8, read_write>

// -----

// What a block says of its bits is brought into range; the first invocation of it reports what is wrong.

vyre.program @described_blocks {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %blocks = vyre.buffer @blocks : !vyre.buffer<?xi64, read_only>
  %values = vyre.buffer @values live_out : !vyre.buffer<?xi16, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack_blocks %packed to %values blocks %blocks of 128 errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi16, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
}

// CHECK-LABEL: vyre.program @described_blocks {
// CHECK:         vyre.region "decode.bitunpack_blocks"
// CHECK-COUNT-3:   vyre.load %blocks[%{{.*}}] : !vyre.buffer<?xi64, read_only> -> i64
// CHECK:           %bits = arith.minsi
// CHECK:           vyre.trap "invalid block of packed integers" at
// CHECK-COUNT-8:   vyre.load %packed[%{{.*}}] : !vyre.buffer<?xi8, read_only> -> i32
// CHECK:           vyre.store %values_1, %values[%{{.*}}] : vector<4xi16>, !vyre.buffer<?xi16, read_write>

// -----

// Of a block that is not wanted, nothing is loaded: its values are its base. What is stored is stored anyway, so that
// fusion knows that it is there.

vyre.program @wanted_blocks {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %blocks = vyre.buffer @blocks : !vyre.buffer<?xi64, read_only>
  %wanted = vyre.buffer @wanted : !vyre.buffer<?xi8, read_only>
  %values = vyre.buffer @values live_out : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack_blocks %packed to %values blocks %blocks of 128 errors %errors wanted %wanted : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<?xi8, read_only>
}

// CHECK-LABEL: vyre.program @wanted_blocks {
// CHECK:           vyre.load %wanted[%block]
// CHECK:           vyre.trap "invalid block of packed integers" at
// CHECK:           %values_1 = scf.if %wanted_1 -> (vector<4xi32>) {
// CHECK-COUNT-8:     vyre.load %packed[%{{.*}}] : !vyre.buffer<?xi8, read_only> -> i32
// CHECK:           } else {
// CHECK-NOT:         vyre.load
// CHECK:             scf.yield %{{.*}} : vector<4xi32>
// CHECK:           vyre.store %values_1, %values[%{{.*}}] : vector<4xi32>, !vyre.buffer<?xi32, read_write>

// -----

// A block with a base adds all of its differences to that.

vyre.program @bases {
  %words = vyre.buffer @words : !vyre.buffer<?xi64, read_only>
  %bases = vyre.buffer @bases : !vyre.buffer<?xi64, read_only>
  %values = vyre.buffer @values live_out : !vyre.buffer<?xi64, read_write>
  vyre.decode.delta %words to %values bases %bases : !vyre.buffer<?xi64, read_only> block 128 plain : !vyre.buffer<?xi64, read_only>, !vyre.buffer<?xi64, read_write>
}

// CHECK-LABEL: vyre.program @bases {
// CHECK:           %base = vyre.load %bases[%i] : !vyre.buffer<?xi64, read_only> -> i64
// CHECK:           scf.for {{.*}} iter_args(%value = %base) -> (i64)
// CHECK:             %differences = vyre.load %words[%word] : !vyre.buffer<?xi64, read_only> -> vector<4xi64>
// CHECK-NOT:         arith.xori
// CHECK:             vyre.store %values_1, %values[%word] : vector<4xi64>, !vyre.buffer<?xi64, read_write>

// -----

// Sixteen values of one run are shifted out of as few words as hold them, and of the runs behind it,
// if that ends before them; of each, what is in it is kept. Where one is bad, they are looked at one
// by one, and it is reported.

vyre.program @packed_runs {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %ends = vyre.buffer @ends : !vyre.buffer<?xi32, read_only>
  %runs = vyre.buffer @runs : !vyre.buffer<?xi64, read_only>
  %values = vyre.buffer @values live_out : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %n = arith.constant 100 : index
  vyre.decode.bitunpack_runs %packed to %values ends %ends runs %runs count %n errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi32, read_only>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
}

// CHECK-LABEL: vyre.program @packed_runs {
// CHECK:         %values = vyre.buffer @values[%n]
// CHECK:         vyre.region "decode.bitunpack_runs" invocations [%invocations] {
// CHECK:           vyre.trap "invalid run of packed integers" at %described, %errors
// CHECK:           %run, %{{.*}} = scf.while
// CHECK:           scf.while (%run_1 = %{{.*}}, %place = %start, %found = %{{.*}})
// CHECK:             scf.if
// CHECK:               scf.if
// CHECK:                 scf.if
// CHECK-COUNT-4:           vyre.load %packed[%{{.*}}] in_bounds : !vyre.buffer<?xi8, read_only> -> i64
// CHECK-NOT:               in_bounds
// CHECK:                 } else {
// CHECK-COUNT-16:          vyre.load %packed[%{{.*}}] in_bounds : !vyre.buffer<?xi8, read_only> -> i64
// CHECK:               arith.ori %found_1, %{{.*}} : vector<16xi32>
// CHECK:           arith.cmpi sge, %{{.*}}, %behind : index
// CHECK:           scf.if
// CHECK:             vyre.store %{{.*}}, %values[%start] : vector<16xi32>, !vyre.buffer<?xi32, read_write>
// CHECK:           scf.for
// CHECK:             scf.if
// CHECK:               scf.while
// CHECK-COUNT-3:       vyre.load %runs[%{{.*}}] : !vyre.buffer<?xi64, read_only> -> i64
// CHECK:               vyre.trap "invalid run of packed integers" at %run{{.*}}, %errors
// CHECK-COUNT-2:     vyre.load %packed[%{{.*}}] : !vyre.buffer<?xi8, read_only> -> i32
// CHECK:             vyre.store %{{.*}}, %values[%place_2] : i32, !vyre.buffer<?xi32, read_write>

// -----

// More values than a vector holds are decoded so many at a time, from the run on that was reached.

vyre.program @long_groups {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %ends = vyre.buffer @ends : !vyre.buffer<?xi32, read_only>
  %runs = vyre.buffer @runs : !vyre.buffer<?xi64, read_only>
  %values = vyre.buffer @values live_out : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %n = arith.constant 100 : index
  vyre.decode.bitunpack_runs %packed to %values ends %ends runs %runs count %n errors %errors values 32 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi32, read_only>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
}

// CHECK-LABEL: vyre.program @long_groups {
// CHECK:           %run, %{{.*}} = scf.while
// CHECK:           scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %run) -> (index) {
// CHECK:             %first = arith.addi %start, %[[K]] : index
// CHECK:             scf.while
// CHECK:             vyre.store %{{.*}}, %values[%first] : vector<16xi32>, !vyre.buffer<?xi32, read_write>
// CHECK:           } {vyre.unroll = 1 : i64}

// -----

// A skip table says between which runs the search is, if what it says of the first is right; the last
// of them are gone through one by one.

vyre.program @skips {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %ends = vyre.buffer @ends : !vyre.buffer<?xi32, read_only>
  %runs = vyre.buffer @runs : !vyre.buffer<?xi64, read_only>
  %skips = vyre.buffer @skips : !vyre.buffer<?xi32, read_only>
  %values = vyre.buffer @values live_out : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %n = arith.constant 100 : index
  vyre.decode.bitunpack_runs %packed to %values ends %ends runs %runs skips %skips count %n errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi32, read_only>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write> skips !vyre.buffer<?xi32, read_only>
}

// CHECK-LABEL: vyre.program @skips {
// CHECK-COUNT-2:   vyre.load %skips[%{{.*}}] : !vyre.buffer<?xi32, read_only> -> i32
// CHECK:           %near_low = arith.select
// CHECK:           %near_high = arith.select
// CHECK:           scf.while (%low = %near_low, %high = %near_high)
// CHECK:           %run = scf.while

// -----

// Codes of one run are compared with the size of their dictionary once. Plain values are loaded as
// vectors of 16 bytes, others one by one; where a run is bad, each value looks for its own.

vyre.program @dictionary_runs {
  %file = vyre.buffer @file : !vyre.buffer<?xi8, read_only>
  %ends = vyre.buffer @ends : !vyre.buffer<?xi32, read_only>
  %runs = vyre.buffer @runs : !vyre.buffer<?xi64, read_only>
  %values = vyre.buffer @values live_out : !vyre.buffer<?xf64, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %n = arith.constant 100 : index
  vyre.decode.dictionary_runs %file to %values ends %ends runs %runs count %n errors %errors values 4 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xf64, read_write>, !vyre.buffer<?xi32, read_only>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
}

// CHECK-LABEL: vyre.program @dictionary_runs {
// CHECK:         vyre.region "decode.dictionary_runs" invocations [%invocations] {
// CHECK:           vyre.trap "invalid run of dictionary codes" at %described, %errors
// CHECK:           scf.while
// CHECK-COUNT-4:   vyre.load %runs[%{{.*}}] : !vyre.buffer<?xi64, read_only> -> i64
// CHECK:           vyre.load %file[%{{.*}}] in_bounds : !vyre.buffer<?xi8, read_only> -> i64
// CHECK:           arith.cmpi slt
// CHECK-COUNT-2:   vyre.load %file[%{{.*}}] in_bounds : !vyre.buffer<?xi8, read_only> -> vector<2xi64>
// CHECK-COUNT-4:   vyre.load %file[%{{.*}}] in_bounds : !vyre.buffer<?xi8, read_only> -> i64
// CHECK:           arith.bitcast %{{.*}} : vector<4xi64> to vector<4xf64>
// CHECK:           scf.for
// CHECK:             vyre.trap "invalid run of dictionary codes" at %run{{.*}}, %errors
// CHECK:             vyre.load %file[%{{.*}}] : !vyre.buffer<?xi8, read_only> -> i64
