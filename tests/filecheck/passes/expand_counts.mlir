// RUN: xdsl-opt %s --split-input-file -p vyre-expand-counts | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p vyre-expand-counts,vyre-expand-counts -o %t && xdsl-opt %s --split-input-file -p vyre-expand-counts | diff - %t

// Each of four elements counts what chooses it, compared as the byte that it is.
// CHECK-LABEL: vyre.program @bases
// CHECK:         %code = arith.andi %byte, %mask : i8
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0 : i8
// CHECK-NEXT:    %[[IS:.*]] = arith.cmpi eq, %code, %[[ZERO]] : i8
// CHECK-NEXT:    %[[TERM:.*]] = arith.extui %[[IS]] : i1 to i32
// CHECK-NEXT:    %[[FIRST:.*]] = arith.constant 0 : index
// CHECK-NEXT:    %{{.*}} = vyre.atomic_rmw addi %[[TERM]], %bins[%[[FIRST]]]
// CHECK-COUNT-3: vyre.atomic_rmw addi
// CHECK-NOT:     vyre.atomic_rmw
vyre.program @bases workgroup_size [64] {
  %in = vyre.buffer @in : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %in : !vyre.buffer<?xi8, read_only>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<4xi32, read_write>
  vyre.region "count" invocations [%n] {
    %i = vyre.invocation_id x
    %mask = arith.constant 3 : i8
    %byte = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %code = arith.andi %byte, %mask : i8
    %wide = arith.extui %code : i8 to i32
    %bin = arith.index_cast %wide : i32 to index
    %one = arith.constant 1 : i32
    %old = vyre.atomic_rmw addi %one, %bins[%bin] : i32, !vyre.buffer<4xi32, read_write>
  }
}

// -----

// What is added is chosen; where a byte is an index as it is, one with its sign chooses nothing.
// CHECK-LABEL: vyre.program @weights
// CHECK:         scf.if %is_large {
// CHECK:           %[[IS:.*]] = arith.cmpi eq, %byte, %{{.*}} : i8
// CHECK:           %[[TERM:.*]] = arith.select %[[IS]], %weight, %{{.*}} : i32
// CHECK:           vyre.atomic_rmw addi %[[TERM]], %bins
// CHECK:           vyre.atomic_rmw addi
// CHECK-NOT:       vyre.atomic_rmw
vyre.program @weights workgroup_size [64] {
  %in = vyre.buffer @in : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %in : !vyre.buffer<?xi8, read_only>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<2xi32, read_write>
  vyre.region "count" invocations [%n] {
    %i = vyre.invocation_id x
    %least = arith.constant 1 : i8
    %byte = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %is_large = arith.cmpi uge, %byte, %least : i8
    scf.if %is_large {
      %bin = arith.index_cast %byte : i8 to index
      %weight = arith.constant 10 : i32
      %old = vyre.atomic_rmw addi %weight, %bins[%bin] : i32, !vyre.buffer<2xi32, read_write>
    }
  }
}

// -----

// Left: more elements than lanes compare with at once, of bytes and of words; …
// CHECK-LABEL: vyre.program @many
// CHECK-COUNT-2: vyre.atomic_rmw addi
// CHECK-NOT:     vyre.atomic_rmw
vyre.program @many workgroup_size [64] {
  %in = vyre.buffer @in : !vyre.buffer<?xi8, read_only>
  %words = vyre.buffer @words : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %in : !vyre.buffer<?xi8, read_only>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<33xi32, read_write>
  %few = vyre.buffer @few live_out : !vyre.buffer<9xi32, read_write>
  vyre.region "count" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %wide = arith.extui %byte : i8 to i32
    %bin = arith.index_cast %wide : i32 to index
    %one = arith.constant 1 : i32
    %old = vyre.atomic_rmw addi %one, %bins[%bin] : i32, !vyre.buffer<33xi32, read_write>
  }
  vyre.region "count_words" invocations [%n] {
    %i = vyre.invocation_id x
    %word = vyre.load %words[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %bin = arith.index_cast %word : i32 to index
    %one = arith.constant 1 : i32
    %old = vyre.atomic_rmw addi %one, %few[%bin] : i32, !vyre.buffer<9xi32, read_write>
  }
}

// -----

// … old values that are used, sums of what is loaded, and arms in which data choose something else.
// CHECK-LABEL: vyre.program @others
// CHECK-COUNT-4: vyre.atomic_rmw addi
// CHECK-NOT:     vyre.atomic_rmw
vyre.program @others workgroup_size [64] {
  %in = vyre.buffer @in : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %in : !vyre.buffer<?xi8, read_only>
  %order = vyre.buffer @order[%n] live_out : !vyre.buffer<?xi32, read_write>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<2xi32, read_write>
  %sums = vyre.buffer @sums live_out : !vyre.buffer<2xi32, read_write>
  vyre.region "used" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %bin = arith.index_cast %byte : i8 to index
    %one = arith.constant 1 : i32
    %old = vyre.atomic_rmw addi %one, %bins[%bin] : i32, !vyre.buffer<2xi32, read_write>
    vyre.store %old, %order[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
  vyre.region "sum" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %bin = arith.index_cast %byte : i8 to index
    %wide = arith.extui %byte : i8 to i32
    %old = vyre.atomic_rmw addi %wide, %sums[%bin] : i32, !vyre.buffer<2xi32, read_write>
  }
  vyre.region "both" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %bin = arith.index_cast %byte : i8 to index
    %one = arith.constant 1 : i32
    %wide = arith.extui %byte : i8 to i32
    %old = vyre.atomic_rmw addi %one, %bins[%bin] : i32, !vyre.buffer<2xi32, read_write>
    %sum = vyre.atomic_rmw addi %wide, %sums[%bin] : i32, !vyre.buffer<2xi32, read_write>
  }
}

// -----

// … and arms whose lanes would not do all together, as they wait for each other in a loop.
// CHECK-LABEL: vyre.program @steps
// CHECK-COUNT-1: vyre.atomic_rmw addi
// CHECK-NOT:     vyre.atomic_rmw
vyre.program @steps workgroup_size [64] {
  %in = vyre.buffer @in : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %in : !vyre.buffer<?xi8, read_only>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<8xi32, read_write>
  vyre.region "count" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %zero = arith.constant 0 : i8
    %unit = arith.constant 1 : i8
    %least, %steps = scf.while (%left = %byte, %so_far = %zero) : (i8, i8) -> (i8, i8) {
      %is_left = arith.cmpi ne, %left, %zero : i8
      scf.condition(%is_left) %left, %so_far : i8, i8
    } do {
    ^bb0(%left_1: i8, %so_far_1: i8):
      %half = arith.shrui %left_1, %unit : i8
      %more = arith.addi %so_far_1, %unit : i8
      scf.yield %half, %more : i8, i8
    }
    %bin = arith.index_cast %steps : i8 to index
    %one = arith.constant 1 : i32
    %old = vyre.atomic_rmw addi %one, %bins[%bin] : i32, !vyre.buffer<8xi32, read_write>
  }
}
