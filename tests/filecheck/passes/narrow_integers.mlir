// RUN: xdsl-opt %s --split-input-file -p vyre-narrow-integers | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p vyre-narrow-integers,vyre-narrow-integers -o %t && xdsl-opt %s --split-input-file -p vyre-narrow-integers | diff - %t

// A sum of two products of bytes has 16 bits, of which the low ones of a shifted one are stored.
// What is proven of more bits is not of these.
// CHECK-LABEL: vyre.program @weighted
// CHECK:         %[[A:.*]] = arith.extui %a : i8 to i16
// CHECK-NEXT:    %[[B:.*]] = arith.extui %b : i8 to i16
// CHECK:         %r = arith.muli %[[A]], %{{.*}} : i16
// CHECK-NEXT:    %g = arith.muli %[[B]], %{{.*}} : i16
// CHECK-NEXT:    %rg = arith.addi %r, %g : i16
// CHECK-NEXT:    %shade = arith.shrui %rg, %{{.*}} : i16
// CHECK-NEXT:    %byte = arith.trunci %shade : i16 to i8
vyre.program @weighted workgroup_size [64] {
  %in = vyre.buffer @in : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %in : !vyre.buffer<?xi8, read_only>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, read_write>
  vyre.region "weighted" invocations [%n] {
    %i = vyre.invocation_id x
    %c1 = arith.constant 1 : index
    %next = arith.addi %i, %c1 : index
    %a = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %b = vyre.load %in[%next] : !vyre.buffer<?xi8, read_only> -> i8
    %wide_a = arith.extui %a : i8 to i32
    %wide_b = arith.extui %b : i8 to i32
    %of_a = arith.constant 77 : i32
    %of_b = arith.constant 150 : i32
    %shift = arith.constant 8 : i32
    %r = arith.muli %wide_a, %of_a : i32
    %g = arith.muli %wide_b, %of_b : i32
    %rg = arith.addi %r, %g overflow<nsw> : i32
    %shade = arith.shrui %rg, %shift : i32
    %byte = arith.trunci %shade : i32 to i8
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
}

// -----

// Differences of bytes may be negative: they are read as signed numbers, and compared so.
// CHECK-LABEL: vyre.program @apart
// CHECK:         %difference = arith.subi %{{.*}}, %{{.*}} : i16
// CHECK-NEXT:    %size = math.absi %difference : i16
// CHECK-NEXT:    %double = arith.addi %size, %difference : i16
// CHECK-NEXT:    %[[LIMIT:.*]] = arith.constant -200 : i16
// CHECK-NEXT:    %falls = arith.cmpi slt, %double, %[[LIMIT]] : i16
vyre.program @apart workgroup_size [64] {
  %in = vyre.buffer @in : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %in : !vyre.buffer<?xi8, read_only>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "apart" invocations [%n] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %next = arith.addi %i, %c1 : index
    %a = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %b = vyre.load %in[%next] : !vyre.buffer<?xi8, read_only> -> i8
    %wide_a = arith.extui %a : i8 to i32
    %wide_b = arith.extui %b : i8 to i32
    %difference = arith.subi %wide_a, %wide_b : i32
    %size = math.absi %difference : i32
    %double = arith.addi %size, %difference : i32
    %limit = arith.constant -200 : i32
    %falls = arith.cmpi slt, %double, %limit : i32
    %one = arith.extui %falls : i1 to i32
    %old = vyre.atomic_rmw addi %one, %count[%c0] : i32, !vyre.buffer<1xi32, read_write>
  }
}

// -----

// Of what is stored in a byte, other bits are never computed; a byte needs no conversion.
// CHECK-LABEL: vyre.program @low_bits
// CHECK:         %[[KEY:.*]] = arith.constant -24 : i8
// CHECK-NEXT:    %moved = arith.addi %a, %[[KEY]] : i8
// CHECK-NEXT:    %mixed = arith.xori %moved, %[[KEY]] : i8
// CHECK-NEXT:    vyre.store %mixed, %out[%i]
vyre.program @low_bits workgroup_size [64] {
  %in = vyre.buffer @in : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %in : !vyre.buffer<?xi8, read_only>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, read_write>
  vyre.region "low" invocations [%n] {
    %i = vyre.invocation_id x
    %a = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %wide = arith.extui %a : i8 to i64
    %key = arith.constant 1000 : i64
    %moved = arith.addi %wide, %key : i64
    %mixed = arith.xori %moved, %key : i64
    %byte = arith.trunci %mixed : i64 to i8
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
}

// -----

// Left: what would be extended again at once, places, and numbers that may be large.
// CHECK-LABEL: vyre.program @left
// CHECK-NOT:     arith.trunci
// CHECK:         %code = arith.andi %wide, %mask : i32
// CHECK:         %sum = arith.addi %b, %wide : i32
// CHECK-NEXT:    %is_less = arith.cmpi ult, %sum, %mask : i32
// CHECK:         %near = arith.andi %place, %mask : i32
// CHECK-NEXT:    %is_near = arith.cmpi ult, %near, %mask : i32
vyre.program @left workgroup_size [64] {
  %in = vyre.buffer @in : !vyre.buffer<?xi8, read_only>
  %large = vyre.buffer @large : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %in : !vyre.buffer<?xi8, read_only>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi32, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "left" invocations [%n] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %a = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %wide = arith.extui %a : i8 to i32
    %mask = arith.constant 15 : i32
    %code = arith.andi %wide, %mask : i32
    vyre.store %code, %out[%i] : i32, !vyre.buffer<?xi32, read_write>
    %b = vyre.load %large[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %sum = arith.addi %b, %wide : i32
    %is_less = arith.cmpi ult, %sum, %mask : i32
    %place = arith.index_cast %i : index to i32
    %near = arith.andi %place, %mask : i32
    %is_near = arith.cmpi ult, %near, %mask : i32
    %is_both = arith.andi %is_less, %is_near : i1
    %one = arith.extui %is_both : i1 to i32
    %old = vyre.atomic_rmw addi %one, %count[%c0] : i32, !vyre.buffer<1xi32, read_write>
  }
}
