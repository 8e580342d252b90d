// Counts the words whose hash, 16 rounds of Marsaglia's xorshift, ends in twelve zeros: a sample by
// content, as fingerprinting takes it. Nobody has shaped this program for any device.
vyre.program @sampled_words entry_op_id "sampled_words" {
  %words = vyre.buffer @words : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %words : !vyre.buffer<?xi32, read_only>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "scan.sampled" invocations [%n] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rounds = arith.constant 16 : index
    %left = arith.constant 13 : i32
    %right = arith.constant 17 : i32
    %left_again = arith.constant 5 : i32
    %word = vyre.load %words[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %hash = scf.for %round = %c0 to %rounds step %c1 iter_args(%x = %word) -> (i32) {
      %a = arith.shli %x, %left : i32
      %b = arith.xori %x, %a : i32
      %c = arith.shrui %b, %right : i32
      %d = arith.xori %b, %c : i32
      %e = arith.shli %d, %left_again : i32
      %f = arith.xori %d, %e : i32
      scf.yield %f : i32
    }
    %mask = arith.constant 4095 : i32
    %zero = arith.constant 0 : i32
    %low = arith.andi %hash, %mask : i32
    %is_sampled = arith.cmpi eq, %low, %zero : i32
    %one = arith.extui %is_sampled : i1 to i32
    %old = vyre.atomic_rmw addi %one, %count[%c0] : i32, !vyre.buffer<1xi32, read_write>
  }
}
