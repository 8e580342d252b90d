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
