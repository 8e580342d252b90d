// Data decides in which branch an element is stored; it is stored in either.
vyre.program @store_in_both_branches workgroup_size [8] {
  %src = vyre.buffer @src : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %src : !vyre.buffer<?xi8, read_only>
  %c1 = arith.constant 1 : index
  %h = vyre.buffer @h[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, read_write>
  vyre.region "prod" invocations [%n] {
    %i = vyre.invocation_id x
    %v = vyre.load %src[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %k = arith.constant 90 : i8
    %x = arith.xori %v, %k : i8
    %bad = arith.cmpi ult, %v, %k : i8
    scf.if %bad {
      vyre.store %k, %h[%i] : i8, !vyre.buffer<?xi8, read_write>
    } else {
      vyre.store %x, %h[%i] : i8, !vyre.buffer<?xi8, read_write>
    }
  }
  vyre.region "cons" invocations [%n] {
    %i = vyre.invocation_id x
    %j = arith.addi %i, %c1 : index
    %y = vyre.load %h[%j] : !vyre.buffer<?xi8, read_write> -> i8
    vyre.store %y, %out[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
}
