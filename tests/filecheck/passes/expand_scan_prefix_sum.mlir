// RUN: xdsl-opt %s --split-input-file -p vyre-expand,cse | filecheck %s
// Expanding twice is expanding once.
// RUN: xdsl-opt %s --split-input-file -p vyre-expand,vyre-expand,cse | filecheck %s

// CHECK-LABEL: vyre.program @exact
vyre.program @exact {
  %values = vyre.buffer @values : !vyre.buffer<1000xi32, read_only>
  %sums = vyre.buffer @sums live_out : !vyre.buffer<1000xi64, write_only>
  vyre.scan.prefix_sum %values to %sums : !vyre.buffer<1000xi32, read_only>, !vyre.buffer<1000xi64, write_only>
}

// CHECK-NOT:  vyre.scan
// CHECK:      %block_sums = vyre.buffer @block_sums initial undefined : !vyre.buffer<16xi64, read_write>
// CHECK:      %group_sums = vyre.buffer @group_sums initial undefined : !vyre.buffer<1xi64, read_write>
// CHECK-NEXT: %partial_sums = vyre.buffer @partial_sums : !vyre.buffer<256xi64, read_write, workgroup>
// CHECK:      vyre.region "scan.prefix_sum.blocks" invocations [16] {
// CHECK:        scf.for %offset
// CHECK:          vyre.load %values
// CHECK:        vyre.store %block_sum, %block_sums[%i]
// CHECK:      vyre.region "scan.prefix_sum.groups" invocations [1] {
// CHECK:        scf.for %place = %{{.*}} iter_args(%before =
// CHECK:          vyre.store %before, %block_sums
// CHECK:        vyre.store %after, %group_sums[%i{{.*}}]
// CHECK:      vyre.region "scan.prefix_sum.carries" invocations [256] workgroup_size [256] {
// CHECK:        scf.for %round
// CHECK-COUNT-17: vyre.barrier
// CHECK:          vyre.store %before{{.*}}, %group_sums
// CHECK:          vyre.barrier
// CHECK-NOT:      vyre.barrier
// CHECK:      vyre.region "scan.prefix_sum" invocations [16] {
// CHECK:        vyre.load %block_sums[%i{{.*}}]
// CHECK:        vyre.load %group_sums
// CHECK:          vyre.store %sums{{.*}}, %sums[%position] : vector<4xi64>

// -----

// Each run-time sized destination has as many blocks as it needs.

// CHECK-LABEL: vyre.program @dynamic
vyre.program @dynamic {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %size = vyre.buf_len %values : !vyre.buffer<?xi32, read_only>
  %sums = vyre.buffer @sums[%size] live_out : !vyre.buffer<?xi32, read_write>
  vyre.scan.prefix_sum %values to %sums lanes 16 : !vyre.buffer<?xi32, read_only>, !vyre.buffer<?xi32, read_write>
}

// CHECK: [[LENGTH:%.*]] = vyre.buf_len %sums
// CHECK: %invocations = arith.ceildivsi [[LENGTH]]
// CHECK: vyre.buffer @block_sums[%invocations] initial undefined : !vyre.buffer<?xi32, read_write>
// CHECK: vyre.region "scan.prefix_sum.blocks" invocations [%invocations]
// CHECK: vyre.region "scan.prefix_sum" invocations
// CHECK:   %values{{.*}} = vyre.load %values[%position] : {{.*}} -> vector<16xi32>
// CHECK-COUNT-4: vector.shuffle
// CHECK-NOT: vector.shuffle
// CHECK:   vyre.store %sums{{.*}}, %sums[%position] : vector<16xi32>
