// RUN: xdsl-opt %s --split-input-file -p 'vyre-privatize-reductions{scope=workgroup own_bytes=16384 budget=65536}' | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'vyre-privatize-reductions{scope=workgroup own_bytes=16384 budget=65536},vyre-privatize-reductions{scope=workgroup own_bytes=16384 budget=65536}' | filecheck %s

// What is added to one element of three buffers, four times in a turn of the loop, is loaded and stored at once: a wide sum in a word, one that 32 bits
// hold for many turns of the loop in the lower half of the other, and one modulo 2^32 in the upper half. Both halves are
// flushed behind each part of the loop, and at the end all that a workgroup has of an element.
// CHECK-LABEL: vyre.program @side_by_side
// CHECK: @prices_of_group : !vyre.buffer<1024xi64, read_write, workgroup>
// CHECK-NOT: _of_group :
// CHECK: arith.constant dense<0> : vector<2xi64>
// CHECK: vyre.barrier
// CHECK: scf.for %begin = %i to %count
// CHECK: %[[UPPER:.*]] = arith.shli %{{.*}}, %{{.*}} : i64
// CHECK: %[[WORD:.*]] = arith.ori %{{.*}}, %[[UPPER]] : i64
// CHECK: %[[GIVEN:.*]] = vector.insert %[[WORD]], %{{.*}} [1]
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %bin, %{{.*}} : index
// CHECK: scf.if %[[INSIDE]]
// CHECK: %sums = vyre.load %prices_of_group[%place] in_bounds : !vyre.buffer<1024xi64, read_write, workgroup> -> vector<2xi64>
// CHECK: %[[AFTER:.*]] = arith.addi %sums, %[[GIVEN]] : vector<2xi64>
// CHECK: vyre.store %[[AFTER]], %prices_of_group[%place] in_bounds
// CHECK: {vyre.each_item}
// CHECK: arith.cmpi slt, %end, %count : index
// CHECK: vyre.load %prices_of_group[%[[PLACE:\d+]]] in_bounds : {{.*}} -> i64
// CHECK: vyre.atomic_rmw addi %{{.*}}, %pieces[%element] : i64
// CHECK: vyre.atomic_rmw addi %{{.*}}, %rows[%element] : i32
// CHECK: vyre.store %{{.*}}, %prices_of_group[%[[PLACE]]] in_bounds : i64
// CHECK: vyre.barrier
// CHECK-DAG: vyre.atomic_rmw addi %{{.*}}, %prices[%{{.*}}] : i64
// CHECK-DAG: vyre.atomic_rmw addi %{{.*}}, %pieces[%{{.*}}] : i64
// CHECK-DAG: vyre.atomic_rmw addi %{{.*}}, %rows[%{{.*}}] : i32
vyre.program @side_by_side workgroup_size [64] {
  %data = vyre.buffer @data : !vyre.buffer<?xi32, read_only>
  %prices = vyre.buffer @prices live_out : !vyre.buffer<8xi64, read_write>
  %pieces = vyre.buffer @pieces live_out : !vyre.buffer<8xi64, read_write>
  %rows = vyre.buffer @rows live_out : !vyre.buffer<8xi32, read_write>
  %count = vyre.buf_len %data : !vyre.buffer<?xi32, read_only>
  %invocations = arith.constant 64 : index
  vyre.region "side_by_side" invocations [%invocations] {
    %i = vyre.invocation_id x
    %step = arith.constant 64 : index
    %mask = arith.constant 63 : i32
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    scf.for %item = %i to %count step %step {
      %word = vyre.load %data[%item] : !vyre.buffer<?xi32, read_only> -> i32
      %price = arith.extui %word : i32 to i64
      %few = arith.andi %word, %mask : i32
      %piece = arith.extui %few : i32 to i64
      %bin = arith.index_cast %word : i32 to index
      %0 = vyre.atomic_rmw addi %word, %rows[%bin] : i32, !vyre.buffer<8xi32, read_write>
      %1 = vyre.atomic_rmw addi %price, %prices[%bin] : i64, !vyre.buffer<8xi64, read_write>
      %2 = vyre.atomic_rmw addi %piece, %pieces[%bin] : i64, !vyre.buffer<8xi64, read_write>
      %bin1 = arith.addi %bin, %c1 : index
      %3 = vyre.atomic_rmw addi %word, %rows[%bin1] : i32, !vyre.buffer<8xi32, read_write>
      %4 = vyre.atomic_rmw addi %price, %prices[%bin1] : i64, !vyre.buffer<8xi64, read_write>
      %5 = vyre.atomic_rmw addi %piece, %pieces[%bin1] : i64, !vyre.buffer<8xi64, read_write>
      %bin2 = arith.addi %bin, %c2 : index
      %6 = vyre.atomic_rmw addi %word, %rows[%bin2] : i32, !vyre.buffer<8xi32, read_write>
      %7 = vyre.atomic_rmw addi %price, %prices[%bin2] : i64, !vyre.buffer<8xi64, read_write>
      %8 = vyre.atomic_rmw addi %piece, %pieces[%bin2] : i64, !vyre.buffer<8xi64, read_write>
      %bin3 = arith.addi %bin, %c3 : index
      %9 = vyre.atomic_rmw addi %word, %rows[%bin3] : i32, !vyre.buffer<8xi32, read_write>
      %10 = vyre.atomic_rmw addi %price, %prices[%bin3] : i64, !vyre.buffer<8xi64, read_write>
      %11 = vyre.atomic_rmw addi %piece, %pieces[%bin3] : i64, !vyre.buffer<8xi64, read_write>
    } {vyre.each_item}
  }
}

