// RUN: XDSL_ROUNDTRIP
// RUN: xdsl-opt %s -p canonicalize | filecheck %s --check-prefix=CANONICAL
// RUN: xdsl-opt %s -p canonicalize,tape-lower-at | filecheck %s --check-prefix=LOWERED

vyre.program @ops {
  %tape = vyre.buffer @tape : !vyre.buffer<64xi8, read_only>
  %track = vyre.buffer @track : !vyre.buffer<16xi8, read_write>
  %bits = vyre.buffer @bits : !vyre.buffer<16xi8, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  // CHECK: tape.decode.track 1 of 4 in %tape to %track
  tape.decode.track 1 of 4 in %tape to %track : !vyre.buffer<64xi8, read_only>, !vyre.buffer<16xi8, read_write>
  // CHECK-NEXT: tape.decode.nrzi %track to %bits
  tape.decode.nrzi %track to %bits : !vyre.buffer<16xi8, read_write>, !vyre.buffer<16xi8, read_write>
  // CHECK-NEXT: tape.scan.dropouts 4 in %bits count %count limit 1000
  tape.scan.dropouts 4 in %bits count %count limit 1000 : !vyre.buffer<16xi8, read_write>, !vyre.buffer<1xi32, read_write>
  vyre.region "places" invocations [16] {
    %i = vyre.invocation_id x
    // CHECK: %there = tape.at %i track 1 of 4
    // CANONICAL: %there = tape.at %i track 1 of 4
    // CANONICAL-NEXT: tape.tally %count[%there] limit 5
    // CANONICAL-NEXT: tape.tally %count[%i] limit 6
    // LOWERED-NOT: tape.at
    // LOWERED: arith.muli %i, %{{.*}} : index
    // LOWERED-NEXT: arith.addi
    %there = tape.at %i track 1 of 4
    // CHECK-NEXT: tape.tally %count[%there] limit 5
    tape.tally %count[%there] limit 5 : !vyre.buffer<1xi32, read_write>
    %here = tape.at %i track 0 of 1
    tape.tally %count[%here] limit 6 : !vyre.buffer<1xi32, read_write>
  }
}
