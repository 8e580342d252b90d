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

// -----

// Two elements of each byte: as many as the bytes give, so that both always exist.
vyre.program @two_of_each {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %length = vyre.buf_len %packed : !vyre.buffer<?xi8, read_only>
  %two = arith.constant 2 : index
  %n = arith.muli %length, %two : index
  %halves = vyre.buffer @halves[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<256xi32, read_write>
  vyre.region "decode" invocations [%length] {
    %i = vyre.invocation_id x
    %each = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %half = arith.constant 4 : i8
    %byte = vyre.load %packed[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %high = arith.shrui %byte, %half : i8
    %first = arith.muli %i, %each : index
    %second = arith.addi %first, %c1 : index
    vyre.store %high, %halves[%first] : i8, !vyre.buffer<?xi8, read_write>
    vyre.store %byte, %halves[%second] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "count" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %halves[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %value = arith.extui %byte : i8 to i32
    %bin = arith.index_cast %value : i32 to index
    %one = arith.constant 1 : i32
    %old = vyre.atomic_rmw addi %one, %bins[%bin] : i32, !vyre.buffer<256xi32, read_write>
  }
}

// CHECK-LABEL: @two_of_each
// CHECK: vyre.region "decode+count"
// CHECK-NOT: arith.cmpi
// CHECK: vyre.atomic_rmw
// CHECK-NOT: vyre.region

// -----

// One byte may be left that has no other half: the last pair asks whether its second element exists.
vyre.program @pairs {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %two = arith.constant 2 : index
  %pairs = arith.ceildivui %n, %two : index
  %plain = vyre.buffer @plain[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<256xi32, read_write>
  vyre.region "decode" invocations [%pairs] {
    %i = vyre.invocation_id x
    %each = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %first = arith.muli %i, %each : index
    %second = arith.addi %first, %c1 : index
    %a = vyre.load %text[%first] : !vyre.buffer<?xi8, read_only> -> i8
    %b = vyre.load %text[%second] : !vyre.buffer<?xi8, read_only> -> i8
    vyre.store %a, %plain[%first] : i8, !vyre.buffer<?xi8, read_write>
    vyre.store %b, %plain[%second] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "count" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %plain[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %value = arith.extui %byte : i8 to i32
    %bin = arith.index_cast %value : i32 to index
    %one = arith.constant 1 : i32
    %old = vyre.atomic_rmw addi %one, %bins[%bin] : i32, !vyre.buffer<256xi32, read_write>
  }
}

// CHECK-LABEL: @pairs
// CHECK: vyre.region "decode+count"
// CHECK: arith.cmpi slt
// CHECK-NOT: vyre.region
