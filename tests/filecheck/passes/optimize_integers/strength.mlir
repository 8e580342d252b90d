// RUN: xdsl-opt %s -p vyre-optimize-integers,canonicalize --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p vyre-optimize-integers,vyre-optimize-integers,canonicalize --split-input-file | filecheck %s

// What is unsigned of numbers that are not negative, signed, in an arm as in a kernel.

// CHECK-LABEL: vyre.region "unsigned"
vyre.program @unsigned {
  %in = vyre.buffer @in : !vyre.buffer<?xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<?xi8, read_write>
  %n = vyre.buf_len %in : !vyre.buffer<?xi8, read_only>
  vyre.region "unsigned" invocations [%n] {
    %i = vyre.invocation_id x
    %m = vyre.buf_len %in : !vyre.buffer<?xi8, read_only>
    %c3 = arith.constant 3 : index
    // CHECK: %a = arith.divsi %i, %c3
    // CHECK: %b = arith.remsi %i, %c3
    // CHECK: %c = arith.shrsi %i, %c3
    // CHECK: %d = arith.minsi %i, %m
    // CHECK: %e = arith.maxsi %i, %m
    // CHECK: %f = arith.cmpi slt, %i, %m
    // CHECK: %g = arith.divsi %i, %m
    %a = arith.divui %i, %c3 : index
    %b = arith.remui %i, %c3 : index
    %c = arith.shrui %i, %c3 : index
    %d = arith.minui %i, %m : index
    %e = arith.maxui %i, %m : index
    %f = arith.cmpi ult, %i, %m : index
    %g = arith.divui %i, %m : index
    %x = arith.select %f, %a, %b : index
    %y = arith.addi %c, %d : index
    %z = arith.addi %e, %x : index
    %u = arith.addi %z, %y : index
    %v = arith.addi %u, %g : index
    %zero = arith.constant 0 : i8
    vyre.store %zero, %out[%v] : i8, !vyre.buffer<?xi8, read_write>
  }
}

// -----

// Division and remainder by constants, of a number that is not negative.

// CHECK-LABEL: vyre.kernel @constants
vyre.kernel @constants(%out: !vyre.buffer<?xi8, read_write>, %out_len: index) workgroup_size [64] generator "constants" {
  %i = vyre.invocation_id x
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c6 = arith.constant 6 : index
  // CHECK: [[THREE:%\S+]] = arith.constant 3
  // CHECK-NEXT: %a = arith.shrsi %i, [[THREE]]
  // CHECK-NEXT: [[MASK:%\S+]] = arith.constant 7
  // CHECK-NEXT: %b = arith.andi %i, [[MASK]]
  // CHECK-NEXT: [[SEVEN:%\S+]] = arith.constant 7
  // CHECK-NEXT: [[PLUS7:%\S+]] = arith.addi %i, [[SEVEN]]
  // CHECK-NEXT: [[BY8:%\S+]] = arith.constant 3
  // CHECK-NEXT: %c = arith.shrsi [[PLUS7]], [[BY8]]
  // CHECK-NEXT: [[FIVE:%\S+]] = arith.constant 5
  // CHECK-NEXT: [[PLUS5:%\S+]] = arith.addi %i, [[FIVE]]
  // CHECK-NEXT: %d = arith.divsi [[PLUS5]], %c6
  // CHECK-NEXT: %e = arith.divsi %i, %c6
  // CHECK-NEXT: %x = arith.addi %a, %b
  // CHECK-NEXT: %y = arith.addi %c, %d
  // CHECK-NEXT: %z = arith.addi %e, %i
  %a = arith.divsi %i, %c8 : index
  %b = arith.remsi %i, %c8 : index
  %c = arith.ceildivsi %i, %c8 : index
  %d = arith.ceildivui %i, %c6 : index
  %e = arith.floordivsi %i, %c6 : index
  %f = arith.ceildivsi %i, %c1 : index
  %x = arith.addi %a, %b : index
  %y = arith.addi %c, %d : index
  %z = arith.addi %e, %f : index
  %u = arith.addi %x, %y : index
  %v = arith.addi %u, %z : index
  %zero = arith.constant 0 : i8
  vyre.store %zero, %out[%v] : i8, !vyre.buffer<?xi8, read_write>
}

// -----

// A number that may be negative keeps its ops; only rounding down by a power of two is a shift
// for every number.

