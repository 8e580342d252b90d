// Rides, each with the zone that it began in, and, in blocks of 1024 as FastLanes packs them, the code of its
// fare and its distance: which rides are long, and what the long ones of each zone come to.
vyre.program @fares_in_lanes workgroup_size [128] {
  %zones = vyre.buffer @zones : !vyre.buffer<?xi8, read_only>
  %codes_packed = vyre.buffer @codes_packed : !vyre.buffer<?xi8, read_only>
  %tenths_packed = vyre.buffer @tenths_packed : !vyre.buffer<?xi8, read_only>
  %fares = vyre.buffer @fares : !vyre.buffer<64xi32, read_only>
  %codes = vyre.buffer @codes : !vyre.buffer<?xi32, read_write>
  %tenths = vyre.buffer @tenths : !vyre.buffer<?xi32, read_write>
  %amounts = vyre.buffer @amounts : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %sums = vyre.buffer @sums live_out : !vyre.buffer<256xi64, read_write>
  %rides = vyre.buf_len %zones : !vyre.buffer<?xi8, read_only>
  %long = vyre.buffer @long[%rides] live_out initial undefined : !vyre.buffer<?xi8, read_write>
  vyre.decode.bitunpack %codes_packed to %codes bits 6 layout interleaved count %rides errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack %tenths_packed to %tenths bits 9 layout interleaved count %rides errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<1xi32, read_write>
  vyre.decode.dictionary %codes to %amounts table %fares errors %errors : !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<64xi32, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.region "scan.fares" invocations [%rides] {
    %i = vyre.invocation_id x
    %zone = vyre.load %zones[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %distance = vyre.load %tenths[%i] : !vyre.buffer<?xi32, read_write> -> i32
    %amount = vyre.load %amounts[%i] : !vyre.buffer<?xi32, read_write> -> i32
    %limit = arith.constant 300 : i32
    %is_long = arith.cmpi ugt, %distance, %limit : i32
    %mark = arith.extui %is_long : i1 to i8
    vyre.store %mark, %long[%i] : i8, !vyre.buffer<?xi8, read_write>
    scf.if %is_long {
      %number = arith.extui %zone : i8 to i64
      %place = arith.index_cast %number : i64 to index
      %wide = arith.extui %amount : i32 to i64
      %old = vyre.atomic_rmw addi %wide, %sums[%place] : i64, !vyre.buffer<256xi64, read_write>
    }
  }
}