// -----

// Copies of their own, or fewer, have what is updated at other elements (@other); in a branch of its own (@rare); what has
// another number of elements (@longer); and what is no sum (@most).
// CHECK-LABEL: vyre.program @apart
// CHECK-DAG: @wide_of_group : !vyre.buffer<512xi64, read_write, workgroup>
// CHECK-DAG: @other_of_group : !vyre.buffer<512xi64, read_write, workgroup>
// CHECK-NOT: vector<2xi64>
vyre.program @apart workgroup_size [64] {
  %data = vyre.buffer @data : !vyre.buffer<?xi32, read_only>
  %wide = vyre.buffer @wide live_out : !vyre.buffer<8xi64, read_write>
  %other = vyre.buffer @other live_out : !vyre.buffer<8xi64, read_write>
  %rare = vyre.buffer @rare live_out : !vyre.buffer<8xi64, read_write>
  %longer = vyre.buffer @longer live_out : !vyre.buffer<16xi64, read_write>
  %most = vyre.buffer @most live_out : !vyre.buffer<8xi64, read_write>
  %count = vyre.buf_len %data : !vyre.buffer<?xi32, read_only>
  vyre.region "apart" invocations [64] {
    %i = vyre.invocation_id x
    %step = arith.constant 64 : index
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    scf.for %item = %i to %count step %step {
      %word = vyre.load %data[%item] : !vyre.buffer<?xi32, read_only> -> i32
      %value = arith.extui %word : i32 to i64
      %bin0 = arith.index_cast %word : i32 to index
      %bin1 = arith.addi %bin0, %one : index
      %bin2 = arith.addi %bin1, %one : index
      %bin3 = arith.addi %bin2, %one : index
      %bin4 = arith.addi %bin3, %one : index
      %limit = arith.constant 9 : i32
      %is_rare = arith.cmpi ult, %word, %limit : i32
      %1 = vyre.atomic_rmw addi %value, %wide[%bin0] : i64, !vyre.buffer<8xi64, read_write>
      %2 = vyre.atomic_rmw addi %value, %other[%bin1] : i64, !vyre.buffer<8xi64, read_write>
      %3 = vyre.atomic_rmw addi %value, %longer[%bin0] : i64, !vyre.buffer<16xi64, read_write>
      %4 = vyre.atomic_rmw maxu %value, %most[%bin0] : i64, !vyre.buffer<8xi64, read_write>
      scf.if %is_rare {
        %5 = vyre.atomic_rmw addi %value, %rare[%bin0] : i64, !vyre.buffer<8xi64, read_write>
      }
      %6 = vyre.atomic_rmw addi %value, %wide[%bin1] : i64, !vyre.buffer<8xi64, read_write>
      %7 = vyre.atomic_rmw addi %value, %other[%bin2] : i64, !vyre.buffer<8xi64, read_write>
      %8 = vyre.atomic_rmw addi %value, %longer[%bin1] : i64, !vyre.buffer<16xi64, read_write>
      %9 = vyre.atomic_rmw maxu %value, %most[%bin1] : i64, !vyre.buffer<8xi64, read_write>
      scf.if %is_rare {
        %10 = vyre.atomic_rmw addi %value, %rare[%bin1] : i64, !vyre.buffer<8xi64, read_write>
      }
      %11 = vyre.atomic_rmw addi %value, %wide[%bin2] : i64, !vyre.buffer<8xi64, read_write>
      %12 = vyre.atomic_rmw addi %value, %other[%bin3] : i64, !vyre.buffer<8xi64, read_write>
      %13 = vyre.atomic_rmw addi %value, %longer[%bin2] : i64, !vyre.buffer<16xi64, read_write>
      %14 = vyre.atomic_rmw maxu %value, %most[%bin2] : i64, !vyre.buffer<8xi64, read_write>
      scf.if %is_rare {
        %15 = vyre.atomic_rmw addi %value, %rare[%bin2] : i64, !vyre.buffer<8xi64, read_write>
      }
      %16 = vyre.atomic_rmw addi %value, %wide[%bin3] : i64, !vyre.buffer<8xi64, read_write>
      %17 = vyre.atomic_rmw addi %value, %other[%bin4] : i64, !vyre.buffer<8xi64, read_write>
      %18 = vyre.atomic_rmw addi %value, %longer[%bin3] : i64, !vyre.buffer<16xi64, read_write>
      %19 = vyre.atomic_rmw maxu %value, %most[%bin3] : i64, !vyre.buffer<8xi64, read_write>
      scf.if %is_rare {
        %20 = vyre.atomic_rmw addi %value, %rare[%bin3] : i64, !vyre.buffer<8xi64, read_write>
      }
    }
  }
}

