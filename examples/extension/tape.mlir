// Counts dropouts, 4 zero bytes in a row, on the second of four tracks of a tape.
//
//     vyre run tape.mlir --input tape=zeros:4096

vyre.program @dropouts {
  %tape = vyre.buffer @tape : !vyre.buffer<?xi8, read_only>
  %track = vyre.buffer @track : !vyre.buffer<?xi8, read_write>
  %bits = vyre.buffer @bits : !vyre.buffer<?xi8, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>

  tape.decode.track 1 of 4 in %tape to %track
      : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>
  tape.decode.nrzi %track to %bits : !vyre.buffer<?xi8, read_write>, !vyre.buffer<?xi8, read_write>
  tape.scan.dropouts 4 in %bits count %count limit 1000
      : !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
}
