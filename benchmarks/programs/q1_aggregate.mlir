// TPC-H's first query, as a query, in part: for each of eight groups, what was shipped until a day,
// how much of it there is, and at what price after the discount.
vyre.program @q1_aggregate workgroup_size [128] {
  %groups_packed = vyre.buffer @groups_packed : !vyre.buffer<?xi8, read_only>
  %ship_packed = vyre.buffer @ship_packed : !vyre.buffer<?xi8, read_only>
  %quantity_packed = vyre.buffer @quantity_packed : !vyre.buffer<?xi8, read_only>
  %price_packed = vyre.buffer @price_packed : !vyre.buffer<?xi8, read_only>
  %groups = vyre.buffer @groups initial undefined : !vyre.buffer<?xi32, read_write>
  %ship = vyre.buffer @ship initial undefined : !vyre.buffer<?xi32, read_write>
  %quantity = vyre.buffer @quantity initial undefined : !vyre.buffer<?xi32, read_write>
  %price = vyre.buffer @price initial undefined : !vyre.buffer<?xi32, read_write>
  %rows = vyre.buffer @rows live_out : !vyre.buffer<8xi32, read_write>
  %quantities = vyre.buffer @quantities live_out : !vyre.buffer<8xi64, read_write>
  %prices = vyre.buffer @prices live_out : !vyre.buffer<8xi64, read_write>
  vyre.decode.bitunpack %groups_packed to %groups bits 3 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.decode.bitunpack %ship_packed to %ship bits 12 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.decode.bitunpack %quantity_packed to %quantity bits 6 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.decode.bitunpack %price_packed to %price bits 20 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.scan.aggregate (%group = %groups : !vyre.buffer<?xi32, read_write>,
                       %day = %ship : !vyre.buffer<?xi32, read_write>,
                       %pieces = %quantity : !vyre.buffer<?xi32, read_write>,
                       %cents = %price : !vyre.buffer<?xi32, read_write>)
      into count %rows : !vyre.buffer<8xi32, read_write>, sum %quantities : !vyre.buffer<8xi64, read_write>,
           sum %prices : !vyre.buffer<8xi64, read_write> {
    %until = arith.constant 2500 : i32
    %is_shipped = arith.cmpi ule, %day, %until : i32
    %wide_pieces = arith.extui %pieces : i32 to i64
    %wide_cents = arith.extui %cents : i32 to i64
    %total = arith.muli %wide_pieces, %wide_cents : i64
    vyre.scan.yield %wide_pieces, %total : i64, i64 where %is_shipped group %group
  }
}
