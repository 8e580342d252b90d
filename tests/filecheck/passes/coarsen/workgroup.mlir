// RUN: xdsl-opt %s -p 'vyre-coarsen{workgroup=1}' | filecheck %s
// RUN: xdsl-opt %s -p 'vyre-coarsen{workgroup=1},vyre-coarsen{workgroup=8}' | filecheck %s
// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{strategy=private},vyre-coarsen{workgroup=1}' | filecheck %s --check-prefix=FUSED
// RUN: xdsl-opt %s -p 'vyre-coarsen{items=4 workgroup=1},canonicalize' | filecheck %s --check-prefix=STRIDED
// RUN: xdsl-opt %s -p 'vyre-coarsen{workgroup=0}' | filecheck %s --check-prefix=AS_IT_WAS

// A result does not depend on the workgroup size of a data-parallel arm that states none.
// CHECK: vyre.region "free" invocations [64] workgroup_size [1] {
// CHECK: vyre.region "reader" invocations [64] workgroup_size [1] {
// CHECK: vyre.region "stated" invocations [64] workgroup_size [16] {
// CHECK: vyre.region "cooperative" invocations [64] {
// AS_IT_WAS: vyre.region "free" invocations [64] {

// Arms that state none are none the wiser when they are one.
// FUSED: vyre.region "free+reader" invocations [%{{.*}}] workgroup_size [1] {

// Items lie as far apart as the new workgroup is wide.
// STRIDED: vyre.region "free" invocations [16] workgroup_size [1] attributes {vyre.items = 4 : i64} {
// STRIDED-NOT: arith.floordivsi
// STRIDED: vyre.region "stated" invocations [16] workgroup_size [16] attributes {vyre.items = 4 : i64} {
// STRIDED: vyre.region "cooperative" invocations [32] attributes {vyre.items = 4 : i64} {
vyre.program @sizes workgroup_size [32] {
  %handoff = vyre.buffer @handoff initial undefined : !vyre.buffer<64xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, write_only>
  vyre.region "free" invocations [64] {
    %i = vyre.invocation_id x
    %seven = arith.constant 7 : i8
    vyre.store %seven, %handoff[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  vyre.region "reader" invocations [64] {
    %i = vyre.invocation_id x
    %value = vyre.load %handoff[%i] : !vyre.buffer<64xi8, read_write> -> i8
    vyre.store %value, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
  vyre.region "stated" invocations [64] workgroup_size [16] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : i8
    vyre.store %zero, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
  vyre.region "cooperative" invocations [64] {
    %lane = vyre.local_id x
    %zero = arith.constant 0 : i8
    vyre.store %zero, %out[%lane] : i8, !vyre.buffer<64xi8, write_only>
  }
}
