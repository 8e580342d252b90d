// Mail in mail: what sizes the second decoder is read from what the first one decodes.
vyre.program @base64_twice_literals workgroup_size [64] {
  %b0 = vyre.buffer @b0 : !vyre.buffer<?xi8, read_only>
  %errors = vyre.buffer @errors live_out fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %b1 = vyre.buffer @b1 : !vyre.buffer<?xi8, read_write>
  vyre.decode.base64 %b0 to %b1 errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
  %b2 = vyre.buffer @b2 : !vyre.buffer<?xi8, read_write>
  vyre.decode.base64 %b1 to %b2 errors %errors : !vyre.buffer<?xi8, read_write>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
  %c = vyre.buffer @c live_out : !vyre.buffer<2xi32, read_write>
  vyre.scan.literals ["self", "None"] in %b2 matches %c : !vyre.buffer<?xi8, read_write>, !vyre.buffer<2xi32, read_write>
}
