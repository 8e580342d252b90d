// Bytes to numbers around zero, and how many places match a pattern of any length: the sum of
// products passes a limit.
vyre.program @matched_filter workgroup_size [64] {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %pattern = vyre.buffer @pattern : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %encoded : !vyre.buffer<?xi8, read_only>
  %taps = vyre.buf_len %pattern : !vyre.buffer<?xi32, read_only>
  %values = vyre.buffer @values[%n] initial undefined : !vyre.buffer<?xi32, read_write>
  %matches = vyre.buffer @matches live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "decode.offset" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %encoded[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %middle = arith.constant 128 : i32
    %code = arith.extui %byte : i8 to i32
    %value = arith.subi %code, %middle : i32
    vyre.store %value, %values[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
  vyre.region "scan.matches" invocations [%n] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %nothing = arith.constant 0 : i32
    %sum = scf.for %k = %c0 to %taps step %c1 iter_args(%so_far = %nothing) -> (i32) {
      %place = arith.addi %i, %k : index
      %value = vyre.load %values[%place] : !vyre.buffer<?xi32, read_write> -> i32
      %weight = vyre.load %pattern[%k] : !vyre.buffer<?xi32, read_only> -> i32
      %product = arith.muli %value, %weight : i32
      %next = arith.addi %so_far, %product : i32
      scf.yield %next : i32
    }
    %limit = arith.constant 9000 : i32
    %is_match = arith.cmpi sgt, %sum, %limit : i32
    scf.if %is_match {
      %one = arith.constant 1 : i32
      %old = vyre.atomic_rmw addi %one, %matches[%c0] : i32, !vyre.buffer<1xi32, read_write>
    }
  }
}
