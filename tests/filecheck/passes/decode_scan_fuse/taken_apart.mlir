// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{local_memory=global}' --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{local_memory=global strategy=private annotate=true}' --split-input-file | filecheck %s --check-prefix=PRIVATE

// A scanner that loads single elements of what a decoder stores as vectors reads them from a cache: taking a register
// apart is slower. Whoever asks for private values gets them.

// CHECK-LABEL: vyre.program @elements_of_vectors
// CHECK: vyre.buffer @decoded : !vyre.buffer<8192xi8, read_write, private>
// CHECK: vyre.region "decode+histogram" {{.*}} workgroup_size [1]
// PRIVATE-LABEL: vyre.program @elements_of_vectors
// PRIVATE: vyre.buffer @decoded : !vyre.buffer<16xi8, read_write, private>
vyre.program @elements_of_vectors {
  %in = vyre.buffer @in : !vyre.buffer<65536xi8, read_only>
  %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<65536xi8, read_write>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<256xi32, read_write>
  vyre.region "decode" invocations [4096] {
    %i = vyre.invocation_id x
    %c16 = arith.constant 16 : index
    %key = arith.constant dense<7> : vector<16xi8>
    %first = arith.muli %i, %c16 : index
    %x = vyre.load %in[%first] : !vyre.buffer<65536xi8, read_only> -> vector<16xi8>
    %y = arith.xori %x, %key : vector<16xi8>
    vyre.store %y, %decoded[%first] : vector<16xi8>, !vyre.buffer<65536xi8, read_write>
  }
  vyre.region "histogram" invocations [65536] {
    %i = vyre.invocation_id x
    %x = vyre.load %decoded[%i] : !vyre.buffer<65536xi8, read_write> -> i8
    %wide = arith.extui %x : i8 to i64
    %bin = arith.index_cast %wide : i64 to index
    %one = arith.constant 1 : i32
    %old = vyre.atomic_rmw addi %one, %bins[%bin] : i32, !vyre.buffer<256xi32, read_write>
  }
}

// -----

// One that loads vectors, too, and one of what is stored element by element, have it in registers.

// CHECK-LABEL: vyre.program @vectors
// CHECK: vyre.buffer @decoded : !vyre.buffer<16xi8, read_write, private>
vyre.program @vectors {
  %in = vyre.buffer @in : !vyre.buffer<65536xi8, read_only>
  %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<65536xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<65536xi8, read_write>
  vyre.region "decode" invocations [4096] {
    %i = vyre.invocation_id x
    %c16 = arith.constant 16 : index
    %key = arith.constant dense<7> : vector<16xi8>
    %first = arith.muli %i, %c16 : index
    %x = vyre.load %in[%first] : !vyre.buffer<65536xi8, read_only> -> vector<16xi8>
    %y = arith.xori %x, %key : vector<16xi8>
    vyre.store %y, %decoded[%first] : vector<16xi8>, !vyre.buffer<65536xi8, read_write>
  }
  vyre.region "scan" invocations [4096] {
    %i = vyre.invocation_id x
    %c16 = arith.constant 16 : index
    %first = arith.muli %i, %c16 : index
    %x = vyre.load %decoded[%first] : !vyre.buffer<65536xi8, read_write> -> vector<16xi8>
    vyre.store %x, %out[%first] : vector<16xi8>, !vyre.buffer<65536xi8, read_write>
  }
}

// CHECK-LABEL: vyre.program @elements
// CHECK: vyre.buffer @decoded : !vyre.buffer<1xi8, read_write, private>
vyre.program @elements {
  %in = vyre.buffer @in : !vyre.buffer<65536xi8, read_only>
  %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<65536xi8, read_write>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<256xi32, read_write>
  vyre.region "decode" invocations [65536] {
    %i = vyre.invocation_id x
    %key = arith.constant 7 : i8
    %x = vyre.load %in[%i] : !vyre.buffer<65536xi8, read_only> -> i8
    %y = arith.xori %x, %key : i8
    vyre.store %y, %decoded[%i] : i8, !vyre.buffer<65536xi8, read_write>
  }
  vyre.region "histogram" invocations [65536] {
    %i = vyre.invocation_id x
    %x = vyre.load %decoded[%i] : !vyre.buffer<65536xi8, read_write> -> i8
    %wide = arith.extui %x : i8 to i64
    %bin = arith.index_cast %wide : i64 to index
    %one = arith.constant 1 : i32
    %old = vyre.atomic_rmw addi %one, %bins[%bin] : i32, !vyre.buffer<256xi32, read_write>
  }
}

// -----

// One that keeps its own workgroups can have no cache.

// CHECK-LABEL: vyre.program @in_workgroups
// CHECK: vyre.buffer @decoded : !vyre.buffer<1xi8, read_write, private>
vyre.program @in_workgroups workgroup_size [64] {
  %in = vyre.buffer @in : !vyre.buffer<65536xi8, read_only>
  %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<65536xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<65536xi8, read_write>
  vyre.region "decode" invocations [32768] {
    %i = vyre.invocation_id x
    %c2 = arith.constant 2 : index
    %key = arith.constant dense<7> : vector<2xi8>
    %first = arith.muli %i, %c2 : index
    %x = vyre.load %in[%first] : !vyre.buffer<65536xi8, read_only> -> vector<2xi8>
    %y = arith.xori %x, %key : vector<2xi8>
    vyre.store %y, %decoded[%first] : vector<2xi8>, !vyre.buffer<65536xi8, read_write>
  }
  vyre.region "scan" invocations [65536] {
    %i = vyre.invocation_id x
    %l = vyre.local_id x
    %x = vyre.load %decoded[%i] : !vyre.buffer<65536xi8, read_write> -> i8
    vyre.barrier
    vyre.store %x, %out[%i] : i8, !vyre.buffer<65536xi8, read_write>
  }
}
