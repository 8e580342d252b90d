// Takes off hex, then a key, then the case, and counts a word.
vyre.program @folded_word workgroup_size [128] {
  %dump = vyre.buffer @dump : !vyre.buffer<?xi8, read_only>
  %keyed = vyre.buffer @keyed initial undefined : !vyre.buffer<?xi8, read_write>
  %mixed = vyre.buffer @mixed initial undefined : !vyre.buffer<?xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.decode.hex %dump to %keyed errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
  vyre.decode.xor %keyed to %mixed key "open sesame" : !vyre.buffer<?xi8, read_write>, !vyre.buffer<?xi8, read_write>
  %n = vyre.buf_len %mixed : !vyre.buffer<?xi8, read_write>
  %lower = vyre.buffer @lower[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  vyre.region "decode.lower" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %mixed[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %case = arith.constant 32 : i8
    %small = arith.ori %byte, %case : i8
    vyre.store %small, %lower[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.scan.literal "error" in %lower count %count : !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
}
