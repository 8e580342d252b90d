// RUN: xdsl-opt %s --split-input-file -p 'vyre-form-work-item-loops{annotate=true}' | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'vyre-form-work-item-loops,vyre-form-work-item-loops{annotate=true}' | filecheck %s

// One barrier, and a tile.
// CHECK-LABEL: @mirror
// CHECK:         %tile = vyre.buffer @tile : !vyre.buffer<64xi32, read_write, private>
// CHECK-NEXT:    vyre.region "mirror" invocations [4] workgroup_size [1] {
// CHECK:           scf.for %lane = %1 to %2 step %3 {
// CHECK-NEXT:        %i = arith.addi %first, %lane : index
// CHECK-NEXT:        %value = vyre.load %x[%i]
// CHECK-NEXT:        vyre.store %value, %tile[%lane] in_bounds
// CHECK-NEXT:      } {vyre.unroll = 1 : i64}
// CHECK-NOT:       vyre.barrier
// CHECK:           scf.for %lane_1 = %4 to %5 step %6 {
// CHECK-NEXT:        %i_1 = arith.addi %first, %lane_1 : index
// CHECK-NEXT:        %mirrored = arith.subi %last, %lane_1 : index
// CHECK-NEXT:        %other = vyre.load %tile[%mirrored] in_bounds
// CHECK-NEXT:        vyre.store %other, %y[%i_1]
vyre.program @mirror {
  %x = vyre.buffer @x : !vyre.buffer<256xi32, read_only>
  %y = vyre.buffer @y live_out : !vyre.buffer<256xi32, read_write>
  %tile = vyre.buffer @tile : !vyre.buffer<64xi32, read_write, workgroup>
  vyre.region "mirror" invocations [256] workgroup_size [64] {
    %i = vyre.invocation_id x
    %lane = vyre.local_id x
    %last = arith.constant 63 : index
    %value = vyre.load %x[%i] : !vyre.buffer<256xi32, read_only> -> i32
    vyre.store %value, %tile[%lane] in_bounds : i32, !vyre.buffer<64xi32, read_write, workgroup>
    vyre.barrier
    %mirrored = arith.subi %last, %lane : index
    %other = vyre.load %tile[%mirrored] in_bounds : !vyre.buffer<64xi32, read_write, workgroup> -> i32
    vyre.store %other, %y[%i] : i32, !vyre.buffer<256xi32, read_write>
  }
}

// -----

