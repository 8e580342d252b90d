// RUN: xdsl-opt %s -p 'vyre-expand{defaults="lanes=1"},vyre-decode-scan-fuse{strategy=workgroup}' --split-input-file | filecheck %s
// Fusing again changes nothing.
// RUN: xdsl-opt %s -p 'vyre-expand{defaults="lanes=1"},vyre-decode-scan-fuse{strategy=workgroup}' --split-input-file > %t.once
// RUN: xdsl-opt %s -p 'vyre-expand{defaults="lanes=1"},vyre-decode-scan-fuse{strategy=workgroup},vyre-decode-scan-fuse{strategy=workgroup}' --split-input-file | diff %t.once -

// Blocks of 1024 values in 32 lanes are unpacked by 32 invocations. A tile of the 64 values that a workgroup takes
// would run nearly all of them again for each, so tiles grow to blocks.

vyre.program @blocks workgroup_size [64] {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %values = vyre.buffer @values initial undefined : !vyre.buffer<?xi32, read_write>
  vyre.decode.bitunpack %packed to %values bits 7 layout interleaved : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  %n = vyre.buf_len %values : !vyre.buffer<?xi32, read_write>
  %out = vyre.buffer @out[%n] live_out initial undefined : !vyre.buffer<?xi32, read_write>
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %value = vyre.load %values[%i] : !vyre.buffer<?xi32, read_write> -> i32
    vyre.store %value, %out[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
}

// CHECK-LABEL: @blocks
// CHECK: @values : !vyre.buffer<2048xi32, read_write, workgroup>
// CHECK: vyre.region "decode.bitunpack+scan" {{.*}}workgroup_size [64]

// -----

// They grow as far as the budget of all tiles goes.

vyre.program @large_blocks workgroup_size [64] {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %values = vyre.buffer @values initial undefined : !vyre.buffer<?xi64, read_write>
  vyre.decode.bitunpack %packed to %values bits 7 layout interleaved : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi64, read_write>
  %n = vyre.buf_len %values : !vyre.buffer<?xi64, read_write>
  %wide = vyre.buffer @wide[%n] initial undefined : !vyre.buffer<?xvector<4xi64>, read_write>
  %out = vyre.buffer @out[%n] live_out initial undefined : !vyre.buffer<?xi64, read_write>
  vyre.region "widen" invocations [%n] {
    %i = vyre.invocation_id x
    %value = vyre.load %values[%i] : !vyre.buffer<?xi64, read_write> -> i64
    %four = vector.broadcast %value : i64 to vector<4xi64>
    vyre.store %four, %wide[%i] : vector<4xi64>, !vyre.buffer<?xvector<4xi64>, read_write>
  }
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %four = vyre.load %wide[%i] : !vyre.buffer<?xvector<4xi64>, read_write> -> vector<4xi64>
    %value = vector.extract %four[3] : i64 from vector<4xi64>
    vyre.store %value, %out[%i] : i64, !vyre.buffer<?xi64, read_write>
  }
}

// CHECK-LABEL: @large_blocks
// CHECK: @values : !vyre.buffer<256xi64, read_write, workgroup>
