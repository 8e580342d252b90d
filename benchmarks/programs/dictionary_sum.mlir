// A column of codes of nine bits into a dictionary, and the sum of the values that are positive.
vyre.program @dictionary_sum workgroup_size [128] {
  %codes_packed = vyre.buffer @codes_packed : !vyre.buffer<?xi8, read_only>
  %dictionary = vyre.buffer @dictionary : !vyre.buffer<?xi32, read_only>
  %codes = vyre.buffer @codes initial undefined : !vyre.buffer<?xi32, read_write>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi64, read_write>
  vyre.decode.bitunpack %codes_packed to %codes bits 9 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  %n = vyre.buf_len %codes : !vyre.buffer<?xi32, read_write>
  vyre.region "scan.sum" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %code = vyre.load %codes[%i] : !vyre.buffer<?xi32, read_write> -> i32
    %row = arith.index_cast %code : i32 to index
    %value = vyre.load %dictionary[%row] : !vyre.buffer<?xi32, read_only> -> i32
    %nothing = arith.constant 0 : i32
    %is_positive = arith.cmpi sgt, %value, %nothing : i32
    scf.if %is_positive {
      %wide = arith.extsi %value : i32 to i64
      %old = vyre.atomic_rmw addi %wide, %sum[%zero] : i64, !vyre.buffer<1xi64, read_write>
    }
  }
}
