// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{strategy=workgroup},canonicalize' | filecheck %s

// Reads that begin in front of a multiple of 16 elements begin a tile at the one before, so that the vectors that
// a producer stores, and those that are read where it stored them, are as aligned as in the buffer.
// CHECK: %h = vyre.buffer @h : !vyre.buffer<2064xi8, read_write, workgroup>
// CHECK: [[TILE:%\S+]] = arith.muli %tile, %{{.*}} : index
// CHECK-NEXT: [[BELOW:%\S+]] = arith.constant 16 : index
// CHECK-NEXT: %h_base = arith.subi [[TILE]], [[BELOW]] : index
vyre.program @aligned workgroup_size [64] {
  %in = vyre.buffer @in : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %in : !vyre.buffer<?xi8, read_only>
  %blocks = arith.constant 4096 : index
  %h = vyre.buffer @h[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %out = vyre.buffer @out[%n] live_out initial undefined : !vyre.buffer<?xi8, read_write>
  vyre.region "decode" invocations [%blocks] {
    %i = vyre.invocation_id x
    %c16 = arith.constant 16 : index
    %at = arith.muli %i, %c16 : index
    %v = vyre.load %in[%at] : !vyre.buffer<?xi8, read_only> -> vector<16xi8>
    vyre.store %v, %h[%at] : vector<16xi8>, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan" invocations [%blocks] {
    %i = vyre.invocation_id x
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %at = arith.muli %i, %c16 : index
    %before = arith.subi %at, %c1 : index
    %a = vyre.load %h[%at] : !vyre.buffer<?xi8, read_write> -> vector<16xi8>
    %b = vyre.load %h[%before] : !vyre.buffer<?xi8, read_write> -> vector<16xi8>
    %x = arith.xori %a, %b : vector<16xi8>
    vyre.store %x, %out[%at] : vector<16xi8>, !vyre.buffer<?xi8, read_write>
  }
}
