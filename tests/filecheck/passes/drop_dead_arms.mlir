// RUN: xdsl-opt %s -p vyre-drop-dead-arms --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p vyre-drop-dead-arms,vyre-drop-dead-arms --split-input-file | filecheck %s

// What only a dead arm reads is dead as well, and so is what is written after the last read. A buffer
// that the host neither fills nor reads goes with them; an input that nobody reads stays.

// CHECK-LABEL: vyre.program @chain
vyre.program @chain {
  // CHECK-NEXT: %in = vyre.buffer @in
  // CHECK-NEXT: %live = vyre.buffer @live
  // CHECK-NEXT: %out = vyre.buffer @out
  %in = vyre.buffer @in : !vyre.buffer<8xi32, read_only>
  %one = vyre.buffer @one initial undefined : !vyre.buffer<8xi32, read_write>
  %two = vyre.buffer @two initial undefined : !vyre.buffer<8xi32, read_write>
  %live = vyre.buffer @live initial undefined : !vyre.buffer<8xi32, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<8xi32, write_only>
  // CHECK-NOT: "first"
  vyre.region "first" invocations [8] {
    %i = vyre.invocation_id x
    %x = vyre.load %in[%i] : !vyre.buffer<8xi32, read_only> -> i32
    vyre.store %x, %one[%i] : i32, !vyre.buffer<8xi32, read_write>
  }
  // CHECK: vyre.region "producer"
  vyre.region "producer" invocations [8] {
    %i = vyre.invocation_id x
    %x = vyre.load %in[%i] : !vyre.buffer<8xi32, read_only> -> i32
    vyre.store %x, %live[%i] : i32, !vyre.buffer<8xi32, read_write>
  }
  // CHECK: vyre.region "consumer"
  vyre.region "consumer" invocations [8] {
    %i = vyre.invocation_id x
    %x = vyre.load %live[%i] : !vyre.buffer<8xi32, read_write> -> i32
    vyre.store %x, %out[%i] : i32, !vyre.buffer<8xi32, write_only>
  }
  // CHECK-NOT: vyre.region
  vyre.region "second" invocations [8] {
    %i = vyre.invocation_id x
    %x = vyre.load %one[%i] : !vyre.buffer<8xi32, read_write> -> i32
    vyre.store %x, %two[%i] : i32, !vyre.buffer<8xi32, read_write>
  }
  vyre.region "too late" invocations [8] {
    %i = vyre.invocation_id x
    %x = arith.constant 0 : i32
    vyre.store %x, %live[%i] : i32, !vyre.buffer<8xi32, read_write>
  }
}

// -----

// A size that depends on a buffer's length is no read of it; a load by the host is.

// CHECK-LABEL: vyre.program @host
vyre.program @host {
  %in = vyre.buffer @in : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %in : !vyre.buffer<?xi32, read_only>
  // CHECK: @counts
  %counts = vyre.buffer @counts initial undefined : !vyre.buffer<1xi32, read_write>
  // CHECK-NOT: @unread
  %unread = vyre.buffer @unread[%n] initial undefined : !vyre.buffer<?xi32, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<8xi32, write_only>
  // CHECK: vyre.region "count"
  vyre.region "count" invocations [1] {
    %zero = arith.constant 0 : index
    %x = vyre.load %in[%zero] : !vyre.buffer<?xi32, read_only> -> i32
    vyre.store %x, %counts[%zero] : i32, !vyre.buffer<1xi32, read_write>
  }
  // CHECK-NOT: "unread"
  vyre.region "unread" invocations [%n] {
    %i = vyre.invocation_id x
    %x = vyre.load %in[%i] : !vyre.buffer<?xi32, read_only> -> i32
    vyre.store %x, %unread[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
  %zero = arith.constant 0 : index
  %count = vyre.load %counts[%zero] : !vyre.buffer<1xi32, read_write> -> i32
  %size = arith.index_cast %count : i32 to index
  // CHECK: vyre.region "write"
  vyre.region "write" invocations [%size] {
    %i = vyre.invocation_id x
    %x = arith.constant 1 : i32
    vyre.store %x, %out[%i] : i32, !vyre.buffer<8xi32, write_only>
  }
}

// -----

// What stays though nobody reads its buffers: an arm that reports bad input, one whose count may be
// below zero, and one that is cooperative and not known to have whole workgroups.

// CHECK-LABEL: vyre.program @errors
vyre.program @errors workgroup_size [4] {
  %in = vyre.buffer @in : !vyre.buffer<?xi32, read_only>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %t = vyre.buffer @t initial undefined : !vyre.buffer<8xi32, read_write>
  %n = vyre.buf_len %in : !vyre.buffer<?xi32, read_only>
  // CHECK: vyre.region "trap"
  vyre.region "trap" invocations [8] {
    %i = vyre.invocation_id x
    vyre.trap "bad" at %i, %errors : !vyre.buffer<1xi32, read_write>
  }
  %eight = arith.constant 8 : index
  %less = arith.subi %n, %eight : index
  // CHECK: vyre.region "negative"
  vyre.region "negative" invocations [%less] {
    %i = vyre.invocation_id x
    %x = arith.constant 1 : i32
    vyre.store %x, %t[%i] : i32, !vyre.buffer<8xi32, read_write>
  }
  // CHECK: vyre.region "cooperative"
  vyre.region "cooperative" invocations [%n] {
    %i = vyre.local_id x
    %x = arith.constant 1 : i32
    vyre.store %x, %t[%i] : i32, !vyre.buffer<8xi32, read_write>
  }
}
