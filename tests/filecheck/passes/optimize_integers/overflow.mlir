// RUN: xdsl-opt %s -p vyre-optimize-integers --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p vyre-optimize-integers,vyre-optimize-integers --split-input-file | filecheck %s

// Ids and lengths are far from the limits of an index, in an arm as in a kernel.

// CHECK-LABEL: vyre.region "proven"
vyre.program @proven {
  %in = vyre.buffer @in : !vyre.buffer<?xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<?xi8, read_write>
  %n = vyre.buf_len %in : !vyre.buffer<?xi8, read_only>
  vyre.region "proven" invocations [%n] {
    %i = vyre.invocation_id x
    %c4 = arith.constant 4 : index
    // CHECK: arith.addi %i, %c4 overflow<nsw,nuw> : index
    // CHECK-NEXT: arith.subi %i, %c4 overflow<nsw> : index
    // CHECK-NEXT: arith.muli %i, %c4 overflow<nsw,nuw> : index
    // CHECK-NEXT: arith.shli %i, %c4 overflow<nsw,nuw> : index
    // CHECK: arith.subi %c, %i overflow<nsw> : index
    %a = arith.addi %i, %c4 : index
    %b = arith.subi %i, %c4 : index
    %c = arith.muli %i, %c4 : index
    %d = arith.shli %i, %c4 : index
    %x = arith.subi %c, %i : index
    %zero = arith.constant 0 : i8
    vyre.store %zero, %out[%x] : i8, !vyre.buffer<?xi8, read_write>
  }
}

// -----

// A size that is passed may be any number, and a product of two ids is too large to be sure of;
// under a condition the same sum is exact. Flags that are there stay.

// CHECK-LABEL: vyre.kernel @unknown
vyre.kernel @unknown(%n: index, %out: !vyre.buffer<?xi8, read_write>, %out_len: index) workgroup_size [64] generator "unknown" {
  %i = vyre.invocation_id x
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  // CHECK: arith.addi %n, %c4 : index
  // CHECK-NEXT: arith.muli %i, %i : index
  // CHECK-NEXT: arith.shli %i, %c64 : index
  // CHECK-NEXT: arith.addi %n, %n overflow<nuw> : index
  %a = arith.addi %n, %c4 : index
  %b = arith.muli %i, %i : index
  %c = arith.shli %i, %c64 : index
  %d = arith.addi %n, %n overflow<nuw> : index
  %small = arith.cmpi slt, %n, %i : index
  scf.if %small {
    // CHECK: %e = arith.addi %n, %c4 overflow<nsw> : index
    %e = arith.addi %n, %c4 : index
    %zero = arith.constant 0 : i8
    vyre.store %zero, %out[%e] : i8, !vyre.buffer<?xi8, read_write>
  }
}

// -----

// Other integers are known as unsigned numbers; read as signed ones, only small ones are the same.

// CHECK-LABEL: vyre.kernel @integers
vyre.kernel @integers(%in: !vyre.buffer<?xi8, read_only>, %in_len: index, %out: !vyre.buffer<?xi32, read_write>, %out_len: index) workgroup_size [64] generator "integers" {
  %i = vyre.invocation_id x
  // CHECK: arith.addi %byte, %byte : i8
  // CHECK: arith.addi %wide, %wide overflow<nsw,nuw> : i32
  // CHECK-NEXT: arith.shli %wide, %c24 overflow<nuw> : i32
  %byte = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i8
  %c24 = arith.constant 24 : i32
  %sum = arith.addi %byte, %byte : i8
  %wide = arith.extui %byte : i8 to i32
  %twice = arith.addi %wide, %wide : i32
  %high = arith.shli %wide, %c24 : i32
  %x = arith.extui %sum : i8 to i32
  %y = arith.ori %x, %twice : i32
  %z = arith.ori %y, %high : i32
  vyre.store %z, %out[%i] : i32, !vyre.buffer<?xi32, read_write>
}

// -----

// An amount below the width, by its range or by a mask in each lane, needs no comparison; what says
// so by itself, or is not known, gets no attribute.

// CHECK-LABEL: vyre.kernel @shifts
vyre.kernel @shifts(%in: !vyre.buffer<?xi32, read_only>, %in_len: index, %out: !vyre.buffer<?xi32, read_write>, %out_len: index) workgroup_size [64] generator "shifts" {
  %i = vyre.invocation_id x
  %a = vyre.load %in[%i] : !vyre.buffer<?xi32, read_only> -> i32
  %31 = arith.constant 31 : i32
  %lanes = arith.constant dense<[0, 31, 5, 6]> : vector<4xi32>
  %too_far = arith.constant dense<[0, 32, 5, 6]> : vector<4xi32>
  %low = arith.andi %a, %31 : i32
  // CHECK: arith.shli %a, %low {vyre.within_width} : i32
  %x = arith.shli %a, %low : i32
  // CHECK-NEXT: %{{\S+}} = arith.shrsi %a, [[LAST:%\S+]] : i32
  %y = arith.shrsi %a, %31 : i32
  // CHECK-NEXT: %{{\S+}} = arith.shrui %a, %a : i32
  %z = arith.shrui %a, %a : i32
  %v = vector.broadcast %low : i32 to vector<4xi32>
  // CHECK: %{{\S+}} = arith.shrui %v, %v {vyre.within_width} : vector<4xi32>
  %p = arith.shrui %v, %v : vector<4xi32>
  // CHECK-NEXT: %{{\S+}} = arith.shrui %v, %lanes {vyre.within_width} : vector<4xi32>
  %q = arith.shrui %v, %lanes : vector<4xi32>
  // CHECK-NEXT: %{{\S+}} = arith.shrui %v, %too_far : vector<4xi32>
  %r = arith.shrui %v, %too_far : vector<4xi32>
  %masked = arith.andi %p, %lanes : vector<4xi32>
  // CHECK: %{{\S+}} = arith.shrui %v, %masked {vyre.within_width} : vector<4xi32>
  %s = arith.shrui %v, %masked : vector<4xi32>
  "test.op"(%y, %z, %p, %q, %r, %s) : (i32, i32, vector<4xi32>, vector<4xi32>, vector<4xi32>, vector<4xi32>) -> ()
}
