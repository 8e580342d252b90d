// RUN: xdsl-opt %s -p 'vyre-push-down-predicates{annotate=true}' --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p 'vyre-push-down-predicates{annotate=true},vyre-push-down-predicates{annotate=true}' --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p 'vyre-push-down-predicates{annotate=true},vyre-push-down-predicates' --split-input-file | filecheck %s --check-prefix PLAIN

// Why tests stay: no program here changes, but for these attributes.

// PLAIN-NOT: vyre.not_pushed_down

vyre.program @columns_as_they_are {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %plain = vyre.buffer @plain : !vyre.buffer<?xi32, read_only>
  %seen = vyre.buffer @seen live_out : !vyre.buffer<?xi32, read_write>
  %shared = vyre.buffer @shared : !vyre.buffer<?xi32, read_write>
  %longer = vyre.buffer @longer : !vyre.buffer<64xi32, read_write>
  %bits = vyre.buffer @bits live_out : !vyre.buffer<?xi8, read_write>
  %also = vyre.buffer @also live_out : !vyre.buffer<?xi8, read_write>
  vyre.decode.bitunpack %packed to %seen bits 3 base 7 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.decode.bitunpack %packed to %shared bits 3 base 7 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.decode.bitunpack %packed to %longer bits 3 base 7 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<64xi32, read_write>
  vyre.scan.select (%a = %plain : !vyre.buffer<?xi32, read_only>, %b = %seen : !vyre.buffer<?xi32, read_write>, %c = %shared : !vyre.buffer<?xi32, read_write>, %d = %longer : !vyre.buffer<64xi32, read_write>) into bitmap %bits : !vyre.buffer<?xi8, read_write> {
    %nine = arith.constant 9 : i32
    %p = arith.cmpi ult, %a, %nine : i32
    %q = arith.cmpi ult, %b, %nine : i32
    %r = arith.cmpi ult, %c, %nine : i32
    %s = arith.cmpi ult, %d, %nine : i32
    %t = arith.andi %p, %q : i1
    %u = arith.andi %t, %r : i1
    %v = arith.andi %u, %s : i1
    vyre.scan.yield where %v
  }
  vyre.scan.select (%c = %shared : !vyre.buffer<?xi32, read_write>) into bitmap %also : !vyre.buffer<?xi8, read_write> {
    %nine = arith.constant 9 : i32
    %r = arith.cmpi ult, %c, %nine : i32
    vyre.scan.yield where %r
  }
}

// CHECK-LABEL: vyre.program @columns_as_they_are
// CHECK-COUNT-3: bits 3 base 7
// CHECK:         longer = {reason = "unknown-length", detail = "'@longer' may be longer than what is decoded: declare it with '?' and no size"}
// CHECK-SAME:    shared = {reason = "shared", detail = "'vyre.scan.select' uses '@shared', too"}
// CHECK-SAME:    seen = {reason = "shared", detail = "the host reads '@seen' back"}
// CHECK-SAME:    plain = {reason = "not-encoded", detail = "nothing decodes '@plain'"}

// -----

vyre.program @tests_as_they_are {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %words = vyre.buffer @words : !vyre.buffer<?xi32, read_only>
  %dates = vyre.buffer @dates : !vyre.buffer<?xi32, read_write>
  %sides = vyre.buffer @sides : !vyre.buffer<?xi32, read_write>
  %spread = vyre.buffer @spread : !vyre.buffer<?xi32, read_write>
  %sums = vyre.buffer @sums : !vyre.buffer<?xi32, read_write>
  %bits = vyre.buffer @bits live_out : !vyre.buffer<?xi8, read_write>
  vyre.decode.bitunpack %packed to %dates bits 12 base 7 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.decode.bitunpack %packed to %sides bits 12 base 7 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.decode.bitunpack %packed to %spread bits 12 zigzag : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.decode.delta %words to %sums block 32 : !vyre.buffer<?xi32, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.scan.select (%a = %dates : !vyre.buffer<?xi32, read_write>, %b = %sides : !vyre.buffer<?xi32, read_write>, %c = %spread : !vyre.buffer<?xi32, read_write>, %d = %sums : !vyre.buffer<?xi32, read_write>) into bitmap %bits : !vyre.buffer<?xi8, read_write> {
    %seven = arith.constant 7 : i32
    %hundred = arith.constant 100 : i32
    %weekday = arith.remui %a, %seven : i32
    %p = arith.cmpi ult, %weekday, %seven : i32
    %q = arith.cmpi ult, %b, %d : i32
    %r = arith.cmpi ult, %c, %hundred : i32
    %s = arith.cmpi ult, %d, %hundred : i32
    %t = arith.andi %p, %q : i1
    %u = arith.andi %t, %r : i1
    %v = arith.andi %u, %s : i1
    vyre.scan.yield where %v
  }
}

