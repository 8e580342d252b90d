// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{strategy=private}' --split-input-file | filecheck %s
// Fusing again changes nothing.
// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{strategy=private}' --split-input-file > %t.once
// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{strategy=private},vyre-decode-scan-fuse{strategy=private}' --split-input-file | diff %t.once -

// Each invocation decodes what it scans: one element, at a constant position, with no barrier.
vyre.program @identity {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, write_only>
  vyre.region "decode" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<?xi8, read_write> -> i8
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<?xi8, write_only>
  }
}

// CHECK-LABEL: @identity
// CHECK: @decoded : !vyre.buffer<1xi8, read_write, private>
// CHECK: vyre.region "decode+scan"
// CHECK: vyre.load %text
// CHECK: [[ZERO:%.*]] = arith.constant 0 : index
// CHECK-NEXT: vyre.store %{{.*}}, %decoded{{\[}}[[ZERO]]] in_bounds
// CHECK-NOT: vyre.barrier
// CHECK: vyre.load %decoded{{.*}} in_bounds
// CHECK: vyre.store %{{.*}}, %out
// CHECK-NOT: vyre.region

// -----

// Two elements from the right: the next one is decoded twice, and is 0 past the end.
vyre.program @halo_right {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, write_only>
  vyre.region "decode" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %step = arith.constant 1 : index
    %at = arith.addi %i, %step : index
    %a = vyre.load %decoded[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %b = vyre.load %decoded[%at] : !vyre.buffer<?xi8, read_write> -> i8
    %sum = arith.addi %a, %b : i8
    vyre.store %sum, %out[%i] : i8, !vyre.buffer<?xi8, write_only>
  }
}

// CHECK-LABEL: @halo_right
// CHECK: @decoded : !vyre.buffer<2xi8, read_write, private>
// CHECK: vyre.region "decode+scan"
// CHECK-COUNT-2: vyre.load %text
// CHECK: arith.cmpi sgt
// CHECK: vyre.load %decoded
// CHECK: vyre.load %decoded
// CHECK-NOT: vyre.region

// -----

// One from the left: the window begins before the handoff does.
vyre.program @halo_left {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, write_only>
  vyre.region "decode" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %step = arith.constant -2 : index
    %at = arith.addi %i, %step : index
    %a = vyre.load %decoded[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %b = vyre.load %decoded[%at] : !vyre.buffer<?xi8, read_write> -> i8
    %sum = arith.addi %a, %b : i8
    vyre.store %sum, %out[%i] : i8, !vyre.buffer<?xi8, write_only>
  }
}

// CHECK-LABEL: @halo_left
// CHECK: @decoded : !vyre.buffer<3xi8, read_write, private>
// CHECK: vyre.region "decode+scan"
// CHECK: %decoded_base = arith.subi %i, %{{.*}}
// CHECK-NOT: vyre.region
