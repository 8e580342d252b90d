// RUN: xdsl-opt %s -p vyre-merge-kernels --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p vyre-merge-kernels,vyre-merge-kernels --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p vyre-merge-kernels,vyre-prove-accesses --split-input-file | filecheck %s --check-prefix=PROVEN

// Kernels that are the same but for names, and whose launches the host computes alike, are one. What
// follows from how it computes them holds of each launch, so that accesses are proven as before.

// CHECK-LABEL: vyre.program @alike
// CHECK: vyre.launch @first[%groups](%a, %a_len, %x)
// CHECK: vyre.launch @first[%others](%b, %b_len, %y)
// CHECK: vyre.kernel @first(%words
// CHECK-NOT: vyre.kernel
// PROVEN-LABEL: vyre.kernel @first
// PROVEN: vyre.load %words[%i] in_bounds
// PROVEN: vyre.store %sum, %out[%zero] in_bounds
vyre.program @alike workgroup_size [64] {
  %a = vyre.buffer @a : !vyre.buffer<?xi32, read_only>
  %b = vyre.buffer @b : !vyre.buffer<?xi32, read_only>
  %x = vyre.buffer @x live_out : !vyre.buffer<1xi32, read_write>
  %y = vyre.buffer @y live_out : !vyre.buffer<1xi32, read_write>
  %c64 = arith.constant 64 : index
  %a_len = vyre.buf_len %a : !vyre.buffer<?xi32, read_only>
  %groups = arith.ceildivsi %a_len, %c64 : index
  vyre.check_whole_workgroups %a_len of 64 for "sum"
  vyre.launch @first[%groups](%a, %a_len, %x) : (!vyre.buffer<?xi32, read_only>, index, !vyre.buffer<1xi32, read_write>)
  %b_len = vyre.buf_len %b : !vyre.buffer<?xi32, read_only>
  %others = arith.ceildivsi %b_len, %c64 : index
  vyre.check_whole_workgroups %b_len of 64 for "sum"
  vyre.launch @second[%others](%b, %b_len, %y) : (!vyre.buffer<?xi32, read_only>, index, !vyre.buffer<1xi32, read_write>)
}
vyre.kernel @first(%words: !vyre.buffer<?xi32, read_only>, %length: index, %out: !vyre.buffer<1xi32, read_write>) workgroup_size [64] generator "sum" {
  %own = vyre.buffer @own : !vyre.buffer<4xi32, read_write, private>
  %zero = arith.constant 0 : index
  %i = vyre.invocation_id x
  %word = vyre.load %words[%i] : !vyre.buffer<?xi32, read_only> -> i32
  vyre.store %word, %own[%zero] : i32, !vyre.buffer<4xi32, read_write, private>
  %sum = vyre.load %own[%zero] : !vyre.buffer<4xi32, read_write, private> -> i32
  vyre.store %sum, %out[%zero] : i32, !vyre.buffer<1xi32, read_write>
}
vyre.kernel @second(%values: !vyre.buffer<?xi32, read_only>, %n: index, %to: !vyre.buffer<1xi32, read_write>) workgroup_size [64] generator "sum" {
  %tile = vyre.buffer @own_1 : !vyre.buffer<4xi32, read_write, private>
  %0 = arith.constant 0 : index
  %at = vyre.invocation_id x
  %value = vyre.load %values[%at] : !vyre.buffer<?xi32, read_only> -> i32
  vyre.store %value, %tile[%0] : i32, !vyre.buffer<4xi32, read_write, private>
  %again = vyre.load %tile[%0] : !vyre.buffer<4xi32, read_write, private> -> i32
  vyre.store %again, %to[%0] : i32, !vyre.buffer<1xi32, read_write>
}

// -----

// Not one: with another constant, workgroup size or generator, another grid, another way to the
// same numbers, a check that the other launch does not have, and kernels that nothing launches.

