// RUN: xdsl-opt %s --split-input-file -p vyre-narrow-sums | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p vyre-narrow-sums,vyre-narrow-sums -o %t && xdsl-opt %s --split-input-file -p vyre-narrow-sums | diff - %t

// At most 1 a lane fits into a byte 255 times; the loop carries the rest as it was.
// CHECK-LABEL: vyre.kernel @ones
// CHECK:         %first, %count = scf.for %begin = %c0 to %n step %{{.*}} iter_args(%least = %most, %ones = %zeros) -> (i32, vector<16xi32>) {
// CHECK-NEXT:      %[[LEFT:.*]] = arith.subi %n, %begin : index
// CHECK-NEXT:      %[[SPAN:.*]] = arith.constant 255 : index
// CHECK-NEXT:      %[[MOST:.*]] = arith.minsi %[[LEFT]], %[[SPAN]] : index
// CHECK-NEXT:      %end = arith.addi %begin, %[[MOST]] : index
// CHECK-NEXT:      %[[FEW:.*]] = arith.constant dense<0> : vector<16xi8>
// CHECK-NEXT:      %[[R:.*]], %few = scf.for %k = %begin to %end step %c1 iter_args(%least_1 = %least, %ones_1 = %[[FEW]]) -> (i32, vector<16xi8>) {
// CHECK:             %[[TERM:.*]] = vyre.convert_lanes extui %is : vector<16xi1> to vector<16xi8>
// CHECK-NEXT:        %[[SUM:.*]] = arith.addi %ones_1, %[[TERM]] : vector<16xi8>
// CHECK-NEXT:        scf.yield %{{.*}}, %[[SUM]] : i32, vector<16xi8>
// CHECK-NEXT:      } {vyre.unroll = 4 : i64}
// CHECK-NEXT:      %[[WIDE:.*]] = vyre.convert_lanes extui %few : vector<16xi8> to vector<16xi32>
// CHECK-NEXT:      %[[ALL:.*]] = arith.addi %ones, %[[WIDE]] : vector<16xi32>
// CHECK-NEXT:      scf.yield %[[R]], %[[ALL]] : i32, vector<16xi32>
// CHECK-NEXT:    }
vyre.kernel @ones(%text: !vyre.buffer<4096xi8, read_only>, %size: index, %out: !vyre.buffer<17xi32, read_write>) workgroup_size [1] generator "ones" {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c65536 = arith.constant 65536 : index
  %n = arith.minsi %size, %c65536 : index
  %most = arith.constant -1 : i32
  %zeros = arith.constant dense<0> : vector<16xi32>
  %unit = arith.constant dense<1> : vector<16xi32>
  %wanted = arith.constant dense<10> : vector<16xi8>
  %first, %count = scf.for %k = %c0 to %n step %c1 iter_args(%least = %most, %ones = %zeros) -> (i32, vector<16xi32>) {
    %at = arith.muli %k, %c16 : index
    %bytes = vyre.load %text[%at] : !vyre.buffer<4096xi8, read_only> -> vector<16xi8>
    %is = vyre.compare_lanes eq %bytes, %wanted : vector<16xi8> -> vector<16xi1>
    %one = vyre.select_lanes %is, %unit, %zeros : vector<16xi1>, vector<16xi32>
    %sum = arith.addi %ones, %one : vector<16xi32>
    %place = arith.index_cast %k : index to i32
    %less = arith.minui %least, %place : i32
    scf.yield %less, %sum : i32, vector<16xi32>
  } {vyre.unroll = 4 : i64}
  vyre.store %count, %out[%c0] : vector<16xi32>, !vyre.buffer<17xi32, read_write>
  vyre.store %first, %out[%c16] : i32, !vyre.buffer<17xi32, read_write>
}

// -----

// Bytes are summed up in 16 bits: 60 times, which is all that there are. So stays one loop.
// CHECK-LABEL: vyre.kernel @bytes
// CHECK:         %few = scf.for %k = %c0 to %c60 step %c1 iter_args(%total = %{{.*}}) -> (vector<16xi16>) {
// CHECK:           vyre.convert_lanes extui %more : vector<16xi8> to vector<16xi16>
// CHECK:           vyre.convert_lanes extui %bytes : vector<16xi8> to vector<16xi16>
// CHECK:         }
// CHECK-NEXT:    vyre.convert_lanes extui %few : vector<16xi16> to vector<16xi64>
// CHECK-NEXT:    %sum = arith.addi
vyre.kernel @bytes(%text: !vyre.buffer<4096xi8, read_only>, %out: !vyre.buffer<16xi64, read_write>) workgroup_size [1] generator "bytes" {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c60 = arith.constant 60 : index
  %zeros = arith.constant dense<0> : vector<16xi64>
  %sum = scf.for %k = %c0 to %c60 step %c1 iter_args(%total = %zeros) -> (vector<16xi64>) {
    %bytes = vyre.load %text[%k] : !vyre.buffer<4096xi8, read_only> -> vector<16xi8>
    %more = arith.xori %bytes, %bytes : vector<16xi8>
    %wide = vyre.convert_lanes extui %bytes : vector<16xi8> to vector<16xi64>
    %wider = vyre.convert_lanes extui %more : vector<16xi8> to vector<16xi64>
    %both = arith.addi %wide, %wider : vector<16xi64>
    %next = arith.addi %both, %total : vector<16xi64>
    scf.yield %next : vector<16xi64>
  }
  vyre.store %sum, %out[%c0] : vector<16xi64>, !vyre.buffer<16xi64, read_write>
}

