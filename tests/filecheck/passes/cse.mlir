// RUN: xdsl-opt %s -p vyre-cse --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p vyre-cse,vyre-cse --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p cse --split-input-file | filecheck %s --check-prefix=PLAIN

// The same computation and the same load, once; what a branch computes is not known after it.

// CHECK-LABEL: vyre.program @once
vyre.program @once {
  %in = vyre.buffer @in : !vyre.buffer<64xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "a" invocations [64] {
    %i = vyre.invocation_id x
    %c32 = arith.constant 32 : index
    %low = arith.cmpi slt, %i, %c32 : index
    // CHECK: [[BYTE:%\S+]] = vyre.load %in[%i]
    // CHECK-NEXT: [[WIDE:%\S+]] = arith.extui [[BYTE]]
    // CHECK-NEXT: scf.if %low {
    // CHECK-NEXT:   [[SUM:%\S+]] = arith.addi [[WIDE]], [[WIDE]]
    // CHECK-NEXT:   vyre.store [[SUM]]
    // CHECK-NEXT: }
    // CHECK-NEXT: [[LATER:%\S+]] = arith.addi [[WIDE]], [[WIDE]]
    // CHECK-NEXT: vyre.store [[LATER]]
    %a = vyre.load %in[%i] : !vyre.buffer<64xi8, read_only> -> i8
    %b = arith.extui %a : i8 to i32
    scf.if %low {
      %c = vyre.load %in[%i] : !vyre.buffer<64xi8, read_only> -> i8
      %d = arith.extui %c : i8 to i32
      %e = arith.addi %b, %d : i32
      vyre.store %e, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
    }
    %f = arith.addi %b, %b : i32
    vyre.store %f, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// -----

// A store to the buffer, a loop that stores to it, and a barrier are between loads; a store to
// another buffer is not.

// CHECK-LABEL: vyre.program @changed
vyre.program @changed workgroup_size [64] {
  %in = vyre.buffer @in : !vyre.buffer<64xi32, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "a" invocations [64] {
    %l = vyre.local_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    // CHECK: [[FIRST:%\S+]] = vyre.load %in
    // CHECK-NEXT: vyre.store [[FIRST]], %out
    // CHECK-NEXT: vyre.store [[FIRST]], %in
    // CHECK-NEXT: [[SECOND:%\S+]] = vyre.load %in
    // CHECK-NEXT: vyre.store [[SECOND]], %out
    // CHECK-NEXT: scf.for
    // CHECK-NEXT:   [[THIRD:%\S+]] = vyre.load %in
    // CHECK-NEXT:   vyre.store [[THIRD]], %in
    // CHECK-NEXT: }
    // CHECK-NEXT: [[FOURTH:%\S+]] = vyre.load %in
    // CHECK-NEXT: vyre.barrier
    // CHECK-NEXT: [[FIFTH:%\S+]] = vyre.load %in
    // CHECK-NEXT: [[SUM:%\S+]] = arith.addi [[FOURTH]], [[FIFTH]]
    %a = vyre.load %in[%l] : !vyre.buffer<64xi32, read_write> -> i32
    vyre.store %a, %out[%l] : i32, !vyre.buffer<64xi32, read_write>
    %b = vyre.load %in[%l] : !vyre.buffer<64xi32, read_write> -> i32
    vyre.store %b, %in[%l] : i32, !vyre.buffer<64xi32, read_write>
    %c = vyre.load %in[%l] : !vyre.buffer<64xi32, read_write> -> i32
    vyre.store %c, %out[%l] : i32, !vyre.buffer<64xi32, read_write>
    scf.for %k = %c0 to %c4 step %c1 {
      %d = vyre.load %in[%l] : !vyre.buffer<64xi32, read_write> -> i32
      vyre.store %d, %in[%l] : i32, !vyre.buffer<64xi32, read_write>
    }
    %e = vyre.load %in[%l] : !vyre.buffer<64xi32, read_write> -> i32
    vyre.barrier
    %f = vyre.load %in[%l] : !vyre.buffer<64xi32, read_write> -> i32
    %g = arith.addi %e, %f : i32
    vyre.store %g, %out[%l] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// -----

// Loads of two widths in regions that are otherwise equal, also for xDSL's own pass; and regions
// that are equal in all.

// CHECK-LABEL: vyre.program @widths
// PLAIN-LABEL: vyre.program @widths
vyre.program @widths {
  %in = vyre.buffer @in : !vyre.buffer<64xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "a" invocations [8] {
    %i = vyre.invocation_id x
    %c4 = arith.constant 4 : index
    %k9 = arith.constant 9 : i32
    %low = arith.cmpi slt, %i, %c4 : index
    // CHECK: %x = scf.if
    // CHECK: -> i8
    // CHECK: %y = scf.if
    // CHECK: -> i16
    // CHECK-NOT: scf.if
    // CHECK: arith.addi %x, %y : i32
    // CHECK-NEXT: arith.addi %{{.*}}, %y : i32
    // PLAIN: %x = scf.if
    // PLAIN: -> i8
    // PLAIN: %y = scf.if
    // PLAIN: -> i16
    %x = scf.if %low -> (i32) {
      %a = vyre.load %in[%i] : !vyre.buffer<64xi8, read_only> -> i8
      %b = arith.extui %a : i8 to i32
      scf.yield %b : i32
    } else {
      scf.yield %k9 : i32
    }
    %y = scf.if %low -> (i32) {
      %a = vyre.load %in[%i] : !vyre.buffer<64xi8, read_only> -> i16
      %b = arith.extui %a : i16 to i32
      scf.yield %b : i32
    } else {
      scf.yield %k9 : i32
    }
    %z = scf.if %low -> (i32) {
      %a = vyre.load %in[%i] : !vyre.buffer<64xi8, read_only> -> i16
      %b = arith.extui %a : i16 to i32
      scf.yield %b : i32
    } else {
      scf.yield %k9 : i32
    }
    %s = arith.addi %x, %y : i32
    %t = arith.addi %s, %z : i32
    vyre.store %t, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// -----

// Casts by way of two widths, in regions that are otherwise equal. xDSL's pass confuses them.

// CHECK-LABEL: vyre.program @casts
vyre.program @casts {
  %in = vyre.buffer @in : !vyre.buffer<64xi64, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi64, read_write>
  vyre.region "a" invocations [8] {
    %i = vyre.invocation_id x
    %c4 = arith.constant 4 : index
    %low = arith.cmpi slt, %i, %c4 : index
    %v = vyre.load %in[%i] : !vyre.buffer<64xi64, read_only> -> i64
    // CHECK: %x = scf.if
    // CHECK: trunci %v : i64 to i8
    // CHECK: %y = scf.if
    // CHECK: trunci %v : i64 to i16
    %x = scf.if %low -> (i64) {
      %a = arith.trunci %v : i64 to i8
      %b = arith.extui %a : i8 to i64
      scf.yield %b : i64
    } else {
      scf.yield %v : i64
    }
    %y = scf.if %low -> (i64) {
      %a = arith.trunci %v : i64 to i16
      %b = arith.extui %a : i16 to i64
      scf.yield %b : i64
    } else {
      scf.yield %v : i64
    }
    // CHECK: %p = scf.if
    // CHECK: index_cast %v : i64 to index
    // CHECK: %q = scf.if
    // CHECK: trunci %v : i64 to i32
    // CHECK: arith.addi %x, %y
    // CHECK-NEXT: arith.addi %p, %q
    %p = scf.if %low -> (i64) {
      %a = arith.index_cast %v : i64 to index
      %b = arith.index_cast %a : index to i32
      %d = arith.extsi %b : i32 to i64
      scf.yield %d : i64
    } else {
      scf.yield %v : i64
    }
    %q = scf.if %low -> (i64) {
      %a = arith.trunci %v : i64 to i32
      %b = arith.index_cast %a : i32 to index
      %d = arith.index_cast %b : index to i64
      scf.yield %d : i64
    } else {
      scf.yield %v : i64
    }
    %s = arith.addi %x, %y : i64
    %t = arith.addi %p, %q : i64
    %u = arith.addi %s, %t : i64
    vyre.store %u, %out[%i] : i64, !vyre.buffer<64xi64, read_write>
  }
}

// -----

// An arm keeps to itself: what the host computes would have to be passed.

// CHECK-LABEL: vyre.program @host
vyre.program @host {
  %in = vyre.buffer @in : !vyre.buffer<?xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  %c7 = arith.constant 7 : i32
  // CHECK: vyre.region
  // CHECK: %c7_1 = arith.constant 7 : i32
  vyre.region "a" invocations [64] {
    %i = vyre.invocation_id x
    %c7_1 = arith.constant 7 : i32
    vyre.store %c7_1, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}
