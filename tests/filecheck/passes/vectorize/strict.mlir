// RUN: xdsl-opt %s -p 'vyre-vectorize{lanes=8 strict=true tail=each annotate=true}' | filecheck %s
// RUN: xdsl-opt %s -p 'vyre-vectorize{lanes=8 strict=true tail=each},vyre-vectorize{lanes=8 strict=true tail=each}' -o %t && xdsl-opt %s -p 'vyre-vectorize{lanes=8 strict=true tail=each}' | diff - %t

// What an invocation takes from itself stays in registers: there are as many lanes as load 16 bytes of
// memory together, up to those that are asked for, in all arms that hand on to each other; the tail
// asks each lane whether it has an item.
// CHECK-LABEL: vyre.program @widened
// CHECK:         vyre.region "widen" invocations [%{{.*}}] attributes {vyre.lanes = 8 : i64} {
// CHECK:           %[[FIRST:.*]] = arith.muli
// CHECK:           scf.if
// CHECK:             vyre.load %{{.*}} -> vector<8xi8>
// CHECK:           } else {
// CHECK:             scf.for %[[LANE:.*]] = %{{.*}} to %{{.*}} step
// CHECK-NEXT:          %[[ITEM:.*]] = arith.addi %[[FIRST]], %[[LANE]] : index
// CHECK-NEXT:          %[[EXISTS:.*]] = arith.cmpi slt, %[[ITEM]], %n : index
// CHECK-NEXT:          scf.if %[[EXISTS]] {
// CHECK:         vyre.region "sum" invocations [%{{.*}}] attributes {vyre.lanes = 8 : i64} {
vyre.program @widened {
  %x = vyre.buffer @x : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %x : !vyre.buffer<?xi8, read_only>
  %wide = vyre.buffer @wide[%n] initial undefined : !vyre.buffer<?xi32, read_write>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "widen" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %x[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %value = arith.extui %byte : i8 to i32
    vyre.store %value, %wide[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
  vyre.region "sum" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %value = vyre.load %wide[%i] : !vyre.buffer<?xi32, read_write> -> i32
    %old = vyre.atomic_rmw addi %value, %sum[%zero] : i32, !vyre.buffer<1xi32, read_write>
  }
}

// Of one stream of words they load two vectors of 16 bytes, of two streams one of each.
// CHECK-LABEL: vyre.program @one_stream
// CHECK:         vyre.region "swap" invocations [%{{.*}}] attributes {vyre.lanes = 8 : i64} {
// CHECK:             vyre.load %{{.*}} -> vector<8xi32>
vyre.program @one_stream {
  %x = vyre.buffer @x : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %x : !vyre.buffer<?xi32, read_only>
  %swapped = vyre.buffer @swapped[%n] initial undefined : !vyre.buffer<?xi32, read_write>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "swap" invocations [%n] {
    %i = vyre.invocation_id x
    %key = arith.constant 90 : i32
    %word = vyre.load %x[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %value = arith.xori %word, %key : i32
    vyre.store %value, %swapped[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
  vyre.region "sum" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %value = vyre.load %swapped[%i] : !vyre.buffer<?xi32, read_write> -> i32
    %old = vyre.atomic_rmw addi %value, %sum[%zero] : i32, !vyre.buffer<1xi32, read_write>
  }
}

// CHECK-LABEL: vyre.program @two_streams
// CHECK:         vyre.region "add" invocations [%{{.*}}] attributes {vyre.lanes = 4 : i64} {
vyre.program @two_streams {
  %x = vyre.buffer @x : !vyre.buffer<?xi32, read_only>
  %y = vyre.buffer @y : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %x : !vyre.buffer<?xi32, read_only>
  %added = vyre.buffer @added[%n] initial undefined : !vyre.buffer<?xi32, read_write>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "add" invocations [%n] {
    %i = vyre.invocation_id x
    %one = vyre.load %x[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %other = vyre.load %y[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %value = arith.addi %one, %other : i32
    vyre.store %value, %added[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
  vyre.region "sum" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %value = vyre.load %added[%i] : !vyre.buffer<?xi32, read_write> -> i32
    %old = vyre.atomic_rmw addi %value, %sum[%zero] : i32, !vyre.buffer<1xi32, read_write>
  }
}

// A base that many neighbours share is no stream; what a neighbour takes is handed on in memory, by
// four lanes of words.
// CHECK-LABEL: vyre.program @bases
// CHECK:         vyre.region "frames" invocations [%{{.*}}] attributes {vyre.lanes = 8 : i64} {
// CHECK:         vyre.region "decode" invocations [%{{.*}}] attributes {vyre.lanes = 4 : i64} {
vyre.program @bases {
  %x = vyre.buffer @x : !vyre.buffer<?xi16, read_only>
  %base = vyre.buffer @base : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %x : !vyre.buffer<?xi16, read_only>
  %framed = vyre.buffer @framed[%n] initial undefined : !vyre.buffer<?xi32, read_write>
  %wide = vyre.buffer @wide[%n] initial undefined : !vyre.buffer<?xi32, read_write>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<2xi32, read_write>
  vyre.region "frames" invocations [%n] {
    %i = vyre.invocation_id x
    %size = arith.constant 64 : index
    %frame = arith.divui %i, %size : index
    %of_frame = vyre.load %base[%frame] : !vyre.buffer<?xi32, read_only> -> i32
    %short = vyre.load %x[%i] : !vyre.buffer<?xi16, read_only> -> i16
    %offset = arith.extui %short : i16 to i32
    %value = arith.addi %offset, %of_frame : i32
    vyre.store %value, %framed[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
  vyre.region "of_frames" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %value = vyre.load %framed[%i] : !vyre.buffer<?xi32, read_write> -> i32
    %old = vyre.atomic_rmw addi %value, %sum[%zero] : i32, !vyre.buffer<2xi32, read_write>
  }
  vyre.region "decode" invocations [%n] {
    %i = vyre.invocation_id x
    %short = vyre.load %x[%i] : !vyre.buffer<?xi16, read_only> -> i16
    %value = arith.extui %short : i16 to i32
    vyre.store %value, %wide[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
  vyre.region "of_neighbours" invocations [%n] {
    %i = vyre.invocation_id x
    %one = arith.constant 1 : index
    %next = arith.addi %i, %one : index
    %here = vyre.load %wide[%i] : !vyre.buffer<?xi32, read_write> -> i32
    %beside = vyre.load %wide[%next] : !vyre.buffer<?xi32, read_write> -> i32
    %value = arith.subi %beside, %here : i32
    %old = vyre.atomic_rmw addi %value, %sum[%one] : i32, !vyre.buffer<2xi32, read_write>
  }
}

// How many there are of what is handed on is no access; nothing is to be loaded of what is made from
// ids alone.
// CHECK-LABEL: vyre.program @measured
// CHECK:         vyre.region "sum" invocations [%{{.*}}] attributes {vyre.lanes = 8 : i64} {
vyre.program @measured {
  %x = vyre.buffer @x : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %x : !vyre.buffer<?xi8, read_only>
  %wide = vyre.buffer @wide[%n] initial undefined : !vyre.buffer<?xi32, read_write>
  %count = vyre.buf_len %wide : !vyre.buffer<?xi32, read_write>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "widen" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %x[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %value = arith.extui %byte : i8 to i32
    vyre.store %value, %wide[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
  vyre.region "sum" invocations [%count] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %value = vyre.load %wide[%i] : !vyre.buffer<?xi32, read_write> -> i32
    %old = vyre.atomic_rmw addi %value, %sum[%zero] : i32, !vyre.buffer<1xi32, read_write>
  }
}

// CHECK-LABEL: vyre.program @made
// CHECK:         vyre.region "make" invocations [%n] attributes {vyre.not_vectorized = {reason = "too-wide"
vyre.program @made {
  %out = vyre.buffer @out live_out : !vyre.buffer<?xi64, read_write>
  %n = vyre.buf_len %out : !vyre.buffer<?xi64, read_write>
  %handed = vyre.buffer @handed[%n] initial undefined : !vyre.buffer<?xi64, read_write>
  vyre.region "make" invocations [%n] {
    %i = vyre.invocation_id x
    %value = arith.index_cast %i : index to i64
    vyre.store %value, %handed[%i] : i64, !vyre.buffer<?xi64, read_write>
  }
  vyre.region "take" invocations [%n] {
    %i = vyre.invocation_id x
    %three = arith.constant 3 : i64
    %value = vyre.load %handed[%i] : !vyre.buffer<?xi64, read_write> -> i64
    %times = arith.muli %value, %three : i64
    vyre.store %times, %out[%i] : i64, !vyre.buffer<?xi64, read_write>
  }
}

// Lanes that read records of seven bytes take turns in the loop, so that the arm in front of it stays
// as it is, too; an arm that has nothing to do with them has 16 lanes, as it computes with bytes alone.
// CHECK-LABEL: vyre.program @records
// CHECK:         vyre.region "decode" invocations [%n] attributes {vyre.not_vectorized = {reason = "neighbour", detail = "'sums', with which it shares what it hands on, stays"}} {
// CHECK:         vyre.region "sums" invocations [%records] attributes {vyre.not_vectorized = {reason = "turns-in-loops", detail = "lanes would take turns in a loop, or wait in it"}} {
// CHECK:         vyre.region "aside" invocations [%{{.*}}] attributes {vyre.lanes = 16 : i64} {
vyre.program @records {
  %x = vyre.buffer @x : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %x : !vyre.buffer<?xi8, read_only>
  %seven = arith.constant 7 : index
  %records = arith.divui %n, %seven : index
  %plain = vyre.buffer @plain[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %sums = vyre.buffer @sums[%records] live_out : !vyre.buffer<?xi8, read_write>
  %inverse = vyre.buffer @inverse[%n] live_out : !vyre.buffer<?xi8, read_write>
  vyre.region "decode" invocations [%n] {
    %i = vyre.invocation_id x
    %key = arith.constant 90 : i8
    %byte = vyre.load %x[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %value = arith.xori %byte, %key : i8
    vyre.store %value, %plain[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "sums" invocations [%records] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %zero = arith.constant 0 : i8
    %first = arith.muli %i, %c7 : index
    %sum = scf.for %k = %c0 to %c7 step %c1 iter_args(%so_far = %zero) -> (i8) {
      %place = arith.addi %first, %k : index
      %byte = vyre.load %plain[%place] : !vyre.buffer<?xi8, read_write> -> i8
      %next = arith.addi %so_far, %byte : i8
      scf.yield %next : i8
    }
    vyre.store %sum, %sums[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "aside" invocations [%n] {
    %i = vyre.invocation_id x
    %ones = arith.constant -1 : i8
    %byte = vyre.load %x[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %value = arith.xori %byte, %ones : i8
    vyre.store %value, %inverse[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
}

// Elements of eight bytes leave room for two, which gain nothing.
// CHECK-LABEL: vyre.program @long
// CHECK:         vyre.region "inverse" invocations [%n] attributes {vyre.not_vectorized = {reason = "too-wide"
vyre.program @long {
  %x = vyre.buffer @x : !vyre.buffer<?xi64, read_only>
  %n = vyre.buf_len %x : !vyre.buffer<?xi64, read_only>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi64, read_write>
  vyre.region "inverse" invocations [%n] {
    %i = vyre.invocation_id x
    %ones = arith.constant -1 : i64
    %long = vyre.load %x[%i] : !vyre.buffer<?xi64, read_only> -> i64
    %value = arith.xori %long, %ones : i64
    vyre.store %value, %out[%i] : i64, !vyre.buffer<?xi64, read_write>
  }
}

// Loads of pixels, whose bytes lie apart, are what lanes are for, also where bins are updated lane by lane.
// CHECK-LABEL: vyre.program @pixels
// CHECK:         vyre.region "grey" invocations [%{{.*}}] attributes {vyre.lanes = 8 : i64} {
// CHECK:         vyre.region "bins" invocations [%{{.*}}] attributes {vyre.lanes = 8 : i64} {
vyre.program @pixels {
  %x = vyre.buffer @x : !vyre.buffer<?xi8, read_only>
  %length = vyre.buf_len %x : !vyre.buffer<?xi8, read_only>
  %three = arith.constant 3 : index
  %n = arith.divui %length, %three : index
  %grey = vyre.buffer @grey[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<256xi32, read_write>
  vyre.region "grey" invocations [%n] {
    %i = vyre.invocation_id x
    %size = arith.constant 3 : index
    %c1 = arith.constant 1 : index
    %at = arith.muli %i, %size : index
    %next = arith.addi %at, %c1 : index
    %red = vyre.load %x[%at] : !vyre.buffer<?xi8, read_only> -> i8
    %green = vyre.load %x[%next] : !vyre.buffer<?xi8, read_only> -> i8
    %r = arith.extui %red : i8 to i32
    %g = arith.extui %green : i8 to i32
    %both = arith.addi %r, %g : i32
    %one = arith.constant 1 : i32
    %half = arith.shrui %both, %one : i32
    %shade = arith.trunci %half : i32 to i8
    vyre.store %shade, %grey[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "bins" invocations [%n] {
    %i = vyre.invocation_id x
    %shade = vyre.load %grey[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %wide = arith.extui %shade : i8 to i64
    %place = arith.index_cast %wide : i64 to index
    %one = arith.constant 1 : i32
    %old = vyre.atomic_rmw addi %one, %bins[%place] : i32, !vyre.buffer<256xi32, read_write>
  }
}
