// RUN: xdsl-opt %s --split-input-file -p vyre-pipeline-loops,canonicalize | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p vyre-pipeline-loops,canonicalize,vyre-pipeline-loops,canonicalize | filecheck %s

// What is loaded and computed for an iteration comes before the updates of the one in front of it; of the vector,
// not of its lanes, there is one more. What the updates carry goes on through the last of them.
// CHECK-LABEL: vyre.kernel @count
// CHECK:         scf.for %cell
// CHECK-NOT:     vyre.pipelined
// CHECK:         %runs = arith.cmpi slt, %i, %n : index
// CHECK-NEXT:    %total = scf.if %runs -> (i32) {
// CHECK-NEXT:      [[FIRST:%\S+]] = vyre.load %in[%i]
// CHECK-NEXT:      [[DECODED:%\S+]] = arith.xori [[FIRST]], %key
// CHECK-NEXT:      [[SECOND:%\S+]] = arith.addi %i, %c4 : index
// CHECK-NEXT:      [[BOTH:%\S+]], [[LAST:%\S+]] = scf.for %k = [[SECOND]] to %n step %c4 iter_args(%sum = %zero, [[BEFORE:%\S+]] = [[DECODED]]) -> (i32, vector<2xi32>) {
// CHECK-NEXT:        [[LOADED:%\S+]] = vyre.load %in[%k]
// CHECK-NEXT:        [[AHEAD:%\S+]] = arith.xori [[LOADED]], %key
// CHECK-NEXT:        vector.extract [[BEFORE]][0]
// CHECK:             vyre.store %{{.*}}, %bins
// CHECK:             vector.extract [[BEFORE]][1]
// CHECK:             vyre.store %{{.*}}, %bins
// CHECK-NEXT:        [[NEXT:%\S+]] = arith.addi %sum,
// CHECK-NEXT:        scf.yield [[NEXT]], [[AHEAD]] : i32, vector<2xi32>
// CHECK-NEXT:      } {vyre.interior, vyre.pipelined}
// CHECK-NEXT:      vector.extract [[LAST]][0]
// CHECK:           vyre.store %{{.*}}, %bins
// CHECK:           vyre.store %{{.*}}, %bins
// CHECK-NEXT:      [[TOTAL:%\S+]] = arith.addi [[BOTH]],
// CHECK-NEXT:      scf.yield [[TOTAL]] : i32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %zero : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    vyre.store %total, %out
vyre.kernel @count(%in: !vyre.buffer<64xi32, read_only>, %out: !vyre.buffer<8xi32, read_write>) workgroup_size [1] generator "count" {
  %bins = vyre.buffer @bins : !vyre.buffer<8xi32, read_write, private>
  %i = vyre.invocation_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %n = arith.constant 60 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %low = arith.constant 7 : i32
  %key = arith.constant dense<5> : vector<2xi32>
  scf.for %cell = %c0 to %c8 step %c1 {
    vyre.store %zero, %bins[%cell] in_bounds : i32, !vyre.buffer<8xi32, read_write, private>
  }
  %total = scf.for %k = %i to %n step %c4 iter_args(%sum = %zero) -> (i32) {
    %loaded = vyre.load %in[%k] : !vyre.buffer<64xi32, read_only> -> vector<2xi32>
    %decoded = arith.xori %loaded, %key : vector<2xi32>
    %word0 = vector.extract %decoded[0] : i32 from vector<2xi32>
    %masked0 = arith.andi %word0, %low : i32
    %bin0 = arith.index_cast %masked0 : i32 to index
    %before0 = vyre.load %bins[%bin0] in_bounds : !vyre.buffer<8xi32, read_write, private> -> i32
    %after0 = arith.addi %before0, %one : i32
    vyre.store %after0, %bins[%bin0] in_bounds : i32, !vyre.buffer<8xi32, read_write, private>
    %word1 = vector.extract %decoded[1] : i32 from vector<2xi32>
    %masked1 = arith.andi %word1, %low : i32
    %bin1 = arith.index_cast %masked1 : i32 to index
    %before1 = vyre.load %bins[%bin1] in_bounds : !vyre.buffer<8xi32, read_write, private> -> i32
    %after1 = arith.addi %before1, %one : i32
    vyre.store %after1, %bins[%bin1] in_bounds : i32, !vyre.buffer<8xi32, read_write, private>
    %next = arith.addi %sum, %after1 : i32
    scf.yield %next : i32
  } {vyre.interior}
  vyre.store %total, %out[%c0] : i32, !vyre.buffer<8xi32, read_write>
  %some = vyre.load %bins[%c1] in_bounds : !vyre.buffer<8xi32, read_write, private> -> i32
  vyre.store %some, %out[%c1] : i32, !vyre.buffer<8xi32, read_write>
}

