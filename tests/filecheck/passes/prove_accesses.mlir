// RUN: xdsl-opt %s --split-input-file -p vyre-prove-accesses | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p vyre-prove-accesses,vyre-prove-accesses | filecheck %s

// Under a guard against the length of the buffer itself.
// CHECK-LABEL: vyre.kernel @guard
vyre.kernel @guard(%in: !vyre.buffer<?xi8, read_only>, %in_len: index, %other: !vyre.buffer<?xi8, read_only>, %other_len: index, %n: index) workgroup_size [64] generator "guard" {
  %i = vyre.invocation_id x
  %inside = arith.cmpi slt, %i, %in_len : index
  %c1 = arith.constant 1 : index
  // CHECK: %before = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i8
  %before = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i8
  scf.if %inside {
    // CHECK: %a = vyre.load %in[%i] in_bounds : !vyre.buffer<?xi8, read_only> -> i8
    %a = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i8
    // One too far, another buffer, more elements: not proven.
    %next = arith.addi %i, %c1 : index
    // CHECK: %b = vyre.load %in[%next] : !vyre.buffer<?xi8, read_only> -> i8
    %b = vyre.load %in[%next] : !vyre.buffer<?xi8, read_only> -> i8
    // CHECK: %c = vyre.load %other[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %c = vyre.load %other[%i] : !vyre.buffer<?xi8, read_only> -> i8
    // CHECK: %d = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i16
    %d = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i16
    // The element before may lie before the first.
    %previous = arith.subi %i, %c1 : index
    // CHECK: %e = vyre.load %in[%previous] : !vyre.buffer<?xi8, read_only> -> i8
    %e = vyre.load %in[%previous] : !vyre.buffer<?xi8, read_only> -> i8
  } else {
    // CHECK: %f = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %f = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i8
  }
  // A size that the host passes says nothing about a buffer.
  %below_n = arith.cmpi slt, %i, %n : index
  scf.if %below_n {
    // CHECK: %g = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %g = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i8
  }
  // An unsigned comparison keeps negative numbers out as well; the index may be anything.
  %low = arith.cmpi ult, %n, %in_len : index
  scf.if %low {
    // CHECK: %h = vyre.load %in[%n] in_bounds : !vyre.buffer<?xi8, read_only> -> i8
    %h = vyre.load %in[%n] : !vyre.buffer<?xi8, read_only> -> i8
  }
  // A signed one does not.
  %low_signed = arith.cmpi slt, %n, %in_len : index
  scf.if %low_signed {
    // CHECK: %k = vyre.load %in[%n] : !vyre.buffer<?xi8, read_only> -> i8
    %k = vyre.load %in[%n] : !vyre.buffer<?xi8, read_only> -> i8
  }
  // What might wrap around is not compared: n + 1 can be the smallest number of all.
  %after = arith.addi %n, %c1 : index
  %after_inside = arith.cmpi sle, %after, %in_len : index
  %zero = arith.constant 0 : index
  %not_negative = arith.cmpi sge, %n, %zero : index
  %both = arith.andi %after_inside, %not_negative : i1
  scf.if %after_inside {
    // CHECK: %l = vyre.load %in[%n] : !vyre.buffer<?xi8, read_only> -> i8
    %l = vyre.load %in[%n] : !vyre.buffer<?xi8, read_only> -> i8
  }
}

// -----

// In the body of a loop its condition holds, of what is passed on and of what is around the loop.
// CHECK-LABEL: vyre.kernel @loop
vyre.kernel @loop(%in: !vyre.buffer<?xi8, read_only>, %in_len: index, %n: index) workgroup_size [64] generator "loop" {
  %i = vyre.invocation_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = scf.while (%at = %i) : (index) -> index {
    // CHECK: %tested = vyre.load %in[%at] : !vyre.buffer<?xi8, read_only> -> i8
    %tested = vyre.load %in[%at] : !vyre.buffer<?xi8, read_only> -> i8
    %inside = arith.cmpi slt, %at, %in_len : index
    %not_negative = arith.cmpi sge, %at, %c0 : index
    %known = arith.cmpi ult, %n, %in_len : index
    %two = arith.andi %inside, %not_negative : i1
    %all = arith.andi %two, %known : i1
    scf.condition(%all) %at : index
  } do {
  ^bb0(%place: index):
    // CHECK: %a = vyre.load %in[%place] in_bounds : !vyre.buffer<?xi8, read_only> -> i8
    %a = vyre.load %in[%place] : !vyre.buffer<?xi8, read_only> -> i8
    // CHECK: %b = vyre.load %in[%n] in_bounds : !vyre.buffer<?xi8, read_only> -> i8
    %b = vyre.load %in[%n] : !vyre.buffer<?xi8, read_only> -> i8
    %next = arith.addi %place, %c1 : index
    // CHECK: %c = vyre.load %in[%next] : !vyre.buffer<?xi8, read_only> -> i8
    %c = vyre.load %in[%next] : !vyre.buffer<?xi8, read_only> -> i8
    scf.yield %next : index
  }
  // Behind the loop, it does not.
  // CHECK: %d = vyre.load %in[%end] : !vyre.buffer<?xi8, read_only> -> i8
  %d = vyre.load %in[%end] : !vyre.buffer<?xi8, read_only> -> i8
}

