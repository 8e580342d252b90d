// RUN: xdsl-opt %s --split-input-file -p 'vyre-privatize-reductions{scope=workgroup},canonicalize,vyre-cse' | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'vyre-privatize-reductions{scope=workgroup},vyre-privatize-reductions{scope=workgroup},canonicalize,vyre-cse' | filecheck %s

// One address: a value per invocation, a tree in workgroup memory, one update per workgroup.
// CHECK-LABEL: vyre.program @one_address
// CHECK:         %count_of_group = vyre.buffer @count_of_group : !vyre.buffer<64xi32, read_write, workgroup>
// CHECK:         vyre.region "count" invocations [128] workgroup_size [64] {
// CHECK:           %inside = arith.cmpi slt, %i, %{{.*}} : index
// CHECK:           %count_2 = scf.if %inside -> (i32) {
// CHECK:             %value = vyre.load %data[%i]
// CHECK-NEXT:        scf.yield %value : i32
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield [[ZERO:%.*]] : i32
// CHECK-NEXT:      }
// CHECK-NEXT:      %lane = vyre.local_id x
// CHECK-NEXT:      vyre.store %count_2, %count_of_group[%lane] in_bounds
// CHECK-NEXT:      vyre.barrier memfence workgroup
// CHECK:           scf.for
// CHECK:             scf.if
// CHECK:               vyre.store %{{.*}}, %count_of_group[%lane] in_bounds
// CHECK:             }
// CHECK-NEXT:        vyre.barrier memfence workgroup
// CHECK:           [[FIRST:%.*]] = arith.cmpi eq, %lane, %{{.*}} : index
// CHECK-NEXT:      scf.if [[FIRST]] {
// CHECK-NEXT:        %count_3 = vyre.load %count_of_group[%{{.*}}] in_bounds
// CHECK-NEXT:        [[CHANGES:%.*]] = arith.cmpi ne, %count_3, [[ZERO]] : i32
// CHECK-NEXT:        scf.if [[CHANGES]] {
// CHECK-NEXT:          vyre.atomic_rmw addi %count_3, %count[%{{.*}}] : i32
// CHECK-NOT:   vyre.atomic_rmw
vyre.program @one_address workgroup_size [64] {
  %data = vyre.buffer @data : !vyre.buffer<100xi32, read_only>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "count" invocations [128] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c100 = arith.constant 100 : index
    %inside = arith.cmpi slt, %i, %c100 : index
    scf.if %inside {
      %value = vyre.load %data[%i] : !vyre.buffer<100xi32, read_only> -> i32
      %old = vyre.atomic_rmw addi %value, %count[%c0] : i32, !vyre.buffer<1xi32, read_write>
    }
  }
}

// -----

// The domain becomes whole workgroups, so that all of them get to the barriers; two sums of 32
// and 64 bits take the steps of one tree.
// CHECK-LABEL: vyre.program @partial_workgroup
// CHECK:         vyre.region "sums" invocations [%{{.*}}] workgroup_size [4, 2] {
// CHECK:           %{{.*}}, %{{.*}} = scf.if %{{.*}} -> (i32, i64) {
// CHECK-NOT:         vyre.atomic_rmw
// CHECK:           [[Y:%.*]] = vyre.local_id y
// CHECK:           [[ROW:%.*]] = arith.muli [[Y]], %{{.*}} : index
// CHECK-NEXT:      %lane = arith.addi [[ROW]], [[X:%.*]] : index
// CHECK-NEXT:      vyre.store %{{.*}}, %low_of_group[%lane] in_bounds : i32
// CHECK-NEXT:      vyre.store %{{.*}}, %sum_of_group[%lane] in_bounds : i64
// CHECK-NEXT:      vyre.barrier memfence workgroup
// CHECK:           scf.for
// CHECK-COUNT-1:   vyre.barrier memfence workgroup
// CHECK:           [[FIRST_X:%.*]] = arith.cmpi eq, [[X]], %{{.*}} : index
// CHECK-NEXT:      [[FIRST_Y:%.*]] = arith.cmpi eq, [[Y]], %{{.*}} : index
// CHECK-NEXT:      [[FIRST:%.*]] = arith.andi [[FIRST_X]], [[FIRST_Y]] : i1
// CHECK-NEXT:      scf.if [[FIRST]] {
// CHECK:             vyre.atomic_rmw mins %{{.*}}, %low[%{{.*}}] : i32
// CHECK:             vyre.atomic_rmw addi %{{.*}}, %sum[%{{.*}}] : i64
// CHECK-NOT:   vyre.atomic_rmw
vyre.program @partial_workgroup workgroup_size [4, 2] {
  %data = vyre.buffer @data : !vyre.buffer<?xi32, read_only>
  %low = vyre.buffer @low live_out : !vyre.buffer<1xi32, read_write>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<2xi64, read_write>
  %n = vyre.buf_len %data : !vyre.buffer<?xi32, read_only>
  vyre.region "sums" invocations [%n, 3] {
    %i = vyre.invocation_id x
    %value = vyre.load %data[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %wide = arith.extsi %value : i32 to i64
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = vyre.atomic_rmw mins %value, %low[%c0] : i32, !vyre.buffer<1xi32, read_write>
    %1 = vyre.atomic_rmw addi %wide, %sum[%c1] : i64, !vyre.buffer<2xi64, read_write>
  }
}

// -----

// Through loops, an element per workgroup, and between the barriers of a cooperative arm.
// CHECK-LABEL: vyre.program @through_loops
// CHECK:         vyre.region "loops" invocations [64] workgroup_size [32] {
// CHECK:           %out_2 = scf.for %k = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%out_3 = %out_1) -> (i32) {
// CHECK:             %{{.*}}, %out_4 = scf.while (%left = %k, %out_5 = %out_3) : (index, i32) -> (index, i32) {
// CHECK:               %out_7 = arith.xori %out_6, %value : i32
// CHECK-NEXT:          %less = arith.subi
// CHECK-NEXT:          scf.yield %less, %out_7 : index, i32
// CHECK:             scf.yield %out_4 : i32
// CHECK:           vyre.store %out_2, %out_of_group
// CHECK:           scf.if
// CHECK:             %next = arith.addi %group, %{{.*}} : index
// CHECK-NEXT:        %old = vyre.atomic_rmw xori %out_8, %out[%next] : i32
vyre.program @through_loops {
  %data = vyre.buffer @data : !vyre.buffer<64xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<?xi32, read_write>
  vyre.region "loops" invocations [64] workgroup_size [32] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %k = %c0 to %c4 step %c1 {
      vyre.barrier
      %i = vyre.invocation_id x
      %0 = scf.while (%left = %k) : (index) -> index {
        %more = arith.cmpi sgt, %left, %c0 : index
        scf.condition(%more) %left : index
      } do {
      ^body(%left_1: index):
        %value = vyre.load %data[%i] : !vyre.buffer<64xi32, read_only> -> i32
        %group = vyre.workgroup_id x
        %next = arith.addi %group, %c1 : index
        %old = vyre.atomic_rmw xori %value, %out[%next] : i32, !vyre.buffer<?xi32, read_write>
        %less = arith.subi %left_1, %c1 : index
        scf.yield %less : index
      }
    }
  }
}

