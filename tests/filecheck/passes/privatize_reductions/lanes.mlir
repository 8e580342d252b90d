// RUN: xdsl-opt %s --split-input-file -p 'vyre-privatize-reductions{scope=invocation lanes=true},canonicalize,vyre-cse' | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'vyre-privatize-reductions{scope=invocation lanes=true},vyre-privatize-reductions{scope=invocation lanes=true},canonicalize,vyre-cse' | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'vyre-privatize-reductions{scope=invocation},canonicalize,vyre-cse' | filecheck %s --check-prefix=NUMBER

// All lanes of a vector, by halves and one by one: the loop carries lanes, which are combined behind it.
// CHECK-LABEL: vyre.program @halves
// CHECK:         [[NONE:%.*]] = vector.broadcast %{{.*}} : i32 to vector<4xi32>
// CHECK:         [[LANES:%.*]] = scf.for %k = {{.*}} iter_args([[BEFORE:%.*]] = [[NONE]]) -> (vector<4xi32>) {
// CHECK:           %values = vyre.load %data
// CHECK-NEXT:      [[AFTER:%.*]] = arith.addi [[BEFORE]], %values : vector<4xi32>
// CHECK-NEXT:      scf.yield [[AFTER]] : vector<4xi32>
// CHECK-COUNT-4: vector.extract [[LANES]][
// CHECK:         scf.if
// CHECK:           vyre.atomic_rmw addi %{{.*}}, %count[%{{.*}}] : i32
// CHECK-NOT:     vyre.atomic_rmw

// NUMBER-LABEL: vyre.program @halves
// NUMBER:         scf.for {{.*}} -> (i32) {
vyre.program @halves {
  %data = vyre.buffer @data : !vyre.buffer<64xi32, read_only>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "halves" invocations [1] {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    scf.for %k = %c0 to %c64 step %c4 {
      %values = vyre.load %data[%k] : !vyre.buffer<64xi32, read_only> -> vector<4xi32>
      %low = vector.shuffle %values, %values [2, 0] : vector<4xi32>, vector<4xi32>
      %high = vector.shuffle %values, %values [1, 3] : vector<4xi32>, vector<4xi32>
      %both = arith.addi %low, %high : vector<2xi32>
      %one = vector.extract %both[0] : i32 from vector<2xi32>
      %other = vector.extract %both[1] : i32 from vector<2xi32>
      %sum = arith.addi %other, %one : i32
      %0 = vyre.atomic_rmw addi %sum, %count[%c0] : i32, !vyre.buffer<1xi32, read_write>
    }
  }
}

// -----

// A lane that is missing, one that counts twice, another combination, a wider number, or lanes of one update that is
// not repeated: what is carried are numbers. Of updates by lanes and by a number, each is carried as what it is.
// CHECK-LABEL: vyre.program @numbers
// CHECK:         scf.for {{.*}} -> (i32, i32, i32, i64, i32, vector<3xi32>) {
// CHECK:         vyre.atomic_rmw addi %{{.*}}, %some[%{{.*}}] : i32
// CHECK-NOT:     %some[
vyre.program @numbers {
  %data = vyre.buffer @data : !vyre.buffer<64xi32, read_only>
  %missing = vyre.buffer @missing live_out : !vyre.buffer<1xi32, read_write>
  %twice = vyre.buffer @twice live_out : !vyre.buffer<1xi32, read_write>
  %most = vyre.buffer @most live_out : !vyre.buffer<1xi32, read_write>
  %wide = vyre.buffer @wide live_out : !vyre.buffer<1xi64, read_write>
  %some = vyre.buffer @some live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "numbers" invocations [1] {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c60 = arith.constant 60 : index
    %one = arith.constant 1 : i32
    scf.for %k = %c0 to %c60 step %c3 {
      %values = vyre.load %data[%k] : !vyre.buffer<64xi32, read_only> -> vector<3xi32>
      %x = vector.extract %values[0] : i32 from vector<3xi32>
      %y = vector.extract %values[1] : i32 from vector<3xi32>
      %z = vector.extract %values[2] : i32 from vector<3xi32>
      %xy = arith.addi %x, %y : i32
      %0 = vyre.atomic_rmw addi %xy, %missing[%c0] : i32, !vyre.buffer<1xi32, read_write>
      %xyx = arith.addi %xy, %x : i32
      %1 = vyre.atomic_rmw addi %xyx, %twice[%c0] : i32, !vyre.buffer<1xi32, read_write>
      %all = arith.addi %xy, %z : i32
      %2 = vyre.atomic_rmw maxs %all, %most[%c0] : i32, !vyre.buffer<1xi32, read_write>
      %extended = arith.extsi %all : i32 to i64
      %3 = vyre.atomic_rmw addi %extended, %wide[%c0] : i64, !vyre.buffer<1xi64, read_write>
      %4 = vyre.atomic_rmw addi %all, %some[%c0] : i32, !vyre.buffer<1xi32, read_write>
      %5 = vyre.atomic_rmw addi %one, %some[%c0] : i32, !vyre.buffer<1xi32, read_write>
    }
  }
}

// -----

// That an update is done only where it changes something saves nothing where it is carried; another test stays.
// CHECK-LABEL: vyre.program @guarded
// CHECK:         [[LANES:%.*]], [[OTHER:%.*]] = scf.for %k = {{.*}} iter_args([[BEFORE:%.*]] = %{{.*}}, [[LEFT:%.*]] = %{{.*}}) -> (vector<4xi32>, vector<4xi32>) {
// CHECK:           [[AFTER:%.*]] = arith.addi [[BEFORE]], %values : vector<4xi32>
// CHECK:           [[CHOSEN:%.*]] = scf.if %is_other -> (vector<4xi32>) {
// CHECK:             scf.yield [[LEFT]] : vector<4xi32>
// CHECK:           scf.yield [[AFTER]], [[CHOSEN]] : vector<4xi32>, vector<4xi32>
vyre.program @guarded {
  %data = vyre.buffer @data : !vyre.buffer<64xi32, read_only>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  %other = vyre.buffer @other live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "guarded" invocations [1] {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %none = arith.constant 0 : i32
    %ten = arith.constant 10 : i32
    scf.for %k = %c0 to %c64 step %c4 {
      %values = vyre.load %data[%k] : !vyre.buffer<64xi32, read_only> -> vector<4xi32>
      %low = vector.shuffle %values, %values [0, 1] : vector<4xi32>, vector<4xi32>
      %high = vector.shuffle %values, %values [2, 3] : vector<4xi32>, vector<4xi32>
      %both = arith.addi %low, %high : vector<2xi32>
      %one = vector.extract %both[0] : i32 from vector<2xi32>
      %two = vector.extract %both[1] : i32 from vector<2xi32>
      %sum = arith.addi %one, %two : i32
      %changes = arith.cmpi ne, %sum, %none : i32
      scf.if %changes {
        %0 = vyre.atomic_rmw addi %sum, %count[%c0] : i32, !vyre.buffer<1xi32, read_write>
      }
      %is_other = arith.cmpi ne, %sum, %ten : i32
      scf.if %is_other {
        %1 = vyre.atomic_rmw addi %sum, %other[%c0] : i32, !vyre.buffer<1xi32, read_write>
      }
    }
  }
}
