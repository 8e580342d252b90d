// TPC-H's sixth query, as a query: what a discount gave away, of four packed columns. There are as
// many rows as the shortest column has.
vyre.program @q6_aggregate workgroup_size [128] {
  %ship_packed = vyre.buffer @ship_packed : !vyre.buffer<?xi8, read_only>
  %disc_packed = vyre.buffer @disc_packed : !vyre.buffer<?xi8, read_only>
  %qty_packed = vyre.buffer @qty_packed : !vyre.buffer<?xi8, read_only>
  %price_packed = vyre.buffer @price_packed : !vyre.buffer<?xi8, read_only>
  %ship = vyre.buffer @ship initial undefined : !vyre.buffer<?xi32, read_write>
  %disc = vyre.buffer @disc initial undefined : !vyre.buffer<?xi32, read_write>
  %qty = vyre.buffer @qty initial undefined : !vyre.buffer<?xi32, read_write>
  %price = vyre.buffer @price initial undefined : !vyre.buffer<?xi32, read_write>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi64, read_write>
  vyre.decode.bitunpack %ship_packed to %ship bits 12 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.decode.bitunpack %disc_packed to %disc bits 4 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.decode.bitunpack %qty_packed to %qty bits 6 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.decode.bitunpack %price_packed to %price bits 24 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.scan.aggregate (%day = %ship : !vyre.buffer<?xi32, read_write>,
                       %discount = %disc : !vyre.buffer<?xi32, read_write>,
                       %pieces = %qty : !vyre.buffer<?xi32, read_write>,
                       %cents = %price : !vyre.buffer<?xi32, read_write>)
      into sum %sum : !vyre.buffer<1xi64, read_write> {
    %begin = arith.constant 800 : i32
    %days = arith.constant 593 : i32
    %five = arith.constant 5 : i32
    %three = arith.constant 3 : i32
    %many = arith.constant 24 : i32
    %since = arith.subi %day, %begin : i32
    %is_in_year = arith.cmpi ult, %since, %days : i32
    %above = arith.subi %discount, %five : i32
    %is_in_range = arith.cmpi ult, %above, %three : i32
    %is_small = arith.cmpi ult, %pieces, %many : i32
    %are_both = arith.andi %is_in_year, %is_in_range : i1
    %is_chosen = arith.andi %are_both, %is_small : i1
    %product = arith.muli %cents, %discount : i32
    %amount = arith.extui %product : i32 to i64
    vyre.scan.yield %amount : i64 where %is_chosen
  }
}