// CHECK-LABEL: vyre.program @others
// CHECK: vyre.launch @base
// CHECK: vyre.launch @base
// CHECK: vyre.launch @constant
// CHECK: vyre.launch @size
// CHECK: vyre.launch @generator
// CHECK: vyre.launch @grid
// CHECK: vyre.launch @way
// CHECK: vyre.launch @checked
// CHECK: vyre.kernel @base
// CHECK-NOT: vyre.kernel @base_again
// CHECK: vyre.kernel @constant
// CHECK: vyre.kernel @size
// CHECK: vyre.kernel @generator
// CHECK: vyre.kernel @grid
// CHECK: vyre.kernel @way
// CHECK: vyre.kernel @checked
// CHECK: vyre.kernel @unused
// PROVEN-LABEL: vyre.program @others
vyre.program @others workgroup_size [64] {
  %a = vyre.buffer @a live_out : !vyre.buffer<64xi32, read_write>
  %b = vyre.buffer @b live_out : !vyre.buffer<64xi32, read_write>
  %n = vyre.buffer @n : !vyre.buffer<?xi8, read_only>
  %length = vyre.buf_len %n : !vyre.buffer<?xi8, read_only>
  %one = arith.constant 1 : index
  %more = arith.addi %length, %one : index
  %same = arith.addi %one, %length : index
  vyre.launch @base[1](%a, %b, %more) : (!vyre.buffer<64xi32, read_write>, !vyre.buffer<64xi32, read_write>, index)
  vyre.launch @base_again[1](%b, %a, %more) : (!vyre.buffer<64xi32, read_write>, !vyre.buffer<64xi32, read_write>, index)
  vyre.launch @constant[1](%a, %b, %more) : (!vyre.buffer<64xi32, read_write>, !vyre.buffer<64xi32, read_write>, index)
  vyre.launch @size[1](%a, %b, %more) : (!vyre.buffer<64xi32, read_write>, !vyre.buffer<64xi32, read_write>, index)
  vyre.launch @generator[1](%a, %b, %more) : (!vyre.buffer<64xi32, read_write>, !vyre.buffer<64xi32, read_write>, index)
  vyre.launch @grid[2](%a, %b, %more) : (!vyre.buffer<64xi32, read_write>, !vyre.buffer<64xi32, read_write>, index)
  vyre.launch @way[1](%a, %b, %same) : (!vyre.buffer<64xi32, read_write>, !vyre.buffer<64xi32, read_write>, index)
  vyre.check_whole_workgroups %more of 64 for "base"
  vyre.launch @checked[1](%a, %b, %more) : (!vyre.buffer<64xi32, read_write>, !vyre.buffer<64xi32, read_write>, index)
}
vyre.kernel @base(%p: !vyre.buffer<64xi32, read_write>, %q: !vyre.buffer<64xi32, read_write>, %k: index) workgroup_size [64] generator "base" {
  %c = arith.constant 1 : i32
  vyre.store %c, %p[%k] : i32, !vyre.buffer<64xi32, read_write>
}
vyre.kernel @base_again(%p: !vyre.buffer<64xi32, read_write>, %q: !vyre.buffer<64xi32, read_write>, %k: index) workgroup_size [64] generator "base" {
  %c = arith.constant 1 : i32
  vyre.store %c, %p[%k] : i32, !vyre.buffer<64xi32, read_write>
}
vyre.kernel @constant(%p: !vyre.buffer<64xi32, read_write>, %q: !vyre.buffer<64xi32, read_write>, %k: index) workgroup_size [64] generator "base" {
  %c = arith.constant 2 : i32
  vyre.store %c, %p[%k] : i32, !vyre.buffer<64xi32, read_write>
}
vyre.kernel @size(%p: !vyre.buffer<64xi32, read_write>, %q: !vyre.buffer<64xi32, read_write>, %k: index) workgroup_size [32] generator "base" {
  %c = arith.constant 1 : i32
  vyre.store %c, %p[%k] : i32, !vyre.buffer<64xi32, read_write>
}
vyre.kernel @generator(%p: !vyre.buffer<64xi32, read_write>, %q: !vyre.buffer<64xi32, read_write>, %k: index) workgroup_size [64] generator "generator" {
  %c = arith.constant 1 : i32
  vyre.store %c, %p[%k] : i32, !vyre.buffer<64xi32, read_write>
}
vyre.kernel @grid(%p: !vyre.buffer<64xi32, read_write>, %q: !vyre.buffer<64xi32, read_write>, %k: index) workgroup_size [64] generator "base" {
  %c = arith.constant 1 : i32
  vyre.store %c, %p[%k] : i32, !vyre.buffer<64xi32, read_write>
}
vyre.kernel @way(%p: !vyre.buffer<64xi32, read_write>, %q: !vyre.buffer<64xi32, read_write>, %k: index) workgroup_size [64] generator "base" {
  %c = arith.constant 1 : i32
  vyre.store %c, %p[%k] : i32, !vyre.buffer<64xi32, read_write>
}
vyre.kernel @checked(%p: !vyre.buffer<64xi32, read_write>, %q: !vyre.buffer<64xi32, read_write>, %k: index) workgroup_size [64] generator "base" {
  %c = arith.constant 1 : i32
  vyre.store %c, %p[%k] : i32, !vyre.buffer<64xi32, read_write>
}
vyre.kernel @unused(%p: !vyre.buffer<64xi32, read_write>, %q: !vyre.buffer<64xi32, read_write>, %k: index) workgroup_size [64] generator "base" {
  %c = arith.constant 1 : i32
  vyre.store %c, %p[%k] : i32, !vyre.buffer<64xi32, read_write>
}
