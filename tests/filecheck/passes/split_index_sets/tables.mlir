// RUN: xdsl-opt %s -p 'vyre-split-index-sets,vyre-prove-accesses,vyre-optimize-integers,canonicalize' --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p 'vyre-split-index-sets,vyre-split-index-sets,vyre-prove-accesses,vyre-optimize-integers,canonicalize' --split-input-file | filecheck %s

// A table of any size of which the data choose an element: where it has all that they may choose, nothing is asked of
// the data.

// CHECK-LABEL: vyre.kernel @bytes
vyre.kernel @bytes(%in: !vyre.buffer<64xi8, read_only>, %table: !vyre.buffer<?xi32, read_only>, %table_len: index, %out: !vyre.buffer<64xi32, write_only>, %errors: !vyre.buffer<1xi32, read_write>) workgroup_size [64] generator "bytes" {
  %i = vyre.invocation_id x
  %byte = vyre.load %in[%i] in_bounds : !vyre.buffer<64xi8, read_only> -> i8
  %wide = arith.extui %byte : i8 to i64
  %place = arith.index_cast %wide : i64 to index
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  // CHECK: [[LAST:%\S+]] = arith.constant 255 : index
  // CHECK-NEXT: %inside = arith.cmpi sgt, %table_len, [[LAST]]
  // CHECK-NEXT: %x = scf.if %inside
  // CHECK-NEXT: vyre.load %table[%place] in_bounds
  // CHECK: } else {
  // CHECK-NEXT: scf.if %is_bad {
  // CHECK: vyre.load %table[%place] :
  %is_bad = arith.cmpi sge, %place, %table_len : index
  scf.if %is_bad {
    vyre.store %one, %errors[%c0] in_bounds : i32, !vyre.buffer<1xi32, read_write>
  }
  %x = vyre.load %table[%place] : !vyre.buffer<?xi32, read_only> -> i32
  vyre.store %x, %out[%i] in_bounds : i32, !vyre.buffer<64xi32, write_only>
}

// -----

// Words may choose any of too many elements.

// CHECK-LABEL: vyre.kernel @words
// CHECK-NOT: scf.if
// CHECK: vyre.load %table[%place] :
vyre.kernel @words(%in: !vyre.buffer<64xi32, read_only>, %table: !vyre.buffer<?xi32, read_only>, %table_len: index, %out: !vyre.buffer<64xi32, write_only>) workgroup_size [64] generator "words" {
  %i = vyre.invocation_id x
  %word = vyre.load %in[%i] in_bounds : !vyre.buffer<64xi32, read_only> -> i32
  %wide = arith.extui %word : i32 to i64
  %place = arith.index_cast %wide : i64 to index
  %x = vyre.load %table[%place] : !vyre.buffer<?xi32, read_only> -> i32
  vyre.store %x, %out[%i] in_bounds : i32, !vyre.buffer<64xi32, write_only>
}