// Two barriers in a loop that carries a value of each lane and one of all.
// CHECK-LABEL: @steps
// CHECK:         %sum_of_lanes = vyre.buffer @sum_of_lanes : !vyre.buffer<8xi32, read_write, private>
// CHECK-NEXT:    %other_of_lanes = vyre.buffer @other_of_lanes : !vyre.buffer<8xi32, read_write, private>
// CHECK-NEXT:    vyre.check_whole_workgroups %n of 8 for "steps"
// CHECK:         %workgroups = arith.floordivsi %n
// CHECK-NEXT:    vyre.region "steps" invocations [%workgroups] workgroup_size [1] {
// CHECK:           scf.for %lane =
// CHECK:             vyre.store %start, %sum_of_lanes[%lane] in_bounds
// CHECK:           %total = scf.for %k = %zero to %seven step %one iter_args(%distance = %one) -> (index) {
// CHECK:             scf.for %lane_1 =
// CHECK-NEXT:          %sum = vyre.load %sum_of_lanes[%lane_1] in_bounds
// CHECK-NEXT:          vyre.store %sum, %tile[%lane_1]
// CHECK:             scf.for %lane_2 =
// CHECK-NEXT:          %from = arith.addi %lane_2, %distance : index
// CHECK-NEXT:          %other = vyre.load %tile[%from]
// CHECK-NEXT:          vyre.store %other, %other_of_lanes[%lane_2] in_bounds
// CHECK:             scf.for %lane_3 =
// CHECK-NEXT:          %sum_1 = vyre.load %sum_of_lanes[%lane_3] in_bounds
// CHECK-NEXT:          %other_1 = vyre.load %other_of_lanes[%lane_3] in_bounds
// CHECK-NEXT:          %after = arith.addi %sum_1, %other_1 : i32
// CHECK-NEXT:          vyre.store %after, %sum_of_lanes[%lane_3] in_bounds
// CHECK:             scf.yield %further : index
// CHECK:           scf.for %lane_4 =
// CHECK:             %sum_2 = vyre.load %sum_of_lanes[%lane_4] in_bounds
// CHECK-NEXT:        vyre.store %sum_2, %y[%i_1]
vyre.program @steps {
  %x = vyre.buffer @x : !vyre.buffer<?xi32, read_only>
  %y = vyre.buffer @y live_out : !vyre.buffer<?xi32, read_write>
  %n = vyre.buf_len %x : !vyre.buffer<?xi32, read_only>
  %tile = vyre.buffer @tile : !vyre.buffer<8xi32, read_write, workgroup>
  vyre.region "steps" invocations [%n] workgroup_size [8] {
    %i = vyre.invocation_id x
    %lane = vyre.local_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %seven = arith.constant 7 : index
    %start = vyre.load %x[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %sum, %total = scf.for %k = %zero to %seven step %one iter_args(%before = %start, %distance = %one) -> (i32, index) {
      vyre.store %before, %tile[%lane] : i32, !vyre.buffer<8xi32, read_write, workgroup>
      vyre.barrier memfence workgroup
      %from = arith.addi %lane, %distance : index
      %other = vyre.load %tile[%from] : !vyre.buffer<8xi32, read_write, workgroup> -> i32
      vyre.barrier memfence workgroup
      %after = arith.addi %before, %other : i32
      %further = arith.addi %distance, %one : index
      scf.yield %after, %further : i32, index
    }
    vyre.store %sum, %y[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
}

// -----

// Lanes that take turns are one loop; what all load is loaded once.
// CHECK-LABEL: @sweep
// CHECK:           %key = vyre.load %table[%group]
// CHECK-NEXT:      %1 = arith.constant 0 : index
// CHECK-NEXT:      %2 = arith.constant 1 : index
// CHECK-NEXT:      scf.for %k = %1 to %count step %2 {
// CHECK-NEXT:        %value = vyre.load %table[%k]
// CHECK:           } {vyre.unroll = 1 : i64}
// CHECK-NEXT:      %place = arith.index_cast %key : i32 to index
// CHECK-NEXT:      %found = vyre.load %tile[%place]
// CHECK:           scf.for %lane =
// CHECK-NOT:         vyre.load
// CHECK:             vyre.store %sum, %y[%i]
vyre.program @sweep {
  %table = vyre.buffer @table : !vyre.buffer<100xi32, read_only>
  %y = vyre.buffer @y live_out : !vyre.buffer<64xi32, read_write>
  %tile = vyre.buffer @tile : !vyre.buffer<100xi32, read_write, workgroup>
  vyre.region "sweep" invocations [64] workgroup_size [16] {
    %i = vyre.invocation_id x
    %lane = vyre.local_id x
    %lanes = arith.constant 16 : index
    %count = arith.constant 100 : index
    %group = vyre.workgroup_id x
    %key = vyre.load %table[%group] : !vyre.buffer<100xi32, read_only> -> i32
    scf.for %k = %lane to %count step %lanes {
      %value = vyre.load %table[%k] : !vyre.buffer<100xi32, read_only> -> i32
      %changed = arith.xori %value, %key : i32
      vyre.store %changed, %tile[%k] : i32, !vyre.buffer<100xi32, read_write, workgroup>
    }
    vyre.barrier
    %place = arith.index_cast %key : i32 to index
    %found = vyre.load %tile[%place] : !vyre.buffer<100xi32, read_write, workgroup> -> i32
    %number = arith.index_cast %i : index to i32
    %sum = arith.addi %found, %number : i32
    vyre.store %sum, %y[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// -----

// Atomics on a tile need not be atomic.
// CHECK-LABEL: @atomics
// CHECK-NOT:       vyre.atomic
// CHECK:           scf.for %lane_1 =
// CHECK:             %unseen = vyre.load %tile[%place] : !vyre.buffer<8xi32, read_write, private> -> i32
// CHECK-NEXT:        %7 = arith.maxui %unseen, %value_1 : i32
// CHECK-NEXT:        vyre.store %7, %tile[%place] : i32, !vyre.buffer<8xi32, read_write, private>
// CHECK:           scf.for %lane_2 =
// CHECK:             %old = vyre.load %tile[%lane_2] in_bounds
// CHECK-NEXT:        vyre.store %none, %tile[%lane_2] in_bounds
// CHECK-NEXT:        %seen = vyre.load %tile[%lane_2] :
// CHECK-NEXT:        %11 = arith.cmpi eq, %seen, %none : i32
// CHECK-NEXT:        %12 = arith.select %11, %old, %seen : i32
// CHECK-NEXT:        vyre.store %12, %tile[%lane_2] :
vyre.program @atomics {
  %x = vyre.buffer @x : !vyre.buffer<?xi32, read_only>
  %y = vyre.buffer @y live_out : !vyre.buffer<64xi32, read_write>
  %tile = vyre.buffer @tile : !vyre.buffer<8xi32, read_write, workgroup>
  vyre.region "atomics" invocations [64] workgroup_size [8] {
    %i = vyre.invocation_id x
    %lane = vyre.local_id x
    %none = arith.constant 0 : i32
    %value = vyre.load %x[%i] : !vyre.buffer<?xi32, read_only> -> i32
    vyre.store %none, %tile[%lane] in_bounds : i32, !vyre.buffer<8xi32, read_write, workgroup>
    vyre.barrier
    %place = arith.index_cast %value : i32 to index
    %unseen = vyre.atomic_rmw maxu %value, %tile[%place] : i32, !vyre.buffer<8xi32, read_write, workgroup>
    vyre.barrier
    %old = vyre.atomic_rmw assign %none, %tile[%lane] in_bounds : i32, !vyre.buffer<8xi32, read_write, workgroup>
    %seen = vyre.atomic_cas %none, %old, %tile[%lane] : i32, !vyre.buffer<8xi32, read_write, workgroup>
    %sum = arith.addi %old, %seen : i32
    vyre.store %sum, %y[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// -----

// A branch of the workgroup, with a value of each lane and one of all; and a switch.
// CHECK-LABEL: @branches
// CHECK:           %number = scf.if %few -> (index) {
// CHECK:             scf.for %lane_1 =
// CHECK:               vyre.store %value_1, %tile[%lane_1]
// CHECK:             %other = vyre.load %tile[%group]
// CHECK:             scf.for %lane_2 =
// CHECK:               vyre.store %sum, %chosen_of_lanes[%lane_2] in_bounds
// CHECK:             scf.yield %group : index
// CHECK-NEXT:      } else {
// CHECK:             scf.for %lane_3 =
// CHECK-NEXT:          %value_3 = vyre.load %value_of_lanes[%lane_3] in_bounds
// CHECK-NEXT:          vyre.store %value_3, %chosen_of_lanes[%lane_3] in_bounds
// CHECK:             scf.yield %three : index
// CHECK:           scf.index_switch %number
// CHECK-NEXT:      case 1 {
// CHECK:             scf.for %lane_4 =
// CHECK:               vyre.store %value_4, %y[%lane_4]
// CHECK:           scf.for %lane_5 =
// CHECK:             %chosen = vyre.load %chosen_of_lanes[%lane_5] in_bounds
vyre.program @branches {
  %x = vyre.buffer @x : !vyre.buffer<?xi32, read_only>
  %y = vyre.buffer @y live_out : !vyre.buffer<64xi32, read_write>
  %tile = vyre.buffer @tile : !vyre.buffer<8xi32, read_write, workgroup>
  vyre.region "branches" invocations [64] workgroup_size [8] {
    %i = vyre.invocation_id x
    %lane = vyre.local_id x
    %group = vyre.workgroup_id x
    %three = arith.constant 3 : index
    %value = vyre.load %x[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %few = arith.cmpi slt, %group, %three : index
    %chosen, %number = scf.if %few -> (i32, index) {
      vyre.store %value, %tile[%lane] : i32, !vyre.buffer<8xi32, read_write, workgroup>
      vyre.barrier
      %other = vyre.load %tile[%group] : !vyre.buffer<8xi32, read_write, workgroup> -> i32
      %sum = arith.addi %other, %value : i32
      scf.yield %sum, %group : i32, index
    } else {
      scf.yield %value, %three : i32, index
    }
    scf.index_switch %number
    case 1 {
      vyre.store %value, %y[%lane] : i32, !vyre.buffer<64xi32, read_write>
      vyre.barrier
      scf.yield
    }
    default {
      scf.yield
    }
    vyre.store %chosen, %y[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// -----

// Private memory across a barrier is one copy for each lane; in one piece it is shared.
// CHECK-LABEL: @private
// CHECK:         %brief = vyre.buffer @brief : !vyre.buffer<4xi32, read_write, private>
// CHECK-NEXT:    %kept_of_lanes = vyre.buffer @kept_of_lanes : !vyre.buffer<32xi32, read_write, private>
// CHECK:           scf.for %lane =
// CHECK:             %5 = arith.muli %lane, %4 : index
// CHECK-NEXT:        %6 = arith.addi %5, %two : index
// CHECK-NEXT:        vyre.store %value, %kept_of_lanes[%6]
// CHECK-NEXT:        vyre.store %value, %brief[%i]
// CHECK:           scf.for %lane_1 =
// CHECK:             %other = vyre.load %kept_of_lanes[%12]
vyre.program @private {
  %x = vyre.buffer @x : !vyre.buffer<?xi32, read_only>
  %y = vyre.buffer @y live_out : !vyre.buffer<64xi32, read_write>
  %kept = vyre.buffer @kept : !vyre.buffer<4xi32, read_write, private>
  %brief = vyre.buffer @brief : !vyre.buffer<4xi32, read_write, private>
  vyre.region "private" invocations [64] workgroup_size [8] {
    %i = vyre.invocation_id x
    %two = arith.constant 2 : index
    %value = vyre.load %x[%i] : !vyre.buffer<?xi32, read_only> -> i32
    vyre.store %value, %kept[%two] : i32, !vyre.buffer<4xi32, read_write, private>
    vyre.store %value, %brief[%i] : i32, !vyre.buffer<4xi32, read_write, private>
    %again = vyre.load %brief[%i] : !vyre.buffer<4xi32, read_write, private> -> i32
    vyre.store %again, %y[%i] : i32, !vyre.buffer<64xi32, read_write>
    vyre.barrier
    %other = vyre.load %kept[%two] : !vyre.buffer<4xi32, read_write, private> -> i32
    vyre.store %other, %y[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// -----

// A copy is a loop; and a workgroup of several axes.
// CHECK-LABEL: @copies
// CHECK:         vyre.region "copies" invocations [2, 2] workgroup_size [1] {
// CHECK:           scf.for %offset = %2 to %six step %3 {
// CHECK-NEXT:        %4 = arith.addi %group, %offset : index
// CHECK-NEXT:        %5 = vyre.load %x[%4] : !vyre.buffer<?xi32, read_only> -> i32
// CHECK-NEXT:        %6 = arith.addi %zero, %offset : index
// CHECK-NEXT:        vyre.store %5, %tile[%6] : i32, !vyre.buffer<6xi32, read_write, private>
// CHECK:           scf.for %lane = %7 to %8 step %9 {
// CHECK:             scf.for %lane_1 = %10 to %11 step %12 {
// CHECK-NEXT:          %i = arith.addi %first, %lane_1 : index
// CHECK-NEXT:          %i_1 = arith.addi %first_1, %lane : index
// CHECK-NEXT:          %value = vyre.load %tile[%lane_1]
vyre.program @copies {
  %x = vyre.buffer @x : !vyre.buffer<?xi32, read_only>
  %y = vyre.buffer @y live_out : !vyre.buffer<24xi32, read_write>
  %tile = vyre.buffer @tile : !vyre.buffer<6xi32, read_write, workgroup>
  vyre.region "copies" invocations [6, 4] workgroup_size [3, 2] {
    %column = vyre.local_id x
    %row = vyre.invocation_id y
    %group = vyre.workgroup_id x
    %zero = arith.constant 0 : index
    %six = arith.constant 6 : index
    %token = vyre.async_copy %x[%group], %tile[%zero], %six : !vyre.buffer<?xi32, read_only>, !vyre.buffer<6xi32, read_write, workgroup>
    vyre.async_wait %token
    %value = vyre.load %tile[%column] : !vyre.buffer<6xi32, read_write, workgroup> -> i32
    %line = arith.muli %row, %six : index
    %column_of_all = vyre.invocation_id x
    %place = arith.addi %line, %column_of_all : index
    vyre.store %value, %y[%place] : i32, !vyre.buffer<24xi32, read_write>
  }
}

// -----

// A tile that two arms use stays the other one's.
// CHECK-LABEL: @two_arms
// CHECK:         %tile = vyre.buffer @tile : !vyre.buffer<8xi32, read_write, workgroup>
// CHECK-NEXT:    %tile_1 = vyre.buffer @tile_1 : !vyre.buffer<8xi32, read_write, private>
// CHECK-NEXT:    vyre.region "small" invocations [8] workgroup_size [1] {
// CHECK:             vyre.store %one, %tile_1[%lane]
// CHECK:         vyre.region "large" invocations [512] workgroup_size [512] attributes {vyre.no_work_item_loops = {reason = "too-many"
// CHECK:           vyre.store %one_1, %tile[%lane_1]
vyre.program @two_arms {
  %y = vyre.buffer @y live_out : !vyre.buffer<64xi32, read_write>
  %tile = vyre.buffer @tile : !vyre.buffer<8xi32, read_write, workgroup>
  vyre.region "small" invocations [64] workgroup_size [8] {
    %lane = vyre.local_id x
    %one = arith.constant 1 : i32
    vyre.store %one, %tile[%lane] : i32, !vyre.buffer<8xi32, read_write, workgroup>
  }
  vyre.region "large" invocations [512] workgroup_size [512] {
    %lane = vyre.local_id x
    %one = arith.constant 1 : i32
    vyre.store %one, %tile[%lane] : i32, !vyre.buffer<8xi32, read_write, workgroup>
  }
}

// -----

// A loop that decides whether there is a barrier is the workgroup's, too.
// CHECK-LABEL: @decides
// CHECK:           %count = scf.for %k = %zero to %group step %one iter_args(%before = %one) -> (index) {
// CHECK-NEXT:        %after = arith.addi %before, %before : index
// CHECK:             scf.for %lane =
// CHECK:               vyre.store %none, %out[%i]
// CHECK:             scf.yield %after : index
// CHECK:           %some = arith.cmpi sgt, %count, %one : index
// CHECK-NEXT:      scf.if %some {
// CHECK:             scf.for %lane_1 =
vyre.program @decides {
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "decides" invocations [64] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %none = arith.constant 0 : i32
    %one_word = arith.constant 1 : i32
    %end = vyre.workgroup_id x
    %count = scf.for %k = %zero to %end step %one iter_args(%before = %one) -> (index) {
      vyre.store %none, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
      %after = arith.addi %before, %before : index
      scf.yield %after : index
    }
    %some = arith.cmpi sgt, %count, %one : index
    scf.if %some {
      vyre.barrier
      vyre.store %one_word, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
    }
  }
}
