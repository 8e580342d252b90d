// RUN: xdsl-opt %s -p vyre-simplify-comparisons,dce --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p vyre-simplify-comparisons,vyre-simplify-comparisons,dce --split-input-file | filecheck %s

// Through an extension, an addition and an xor down to the byte itself; chains of constants; zero.

// CHECK-LABEL: vyre.region "simplified"
vyre.program @simplified {
  %in = vyre.buffer @in : !vyre.buffer<64xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi1, write_only>
  vyre.region "simplified" invocations [64] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %x = vyre.load %in[%i] : !vyre.buffer<64xi8, read_only> -> i8
    // CHECK: [[X:%\S+]] = vyre.load %in
    // CHECK-NEXT: [[C:%\S+]] = arith.constant 42 : i8
    // CHECK-NEXT: [[A:%\S+]] = arith.cmpi eq, [[X]], [[C]] : i8
    // CHECK-NEXT: vyre.store [[A]]
    %c1 = arith.constant 1 : i8
    %five = arith.constant 5 : i8
    %flipped = arith.xori %x, %c1 : i8
    %sum = arith.addi %flipped, %five : i8
    %wide = arith.extui %sum : i8 to i32
    %c48 = arith.constant 48 : i32
    %a = arith.cmpi eq, %wide, %c48 : i32
    vyre.store %a, %out[%i] : i1, !vyre.buffer<64xi1, write_only>
    // CHECK-NEXT: [[D:%\S+]] = arith.constant 43 : i8
    // CHECK-NEXT: [[B:%\S+]] = arith.cmpi eq, [[X]], [[D]] : i8
    // CHECK-NEXT: vyre.store [[B]]
    %c43 = arith.constant 43 : i8
    %less = arith.subi %x, %c43 : i8
    %b = arith.cmpi ult, %less, %c1 : i8
    vyre.store %b, %out[%i] : i1, !vyre.buffer<64xi1, write_only>
    // CHECK-NEXT: [[NEVER:%\S+]] = arith.constant false
    // CHECK-NEXT: vyre.store [[NEVER]]
    %c300 = arith.constant 300 : i32
    %beyond = arith.extui %x : i8 to i32
    %never = arith.cmpi ugt, %beyond, %c300 : i32
    vyre.store %never, %out[%i] : i1, !vyre.buffer<64xi1, write_only>
    // CHECK-NEXT: [[MASK:%\S+]] = arith.constant 4 : i8
    // CHECK-NEXT: [[KEPT:%\S+]] = arith.andi [[X]], [[MASK]] : i8
    // CHECK-NEXT: arith.trunci [[KEPT]]
    %c12 = arith.constant 12 : i8
    %c6 = arith.constant 6 : i8
    %low = arith.andi %x, %c12 : i8
    %lower = arith.andi %low, %c6 : i8
    %bit = arith.trunci %lower : i8 to i1
    vyre.store %bit, %out[%i] : i1, !vyre.buffer<64xi1, write_only>
    // What changes nothing goes, and what decides alone stays.
    // CHECK: vyre.store [[A]]
    // CHECK-NEXT: [[FALSE:%\S+]] = arith.constant false
    // CHECK-NEXT: vyre.store [[FALSE]]
    %true = arith.constant true
    %same = arith.andi %true, %a : i1
    vyre.store %same, %out[%i] : i1, !vyre.buffer<64xi1, write_only>
    %false = arith.constant false
    %no = arith.andi %a, %false : i1
    vyre.store %no, %out[%i] : i1, !vyre.buffer<64xi1, write_only>
  }
}

// -----

// An order is not kept by sums that wrap around; signed numbers are not those of an extension by
// zeros; other ops, and what is no constant.

// CHECK-LABEL: vyre.region "kept"
vyre.program @kept {
  %in = vyre.buffer @in : !vyre.buffer<64xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi1, write_only>
  vyre.region "kept" invocations [64] {
    %i = vyre.invocation_id x
    %x = vyre.load %in[%i] : !vyre.buffer<64xi8, read_only> -> i8
    %c48 = arith.constant 48 : i8
    %c10 = arith.constant 10 : i8
    // CHECK: [[DIGIT:%\S+]] = arith.subi
    // CHECK-NEXT: arith.cmpi ult, [[DIGIT]]
    %digit = arith.subi %x, %c48 : i8
    %a = arith.cmpi ult, %digit, %c10 : i8
    // CHECK: [[WIDE:%\S+]] = arith.extui
    // CHECK: arith.cmpi slt, [[WIDE]]
    %wide = arith.extui %x : i8 to i16
    %c5 = arith.constant 5 : i16
    %b = arith.cmpi slt, %wide, %c5 : i16
    // CHECK: [[SUM:%\S+]] = arith.addi
    // CHECK-NEXT: arith.cmpi eq, [[SUM]]
    %sum = arith.addi %x, %digit : i8
    %c = arith.cmpi eq, %sum, %c10 : i8
    // CHECK: [[SHIFTED:%\S+]] = arith.shrui
    // CHECK-NEXT: arith.cmpi eq, [[SHIFTED]]
    %shifted = arith.shrui %x, %c10 : i8
    %d = arith.cmpi eq, %shifted, %c10 : i8
    // CHECK: [[NEXT:%\S+]] = arith.addi %i
    // CHECK-NEXT: arith.cmpi eq, [[NEXT]]
    %one = arith.constant 1 : index
    %next = arith.addi %i, %one : index
    %e = arith.cmpi eq, %next, %one : index
    %ab = arith.andi %a, %b : i1
    %cd = arith.andi %c, %d : i1
    %abcd = arith.andi %ab, %cd : i1
    %all = arith.andi %abcd, %e : i1
    vyre.store %all, %out[%i] : i1, !vyre.buffer<64xi1, write_only>
  }
}

// -----

// What a branch asks is known in it, and in what stands in it; not beside it.

// CHECK-LABEL: vyre.region "branches"
vyre.program @branches {
  %in = vyre.buffer @in : !vyre.buffer<64xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi1, write_only>
  vyre.region "branches" invocations [64] {
    %i = vyre.invocation_id x
    %c9 = arith.constant 9 : i8
    %x = vyre.load %in[%i] : !vyre.buffer<64xi8, read_only> -> i8
    %y = vyre.load %in[%i] : !vyre.buffer<64xi8, read_only> -> i8
    // CHECK: %is_less = arith.cmpi ult
    // CHECK-NEXT: %other = arith.cmpi eq
    %is_less = arith.cmpi ult, %x, %c9 : i8
    %other = arith.cmpi eq, %y, %c9 : i8
    // CHECK: scf.if %is_less {
    // CHECK-NEXT: [[YES:%\S+]] = arith.constant true
    // CHECK-NEXT: scf.if %other {
    // CHECK-NEXT: vyre.store [[YES]]
    scf.if %is_less {
      scf.if %other {
        vyre.store %is_less, %out[%i] : i1, !vyre.buffer<64xi1, write_only>
      }
    // CHECK: } else {
    // CHECK-NEXT: [[NO:%\S+]] = arith.constant false
    // CHECK-NEXT: vyre.store [[NO]]
    } else {
      vyre.store %is_less, %out[%i] : i1, !vyre.buffer<64xi1, write_only>
    }
    // CHECK: vyre.store %is_less
    vyre.store %is_less, %out[%i] : i1, !vyre.buffer<64xi1, write_only>
  }
}