// -----

// A loop between the updates updates the same, so that what was loaded before it would be old.
// CHECK-LABEL: vyre.program @around_a_loop
// CHECK-NOT: vector<2xi64>
vyre.program @around_a_loop workgroup_size [64] {
  %data = vyre.buffer @data : !vyre.buffer<?xi32, read_only>
  %first = vyre.buffer @first live_out : !vyre.buffer<8xi64, read_write>
  %second = vyre.buffer @second live_out : !vyre.buffer<8xi64, read_write>
  %count = vyre.buf_len %data : !vyre.buffer<?xi32, read_only>
  vyre.region "around_a_loop" invocations [64] {
    %i = vyre.invocation_id x
    %step = arith.constant 64 : index
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    scf.for %item = %i to %count step %step {
      %word = vyre.load %data[%item] : !vyre.buffer<?xi32, read_only> -> i32
      %value = arith.extui %word : i32 to i64
      %bin0 = arith.index_cast %word : i32 to index
      %bin1 = arith.addi %bin0, %one : index
      %bin2 = arith.addi %bin1, %one : index
      %bin3 = arith.addi %bin2, %one : index
      %bin4 = arith.addi %bin3, %one : index
      %1 = vyre.atomic_rmw addi %value, %first[%bin0] : i64, !vyre.buffer<8xi64, read_write>
      %2 = vyre.atomic_rmw addi %value, %first[%bin1] : i64, !vyre.buffer<8xi64, read_write>
      %3 = vyre.atomic_rmw addi %value, %first[%bin2] : i64, !vyre.buffer<8xi64, read_write>
      %4 = vyre.atomic_rmw addi %value, %first[%bin3] : i64, !vyre.buffer<8xi64, read_write>
      scf.for %again = %zero to %step step %one {
        %5 = vyre.atomic_rmw addi %value, %first[%bin0] : i64, !vyre.buffer<8xi64, read_write>
        %6 = vyre.atomic_rmw addi %value, %second[%bin0] : i64, !vyre.buffer<8xi64, read_write>
        %7 = vyre.atomic_rmw addi %value, %first[%bin1] : i64, !vyre.buffer<8xi64, read_write>
        %8 = vyre.atomic_rmw addi %value, %second[%bin1] : i64, !vyre.buffer<8xi64, read_write>
        %9 = vyre.atomic_rmw addi %value, %first[%bin2] : i64, !vyre.buffer<8xi64, read_write>
        %10 = vyre.atomic_rmw addi %value, %second[%bin2] : i64, !vyre.buffer<8xi64, read_write>
        %11 = vyre.atomic_rmw addi %value, %first[%bin3] : i64, !vyre.buffer<8xi64, read_write>
        %12 = vyre.atomic_rmw addi %value, %second[%bin3] : i64, !vyre.buffer<8xi64, read_write>
      }
      %13 = vyre.atomic_rmw addi %value, %second[%bin0] : i64, !vyre.buffer<8xi64, read_write>
      %14 = vyre.atomic_rmw addi %value, %second[%bin1] : i64, !vyre.buffer<8xi64, read_write>
      %15 = vyre.atomic_rmw addi %value, %second[%bin2] : i64, !vyre.buffer<8xi64, read_write>
      %16 = vyre.atomic_rmw addi %value, %second[%bin3] : i64, !vyre.buffer<8xi64, read_write>
    }
  }
}

