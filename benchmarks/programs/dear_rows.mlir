// The rows of packed columns in which little was sold for much: which ones, and for how much each.
vyre.program @dear_rows {
  %quantity_packed = vyre.buffer @quantity_packed : !vyre.buffer<?xi8, read_only>
  %price_packed = vyre.buffer @price_packed : !vyre.buffer<?xi8, read_only>
  %quantity = vyre.buffer @quantity initial undefined : !vyre.buffer<?xi32, read_write>
  %price = vyre.buffer @price initial undefined : !vyre.buffer<?xi32, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  %bitmap = vyre.buffer @bitmap live_out : !vyre.buffer<?xi8, read_write>
  %positions = vyre.buffer @positions live_out : !vyre.buffer<?xi32, read_write>
  %prices = vyre.buffer @prices live_out : !vyre.buffer<?xi32, read_write>
  vyre.decode.bitunpack %quantity_packed to %quantity bits 6 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.decode.bitunpack %price_packed to %price bits 20 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.scan.select (%pieces = %quantity : !vyre.buffer<?xi32, read_write>,
                       %cents = %price : !vyre.buffer<?xi32, read_write>)
      into count %count : !vyre.buffer<1xi32, read_write>, bitmap %bitmap : !vyre.buffer<?xi8, read_write>,
           positions %positions : !vyre.buffer<?xi32, read_write>, values %prices : !vyre.buffer<?xi32, read_write> {
    %few = arith.constant 4 : i32
    %dear = arith.constant 900000 : i32
    %are_few = arith.cmpi ult, %pieces, %few : i32
    %is_dear = arith.cmpi ugt, %cents, %dear : i32
    %is_chosen = arith.andi %are_few, %is_dear : i1
    vyre.scan.yield %cents : i32 where %is_chosen
  }
}
