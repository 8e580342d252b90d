// RUN: xdsl-opt %s -p vyre-fuse-horizontally --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p vyre-fuse-horizontally,vyre-fuse-horizontally --split-input-file | filecheck %s

// Three arms over one input, whose size the host computes, become one.

// CHECK-LABEL: vyre.program @merged
vyre.program @merged {
  %in = vyre.buffer @in : !vyre.buffer<?xi32, read_only>
  %a = vyre.buffer @a live_out : !vyre.buffer<8xi32, write_only>
  %b = vyre.buffer @b live_out : !vyre.buffer<8xi32, read_write>
  %n = vyre.buf_len %in : !vyre.buffer<?xi32, read_only>
  // CHECK: vyre.region "one+two+three" invocations [%n] {
  // CHECK: vyre.store {{.*}}, %a
  // CHECK: vyre.atomic_rmw
  // CHECK: vyre.store {{.*}}, %c
  // CHECK-NOT: vyre.region
  vyre.region "one" invocations [%n] {
    %i = vyre.invocation_id x
    %x = vyre.load %in[%i] : !vyre.buffer<?xi32, read_only> -> i32
    vyre.store %x, %a[%i] : i32, !vyre.buffer<8xi32, write_only>
  }
  %c1 = arith.constant 1 : index
  vyre.region "two" invocations [%n] {
    %i = vyre.invocation_id x
    %x = vyre.load %in[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %old = vyre.atomic_rmw addi %x, %b[%i] : i32, !vyre.buffer<8xi32, read_write>
  }
  %c = vyre.buffer @c live_out : !vyre.buffer<8xi32, write_only>
  vyre.region "three" invocations [%n] {
    %i = vyre.invocation_id x
    %x = vyre.load %in[%i] : !vyre.buffer<?xi32, read_only> -> i32
    vyre.store %x, %c[%i] : i32, !vyre.buffer<8xi32, write_only>
  }
}

// -----

// What stays apart: an arm that reads what the one before it writes, one that writes what that reads,
// another domain, nothing in common, and a load by the host between.

// CHECK-LABEL: vyre.program @apart
vyre.program @apart {
  %in = vyre.buffer @in : !vyre.buffer<8xi32, read_write>
  %t = vyre.buffer @t live_out : !vyre.buffer<8xi32, read_write>
  %a = vyre.buffer @a live_out : !vyre.buffer<8xi32, read_write>
  %b = vyre.buffer @b live_out : !vyre.buffer<8xi32, read_write>
  // CHECK: vyre.region "writes"
  vyre.region "writes" invocations [8] {
    %i = vyre.invocation_id x
    %x = vyre.load %in[%i] : !vyre.buffer<8xi32, read_write> -> i32
    vyre.store %x, %t[%i] : i32, !vyre.buffer<8xi32, read_write>
  }
  // CHECK: vyre.region "reads"
  vyre.region "reads" invocations [8] {
    %i = vyre.invocation_id x
    %x = vyre.load %in[%i] : !vyre.buffer<8xi32, read_write> -> i32
    %y = vyre.load %t[%i] : !vyre.buffer<8xi32, read_write> -> i32
    %z = arith.addi %x, %y : i32
    vyre.store %z, %a[%i] : i32, !vyre.buffer<8xi32, read_write>
  }
  // CHECK: vyre.region "overwrites"
  vyre.region "overwrites" invocations [8] {
    %i = vyre.invocation_id x
    %x = vyre.load %in[%i] : !vyre.buffer<8xi32, read_write> -> i32
    vyre.store %x, %t[%i] : i32, !vyre.buffer<8xi32, read_write>
  }
  // CHECK: vyre.region "fewer"
  vyre.region "fewer" invocations [4] {
    %i = vyre.invocation_id x
    %x = vyre.load %in[%i] : !vyre.buffer<8xi32, read_write> -> i32
    vyre.store %x, %b[%i] : i32, !vyre.buffer<8xi32, read_write>
  }
  // CHECK: vyre.region "nothing in common"
  vyre.region "nothing in common" invocations [4] {
    %i = vyre.invocation_id x
    %x = arith.constant 1 : i32
    vyre.store %x, %a[%i] : i32, !vyre.buffer<8xi32, read_write>
  }
  %0 = arith.constant 0 : index
  %size = vyre.load %in[%0] : !vyre.buffer<8xi32, read_write> -> i32
  // CHECK: vyre.region "after the host"
  vyre.region "after the host" invocations [4] {
    %i = vyre.invocation_id x
    %x = vyre.load %a[%i] : !vyre.buffer<8xi32, read_write> -> i32
    vyre.store %x, %t[%i] : i32, !vyre.buffer<8xi32, read_write>
  }
  // CHECK: vyre.region "by workgroups"
  vyre.region "by workgroups" invocations [4] workgroup_size [4] {
    %i = vyre.local_id x
    %x = vyre.load %a[%i] : !vyre.buffer<8xi32, read_write> -> i32
    vyre.store %x, %b[%i] : i32, !vyre.buffer<8xi32, read_write>
  }
}

// -----

// The domains are computed anew for each arm, as expansions do. Those of the first two are the same
// number; the third has another divisor, the fourth the length of another buffer.

// CHECK-LABEL: vyre.program @computed_alike
vyre.program @computed_alike {
  %in = vyre.buffer @in : !vyre.buffer<?xi32, read_only>
  %other = vyre.buffer @other : !vyre.buffer<?xi32, read_only>
  %a = vyre.buffer @a live_out : !vyre.buffer<8xi32, write_only>
  %b = vyre.buffer @b live_out : !vyre.buffer<8xi32, write_only>
  %c = vyre.buffer @c live_out : !vyre.buffer<8xi32, write_only>
  %d = vyre.buffer @d live_out : !vyre.buffer<8xi32, write_only>
  // CHECK: vyre.region "one+two" invocations [%first]
  // CHECK: vyre.region "three" invocations [%third]
  // CHECK: vyre.region "four" invocations [%fourth]
  %n = vyre.buf_len %in : !vyre.buffer<?xi32, read_only>
  %c4 = arith.constant 4 : index
  %first = arith.ceildivui %n, %c4 : index
  vyre.region "one" invocations [%first] {
    %i = vyre.invocation_id x
    %x = vyre.load %in[%i] : !vyre.buffer<?xi32, read_only> -> i32
    vyre.store %x, %a[%i] : i32, !vyre.buffer<8xi32, write_only>
  }
  %m = vyre.buf_len %in : !vyre.buffer<?xi32, read_only>
  %again = arith.constant 4 : index
  %second = arith.ceildivui %m, %again : index
  vyre.region "two" invocations [%second] {
    %i = vyre.invocation_id x
    %x = vyre.load %in[%i] : !vyre.buffer<?xi32, read_only> -> i32
    vyre.store %x, %b[%i] : i32, !vyre.buffer<8xi32, write_only>
  }
  %c8 = arith.constant 8 : index
  %third = arith.ceildivui %n, %c8 : index
  vyre.region "three" invocations [%third] {
    %i = vyre.invocation_id x
    %x = vyre.load %in[%i] : !vyre.buffer<?xi32, read_only> -> i32
    vyre.store %x, %c[%i] : i32, !vyre.buffer<8xi32, write_only>
  }
  %o = vyre.buf_len %other : !vyre.buffer<?xi32, read_only>
  %fourth = arith.ceildivui %o, %c8 : index
  vyre.region "four" invocations [%fourth] {
    %i = vyre.invocation_id x
    %x = vyre.load %in[%i] : !vyre.buffer<?xi32, read_only> -> i32
    vyre.store %x, %d[%i] : i32, !vyre.buffer<8xi32, write_only>
  }
}

// -----

// A sum and a difference of the same numbers are different ops, but alike in all else: the domains
// differ.

// CHECK-LABEL: vyre.program @other_ops
vyre.program @other_ops {
  %in = vyre.buffer @in : !vyre.buffer<?xi32, read_only>
  %a = vyre.buffer @a live_out : !vyre.buffer<8xi32, write_only>
  %b = vyre.buffer @b live_out : !vyre.buffer<8xi32, write_only>
  // CHECK: vyre.region "one" invocations [%more]
  // CHECK: vyre.region "two" invocations [%less]
  %n = vyre.buf_len %in : !vyre.buffer<?xi32, read_only>
  %c1 = arith.constant 1 : index
  %more = arith.addi %n, %c1 : index
  vyre.region "one" invocations [%more] {
    %i = vyre.invocation_id x
    %x = vyre.load %in[%i] : !vyre.buffer<?xi32, read_only> -> i32
    vyre.store %x, %a[%i] : i32, !vyre.buffer<8xi32, write_only>
  }
  %less = arith.subi %n, %c1 : index
  vyre.region "two" invocations [%less] {
    %i = vyre.invocation_id x
    %x = vyre.load %in[%i] : !vyre.buffer<?xi32, read_only> -> i32
    vyre.store %x, %b[%i] : i32, !vyre.buffer<8xi32, write_only>
  }
}
