// Programs that together use every op that has an OpenCL form, or have gone wrong once. What they
// read is `words`, 64 numbers of type i32; tests compare devices with the reference interpreter.

vyre.program @loops workgroup_size [16] {
  %words = vyre.buffer @words : !vyre.buffer<64xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<256xi32, read_write>
  vyre.region "loops" invocations [64] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c9 = arith.constant 9 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %first = vyre.load %words[%i] : !vyre.buffer<64xi32, read_only> -> i32
    // The carried values change places: both are read before either is written.
    %a, %b = scf.for %k = %c0 to %c9 step %c1 iter_args(%x = %first, %y = %one) -> (i32, i32) {
      %sum = arith.addi %x, %y : i32
      scf.yield %sum, %x : i32, i32
    }
    %base = arith.muli %i, %c4 : index
    vyre.store %a, %out[%base] : i32, !vyre.buffer<256xi32, read_write>
    %at1 = arith.addi %base, %c1 : index
    vyre.store %b, %out[%at1] : i32, !vyre.buffer<256xi32, read_write>
    // Collatz: a while loop whose condition needs statements of its own.
    %mask = arith.constant 1023 : i32
    %small = arith.andi %first, %mask : i32
    %start = arith.addi %small, %one : i32
    %limit = arith.constant 50 : i32
    %last, %steps = scf.while (%n = %start, %count = %zero) : (i32, i32) -> (i32, i32) {
      %done = arith.cmpi eq, %n, %one : i32
      %below = arith.cmpi ult, %count, %limit : i32
      %true = arith.constant true
      %more = arith.xori %done, %true : i1
      %go = arith.andi %more, %below : i1
      scf.condition(%go) %n, %count : i32, i32
    } do {
    ^bb0(%n: i32, %count: i32):
      %odd = arith.andi %n, %one : i32
      %is_odd = arith.cmpi eq, %odd, %one : i32
      %next = scf.if %is_odd -> (i32) {
        %three = arith.constant 3 : i32
        %tripled = arith.muli %n, %three : i32
        %result = arith.addi %tripled, %one : i32
        scf.yield %result : i32
      } else {
        %half = arith.shrui %n, %one : i32
        scf.yield %half : i32
      }
      %counted = arith.addi %count, %one : i32
      scf.yield %next, %counted : i32, i32
    }
    %c2 = arith.constant 2 : index
    %at2 = arith.addi %base, %c2 : index
    vyre.store %last, %out[%at2] : i32, !vyre.buffer<256xi32, read_write>
    %c3 = arith.constant 3 : index
    %at3 = arith.addi %base, %c3 : index
    vyre.store %steps, %out[%at3] : i32, !vyre.buffer<256xi32, read_write>
  }
}

// -----

vyre.program @branches workgroup_size [16] {
  %words = vyre.buffer @words : !vyre.buffer<64xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<192xi32, read_write>
  vyre.region "branches" invocations [64] {
    %i = vyre.invocation_id x
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %word = vyre.load %words[%i] : !vyre.buffer<64xi32, read_only> -> i32
    %case = arith.remui %i, %c4 : index
    %picked = scf.index_switch %case -> i32
    case 0 {
      %v = arith.constant 100 : i32
      scf.yield %v : i32
    }
    case 2 {
      %v = arith.muli %word, %word : i32
      scf.yield %v : i32
    }
    default {
      scf.yield %word : i32
    }
    %base = arith.muli %i, %c3 : index
    vyre.store %picked, %out[%base] : i32, !vyre.buffer<192xi32, read_write>
    %ten = arith.constant 10 : i32
    %hundred = arith.constant 100 : i32
    %below_ten = arith.cmpi slt, %word, %ten : i32
    %below_hundred = arith.cmpi slt, %word, %hundred : i32
    %class, %other = scf.if %below_ten -> (i32, i32) {
      scf.yield %ten, %word : i32, i32
    } else {
      %inner = scf.if %below_hundred -> (i32) {
        scf.yield %hundred : i32
      } else {
        %negated = arith.subi %ten, %word : i32
        scf.yield %negated : i32
      }
      scf.yield %inner, %inner : i32, i32
    }
    %one = arith.constant 1 : index
    %at1 = arith.addi %base, %one : index
    vyre.store %class, %out[%at1] : i32, !vyre.buffer<192xi32, read_write>
    %inside = scf.execute_region -> (i32) {
      %sum = arith.addi %class, %other : i32
      scf.yield %sum : i32
    }
    %two = arith.constant 2 : index
    %at2 = arith.addi %base, %two : index
    vyre.store %inside, %out[%at2] : i32, !vyre.buffer<192xi32, read_write>
  }
}

