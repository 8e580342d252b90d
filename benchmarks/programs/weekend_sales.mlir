// A column of times, in ms, that goes through a dictionary, and a column of cents: what is sold at weekends. Each
// time of the dictionary is asked for its day of the week once, and rows look that up.
vyre.program @weekend_sales workgroup_size [128] {
  %codes_packed = vyre.buffer @codes_packed : !vyre.buffer<?xi8, read_only>
  %cents_packed = vyre.buffer @cents_packed : !vyre.buffer<?xi8, read_only>
  %dictionary = vyre.buffer @dictionary : !vyre.buffer<?xi64, read_only>
  %codes = vyre.buffer @codes : !vyre.buffer<?xi16, read_write>
  %times = vyre.buffer @times : !vyre.buffer<?xi64, read_write>
  %cents = vyre.buffer @cents : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi64, read_write>
  vyre.decode.bitunpack %codes_packed to %codes bits 10 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi16, read_write>
  vyre.decode.dictionary %codes to %times table %dictionary errors %errors : !vyre.buffer<?xi16, read_write>, !vyre.buffer<?xi64, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack %cents_packed to %cents bits 14 base 99 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.scan.aggregate (%time = %times : !vyre.buffer<?xi64, read_write>, %amount = %cents : !vyre.buffer<?xi32, read_write>)
      into sum %sum : !vyre.buffer<1xi64, read_write> {
    %day_length = arith.constant 86400000 : i64
    %thursday = arith.constant 3 : i64
    %week = arith.constant 7 : i64
    %saturday = arith.constant 5 : i64
    %day = arith.divui %time, %day_length : i64
    %since_monday = arith.addi %day, %thursday : i64
    %weekday = arith.remui %since_monday, %week : i64
    %is_weekend = arith.cmpi uge, %weekday, %saturday : i64
    %wide = arith.extui %amount : i32 to i64
    vyre.scan.yield %wide : i64 where %is_weekend
  }
}
