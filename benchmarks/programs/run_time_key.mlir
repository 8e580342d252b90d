// Takes off a key of any length, which comes with the data, and sums up the bytes.
vyre.program @run_time_key workgroup_size [256] {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %key = vyre.buffer @key : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %encoded : !vyre.buffer<?xi8, read_only>
  %period = vyre.buf_len %key : !vyre.buffer<?xi8, read_only>
  %plain = vyre.buffer @plain[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi64, read_write>
  %zeros = vyre.buffer @zeros live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "decode.key" invocations [%n] {
    %i = vyre.invocation_id x
    %place = arith.remui %i, %period : index
    %byte = vyre.load %encoded[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %mask = vyre.load %key[%place] : !vyre.buffer<?xi8, read_only> -> i8
    %result = arith.xori %byte, %mask : i8
    vyre.store %result, %plain[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan.sum" invocations [%n] {
    %i = vyre.invocation_id x
    %first = arith.constant 0 : index
    %byte = vyre.load %plain[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %value = arith.extui %byte : i8 to i64
    %old_sum = vyre.atomic_rmw addi %value, %sum[%first] : i64, !vyre.buffer<1xi64, read_write>
    %nothing = arith.constant 0 : i8
    %is_zero = arith.cmpi eq, %byte, %nothing : i8
    scf.if %is_zero {
      %one = arith.constant 1 : i32
      %old = vyre.atomic_rmw addi %one, %zeros[%first] : i32, !vyre.buffer<1xi32, read_write>
    }
  }
}