// -----

vyre.program @vectors workgroup_size [16] {
  %words = vyre.buffer @words : !vyre.buffer<64xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xvector<16xi32>, read_write>
  vyre.region "vectors" invocations [64] {
    %i = vyre.invocation_id x
    %lanes = vyre.load %words[%i] : !vyre.buffer<64xi32, read_only> -> vector<4xi32>
    %c7 = arith.constant 7 : i32
    %sevens = vector.broadcast %c7 : i32 to vector<4xi32>
    %sum = arith.addi %lanes, %sevens : vector<4xi32>
    %reversed = vector.shuffle %sum, %sum [3, 2, 1, 0] : vector<4xi32>, vector<4xi32>
    %mixed = vector.shuffle %lanes, %sevens [0, 5, 2, 7, 1, 1, 4, 3] : vector<4xi32>, vector<4xi32>
    %third = vector.extract %lanes[2] : i32 from vector<4xi32>
    %c4 = arith.constant 4 : index
    %lane = arith.remui %i, %c4 : index
    %some = vector.extract %lanes[%lane] : i32 from vector<4xi32>
    %inserted = vector.insert %third, %reversed[0] : i32 into vector<4xi32>
    %again = vector.insert %some, %inserted[2] : i32 into vector<4xi32>
    %dynamic = vector.insert %c7, %again[%lane] : i32 into vector<4xi32>
    %total = vector.reduction <add>, %lanes : vector<4xi32> into i32
    %largest = vector.reduction <maxsi>, %lanes, %total : vector<4xi32> into i32
    %smallest = vector.reduction <minui>, %lanes : vector<4xi32> into i32
    %bits = vector.bitcast %lanes : vector<4xi32> to vector<8xi16>
    %halves = vector.reduction <xor>, %bits : vector<8xi16> into i16
    %wide = arith.extsi %halves : i16 to i32
    %mask = vector.create_mask %lane : vector<4xi1>
    %set = vector.extract %mask[1] : i1 from vector<4xi1>
    %one_if_set = arith.extui %set : i1 to i32
    %zeros = arith.constant dense<0> : vector<4xi32>
    %v0 = vector.insert %total, %zeros[0] : i32 into vector<4xi32>
    %v1 = vector.insert %largest, %v0[1] : i32 into vector<4xi32>
    %v2 = vector.insert %wide, %v1[2] : i32 into vector<4xi32>
    %v3 = vector.insert %one_if_set, %v2[3] : i32 into vector<4xi32>
    %few = arith.constant dense<[1, -2, 3, -4]> : vector<4xi32>
    %scaled = arith.muli %v3, %few : vector<4xi32>
    %shifted = vector.broadcast %smallest : i32 to vector<4xi32>
    %last = arith.xori %scaled, %shifted : vector<4xi32>
    %front = vector.shuffle %mixed, %dynamic [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 8, 9, 10, 11] : vector<8xi32>, vector<4xi32>
    %back = vector.shuffle %last, %last [0, 1, 2, 3] : vector<4xi32>, vector<4xi32>
    %all = vector.shuffle %front, %back [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 18, 19] : vector<16xi32>, vector<4xi32>
    vyre.store %all, %out[%i] : vector<16xi32>, !vyre.buffer<64xvector<16xi32>, read_write>
  }
}

// -----