// -----

// What is tested and not passed on says nothing of what is.
// CHECK-LABEL: vyre.kernel @other
vyre.kernel @other(%in: !vyre.buffer<?xi8, read_only>, %in_len: index) workgroup_size [64] generator "other" {
  %i = vyre.invocation_id x
  %c1 = arith.constant 1 : index
  %end = scf.while (%at = %i) : (index) -> index {
    %inside = arith.cmpi ult, %at, %in_len : index
    %next = arith.addi %at, %c1 : index
    scf.condition(%inside) %next : index
  } do {
  ^bb0(%place: index):
    // CHECK: %a = vyre.load %in[%place] : !vyre.buffer<?xi8, read_only> -> i8
    %a = vyre.load %in[%place] : !vyre.buffer<?xi8, read_only> -> i8
    scf.yield %place : index
  }
}

// -----

// Runs: the guard counts in blocks, the access in elements. Wide accesses get their alignment.
// CHECK-LABEL: vyre.kernel @blocks
vyre.kernel @blocks(%in: !vyre.buffer<?xi8, read_only>, %in_len: index, %words: !vyre.buffer<?xi32, read_write>, %words_len: index) workgroup_size [64] generator "blocks" {
  %i = vyre.invocation_id x
  %c16 = arith.constant 16 : index
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %blocks = arith.divsi %in_len, %c16 : index
  %inside = arith.cmpi slt, %i, %blocks : index
  scf.if %inside {
    %start = arith.muli %i, %c16 : index
    // CHECK: %a = vyre.load %in[%start] in_bounds aligned 16 : !vyre.buffer<?xi8, read_only> -> vector<4xi32>
    %a = vyre.load %in[%start] : !vyre.buffer<?xi8, read_only> -> vector<4xi32>
    // CHECK: %b = vyre.load %in[%start] aligned 16 : !vyre.buffer<?xi8, read_only> -> vector<8xi32>
    %b = vyre.load %in[%start] : !vyre.buffer<?xi8, read_only> -> vector<8xi32>
    scf.for %j = %c0 to %c16 step %c4 {
      %at = arith.addi %start, %j : index
      // CHECK: %c = vyre.load %in[%at] in_bounds aligned 4 : !vyre.buffer<?xi8, read_only> -> i32
      %c = vyre.load %in[%at] : !vyre.buffer<?xi8, read_only> -> i32
      %off = arith.addi %at, %c1 : index
      // One byte further it is neither aligned nor, at the end, inside.
      // CHECK: %d = vyre.load %in[%off] : !vyre.buffer<?xi8, read_only> -> i32
      %d = vyre.load %in[%off] : !vyre.buffer<?xi8, read_only> -> i32
    }
  }
  // Rounded up, the last block is not whole.
  %all = arith.ceildivsi %in_len, %c16 : index
  %some = arith.cmpi slt, %i, %all : index
  scf.if %some {
    %begin = arith.muli %i, %c16 : index
    // CHECK: %e = vyre.load %in[%begin] in_bounds : !vyre.buffer<?xi8, read_only> -> i8
    %e = vyre.load %in[%begin] : !vyre.buffer<?xi8, read_only> -> i8
    // CHECK: %f = vyre.load %in[%begin] aligned 16 : !vyre.buffer<?xi8, read_only> -> vector<4xi32>
    %f = vyre.load %in[%begin] : !vyre.buffer<?xi8, read_only> -> vector<4xi32>
  }
  // A loop up to the length.
  scf.for %k = %i to %words_len step %c16 {
    // CHECK: %g = vyre.load %words[%k] in_bounds : !vyre.buffer<?xi32, read_write> -> i32
    %g = vyre.load %words[%k] : !vyre.buffer<?xi32, read_write> -> i32
    // CHECK: vyre.store %g, %words[%k] in_bounds : i32, !vyre.buffer<?xi32, read_write>
    vyre.store %g, %words[%k] : i32, !vyre.buffer<?xi32, read_write>
    // CHECK: %old = vyre.atomic_rmw addi %g, %words[%k] in_bounds : i32, !vyre.buffer<?xi32, read_write>
    %old = vyre.atomic_rmw addi %g, %words[%k] : i32, !vyre.buffer<?xi32, read_write>
    %double = arith.addi %k, %k : index
    // CHECK: %h = vyre.load %words[%double] : !vyre.buffer<?xi32, read_write> -> i32
    %h = vyre.load %words[%double] : !vyre.buffer<?xi32, read_write> -> i32
  }
}

