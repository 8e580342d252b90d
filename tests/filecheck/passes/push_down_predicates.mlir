// RUN: xdsl-opt %s -p vyre-push-down-predicates --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p vyre-push-down-predicates,vyre-push-down-predicates --split-input-file | filecheck %s

// A range above a base is one below it, whatever the base is: one comparison for both ends. What else reads the
// value adds the base itself.

vyre.program @frame_of_reference {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %days = vyre.buffer @days : !vyre.buffer<?xi32, read_write>
  %latest = vyre.buffer @latest live_out : !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack %packed to %days bits 12 base 8000 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.scan.aggregate (%day = %days : !vyre.buffer<?xi32, read_write>) into maxu %latest : !vyre.buffer<1xi32, read_write> {
    %first = arith.constant 9000 : i32
    %after = arith.constant 9031 : i32
    %has_begun = arith.cmpi sge, %day, %first : i32
    %is_not_over = arith.cmpi sgt, %after, %day : i32
    %is_chosen = arith.andi %has_begun, %is_not_over : i1
    vyre.scan.yield %day : i32 where %is_chosen
  }
}

// CHECK-LABEL: vyre.program @frame_of_reference
// CHECK:         vyre.decode.bitunpack %packed to %days bits 12 : !vyre.buffer
// CHECK-NEXT:    vyre.scan.aggregate (%day = %days
// CHECK-NEXT:      %0 = arith.constant 1000 : i32
// CHECK-NEXT:      %1 = arith.subi %day, %0 : i32
// CHECK-NEXT:      %2 = arith.constant 30 : i32
// CHECK-NEXT:      %has_begun = arith.cmpi ule, %1, %2 : i32
// CHECK-NEXT:      %3 = arith.constant 8000 : i32
// CHECK-NEXT:      %day_1 = arith.addi %day, %3 : i32
// CHECK-NEXT:      vyre.scan.yield %day_1 : i32 where %has_begun

// -----

// Where sums go over the end, what passes does, too: signed numbers from 2147483640 on are packed as 0 to 7, those
// from -2147483648 as 8 to 15.

vyre.program @wrap_around {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack %packed to %values bits 4 base 2147483640 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.scan.aggregate (%value = %values : !vyre.buffer<?xi32, read_write>) into count %count : !vyre.buffer<1xi32, read_write> {
    %zero = arith.constant 0 : i32
    %is_positive = arith.cmpi sgt, %value, %zero : i32
    vyre.scan.yield where %is_positive
  }
}

// CHECK-LABEL: vyre.program @wrap_around
// CHECK:           %0 = arith.constant 7 : i32
// CHECK-NEXT:      %is_positive = arith.cmpi ule, %value, %0 : i32

// -----

// With zigzag, signs are parities, equality stays equality, and a range around 0 a range from 0 on.

vyre.program @zigzag {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %more_packed = vyre.buffer @more_packed : !vyre.buffer<?xi8, read_only>
  %last_packed = vyre.buffer @last_packed : !vyre.buffer<?xi8, read_only>
  %changes = vyre.buffer @changes : !vyre.buffer<?xi16, read_write>
  %others = vyre.buffer @others : !vyre.buffer<?xi16, read_write>
  %more = vyre.buffer @more : !vyre.buffer<?xi16, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack %packed to %changes bits 9 zigzag : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi16, read_write>
  vyre.decode.bitunpack %more_packed to %others bits 9 zigzag : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi16, read_write>
  vyre.decode.bitunpack %last_packed to %more bits 9 base 5 zigzag : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi16, read_write>
  vyre.scan.aggregate (%a = %changes : !vyre.buffer<?xi16, read_write>, %b = %others : !vyre.buffer<?xi16, read_write>, %c = %more : !vyre.buffer<?xi16, read_write>) into count %count : !vyre.buffer<1xi32, read_write> {
    %zero = arith.constant 0 : i16
    %two = arith.constant 2 : i16
    %five = arith.constant 5 : i16
    %is_negative = arith.cmpi slt, %a, %zero : i16
    %above = arith.addi %b, %two : i16
    %is_near = arith.cmpi ult, %above, %five : i16
    %is_two = arith.cmpi eq, %c, %two : i16
    %both = arith.andi %is_negative, %is_near : i1
    %all = arith.andi %both, %is_two : i1
    vyre.scan.yield where %all
  }
}

