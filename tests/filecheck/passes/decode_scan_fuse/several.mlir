// RUN: xdsl-opt %s -p vyre-decode-scan-fuse --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p vyre-decode-scan-fuse --split-input-file > %t.once
// RUN: xdsl-opt %s -p vyre-decode-scan-fuse,vyre-decode-scan-fuse --split-input-file | diff %t.once -

// A chain: three bytes at a time, xor, scan. It fuses link by link into one arm.
vyre.program @chain {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %groups = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %three_h = arith.constant 3 : index
  %n = arith.muli %groups, %three_h : index
  %decoded = vyre.buffer @decoded[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %plain = vyre.buffer @plain[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, write_only>
  vyre.region "base64" invocations [%groups] attributes {first_hint} {
    %i = vyre.invocation_id x
    %three = arith.constant 3 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %at = arith.muli %i, %three : index
    %at1 = arith.addi %at, %one : index
    %at2 = arith.addi %at, %two : index
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    vyre.store %byte, %decoded[%at] : i8, !vyre.buffer<?xi8, read_write>
    vyre.store %byte, %decoded[%at1] : i8, !vyre.buffer<?xi8, read_write>
    vyre.store %byte, %decoded[%at2] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "xor" invocations [%n] attributes {second_hint} {
    %i = vyre.invocation_id x
    %key = arith.constant 90 : i8
    %byte = vyre.load %decoded[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %changed = arith.xori %byte, %key : i8
    vyre.store %changed, %plain[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan" invocations [%n] attributes {third_hint} {
    %i = vyre.invocation_id x
    %one = arith.constant 1 : index
    %next = arith.addi %i, %one : index
    %a = vyre.load %plain[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %b = vyre.load %plain[%next] : !vyre.buffer<?xi8, read_write> -> i8
    %sum = arith.addi %a, %b : i8
    vyre.store %sum, %out[%i] : i8, !vyre.buffer<?xi8, write_only>
  }
}

// CHECK-LABEL: @chain
// CHECK-DAG: @decoded : !vyre.buffer<{{\d+}}xi8, read_write, {{private|workgroup}}>
// CHECK-DAG: @plain : !vyre.buffer<4xi8, read_write, private>
// CHECK: vyre.region "base64+xor+scan" {{.*}}attributes {first_hint, second_hint, third_hint}
// CHECK-NOT: vyre.region

// -----

// Two scanners of one handoff share the tile.
vyre.program @several_consumers {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %first = vyre.buffer @first[%n] live_out : !vyre.buffer<?xi8, write_only>
  %second = vyre.buffer @second[%n] live_out : !vyre.buffer<?xi8, write_only>
  vyre.region "decode" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<?xi8, read_write> -> i8
    vyre.store %byte, %first[%i] : i8, !vyre.buffer<?xi8, write_only>
  }
  vyre.region "count" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<?xi8, read_write> -> i8
    vyre.store %byte, %second[%i] : i8, !vyre.buffer<?xi8, write_only>
  }
}

// CHECK-LABEL: @several_consumers
// CHECK: vyre.region "decode+scan+count"
// CHECK-COUNT-1: vyre.load %text
// CHECK-COUNT-2: vyre.load %decoded
// CHECK-NOT: vyre.load %text
// CHECK-NOT: vyre.region

// -----

// One producer hands two buffers on at once.
vyre.program @two_handoffs {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %flags = vyre.buffer @flags[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, write_only>
  vyre.region "decode" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<?xi8, read_write>
    vyre.store %byte, %flags[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %flag = vyre.load %flags[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %both = arith.addi %byte, %flag : i8
    vyre.store %both, %out[%i] : i8, !vyre.buffer<?xi8, write_only>
  }
}

// CHECK-LABEL: @two_handoffs
// CHECK: @decoded : !vyre.buffer<1xi8, read_write, private>
// CHECK: @flags : !vyre.buffer<1xi8, read_write, private>
// CHECK: vyre.region "decode+scan"
// CHECK-NOT: vyre.region

// -----

// Two producers hand a buffer each to one consumer.
vyre.program @two_producers {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %flags = vyre.buffer @flags[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, write_only>
  vyre.region "decode" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "flag" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    vyre.store %byte, %flags[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %flag = vyre.load %flags[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %both = arith.addi %byte, %flag : i8
    vyre.store %both, %out[%i] : i8, !vyre.buffer<?xi8, write_only>
  }
}

// CHECK-LABEL: @two_producers
// CHECK: @decoded : !vyre.buffer<1xi8, read_write, private>
// CHECK: @flags : !vyre.buffer<1xi8, read_write, private>
// CHECK: vyre.region "decode+flag+scan"
// CHECK-NOT: vyre.region

// -----

// Memory that each invocation has of its own does not keep arms apart, nor from repetition.
vyre.program @own_scratch {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %scratch = vyre.buffer @scratch : !vyre.buffer<1xi8, read_write, private>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, write_only>
  vyre.region "decode" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    vyre.store %byte, %scratch[%zero] : i8, !vyre.buffer<1xi8, read_write, private>
    %kept = vyre.load %scratch[%zero] : !vyre.buffer<1xi8, read_write, private> -> i8
    vyre.store %kept, %decoded[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %next = arith.addi %i, %one : index
    %byte = vyre.load %decoded[%next] : !vyre.buffer<?xi8, read_write> -> i8
    vyre.store %byte, %scratch[%zero] : i8, !vyre.buffer<1xi8, read_write, private>
    %kept = vyre.load %scratch[%zero] : !vyre.buffer<1xi8, read_write, private> -> i8
    %other = vyre.load %decoded[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %sum = arith.addi %kept, %other : i8
    vyre.store %sum, %out[%i] : i8, !vyre.buffer<?xi8, write_only>
  }
}

// CHECK-LABEL: @own_scratch
// CHECK: @decoded : !vyre.buffer<2xi8, read_write, private>
// CHECK: vyre.region "decode+scan"
// CHECK-NOT: vyre.region
