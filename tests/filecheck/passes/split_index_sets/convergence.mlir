// RUN: xdsl-opt %s -p 'vyre-split-index-sets,canonicalize' | filecheck %s
// RUN: xdsl-opt %s -p 'vyre-split-index-sets,vyre-split-index-sets,canonicalize' | filecheck %s

// What a workgroup has in common steers what it does together: its invocations need not agree on a
// test of where each of them reads, but on one of what is the same for all of them.
// CHECK-LABEL: vyre.kernel @steered
// CHECK:         %mine = vyre.load %in[%i]
// CHECK-NEXT:    %common = vyre.load %in[%c2]
// CHECK-NEXT:    arith.extui %mine
// CHECK-NOT:     vyre.interior
// What is computed without memory stands in front of both branches.
// CHECK-LABEL: vyre.kernel @counted
// CHECK:         %number = arith.addi %w, %{{.*}} : index
// CHECK:         scf.if %inside
// CHECK:         {vyre.interior}
// CHECK:         arith.cmpi eq, %number
// CHECK-LABEL: vyre.kernel @steered_alike
// CHECK:         %mine, %common = scf.if %inside
// CHECK:         {vyre.interior}
// CHECK:         vyre.barrier
vyre.kernel @steered(%in: !vyre.buffer<?xi8, read_only>, %in_len: index, %out: !vyre.buffer<64xi32, write_only>) workgroup_size [64] generator "steered" {
  %i = vyre.invocation_id x
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i16
  %mine = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i16
  %common = vyre.load %in[%c2] : !vyre.buffer<?xi8, read_only> -> i16
  %wide = arith.extui %mine : i16 to i32
  vyre.store %wide, %out[%i] : i32, !vyre.buffer<64xi32, write_only>
  %steers = arith.cmpi eq, %common, %zero : i16
  scf.if %steers {
    vyre.barrier
  }
}
vyre.kernel @counted(%in: !vyre.buffer<?xi8, read_only>, %in_len: index, %out: !vyre.buffer<64xi32, write_only>) workgroup_size [64] generator "counted" {
  %i = vyre.invocation_id x
  %w = vyre.workgroup_id x
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i16
  %mine = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i16
  %number = arith.addi %w, %c1 : index
  %place = arith.addi %i, %c1 : index
  %next = vyre.load %in[%place] : !vyre.buffer<?xi8, read_only> -> i16
  %sum = arith.addi %mine, %next : i16
  %wide = arith.extui %sum : i16 to i32
  vyre.store %wide, %out[%i] : i32, !vyre.buffer<64xi32, write_only>
  %steers = arith.cmpi eq, %number, %c2 : index
  scf.if %steers {
    vyre.barrier
  }
}
vyre.kernel @steered_alike(%in: !vyre.buffer<?xi8, read_only>, %in_len: index, %out: !vyre.buffer<64xi32, write_only>) workgroup_size [64] generator "steered_alike" {
  %i = vyre.invocation_id x
  %w = vyre.workgroup_id x
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i16
  %mine = vyre.load %in[%w] : !vyre.buffer<?xi8, read_only> -> i16
  %common = vyre.load %in[%c2] : !vyre.buffer<?xi8, read_only> -> i16
  %wide = arith.extui %mine : i16 to i32
  vyre.store %wide, %out[%i] : i32, !vyre.buffer<64xi32, write_only>
  %steers = arith.cmpi eq, %common, %zero : i16
  scf.if %steers {
    vyre.barrier
  }
}