// -----

// An element of the invocation's own is updated once; the arm stays data-parallel.
// CHECK-LABEL: vyre.program @own_element
// CHECK:         vyre.region "own" invocations [70] {
// CHECK:           %out_2 = scf.for
// CHECK-NOT:         vyre.atomic_rmw
// CHECK:           [[CHANGES:%.*]] = arith.cmpi ne, %out_2, %{{.*}} : i32
// CHECK-NEXT:      scf.if [[CHANGES]] {
// CHECK-NEXT:        %i = vyre.invocation_id x
// CHECK-NEXT:        %old = vyre.atomic_rmw andi %out_2, %out[%i] : i32
// CHECK-NOT:       vyre.barrier
vyre.program @own_element {
  %data = vyre.buffer @data : !vyre.buffer<70xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<70xi32, read_write>
  vyre.region "own" invocations [70] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %k = %c0 to %c4 step %c1 {
      %value = vyre.load %data[%k] : !vyre.buffer<70xi32, read_only> -> i32
      %old = vyre.atomic_rmw andi %value, %out[%i] : i32, !vyre.buffer<70xi32, read_write>
    }
  }
}

// -----

// The data choose the element: a copy per workgroup, flushed once. An index that may lie outside
// of the buffer lies outside of the copy.
// CHECK-LABEL: vyre.program @data_choose
// CHECK:         %bins_of_group = vyre.buffer @bins_of_group : !vyre.buffer<37xi32, read_write, workgroup>
// CHECK:         vyre.region "bins" invocations [64] workgroup_size [32] {
// CHECK:           scf.for %cell = %lane to %{{.*}} step %{{.*}} {
// CHECK-NEXT:        vyre.store %{{.*}}, %bins_of_group[%cell] in_bounds
// CHECK-NEXT:      }
// CHECK-NEXT:      vyre.barrier memfence workgroup
// CHECK:           vyre.atomic_rmw addi %{{.*}}, %bins_of_group[%bin] : i32
// CHECK-NEXT:      vyre.barrier memfence workgroup
// CHECK-NEXT:      scf.for %element = %lane to %{{.*}} step %{{.*}} {
// CHECK-NEXT:        %bins_1 = vyre.load %bins_of_group[%element] in_bounds
// CHECK-NEXT:        [[CHANGES:%.*]] = arith.cmpi ne, %bins_1, %{{.*}} : i32
// CHECK-NEXT:        scf.if [[CHANGES]] {
// CHECK-NEXT:          vyre.atomic_rmw addi %bins_1, %bins[%element] : i32
vyre.program @data_choose {
  %data = vyre.buffer @data : !vyre.buffer<64xi32, read_only>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<37xi32, read_write>
  vyre.region "bins" invocations [64] workgroup_size [32] {
    %i = vyre.invocation_id x
    %value = vyre.load %data[%i] : !vyre.buffer<64xi32, read_only> -> i32
    %bin = arith.index_cast %value : i32 to index
    %one = arith.constant 1 : i32
    %old = vyre.atomic_rmw addi %one, %bins[%bin] : i32, !vyre.buffer<37xi32, read_write>
  }
}

// -----

// What two constants name is one element, the first one, too.
// CHECK-LABEL: vyre.program @first_element
// CHECK:         vyre.atomic_rmw
// CHECK-NOT:     vyre.atomic_rmw
vyre.program @first_element {
  %out = vyre.buffer @out live_out : !vyre.buffer<4xi32, read_write>
  vyre.region "twice" invocations [64] {
    %c0 = arith.constant 0 : index
    %d0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %a = vyre.atomic_rmw addi %one, %out[%c0] : i32, !vyre.buffer<4xi32, read_write>
    %b = vyre.atomic_rmw addi %one, %out[%d0] : i32, !vyre.buffer<4xi32, read_write>
  }
}
