// RUN: xdsl-opt %s -p vyre-transpose-handoffs --split-input-file | filecheck %s

// What stays as it is: nothing of these would be kept in private values.

// The scanner reads its neighbour's element, too.

// CHECK-LABEL: vyre.program @halo
// CHECK: vyre.load %decoded[%i_1]
// CHECK: vyre.load %decoded[%next]
vyre.program @halo {
  %in = vyre.buffer @in : !vyre.buffer<16xi32, read_only>
  %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<64xi32, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<63xi32, write_only>
  vyre.region "decode" invocations [16] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %word = vyre.load %in[%i] : !vyre.buffer<16xi32, read_only> -> i32
    %block = arith.divui %i, %c8 : index
    %lane = arith.remui %i, %c8 : index
    %before = arith.muli %block, %c32 : index
    %first = arith.addi %before, %lane : index
    scf.for %row = %c0 to %c4 step %c1 {
      %down = arith.muli %row, %c8 : index
      %element = arith.addi %first, %down : index
      vyre.store %word, %decoded[%element] : i32, !vyre.buffer<64xi32, read_write>
    }
  }
  vyre.region "scan" invocations [63] {
    %i = vyre.invocation_id x
    %c1 = arith.constant 1 : index
    %next = arith.addi %i, %c1 : index
    %x = vyre.load %decoded[%i] : !vyre.buffer<64xi32, read_write> -> i32
    %y = vyre.load %decoded[%next] : !vyre.buffer<64xi32, read_write> -> i32
    %sum = arith.addi %x, %y : i32
    vyre.store %sum, %out[%i] : i32, !vyre.buffer<63xi32, write_only>
  }
}

// -----

// The host sees in which order elements stand.

// CHECK-LABEL: vyre.program @seen
// CHECK: vyre.load %decoded[%i_1]
vyre.program @seen {
  %in = vyre.buffer @in : !vyre.buffer<16xi32, read_only>
  %decoded = vyre.buffer @decoded live_out initial undefined : !vyre.buffer<64xi32, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, write_only>
  vyre.region "decode" invocations [16] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %word = vyre.load %in[%i] : !vyre.buffer<16xi32, read_only> -> i32
    %block = arith.divui %i, %c8 : index
    %lane = arith.remui %i, %c8 : index
    %before = arith.muli %block, %c32 : index
    %first = arith.addi %before, %lane : index
    scf.for %row = %c0 to %c4 step %c1 {
      %down = arith.muli %row, %c8 : index
      %element = arith.addi %first, %down : index
      vyre.store %word, %decoded[%element] : i32, !vyre.buffer<64xi32, read_write>
    }
  }
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %x = vyre.load %decoded[%i] : !vyre.buffer<64xi32, read_write> -> i32
    vyre.store %x, %out[%i] : i32, !vyre.buffer<64xi32, write_only>
  }
}

// -----

// Invocations of the scanner may not change places: they know their workgroup.

// CHECK-LABEL: vyre.program @in_workgroups
// CHECK: vyre.load %decoded[%i_1]
vyre.program @in_workgroups workgroup_size [16] {
  %in = vyre.buffer @in : !vyre.buffer<16xi32, read_only>
  %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<64xi32, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, write_only>
  vyre.region "decode" invocations [16] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %word = vyre.load %in[%i] : !vyre.buffer<16xi32, read_only> -> i32
    %block = arith.divui %i, %c8 : index
    %lane = arith.remui %i, %c8 : index
    %before = arith.muli %block, %c32 : index
    %first = arith.addi %before, %lane : index
    scf.for %row = %c0 to %c4 step %c1 {
      %down = arith.muli %row, %c8 : index
      %element = arith.addi %first, %down : index
      vyre.store %word, %decoded[%element] : i32, !vyre.buffer<64xi32, read_write>
    }
  }
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %l = vyre.local_id x
    %x = vyre.load %decoded[%i] : !vyre.buffer<64xi32, read_write> -> i32
    vyre.barrier
    vyre.store %x, %out[%i] : i32, !vyre.buffer<64xi32, write_only>
  }
}

// -----

// Of a number that is no multiple of a block, zeros are read beyond the end.

// CHECK-LABEL: vyre.program @beyond
// CHECK: vyre.load %decoded[%i_1]
vyre.program @beyond {
  %in = vyre.buffer @in : !vyre.buffer<16xi32, read_only>
  %rows = vyre.buffer @rows : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %rows : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded[%n] initial undefined : !vyre.buffer<?xi32, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, write_only>
  vyre.region "decode" invocations [16] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %word = vyre.load %in[%i] : !vyre.buffer<16xi32, read_only> -> i32
    %block = arith.divui %i, %c8 : index
    %lane = arith.remui %i, %c8 : index
    %before = arith.muli %block, %c32 : index
    %first = arith.addi %before, %lane : index
    scf.for %row = %c0 to %c4 step %c1 {
      %down = arith.muli %row, %c8 : index
      %element = arith.addi %first, %down : index
      vyre.store %word, %decoded[%element] : i32, !vyre.buffer<?xi32, read_write>
    }
  }
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %x = vyre.load %decoded[%i] : !vyre.buffer<?xi32, read_write> -> i32
    vyre.store %x, %out[%i] : i32, !vyre.buffer<64xi32, write_only>
  }
}
