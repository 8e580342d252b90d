// RUN: xdsl-opt %s --split-input-file -p 'vyre-vectorize{lanes=16 lanes_of_bytes=64}' | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'vyre-vectorize{lanes=16 lanes_of_bytes=64},vyre-vectorize{lanes=16 lanes_of_bytes=64}' -o %t && xdsl-opt %s --split-input-file -p 'vyre-vectorize{lanes=16 lanes_of_bytes=64}' | diff - %t

// Arms that compute with bytes alone have 64 lanes; counting is not computing.
// CHECK-LABEL: vyre.program @bytes
// CHECK:         vyre.region "decode" {{.*}}attributes {vyre.lanes = 64 : i64}
// CHECK:           arith.xori %{{.*}}, %{{.*}} : vector<64xi8>
// CHECK:         vyre.region "scan" {{.*}}attributes {vyre.lanes = 64 : i64}
// CHECK:           vyre.compare_lanes eq %{{.*}}, %{{.*}} : vector<64xi8> -> vector<64xi1>
vyre.program @bytes {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %plain = vyre.buffer @plain[%n] : !vyre.buffer<?xi8, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "decode" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %key = arith.constant 32 : i8
    %result = arith.xori %byte, %key : i8
    vyre.store %result, %plain[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %byte = vyre.load %plain[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %wanted = arith.constant 10 : i8
    %is = arith.cmpi eq, %byte, %wanted : i8
    %one = arith.extui %is : i1 to i32
    %old = vyre.atomic_rmw addi %one, %count[%c0] : i32, !vyre.buffer<1xi32, read_write>
  }
}

// -----

// One that computes with words has 16, and so has what takes from it once; what takes neighbours,
// too, has 64 all the same.
// CHECK-LABEL: vyre.program @words
// CHECK:         vyre.region "decode" {{.*}}attributes {vyre.lanes = 16 : i64}
// CHECK:         vyre.region "scan" {{.*}}attributes {vyre.lanes = 16 : i64}
// CHECK:         vyre.region "neighbours" {{.*}}attributes {vyre.lanes = 64 : i64}
vyre.program @words {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %plain = vyre.buffer @plain[%n] : !vyre.buffer<?xi8, read_write>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, read_write>
  %sums = vyre.buffer @sums[%n] live_out : !vyre.buffer<?xi8, read_write>
  vyre.region "decode" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %word = arith.extui %byte : i8 to i32
    %square = arith.muli %word, %word : i32
    %result = arith.trunci %square : i32 to i8
    vyre.store %result, %plain[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %plain[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %key = arith.constant 1 : i8
    %sum = arith.addi %byte, %key : i8
    vyre.store %sum, %out[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "neighbours" invocations [%n] {
    %i = vyre.invocation_id x
    %c1 = arith.constant 1 : index
    %after = arith.addi %i, %c1 : index
    %byte = vyre.load %plain[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %next = vyre.load %plain[%after] : !vyre.buffer<?xi8, read_write> -> i8
    %sum = arith.addi %byte, %next : i8
    vyre.store %sum, %sums[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
}

// -----

// What looks up lane by lane, and what takes from it: as many lanes as others have.
// CHECK-LABEL: vyre.program @looked_up
// CHECK:         vyre.region "decode" {{.*}}attributes {vyre.lanes = 16 : i64}
// CHECK:         vyre.region "scan" {{.*}}attributes {vyre.lanes = 16 : i64}
vyre.program @looked_up {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %table = vyre.buffer @table : !vyre.buffer<256xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %plain = vyre.buffer @plain[%n] : !vyre.buffer<?xi8, read_write>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, read_write>
  vyre.region "decode" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %key = arith.constant 3 : i8
    %a = arith.xori %byte, %key : i8
    %b = arith.addi %a, %byte : i8
    %c = arith.muli %b, %byte : i8
    %w = arith.extui %c : i8 to i32
    %place = arith.index_cast %w : i32 to index
    %found = vyre.load %table[%place] : !vyre.buffer<256xi8, read_only> -> i8
    %d = arith.xori %found, %a : i8
    %e = arith.subi %d, %b : i8
    vyre.store %e, %plain[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %plain[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %key = arith.constant 1 : i8
    %sum = arith.addi %byte, %key : i8
    vyre.store %sum, %out[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
}

// -----

// Invocations that are too few for 64 lanes may be enough for 16.
// CHECK-LABEL: vyre.program @few
// CHECK:         vyre.region "few" invocations [2] attributes {vyre.lanes = 16 : i64}
vyre.program @few {
  %text = vyre.buffer @text : !vyre.buffer<32xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<32xi8, read_write>
  vyre.region "few" invocations [32] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<32xi8, read_only> -> i8
    %key = arith.constant 32 : i8
    %result = arith.xori %byte, %key : i8
    vyre.store %result, %out[%i] : i8, !vyre.buffer<32xi8, read_write>
  }
}
