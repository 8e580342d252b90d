// RUN: xdsl-opt %s --split-input-file -p 'vyre-privatize-reductions{scope=workgroup copies=4},canonicalize,vyre-cse' | filecheck %s --check-prefix=COPIES
// RUN: xdsl-opt %s --split-input-file -p 'vyre-privatize-reductions{scope=workgroup copies=4},vyre-privatize-reductions{scope=workgroup copies=4},canonicalize,vyre-cse' | filecheck %s --check-prefix=COPIES
// RUN: xdsl-opt %s --split-input-file -p 'vyre-privatize-reductions{scope=invocation},canonicalize,vyre-cse' | filecheck %s --check-prefix=INVOCATION
// RUN: xdsl-opt %s --split-input-file -p 'vyre-privatize-reductions{scope=invocation},vyre-privatize-reductions{scope=invocation},canonicalize,vyre-cse' | filecheck %s --check-prefix=INVOCATION
// RUN: xdsl-opt %s --split-input-file -p 'vyre-privatize-reductions{scope=workgroup budget=255},canonicalize,vyre-cse' | filecheck %s --check-prefix=INVOCATION

// Copies lie next to each other. One that may be outside is held outside, also where its place
// in the copies would wrap around.
// COPIES-LABEL: vyre.program @both
// COPIES:         %bins_of_group = vyre.buffer @bins_of_group : !vyre.buffer<256xi32, read_write, workgroup>
// COPIES:         %count_of_group = vyre.buffer @count_of_group : !vyre.buffer<64xi32, read_write, workgroup>
// COPIES:         vyre.region "both" invocations [64] workgroup_size [64] {
// COPIES:           %copy = arith.remsi %lane, %{{.*}} : index
// COPIES:           [[HELD:%.*]] = arith.minui %bin, %{{.*}} : index
// COPIES-NEXT:      [[FIRST:%.*]] = arith.muli [[HELD]], %{{.*}} : index
// COPIES-NEXT:      [[PLACE:%.*]] = arith.addi [[FIRST]], %copy : index
// COPIES-NEXT:      vyre.atomic_rmw addi %{{.*}}, %bins_of_group[[[PLACE]]] : i32
// COPIES:           [[FIRST:%.*]] = arith.muli %bin_1, %{{.*}} : index
// COPIES-NEXT:      [[PLACE:%.*]] = arith.addi [[FIRST]], %copy : index
// COPIES-NEXT:      vyre.atomic_rmw addi %{{.*}}, %bins_of_group[[[PLACE]]] in_bounds : i32
// COPIES:           [[FIRST:%.*]] = arith.muli %lane, %{{.*}} : index
// COPIES-NEXT:      vyre.load %bins_of_group[[[FIRST]]] in_bounds : !vyre.buffer<256xi32, read_write, workgroup> -> vector<4xi32>
// COPIES:           vyre.atomic_rmw addi %bins_1, %bins[%lane] : i32

// Over what the invocation does, and no further: without workgroup memory, or with too little.
// INVOCATION-LABEL: vyre.program @both
// INVOCATION-NOT:     workgroup>
// INVOCATION:         vyre.region "both" invocations [64] {
// INVOCATION-COUNT-2:   vyre.atomic_rmw addi %{{.*}}, %bins[
// INVOCATION:           %count_1 = arith.addi %value, %value : i32
// INVOCATION:           scf.if
// INVOCATION:             vyre.atomic_rmw addi %count_1, %count[%{{.*}}] : i32
// INVOCATION-NOT:       vyre.atomic_rmw
vyre.program @both workgroup_size [64] {
  %data = vyre.buffer @data : !vyre.buffer<64xi32, read_only>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<64xi32, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "both" invocations [64] {
    %i = vyre.invocation_id x
    %value = vyre.load %data[%i] : !vyre.buffer<64xi32, read_only> -> i32
    %bin = arith.index_cast %value : i32 to index
    %c63 = arith.constant 63 : i32
    %low = arith.andi %value, %c63 : i32
    %bin_1 = arith.index_cast %low : i32 to index
    %one = arith.constant 1 : i32
    %c0 = arith.constant 0 : index
    %0 = vyre.atomic_rmw addi %one, %bins[%bin] : i32, !vyre.buffer<64xi32, read_write>
    %1 = vyre.atomic_rmw addi %one, %bins[%bin_1] in_bounds : i32, !vyre.buffer<64xi32, read_write>
    %2 = vyre.atomic_rmw addi %value, %count[%c0] : i32, !vyre.buffer<1xi32, read_write>
    %3 = vyre.atomic_rmw addi %value, %count[%c0] : i32, !vyre.buffer<1xi32, read_write>
  }
}
