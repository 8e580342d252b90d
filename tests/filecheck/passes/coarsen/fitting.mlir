// RUN: xdsl-opt %s -p 'vyre-coarsen' | filecheck %s
// RUN: xdsl-opt %s -p 'vyre-coarsen,vyre-coarsen' | filecheck %s
// RUN: xdsl-opt %s -p 'vyre-coarsen{workgroup=8}' | filecheck %s --check-prefix=ASKED

// Invocations of a workgroup of which many would be beyond the end of an axis lie along the next one, as long
// as devices allow; along the last axis, they stay.
// CHECK: vyre.region "narrow" invocations [12, 640] workgroup_size [16, 4] {
// CHECK: vyre.region "thin" invocations [1, 3, 640] workgroup_size [1, 4, 16] {
// CHECK: vyre.region "uneven" invocations [40, 640] workgroup_size [8, 8] {
// CHECK: vyre.region "even_enough" invocations [1000, 640] {
// CHECK: vyre.region "wide" invocations [640, 12] {
// CHECK: vyre.region "short" invocations [12] {
// CHECK: vyre.region "stated" invocations [12, 640] workgroup_size [64] {
// CHECK: vyre.region "column" invocations [%{{.*}}, 2, 1] {

// ASKED: vyre.region "narrow" invocations [12, 640] workgroup_size [8] {
vyre.program @axes workgroup_size [64] {
  %out = vyre.buffer @out live_out : !vyre.buffer<640xi8, write_only>
  %n = arith.constant 100 : index
  vyre.region "narrow" invocations [12, 640] {
    %y = vyre.invocation_id y
    %zero = arith.constant 0 : i8
    vyre.store %zero, %out[%y] : i8, !vyre.buffer<640xi8, write_only>
  }
  vyre.region "thin" invocations [1, 3, 640] {
    %z = vyre.invocation_id z
    %zero = arith.constant 0 : i8
    vyre.store %zero, %out[%z] : i8, !vyre.buffer<640xi8, write_only>
  }
  vyre.region "uneven" invocations [40, 640] {
    %y = vyre.invocation_id y
    %zero = arith.constant 0 : i8
    vyre.store %zero, %out[%y] : i8, !vyre.buffer<640xi8, write_only>
  }
  vyre.region "even_enough" invocations [1000, 640] {
    %y = vyre.invocation_id y
    %zero = arith.constant 0 : i8
    vyre.store %zero, %out[%y] : i8, !vyre.buffer<640xi8, write_only>
  }
  vyre.region "wide" invocations [640, 12] {
    %x = vyre.invocation_id x
    %zero = arith.constant 0 : i8
    vyre.store %zero, %out[%x] : i8, !vyre.buffer<640xi8, write_only>
  }
  vyre.region "short" invocations [12] {
    %x = vyre.invocation_id x
    %zero = arith.constant 0 : i8
    vyre.store %zero, %out[%x] : i8, !vyre.buffer<640xi8, write_only>
  }
  vyre.region "stated" invocations [12, 640] workgroup_size [64] {
    %y = vyre.invocation_id y
    %zero = arith.constant 0 : i8
    vyre.store %zero, %out[%y] : i8, !vyre.buffer<640xi8, write_only>
  }
  vyre.region "column" invocations [%n, 2, 1] {
    %x = vyre.invocation_id x
    %zero = arith.constant 0 : i8
    vyre.store %zero, %out[%x] : i8, !vyre.buffer<640xi8, write_only>
  }
}