// CHECK-LABEL: vyre.kernel @negative
vyre.kernel @negative(%n: index, %out: !vyre.buffer<?xi8, read_write>, %out_len: index) workgroup_size [64] generator "negative" {
  %i = vyre.invocation_id x
  %c8 = arith.constant 8 : index
  %minus = arith.constant -8 : index
  // CHECK: arith.divui %n, %c8
  // CHECK-NEXT: arith.divsi %n, %c8
  // CHECK-NEXT: arith.remsi %n, %c8
  // CHECK-NEXT: arith.ceildivsi %n, %c8
  // CHECK: %e = arith.shrsi %n, {{%\S+}}
  // CHECK-NEXT: arith.floordivsi %n, %minus
  // CHECK-NEXT: arith.cmpi ult, %n, %i
  // CHECK-NEXT: arith.minui %n, %i
  // CHECK-NEXT: arith.shrui %n, %c8
  %a = arith.divui %n, %c8 : index
  %b = arith.divsi %n, %c8 : index
  %c = arith.remsi %n, %c8 : index
  %d = arith.ceildivsi %n, %c8 : index
  %e = arith.floordivsi %n, %c8 : index
  %f = arith.floordivsi %n, %minus : index
  %g = arith.cmpi ult, %n, %i : index
  %h = arith.minui %n, %i : index
  %j = arith.shrui %n, %c8 : index
  %k = arith.select %g, %a, %b : index
  %l = arith.addi %c, %d : index
  %mm = arith.addi %e, %f : index
  %o = arith.addi %h, %j : index
  %p = arith.addi %k, %l : index
  %q = arith.addi %mm, %o : index
  %r = arith.addi %p, %q : index
  %zero = arith.constant 0 : i8
  vyre.store %zero, %out[%r] : i8, !vyre.buffer<?xi8, read_write>
}

// -----

// A sum that might wrap around is no way to round up, though no operand is negative.

// CHECK-LABEL: vyre.kernel @huge
vyre.kernel @huge(%n: index, %out: !vyre.buffer<?xi8, read_write>, %out_len: index) workgroup_size [64] generator "huge" {
  %i = vyre.invocation_id x
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %positive = arith.maxsi %n, %c0 : index
  // CHECK: arith.ceildivsi %positive, %c8
  %a = arith.ceildivsi %positive, %c8 : index
  %zero = arith.constant 0 : i8
  vyre.store %zero, %out[%a] : i8, !vyre.buffer<?xi8, read_write>
}

// -----

// Other integers and vectors: rounding down by a power of two, read as a signed number.

// CHECK-LABEL: vyre.kernel @integers
vyre.kernel @integers(%in: !vyre.buffer<?xi32, read_only>, %in_len: index, %out: !vyre.buffer<?xi32, read_write>, %out_len: index) workgroup_size [64] generator "integers" {
  %i = vyre.invocation_id x
  %c8 = arith.constant 8 : i32
  %most = arith.constant -2147483648 : i32
  %splat = arith.constant dense<4> : vector<4xi32>
  // CHECK: arith.shrsi %a, {{%\S+}} : i32
  // CHECK-NEXT: arith.floordivsi %a, %most
  // CHECK: arith.shrsi %v, {{%\S+}} : vector<4xi32>
  %a = vyre.load %in[%i] : !vyre.buffer<?xi32, read_only> -> i32
  %v = vyre.load %in[%i] : !vyre.buffer<?xi32, read_only> -> vector<4xi32>
  %b = arith.floordivsi %a, %c8 : i32
  %c = arith.floordivsi %a, %most : i32
  %w = arith.floordivsi %v, %splat : vector<4xi32>
  %d = arith.addi %b, %c : i32
  vyre.store %d, %out[%i] : i32, !vyre.buffer<?xi32, read_write>
  vyre.store %w, %out[%i] : vector<4xi32>, !vyre.buffer<?xi32, read_write>
}

// -----

// Division of what is a multiple of the divisor, but for a rest that is not negative.