// -----

// A place that is loaded alone, a state that goes from iteration to iteration by what takes long, a loop inside, few
// iterations or those of the tail, memory that is new in each iteration or shared: none of them gains by it.
// CHECK-LABEL: vyre.kernel @none
// CHECK-NOT:     vyre.pipelined
vyre.kernel @none(%in: !vyre.buffer<64xi32, read_only>, %out: !vyre.buffer<8xi32, read_write>) workgroup_size [1] generator "none" {
  %bins = vyre.buffer @bins : !vyre.buffer<8xi32, read_write, private>
  %new = vyre.buffer @new : !vyre.buffer<8xi32, read_write, private>
  %i = vyre.invocation_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 60 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %few = arith.constant 7 : index
  vyre.store %zero, %bins[%i] : i32, !vyre.buffer<8xi32, read_write, private>
  scf.for %k = %i to %n step %c1 {
    %loaded = vyre.load %in[%k] : !vyre.buffer<64xi32, read_only> -> i32
    %place = arith.index_cast %loaded : i32 to index
    %before = vyre.load %bins[%place] : !vyre.buffer<8xi32, read_write, private> -> i32
    %after = arith.addi %before, %one : i32
    vyre.store %after, %bins[%place] : i32, !vyre.buffer<8xi32, read_write, private>
  }
  %last = scf.for %k = %i to %n step %c1 iter_args(%state = %one) -> (i32) {
    %loaded = vyre.load %in[%k] : !vyre.buffer<64xi32, read_only> -> i32
    %next = arith.muli %loaded, %state : i32
    %place = arith.index_cast %next : i32 to index
    %before = vyre.load %bins[%place] : !vyre.buffer<8xi32, read_write, private> -> i32
    %after = arith.addi %before, %next : i32
    vyre.store %after, %bins[%place] : i32, !vyre.buffer<8xi32, read_write, private>
    scf.yield %next : i32
  }
  scf.for %k = %i to %n step %c1 {
    %loaded = vyre.load %in[%k] : !vyre.buffer<64xi32, read_only> -> i32
    %value = arith.xori %loaded, %last : i32
    scf.for %j = %c0 to %k step %c1 {
      %before = vyre.load %bins[%j] : !vyre.buffer<8xi32, read_write, private> -> i32
      %after = arith.addi %before, %value : i32
      vyre.store %after, %bins[%j] : i32, !vyre.buffer<8xi32, read_write, private>
    }
  }
  scf.for %k = %i to %n step %c1 {
    %loaded = vyre.load %in[%k] : !vyre.buffer<64xi32, read_only> -> i32
    %value = arith.xori %loaded, %one : i32
    %before = vyre.load %bins[%c1] : !vyre.buffer<8xi32, read_write, private> -> i32
    %after = arith.addi %before, %value : i32
    vyre.store %after, %bins[%c1] : i32, !vyre.buffer<8xi32, read_write, private>
  } {vyre.tail}
  scf.for %k = %c0 to %few step %c1 {
    %loaded = vyre.load %in[%k] : !vyre.buffer<64xi32, read_only> -> i32
    %value = arith.xori %loaded, %one : i32
    %place = arith.index_cast %value : i32 to index
    %before = vyre.load %bins[%place] : !vyre.buffer<8xi32, read_write, private> -> i32
    %after = arith.addi %before, %one : i32
    vyre.store %after, %bins[%place] : i32, !vyre.buffer<8xi32, read_write, private>
  }
  scf.for %k = %i to %n step %c1 {
    %loaded = vyre.load %in[%k] : !vyre.buffer<64xi32, read_only> -> i32
    %value = arith.xori %loaded, %one : i32
    vyre.store %value, %new[%k] : i32, !vyre.buffer<8xi32, read_write, private>
    %again = vyre.load %new[%c1] : !vyre.buffer<8xi32, read_write, private> -> i32
    vyre.store %again, %out[%c1] : i32, !vyre.buffer<8xi32, read_write>
  } {vyre.each_item}
  %some = vyre.load %bins[%c1] : !vyre.buffer<8xi32, read_write, private> -> i32
  vyre.store %some, %out[%c0] : i32, !vyre.buffer<8xi32, read_write>
}