// Lanes that are indices wrap around, and are compared, as those of other integers.
vyre.program @vectors_of_indices {
  %words = vyre.buffer @words : !vyre.buffer<64xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi64, read_write>
  vyre.region "vectors_of_indices" invocations [64] {
    %i = vyre.invocation_id x
    %word = vyre.load %words[%i] : !vyre.buffer<64xi32, read_only> -> i32
    %number = arith.index_cast %word : i32 to index
    %numbers = vector.broadcast %number : index to vector<4xindex>
    %few = arith.constant dense<[3, -5, 1099511627776, 9223372036854775807]> : vector<4xindex>
    %two = arith.constant dense<2> : vector<4xindex>
    %sum = arith.addi %numbers, %few : vector<4xindex>
    %product = arith.muli %sum, %numbers : vector<4xindex>
    %shifted = arith.shli %product, %two : vector<4xindex>
    %total = vector.reduction <add>, %shifted, %number : vector<4xindex> into index
    %powers = vector.reduction <mul>, %shifted : vector<4xindex> into index
    %least = vector.reduction <minui>, %sum : vector<4xindex> into index
    %most = vector.reduction <maxui>, %product, %number : vector<4xindex> into index
    %lowest = vector.reduction <minsi>, %shifted : vector<4xindex> into index
    %a = arith.xori %total, %powers : index
    %b = arith.muli %least, %most : index
    %c = arith.xori %a, %b : index
    %d = arith.addi %c, %lowest : index
    %result = arith.index_cast %d : index to i64
    vyre.store %result, %out[%i] : i64, !vyre.buffer<64xi64, read_write>
  }
}

// -----

vyre.program @conversions workgroup_size [16] {
  %words = vyre.buffer @words : !vyre.buffer<64xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<1024xi64, read_write>
  vyre.region "conversions" invocations [64] {
    %i = vyre.invocation_id x
    %word = vyre.load %words[%i] : !vyre.buffer<64xi32, read_only> -> i32
    %byte = arith.trunci %word : i32 to i8
    %bit = arith.trunci %word : i32 to i1
    %short = arith.trunci %word : i32 to i16
    %r0 = arith.extui %byte : i8 to i64
    %r1 = arith.extsi %byte : i8 to i64
    %r2 = arith.extui %bit : i1 to i64
    %r3 = arith.extsi %bit : i1 to i64
    %index = arith.index_cast %short : i16 to index
    %r4 = arith.index_cast %index : index to i64
    %float = arith.sitofp %byte : i8 to f32
    %double = arith.extf %float : f32 to f64
    %half = arith.constant 5.000000e-01 : f64
    %scaled = arith.mulf %double, %half : f64
    %whole = arith.fptosi %scaled : f64 to i32
    %r5 = arith.extsi %whole : i32 to i64
    %unsigned = arith.uitofp %short : i16 to f32
    %number = arith.fptoui %unsigned : f32 to i64
    %single = arith.truncf %scaled : f64 to f32
    %pattern = arith.bitcast %single : f32 to i32
    %r7 = arith.extui %pattern : i32 to i64
    %sum, %carry = arith.addui_extended %word, %word : i32, i1
    %carried = arith.extui %carry : i1 to i32
    %both = arith.addi %sum, %carried : i32
    %r8 = arith.extui %both : i32 to i64
    %low, %high = arith.mului_extended %word, %word : i32
    %slow, %shigh = arith.mulsi_extended %word, %word : i32
    %r9 = arith.extui %high : i32 to i64
    %r10 = arith.extsi %shigh : i32 to i64
    %count = math.ctpop %word : i32
    %leading = math.ctlz %word : i32
    %trailing = math.cttz %word : i32
    %magnitude = math.absi %word : i32
    %r11 = arith.extui %count : i32 to i64
    %r12 = arith.extui %leading : i32 to i64
    %r13 = arith.extui %trailing : i32 to i64
    %r14 = arith.extui %magnitude : i32 to i64
    %power = math.ipowi %word, %count : i32
    %r15 = arith.extsi %power : i32 to i64
    %v0 = vector.broadcast %r0 : i64 to vector<16xi64>
    %v1 = vector.insert %r1, %v0[1] : i64 into vector<16xi64>
    %v2 = vector.insert %r2, %v1[2] : i64 into vector<16xi64>
    %v3 = vector.insert %r3, %v2[3] : i64 into vector<16xi64>
    %v4 = vector.insert %r4, %v3[4] : i64 into vector<16xi64>
    %v5 = vector.insert %r5, %v4[5] : i64 into vector<16xi64>
    %v6 = vector.insert %number, %v5[6] : i64 into vector<16xi64>
    %v7 = vector.insert %r7, %v6[7] : i64 into vector<16xi64>
    %v8 = vector.insert %r8, %v7[8] : i64 into vector<16xi64>
    %v9 = vector.insert %r9, %v8[9] : i64 into vector<16xi64>
    %v10 = vector.insert %r10, %v9[10] : i64 into vector<16xi64>
    %v11 = vector.insert %r11, %v10[11] : i64 into vector<16xi64>
    %v12 = vector.insert %r12, %v11[12] : i64 into vector<16xi64>
    %v13 = vector.insert %r13, %v12[13] : i64 into vector<16xi64>
    %v14 = vector.insert %r14, %v13[14] : i64 into vector<16xi64>
    %v15 = vector.insert %r15, %v14[15] : i64 into vector<16xi64>
    %c16 = arith.constant 16 : index
    %place = arith.muli %i, %c16 : index
    vyre.store %v15, %out[%place] : vector<16xi64>, !vyre.buffer<1024xi64, read_write>
  }
}

