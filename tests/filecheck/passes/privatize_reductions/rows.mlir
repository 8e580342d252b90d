// RUN: xdsl-opt %s --split-input-file -p 'vyre-privatize-reductions{lanes=true},canonicalize' | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'vyre-privatize-reductions{lanes=true},vyre-privatize-reductions{lanes=true},canonicalize' | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'vyre-coarsen{groups=8},vyre-privatize-reductions{scope=workgroup},canonicalize' | filecheck %s --check-prefix=GROUP

// Each lane of a vector updates an element of its own: the vector is carried, and its lanes flushed at the end.
// CHECK-LABEL: vyre.program @lanes
// CHECK:         [[NONE:%.*]] = vector.broadcast %{{.*}} : i32 to vector<2xi32>
// CHECK:         [[SUMS:%.*]] = scf.for %k = {{.*}} iter_args([[BEFORE:%.*]] = [[NONE]]) -> (vector<2xi32>) {
// CHECK:           %value = vyre.load
// CHECK-NOT:       vyre.atomic_rmw
// CHECK:           [[AFTER:%.*]] = arith.addi [[BEFORE]], %value : vector<2xi32>
// CHECK:           scf.yield [[AFTER]] : vector<2xi32>
// CHECK:         vector.extract [[SUMS]][0]
// CHECK:           vyre.atomic_rmw addi %{{.*}}, %sums[
// CHECK:         vector.extract [[SUMS]][1]
// CHECK:           vyre.atomic_rmw addi %{{.*}}, %sums[
// CHECK-NOT:     vyre.atomic_rmw
vyre.program @lanes {
  %x = vyre.buffer @x : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %x : !vyre.buffer<?xi32, read_only>
  %sums = vyre.buffer @sums live_out : !vyre.buffer<4xi32, read_write>
  vyre.region "lanes" invocations [1] {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    scf.for %k = %c0 to %n step %c2 {
      %value = vyre.load %x[%k] : !vyre.buffer<?xi32, read_only> -> vector<2xi32>
      %one = vector.extract %value[0] : i32 from vector<2xi32>
      %other = vector.extract %value[1] : i32 from vector<2xi32>
      %a = vyre.atomic_rmw addi %one, %sums[%c3] : i32, !vyre.buffer<4xi32, read_write>
      %b = vyre.atomic_rmw addi %other, %sums[%c0] : i32, !vyre.buffer<4xi32, read_write>
    }
  }
}

// -----

// One lane is left out, or updates under a condition of its own: numbers are carried.
// CHECK-LABEL: vyre.program @apart
// CHECK:         scf.for %k = {{.*}} -> (i32, i32) {
vyre.program @apart {
  %x = vyre.buffer @x : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %x : !vyre.buffer<?xi32, read_only>
  %sums = vyre.buffer @sums live_out : !vyre.buffer<4xi32, read_write>
  vyre.region "apart" invocations [1] {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %limit = arith.constant 5 : i32
    scf.for %k = %c0 to %n step %c2 {
      %value = vyre.load %x[%k] : !vyre.buffer<?xi32, read_only> -> vector<2xi32>
      %one = vector.extract %value[0] : i32 from vector<2xi32>
      %other = vector.extract %value[1] : i32 from vector<2xi32>
      %a = vyre.atomic_rmw addi %one, %sums[%c3] : i32, !vyre.buffer<4xi32, read_write>
      %counts = arith.cmpi ult, %other, %limit : i32
      scf.if %counts {
        %b = vyre.atomic_rmw addi %other, %sums[%c0] : i32, !vyre.buffer<4xi32, read_write>
      }
    }
  }
}

// -----

// The first lane asks whether it changes anything, on which the other hangs, too: the branch stays the other's.
// CHECK-LABEL: vyre.program @guarded
// CHECK:         scf.for %k = {{.*}} -> (i32, i32) {
// CHECK:           arith.addi %{{.*}}, %one : i32
// CHECK:           scf.if %changes -> (i32) {
// CHECK:             arith.addi %{{.*}}, %other : i32
vyre.program @guarded {
  %x = vyre.buffer @x : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %x : !vyre.buffer<?xi32, read_only>
  %sums = vyre.buffer @sums live_out : !vyre.buffer<4xi32, read_write>
  vyre.region "guarded" invocations [1] {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %nothing = arith.constant 0 : i32
    scf.for %k = %c0 to %n step %c2 {
      %value = vyre.load %x[%k] : !vyre.buffer<?xi32, read_only> -> vector<2xi32>
      %one = vector.extract %value[0] : i32 from vector<2xi32>
      %other = vector.extract %value[1] : i32 from vector<2xi32>
      %changes = arith.cmpi ne, %one, %nothing : i32
      scf.if %changes {
        %a = vyre.atomic_rmw addi %one, %sums[%c3] : i32, !vyre.buffer<4xi32, read_write>
        %b = vyre.atomic_rmw addi %other, %sums[%c0] : i32, !vyre.buffer<4xi32, read_write>
      }
    }
  }
}

// -----

// A remainder chooses the element, which other items have, too: a workgroup keeps a copy. That an index is always the
// same is known of its form.
// GROUP-LABEL: vyre.program @channels
// GROUP:         vyre.buffer @sums_of_group : !vyre.buffer<3xi32, read_write, workgroup>
// GROUP:         scf.for
// GROUP:           vyre.atomic_rmw addi %value, %sums_of_group[%channel]
// GROUP-NOT:       vyre.atomic_rmw
// GROUP:           scf.yield
// GROUP:         vyre.barrier
vyre.program @channels workgroup_size [64] {
  %x = vyre.buffer @x : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %x : !vyre.buffer<?xi32, read_only>
  %sums = vyre.buffer @sums live_out : !vyre.buffer<3xi32, read_write>
  %most = vyre.buffer @most live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "channels" invocations [%n] {
    %i = vyre.invocation_id x
    %c3 = arith.constant 3 : index
    %channel = arith.remui %i, %c3 : index
    %first = arith.subi %i, %i : index
    %value = vyre.load %x[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %a = vyre.atomic_rmw addi %value, %sums[%channel] : i32, !vyre.buffer<3xi32, read_write>
    %b = vyre.atomic_rmw addi %value, %most[%first] : i32, !vyre.buffer<1xi32, read_write>
  }
}
