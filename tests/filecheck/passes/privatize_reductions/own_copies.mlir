// RUN: xdsl-opt %s -p 'vyre-privatize-reductions{scope=workgroup own_bytes=12288 budget=65536}' | filecheck %s
// RUN: xdsl-opt %s -p 'vyre-privatize-reductions{scope=workgroup own_bytes=12288 budget=65536},vyre-privatize-reductions{scope=workgroup own_bytes=12288 budget=65536}' | filecheck %s
// RUN: xdsl-opt %s -p 'vyre-privatize-reductions{scope=workgroup own_bytes=4095 wide_copies=4 budget=65536}' | filecheck %s --check-prefix=FEW

// Each of 64 invocations has 8 elements of its own, of 64 bits, and updates them without atomics; numbers of 32 bits
// have hardware for that. It loads of both buffers before it stores to either. What lies outside of the buffer, the copies leave out.
// CHECK-LABEL: vyre.program @groups
// CHECK: @words_of_group : !vyre.buffer<8xi32, read_write, workgroup>
// CHECK: @sums_of_group : !vyre.buffer<512xi64, read_write, workgroup>
// CHECK: @most_of_group : !vyre.buffer<512xi64, read_write, workgroup>
// CHECK: vyre.barrier
// CHECK: vyre.atomic_rmw addi %value, %words_of_group[%bin]
// CHECK: %[[BIN:.*]] = arith.minui %bin, %{{.*}} : index
// CHECK: %[[FIRST:.*]] = arith.muli %[[BIN]], %{{.*}} : index
// CHECK: %[[PLACE:.*]] = arith.addi %[[FIRST]], %lane : index
// CHECK: %[[BEFORE:.*]] = vyre.load %sums_of_group[%[[PLACE]]]
// CHECK: %[[MOST:.*]] = vyre.load %most_of_group
// CHECK: %[[AFTER:.*]] = arith.addi %[[BEFORE]], %wide : i64
// CHECK: vyre.store %[[AFTER]], %sums_of_group[%[[PLACE]]]
// CHECK: arith.maxsi %[[MOST]], %wide
// CHECK: vyre.barrier
// CHECK: scf.for %{{.*}} iter_args(%sums
// CHECK: %[[COPY:.*]] = arith.remsi
// CHECK: %[[CELL:.*]] = arith.addi %{{.*}}, %[[COPY]] : index
// CHECK: vyre.load %sums_of_group[%[[CELL]]] in_bounds
// CHECK: vyre.atomic_rmw addi %{{.*}}, %sums[%{{.*}}] : i64
// CHECK: vyre.atomic_rmw maxs %{{.*}}, %most[%{{.*}}] : i64

// Where they do not fit, there are as many as asked for.
// FEW: @sums_of_group : !vyre.buffer<32xi64, read_write, workgroup>
// FEW: vyre.atomic_rmw addi %wide, %sums_of_group
vyre.program @groups workgroup_size [64] {
  %data = vyre.buffer @data : !vyre.buffer<64xi32, read_only>
  %large = vyre.buffer @large : !vyre.buffer<64xi64, read_only>
  %words = vyre.buffer @words live_out : !vyre.buffer<8xi32, read_write>
  %sums = vyre.buffer @sums live_out : !vyre.buffer<8xi64, read_write>
  %most = vyre.buffer @most live_out : !vyre.buffer<8xi64, read_write>
  vyre.region "groups" invocations [64] {
    %i = vyre.invocation_id x
    %value = vyre.load %data[%i] : !vyre.buffer<64xi32, read_only> -> i32
    %wide = vyre.load %large[%i] : !vyre.buffer<64xi64, read_only> -> i64
    %bin = arith.index_cast %value : i32 to index
    %0 = vyre.atomic_rmw addi %value, %words[%bin] : i32, !vyre.buffer<8xi32, read_write>
    %1 = vyre.atomic_rmw addi %wide, %sums[%bin] : i64, !vyre.buffer<8xi64, read_write>
    %2 = vyre.atomic_rmw maxs %wide, %most[%bin] : i64, !vyre.buffer<8xi64, read_write>
  }
}
