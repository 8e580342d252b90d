// RUN: xdsl-opt %s -p vyre-transpose-handoffs --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p vyre-transpose-handoffs,vyre-transpose-handoffs --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p vyre-transpose-handoffs,vyre-decode-scan-fuse --split-input-file | filecheck %s --check-prefix=FUSED

// An invocation decodes one of eight lanes, four rows of it. Kept lane after lane, what it writes is read by four
// neighbours, which take the elements in that order, and every other buffer in the order of the elements.

// CHECK-LABEL: vyre.program @whole
// FUSED-LABEL: vyre.program @whole
// FUSED: vyre.buffer @decoded : !vyre.buffer<4xi32, read_write, private>
// FUSED: vyre.region "decode+scan" invocations
vyre.program @whole {
  %in = vyre.buffer @in : !vyre.buffer<16xi32, read_only>
  %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<64xi32, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, write_only>
  // CHECK: vyre.region "decode" invocations [16]
  // CHECK: [[E:%\S+]] = arith.addi {{.*}}, %down : index
  // CHECK: [[OWN:%\S+]] = vyre.invocation_id x
  // CHECK: [[FIRST:%\S+]] = arith.muli [[OWN]], {{.*}} : index
  // CHECK: [[ROW:%\S+]] = arith.floordivsi [[E]]
  // CHECK: [[IN:%\S+]] = arith.remsi [[ROW]]
  // CHECK: [[PLACE:%\S+]] = arith.addi [[FIRST]], [[IN]] : index
  // CHECK: vyre.store {{.*}}, %decoded[[[PLACE]]]
  vyre.region "decode" invocations [16] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %shift = arith.constant 8 : i32
    %word = vyre.load %in[%i] : !vyre.buffer<16xi32, read_only> -> i32
    %block = arith.divui %i, %c8 : index
    %lane = arith.remui %i, %c8 : index
    %before = arith.muli %block, %c32 : index
    %first = arith.addi %before, %lane : index
    %last = scf.for %row = %c0 to %c4 step %c1 iter_args(%left = %word) -> (i32) {
      %down = arith.muli %row, %c8 : index
      %element = arith.addi %first, %down : index
      vyre.store %left, %decoded[%element] : i32, !vyre.buffer<64xi32, read_write>
      %rest = arith.shrui %left, %shift : i32
      scf.yield %rest : i32
    }
  }
  // CHECK: vyre.region "scan" invocations [64]
  // CHECK: [[N:%\S+]] = vyre.invocation_id x
  // CHECK-NOT: scf.if
  // CHECK: [[MINE:%\S+]] = vyre.invocation_id x
  // CHECK-NEXT: [[X:%\S+]] = vyre.load %decoded[[[MINE]]]
  // CHECK: vyre.store {{.*}}, %out[%i
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %mask = arith.constant 255 : i32
    %x = vyre.load %decoded[%i] : !vyre.buffer<64xi32, read_write> -> i32
    %byte = arith.andi %x, %mask : i32
    vyre.store %byte, %out[%i] : i32, !vyre.buffer<64xi32, write_only>
  }
}

// -----

// Of any number of elements, all of which are read and none beyond: the handoff has room for whole blocks, its
// length is what it was, and the invocations that fill the last block do nothing.

// CHECK-LABEL: vyre.program @any_number
// FUSED-LABEL: vyre.program @any_number
// FUSED: vyre.buffer @decoded : !vyre.buffer<8xi8, read_write, private>
vyre.program @any_number {
  %in = vyre.buffer @in : !vyre.buffer<?xi8, read_only>
  %rows = vyre.buffer @rows : !vyre.buffer<?xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<256xi32, read_write>
  // CHECK: %n = vyre.buf_len %rows
  // CHECK: [[BLOCKS:%\S+]] = arith.ceildivsi %n
  // CHECK: [[ROOM:%\S+]] = arith.muli [[BLOCKS]]
  // CHECK: vyre.buffer @decoded[[[ROOM]]]
  %n = vyre.buf_len %rows : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %c64 = arith.constant 64 : index
  %c8 = arith.constant 8 : index
  %blocks = arith.ceildivui %n, %c64 : index
  %writers = arith.muli %blocks, %c8 : index
  vyre.region "decode" invocations [%writers] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %eight = arith.constant 8 : index
    %size = arith.constant 64 : index
    %byte = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %block = arith.divui %i, %eight : index
    %lane = arith.remui %i, %eight : index
    %before = arith.muli %block, %size : index
    %first = arith.addi %before, %lane : index
    scf.for %row = %c0 to %eight step %c1 {
      %wide = arith.index_cast %row : index to i64
      %number = arith.trunci %wide : i64 to i8
      %down = arith.muli %row, %eight : index
      %element = arith.addi %first, %down : index
      %bit = arith.shrui %byte, %number : i8
      vyre.store %bit, %decoded[%element] : i8, !vyre.buffer<?xi8, read_write>
    }
  }
  // CHECK: vyre.region "scan" invocations
  // CHECK: [[EXISTS:%\S+]] = arith.cmpi slt, %i{{.*}}, %n
  // CHECK-NEXT: scf.if [[EXISTS]]
  %length = vyre.buf_len %decoded : !vyre.buffer<?xi8, read_write>
  vyre.region "scan" invocations [%length] {
    %i = vyre.invocation_id x
    %x = vyre.load %decoded[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %one = arith.constant 1 : i8
    %low = arith.andi %x, %one : i8
    %by = arith.extui %low : i8 to i32
    %place = vyre.load %rows[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %wide = arith.extui %place : i8 to i64
    %bin = arith.index_cast %wide : i64 to index
    %old = vyre.atomic_rmw addi %by, %out[%bin] : i32, !vyre.buffer<256xi32, read_write>
  }
}