// -----

// All updates of one buffer come before those of the other, so that the second row would be loaded before the first one
// is stored, and may be the same.
// CHECK-LABEL: vyre.program @one_after_the_other
// CHECK-NOT: vector<2xi64>
vyre.program @one_after_the_other workgroup_size [64] {
  %data = vyre.buffer @data : !vyre.buffer<?xi32, read_only>
  %first = vyre.buffer @first live_out : !vyre.buffer<8xi64, read_write>
  %second = vyre.buffer @second live_out : !vyre.buffer<8xi64, read_write>
  %count = vyre.buf_len %data : !vyre.buffer<?xi32, read_only>
  vyre.region "one_after_the_other" invocations [64] {
    %i = vyre.invocation_id x
    %step = arith.constant 64 : index
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    scf.for %item = %i to %count step %step {
      %word = vyre.load %data[%item] : !vyre.buffer<?xi32, read_only> -> i32
      %value = arith.extui %word : i32 to i64
      %bin0 = arith.index_cast %word : i32 to index
      %bin1 = arith.addi %bin0, %one : index
      %bin2 = arith.addi %bin1, %one : index
      %bin3 = arith.addi %bin2, %one : index
      %bin4 = arith.addi %bin3, %one : index
      %1 = vyre.atomic_rmw addi %value, %first[%bin0] : i64, !vyre.buffer<8xi64, read_write>
      %2 = vyre.atomic_rmw addi %value, %first[%bin1] : i64, !vyre.buffer<8xi64, read_write>
      %3 = vyre.atomic_rmw addi %value, %first[%bin2] : i64, !vyre.buffer<8xi64, read_write>
      %4 = vyre.atomic_rmw addi %value, %first[%bin3] : i64, !vyre.buffer<8xi64, read_write>
      %5 = vyre.atomic_rmw addi %value, %second[%bin0] : i64, !vyre.buffer<8xi64, read_write>
      %6 = vyre.atomic_rmw addi %value, %second[%bin1] : i64, !vyre.buffer<8xi64, read_write>
      %7 = vyre.atomic_rmw addi %value, %second[%bin2] : i64, !vyre.buffer<8xi64, read_write>
      %8 = vyre.atomic_rmw addi %value, %second[%bin3] : i64, !vyre.buffer<8xi64, read_write>
    }
  }
}

