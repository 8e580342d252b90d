// RUN: xdsl-opt %s --split-input-file -p 'vyre-split-index-sets,licm,vyre-prove-accesses,vyre-split-index-sets{loops=true},canonicalize' | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'vyre-split-index-sets,licm,vyre-prove-accesses,vyre-split-index-sets{loops=true},vyre-split-index-sets{loops=true},vyre-split-index-sets,canonicalize' | filecheck %s

// The iterations that read inside of the buffer come first, and test nothing. The others go on where they end,
// some steps from the beginning, with what these carried.
// CHECK-LABEL: vyre.kernel @strided
// CHECK:         [[INSIDE:%\S+]] = arith.shrsi
// CHECK-NEXT:    %interior_end = arith.minsi %n, [[INSIDE]] : index
// CHECK-NEXT:    [[BEHIND:%\S+]] = arith.maxsi %interior_end, %i : index
// CHECK-NEXT:    [[FORWARD:%\S+]] = arith.subi [[BEHIND]], %i : index
// CHECK-NEXT:    [[ZERO:%\S+]] = arith.constant 0 : index
// CHECK-NEXT:    [[LEFT:%\S+]] = arith.maxsi [[FORWARD]], [[ZERO]] : index
// CHECK-NEXT:    [[COUNT:%\S+]] = arith.ceildivsi [[LEFT]], %c64 : index
// CHECK-NEXT:    [[STEPS:%\S+]] = arith.muli [[COUNT]], %c64 : index
// CHECK-NEXT:    %tail_begin = arith.addi %i, [[STEPS]] : index
// CHECK-NEXT:    [[FIRST:%\S+]] = scf.for %k = %i to %interior_end step %c64 iter_args(%carried = %zero)
// CHECK-NEXT:      arith.muli
// CHECK-NEXT:      vyre.load %in[%{{.*}}] in_bounds aligned 16
// CHECK-NEXT:      arith.addi
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    } {vyre.interior}
// CHECK-NEXT:    [[BOTH:%\S+]] = scf.for %k_1 = %tail_begin to %n step %c64 iter_args(%carried_1 = [[FIRST]])
// CHECK-NEXT:      arith.muli
// CHECK-NEXT:      vyre.load %in[%{{.*}}] aligned 16
// CHECK-NEXT:      arith.addi
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    } {vyre.tail}
// CHECK:         vyre.store [[BOTH]]
vyre.kernel @strided(%in: !vyre.buffer<?xi8, read_only>, %in_len: index, %out: !vyre.buffer<64xi8, write_only>) workgroup_size [64] generator "strided" {
  %i = vyre.invocation_id x
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %n = arith.constant 6400 : index
  %zero = arith.constant dense<0> : vector<4xi32>
  %0 = scf.for %k = %i to %n step %c64 iter_args(%carried = %zero) -> (vector<4xi32>) {
    %first = arith.muli %k, %c32 : index
    %a = vyre.load %in[%first] : !vyre.buffer<?xi8, read_only> -> vector<4xi32>
    %sum = arith.addi %carried, %a : vector<4xi32>
    scf.yield %sum : vector<4xi32>
  }
  %c0 = arith.constant 0 : index
  vyre.store %0, %out[%c0] : vector<4xi32>, !vyre.buffer<64xi8, write_only>
}

// -----

// Steps of one need no counting; what is no power of two is divided by. In an arm, lengths are asked for.
// CHECK-LABEL: vyre.program @blocked
// CHECK:         [[LENGTH:%\S+]] = vyre.buf_len %in
// CHECK:         [[ENDS:%\S+]] = arith.addi [[LENGTH]], %{{.*}} : index
// CHECK:         [[INSIDE:%\S+]] = arith.floordivsi [[ENDS]], %{{.*}} : index
// CHECK-NEXT:    %interior_end = arith.minsi %c64, [[INSIDE]] : index
// CHECK-NEXT:    %tail_begin = arith.maxsi %c0, %interior_end : index
// CHECK-NEXT:    scf.for %k = %c0 to %interior_end step %c1
// CHECK-NOT:     scf.if
// CHECK:         scf.for %k_1 = %tail_begin to %c64 step %c1
// CHECK-NOT:     scf.if
vyre.program @blocked {
  %in = vyre.buffer @in : !vyre.buffer<?xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, read_write>
  vyre.region "blocked" invocations [1] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c12 = arith.constant 12 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0> : vector<4xi32>
    %0 = scf.for %k = %c0 to %c64 step %c1 iter_args(%carried = %zero) -> (vector<4xi32>) {
      %first = arith.muli %k, %c12 : index
      %a = vyre.load %in[%first] : !vyre.buffer<?xi8, read_only> -> vector<4xi32>
      %sum = arith.addi %carried, %a : vector<4xi32>
      scf.yield %sum : vector<4xi32>
    }
    vyre.store %0, %out[%c0] : vector<4xi32>, !vyre.buffer<64xi8, read_write>
  }
}

// -----