// CHECK-LABEL: vyre.kernel @multiples
vyre.kernel @multiples(%out: !vyre.buffer<?xi8, read_write>, %out_len: index) workgroup_size [64] generator "multiples" {
  %g = vyre.workgroup_id x
  %lane = vyre.local_id x
  %c5 = arith.constant 5 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c96 = arith.constant 96 : index
  %c100 = arith.constant 100 : index
  %first = arith.muli %g, %c64 : index
  %i = arith.addi %first, %lane : index
  %three = arith.muli %g, %c96 : index
  %j = arith.addi %three, %c5 : index
  %shifted = arith.shli %g, %c5 : index
  // The lane is below 64, and its own quotient stays; in a branch where it is below 32, that is 0.
  // CHECK: [[TWO:%\S+]] = arith.constant 2
  // CHECK: [[TWICE:%\S+]] = arith.muli %g, [[TWO]]
  // CHECK: [[REST:%\S+]] = arith.shrsi %lane, %{{\S+}}
  // CHECK-NEXT: %a = arith.addi [[TWICE]], [[REST]]
  // CHECK: %b = arith.andi %lane, %{{\S+}}
  // CHECK: %c = arith.muli %g, %{{\S+}}
  // CHECK-NOT: arith.shrui
  // Its divisor divides no factor.
  // CHECK: %h = arith.divsi %i, %c100
  %a = arith.divui %i, %c32 : index
  %b = arith.remui %i, %c32 : index
  %c = arith.divsi %j, %c32 : index
  %d = arith.andi %j, %c31 : index
  %e = arith.shrui %shifted, %c5 : index
  %h = arith.divui %i, %c100 : index
  // CHECK: "test.op"(%a, %b, %c, %c5, %g, %h)
  "test.op"(%a, %b, %c, %d, %e, %h) : (index, index, index, index, index, index) -> ()
  %is_low = arith.cmpi ult, %lane, %c32 : index
  // CHECK: scf.if
  // CHECK: %k = arith.muli %g
  // CHECK-NEXT: "test.op"(%k, %lane)
  scf.if %is_low {
    %k = arith.divui %i, %c32 : index
    %l = arith.remui %i, %c32 : index
    "test.op"(%k, %l) : (index, index) -> ()
  }
}

// -----

// The sum may wrap around, or the rest may be negative: nothing is known of the quotient.

// CHECK-LABEL: vyre.kernel @no_multiples
vyre.kernel @no_multiples(%n: index, %out: !vyre.buffer<?xi8, read_write>, %out_len: index) workgroup_size [64] generator "no_multiples" {
  %g = vyre.workgroup_id x
  %lane = vyre.local_id x
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %many = arith.muli %n, %c32 : index
  %i = arith.addi %many, %lane : index
  %some = arith.muli %g, %c32 : index
  %less = arith.subi %lane, %c1 : index
  %j = arith.addi %some, %less : index
  // CHECK: %a = arith.{{divui|floordivsi|shrui|shrsi}} %i
  // CHECK: %b = arith.{{divui|divsi}} %j
  %a = arith.divui %i, %c32 : index
  %b = arith.divui %j, %c32 : index
  "test.op"(%a, %b) : (index, index) -> ()
}

// -----

// What is added to a multiple does not count beside another multiple, unless it reaches the next one, or the sum may
// wrap around.

// CHECK-LABEL: vyre.kernel @multiples_compared
vyre.kernel @multiples_compared(%n: index, %out: !vyre.buffer<?xi8, read_write>, %out_len: index) workgroup_size [64] generator "multiples_compared" {
  %g = vyre.workgroup_id x
  %lane = vyre.local_id x
  %c64 = arith.constant 64 : index
  %end = arith.muli %n, %c64 : index
  %first = arith.muli %g, %c64 : index
  %own = arith.addi %first, %lane : index
  %next = arith.addi %first, %c64 : index
  %other = arith.addi %end, %c64 : index
  // CHECK: %a = arith.cmpi slt, %first, %end
  // CHECK-NEXT: %b = arith.cmpi sge, %first, %end
  // CHECK-NEXT: %c = arith.cmpi sge, %first, %end
  // CHECK-NEXT: %d = arith.cmpi slt, %first, %end
  // CHECK-NEXT: %e = arith.cmpi sgt, %own, %end
  // CHECK-NEXT: %f = arith.cmpi slt, %next, %end
  // CHECK-NEXT: %h = arith.cmpi slt, %own, %n
  // CHECK-NEXT: %k = arith.cmpi sgt, %other, %first
  %a = arith.cmpi slt, %own, %end : index
  %b = arith.cmpi sge, %own, %end : index
  %c = arith.cmpi sgt, %next, %end : index
  %d = arith.cmpi sle, %next, %end : index
  %e = arith.cmpi sgt, %own, %end : index
  %f = arith.cmpi slt, %next, %end : index
  %h = arith.cmpi slt, %own, %n : index
  %k = arith.cmpi sgt, %other, %first : index
  "test.op"(%a, %b, %c, %d, %e, %f, %h, %k) : (i1, i1, i1, i1, i1, i1, i1, i1) -> ()
}