// CHECK-LABEL: vyre.program @zigzag
// CHECK:         vyre.decode.bitunpack %packed to %changes bits 9 : !vyre.buffer
// CHECK-NEXT:    vyre.decode.bitunpack %more_packed to %others bits 9 : !vyre.buffer
// CHECK-NEXT:    vyre.decode.bitunpack %last_packed to %more bits 9 : !vyre.buffer
// CHECK:           [[FIVE:%.*]] = arith.constant 5 : i16
// CHECK-NEXT:      %is_two = arith.cmpi eq, %c, [[FIVE]] : i16
// CHECK-NEXT:      [[FOUR:%.*]] = arith.constant 4 : i16
// CHECK-NEXT:      %is_near = arith.cmpi ule, %b, [[FOUR]] : i16
// CHECK-NEXT:      [[ONE:%.*]] = arith.constant 1 : i16
// CHECK-NEXT:      [[LOW:%.*]] = arith.andi %a, [[ONE]] : i16
// CHECK-NEXT:      [[ZERO:%.*]] = arith.constant 0 : i16
// CHECK-NEXT:      %is_negative = arith.cmpi ne, [[LOW]], [[ZERO]] : i16

// -----

// The entries of a constant dictionary are known, and no code is bad: codes 2 and 3 pass, which the base of codes is
// then taken from.

vyre.program @constant_dictionary {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %table = vyre.buffer @table contents dense<[3, 5, 20, 40, 2, 1]> : vector<6xi64> : !vyre.buffer<6xi64, read_only>
  %codes = vyre.buffer @codes : !vyre.buffer<?xi8, read_write>
  %prices = vyre.buffer @prices : !vyre.buffer<?xi64, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack %packed to %codes bits 2 base 1 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>
  vyre.decode.dictionary %codes to %prices table %table errors %errors : !vyre.buffer<?xi8, read_write>, !vyre.buffer<?xi64, read_write>, !vyre.buffer<6xi64, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.scan.aggregate (%price = %prices : !vyre.buffer<?xi64, read_write>) into count %count : !vyre.buffer<1xi32, read_write> {
    %ten = arith.constant 10 : i64
    %is_dear = arith.cmpi sge, %price, %ten : i64
    vyre.scan.yield where %is_dear
  }
}

// CHECK-LABEL: vyre.program @constant_dictionary
// CHECK:         vyre.decode.bitunpack %packed to %codes bits 2 : !vyre.buffer
// CHECK-NEXT:    vyre.scan.aggregate (%price = %codes : !vyre.buffer<?xi8, read_write>)
// CHECK-NEXT:      %0 = arith.constant 1 : i8
// CHECK-NEXT:      %1 = arith.subi %price, %0 : i8
// CHECK-NEXT:      %2 = arith.constant 1 : i8
// CHECK-NEXT:      %is_dear = arith.cmpi ule, %1, %2 : i8

// -----

// Codes that are not next to each other are bits of a mask.

vyre.program @mask_of_codes {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %table = vyre.buffer @table contents dense<[30, 5, 20, 40, 2, 1, 17, 11]> : vector<8xi32> : !vyre.buffer<8xi32, read_only>
  %codes = vyre.buffer @codes : !vyre.buffer<?xi16, read_write>
  %prices = vyre.buffer @prices : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack %packed to %codes bits 3 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi16, read_write>
  vyre.decode.dictionary %codes to %prices table %table errors %errors : !vyre.buffer<?xi16, read_write>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<8xi32, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.scan.aggregate (%price = %prices : !vyre.buffer<?xi32, read_write>) into count %count : !vyre.buffer<1xi32, read_write> {
    %ten = arith.constant 10 : i32
    %is_dear = arith.cmpi sge, %price, %ten : i32
    vyre.scan.yield where %is_dear
  }
}

// CHECK-LABEL: vyre.program @mask_of_codes
// CHECK-NOT:     vyre.decode.dictionary
// CHECK:           %0 = arith.extui %price : i16 to i32
// CHECK-NEXT:      %1 = arith.constant 205 : i32
// CHECK-NEXT:      %2 = arith.shrui %1, %0 : i32

// -----

// Entries that the host supplies are tested by an arm of their own, for two tests at once. Bad codes are reported
// as before.

vyre.program @entries {
  %codes = vyre.buffer @codes : !vyre.buffer<?xi16, read_only>
  %table = vyre.buffer @table : !vyre.buffer<?xf64, read_only>
  %prices = vyre.buffer @prices : !vyre.buffer<?xf64, read_write>
  %others = vyre.buffer @others : !vyre.buffer<?xi32, read_only>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.decode.dictionary %codes to %prices table %table errors %errors lanes 8 : !vyre.buffer<?xi16, read_only>, !vyre.buffer<?xf64, read_write>, !vyre.buffer<?xf64, read_only>, !vyre.buffer<1xi32, read_write>
  %n = vyre.buf_len %prices : !vyre.buffer<?xf64, read_write>
  vyre.scan.aggregate (%price = %prices : !vyre.buffer<?xf64, read_write>, %other = %others : !vyre.buffer<?xi32, read_only>) rows %n into count %count : !vyre.buffer<1xi32, read_write> {
    %zero = arith.constant 0 : i32
    %ten = arith.constant 10.0 : f64
    %half = arith.constant 0.5 : f64
    %halved = arith.mulf %price, %half : f64
    %is_dear = arith.cmpf oge, %halved, %ten : f64
    %is_cheap = arith.cmpf olt, %price, %half : f64
    %is_positive = arith.cmpi sgt, %other, %zero : i32
    %either = arith.ori %is_cheap, %is_positive : i1
    %all = arith.andi %is_dear, %either : i1
    vyre.scan.yield where %all
  }
}

