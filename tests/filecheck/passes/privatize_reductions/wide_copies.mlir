// RUN: xdsl-opt %s -p 'vyre-privatize-reductions{scope=workgroup wide_copies=16 budget=65536}' | filecheck %s
// RUN: xdsl-opt %s -p 'vyre-privatize-reductions{scope=workgroup wide_copies=16 budget=65536},vyre-privatize-reductions{scope=workgroup wide_copies=16 budget=65536}' | filecheck %s
// RUN: xdsl-opt %s -p 'vyre-privatize-reductions{scope=workgroup copies=2 wide_copies=1 budget=65536}' | filecheck %s --check-prefix=ASKED

// Of elements of 64 bits, 16 copies, or as many as take 4 KiB; others have one.
// CHECK: @words_of_group : !vyre.buffer<8xi32, read_write, workgroup>
// CHECK: @few_of_group : !vyre.buffer<128xi64, read_write, workgroup>
// CHECK: @some_of_group : !vyre.buffer<400xi64, read_write, workgroup>
// CHECK: @many_of_group : !vyre.buffer<1000xi64, read_write, workgroup>

// ASKED: @words_of_group : !vyre.buffer<16xi32, read_write, workgroup>
// ASKED: @few_of_group : !vyre.buffer<16xi64, read_write, workgroup>
// ASKED: @many_of_group : !vyre.buffer<2000xi64, read_write, workgroup>
vyre.program @groups workgroup_size [64] {
  %data = vyre.buffer @data : !vyre.buffer<64xi32, read_only>
  %words = vyre.buffer @words live_out : !vyre.buffer<8xi32, read_write>
  %few = vyre.buffer @few live_out : !vyre.buffer<8xi64, read_write>
  %some = vyre.buffer @some live_out : !vyre.buffer<100xi64, read_write>
  %many = vyre.buffer @many live_out : !vyre.buffer<1000xi64, read_write>
  vyre.region "groups" invocations [64] {
    %i = vyre.invocation_id x
    %value = vyre.load %data[%i] : !vyre.buffer<64xi32, read_only> -> i32
    %wide = arith.extui %value : i32 to i64
    %bin = arith.index_cast %value : i32 to index
    %0 = vyre.atomic_rmw addi %value, %words[%bin] : i32, !vyre.buffer<8xi32, read_write>
    %1 = vyre.atomic_rmw addi %wide, %few[%bin] : i64, !vyre.buffer<8xi64, read_write>
    %2 = vyre.atomic_rmw addi %wide, %some[%bin] : i64, !vyre.buffer<100xi64, read_write>
    %3 = vyre.atomic_rmw addi %wide, %many[%bin] : i64, !vyre.buffer<1000xi64, read_write>
  }
}
