// TPC-H's first query over four packed columns, in part: for each of eight groups, what was shipped
// until a day, how much of it there is, and at what price after the discount.
vyre.program @q1 workgroup_size [128] {
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
  %n = vyre.buf_len %price : !vyre.buffer<?xi32, read_write>
  vyre.region "scan.q1" invocations [%n] {
    %i = vyre.invocation_id x
    %day = vyre.load %ship[%i] : !vyre.buffer<?xi32, read_write> -> i32
    %until = arith.constant 2500 : i32
    %is_shipped = arith.cmpi ule, %day, %until : i32
    scf.if %is_shipped {
      %group = vyre.load %groups[%i] : !vyre.buffer<?xi32, read_write> -> i32
      %pieces = vyre.load %quantity[%i] : !vyre.buffer<?xi32, read_write> -> i32
      %cents = vyre.load %price[%i] : !vyre.buffer<?xi32, read_write> -> i32
      %bin = arith.index_cast %group : i32 to index
      %one = arith.constant 1 : i32
      %wide_pieces = arith.extui %pieces : i32 to i64
      %wide_cents = arith.extui %cents : i32 to i64
      %total = arith.muli %wide_pieces, %wide_cents : i64
      %old_rows = vyre.atomic_rmw addi %one, %rows[%bin] : i32, !vyre.buffer<8xi32, read_write>
      %old_pieces = vyre.atomic_rmw addi %wide_pieces, %quantities[%bin] : i64, !vyre.buffer<8xi64, read_write>
      %old_cents = vyre.atomic_rmw addi %total, %prices[%bin] : i64, !vyre.buffer<8xi64, read_write>
    }
  }
}