// CHECK-LABEL: vyre.program @entries
// CHECK:         %prices_tests = vyre.buffer @prices_tests : !vyre.buffer<?xi8, read_write>
// CHECK:         %entries = vyre.buf_len %table : !vyre.buffer<?xf64, read_only>
// CHECK-NEXT:    %table_tests = vyre.buffer @table_tests[%entries] initial undefined : !vyre.buffer<?xi8, read_write>
// CHECK-NEXT:    vyre.region "decode.dictionary.tests" invocations [%entries] {
// CHECK:           %halved = arith.mulf
// CHECK:           %[[DEAR:.*]] = arith.extui %is_dear : i1 to i8
// CHECK-NEXT:      %[[CHEAP:.*]] = arith.extui %is_cheap : i1 to i8
// CHECK-NEXT:      %[[PLACE:.*]] = arith.constant 1 : i8
// CHECK-NEXT:      %[[MOVED:.*]] = arith.shli %[[CHEAP]], %[[PLACE]] : i8
// CHECK-NEXT:      %[[BOTH:.*]] = arith.ori %[[DEAR]], %[[MOVED]] : i8
// CHECK-NEXT:      vyre.store %[[BOTH]], %table_tests[%i] : i8
// CHECK:         vyre.decode.dictionary %codes to %prices_tests table %table_tests errors %errors lanes 8 :
// CHECK-NEXT:    %n = vyre.buf_len %prices_tests : !vyre.buffer<?xi8, read_write>
// CHECK-NEXT:    vyre.scan.aggregate (%price = %prices_tests : !vyre.buffer<?xi8, read_write>, %other = %others : !vyre.buffer<?xi32, read_only>) rows %n
// CHECK-NOT:       arith.mulf
// CHECK:           arith.ori

// -----

// Blocks are not read in any column of as long ones where nothing passes: neither what passes begins in what a
// block may have, nor the other way round.

vyre.program @blocks {
  %days_packed = vyre.buffer @days_packed : !vyre.buffer<?xi8, read_only>
  %days_blocks = vyre.buffer @days_blocks : !vyre.buffer<?xi64, read_only>
  %cents_packed = vyre.buffer @cents_packed : !vyre.buffer<?xi8, read_only>
  %cents_blocks = vyre.buffer @cents_blocks : !vyre.buffer<?xi64, read_only>
  %days = vyre.buffer @days : !vyre.buffer<?xi32, read_write>
  %cents = vyre.buffer @cents : !vyre.buffer<?xi64, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi64, read_write>
  vyre.decode.bitunpack_blocks %cents_packed to %cents blocks %cents_blocks of 1024 layout interleaved errors %errors lanes 8 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi64, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack_blocks %days_packed to %days blocks %days_blocks of 1024 zigzag errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.scan.aggregate (%day = %days : !vyre.buffer<?xi32, read_write>, %amount = %cents : !vyre.buffer<?xi64, read_write>) into sum %sum : !vyre.buffer<1xi64, read_write> {
    %first = arith.constant 9000 : i32
    %days_of_month = arith.constant 31 : i32
    %since = arith.subi %day, %first : i32
    %is_chosen = arith.cmpi ult, %since, %days_of_month : i32
    vyre.scan.yield %amount : i64 where %is_chosen
  }
}

// CHECK-LABEL: vyre.program @blocks
// CHECK:         vyre.region "decode.bitunpack_blocks.wanted" invocations [%blocks] {
// CHECK:           vyre.load %days_blocks
// CHECK:           [[BELOW:%.*]] = arith.subi %base, %{{.*}} : i32
// CHECK-NEXT:      [[FIRST:%.*]] = arith.constant 9000 : i32
// CHECK-NEXT:      [[AHEAD:%.*]] = arith.subi [[BELOW]], [[FIRST]] : i32
// CHECK-NEXT:      [[ZERO:%.*]] = arith.constant 0 : i32
// CHECK-NEXT:      [[BEHIND:%.*]] = arith.subi [[ZERO]], [[AHEAD]] : i32
// CHECK-NEXT:      arith.cmpi ule, [[BEHIND]], %extent : i32
// CHECK-NEXT:      [[LENGTH:%.*]] = arith.constant 30 : i32
// CHECK-NEXT:      arith.cmpi ule, [[AHEAD]], [[LENGTH]] : i32
// CHECK-NOT:       vyre.load %cents_blocks
// CHECK:         vyre.decode.bitunpack_blocks %cents_packed to %cents blocks %cents_blocks of 1024 layout interleaved errors %errors wanted %wanted_blocks lanes 8 :
// CHECK-NEXT:    vyre.decode.bitunpack_blocks %days_packed to %days blocks %days_blocks of 1024 zigzag errors %errors wanted %wanted_blocks :
// CHECK-NEXT:    vyre.scan.aggregate (%day = %days

