// RUN: xdsl-opt %s --split-input-file -p 'vyre-decode-scan-fuse{annotate=true}' | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'vyre-decode-scan-fuse{strategy=private annotate=true}' | filecheck %s --check-prefix PRIVATE
// Fusing twice is fusing once.
// RUN: xdsl-opt %s --split-input-file -p 'vyre-decode-scan-fuse{annotate=true},vyre-decode-scan-fuse{annotate=true}' | filecheck %s

// A producer that reverses the bytes of each of its workgroups keeps these; its consumer runs as
// many invocations per workgroup as it takes to read what was written.

// CHECK-LABEL: vyre.program @reversed
// CHECK:         %bytes = vyre.buffer @bytes : !vyre.buffer<16xi8, read_write, workgroup>
// CHECK:         vyre.region "decode+scan" invocations [%{{.*}}] workgroup_size [16] {
// CHECK:           %lane_1 = vyre.local_id x
// CHECK:           vyre.store %{{.*}}, %bytes[%{{.*}}] in_bounds
// CHECK:           vyre.barrier
// CHECK:           arith.constant 8 : index
// CHECK:           arith.cmpi slt, %lane
// CHECK:           vyre.load %bytes[%{{.*}}] in_bounds : {{.*}} -> vector<2xi8>

// An invocation does not read what it wrote itself.

// PRIVATE-LABEL: vyre.program @reversed
// PRIVATE: @bytes {{.*}}reason = "cooperative-producer"
vyre.program @reversed {
  %bytes = vyre.buffer @bytes : !vyre.buffer<64xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, write_only>
  vyre.region "decode" invocations [64] workgroup_size [16] {
    %lane = vyre.local_id x
    %sixteen = arith.constant 16 : index
    %last = arith.constant 15 : index
    %group = vyre.workgroup_id x
    %base = arith.muli %group, %sixteen : index
    %back = arith.subi %last, %lane : index
    %at = arith.addi %base, %back : index
    %byte = arith.constant 7 : i8
    vyre.store %byte, %bytes[%at] : i8, !vyre.buffer<64xi8, read_write>
  }
  vyre.region "scan" invocations [32] {
    %i = vyre.invocation_id x
    %two = arith.constant 2 : index
    %at = arith.muli %i, %two : index
    %pair = vyre.load %bytes[%at] : !vyre.buffer<64xi8, read_write> -> vector<2xi8>
    vyre.store %pair, %out[%at] : vector<2xi8>, !vyre.buffer<64xi8, write_only>
  }
}

// -----

// What an invocation reads is what it wrote itself: it stays in its own values. The consumer may
// have fewer invocations than whole workgroups.

// CHECK-LABEL: vyre.program @own_values
// CHECK:         %values = vyre.buffer @values : !vyre.buffer<4xi32, read_write, private>
// CHECK:         vyre.region "decode+scan" invocations [%{{.*}}] workgroup_size [16] {
// CHECK:           vyre.barrier
// CHECK:           vyre.store %{{.*}}, %values[%{{.*}}] in_bounds
// CHECK:           scf.if
// CHECK:             vyre.load %values[%{{.*}}] in_bounds
vyre.program @own_values {
  %shared = vyre.buffer @shared : !vyre.buffer<16xi32, read_write, workgroup>
  %values = vyre.buffer @values : !vyre.buffer<128xi32, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<100xi32, write_only>
  vyre.region "decode" invocations [32] workgroup_size [16] {
    %i = vyre.invocation_id x
    %lane = vyre.local_id x
    %word = arith.constant 7 : i32
    vyre.store %word, %shared[%lane] : i32, !vyre.buffer<16xi32, read_write, workgroup>
    vyre.barrier
    %last = arith.constant 15 : index
    %back = arith.subi %last, %lane : index
    %other = vyre.load %shared[%back] : !vyre.buffer<16xi32, read_write, workgroup> -> i32
    %four = arith.constant 4 : index
    %at = arith.muli %i, %four : index
    %others = vector.broadcast %other : i32 to vector<4xi32>
    vyre.store %others, %values[%at] : vector<4xi32>, !vyre.buffer<128xi32, read_write>
  }
  vyre.region "scan" invocations [25] {
    %i = vyre.invocation_id x
    %four = arith.constant 4 : index
    %at = arith.muli %i, %four : index
    %quad = vyre.load %values[%at] : !vyre.buffer<128xi32, read_write> -> vector<4xi32>
    vyre.store %quad, %out[%at] : vector<4xi32>, !vyre.buffer<100xi32, write_only>
  }
}

// -----

// A cooperative consumer comes with workgroups of its own, which must be those of the producer.

// CHECK-LABEL: vyre.program @other_workgroups
// CHECK: @values {{.*}}reason = "cooperative-producer", detail = "'decode' has workgroups of its own, other than the 32 of the tiles"
vyre.program @other_workgroups {
  %values = vyre.buffer @values : !vyre.buffer<64xi32, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, write_only>
  vyre.region "decode" invocations [64] workgroup_size [16] {
    %i = vyre.invocation_id x
    %word = arith.constant 7 : i32
    vyre.store %word, %values[%i] : i32, !vyre.buffer<64xi32, read_write>
    vyre.barrier
  }
  vyre.region "scan" invocations [64] workgroup_size [32] {
    %i = vyre.invocation_id x
    %word = vyre.load %values[%i] : !vyre.buffer<64xi32, read_write> -> i32
    vyre.store %word, %out[%i] : i32, !vyre.buffer<64xi32, write_only>
    vyre.barrier
  }
}

// -----

// Two arms that work in the same workgroup memory are ordered, though values are handed on.

// CHECK-LABEL: vyre.program @shared_memory
// CHECK: vyre.region "decode+scan"
// CHECK: vyre.barrier
// CHECK: vyre.load %shared
// CHECK: vyre.barrier
// CHECK: vyre.barrier
vyre.program @shared_memory {
  %shared = vyre.buffer @shared : !vyre.buffer<16xi32, read_write, workgroup>
  %values = vyre.buffer @values : !vyre.buffer<32xi32, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<32xi32, write_only>
  vyre.region "decode" invocations [32] workgroup_size [16] {
    %i = vyre.invocation_id x
    %lane = vyre.local_id x
    %w = arith.index_cast %i : index to i32
    vyre.store %w, %shared[%lane] : i32, !vyre.buffer<16xi32, read_write, workgroup>
    vyre.barrier
    %last = arith.constant 15 : index
    %back = arith.subi %last, %lane : index
    %other = vyre.load %shared[%back] : !vyre.buffer<16xi32, read_write, workgroup> -> i32
    vyre.store %other, %values[%i] : i32, !vyre.buffer<32xi32, read_write>
  }
  vyre.region "scan" invocations [32] workgroup_size [16] {
    %i = vyre.invocation_id x
    %lane = vyre.local_id x
    %v = vyre.load %values[%i] : !vyre.buffer<32xi32, read_write> -> i32
    vyre.store %v, %shared[%lane] : i32, !vyre.buffer<16xi32, read_write, workgroup>
    vyre.barrier
    %last = arith.constant 15 : index
    %back = arith.subi %last, %lane : index
    %other = vyre.load %shared[%back] : !vyre.buffer<16xi32, read_write, workgroup> -> i32
    vyre.store %other, %out[%i] : i32, !vyre.buffer<32xi32, write_only>
  }
}
