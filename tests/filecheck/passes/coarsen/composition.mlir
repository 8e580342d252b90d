// RUN: xdsl-opt %s -p 'vyre-coarsen{groups=2},vyre-privatize-reductions{scope=workgroup},canonicalize,vyre-cse' | filecheck %s --check-prefixes=CHECK,FIRST
// RUN: xdsl-opt %s -p 'vyre-privatize-reductions{scope=workgroup},vyre-coarsen{groups=2},vyre-privatize-reductions{scope=workgroup},canonicalize,vyre-cse' | filecheck %s --check-prefixes=CHECK,LAST

// Sums are kept over the loop, whichever comes first, and the one update is behind it.
// CHECK-LABEL: vyre.program @count
// CHECK:         vyre.region "count" {{.*}} workgroup_size [32] attributes {vyre.groups = 2 : i64} {
// FIRST:           %count_{{.*}} = scf.for %item = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%count_{{.*}} = %count_{{.*}}) -> (i32) {
// LAST:            %count_{{.*}} = scf.for %tile = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%count_{{.*}} = %count_{{.*}}) -> (i32) {
// CHECK-NOT:         vyre.atomic_rmw
// FIRST:             scf.yield
// FIRST:           vyre.barrier memfence workgroup
// LAST:              vyre.barrier memfence workgroup
// CHECK:           scf.if
// CHECK:             %{{.*}} = vyre.atomic_rmw addi %{{.*}}, %count[%{{.*}}] : i32
// CHECK-NOT:     vyre.atomic_rmw
vyre.program @count workgroup_size [32] {
  %data = vyre.buffer @data : !vyre.buffer<?xi32, read_only>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  %n = vyre.buf_len %data : !vyre.buffer<?xi32, read_only>
  vyre.region "count" invocations [%n] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %value = vyre.load %data[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %old = vyre.atomic_rmw addi %value, %count[%c0] : i32, !vyre.buffer<1xi32, read_write>
  }
}