// CHECK-LABEL: vyre.program @tests_as_they_are
// CHECK:         sides = {reason = "several-columns", detail = "a test depends on '@sides', '@sums' at once"}
// CHECK-SAME:    sums = {reason = "no-rule", detail = "'vyre.decode.delta' has none"}
// CHECK-SAME:    spread = {reason = "scattered", detail = "what passes is no range of what is packed"}
// CHECK-SAME:    dates = {reason = "no-set", detail = "the test is more than comparisons with constants"}

// -----

// A code that has no entry would be reported, so that dictionaries stay where codes may be bad.

vyre.program @dictionaries {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %codes = vyre.buffer @codes : !vyre.buffer<?xi16, read_write>
  %names = vyre.buffer @names contents dense<[1, 2, 3]> : vector<3xi32> : !vyre.buffer<3xi32, read_only>
  %table = vyre.buffer @table : !vyre.buffer<?xi64, read_only>
  %kinds = vyre.buffer @kinds : !vyre.buffer<?xi32, read_write>
  %prices = vyre.buffer @prices : !vyre.buffer<?xi64, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi64, read_write>
  vyre.decode.bitunpack %packed to %codes bits 2 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi16, read_write>
  vyre.decode.dictionary %codes to %kinds table %names errors %errors : !vyre.buffer<?xi16, read_write>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<3xi32, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.decode.dictionary %codes to %prices table %table errors %errors : !vyre.buffer<?xi16, read_write>, !vyre.buffer<?xi64, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.scan.aggregate (%kind = %kinds : !vyre.buffer<?xi32, read_write>, %price = %prices : !vyre.buffer<?xi64, read_write>) into sum %sum : !vyre.buffer<1xi64, read_write> {
    %two = arith.constant 2 : i32
    %ten = arith.constant 10 : i64
    %is_two = arith.cmpi eq, %kind, %two : i32
    %is_dear = arith.cmpi ugt, %price, %ten : i64
    %both = arith.andi %is_two, %is_dear : i1
    vyre.scan.yield %price : i64 where %both
  }
}

// CHECK-LABEL: vyre.program @dictionaries
// CHECK:         prices = {reason = "value-needed", detail = "rows need '@prices' itself, too"}
// CHECK-SAME:    kinds = {reason = "not-cheaper", detail = "tests of '@kinds' take 4 additions of a byte, of at least 24"}

// -----

vyre.program @blocks {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %blocks = vyre.buffer @blocks : !vyre.buffer<?xi64, read_only>
  %short = vyre.buffer @short : !vyre.buffer<?xi32, read_write>
  %one = vyre.buffer @one : !vyre.buffer<?xi32, read_write>
  %either = vyre.buffer @either : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack_blocks %packed to %short blocks %blocks of 16 errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack_blocks %packed to %one blocks %blocks of 128 errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack_blocks %packed to %either blocks %blocks of 256 errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.scan.aggregate (%a = %short : !vyre.buffer<?xi32, read_write>, %b = %one : !vyre.buffer<?xi32, read_write>, %c = %either : !vyre.buffer<?xi32, read_write>) into count %count : !vyre.buffer<1xi32, read_write> {
    %seven = arith.constant 7 : i32
    %p = arith.cmpi ult, %a, %seven : i32
    %q = arith.cmpi ne, %b, %seven : i32
    %r = arith.cmpi ult, %c, %seven : i32
    %s = arith.ori %q, %r : i1
    %t = arith.andi %p, %q : i1
    %u = arith.andi %s, %t : i1
    vyre.scan.yield where %u
  }
}

// CHECK-LABEL: vyre.program @blocks
// CHECK-NOT:     wanted
// CHECK:         either = {reason = "not-required", detail = "rows may count whatever '@either' is"}
// CHECK-SAME:    one = {reason = "unselective", detail = "the test rules out 1 values alone"}
// CHECK-SAME:    short = {reason = "short-blocks", detail = "a block has 16 of at least 32"}

// -----

// Columns that state their size may have fewer rows than codes, or more than blocks: codes are not read in their place,
// and no mask is made for their blocks.