// The first iteration is of the general form here, and so the interior is not what the loop begins with.
// CHECK-LABEL: vyre.kernel @both_ends
// CHECK:         scf.for
// CHECK:           scf.if
// CHECK:           }{vyre.interior}
// CHECK-NOT:     scf.for
vyre.kernel @both_ends(%in: !vyre.buffer<?xi8, read_only>, %in_len: index, %out: !vyre.buffer<64xi8, write_only>) workgroup_size [64] generator "both_ends" {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0> : vector<4xi32>
  %0 = scf.for %k = %c0 to %c64 step %c1 iter_args(%carried = %zero) -> (vector<4xi32>) {
    %at = arith.muli %k, %c16 : index
    %before = arith.subi %at, %c16 : index
    %a = vyre.load %in[%before] : !vyre.buffer<?xi8, read_only> -> vector<4xi32>
    %sum = arith.addi %carried, %a : vector<4xi32>
    scf.yield %sum : vector<4xi32>
  }
  vyre.store %0, %out[%c0] : vector<4xi32>, !vyre.buffer<64xi8, write_only>
}

// -----

// A branch without an else is not one of the interior.
// CHECK-LABEL: vyre.kernel @one_sided
// CHECK:         scf.for
// CHECK:           scf.if
// CHECK-NOT:     scf.for
vyre.kernel @one_sided(%out: !vyre.buffer<?xi32, read_write>, %out_len: index) workgroup_size [64] generator "one_sided" {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  scf.for %k = %c0 to %c64 step %c1 {
    %inside = arith.cmpi slt, %k, %out_len : index
    scf.if %inside {
      vyre.store %zero, %out[%k] : i32, !vyre.buffer<?xi32, read_write>
    } {vyre.interior}
  }
}

// -----

// Invocations that meet in each iteration go through one loop.
// CHECK-LABEL: vyre.kernel @meeting
// CHECK:         scf.for
// CHECK:           scf.if
// CHECK:           vyre.barrier
// CHECK-NOT:     scf.for
vyre.kernel @meeting(%in: !vyre.buffer<?xi8, read_only>, %in_len: index, %out: !vyre.buffer<64xi8, write_only>) workgroup_size [64] generator "meeting" {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0> : vector<4xi32>
  %0 = scf.for %k = %c0 to %c64 step %c1 iter_args(%carried = %zero) -> (vector<4xi32>) {
    %at = arith.muli %k, %c16 : index
    %a = vyre.load %in[%at] : !vyre.buffer<?xi8, read_only> -> vector<4xi32>
    vyre.barrier
    %sum = arith.addi %carried, %a : vector<4xi32>
    scf.yield %sum : vector<4xi32>
  }
  vyre.store %0, %out[%c0] : vector<4xi32>, !vyre.buffer<64xi8, write_only>
}

// -----

// Nor do those go their own ways in whose loop something is carried that steers where they meet.
// CHECK-LABEL: vyre.kernel @steering
// CHECK:         scf.for
// CHECK:           scf.if
// CHECK:           {vyre.interior}
// CHECK-NOT:     scf.for
// CHECK:         vyre.barrier
vyre.kernel @steering(%in: !vyre.buffer<?xi8, read_only>, %in_len: index, %out: !vyre.buffer<64xi32, read_write>) workgroup_size [64] generator "steering" {
  %i = vyre.invocation_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %zero = arith.constant 0 : i32
  %sum, %turns = scf.for %k = %c0 to %c9 step %c1 iter_args(%before = %zero, %turn = %zero) -> (i32, i32) {
    %place = arith.addi %i, %k : index
    %two = vyre.load %in[%place] : !vyre.buffer<?xi8, read_only> -> i16
    %wide = arith.extui %two : i16 to i32
    %after = arith.addi %before, %wide : i32
    %number = arith.index_cast %k : index to i32
    %next = arith.addi %turn, %number : i32
    scf.yield %after, %next : i32, i32
  }
  vyre.store %sum, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
  %steers = arith.cmpi eq, %turns, %zero : i32
  scf.if %steers {
    vyre.barrier
  }
}

// -----

// Where the loop ends is known in it alone: what it carries says where it reads.
// CHECK-LABEL: vyre.kernel @wandering
// CHECK:         scf.for
// CHECK:           scf.if
// CHECK-NOT:     scf.for
vyre.kernel @wandering(%in: !vyre.buffer<?xi8, read_only>, %in_len: index, %out: !vyre.buffer<64xi8, write_only>) workgroup_size [64] generator "wandering" {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c48 = arith.constant 48 : index
  %c64 = arith.constant 64 : index
  %c1023 = arith.constant 1023 : index
  %zero = arith.constant dense<0> : vector<4xi32>
  %0, %1 = scf.for %k = %c0 to %c64 step %c1 iter_args(%carried = %zero, %at = %c0) -> (vector<4xi32>, index) {
    %a = vyre.load %in[%at] : !vyre.buffer<?xi8, read_only> -> vector<4xi32>
    %sum = arith.addi %carried, %a : vector<4xi32>
    %more = arith.addi %at, %c48 : index
    %next = arith.andi %more, %c1023 : index
    scf.yield %sum, %next : vector<4xi32>, index
  }
  vyre.store %0, %out[%c0] : vector<4xi32>, !vyre.buffer<64xi8, write_only>
}
