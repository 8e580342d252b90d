// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{strategy=workgroup}' --split-input-file | filecheck %s
// Fusing again changes nothing.
// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{strategy=workgroup}' --split-input-file > %t.once
// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{strategy=workgroup},vyre-decode-scan-fuse{strategy=workgroup}' --split-input-file | diff %t.once -

// A tile per workgroup, filled before the barrier and read after it.
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
// A tile has 2048 elements, so that a barrier is for several rounds of a workgroup.
// CHECK: @decoded : !vyre.buffer<2048xi8, read_write, workgroup>
// CHECK: vyre.region "decode+scan" {{.*}}workgroup_size [64]
// CHECK: vyre.store %{{.*}}, %decoded{{.*}} in_bounds
// CHECK: vyre.barrier
// CHECK: vyre.load %decoded{{.*}} in_bounds
// CHECK: vyre.store %{{.*}}, %out
// CHECK-NOT: vyre.region

// -----

// The tile holds the halo too, which the workgroup decodes in a second round.
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
    %step = arith.constant 3 : index
    %at = arith.addi %i, %step : index
    %a = vyre.load %decoded[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %b = vyre.load %decoded[%at] : !vyre.buffer<?xi8, read_write> -> i8
    %sum = arith.addi %a, %b : i8
    vyre.store %sum, %out[%i] : i8, !vyre.buffer<?xi8, write_only>
  }
}

// CHECK-LABEL: @halo_right
// CHECK: @decoded : !vyre.buffer<{{2051|2064}}xi8, read_write, workgroup>
// CHECK: vyre.region "decode+scan"
// CHECK: scf.for %{{.*}} = %lane to
// CHECK: vyre.barrier
// CHECK-NOT: vyre.region

// -----

// 22 decoders write the 66 elements of which a tile of 64 is read.
vyre.program @three_each {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, write_only>
  vyre.region "decode" invocations [%n] {
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
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<?xi8, read_write> -> i8
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<?xi8, write_only>
  }
}

// CHECK-LABEL: @three_each
// CHECK: @decoded : !vyre.buffer<{{\d+}}xi8, read_write, workgroup>
// CHECK: vyre.region "decode+scan" {{.*}}workgroup_size [64]
// CHECK-COUNT-3: vyre.store %{{.*}}, %decoded
// CHECK: vyre.barrier
// CHECK-NOT: vyre.region

// -----

// A scanner with workgroups of its own keeps them, its memory and its barrier.
vyre.program @cooperative {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, write_only>
  %shared = vyre.buffer @shared : !vyre.buffer<32xi8, read_write, workgroup>
  vyre.region "decode" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan" invocations [%n] workgroup_size [32] {
    %i = vyre.invocation_id x
    %lane = vyre.local_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<?xi8, read_write> -> i8
    vyre.store %byte, %shared[%lane] : i8, !vyre.buffer<32xi8, read_write, workgroup>
    vyre.barrier
    %last = arith.constant 31 : index
    %back = arith.subi %last, %lane : index
    %other = vyre.load %shared[%back] : !vyre.buffer<32xi8, read_write, workgroup> -> i8
    vyre.store %other, %out[%i] : i8, !vyre.buffer<?xi8, write_only>
  }
}

// CHECK-LABEL: @cooperative
// CHECK: @decoded : !vyre.buffer<32xi8, read_write, workgroup>
// CHECK: @shared : !vyre.buffer<32xi8, read_write, workgroup>
// CHECK: vyre.region "decode+scan" {{.*}}workgroup_size [32]
// CHECK: vyre.barrier
// CHECK: vyre.load %decoded
// CHECK: vyre.barrier
// CHECK: vyre.load %shared
// CHECK-NOT: vyre.region
