// At the beginning, the consumer reads the first element again.
vyre.program @clamp_to_first workgroup_size [8] {
  %src = vyre.buffer @src : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %src : !vyre.buffer<?xi8, read_only>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h = vyre.buffer @h[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, read_write>
  vyre.region "prod" invocations [%n] {
    %i = vyre.invocation_id x
    %v = vyre.load %src[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %k = arith.constant 90 : i8
    %x = arith.xori %v, %k : i8
    vyre.store %x, %h[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "cons" invocations [%n] {
    %i = vyre.invocation_id x
    %a = arith.subi %i, %c1 : index
    %j = arith.maxsi %a, %c0 : index
    %y = vyre.load %h[%j] : !vyre.buffer<?xi8, read_write> -> i8
    vyre.store %y, %out[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
}
