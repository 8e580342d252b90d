// The same with a key as long as a load of the first decoder is wide.
vyre.program @xor_delta_filter workgroup_size [128] {
  %b0 = vyre.buffer @b0 : !vyre.buffer<?xi8, read_only>
  %errors = vyre.buffer @errors live_out fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %b1 = vyre.buffer @b1 initial undefined : !vyre.buffer<?xi8, read_write>
  vyre.decode.xor %b0 to %b1 key "abcdefghijklmnop" : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>
  %w = vyre.buffer @w initial undefined : !vyre.buffer<?xi32, read_write>
  vyre.decode.delta %b1 to %w errors %errors block 128 : !vyre.buffer<?xi8, read_write>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<1xi32, read_write>
  %fc = vyre.buffer @fc live_out : !vyre.buffer<1xi32, read_write>
  vyre.scan.filter %w in [0, 7) count %fc : !vyre.buffer<?xi32, read_write>, !vyre.buffer<1xi32, read_write>
}
