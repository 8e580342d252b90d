// In the middle of a chain, the first element is read again where there is none before it.
vyre.program @clamp_in_chain workgroup_size [8] {
  %src = vyre.buffer @src : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %src : !vyre.buffer<?xi8, read_only>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %h = vyre.buffer @h[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %g = vyre.buffer @g[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, read_write>
  vyre.region "prod" invocations [%n] {
    %i = vyre.invocation_id x
    %v = vyre.load %src[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %k = arith.constant 90 : i8
    %x = arith.xori %v, %k : i8
    vyre.store %x, %h[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "mid" invocations [%n] {
    %i = vyre.invocation_id x
    %a = arith.subi %i, %c3 : index
    %j = arith.maxsi %a, %c0 : index
    %y = vyre.load %h[%j] : !vyre.buffer<?xi8, read_write> -> i8
    vyre.store %y, %g[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "cons" invocations [%n] {
    %i = vyre.invocation_id x
    %next = arith.addi %i, %c1 : index
    %a = vyre.load %g[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %b = vyre.load %g[%next] : !vyre.buffer<?xi8, read_write> -> i8
    %two = arith.constant 2 : i8
    %twice = arith.muli %b, %two : i8
    %sum = arith.addi %a, %twice : i8
    vyre.store %sum, %out[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
}
