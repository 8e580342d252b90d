// RUN: xdsl-opt %s --split-input-file -p 'vyre-outline-kernels,canonicalize,vyre-cse,vyre-prove-accesses,vyre-optimize-integers,vyre-split-index-sets' | filecheck %s

// What the test of the interior needs leaves the branch under whose condition it never wraps around.
// CHECK-LABEL: vyre.kernel
// CHECK:       arith.muli %j, %c16 : index
// CHECK:       %inside = arith.cmpi sle
// CHECK:         scf.if %g
// CHECK-NEXT:      arith.muli %j, %c16 overflow<nsw,nuw> : index
vyre.program @product {
  %x = vyre.buffer @x : !vyre.buffer<?xi8, read_only>
  %p = vyre.buffer @p : !vyre.buffer<64xi64, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, read_write>
  vyre.region "guarded" invocations [64] workgroup_size [64] {
    %i = vyre.invocation_id x
    %w = vyre.load %p[%i] : !vyre.buffer<64xi64, read_only> -> i64
    %j = arith.index_cast %w : i64 to index
    %c100 = arith.constant 100 : index
    %c16 = arith.constant 16 : index
    %z = arith.constant dense<0> : vector<16xi8>
    %g = arith.cmpi ult, %j, %c100 : index
    %r = scf.if %g -> (vector<16xi8>) {
      %q = arith.muli %j, %c16 : index
      %v = vyre.load %x[%q] : !vyre.buffer<?xi8, read_only> -> vector<16xi8>
      scf.yield %v : vector<16xi8>
    } else {
      scf.yield %z : vector<16xi8>
    }
    %e = vector.extract %r[3] : i8 from vector<16xi8>
    vyre.store %e, %out[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
}

// -----

// So does a shift by less than the width.
// CHECK-LABEL: vyre.kernel
// CHECK:       arith.shli %c1, %j : index
// CHECK:       %inside = arith.cmpi sle
// CHECK:         scf.if %g
// CHECK-NEXT:      arith.shli %c1, %j {{.*}}vyre.within_width
vyre.program @shift {
  %x = vyre.buffer @x : !vyre.buffer<?xi8, read_only>
  %p = vyre.buffer @p : !vyre.buffer<64xi64, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, read_write>
  vyre.region "guarded" invocations [64] workgroup_size [64] {
    %i = vyre.invocation_id x
    %w = vyre.load %p[%i] : !vyre.buffer<64xi64, read_only> -> i64
    %j = arith.index_cast %w : i64 to index
    %c60 = arith.constant 60 : index
    %c1 = arith.constant 1 : index
    %z = arith.constant dense<0> : vector<16xi8>
    %g = arith.cmpi ult, %j, %c60 : index
    %r = scf.if %g -> (vector<16xi8>) {
      %q = arith.shli %c1, %j : index
      %v = vyre.load %x[%q] : !vyre.buffer<?xi8, read_only> -> vector<16xi8>
      scf.yield %v : vector<16xi8>
    } else {
      scf.yield %z : vector<16xi8>
    }
    %e = vector.extract %r[3] : i8 from vector<16xi8>
    vyre.store %e, %out[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
}

// -----

// What a kernel is passed is what the host has computed: the smaller of two sizes, of which neither
// is exceeded.
// CHECK-LABEL: vyre.kernel
// CHECK-SAME:    %rows: index
// CHECK:       scf.for %k = %{{.*}} to %rows
// CHECK:         vyre.load %a[%k] in_bounds
// CHECK-NEXT:    vyre.load %b[%k] in_bounds
// CHECK-NEXT:    vyre.load %packed_a[%k] :
vyre.program @smaller_of_two {
  %packed_a = vyre.buffer @packed_a : !vyre.buffer<?xi8, read_only>
  %packed_b = vyre.buffer @packed_b : !vyre.buffer<?xi8, read_only>
  %eight = arith.constant 8 : index
  %five = arith.constant 5 : index
  %seven = arith.constant 7 : index
  %bytes_a = vyre.buf_len %packed_a : !vyre.buffer<?xi8, read_only>
  %bits_a = arith.muli %bytes_a, %eight : index
  %size_a = arith.divui %bits_a, %five : index
  %bytes_b = vyre.buf_len %packed_b : !vyre.buffer<?xi8, read_only>
  %bits_b = arith.muli %bytes_b, %eight : index
  %size_b = arith.divui %bits_b, %seven : index
  %a = vyre.buffer @a[%size_a] : !vyre.buffer<?xi64, read_write>
  %b = vyre.buffer @b[%size_b] : !vyre.buffer<?xi64, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<1xi64, read_write>
  %rows = arith.minsi %size_a, %size_b : index
  vyre.region "sum" invocations [1] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i64
    %sum = scf.for %k = %c0 to %rows step %c1 iter_args(%so_far = %zero) -> (i64) {
      %one = vyre.load %a[%k] : !vyre.buffer<?xi64, read_write> -> i64
      %other = vyre.load %b[%k] : !vyre.buffer<?xi64, read_write> -> i64
      %byte = vyre.load %packed_a[%k] : !vyre.buffer<?xi8, read_only> -> i8
      %wide = arith.extui %byte : i8 to i64
      %both = arith.addi %one, %other : i64
      %three = arith.addi %both, %wide : i64
      %next = arith.addi %so_far, %three : i64
      scf.yield %next : i64
    }
    vyre.store %sum, %out[%c0] : i64, !vyre.buffer<1xi64, read_write>
  }
}