// -----

// What is loaded from memory that the updates change is loaded behind them.
// CHECK-LABEL: vyre.kernel @own_memory
// CHECK:           scf.for
// CHECK-NEXT:        [[LOADED:%\S+]] = vyre.load %in
// CHECK-NEXT:        [[AHEAD:%\S+]] = arith.xori [[LOADED]]
// CHECK-NEXT:        vyre.load %out
// CHECK:             scf.yield [[AHEAD]]
// CHECK:           } {vyre.pipelined}
vyre.kernel @own_memory(%in: !vyre.buffer<64xi32, read_only>, %out: !vyre.buffer<8xi32, read_write>) workgroup_size [1] generator "own_memory" {
  %bins = vyre.buffer @bins : !vyre.buffer<8xi32, read_write, private>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 60 : index
  %one = arith.constant 1 : i32
  vyre.store %one, %bins[%c0] : i32, !vyre.buffer<8xi32, read_write, private>
  scf.for %k = %c0 to %n step %c1 {
    %loaded = vyre.load %in[%k] : !vyre.buffer<64xi32, read_only> -> i32
    %value = arith.xori %loaded, %one : i32
    %factor = vyre.load %out[%c0] : !vyre.buffer<8xi32, read_write> -> i32
    %product = arith.muli %value, %factor : i32
    %before = vyre.load %bins[%c0] : !vyre.buffer<8xi32, read_write, private> -> i32
    %after = arith.addi %before, %product : i32
    vyre.store %after, %bins[%c0] : i32, !vyre.buffer<8xi32, read_write, private>
    vyre.store %after, %out[%c0] : i32, !vyre.buffer<8xi32, read_write>
  }
  %some = vyre.load %bins[%c0] : !vyre.buffer<8xi32, read_write, private> -> i32
  vyre.store %some, %out[%c1] : i32, !vyre.buffer<8xi32, read_write>
}

// -----

// Behind the last number that there is, nothing is computed: where counters would wrap around, and where
// invocations meet, a loop stays as it is.
// CHECK-LABEL: vyre.kernel @unknown
// CHECK-NOT:     vyre.pipelined
vyre.kernel @unknown(%in: !vyre.buffer<64xi32, read_only>, %bounds: !vyre.buffer<2xi64, read_only>, %out: !vyre.buffer<8xi32, read_write>) workgroup_size [1] generator "unknown" {
  %bins = vyre.buffer @bins : !vyre.buffer<8xi32, read_write, private>
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant 60 : index
  %one = arith.constant 1 : i32
  %bound = vyre.load %bounds[%c0] : !vyre.buffer<2xi64, read_only> -> i64
  %any = arith.index_cast %bound : i64 to index
  vyre.store %one, %bins[%c0] : i32, !vyre.buffer<8xi32, read_write, private>
  scf.for %k = %c0 to %any step %c2 {
    %loaded = vyre.load %in[%k] : !vyre.buffer<64xi32, read_only> -> i32
    %value = arith.xori %loaded, %one : i32
    %before = vyre.load %bins[%c0] : !vyre.buffer<8xi32, read_write, private> -> i32
    %after = arith.addi %before, %value : i32
    vyre.store %after, %bins[%c0] : i32, !vyre.buffer<8xi32, read_write, private>
  }
  scf.for %k = %c0 to %n step %c2 {
    %loaded = vyre.load %in[%k] : !vyre.buffer<64xi32, read_only> -> i32
    %value = arith.xori %loaded, %one : i32
    vyre.barrier
    %before = vyre.load %bins[%c0] : !vyre.buffer<8xi32, read_write, private> -> i32
    %after = arith.addi %before, %value : i32
    vyre.store %after, %bins[%c0] : i32, !vyre.buffer<8xi32, read_write, private>
  }
  %some = vyre.load %bins[%c0] : !vyre.buffer<8xi32, read_write, private> -> i32
  vyre.store %some, %out[%c0] : i32, !vyre.buffer<8xi32, read_write>
}

// -----

