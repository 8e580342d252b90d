// Orders as they came in, in blocks of 1024 that each have their own base: what those of one month come to. All
// but a few blocks are of other months, as their bases and widths say, and are not read.
vyre.program @month_of_orders workgroup_size [128] {
  %days_packed = vyre.buffer @days_packed : !vyre.buffer<?xi8, read_only>
  %days_blocks = vyre.buffer @days_blocks : !vyre.buffer<?xi64, read_only>
  %cents_packed = vyre.buffer @cents_packed : !vyre.buffer<?xi8, read_only>
  %cents_blocks = vyre.buffer @cents_blocks : !vyre.buffer<?xi64, read_only>
  %days = vyre.buffer @days : !vyre.buffer<?xi32, read_write>
  %cents = vyre.buffer @cents : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %orders = vyre.buffer @orders live_out : !vyre.buffer<1xi32, read_write>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi64, read_write>
  vyre.decode.bitunpack_blocks %days_packed to %days blocks %days_blocks of 1024 errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack_blocks %cents_packed to %cents blocks %cents_blocks of 1024 errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.scan.aggregate (%day = %days : !vyre.buffer<?xi32, read_write>, %amount = %cents : !vyre.buffer<?xi32, read_write>)
      into count %orders : !vyre.buffer<1xi32, read_write>, sum %sum : !vyre.buffer<1xi64, read_write> {
    %first = arith.constant 9000 : i32
    %after = arith.constant 9031 : i32
    %has_begun = arith.cmpi sge, %day, %first : i32
    %is_over = arith.cmpi slt, %day, %after : i32
    %is_chosen = arith.andi %has_begun, %is_over : i1
    %wide = arith.extui %amount : i32 to i64
    vyre.scan.yield %wide : i64 where %is_chosen
  }
}
