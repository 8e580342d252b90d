// Both tiles fit only if their sizes are chosen together.
vyre.program @xor_hex_literals workgroup_size [128] {
  %b0 = vyre.buffer @b0 : !vyre.buffer<?xi8, read_only>
  %errors = vyre.buffer @errors live_out fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %b1 = vyre.buffer @b1 initial undefined : !vyre.buffer<?xi8, read_write>
  vyre.decode.xor %b0 to %b1 key "abcde" : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>
  %b2 = vyre.buffer @b2 initial undefined : !vyre.buffer<?xi8, read_write>
  vyre.decode.hex %b1 to %b2 errors %errors : !vyre.buffer<?xi8, read_write>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
  %c = vyre.buffer @c live_out : !vyre.buffer<1xi32, read_write>
  vyre.scan.literals ["self"] in %b2 matches %c : !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
}
