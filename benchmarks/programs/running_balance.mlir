// Takes zigzag off each booking, sums them up, and counts how often the balance is below zero.
vyre.program @running_balance {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %encoded : !vyre.buffer<?xi32, read_only>
  %bookings = vyre.buffer @bookings[%n] initial undefined : !vyre.buffer<?xi32, read_write>
  %balance = vyre.buffer @balance[%n] initial undefined : !vyre.buffer<?xi64, read_write>
  %below = vyre.buffer @below live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "decode.zigzag" invocations [%n] {
    %i = vyre.invocation_id x
    %code = vyre.load %encoded[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %half = arith.shrui %code, %one : i32
    %odd = arith.andi %code, %one : i32
    %sign = arith.subi %zero, %odd : i32
    %value = arith.xori %half, %sign : i32
    vyre.store %value, %bookings[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
  vyre.scan.prefix_sum %bookings to %balance : !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_write>
  vyre.region "scan.below" invocations [%n] {
    %i = vyre.invocation_id x
    %first = arith.constant 0 : index
    %zero = arith.constant 0 : i64
    %amount = vyre.load %balance[%i] : !vyre.buffer<?xi64, read_write> -> i64
    %is_below = arith.cmpi slt, %amount, %zero : i64
    scf.if %is_below {
      %one = arith.constant 1 : i32
      %old = vyre.atomic_rmw addi %one, %below[%first] : i32, !vyre.buffer<1xi32, read_write>
    }
  }
}