// -----

vyre.program @floats workgroup_size [16] {
  %words = vyre.buffer @words : !vyre.buffer<64xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<1024xf32, read_write>
  vyre.region "floats" invocations [64] {
    %i = vyre.invocation_id x
    %word = vyre.load %words[%i] : !vyre.buffer<64xi32, read_only> -> i32
    %byte = arith.trunci %word : i32 to i8
    %x = arith.sitofp %byte : i8 to f32
    %quarter = arith.constant 2.500000e-01 : f32
    %y = arith.mulf %x, %quarter : f32
    %nan = arith.constant 0x7FC00000 : f32
    %infinity = arith.constant 0x7F800000 : f32
    %sum = arith.addf %y, %quarter : f32
    %r1 = math.floor %y : f32
    %r2 = math.ceil %y : f32
    %r3 = math.trunc %y : f32
    %r4 = math.round %y : f32
    %r5 = math.roundeven %y : f32
    %r6 = math.absf %y : f32
    %r7 = math.fma %x, %y, %sum : f32
    %r8 = arith.minimumf %y, %nan : f32
    %r9 = arith.maxnumf %y, %nan : f32
    %r10 = arith.negf %y : f32
    %smaller = arith.cmpf olt, %y, %r1 : f32
    %unordered = arith.cmpf ult, %nan, %y : f32
    %not_equal = arith.cmpf one, %y, %x : f32
    %r11 = arith.select %smaller, %x, %infinity : f32
    %r12 = arith.select %unordered, %x, %y : f32
    %r13 = arith.select %not_equal, %x, %y : f32
    %r14 = math.copysign %x, %r10 : f32
    %difference = arith.subf %sum, %x : f32
    %v0 = vector.broadcast %sum : f32 to vector<16xf32>
    %v1 = vector.insert %r1, %v0[1] : f32 into vector<16xf32>
    %v2 = vector.insert %r2, %v1[2] : f32 into vector<16xf32>
    %v3 = vector.insert %r3, %v2[3] : f32 into vector<16xf32>
    %v4 = vector.insert %r4, %v3[4] : f32 into vector<16xf32>
    %v5 = vector.insert %r5, %v4[5] : f32 into vector<16xf32>
    %v6 = vector.insert %r6, %v5[6] : f32 into vector<16xf32>
    %v7 = vector.insert %r7, %v6[7] : f32 into vector<16xf32>
    %v8 = vector.insert %r8, %v7[8] : f32 into vector<16xf32>
    %v9 = vector.insert %r9, %v8[9] : f32 into vector<16xf32>
    %v10 = vector.insert %r10, %v9[10] : f32 into vector<16xf32>
    %v11 = vector.insert %r11, %v10[11] : f32 into vector<16xf32>
    %v12 = vector.insert %r12, %v11[12] : f32 into vector<16xf32>
    %v13 = vector.insert %r13, %v12[13] : f32 into vector<16xf32>
    %v14 = vector.insert %r14, %v13[14] : f32 into vector<16xf32>
    %v15 = vector.insert %difference, %v14[15] : f32 into vector<16xf32>
    %c16 = arith.constant 16 : index
    %place = arith.muli %i, %c16 : index
    vyre.store %v15, %out[%place] : vector<16xf32>, !vyre.buffer<1024xf32, read_write>
  }
}

// -----