// -----

// Static counts: ids, masks, remainders and tables.
// CHECK-LABEL: vyre.kernel @static
vyre.kernel @static(%table: !vyre.buffer<256xi32, read_only>, %words: !vyre.buffer<64xi32, read_write>, %n: index) workgroup_size [16, 4] generator "static" {
  %tile = vyre.buffer @tile : !vyre.buffer<64xi32, read_write, workgroup>
  %x = vyre.local_id x
  %y = vyre.local_id y
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c63 = arith.constant 63 : index
  %row = arith.muli %y, %c16 : index
  %at = arith.addi %row, %x : index
  // CHECK: %a = vyre.load %tile[%at] in_bounds : !vyre.buffer<64xi32, read_write, workgroup> -> i32
  %a = vyre.load %tile[%at] : !vyre.buffer<64xi32, read_write, workgroup> -> i32
  // CHECK: %b = vyre.load %tile[%row] in_bounds aligned 16 : !vyre.buffer<64xi32, read_write, workgroup> -> vector<4xi32>
  %b = vyre.load %tile[%row] : !vyre.buffer<64xi32, read_write, workgroup> -> vector<4xi32>
  %low = arith.trunci %a : i32 to i8
  %byte = arith.extui %low : i8 to i32
  %entry = arith.index_cast %byte : i32 to index
  // CHECK: %c = vyre.load %table[%entry] in_bounds : !vyre.buffer<256xi32, read_only> -> i32
  %c = vyre.load %table[%entry] : !vyre.buffer<256xi32, read_only> -> i32
  // CHECK: %d = vyre.load %words[%entry] : !vyre.buffer<64xi32, read_write> -> i32
  %d = vyre.load %words[%entry] : !vyre.buffer<64xi32, read_write> -> i32
  %masked = arith.andi %n, %c63 : index
  // CHECK: vyre.atomic_cas %c, %d, %words[%masked] in_bounds : i32, !vyre.buffer<64xi32, read_write>
  %e = vyre.atomic_cas %c, %d, %words[%masked] : i32, !vyre.buffer<64xi32, read_write>
  // A remainder of what may be negative may be negative.
  %rest = arith.remsi %n, %c64 : index
  // CHECK: %f = vyre.load %words[%rest] : !vyre.buffer<64xi32, read_write> -> i32
  %f = vyre.load %words[%rest] : !vyre.buffer<64xi32, read_write> -> i32
  %unsigned = arith.remui %n, %c64 : index
  // CHECK: %g = vyre.load %words[%unsigned] in_bounds : !vyre.buffer<64xi32, read_write> -> i32
  %g = vyre.load %words[%unsigned] : !vyre.buffer<64xi32, read_write> -> i32
  // Nobody says how many workgroups there are.
  %i = vyre.invocation_id x
  // CHECK: %h = vyre.load %words[%i] : !vyre.buffer<64xi32, read_write> -> i32
  %h = vyre.load %words[%i] : !vyre.buffer<64xi32, read_write> -> i32
}

// -----

