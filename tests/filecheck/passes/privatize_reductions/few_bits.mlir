// RUN: xdsl-opt %s --split-input-file -p 'vyre-privatize-reductions{scope=workgroup own_bytes=8192 budget=65536}' | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'vyre-privatize-reductions{scope=workgroup own_bytes=8192 budget=65536},vyre-privatize-reductions{scope=workgroup own_bytes=8192 budget=65536}' | filecheck %s

// An invocation adds less than 2^8 in an iteration, also where that comes out of private memory: 32 bits hold the sum
// of 2^24 iterations and more, and the loop is run in parts of so many, behind each of which the copies are flushed,
// but behind the last one, as the end of the arm does that.
// CHECK-LABEL: vyre.program @in_parts
// CHECK: @sums_of_group : !vyre.buffer<512xi32, read_write, workgroup>
// CHECK: vyre.barrier
// CHECK: %[[SPAN:.*]] = arith.constant 1077952576 : index
// CHECK: scf.for %begin = %i to %count step %[[SPAN]]
// CHECK: scf.for %item = %begin to %end
// CHECK: %[[BEFORE:.*]] = vyre.load %sums_of_group[%[[PLACE:.*]]] : !vyre.buffer<512xi32, read_write, workgroup> -> i32
// CHECK: %[[GIVEN:.*]] = arith.trunci %wide : i64 to i32
// CHECK: %[[AFTER:.*]] = arith.addi %[[BEFORE]], %[[GIVEN]] : i32
// CHECK: vyre.store %[[AFTER]], %sums_of_group[%[[PLACE]]]
// CHECK: {vyre.each_item}
// CHECK: %[[MORE:.*]] = arith.cmpi slt, %end, %count : index
// CHECK: scf.if %[[MORE]]
// CHECK: %[[HELD:.*]] = arith.extui %{{.*}} : i32 to i64
// CHECK: vyre.atomic_rmw addi %{{.*}}, %sums[%element] : i64
// CHECK: vyre.store %{{.*}}, %sums_of_group
// CHECK: vyre.barrier
// CHECK: vyre.atomic_rmw addi %{{.*}}, %sums[%{{.*}}] : i64
vyre.program @in_parts workgroup_size [64] {
  %data = vyre.buffer @data : !vyre.buffer<?xi8, read_only>
  %sums = vyre.buffer @sums live_out : !vyre.buffer<8xi64, read_write>
  %count = vyre.buf_len %data : !vyre.buffer<?xi8, read_only>
  %invocations = arith.constant 64 : index
  %own = vyre.buffer @own : !vyre.buffer<1xi8, read_write, private>
  vyre.region "in_parts" invocations [%invocations] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %step = arith.constant 64 : index
    scf.for %item = %i to %count step %step {
      %byte = vyre.load %data[%item] : !vyre.buffer<?xi8, read_only> -> i8
      vyre.store %byte, %own[%zero] : i8, !vyre.buffer<1xi8, read_write, private>
      %again = vyre.load %own[%zero] : !vyre.buffer<1xi8, read_write, private> -> i8
      %wide = arith.extui %again : i8 to i64
      %bin = arith.index_cast %again : i8 to index
      %0 = vyre.atomic_rmw addi %wide, %sums[%bin] : i64, !vyre.buffer<8xi64, read_write>
    } {vyre.each_item}
  }
}

// -----

// A loop that is known to be short enough stays one.
// CHECK-LABEL: vyre.program @short
// CHECK: @sums_of_group : !vyre.buffer<512xi32, read_write, workgroup>
// CHECK: vyre.barrier
// CHECK-NOT: %begin
// CHECK: vyre.barrier
vyre.program @short workgroup_size [64] {
  %data = vyre.buffer @data : !vyre.buffer<65536xi16, read_only>
  %sums = vyre.buffer @sums live_out : !vyre.buffer<8xi64, read_write>
  vyre.region "short" invocations [64] {
    %i = vyre.invocation_id x
    %end = arith.constant 65536 : index
    %step = arith.constant 64 : index
    scf.for %item = %i to %end step %step {
      %word = vyre.load %data[%item] : !vyre.buffer<65536xi16, read_only> -> i16
      %wide = arith.extui %word : i16 to i64
      %bin = arith.index_cast %word : i16 to index
      %0 = vyre.atomic_rmw addi %wide, %sums[%bin] : i64, !vyre.buffer<8xi64, read_write>
    }
  }
}

