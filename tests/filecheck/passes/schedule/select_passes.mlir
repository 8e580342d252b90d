// RUN: xdsl-opt %s -p vyre-select-passes --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p vyre-select-passes,vyre-select-passes --split-input-file | filecheck %s

// A tiny program: what is cheap always runs, and what is not waits for a program that is worth it.
// What the profile rejects is told apart from that.

// CHECK-LABEL: vyre.schedule @tiny
vyre.schedule @tiny profile(release) {
  // CHECK-NEXT: vyre.pass @scalar {{.*}} selected true reason always_on priority 200
  vyre.pass @scalar phase kernels family scalar boundary arm preserves_abi
  // CHECK-NEXT: vyre.pass @sync {{.*}} selected true reason always_on priority 200
  vyre.pass @sync phase kernels family sync boundary arm preserves_abi
  // CHECK-NEXT: vyre.pass @unknown {{.*}} selected true reason always_on priority 200
  vyre.pass @unknown phase kernels family unknown boundary arm preserves_abi
  // CHECK-NEXT: vyre.pass @loop {{.*}} selected false reason below_threshold priority 0 evidence "nodes" measured 5 threshold 12
  vyre.pass @loop phase kernels family loop boundary arm preserves_abi
  // CHECK-NEXT: vyre.pass @memory {{.*}} selected false reason below_threshold priority 0 evidence "peak_bytes" measured 4 threshold 16384
  vyre.pass @memory phase kernels family memory boundary arm preserves_abi
  // CHECK-NEXT: vyre.pass @fusion {{.*}} selected false reason below_threshold priority 0 evidence "top_level_regions" measured 1 threshold 2
  vyre.pass @fusion phase arms family fusion boundary program preserves_abi
  // CHECK-NEXT: vyre.pass @dataflow {{.*}} selected false reason below_threshold priority 0 evidence "nodes" measured 5 threshold 64
  vyre.pass @dataflow phase arms family dataflow boundary arm preserves_abi
  // CHECK-NEXT: vyre.pass @megakernel {{.*}} selected false reason profile_rejected priority 0 evidence "release"
  vyre.pass @megakernel phase arms family megakernel boundary program preserves_abi
  // CHECK-NEXT: vyre.pass @other_abi {{.*}} selected false reason profile_rejected priority 0 evidence "release"
  vyre.pass @other_abi phase arms family scalar boundary program
  // CHECK-NEXT: vyre.pass @waits {{.*}} on_request selected false reason not_requested priority 0{{$}}
  vyre.pass @waits phase kernels family scalar boundary arm preserves_abi on_request
  // What is decided already stays.
  // CHECK-NEXT: vyre.pass @by_hand {{.*}} selected false reason below_threshold priority 0{{$}}
  vyre.pass @by_hand phase kernels family scalar boundary arm preserves_abi selected false reason below_threshold priority 0
}
vyre.program @p {
  %out = vyre.buffer @out live_out : !vyre.buffer<1xi32, write_only>
  vyre.region "write" invocations [1] {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : i32
    vyre.store %one, %out[%zero] : i32, !vyre.buffer<1xi32, write_only>
  }
}

// -----

// The dataflow profile keeps arms apart, and the megakernel profile takes part in everything.

// CHECK-LABEL: vyre.schedule @apart
vyre.schedule @apart profile(dataflow) {
  // CHECK-NEXT: vyre.pass @fusion {{.*}} selected false reason profile_rejected priority 0 evidence "dataflow"
  vyre.pass @fusion phase arms family fusion boundary program preserves_abi
  // CHECK-NEXT: vyre.pass @memory {{.*}} selected true reason program_shape priority 300 evidence "peak_bytes" measured 32768 threshold 16384
  vyre.pass @memory phase kernels family memory boundary arm preserves_abi
}
// CHECK-LABEL: vyre.schedule @together
vyre.schedule @together profile(megakernel) {
  // CHECK-NEXT: vyre.pass @fusion {{.*}} selected true reason program_shape priority 300 evidence "top_level_regions" measured 2 threshold 2
  vyre.pass @fusion phase arms family fusion boundary program preserves_abi
  // CHECK-NEXT: vyre.pass @loop {{.*}} selected true reason program_shape priority 300 evidence "nodes" measured 12 threshold 12
  vyre.pass @loop phase kernels family loop boundary arm preserves_abi
  // CHECK-NEXT: vyre.pass @megakernel {{.*}} selected false reason below_threshold priority 0 evidence "nodes" measured 12 threshold 512
  vyre.pass @megakernel phase arms family megakernel boundary program preserves_abi
  // CHECK-NEXT: vyre.pass @other_abi {{.*}} selected true reason always_on priority 200
  vyre.pass @other_abi phase arms family scalar boundary program
}
vyre.program @p {
  %in = vyre.buffer @in : !vyre.buffer<4096xi32, read_only>
  %t = vyre.buffer @t initial undefined : !vyre.buffer<4096xi32, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<4096xi32, write_only>
  vyre.region "first" invocations [4096] {
    %i = vyre.invocation_id x
    %x = vyre.load %in[%i] : !vyre.buffer<4096xi32, read_only> -> i32
    vyre.store %x, %t[%i] : i32, !vyre.buffer<4096xi32, read_write>
  }
  vyre.region "second" invocations [4096] {
    %i = vyre.invocation_id x
    %x = vyre.load %t[%i] : !vyre.buffer<4096xi32, read_write> -> i32
    %y = arith.addi %x, %x : i32
    vyre.store %y, %out[%i] : i32, !vyre.buffer<4096xi32, write_only>
  }
}
