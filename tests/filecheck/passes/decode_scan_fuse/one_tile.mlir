// RUN: xdsl-opt %s -p vyre-decode-scan-fuse | filecheck %s
// RUN: xdsl-opt %s -p vyre-decode-scan-fuse,vyre-decode-scan-fuse | filecheck %s

// Every element is read from the other half, so that a tile holds all of them; there is one, and nothing is done twice.
// CHECK-LABEL: vyre.program @one_tile
// CHECK: @decoded{{.*}} : !vyre.buffer<64xi32, read_write, workgroup>
// CHECK: vyre.region "decode+scan"
// CHECK-NOT: vyre.region
vyre.program @one_tile {
  %data = vyre.buffer @data : !vyre.buffer<64xi32, read_only>
  %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<64xi32, read_write>
  %o = vyre.buffer @o live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "decode" invocations [64] workgroup_size [64] {
    %i = vyre.invocation_id x
    %v = vyre.load %data[%i] : !vyre.buffer<64xi32, read_only> -> i32
    %k = arith.constant 90 : i32
    %w = arith.xori %v, %k : i32
    vyre.store %w, %decoded[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
  vyre.region "scan" invocations [64] workgroup_size [64] {
    %i = vyre.invocation_id x
    %m = arith.constant 32 : index
    %a = arith.addi %i, %m : index
    %s = arith.constant 64 : index
    %at = arith.remui %a, %s : index
    %v = vyre.load %decoded[%at] : !vyre.buffer<64xi32, read_write> -> i32
    vyre.store %v, %o[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}