// -----

// Words may be too large for that, and so may what two updates of a buffer add, or an inner loop.
// CHECK-LABEL: vyre.program @large
// CHECK-DAG: @words_of_group : !vyre.buffer<128xi64, read_write, workgroup>
// CHECK-DAG: @twice_of_group : !vyre.buffer<128xi64, read_write, workgroup>
// CHECK-DAG: @inner_of_group : !vyre.buffer<128xi64, read_write, workgroup>
// CHECK-DAG: @once_of_group : !vyre.buffer<128xi32, read_write, workgroup>
vyre.program @large workgroup_size [64] {
  %data = vyre.buffer @data : !vyre.buffer<?xi32, read_only>
  %words = vyre.buffer @words live_out : !vyre.buffer<2xi64, read_write>
  %twice = vyre.buffer @twice live_out : !vyre.buffer<2xi64, read_write>
  %inner = vyre.buffer @inner live_out : !vyre.buffer<2xi64, read_write>
  %once = vyre.buffer @once live_out : !vyre.buffer<2xi64, read_write>
  %count = vyre.buf_len %data : !vyre.buffer<?xi32, read_only>
  vyre.region "large" invocations [64] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %step = arith.constant 64 : index
    %bits = arith.constant 262143 : i32
    scf.for %item = %i to %count step %step {
      %word = vyre.load %data[%item] : !vyre.buffer<?xi32, read_only> -> i32
      %wide = arith.extui %word : i32 to i64
      %few = arith.andi %word, %bits : i32
      %wide_few = arith.extui %few : i32 to i64
      %bin = arith.index_cast %word : i32 to index
      %0 = vyre.atomic_rmw addi %wide, %words[%bin] : i64, !vyre.buffer<2xi64, read_write>
      %1 = vyre.atomic_rmw addi %wide_few, %twice[%bin] : i64, !vyre.buffer<2xi64, read_write>
      %2 = vyre.atomic_rmw addi %wide_few, %twice[%bin] : i64, !vyre.buffer<2xi64, read_write>
      scf.for %again = %zero to %step step %one {
        %3 = vyre.atomic_rmw addi %wide_few, %inner[%bin] : i64, !vyre.buffer<2xi64, read_write>
      }
      %4 = vyre.atomic_rmw addi %wide_few, %once[%bin] : i64, !vyre.buffer<2xi64, read_write>
    }
  }
}

// -----

// Of what is no sum, copies have all bits; and where private memory is more than its elements, what it yields is unknown.
// CHECK-LABEL: vyre.program @others
// CHECK-DAG: @most_of_group : !vyre.buffer<128xi64, read_write, workgroup>
// CHECK-DAG: @sums_of_group : !vyre.buffer<128xi64, read_write, workgroup>
vyre.program @others workgroup_size [64] {
  %data = vyre.buffer @data : !vyre.buffer<?xi8, read_only>
  %most = vyre.buffer @most live_out : !vyre.buffer<2xi64, read_write>
  %sums = vyre.buffer @sums live_out : !vyre.buffer<2xi64, read_write>
  %count = vyre.buf_len %data : !vyre.buffer<?xi8, read_only>
  %own = vyre.buffer @own : !vyre.buffer<8xi8, read_write, private>
  vyre.region "others" invocations [64] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %step = arith.constant 64 : index
    scf.for %item = %i to %count step %step {
      %byte = vyre.load %data[%item] : !vyre.buffer<?xi8, read_only> -> i8
      %wide = arith.extui %byte : i8 to i64
      %bin = arith.index_cast %byte : i8 to index
      vyre.store %byte, %own[%zero] : i8, !vyre.buffer<8xi8, read_write, private>
      %word = vyre.load %own[%zero] : !vyre.buffer<8xi8, read_write, private> -> i32
      %wide_word = arith.extui %word : i32 to i64
      %0 = vyre.atomic_rmw maxu %wide, %most[%bin] : i64, !vyre.buffer<2xi64, read_write>
      %1 = vyre.atomic_rmw addi %wide_word, %sums[%bin] : i64, !vyre.buffer<2xi64, read_write>
    }
  }
}
