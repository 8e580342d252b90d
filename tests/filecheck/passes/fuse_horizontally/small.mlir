// RUN: xdsl-opt %s -p 'vyre-fuse-horizontally{small=65536}' --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p 'vyre-fuse-horizontally{small=65536},vyre-fuse-horizontally{small=65536}' --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p 'vyre-fuse-horizontally{small=7}' --split-input-file | filecheck %s --check-prefix=SMALL
// RUN: xdsl-opt %s -p 'vyre-fuse-horizontally{small=-1}' --verify-diagnostics | filecheck %s --check-prefix=OPTION

// OPTION: 'vyre-fuse-horizontally' expected no negative 'small', got -1

// Arms of different sizes, the smaller ones under guards.

// CHECK-LABEL: vyre.program @shared
vyre.program @shared {
  %a = vyre.buffer @a live_out : !vyre.buffer<8xi32, write_only>
  %b = vyre.buffer @b live_out : !vyre.buffer<8xi32, write_only>
  %c = vyre.buffer @c live_out : !vyre.buffer<8xi32, write_only>
  // CHECK: vyre.region "one+two+three" invocations [8] {
  // CHECK-NEXT: [[I:%\S+]] = vyre.invocation_id x
  // CHECK-NEXT: [[N:%\S+]] = arith.constant 4 : index
  // CHECK-NEXT: [[IN:%\S+]] = arith.cmpi slt, [[I]], [[N]] : index
  // CHECK-NEXT: scf.if [[IN]] {
  // CHECK: vyre.store {{.*}}, %a
  // CHECK-NEXT: }
  // CHECK-NEXT: [[J:%\S+]] = vyre.invocation_id x
  // CHECK: vyre.store {{.*}}, %b
  // CHECK: scf.if
  // CHECK: vyre.store {{.*}}, %c
  // CHECK-NOT: vyre.region
  // SMALL: vyre.region "one"
  // SMALL: vyre.region "two"
  // SMALL: vyre.region "three"
  vyre.region "one" invocations [4] {
    %i = vyre.invocation_id x
    %x = arith.constant 1 : i32
    vyre.store %x, %a[%i] : i32, !vyre.buffer<8xi32, write_only>
  }
  vyre.region "two" invocations [8] {
    %i = vyre.invocation_id x
    %x = arith.constant 2 : i32
    vyre.store %x, %b[%i] : i32, !vyre.buffer<8xi32, write_only>
  }
  vyre.region "three" invocations [2] {
    %i = vyre.invocation_id x
    %x = arith.constant 3 : i32
    vyre.store %x, %c[%i] : i32, !vyre.buffer<8xi32, write_only>
  }
}

// -----

// What stays apart: a handoff, two axes, a size of the run time, another workgroup size.

// CHECK-LABEL: vyre.program @apart
vyre.program @apart {
  %a = vyre.buffer @a live_out : !vyre.buffer<8xi32, read_write>
  %b = vyre.buffer @b live_out : !vyre.buffer<8xi32, read_write>
  %c = vyre.buffer @c live_out : !vyre.buffer<?xi32, read_write>
  %n = vyre.buf_len %c : !vyre.buffer<?xi32, read_write>
  // CHECK: vyre.region "one" invocations [4]
  vyre.region "one" invocations [4] {
    %i = vyre.invocation_id x
    %x = arith.constant 1 : i32
    vyre.store %x, %a[%i] : i32, !vyre.buffer<8xi32, read_write>
  }
  // CHECK: vyre.region "two" invocations [4]
  vyre.region "two" invocations [4] {
    %i = vyre.invocation_id x
    %x = vyre.load %a[%i] : !vyre.buffer<8xi32, read_write> -> i32
    vyre.store %x, %b[%i] : i32, !vyre.buffer<8xi32, read_write>
  }
  // CHECK: vyre.region "three" invocations [%n]
  vyre.region "three" invocations [%n] {
    %i = vyre.invocation_id x
    %x = arith.constant 3 : i32
    vyre.store %x, %c[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
  // CHECK: vyre.region "four" invocations [4, 2]
  vyre.region "four" invocations [4, 2] {
    %i = vyre.invocation_id x
    %x = arith.constant 4 : i32
    vyre.store %x, %a[%i] : i32, !vyre.buffer<8xi32, read_write>
  }
  // CHECK: vyre.region "five" invocations [4]
  vyre.region "five" invocations [4] {
    %i = vyre.invocation_id x
    %x = arith.constant 4 : i32
    vyre.store %x, %b[%i] : i32, !vyre.buffer<8xi32, read_write>
  }
  // CHECK: vyre.region "six" invocations [4] workgroup_size [32]
  vyre.region "six" invocations [4] workgroup_size [32] {
    %i = vyre.invocation_id x
    %x = arith.constant 4 : i32
    vyre.store %x, %a[%i] : i32, !vyre.buffer<8xi32, read_write>
  }
}
