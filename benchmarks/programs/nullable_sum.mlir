// A column with a bit for each row that says whether there is a value: how many there are, and their
// sum. Rows without a bit have no value.
vyre.program @nullable_sum {
  %validity = vyre.buffer @validity : !vyre.buffer<?xi8, read_only>
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %bytes = vyre.buf_len %validity : !vyre.buffer<?xi8, read_only>
  %eight = arith.constant 8 : index
  %bits = arith.muli %bytes, %eight : index
  %valid = vyre.buffer @valid[%bits] initial undefined : !vyre.buffer<?xi8, read_write>
  %values = vyre.buffer @values initial undefined : !vyre.buffer<?xi32, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi64, read_write>
  vyre.region "decode.bits" invocations [%bits] {
    %i = vyre.invocation_id x
    %each = arith.constant 8 : index
    %last = arith.constant 1 : i32
    %place = arith.divui %i, %each : index
    %within = arith.remui %i, %each : index
    %byte = vyre.load %validity[%place] : !vyre.buffer<?xi8, read_only> -> i8
    %word = arith.extui %byte : i8 to i32
    %shift = arith.index_cast %within : index to i32
    %down = arith.shrui %word, %shift : i32
    %bit = arith.andi %down, %last : i32
    %flag = arith.trunci %bit : i32 to i8
    vyre.store %flag, %valid[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.decode.bitunpack %packed to %values bits 17 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  %n = vyre.buf_len %values : !vyre.buffer<?xi32, read_write>
  vyre.region "scan.sum" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %flag = vyre.load %valid[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %no = arith.constant 0 : i8
    %is_valid = arith.cmpi ne, %flag, %no : i8
    scf.if %is_valid {
      %value = vyre.load %values[%i] : !vyre.buffer<?xi32, read_write> -> i32
      %wide = arith.extui %value : i32 to i64
      %one = arith.constant 1 : i32
      %old = vyre.atomic_rmw addi %one, %count[%zero] : i32, !vyre.buffer<1xi32, read_write>
      %old_sum = vyre.atomic_rmw addi %wide, %sum[%zero] : i64, !vyre.buffer<1xi64, read_write>
    }
  }
}
