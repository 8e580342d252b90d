// RUN: xdsl-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

vyre.program @no_such_track {
  %tape = vyre.buffer @tape : !vyre.buffer<64xi8, read_only>
  %track = vyre.buffer @track : !vyre.buffer<16xi8, read_write>
  // CHECK: 'tape.decode.track' expected a track from 0 to 3, got 4
  tape.decode.track 4 of 4 in %tape to %track : !vyre.buffer<64xi8, read_only>, !vyre.buffer<16xi8, read_write>
}

// -----

vyre.program @another_length {
  %tape = vyre.buffer @tape : !vyre.buffer<64xi8, read_only>
  %bits = vyre.buffer @bits : !vyre.buffer<63xi8, read_write>
  // CHECK: 'tape.decode.nrzi' expected a destination of 64 elements for a source of 64, got 63
  tape.decode.nrzi %tape to %bits : !vyre.buffer<64xi8, read_only>, !vyre.buffer<63xi8, read_write>
}

// -----

vyre.program @no_length {
  %bits = vyre.buffer @bits : !vyre.buffer<64xi8, read_only>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  // CHECK: 'tape.scan.dropouts' expected a length of at least 1, got 0
  tape.scan.dropouts 0 in %bits count %count limit 9 : !vyre.buffer<64xi8, read_only>, !vyre.buffer<1xi32, read_write>
}
