// RUN: xdsl-opt %s -p vyre-stream --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p vyre-stream,vyre-stream --split-input-file | filecheck %s

// What pieces count is added up, and each takes in as much of the next one as a test looks ahead.
vyre.program @neighbours {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %three = arith.constant 3 : index
    %ahead = arith.addi %i, %three : index
    %one = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %other = vyre.load %text[%ahead] : !vyre.buffer<?xi8, read_only> -> i8
    %same = arith.cmpi eq, %one, %other : i8
    %counted = arith.extui %same : i1 to i32
    %old = vyre.atomic_rmw addi %counted, %count[%zero] : i32, !vyre.buffer<1xi32, read_write>
  }
}

// CHECK: vyre.program @neighbours {
// CHECK-NEXT: vyre.stream @text multiple 1 before 0 after 3 least 4 keeps {count = "addi"}
// CHECK-NOT: vyre.stream

// -----

// Groups of four bytes become three: a unit is four, and parts of the result are joined. What a
// program says of itself is replaced.
vyre.program @packed {
  vyre.stream @text multiple 64 before 0 after 0 least 1
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %four = arith.constant 4 : index
  %three = arith.constant 3 : index
  %groups = arith.floordivsi %n, %four : index
  %size = arith.muli %groups, %three : index
  %packed = vyre.buffer @packed[%size] live_out : !vyre.buffer<?xi8, read_write>
  vyre.region "pack" invocations [%groups] {
    %i = vyre.invocation_id x
    %from = arith.muli %i, %four : index
    %to = arith.muli %i, %three : index
    %one = vyre.load %text[%from] : !vyre.buffer<?xi8, read_only> -> i8
    vyre.store %one, %packed[%to] : i8, !vyre.buffer<?xi8, read_write>
  }
}

// CHECK: vyre.program @packed {
// CHECK-NEXT: vyre.stream @text multiple 4 before 0 after 0 least 1 cuts {packed = array<i64: 3, 0>} joins {packed = 3 : i64}
// CHECK-NEXT: %text = vyre.buffer @text

// -----

// Each sum needs all before it: a loop over what lies before a piece.
vyre.program @sums {
  %text = vyre.buffer @text : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi32, read_only>
  %sums = vyre.buffer @sums[%n] live_out : !vyre.buffer<?xi32, read_write>
  vyre.region "scan.sums" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %nothing = arith.constant 0 : i32
    %sum = scf.for %k = %zero to %i step %one iter_args(%so_far = %nothing) -> (i32) {
      %each = vyre.load %text[%k] : !vyre.buffer<?xi32, read_only> -> i32
      %more = arith.addi %so_far, %each : i32
      scf.yield %more : i32
    }
    vyre.store %sum, %sums[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
}

// CHECK: vyre.program @sums {
// CHECK-NEXT: vyre.stream @text refused "'vyre.load' of 'scan.sums' reads '@text' at an index that does not depend on the invocation: in a piece from element 1 on, element 0 is element 1 of all{{.*}}"

// -----

// The middle of the input is somewhere else in a piece.
vyre.program @middle {
  %text = vyre.buffer @text : !vyre.buffer<?xi32, read_only>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  %n = vyre.buf_len %text : !vyre.buffer<?xi32, read_only>
  %two = arith.constant 2 : index
  %half = arith.floordivsi %n, %two : index
  vyre.region "scan.half" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %is_before = arith.cmpi slt, %i, %half : index
    scf.if %is_before {
      %old = vyre.atomic_rmw addi %one, %count[%zero] : i32, !vyre.buffer<1xi32, read_write>
    }
  }
}

// CHECK: vyre.program @middle {
// CHECK-NEXT: vyre.stream @text refused "'vyre.atomic_rmw' of 'scan.half' runs or not by what depends on where '@text' ends{{.*}}"

// -----

// Two arms exchange an element each, in an order that pieces do not keep.
vyre.program @exchange {
  %text = vyre.buffer @text : !vyre.buffer<?xi32, read_only>
  %last = vyre.buffer @last live_out : !vyre.buffer<1xi32, read_write>
  %n = vyre.buf_len %text : !vyre.buffer<?xi32, read_only>
  vyre.region "scan.largest" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %one = vyre.load %text[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %old = vyre.atomic_rmw maxs %one, %last[%zero] : i32, !vyre.buffer<1xi32, read_write>
  }
  vyre.region "scan.sum" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %one = vyre.load %text[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %old = vyre.atomic_rmw addi %one, %last[%zero] : i32, !vyre.buffer<1xi32, read_write>
  }
}

// CHECK: vyre.program @exchange {
// CHECK-NEXT: vyre.stream @text refused "'vyre.atomic_rmw' of 'scan.sum' and others work on '@last' in an order that pieces do not keep{{.*}}"

// -----

// Nothing to cut along: every size is known beforehand.
vyre.program @fixed {
  %text = vyre.buffer @text : !vyre.buffer<16xi8, read_only>
}

// CHECK: vyre.program @fixed {
// CHECK-NEXT: %text = vyre.buffer @text