vyre.program @atomics workgroup_size [16] {
  %words = vyre.buffer @words : !vyre.buffer<64xi32, read_only>
  %out = vyre.buffer @out live_out fill 5 : i32 : !vyre.buffer<10xi32, read_write>
  %sums = vyre.buffer @sums live_out : !vyre.buffer<4xi64, read_write>
  %tile = vyre.buffer @tile : !vyre.buffer<4xi32, read_write, workgroup>
  vyre.region "atomics" invocations [64] {
    %i = vyre.invocation_id x
    %local = vyre.local_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %c7 = arith.constant 7 : index
    %word = vyre.load %words[%i] : !vyre.buffer<64xi32, read_only> -> i32
    %0 = vyre.atomic_rmw addi %word, %out[%c0] : i32, !vyre.buffer<10xi32, read_write>
    %1 = vyre.atomic_rmw andi %word, %out[%c1] : i32, !vyre.buffer<10xi32, read_write>
    %2 = vyre.atomic_rmw ori %word, %out[%c2] : i32, !vyre.buffer<10xi32, read_write>
    %3 = vyre.atomic_rmw xori %word, %out[%c3] : i32, !vyre.buffer<10xi32, read_write>
    %4 = vyre.atomic_rmw maxs %word, %out[%c4] : i32, !vyre.buffer<10xi32, read_write>
    %5 = vyre.atomic_rmw maxu %word, %out[%c5] : i32, !vyre.buffer<10xi32, read_write>
    %6 = vyre.atomic_rmw mins %word, %out[%c6] : i32, !vyre.buffer<10xi32, read_write>
    %7 = vyre.atomic_rmw minu %word, %out[%c7] : i32, !vyre.buffer<10xi32, read_write>
    // Outside the buffer nothing happens, and the old value is 0.
    %far = arith.constant -1 : index
    %nothing = vyre.atomic_rmw addi %word, %out[%far] : i32, !vyre.buffer<10xi32, read_write>
    %c8 = arith.constant 8 : index
    %8 = vyre.atomic_rmw addi %nothing, %out[%c8] : i32, !vyre.buffer<10xi32, read_write>
    %five = arith.constant 5 : i32
    %c9 = arith.constant 9 : index
    %most = arith.constant -5 : i32
    %9 = vyre.atomic_cas %five, %most, %out[%c9] : i32, !vyre.buffer<10xi32, read_write>
    // 64 bits without 64-bit atomics.
    %wide = arith.extsi %word : i32 to i64
    %shift = arith.constant 24 : i64
    %large = arith.shli %wide, %shift : i64
    %10 = vyre.atomic_rmw addi %large, %sums[%c0] : i64, !vyre.buffer<4xi64, read_write>
    %11 = vyre.atomic_rmw ori %large, %sums[%c1] : i64, !vyre.buffer<4xi64, read_write>
    %12 = vyre.atomic_rmw xori %large, %sums[%c2] : i64, !vyre.buffer<4xi64, read_write>
    %13 = vyre.atomic_rmw andi %large, %sums[%c4] : i64, !vyre.buffer<4xi64, read_write>
    // Of the workgroup.
    %zero = arith.constant 0 : i32
    %is_first = arith.cmpi ult, %local, %c4 : index
    scf.if %is_first {
      vyre.store %zero, %tile[%local] : i32, !vyre.buffer<4xi32, read_write, workgroup>
    }
    vyre.barrier memfence workgroup
    %slot = arith.remui %i, %c4 : index
    %14 = vyre.atomic_rmw addi %word, %tile[%slot] : i32, !vyre.buffer<4xi32, read_write, workgroup>
    vyre.barrier
    scf.if %is_first {
      %total = vyre.load %tile[%local] : !vyre.buffer<4xi32, read_write, workgroup> -> i32
      %18 = vyre.atomic_rmw xori %total, %out[%c8] : i32, !vyre.buffer<10xi32, read_write>
    }
  }
}

// -----

