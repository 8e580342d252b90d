// Proofs about the end of the chain take longer than isl is given by default.
vyre.program @chain_of_four_decoders workgroup_size [64] {
  %b0 = vyre.buffer @b0 : !vyre.buffer<?xi8, read_only>
  %errors = vyre.buffer @errors live_out fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %b1 = vyre.buffer @b1 initial undefined : !vyre.buffer<?xi8, read_write>
  vyre.decode.xor %b0 to %b1 key "\63\DA\7B\93\67\AE\64\9E\BC\04\F7\33\6F\30\50\D3\91\00\66\E6" : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>
  %b2 = vyre.buffer @b2 initial undefined : !vyre.buffer<?xi8, read_write>
  vyre.decode.base64 %b1 to %b2 errors %errors : !vyre.buffer<?xi8, read_write>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
  %b3 = vyre.buffer @b3 initial undefined : !vyre.buffer<?xi8, read_write>
  vyre.decode.base64 %b2 to %b3 errors %errors : !vyre.buffer<?xi8, read_write>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
  %w = vyre.buffer @w initial undefined : !vyre.buffer<?xi32, read_write>
  vyre.decode.bitunpack %b3 to %w bits 32 : !vyre.buffer<?xi8, read_write>, !vyre.buffer<?xi32, read_write>
  %fc = vyre.buffer @fc live_out : !vyre.buffer<1xi32, read_write>
  %fs = vyre.buffer @fs live_out : !vyre.buffer<1xi64, read_write>
  vyre.scan.filter %w in [-50, 100) count %fc sum %fs : !vyre.buffer<?xi32, read_write>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<1xi64, read_write>
}