// What an iteration reads it has stored itself, though others touch the buffer, too: nothing waits for an update.
// CHECK-LABEL: vyre.kernel @own
// CHECK-NOT:     vyre.pipelined
vyre.kernel @own(%in: !vyre.buffer<64xi32, read_only>, %out: !vyre.buffer<1xi32, read_write>) workgroup_size [1] generator "own" {
  %item = vyre.buffer @item : !vyre.buffer<2xi32, read_write, private>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 60 : index
  %key = arith.constant 9 : i32
  vyre.store %key, %item[%c0] in_bounds : i32, !vyre.buffer<2xi32, read_write, private>
  %start = vyre.load %item[%c0] in_bounds : !vyre.buffer<2xi32, read_write, private> -> i32
  %total = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %start) -> (i32) {
    %loaded = vyre.load %in[%k] in_bounds : !vyre.buffer<64xi32, read_only> -> i32
    %decoded = arith.xori %loaded, %key : i32
    vyre.store %decoded, %item[%c0] in_bounds : i32, !vyre.buffer<2xi32, read_write, private>
    %again = vyre.load %item[%c0] in_bounds : !vyre.buffer<2xi32, read_write, private> -> i32
    %next = arith.addi %sum, %again : i32
    scf.yield %next : i32
  }
  vyre.store %total, %out[%c0] in_bounds : i32, !vyre.buffer<1xi32, read_write>
}

// -----

// What is summed up of what is computed ahead is summed up ahead, too.
// CHECK-LABEL: vyre.kernel @counted
// CHECK:         %[[SUMS:.*]] = scf.if %runs -> (i32) {
// CHECK-NEXT:      %[[FIRST:.*]] = vyre.load %in[%i]
// CHECK-NEXT:      %[[VALUE:.*]] = arith.xori %[[FIRST]], %key : i32
// CHECK-NEXT:      %[[SECOND:.*]] = arith.addi %i, %c1 : index
// CHECK-NEXT:      %[[SUM:.*]], %[[LAST:.*]] = scf.for %k = %[[SECOND]] to %n step %c1 iter_args(%sum = %[[VALUE]], %[[AHEAD:.*]] = %[[VALUE]]) -> (i32, i32) {
// CHECK-NEXT:        %[[LOADED:.*]] = vyre.load %in[%k]
// CHECK-NEXT:        %[[NEXT:.*]] = arith.xori %[[LOADED]], %key : i32
// CHECK-NEXT:        %[[MORE:.*]] = arith.addi %sum, %[[NEXT]] : i32
// CHECK-NEXT:        arith.index_cast %[[AHEAD]] : i32 to index
// CHECK:             scf.yield %[[MORE]], %[[NEXT]] : i32, i32
// CHECK-NEXT:      } {vyre.pipelined}
// CHECK-NEXT:      arith.index_cast %[[LAST]] : i32 to index
// CHECK:           scf.yield %[[SUM]] : i32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %zero : i32
vyre.kernel @counted(%in: !vyre.buffer<64xi32, read_only>, %out: !vyre.buffer<8xi32, read_write>) workgroup_size [1] generator "counted" {
  %bins = vyre.buffer @bins : !vyre.buffer<8xi32, read_write, private>
  %i = vyre.invocation_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 60 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %key = arith.constant 5 : i32
  vyre.store %zero, %bins[%i] : i32, !vyre.buffer<8xi32, read_write, private>
  %total = scf.for %k = %i to %n step %c1 iter_args(%sum = %zero) -> (i32) {
    %loaded = vyre.load %in[%k] : !vyre.buffer<64xi32, read_only> -> i32
    %value = arith.xori %loaded, %key : i32
    %more = arith.addi %sum, %value : i32
    %place = arith.index_cast %value : i32 to index
    %before = vyre.load %bins[%place] : !vyre.buffer<8xi32, read_write, private> -> i32
    %after = arith.addi %before, %one : i32
    vyre.store %after, %bins[%place] : i32, !vyre.buffer<8xi32, read_write, private>
    scf.yield %more : i32
  }
  %some = vyre.load %bins[%c1] : !vyre.buffer<8xi32, read_write, private> -> i32
  vyre.store %some, %out[%c0] : i32, !vyre.buffer<8xi32, read_write>
  vyre.store %total, %out[%c1] : i32, !vyre.buffer<8xi32, read_write>
}
