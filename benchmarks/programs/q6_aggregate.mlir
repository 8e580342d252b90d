// TPC-H's sixth query over four packed columns: what a discount gave away. The columns need not have
// the same number of rows; those of the ship dates count.
vyre.program @q6 workgroup_size [128] {
  %ps = vyre.buffer @ship_packed : !vyre.buffer<?xi8, read_only>
  %pd = vyre.buffer @disc_packed : !vyre.buffer<?xi8, read_only>
  %pq = vyre.buffer @qty_packed : !vyre.buffer<?xi8, read_only>
  %pp = vyre.buffer @price_packed : !vyre.buffer<?xi8, read_only>
  %s = vyre.buffer @ship initial undefined : !vyre.buffer<?xi32, read_write>
  %d = vyre.buffer @disc initial undefined : !vyre.buffer<?xi32, read_write>
  %q = vyre.buffer @qty initial undefined : !vyre.buffer<?xi32, read_write>
  %p = vyre.buffer @price initial undefined : !vyre.buffer<?xi32, read_write>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi64, read_write>
  vyre.decode.bitunpack %ps to %s bits 12 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.decode.bitunpack %pd to %d bits 4 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.decode.bitunpack %pq to %q bits 6 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.decode.bitunpack %pp to %p bits 24 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.scan.aggregate (%day = %s : !vyre.buffer<?xi32, read_write>, %discount = %d : !vyre.buffer<?xi32, read_write>, %pieces = %q : !vyre.buffer<?xi32, read_write>, %cents = %p : !vyre.buffer<?xi32, read_write>)
      into sum %sum : !vyre.buffer<1xi64, read_write> {
    %c800 = arith.constant 800 : i32
    %c593 = arith.constant 593 : i32
    %c5 = arith.constant 5 : i32
    %c3 = arith.constant 3 : i32
    %c24 = arith.constant 24 : i32
    %days = arith.subi %day, %c800 : i32
    %in_year = arith.cmpi ult, %days, %c593 : i32
    %percent = arith.subi %discount, %c5 : i32
    %in_range = arith.cmpi ult, %percent, %c3 : i32
    %is_small = arith.cmpi ult, %pieces, %c24 : i32
    %both = arith.andi %in_year, %in_range : i1
    %is_chosen = arith.andi %both, %is_small : i1
    %product = arith.muli %cents, %discount : i32
    %amount = arith.extui %product : i32 to i64
    vyre.scan.yield %amount : i64 where %is_chosen
  }
}