// -----

// Elements of 32 bits are shared by the workgroup, but for those that fill words; a wide one alone fills no row.
// CHECK-LABEL: vyre.program @too_few
// CHECK-DAG: @rows_of_group : !vyre.buffer<8xi32, read_write, workgroup>
// CHECK-DAG: @others_of_group : !vyre.buffer<8xi32, read_write, workgroup>
// CHECK-DAG: @wide_of_group : !vyre.buffer<512xi64, read_write, workgroup>
// CHECK-NOT: vector<2xi64>
vyre.program @too_few workgroup_size [64] {
  %data = vyre.buffer @data : !vyre.buffer<?xi32, read_only>
  %rows = vyre.buffer @rows live_out : !vyre.buffer<8xi32, read_write>
  %others = vyre.buffer @others live_out : !vyre.buffer<8xi32, read_write>
  %wide = vyre.buffer @wide live_out : !vyre.buffer<8xi64, read_write>
  %count = vyre.buf_len %data : !vyre.buffer<?xi32, read_only>
  vyre.region "too_few" invocations [64] {
    %i = vyre.invocation_id x
    %step = arith.constant 64 : index
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    scf.for %item = %i to %count step %step {
      %word = vyre.load %data[%item] : !vyre.buffer<?xi32, read_only> -> i32
      %value = arith.extui %word : i32 to i64
      %bin0 = arith.index_cast %word : i32 to index
      %bin1 = arith.addi %bin0, %one : index
      %bin2 = arith.addi %bin1, %one : index
      %bin3 = arith.addi %bin2, %one : index
      %bin4 = arith.addi %bin3, %one : index
      %1 = vyre.atomic_rmw addi %word, %rows[%bin0] : i32, !vyre.buffer<8xi32, read_write>
      %2 = vyre.atomic_rmw addi %word, %others[%bin0] : i32, !vyre.buffer<8xi32, read_write>
      %3 = vyre.atomic_rmw addi %value, %wide[%bin0] : i64, !vyre.buffer<8xi64, read_write>
      %4 = vyre.atomic_rmw addi %word, %rows[%bin1] : i32, !vyre.buffer<8xi32, read_write>
      %5 = vyre.atomic_rmw addi %word, %others[%bin1] : i32, !vyre.buffer<8xi32, read_write>
      %6 = vyre.atomic_rmw addi %value, %wide[%bin1] : i64, !vyre.buffer<8xi64, read_write>
      %7 = vyre.atomic_rmw addi %word, %rows[%bin2] : i32, !vyre.buffer<8xi32, read_write>
      %8 = vyre.atomic_rmw addi %word, %others[%bin2] : i32, !vyre.buffer<8xi32, read_write>
      %9 = vyre.atomic_rmw addi %value, %wide[%bin2] : i64, !vyre.buffer<8xi64, read_write>
      %10 = vyre.atomic_rmw addi %word, %rows[%bin3] : i32, !vyre.buffer<8xi32, read_write>
      %11 = vyre.atomic_rmw addi %word, %others[%bin3] : i32, !vyre.buffer<8xi32, read_write>
      %12 = vyre.atomic_rmw addi %value, %wide[%bin3] : i64, !vyre.buffer<8xi64, read_write>
    }
  }
}

// -----

