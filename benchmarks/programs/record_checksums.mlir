// The CRC-32 of each record of 64 bytes, by the table that comes with it, once a key is off.
vyre.program @record_checksums workgroup_size [64] {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %table = vyre.buffer @table : !vyre.buffer<256xi32, read_only>
  %plain = vyre.buffer @plain initial undefined : !vyre.buffer<?xi8, read_write>
  %length = vyre.buf_len %encoded : !vyre.buffer<?xi8, read_only>
  %size = arith.constant 64 : index
  %records = arith.divui %length, %size : index
  %checksums = vyre.buffer @checksums[%records] live_out initial undefined : !vyre.buffer<?xi32, read_write>
  vyre.decode.xor %encoded to %plain key "sum" : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>
  vyre.region "checksums" invocations [%records] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %first = arith.muli %i, %c64 : index
    %ones = arith.constant -1 : i32
    %low = arith.constant 255 : i32
    %eight = arith.constant 8 : i32
    %crc = scf.for %k = %c0 to %c64 step %c1 iter_args(%so_far = %ones) -> (i32) {
      %place = arith.addi %first, %k : index
      %byte = vyre.load %plain[%place] : !vyre.buffer<?xi8, read_write> -> i8
      %word = arith.extui %byte : i8 to i32
      %mixed = arith.xori %so_far, %word : i32
      %row = arith.andi %mixed, %low : i32
      %number = arith.index_cast %row : i32 to index
      %entry = vyre.load %table[%number] : !vyre.buffer<256xi32, read_only> -> i32
      %down = arith.shrui %so_far, %eight : i32
      %next = arith.xori %entry, %down : i32
      scf.yield %next : i32
    }
    %checksum = arith.xori %crc, %ones : i32
    vyre.store %checksum, %checksums[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
}
