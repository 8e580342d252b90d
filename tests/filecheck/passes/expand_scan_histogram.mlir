// RUN: xdsl-opt %s --split-input-file -p vyre-expand,cse | filecheck %s
// Expanding twice is expanding once.
// RUN: xdsl-opt %s --split-input-file -p vyre-expand,vyre-expand,cse | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'vyre-expand{choices="counting=bins"},cse' | filecheck %s --check-prefix=PARALLEL

// CHECK-LABEL: vyre.program @dynamic
vyre.program @dynamic {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<256xi64, read_write>
  vyre.scan.histogram %text bins %bins : !vyre.buffer<?xi8, read_only>, !vyre.buffer<256xi64, read_write>
}

// CHECK-NOT:  vyre.scan
// CHECK:      %counts = vyre.buffer @counts : !vyre.buffer<1024xi32, read_write, workgroup>
// CHECK:      [[COUNT:%.*]] = arith.muli %invocations, %{{.*}} : index
// CHECK-NEXT: vyre.region "scan.histogram" invocations [[[COUNT]]] workgroup_size [256] {
// CHECK-NEXT:   %lane = vyre.local_id x
// CHECK-COUNT-4: vyre.store {{.*}}, %counts
// CHECK:        vyre.barrier
// CHECK:        scf.for %step
// CHECK:          %words = vyre.load %text
// CHECK-COUNT-16: vyre.atomic_rmw addi {{.*}}, %counts[%{{.*}}] in_bounds
// CHECK:        vyre.barrier
// CHECK:        %past_end = arith.maxsi
// CHECK:        scf.if
// CHECK:          vyre.atomic_rmw addi %{{.*}}, %bins[%lane] : i64

// -----

// CHECK-LABEL: vyre.program @whole_workgroups
vyre.program @whole_workgroups {
  %text = vyre.buffer @text : !vyre.buffer<8193xi8, read_only>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<256xi32, read_write>
  vyre.scan.histogram %text bins %bins : !vyre.buffer<8193xi8, read_only>, !vyre.buffer<256xi32, read_write>
}

// CHECK: vyre.region "scan.histogram" invocations [512] workgroup_size [256] {

// -----

// Each byte is counted at its bin, and zeros past the end are taken back; either the op says so, or
// the pass is asked to.

// CHECK-LABEL: vyre.program @data_parallel
// PARALLEL-LABEL: vyre.program @data_parallel
vyre.program @data_parallel {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<256xi64, read_write>
  vyre.scan.histogram %text bins %bins counting "bins" : !vyre.buffer<?xi8, read_only>, !vyre.buffer<256xi64, read_write>
}

// CHECK:              vyre.region "scan.histogram" invocations [%{{.*}}] {
// CHECK-NOT:            vyre.barrier
// CHECK:                %words = vyre.load %text[%first] : {{.*}} -> vector<8xi32>
// CHECK-COUNT-32:       vyre.atomic_rmw addi %{{.*}}, %bins[%{{.*}}] in_bounds
// CHECK:                scf.if
// CHECK:                  vyre.atomic_rmw addi %{{.*}}, %bins[%{{.*}}] in_bounds
// PARALLEL-COUNT-33:    vyre.atomic_rmw addi %{{.*}}, %bins[%{{.*}}] in_bounds