// -----

// Not: what was compared in as many bits as the sum has; numbers that may be any; what else is
// done with the sum; few iterations; a loop of any number of them in another one; counters that are no indices,
// and those that may wrap around.
// CHECK-LABEL: vyre.kernel @wide
// CHECK-NOT:     xi8>) {
// CHECK-NOT:     xi16>) {
vyre.kernel @wide(%words: !vyre.buffer<4096xi32, read_only>, %text: !vyre.buffer<4096xi8, read_only>, %size: index, %out: !vyre.buffer<80xi32, read_write>) workgroup_size [1] generator "wide" {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c48 = arith.constant 48 : index
  %c64 = arith.constant 64 : index
  %c65536 = arith.constant 65536 : index
  %n = arith.minsi %size, %c65536 : index
  %zeros = arith.constant dense<0> : vector<16xi32>
  %compared, %any, %used = scf.for %k = %c0 to %n step %c1 iter_args(%a = %zeros, %b = %zeros, %c = %zeros) -> (vector<16xi32>, vector<16xi32>, vector<16xi32>) {
    %four = vyre.load %words[%k] : !vyre.buffer<4096xi32, read_only> -> vector<16xi32>
    %bytes = vyre.load %text[%k] : !vyre.buffer<4096xi8, read_only> -> vector<16xi8>
    %is = vyre.compare_lanes eq %four, %zeros : vector<16xi32> -> vector<16xi1>
    %one = vyre.convert_lanes extui %is : vector<16xi1> to vector<16xi32>
    %a1 = arith.addi %a, %one : vector<16xi32>
    %b1 = arith.addi %b, %four : vector<16xi32>
    %byte = vyre.convert_lanes extui %bytes : vector<16xi8> to vector<16xi32>
    %c1_ = arith.addi %c, %byte : vector<16xi32>
    %c2 = arith.muli %c1_, %c : vector<16xi32>
    scf.yield %a1, %b1, %c2 : vector<16xi32>, vector<16xi32>, vector<16xi32>
  }
  %short = scf.for %k = %c0 to %c8 step %c1 iter_args(%a = %zeros) -> (vector<16xi32>) {
    %bytes = vyre.load %text[%k] : !vyre.buffer<4096xi8, read_only> -> vector<16xi8>
    %byte = vyre.convert_lanes extui %bytes : vector<16xi8> to vector<16xi32>
    %a1 = arith.addi %a, %byte : vector<16xi32>
    scf.yield %a1 : vector<16xi32>
  }
  %nested = scf.for %i = %c0 to %n step %c1 iter_args(%outer = %zeros) -> (vector<16xi32>) {
    %row = scf.for %k = %c0 to %size step %c1 iter_args(%a = %outer) -> (vector<16xi32>) {
      %bytes = vyre.load %text[%k] : !vyre.buffer<4096xi8, read_only> -> vector<16xi8>
      %byte = vyre.convert_lanes extui %bytes : vector<16xi8> to vector<16xi32>
      %a1 = arith.addi %a, %byte : vector<16xi32>
      scf.yield %a1 : vector<16xi32>
    }
    scf.yield %row : vector<16xi32>
  }
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i900 = arith.constant 900 : i32
  %none = arith.constant dense<0> : vector<16xi8>
  %counted = scf.for %k = %i0 to %i900 step %i1 iter_args(%a = %nested) -> (vector<16xi32>) : i32 {
    %bytes = vyre.load %text[%c0] : !vyre.buffer<4096xi8, read_only> -> vector<16xi8>
    %is = vyre.compare_lanes eq %bytes, %none : vector<16xi8> -> vector<16xi1>
    %one = vyre.convert_lanes extui %is : vector<16xi1> to vector<16xi32>
    %a1 = arith.addi %a, %one : vector<16xi32>
    scf.yield %a1 : vector<16xi32>
  }
  %begin = arith.constant 9223372036854774000 : index
  %end = arith.constant 9223372036854775700 : index
  %far = scf.for %k = %begin to %end step %c1 iter_args(%a = %counted) -> (vector<16xi32>) {
    %bytes = vyre.load %text[%k] : !vyre.buffer<4096xi8, read_only> -> vector<16xi8>
    %is = vyre.compare_lanes eq %bytes, %none : vector<16xi8> -> vector<16xi1>
    %one = vyre.convert_lanes extui %is : vector<16xi1> to vector<16xi32>
    %a1 = arith.addi %a, %one : vector<16xi32>
    scf.yield %a1 : vector<16xi32>
  }
  vyre.store %compared, %out[%c0] : vector<16xi32>, !vyre.buffer<80xi32, read_write>
  vyre.store %any, %out[%c16] : vector<16xi32>, !vyre.buffer<80xi32, read_write>
  vyre.store %used, %out[%c32] : vector<16xi32>, !vyre.buffer<80xi32, read_write>
  vyre.store %short, %out[%c48] : vector<16xi32>, !vyre.buffer<80xi32, read_write>
  vyre.store %far, %out[%c64] : vector<16xi32>, !vyre.buffer<80xi32, read_write>
}