vyre.program @workgroups workgroup_size [8, 4] {
  %words = vyre.buffer @words : !vyre.buffer<64xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<256xi32, read_write>
  %tile = vyre.buffer @tile : !vyre.buffer<40xi32, read_write, workgroup>
  vyre.region "workgroups" invocations [8, 8] subgroup_size 16 {
    %x = vyre.local_id x
    %y = vyre.local_id y
    %group = vyre.workgroup_id y
    %column = vyre.invocation_id x
    %row = vyre.invocation_id y
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c36 = arith.constant 36 : index
    %first = arith.muli %group, %c32 : index
    // Reads past the end of the source: what is outside is 0.
    %token = vyre.async_copy %words[%first], %tile[%c2], %c36 : !vyre.buffer<64xi32, read_only>, !vyre.buffer<40xi32, read_write, workgroup>
    vyre.async_wait %token
    %line = arith.muli %y, %c8 : index
    %local = arith.addi %line, %x : index
    %shifted = arith.addi %local, %c4 : index
    %copied = vyre.load %tile[%shifted] : !vyre.buffer<40xi32, read_write, workgroup> -> i32
    %lane = vyre.subgroup_lane
    %subgroup = vyre.subgroup_id
    %next = arith.addi %lane, %c1 : index
    %neighbour = vyre.subgroup_shuffle %copied, %next : i32
    %most = vyre.subgroup_reduce maxs %copied : i32
    %sum = vyre.subgroup_reduce addi %copied : i32
    %any = vyre.subgroup_reduce minu %copied : i32
    %lane_i32 = arith.index_cast %lane : index to i32
    %subgroup_i32 = arith.index_cast %subgroup : index to i32
    %ids = arith.muli %lane_i32, %subgroup_i32 : i32
    %bit = arith.trunci %copied : i32 to i1
    %parity = vyre.subgroup_reduce addi %bit : i1
    %all = vyre.subgroup_reduce maxs %bit : i1
    %some = vyre.subgroup_reduce maxu %bit : i1
    %parity_i32 = arith.extui %parity : i1 to i32
    %all_i32 = arith.extsi %all : i1 to i32
    %some_i32 = arith.extui %some : i1 to i32
    %votes = arith.subi %all_i32, %some_i32 : i32
    %with_parity = arith.muli %votes, %parity_i32 : i32
    %with_votes = arith.addi %with_parity, %votes : i32
    %mixed_ids = arith.xori %ids, %any : i32
    %mixed = arith.addi %mixed_ids, %with_votes : i32
    %line_of_all = arith.muli %row, %c8 : index
    %number = arith.addi %line_of_all, %column : index
    %place = arith.muli %number, %c4 : index
    vyre.store %neighbour, %out[%place] : i32, !vyre.buffer<256xi32, read_write>
    %at1 = arith.addi %place, %c1 : index
    vyre.store %most, %out[%at1] : i32, !vyre.buffer<256xi32, read_write>
    %at2 = arith.addi %place, %c2 : index
    vyre.store %sum, %out[%at2] : i32, !vyre.buffer<256xi32, read_write>
    %at3 = arith.addi %place, %c3 : index
    vyre.store %mixed, %out[%at3] : i32, !vyre.buffer<256xi32, read_write>
  }
}

// -----

vyre.program @counter_of_i8_that_would_wrap workgroup_size [4] {
  %out = vyre.buffer @out live_out : !vyre.buffer<4xi32, read_write>
  vyre.region "count" invocations [4] {
    %i = vyre.invocation_id x
    %low = arith.constant 0 : i8
    %high = arith.constant 127 : i8
    %step = arith.constant 2 : i8
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %trips = scf.for %k = %low to %high step %step iter_args(%count = %zero) -> (i32) : i8 {
      %next = arith.addi %count, %one : i32
      scf.yield %next : i32
    }
    vyre.store %trips, %out[%i] : i32, !vyre.buffer<4xi32, read_write>
  }
}

// -----

vyre.program @counter_of_i32_that_would_wrap workgroup_size [4] {
  %out = vyre.buffer @out live_out : !vyre.buffer<4xi32, read_write>
  vyre.region "count" invocations [4] {
    %i = vyre.invocation_id x
    %low = arith.constant 0 : i32
    %high = arith.constant 2147483647 : i32
    %step = arith.constant 16777216 : i32
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %trips = scf.for %k = %low to %high step %step iter_args(%count = %zero) -> (i32) : i32 {
      %next = arith.addi %count, %one : i32
      scf.yield %next : i32
    }
    vyre.store %trips, %out[%i] : i32, !vyre.buffer<4xi32, read_write>
  }
}

// -----