// The launch says how many workgroups there are, and the program how its buffers are sized.
// CHECK-LABEL: vyre.program @launched
vyre.program @launched {
  %in = vyre.buffer @in : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %in : !vyre.buffer<?xi8, read_only>
  %c4 = arith.constant 4 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %quads = arith.divsi %n, %c4 : index
  %decoded_size = arith.muli %quads, %c3 : index
  %out = vyre.buffer @out[%decoded_size] live_out : !vyre.buffer<?xi8, read_write>
  %words = vyre.buffer @words : !vyre.buffer<512xi32, read_write>
  %groups = arith.ceildivsi %n, %c64 : index
  %out_len = vyre.buf_len %out : !vyre.buffer<?xi8, read_write>
  vyre.launch @quads[%groups](%in, %n, %out, %out_len) : (!vyre.buffer<?xi8, read_only>, index, !vyre.buffer<?xi8, read_write>, index)
  vyre.check_whole_workgroups %n of 64 for "whole"
  vyre.launch @whole[%groups](%in, %n) : (!vyre.buffer<?xi8, read_only>, index)
  vyre.launch @few[8](%words) : (!vyre.buffer<512xi32, read_write>)
  vyre.launch @twice[8](%words) : (!vyre.buffer<512xi32, read_write>)
  vyre.launch @twice[9](%words) : (!vyre.buffer<512xi32, read_write>)
}
// CHECK-LABEL: vyre.kernel @quads
vyre.kernel @quads(%in: !vyre.buffer<?xi8, read_only>, %in_len: index, %out: !vyre.buffer<?xi8, read_write>, %out_len: index) workgroup_size [64] generator "quads" {
  %i = vyre.invocation_id x
  %c4 = arith.constant 4 : index
  %c3 = arith.constant 3 : index
  %c2 = arith.constant 2 : index
  %quads = arith.divsi %in_len, %c4 : index
  %inside = arith.cmpi slt, %i, %quads : index
  scf.if %inside {
    %start = arith.muli %i, %c3 : index
    %last = arith.addi %start, %c2 : index
    %zero = arith.constant 0 : i8
    // CHECK: vyre.store %zero, %out[%last] in_bounds : i8, !vyre.buffer<?xi8, read_write>
    vyre.store %zero, %out[%last] : i8, !vyre.buffer<?xi8, read_write>
    %past = arith.addi %start, %c3 : index
    // CHECK: vyre.store %zero, %out[%past] : i8, !vyre.buffer<?xi8, read_write>
    vyre.store %zero, %out[%past] : i8, !vyre.buffer<?xi8, read_write>
  }
}
// CHECK-LABEL: vyre.kernel @whole
vyre.kernel @whole(%in: !vyre.buffer<?xi8, read_only>, %in_len: index) workgroup_size [64] generator "whole" {
  %i = vyre.invocation_id x
  %group = vyre.workgroup_id x
  %local = vyre.local_id x
  %c64 = arith.constant 64 : index
  %first = arith.muli %group, %c64 : index
  %same = arith.addi %first, %local : index
  // CHECK: %a = vyre.load %in[%i] in_bounds : !vyre.buffer<?xi8, read_only> -> i8
  %a = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i8
  // CHECK: %b = vyre.load %in[%same] in_bounds : !vyre.buffer<?xi8, read_only> -> i8
  %b = vyre.load %in[%same] : !vyre.buffer<?xi8, read_only> -> i8
  %next = arith.addi %first, %c64 : index
  // CHECK: %c = vyre.load %in[%next] : !vyre.buffer<?xi8, read_only> -> i8
  %c = vyre.load %in[%next] : !vyre.buffer<?xi8, read_only> -> i8
}
// CHECK-LABEL: vyre.kernel @few
vyre.kernel @few(%words: !vyre.buffer<512xi32, read_write>) workgroup_size [64] generator "few" {
  %i = vyre.invocation_id x
  // CHECK: %a = vyre.load %words[%i] in_bounds : !vyre.buffer<512xi32, read_write> -> i32
  %a = vyre.load %words[%i] : !vyre.buffer<512xi32, read_write> -> i32
}
// Two launches: neither speaks for the other.
// CHECK-LABEL: vyre.kernel @twice
vyre.kernel @twice(%words: !vyre.buffer<512xi32, read_write>) workgroup_size [64] generator "twice" {
  %i = vyre.invocation_id x
  // CHECK: %a = vyre.load %words[%i] : !vyre.buffer<512xi32, read_write> -> i32
  %a = vyre.load %words[%i] : !vyre.buffer<512xi32, read_write> -> i32
}

// -----

