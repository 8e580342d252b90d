// RUN: xdsl-opt %s -p 'vyre-expand{defaults="vyre.decode.bitunpack.values=32","values=8"},vyre-decode-scan-fuse' --split-input-file | filecheck %s
// Fusing again changes nothing.
// RUN: xdsl-opt %s -p 'vyre-expand{defaults="vyre.decode.bitunpack.values=32","values=8"},vyre-decode-scan-fuse' --split-input-file > %t.once
// RUN: xdsl-opt %s -p 'vyre-expand{defaults="vyre.decode.bitunpack.values=32","values=8"},vyre-decode-scan-fuse,vyre-decode-scan-fuse' --split-input-file | diff %t.once -

// Decoders of columns compose by fusion: what is unpacked is looked up in private values.

vyre.program @dictionary_of_frames workgroup_size [128] {
  %codes_packed = vyre.buffer @codes_packed : !vyre.buffer<?xi8, read_only>
  %dictionary = vyre.buffer @dictionary : !vyre.buffer<?xi32, read_only>
  %codes = vyre.buffer @codes initial undefined : !vyre.buffer<?xi32, read_write>
  %prices = vyre.buffer @prices initial undefined : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi64, read_write>
  vyre.decode.bitunpack %codes_packed to %codes bits 6 base 3 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.decode.dictionary %codes to %prices table %dictionary errors %errors : !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi32, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.scan.filter %prices in [1000, 50000) count %count sum %sum : !vyre.buffer<?xi32, read_write>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<1xi64, read_write>
}

// CHECK-LABEL: @dictionary_of_frames
// CHECK-DAG:   vyre.buffer @codes : !vyre.buffer<32xi32, read_write, private>
// CHECK-DAG:   vyre.buffer @prices : !vyre.buffer<32xi32, read_write, private>
// CHECK:       vyre.region "decode.bitunpack+decode.dictionary+scan.filter"
// CHECK-NOT:   vyre.region

// -----

// A frame of reference is a part of what unpacks, and so fuses with any scanner.

vyre.program @frames workgroup_size [128] {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %values = vyre.buffer @values initial undefined : !vyre.buffer<?xi32, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack %packed to %values bits 11 base -1000 zigzag : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.scan.filter %values in [-10, 20) count %count : !vyre.buffer<?xi32, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK-LABEL: @frames
// CHECK:       vyre.buffer @values : !vyre.buffer<32xi32, read_write, private>
// CHECK:       vyre.region "decode.bitunpack+scan.filter"
// CHECK-NOT:   vyre.region

// -----

// So do decimals of what is unpacked.

vyre.program @decimals_of_frames workgroup_size [128] {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %limit = vyre.buffer @limit : !vyre.buffer<1xf32, uniform>
  %digits = vyre.buffer @digits initial undefined : !vyre.buffer<?xi32, read_write>
  %degrees = vyre.buffer @degrees initial undefined : !vyre.buffer<?xf32, read_write>
  %alarms = vyre.buffer @alarms live_out : !vyre.buffer<1xi32, read_write>
  %hottest = vyre.buffer @hottest live_out fill -100 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack %packed to %digits bits 13 base -2000 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.decode.alp %digits to %degrees exponent 2 : !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xf32, read_write>
  %n = vyre.buf_len %degrees : !vyre.buffer<?xf32, read_write>
  vyre.region "scan.alarms" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %most = vyre.load %limit[%zero] : !vyre.buffer<1xf32, uniform> -> f32
    %degree = vyre.load %degrees[%i] : !vyre.buffer<?xf32, read_write> -> f32
    %is_hot = arith.cmpf ogt, %degree, %most : f32
    scf.if %is_hot {
      %one = arith.constant 1 : i32
      %old = vyre.atomic_rmw addi %one, %alarms[%zero] : i32, !vyre.buffer<1xi32, read_write>
    }
    %whole = arith.fptosi %degree : f32 to i32
    %was = vyre.atomic_rmw maxs %whole, %hottest[%zero] : i32, !vyre.buffer<1xi32, read_write>
  }
}

// CHECK-LABEL: @decimals_of_frames
// CHECK-DAG:   vyre.buffer @digits : !vyre.buffer<32xi32, read_write, private>
// CHECK-DAG:   vyre.buffer @degrees : !vyre.buffer<32xf32, read_write, private>
// CHECK:       vyre.region "decode.bitunpack+decode.alp+scan.alarms"
// CHECK-NOT:   vyre.region

// -----

// So do blocks that say themselves how they are packed: what an invocation reads of that is only read.

vyre.program @described_blocks workgroup_size [128] {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %blocks = vyre.buffer @blocks : !vyre.buffer<?xi64, read_only>
  %values = vyre.buffer @values initial undefined : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack_blocks %packed to %values blocks %blocks of 128 errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.scan.filter %values in [-10, 20) count %count : !vyre.buffer<?xi32, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK-LABEL: @described_blocks
// CHECK:       vyre.buffer @values : !vyre.buffer<8xi32, read_write, private>
// CHECK:       vyre.region "decode.bitunpack_blocks+scan.filter"
// CHECK-NOT:   vyre.region
