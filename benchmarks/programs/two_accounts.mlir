// Sums up the bookings of two accounts, and counts how often the first has less.
vyre.program @two_accounts {
  %own = vyre.buffer @own : !vyre.buffer<?xi32, read_only>
  %other = vyre.buffer @other : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %own : !vyre.buffer<?xi32, read_only>
  %own_balance = vyre.buffer @own_balance[%n] initial undefined : !vyre.buffer<?xi64, read_write>
  %other_balance = vyre.buffer @other_balance[%n] initial undefined : !vyre.buffer<?xi64, read_write>
  %less = vyre.buffer @less live_out : !vyre.buffer<1xi32, read_write>
  vyre.scan.prefix_sum %own to %own_balance : !vyre.buffer<?xi32, read_only>, !vyre.buffer<?xi64, read_write>
  vyre.scan.prefix_sum %other to %other_balance : !vyre.buffer<?xi32, read_only>, !vyre.buffer<?xi64, read_write>
  vyre.region "scan.less" invocations [%n] {
    %i = vyre.invocation_id x
    %has = vyre.load %own_balance[%i] : !vyre.buffer<?xi64, read_write> -> i64
    %has_other = vyre.load %other_balance[%i] : !vyre.buffer<?xi64, read_write> -> i64
    %is_less = arith.cmpi slt, %has, %has_other : i64
    scf.if %is_less {
      %first = arith.constant 0 : index
      %one = arith.constant 1 : i32
      %old = vyre.atomic_rmw addi %one, %less[%first] : i32, !vyre.buffer<1xi32, read_write>
    }
  }
}
