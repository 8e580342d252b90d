// Takes zigzag off each value, and counts the places where the sum of sixteen values passes a limit.
vyre.program @moving_sums workgroup_size [64] {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %encoded : !vyre.buffer<?xi32, read_only>
  %values = vyre.buffer @values[%n] initial undefined : !vyre.buffer<?xi32, read_write>
  %over = vyre.buffer @over live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "decode.zigzag" invocations [%n] {
    %i = vyre.invocation_id x
    %code = vyre.load %encoded[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %half = arith.shrui %code, %one : i32
    %odd = arith.andi %code, %one : i32
    %sign = arith.subi %zero, %odd : i32
    %value = arith.xori %half, %sign : i32
    vyre.store %value, %values[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
  vyre.region "scan.sums" invocations [%n] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0 : i32
    %limit = arith.constant 500 : i32
    %sum = scf.for %k = %c0 to %c16 step %c1 iter_args(%so_far = %zero) -> (i32) {
      %place = arith.addi %i, %k : index
      %value = vyre.load %values[%place] : !vyre.buffer<?xi32, read_write> -> i32
      %next = arith.addi %so_far, %value : i32
      scf.yield %next : i32
    }
    %passes = arith.cmpi sgt, %sum, %limit : i32
    %one = arith.extui %passes : i1 to i32
    %old = vyre.atomic_rmw addi %one, %over[%c0] : i32, !vyre.buffer<1xi32, read_write>
  }
}
