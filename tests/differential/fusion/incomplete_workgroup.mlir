// The consumer's barrier needs whole workgroups: for other sizes the program is in error.
vyre.program @incomplete_workgroup workgroup_size [8] {
  %src = vyre.buffer @src : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %src : !vyre.buffer<?xi8, read_only>
  %h = vyre.buffer @h[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, read_write>
  vyre.region "prod" invocations [%n] {
    %i = vyre.invocation_id x
    %v = vyre.load %src[%i] : !vyre.buffer<?xi8, read_only> -> i8
    vyre.store %v, %h[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "cons" invocations [%n] {
    %i = vyre.invocation_id x
    %v = vyre.load %h[%i] : !vyre.buffer<?xi8, read_write> -> i8
    vyre.barrier
    vyre.store %v, %out[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
}
