// RUN: xdsl-opt %s --split-input-file -p vyre-outline-kernels | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p vyre-outline-kernels,vyre-outline-kernels | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p vyre-outline-kernels | xdsl-opt --split-input-file | filecheck %s

// An arm becomes a kernel and a launch. Buffers are passed in the order of their declaration, those
// of run-time size with their length behind them; constants are computed anew, lengths are not; and
// a guard keeps the last workgroup inside.
// CHECK-LABEL: vyre.program @xor
vyre.program @xor {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %key = vyre.buffer @key contents dense<[1, 2, 3]> : vector<3xi8> : !vyre.buffer<3xi8, read_only>
  %n = vyre.buf_len %encoded : !vyre.buffer<?xi8, read_only>
  %unused = vyre.buffer @unused : !vyre.buffer<4xi8, read_write>
  %decoded = vyre.buffer @decoded[%n] live_out : !vyre.buffer<?xi8, read_write>
  %three = arith.constant 3 : index
  // CHECK:      %decoded_len = vyre.buf_len %decoded : !vyre.buffer<?xi8, read_write>
  // CHECK-NEXT: %0 = arith.constant 64 : index
  // CHECK-NEXT: %workgroups = arith.ceildivsi %n, %0 : index
  // CHECK-NEXT: vyre.launch @xor_0_decode_xor[%workgroups](%encoded, %n, %key, %decoded, %decoded_len) : (!vyre.buffer<?xi8, read_only>, index, !vyre.buffer<3xi8, read_only>, !vyre.buffer<?xi8, read_write>, index)
  vyre.region "decode.xor" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %encoded[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %j = arith.remui %i, %three : index
    %mask = vyre.load %key[%j] : !vyre.buffer<3xi8, read_only> -> i8
    %plain = arith.xori %byte, %mask : i8
    vyre.store %plain, %decoded[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
}
// CHECK:      vyre.kernel @xor_0_decode_xor(%encoded: !vyre.buffer<?xi8, read_only>, %encoded_len: index, %key: !vyre.buffer<3xi8, read_only>, %decoded: !vyre.buffer<?xi8, read_write>, %decoded_len: index) workgroup_size [64, 1, 1] generator "decode.xor" {
// CHECK-NEXT:   %three = arith.constant 3 : index
// CHECK-NEXT:   %i = vyre.invocation_id x
// CHECK-NEXT:   %0 = arith.cmpi slt, %i, %encoded_len : index
// CHECK-NEXT:   scf.if %0 {
// CHECK-NEXT:     %byte = vyre.load %encoded[%i] : !vyre.buffer<?xi8, read_only> -> i8
// CHECK-NEXT:     %j = arith.remui %i, %three : index
// CHECK-NEXT:     %mask = vyre.load %key[%j] : !vyre.buffer<3xi8, read_only> -> i8
// CHECK-NEXT:     %plain = arith.xori %byte, %mask : i8
// CHECK-NEXT:     vyre.store %plain, %decoded[%i] : i8, !vyre.buffer<?xi8, read_write>
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// A count that is a multiple of the workgroup size needs no guard, and a static grid no host code.
// The attributes of an arm stay on its kernel; names are unique in the module.
// CHECK-LABEL: vyre.program @static
vyre.program @static workgroup_size [8, 4] {
  %out = vyre.buffer @out live_out : !vyre.buffer<4096xi32, read_write>
  // CHECK:      vyre.launch @static_0_a_b[8, 6](%out) : (!vyre.buffer<4096xi32, read_write>)
  // CHECK-NEXT: vyre.launch @static_1_a_b[2, 1](%out) : (!vyre.buffer<4096xi32, read_write>)
  // CHECK-NEXT: vyre.launch @static_2_arm[1](%out) : (!vyre.buffer<4096xi32, read_write>)
  vyre.region "a b" source "first" invocations [64, 24] attributes {"mine" = 7 : i32} {
    %x = vyre.invocation_id x
    %y = vyre.invocation_id y
    %sum = arith.addi %x, %y : index
    %word = arith.index_cast %sum : index to i32
    vyre.store %word, %out[%sum] : i32, !vyre.buffer<4096xi32, read_write>
  }
  vyre.region "a*b" invocations [16, 3] {
    %y = vyre.invocation_id y
    %x = vyre.invocation_id x
    %word = arith.index_cast %y : index to i32
    vyre.store %word, %out[%x] : i32, !vyre.buffer<4096xi32, read_write>
  }
  // What stands along axes that a data-parallel arm does not name is along x.
  vyre.region "-" invocations [20] {
    %zero = arith.constant 0 : i32
    %x = vyre.invocation_id x
    vyre.store %zero, %out[%x] : i32, !vyre.buffer<4096xi32, read_write>
  }
}
// CHECK:      vyre.kernel @static_0_a_b(%out: !vyre.buffer<4096xi32, read_write>) workgroup_size [8, 4, 1] generator "a b" attributes {mine = 7 : i32, source_region = "first"} {
// CHECK-NEXT:   %x = vyre.invocation_id x
// CHECK-NEXT:   %y = vyre.invocation_id y
// CHECK-NOT:    scf.if
// CHECK:      vyre.kernel @static_1_a_b
// CHECK-NEXT:   %0 = arith.constant 3 : index
// CHECK-NEXT:   %y = vyre.invocation_id y
// CHECK-NEXT:   %1 = arith.cmpi slt, %y, %0 : index
// CHECK-NEXT:   scf.if %1 {
// CHECK-NEXT:     %x = vyre.invocation_id x
// CHECK:      vyre.kernel @static_2_arm(%out: !vyre.buffer<4096xi32, read_write>) workgroup_size [32, 1, 1]
// CHECK-NEXT:   %0 = arith.constant 20 : index
// CHECK-NEXT:   %x = vyre.invocation_id x
// CHECK-NEXT:   %1 = arith.cmpi slt, %x, %0 : index
// CHECK-NEXT:   scf.if %1 {

// -----

// An arm in workgroups of one needs no check, however its count came to be.
// CHECK-LABEL: vyre.program @workgroups_of_one
vyre.program @workgroups_of_one {
  %in = vyre.buffer @in : !vyre.buffer<?xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  %n = vyre.buf_len %in : !vyre.buffer<?xi32, read_only>
  %c4 = arith.constant 4 : index
  %quads = arith.ceildivsi %n, %c4 : index
  // CHECK-NOT: vyre.check_whole_workgroups
  // CHECK:     vyre.launch @workgroups_of_one_0_arm[%quads](%out)
  vyre.region "arm" invocations [%quads] workgroup_size [1] {
    %i = vyre.workgroup_id x
    %one = arith.constant 1 : i32
    vyre.store %one, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// -----

// A cooperative arm gets no guard: its count is a number of whole workgroups, which is checked as
// the program runs. Workgroup buffers move into each kernel that uses them.
// CHECK-LABEL: vyre.program @cooperative
vyre.program @cooperative {
  %in = vyre.buffer @in : !vyre.buffer<?xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  // CHECK-NOT: @tile
  %tile = vyre.buffer @tile : !vyre.buffer<64xi32, read_write, workgroup>
  %n = vyre.buf_len %in : !vyre.buffer<?xi32, read_only>
  // CHECK:      vyre.check_whole_workgroups %n of 32 for "first"
  // CHECK:      vyre.launch @cooperative_0_first[%workgroups](%out, %n) : (!vyre.buffer<64xi32, read_write>, index)
  // CHECK-NEXT: vyre.launch @cooperative_1_second[2](%out) : (!vyre.buffer<64xi32, read_write>)
  vyre.region "first" invocations [%n] workgroup_size [32] subgroup_size 16 {
    %i = vyre.local_id x
    // The length of a buffer that the arm does not touch otherwise is passed as a number.
    %word = arith.index_cast %n : index to i32
    vyre.store %word, %tile[%i] : i32, !vyre.buffer<64xi32, read_write, workgroup>
    vyre.barrier
    %other = vyre.load %tile[%i] : !vyre.buffer<64xi32, read_write, workgroup> -> i32
    vyre.store %other, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
  vyre.region "second" invocations [64] workgroup_size [32] {
    %i = vyre.local_id x
    %word = vyre.load %tile[%i] : !vyre.buffer<64xi32, read_write, workgroup> -> i32
    vyre.store %word, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}
// CHECK:      vyre.kernel @cooperative_0_first(%out: !vyre.buffer<64xi32, read_write>, %n: index) workgroup_size [32, 1, 1] subgroup_size 16 generator "first" {
// CHECK-NEXT:   %tile = vyre.buffer @tile : !vyre.buffer<64xi32, read_write, workgroup>
// CHECK-NEXT:   %i = vyre.local_id x
// CHECK-NOT:    scf.if
// CHECK:      vyre.kernel @cooperative_1_second(%out: !vyre.buffer<64xi32, read_write>) workgroup_size [32, 1, 1] generator "second" {
// CHECK-NEXT:   %tile = vyre.buffer @tile : !vyre.buffer<64xi32, read_write, workgroup>

// -----

// Scalars that the host has read travel as an index of the same bits.
// CHECK-LABEL: vyre.program @scalars
vyre.program @scalars {
  %limits = vyre.buffer @limits : !vyre.buffer<2xi32, read_only>
  %scale = vyre.buffer @scale : !vyre.buffer<2xf32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xf32, read_write>
  %zero = arith.constant 0 : index
  %count = vyre.load %limits[%zero] : !vyre.buffer<2xi32, read_only> -> i32
  %factor = vyre.load %scale[%zero] : !vyre.buffer<2xf32, read_only> -> f32
  // CHECK:      %0 = arith.index_cast %count : i32 to index
  // CHECK-NEXT: %1 = arith.bitcast %factor : f32 to i32
  // CHECK-NEXT: %2 = arith.index_cast %1 : i32 to index
  // CHECK-NEXT: vyre.launch @scalars_0_scale[1](%out, %0, %2) : (!vyre.buffer<64xf32, read_write>, index, index)
  vyre.region "scale" invocations [64] {
    %i = vyre.invocation_id x
    %number = arith.uitofp %count : i32 to f32
    %scaled = arith.mulf %number, %factor : f32
    vyre.store %scaled, %out[%i] : f32, !vyre.buffer<64xf32, read_write>
  }
}
// CHECK:      vyre.kernel @scalars_0_scale(%out: !vyre.buffer<64xf32, read_write>, %count: index, %factor: index)
// CHECK-NEXT:   %count_1 = arith.index_cast %count : index to i32
// CHECK-NEXT:   %0 = arith.index_cast %factor : index to i32
// CHECK-NEXT:   %factor_1 = arith.bitcast %0 : i32 to f32
// CHECK-NEXT:   %i = vyre.invocation_id x
// CHECK-NEXT:   %number = arith.uitofp %count_1 : i32 to f32
// CHECK-NEXT:   %scaled = arith.mulf %number, %factor_1 : f32

// -----

// Ops that stay: nothing here is an arm.
// CHECK-LABEL: vyre.program @nothing
// CHECK-NEXT:    %in = vyre.buffer @in : !vyre.buffer<?xi32, read_only>
// CHECK-NEXT:  }
// CHECK-NOT:   vyre.kernel
vyre.program @nothing {
  %in = vyre.buffer @in : !vyre.buffer<?xi32, read_only>
}

// -----

// A name that no value can have stays the name of the buffer only.
// CHECK-LABEL: vyre.program @names
// CHECK:       vyre.launch @names_0_copy[1](
// CHECK:       vyre.kernel @names_0_copy(%0: !vyre.buffer<64xi8, read_only>, %out: !vyre.buffer<64xi8, read_write>)
vyre.program @names {
  %in = vyre.buffer @"enc oded" : !vyre.buffer<64xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, read_write>
  vyre.region "copy" invocations [64] {
    %i = vyre.invocation_id x
    %v = vyre.load %in[%i] : !vyre.buffer<64xi8, read_only> -> i8
    vyre.store %v, %out[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
}
