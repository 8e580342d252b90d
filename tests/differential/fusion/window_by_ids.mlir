// A loop whose bounds are places around that of the invocation.
vyre.program @window_by_ids workgroup_size [64] {
  %src = vyre.buffer @src : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %src : !vyre.buffer<?xi8, read_only>
  %h = vyre.buffer @h[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %sum = vyre.buffer @sum[%n] live_out initial undefined : !vyre.buffer<?xi8, read_write>
  vyre.region "decode" invocations [%n] {
    %i = vyre.invocation_id x
    %k = arith.constant 90 : i8
    %b = vyre.load %src[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %v = arith.xori %b, %k : i8
    vyre.store %v, %h[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %lo = arith.subi %i, %c2 : index
    %c3 = arith.constant 3 : index
    %hi = arith.addi %i, %c3 : index
    %z = arith.constant 0 : i8
    %s = scf.for %k = %lo to %hi step %c1 iter_args(%a = %z) -> (i8) {
      %v = vyre.load %h[%k] : !vyre.buffer<?xi8, read_write> -> i8
      %x = arith.addi %a, %v : i8
      scf.yield %x : i8
    }
    vyre.store %s, %sum[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
}