// A shift by the width or more gives any number: devices take the amount modulo the width.
// CHECK-LABEL: vyre.kernel @wide_shifts
vyre.kernel @wide_shifts(%one: !vyre.buffer<1xi32, read_only>, %words: !vyre.buffer<?xi8, read_only>, %words_len: index, %v: index) workgroup_size [64] generator "wide shifts" {
  %x = arith.index_cast %v : index to i32
  %c31 = arith.constant 31 : i32
  %c32 = arith.constant 32 : i32
  %c40 = arith.constant 40 : i32
  %i63 = arith.constant 63 : index
  %i64 = arith.constant 64 : index
  %minus = arith.constant -1 : index
  %magnitude = arith.constant 7 : index
  %positive = arith.andi %v, %magnitude : index
  // By less than the width: 0 or 1.
  %a32 = arith.shrui %x, %c31 : i32
  %a64 = arith.extui %a32 : i32 to i64
  %a = arith.index_cast %a64 : i64 to index
  %c1 = arith.constant 1 : index
  %a_half = arith.shrui %a, %c1 : index
  // CHECK: vyre.load %one[%a_half] in_bounds
  %la = vyre.load %one[%a_half] : !vyre.buffer<1xi32, read_only> -> i32
  %b32 = arith.shrui %x, %c32 : i32
  %b64 = arith.extui %b32 : i32 to i64
  %b = arith.index_cast %b64 : i64 to index
  // CHECK: vyre.load %one[%b] :
  %lb = vyre.load %one[%b] : !vyre.buffer<1xi32, read_only> -> i32
  %far32 = arith.shrui %x, %c40 : i32
  %far64 = arith.extui %far32 : i32 to i64
  %far = arith.index_cast %far64 : i64 to index
  // CHECK: vyre.load %one[%far] :
  %lc = vyre.load %one[%far] : !vyre.buffer<1xi32, read_only> -> i32
  %d = arith.shrui %positive, %i63 : index
  // CHECK: vyre.load %one[%d] in_bounds
  %ld = vyre.load %one[%d] : !vyre.buffer<1xi32, read_only> -> i32
  %e = arith.shrui %positive, %i64 : index
  // CHECK: vyre.load %one[%e] :
  %le = vyre.load %one[%e] : !vyre.buffer<1xi32, read_only> -> i32
  %f = arith.shrsi %positive, %minus : index
  // CHECK: vyre.load %one[%f] :
  %lf = vyre.load %one[%f] : !vyre.buffer<1xi32, read_only> -> i32
  %c9 = arith.constant 9 : i8
  %byte = arith.trunci %x : i32 to i8
  %c2 = arith.constant 2 : i8
  // Multiples of four by less than the width, of nothing by more.
  %g8 = arith.shli %byte, %c2 : i8
  %g64 = arith.extui %g8 : i8 to i64
  %g = arith.index_cast %g64 : i64 to index
  // CHECK: vyre.load %words[%g] aligned 4 :
  %lg = vyre.load %words[%g] : !vyre.buffer<?xi8, read_only> -> i32
  %h8 = arith.shli %byte, %c9 : i8
  %h64 = arith.extui %h8 : i8 to i64
  %h = arith.index_cast %h64 : i64 to index
  // CHECK: vyre.load %words[%h] :
  %lh = vyre.load %words[%h] : !vyre.buffer<?xi8, read_only> -> i32
  %k = arith.shli %v, %i64 : index
  // CHECK: vyre.load %words[%k] :
  %lk = vyre.load %words[%k] : !vyre.buffer<?xi8, read_only> -> i32
}

// -----

// Two numbers to a byte: what is below twice the length, halved and rounded down, is below the
// length; that of the number behind it need not be.
// CHECK-LABEL: vyre.program @nibbles
vyre.program @nibbles {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<?xi8, write_only>
  %length = vyre.buf_len %packed : !vyre.buffer<?xi8, read_only>
  %two = arith.constant 2 : index
  %n = arith.muli %length, %two : index
  vyre.region "nibbles" invocations [%n] {
    %i = vyre.invocation_id x
    %c2 = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %at = arith.divui %i, %c2 : index
    // CHECK: %a = vyre.load %packed[%at] in_bounds
    %a = vyre.load %packed[%at] : !vyre.buffer<?xi8, read_only> -> i8
    %next = arith.addi %i, %c1 : index
    %half = arith.divui %next, %c2 : index
    // CHECK: %b = vyre.load %packed[%half] : !vyre.buffer
    %b = vyre.load %packed[%half] : !vyre.buffer<?xi8, read_only> -> i8
    %sum = arith.addi %a, %b : i8
    vyre.store %sum, %out[%i] : i8, !vyre.buffer<?xi8, write_only>
  }
}