vyre.program @counter_of_index_that_would_wrap workgroup_size [4] {
  %out = vyre.buffer @out live_out : !vyre.buffer<4xi32, read_write>
  vyre.region "count" invocations [4] {
    %i = vyre.invocation_id x
    %low = arith.constant 0 : index
    %high = arith.constant 9223372036854775807 : index
    %step = arith.constant 4611686018427387904 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %trips = scf.for %k = %low to %high step %step iter_args(%count = %zero) -> (i32) {
      %next = arith.addi %count, %one : i32
      scf.yield %next : i32
    }
    vyre.store %trips, %out[%i] : i32, !vyre.buffer<4xi32, read_write>
  }
}

// -----

vyre.program @step_that_is_not_positive workgroup_size [16] {
  %words = vyre.buffer @words : !vyre.buffer<64xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "count" invocations [64] {
    %i = vyre.invocation_id x
    %word = vyre.load %words[%i] : !vyre.buffer<64xi32, read_only> -> i32
    %step = arith.index_cast %word : i32 to index
    %low = arith.constant 0 : index
    %high = arith.constant 10 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %trips = scf.for %k = %low to %high step %step iter_args(%count = %zero) -> (i32) {
      %next = arith.addi %count, %one : i32
      scf.yield %next : i32
    }
    vyre.store %trips, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// -----

vyre.program @small_negative_splats workgroup_size [4] {
  %words = vyre.buffer @words : !vyre.buffer<64xi32, read_only>
  %bytes = vyre.buffer @bytes live_out : !vyre.buffer<64xvector<4xi8>, read_write>
  %shorts = vyre.buffer @shorts live_out : !vyre.buffer<64xvector<2xi16>, read_write>
  vyre.region "splats" invocations [64] {
    %i = vyre.invocation_id x
    %a = vyre.load %words[%i] : !vyre.buffer<64xi32, read_only> -> vector<1xi32>
    %b = vector.bitcast %a : vector<1xi32> to vector<4xi8>
    %b127 = arith.constant dense<-127> : vector<4xi8>
    %b3 = arith.constant dense<-3> : vector<4xi8>
    %b_less = arith.subi %b, %b127 : vector<4xi8>
    %b_more = arith.addi %b_less, %b3 : vector<4xi8>
    vyre.store %b_more, %bytes[%i] : vector<4xi8>, !vyre.buffer<64xvector<4xi8>, read_write>
    %s = vector.bitcast %a : vector<1xi32> to vector<2xi16>
    %s127 = arith.constant dense<-127> : vector<2xi16>
    %s3 = arith.constant dense<-3> : vector<2xi16>
    %s_less = arith.subi %s, %s127 : vector<2xi16>
    %s_more = arith.addi %s_less, %s3 : vector<2xi16>
    vyre.store %s_more, %shorts[%i] : vector<2xi16>, !vyre.buffer<64xvector<2xi16>, read_write>
  }
}

// -----

vyre.program @i1_as_floats workgroup_size [4] {
  %signed = vyre.buffer @signed live_out : !vyre.buffer<4xf32, read_write>
  %unsigned = vyre.buffer @unsigned live_out : !vyre.buffer<4xf32, read_write>
  vyre.region "floats" invocations [4] {
    %i = vyre.invocation_id x
    %two = arith.constant 2 : index
    %b = arith.cmpi sge, %i, %two : index
    %f = arith.sitofp %b : i1 to f32
    vyre.store %f, %signed[%i] : f32, !vyre.buffer<4xf32, read_write>
    %u = arith.uitofp %b : i1 to f32
    vyre.store %u, %unsigned[%i] : f32, !vyre.buffer<4xf32, read_write>
  }
}

// -----

vyre.program @i1_vectors workgroup_size [4] {
  %bits = vyre.buffer @bits live_out : !vyre.buffer<36xvector<4xi1>, read_write>
  %lanes = vyre.buffer @lanes live_out : !vyre.buffer<12xi1, read_write>
  %numbers = vyre.buffer @numbers live_out : !vyre.buffer<12xi32, read_write>
  %floats = vyre.buffer @floats live_out : !vyre.buffer<4xf32, read_write>
  vyre.region "bits" invocations [4] {
    %i = vyre.invocation_id x
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c9 = arith.constant 9 : index
    %true = arith.constant dense<true> : vector<4xi1>
    %mixed = arith.constant dense<[true, false, true, false]> : vector<4xi1>
    %odd = arith.remui %i, %c2 : index
    %is_odd = arith.cmpi eq, %odd, %c1 : index
    %spread = vector.broadcast %is_odd : i1 to vector<4xi1>
    %inserted = vector.insert %is_odd, %mixed[2] : i1 into vector<4xi1>
    %anywhere = vector.insert %is_odd, %mixed[%i] : i1 into vector<4xi1>
    %shuffled = vector.shuffle %inserted, %true [0, 5, 2, 7] : vector<4xi1>, vector<4xi1>
    %inverted = arith.xori %inserted, %true : vector<4xi1>
    %sum = arith.addi %anywhere, %mixed : vector<4xi1>
    %chosen = arith.select %is_odd, %true, %mixed : vector<4xi1>
    %both = arith.andi %chosen, %inverted : vector<4xi1>
    %first = arith.muli %i, %c9 : index
    %o0 = arith.constant 0 : index
    %p0 = arith.addi %first, %o0 : index
    vyre.store %true, %bits[%p0] : vector<4xi1>, !vyre.buffer<36xvector<4xi1>, read_write>
    %o1 = arith.constant 1 : index
    %p1 = arith.addi %first, %o1 : index
    vyre.store %mixed, %bits[%p1] : vector<4xi1>, !vyre.buffer<36xvector<4xi1>, read_write>
    %o2 = arith.constant 2 : index
    %p2 = arith.addi %first, %o2 : index
    vyre.store %spread, %bits[%p2] : vector<4xi1>, !vyre.buffer<36xvector<4xi1>, read_write>
    %o3 = arith.constant 3 : index
    %p3 = arith.addi %first, %o3 : index
    vyre.store %inserted, %bits[%p3] : vector<4xi1>, !vyre.buffer<36xvector<4xi1>, read_write>
    %o4 = arith.constant 4 : index
    %p4 = arith.addi %first, %o4 : index
    vyre.store %anywhere, %bits[%p4] : vector<4xi1>, !vyre.buffer<36xvector<4xi1>, read_write>
    %o5 = arith.constant 5 : index
    %p5 = arith.addi %first, %o5 : index
    vyre.store %shuffled, %bits[%p5] : vector<4xi1>, !vyre.buffer<36xvector<4xi1>, read_write>
    %o6 = arith.constant 6 : index
    %p6 = arith.addi %first, %o6 : index
    vyre.store %inverted, %bits[%p6] : vector<4xi1>, !vyre.buffer<36xvector<4xi1>, read_write>
    %o7 = arith.constant 7 : index
    %p7 = arith.addi %first, %o7 : index
    vyre.store %sum, %bits[%p7] : vector<4xi1>, !vyre.buffer<36xvector<4xi1>, read_write>
    %o8 = arith.constant 8 : index
    %p8 = arith.addi %first, %o8 : index
    vyre.store %both, %bits[%p8] : vector<4xi1>, !vyre.buffer<36xvector<4xi1>, read_write>
    %at0 = arith.muli %i, %c3 : index
    %at1 = arith.addi %at0, %c1 : index
    %at2 = arith.addi %at0, %c2 : index
    %lane0 = vector.extract %true[0] : i1 from vector<4xi1>
    %lane1 = vector.extract %inserted[2] : i1 from vector<4xi1>
    %lane2 = vector.extract %inverted[%i] : i1 from vector<4xi1>
    vyre.store %lane0, %lanes[%at0] : i1, !vyre.buffer<12xi1, read_write>
    %number0 = arith.extui %lane0 : i1 to i32
    vyre.store %number0, %numbers[%at0] : i32, !vyre.buffer<12xi32, read_write>
    vyre.store %lane1, %lanes[%at1] : i1, !vyre.buffer<12xi1, read_write>
    %number1 = arith.extui %lane1 : i1 to i32
    vyre.store %number1, %numbers[%at1] : i32, !vyre.buffer<12xi32, read_write>
    vyre.store %lane2, %lanes[%at2] : i1, !vyre.buffer<12xi1, read_write>
    %number2 = arith.extsi %lane2 : i1 to i32
    vyre.store %number2, %numbers[%at2] : i32, !vyre.buffer<12xi32, read_write>
    %float = arith.sitofp %lane2 : i1 to f32
    vyre.store %float, %floats[%i] : f32, !vyre.buffer<4xf32, read_write>
  }
}
