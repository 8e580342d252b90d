// RUN: xdsl-opt %s -p vyre-merge-barriers --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p vyre-merge-barriers,vyre-merge-barriers --split-input-file | filecheck %s

// One barrier of two with only arithmetic between, which orders what either did. None before the
// first access, and none after the last.

// CHECK-LABEL: vyre.kernel @merged
vyre.kernel @merged(%out : !vyre.buffer<4xi32, read_write>) workgroup_size [4] generator "merged" {
  %tile = vyre.buffer @tile : !vyre.buffer<4xi32, read_write, workgroup>
  // CHECK-NOT: vyre.barrier
  // CHECK: vyre.store {{.*}}, %tile
  vyre.barrier
  %l = vyre.local_id x
  %one = arith.constant 1 : i32
  vyre.store %one, %tile[%l] : i32, !vyre.buffer<4xi32, read_write, workgroup>
  vyre.barrier memfence workgroup
  %m = arith.addi %l, %l : index
  vyre.barrier memfence workgroup
  // CHECK-NEXT: %m = arith.addi
  // CHECK-NEXT: vyre.barrier memfence workgroup
  // CHECK-NEXT: vyre.load
  %x = vyre.load %tile[%m] : !vyre.buffer<4xi32, read_write, workgroup> -> i32
  vyre.barrier memfence workgroup
  vyre.barrier memfence global
  // CHECK-NEXT: vyre.barrier{{$}}
  // CHECK-NEXT: vyre.store
  vyre.store %x, %out[%l] : i32, !vyre.buffer<4xi32, read_write>
  // CHECK-NOT: vyre.barrier
  vyre.barrier
}

// -----

// A barrier stays where there is an access on both sides, in a loop, and where it is unknown what an
// op does; one that orders memory which nobody writes goes.

// CHECK-LABEL: vyre.kernel @kept
vyre.kernel @kept(%in : !vyre.buffer<4xi32, read_only>, %out : !vyre.buffer<4xi32, read_write>) workgroup_size [4] generator "kept" {
  %tile = vyre.buffer @tile : !vyre.buffer<4xi32, read_write, workgroup>
  %l = vyre.local_id x
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %4 = arith.constant 4 : index
  // CHECK: vyre.load %in
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: vyre.barrier{{$}}
  %x = vyre.load %in[%l] : !vyre.buffer<4xi32, read_only> -> i32
  vyre.barrier memfence workgroup
  scf.for %k = %0 to %4 step %1 {
    vyre.barrier
    vyre.store %x, %out[%k] : i32, !vyre.buffer<4xi32, read_write>
  }
  // CHECK: vyre.store
  // CHECK: vyre.barrier memfence global
  // CHECK-NEXT: vyre.load %out
  // CHECK-NEXT: vyre.barrier memfence global
  // CHECK-NEXT: vyre.store
  vyre.barrier memfence global
  %y = vyre.load %out[%4] : !vyre.buffer<4xi32, read_write> -> i32
  vyre.barrier memfence global
  vyre.store %y, %out[%l] : i32, !vyre.buffer<4xi32, read_write>
}

// -----

// Without the barrier, an arm would take other counts of invocations.

// CHECK-LABEL: vyre.region "arm"
vyre.program @arms {
  vyre.region "arm" invocations [64] {
    // CHECK-NEXT: vyre.barrier
    vyre.barrier
  }
}

// -----

// Loads of what nobody writes, private memory, and loops over those need no order: a barrier moves
// down over them to the next one, and goes where it then stands last or first.

// CHECK-LABEL: vyre.kernel @moved
vyre.kernel @moved(%in : !vyre.buffer<4xi32, read_only>, %out : !vyre.buffer<4xi32, read_write>) workgroup_size [4] generator "moved" {
  %tile = vyre.buffer @tile : !vyre.buffer<4xi32, read_write, workgroup>
  %own = vyre.buffer @own : !vyre.buffer<1xi32, read_write, private>
  %l = vyre.local_id x
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %4 = arith.constant 4 : index
  // CHECK: vyre.load %in
  // CHECK-NEXT: vyre.store {{.*}}, %tile
  // CHECK-NEXT: scf.for
  %x = vyre.load %in[%l] : !vyre.buffer<4xi32, read_only> -> i32
  vyre.barrier
  vyre.store %x, %tile[%l] : i32, !vyre.buffer<4xi32, read_write, workgroup>
  vyre.barrier memfence workgroup
  scf.for %k = %0 to %4 step %1 {
    %y = vyre.load %in[%k] : !vyre.buffer<4xi32, read_only> -> i32
    vyre.store %y, %own[%0] : i32, !vyre.buffer<1xi32, read_write, private>
  }
  // CHECK: }
  // CHECK-NEXT: vyre.barrier memfence workgroup
  // CHECK-NEXT: vyre.load %tile
  // CHECK-NOT: vyre.barrier
  vyre.barrier memfence workgroup
  %z = vyre.load %tile[%0] : !vyre.buffer<4xi32, read_write, workgroup> -> i32
  vyre.store %z, %own[%0] : i32, !vyre.buffer<1xi32, read_write, private>
  %w = vyre.load %own[%0] : !vyre.buffer<1xi32, read_write, private> -> i32
  vyre.store %w, %out[%l] : i32, !vyre.buffer<4xi32, read_write>
}

// -----

// A loop with an access of what others write stays between two barriers.

// CHECK-LABEL: vyre.kernel @not_moved
vyre.kernel @not_moved(%out : !vyre.buffer<4xi32, read_write>) workgroup_size [4] generator "not_moved" {
  %tile = vyre.buffer @tile : !vyre.buffer<4xi32, read_write, workgroup>
  %l = vyre.local_id x
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %4 = arith.constant 4 : index
  %one = arith.constant 1 : i32
  vyre.store %one, %tile[%l] : i32, !vyre.buffer<4xi32, read_write, workgroup>
  // CHECK: vyre.barrier memfence workgroup
  // CHECK-NEXT: scf.for
  vyre.barrier memfence workgroup
  scf.for %k = %0 to %4 step %1 {
    %y = vyre.load %tile[%k] : !vyre.buffer<4xi32, read_write, workgroup> -> i32
    vyre.store %y, %out[%l] : i32, !vyre.buffer<4xi32, read_write>
  }
  // CHECK: vyre.barrier memfence workgroup
  // CHECK-NEXT: vyre.store
  vyre.barrier memfence workgroup
  vyre.store %one, %tile[%l] : i32, !vyre.buffer<4xi32, read_write, workgroup>
}
