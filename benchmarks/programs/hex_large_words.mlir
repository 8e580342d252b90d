// Counts the words in a hex dump whose highest four bits are all set.
vyre.program @hex_large_words workgroup_size [128] {
  %dump = vyre.buffer @dump : !vyre.buffer<?xi8, read_only>
  %bytes = vyre.buffer @bytes initial undefined : !vyre.buffer<?xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %large = vyre.buffer @large live_out : !vyre.buffer<1xi32, read_write>
  vyre.decode.hex %dump to %bytes errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
  %length = vyre.buf_len %bytes : !vyre.buffer<?xi8, read_write>
  %four = arith.constant 4 : index
  %words = arith.divui %length, %four : index
  vyre.region "large_words" invocations [%words] {
    %i = vyre.invocation_id x
    %size = arith.constant 4 : index
    %first = arith.muli %i, %size : index
    %word = vyre.load %bytes[%first] : !vyre.buffer<?xi8, read_write> -> i32
    %limit = arith.constant 0xF0000000 : i32
    %is_large = arith.cmpi uge, %word, %limit : i32
    %one = arith.extui %is_large : i1 to i32
    %zero = arith.constant 0 : index
    %old = vyre.atomic_rmw addi %one, %large[%zero] : i32, !vyre.buffer<1xi32, read_write>
  }
}