// Three rows in a turn of the loop are too few: more invocations with less memory are faster.
// CHECK-LABEL: vyre.program @few_turns
// CHECK-NOT: vector<2xi64>
vyre.program @few_turns workgroup_size [64] {
  %data = vyre.buffer @data : !vyre.buffer<?xi32, read_only>
  %first = vyre.buffer @first live_out : !vyre.buffer<8xi64, read_write>
  %second = vyre.buffer @second live_out : !vyre.buffer<8xi64, read_write>
  %count = vyre.buf_len %data : !vyre.buffer<?xi32, read_only>
  vyre.region "few_turns" invocations [64] {
    %i = vyre.invocation_id x
    %step = arith.constant 64 : index
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    scf.for %item = %i to %count step %step {
      %word = vyre.load %data[%item] : !vyre.buffer<?xi32, read_only> -> i32
      %value = arith.extui %word : i32 to i64
      %bin0 = arith.index_cast %word : i32 to index
      %bin1 = arith.addi %bin0, %one : index
      %bin2 = arith.addi %bin1, %one : index
      %bin3 = arith.addi %bin2, %one : index
      %bin4 = arith.addi %bin3, %one : index
      %1 = vyre.atomic_rmw addi %value, %first[%bin0] : i64, !vyre.buffer<8xi64, read_write>
      %2 = vyre.atomic_rmw addi %value, %second[%bin0] : i64, !vyre.buffer<8xi64, read_write>
      %3 = vyre.atomic_rmw addi %value, %first[%bin1] : i64, !vyre.buffer<8xi64, read_write>
      %4 = vyre.atomic_rmw addi %value, %second[%bin1] : i64, !vyre.buffer<8xi64, read_write>
      %5 = vyre.atomic_rmw addi %value, %first[%bin2] : i64, !vyre.buffer<8xi64, read_write>
      %6 = vyre.atomic_rmw addi %value, %second[%bin2] : i64, !vyre.buffer<8xi64, read_write>
    }
  }
}

// -----

// Rows of a short loop inside count, as that may be written out, but not those of one that is to stay a loop.
// CHECK-LABEL: vyre.program @short_loops
// CHECK: @prices_of_group : !vyre.buffer<1024xi64, read_write, workgroup>
// CHECK: vector<2xi64>
// CHECK-LABEL: vyre.program @loops_that_stay
// CHECK-NOT: vector<2xi64>
vyre.program @short_loops workgroup_size [64] {
  %data = vyre.buffer @data : !vyre.buffer<?xi32, read_only>
  %prices = vyre.buffer @prices live_out : !vyre.buffer<8xi64, read_write>
  %others = vyre.buffer @others live_out : !vyre.buffer<8xi64, read_write>
  %count = vyre.buf_len %data : !vyre.buffer<?xi32, read_only>
  vyre.region "short_loops" invocations [64] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %four = arith.constant 4 : index
    %step = arith.constant 64 : index
    scf.for %item = %i to %count step %step {
      %word = vyre.load %data[%item] : !vyre.buffer<?xi32, read_only> -> i32
      %price = arith.extui %word : i32 to i64
      %bin = arith.index_cast %word : i32 to index
      scf.for %k = %zero to %four step %one {
        %element = arith.addi %bin, %k : index
        %0 = vyre.atomic_rmw addi %price, %prices[%element] : i64, !vyre.buffer<8xi64, read_write>
        %1 = vyre.atomic_rmw addi %price, %others[%element] : i64, !vyre.buffer<8xi64, read_write>
      }
    }
  }
}
vyre.program @loops_that_stay workgroup_size [64] {
  %data = vyre.buffer @data : !vyre.buffer<?xi32, read_only>
  %prices = vyre.buffer @prices live_out : !vyre.buffer<8xi64, read_write>
  %others = vyre.buffer @others live_out : !vyre.buffer<8xi64, read_write>
  %count = vyre.buf_len %data : !vyre.buffer<?xi32, read_only>
  vyre.region "loops_that_stay" invocations [64] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %four = arith.constant 4 : index
    %step = arith.constant 64 : index
    scf.for %item = %i to %count step %step {
      %word = vyre.load %data[%item] : !vyre.buffer<?xi32, read_only> -> i32
      %price = arith.extui %word : i32 to i64
      %bin = arith.index_cast %word : i32 to index
      scf.for %k = %zero to %four step %one {
        %element = arith.addi %bin, %k : index
        %0 = vyre.atomic_rmw addi %price, %prices[%element] : i64, !vyre.buffer<8xi64, read_write>
        %1 = vyre.atomic_rmw addi %price, %others[%element] : i64, !vyre.buffer<8xi64, read_write>
      } {vyre.unroll = 1 : i64}
    }
  }
}
