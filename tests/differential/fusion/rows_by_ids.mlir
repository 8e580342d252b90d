// A loop along the row that an invocation has: 32 places on from those of its neighbour.
vyre.program @rows_by_ids workgroup_size [64] {
  %src = vyre.buffer @src : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %src : !vyre.buffer<?xi8, read_only>
  %width = arith.constant 32 : index
  %rows = arith.divui %n, %width : index
  %h = vyre.buffer @h[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %sum = vyre.buffer @sum[%rows] live_out initial undefined : !vyre.buffer<?xi8, read_write>
  vyre.region "decode" invocations [%n] {
    %i = vyre.invocation_id x
    %k = arith.constant 90 : i8
    %b = vyre.load %src[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %v = arith.xori %b, %k : i8
    vyre.store %v, %h[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan" invocations [%rows] {
    %r = vyre.invocation_id x
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %first = arith.muli %r, %c32 : index
    %behind = arith.addi %first, %c32 : index
    %z = arith.constant 0 : i8
    %s = scf.for %k = %first to %behind step %c1 iter_args(%a = %z) -> (i8) {
      %v = vyre.load %h[%k] : !vyre.buffer<?xi8, read_write> -> i8
      %x = arith.addi %a, %v : i8
      scf.yield %x : i8
    }
    vyre.store %s, %sum[%r] : i8, !vyre.buffer<?xi8, read_write>
  }
}