vyre.program @sizes {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %fields = vyre.buffer @fields : !vyre.buffer<?xi64, read_only>
  %n = vyre.buf_len %fields : !vyre.buffer<?xi64, read_only>
  %names = vyre.buffer @names contents dense<[1, 2, 3, 4]> : vector<4xi32> : !vyre.buffer<4xi32, read_only>
  %codes = vyre.buffer @codes : !vyre.buffer<?xi16, read_write>
  %kinds = vyre.buffer @kinds[%n] initial undefined : !vyre.buffer<?xi32, read_write>
  %days = vyre.buffer @days[%n] initial undefined : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack %packed to %codes bits 2 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi16, read_write>
  vyre.decode.dictionary %codes to %kinds table %names errors %errors : !vyre.buffer<?xi16, read_write>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<4xi32, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack_blocks %packed to %days blocks %fields of 128 errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.scan.aggregate (%kind = %kinds : !vyre.buffer<?xi32, read_write>, %day = %days : !vyre.buffer<?xi32, read_write>) into count %count : !vyre.buffer<1xi32, read_write> {
    %two = arith.constant 2 : i32
    %is_low = arith.cmpi ule, %kind, %two : i32
    %is_early = arith.cmpi ule, %day, %two : i32
    %both = arith.andi %is_low, %is_early : i1
    vyre.scan.yield where %both
  }
}

// CHECK-LABEL: vyre.program @sizes
// CHECK:         days = {reason = "unknown-length", detail = "'@days' states its size: leave it out"}
// CHECK-SAME:    kinds = {reason = "not-cheaper"

// -----

// Filters: the host has the values, too; they may be fewer than codes; codes change before they are filtered; errors are
// looked at in between.

vyre.program @filters_as_they_are {
  %codes = vyre.buffer @codes : !vyre.buffer<?xi16, read_only>
  %table = vyre.buffer @table : !vyre.buffer<?xi32, read_only>
  %others = vyre.buffer @others : !vyre.buffer<?xi16, read_write>
  %seen = vyre.buffer @seen live_out : !vyre.buffer<?xi32, read_write>
  %fewer = vyre.buffer @fewer initial undefined : !vyre.buffer<8xi32, read_write>
  %changed = vyre.buffer @changed : !vyre.buffer<?xi32, read_write>
  %late = vyre.buffer @late : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %first = vyre.buffer @first live_out : !vyre.buffer<1xi32, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.decode.dictionary %codes to %seen table %table errors %errors : !vyre.buffer<?xi16, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi32, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.scan.filter %seen in [10, 50) count %count : !vyre.buffer<?xi32, read_write>, !vyre.buffer<1xi32, read_write>
  vyre.decode.dictionary %codes to %fewer table %table errors %errors : !vyre.buffer<?xi16, read_only>, !vyre.buffer<8xi32, read_write>, !vyre.buffer<?xi32, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.scan.filter %fewer in [10, 50) count %count : !vyre.buffer<8xi32, read_write>, !vyre.buffer<1xi32, read_write>
  vyre.decode.dictionary %others to %changed table %table errors %errors : !vyre.buffer<?xi16, read_write>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi32, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.region "change" invocations [4] {
    %i = vyre.invocation_id x
    %one = arith.constant 1 : i16
    vyre.store %one, %others[%i] : i16, !vyre.buffer<?xi16, read_write>
  }
  vyre.scan.filter %changed in [10, 50) count %count : !vyre.buffer<?xi32, read_write>, !vyre.buffer<1xi32, read_write>
  vyre.decode.dictionary %codes to %late table %table errors %errors : !vyre.buffer<?xi16, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi32, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.region "look" invocations [1] {
    %i = vyre.invocation_id x
    %error = vyre.load %errors[%i] : !vyre.buffer<1xi32, read_write> -> i32
    vyre.store %error, %first[%i] : i32, !vyre.buffer<1xi32, read_write>
  }
  vyre.scan.filter %late in [10, 50) count %count : !vyre.buffer<?xi32, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK-LABEL: vyre.program @filters_as_they_are
// CHECK:         seen = {reason = "shared", detail = "the host reads '@seen' back"}
// CHECK:         fewer = {reason = "unknown-length", detail = "'@fewer' may be shorter than '@codes'"}
// CHECK:         changed = {reason = "not-ready", detail = "'@others' is written after it is decoded"}
// CHECK:         late = {reason = "not-ready", detail = "'@errors' is read before '@late'"}