// -----

// Differences in blocks are summed up: a value is one to 32 differences above a base of the block. Decimals that are
// made of blocks as long are not read there, either.

vyre.program @differences {
  %times_packed = vyre.buffer @times_packed : !vyre.buffer<?xi8, read_only>
  %times_blocks = vyre.buffer @times_blocks : !vyre.buffer<?xi64, read_only>
  %times_bases = vyre.buffer @times_bases : !vyre.buffer<?xi64, read_only>
  %digits_packed = vyre.buffer @digits_packed : !vyre.buffer<?xi8, read_only>
  %digits_blocks = vyre.buffer @digits_blocks : !vyre.buffer<?xi64, read_only>
  %words = vyre.buffer @words : !vyre.buffer<?xi64, read_write>
  %times = vyre.buffer @times : !vyre.buffer<?xi64, read_write>
  %digits = vyre.buffer @digits : !vyre.buffer<?xi32, read_write>
  %degrees = vyre.buffer @degrees : !vyre.buffer<?xf32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xf32, read_write>
  vyre.decode.bitunpack_blocks %times_packed to %words blocks %times_blocks of 32 zigzag errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi64, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.decode.delta %words to %times bases %times_bases : !vyre.buffer<?xi64, read_only> block 32 plain : !vyre.buffer<?xi64, read_write>, !vyre.buffer<?xi64, read_write>
  vyre.decode.bitunpack_blocks %digits_packed to %digits blocks %digits_blocks of 32 errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.decode.alp %digits to %degrees exponent 2 : !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xf32, read_write>
  vyre.scan.aggregate (%time = %times : !vyre.buffer<?xi64, read_write>, %degree = %degrees : !vyre.buffer<?xf32, read_write>) into sum %sum : !vyre.buffer<1xf32, read_write> {
    %noon = arith.constant 43200 : i64
    %is_early = arith.cmpi ult, %time, %noon : i64
    vyre.scan.yield %degree : f32 where %is_early
  }
}

// CHECK-LABEL: vyre.program @differences
// CHECK:         vyre.region "decode.bitunpack_blocks.wanted" invocations [%blocks] {
// CHECK:           %base_1 = vyre.load %times_bases[%i]
// CHECK:           arith.minsi
// CHECK:           arith.maxsi
// CHECK:         vyre.decode.bitunpack_blocks %times_packed to %words blocks %times_blocks of 32 zigzag errors %errors wanted %wanted_blocks :
// CHECK:         vyre.decode.bitunpack_blocks %digits_packed to %digits blocks %digits_blocks of 32 errors %errors wanted %wanted_blocks :

// -----

// A filter of what a dictionary has for codes is one of the codes, whose entries it tests once; how long the values are
// is how many codes there are.

vyre.program @filter {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %table = vyre.buffer @table : !vyre.buffer<?xi32, read_only>
  %codes = vyre.buffer @codes : !vyre.buffer<?xi16, read_write>
  %prices = vyre.buffer @prices : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi64, read_write>
  vyre.decode.bitunpack %packed to %codes bits 6 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi16, read_write>
  vyre.decode.dictionary %codes to %prices table %table errors %errors : !vyre.buffer<?xi16, read_write>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi32, read_only>, !vyre.buffer<1xi32, read_write>
  %n = vyre.buf_len %prices : !vyre.buffer<?xi32, read_write>
  %marks = vyre.buffer @marks[%n] live_out : !vyre.buffer<?xi8, read_write>
  vyre.scan.filter %prices in [1000, 50000) count %count sum %sum values 8 : !vyre.buffer<?xi32, read_write>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<1xi64, read_write>
}

// CHECK-LABEL: vyre.program @filter
// CHECK-NOT:     @prices
// CHECK-NOT:     vyre.decode.dictionary
// CHECK:         %n = vyre.buf_len %codes
// CHECK:         vyre.scan.dictionary_filter %codes table %table errors %errors in [1000, 50000) count %count sum %sum values 8 :
