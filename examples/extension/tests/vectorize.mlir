// RUN: xdsl-opt %s -p 'vyre-expand,vyre-vectorize{lanes=16 annotate=true}' | filecheck %s
// RUN: vyre run %s --device reference -p 'vyre-expand,vyre-vectorize{lanes=16}' --input tape=zeros:400 | filecheck %s --check-prefix=RESULT
// RUN: vyre run %s --device reference -p 'vyre-expand,vyre-vectorize{lanes=4},vyre-coarsen{items=3 order=blocked}' --input tape=zeros:400 | filecheck %s --check-prefix=RESULT

// Everything for 16 bytes at once, those of a track, too, as the definition of `tape.at` says where
// they are; but for what updates the count.
// CHECK: vyre.region "decode.track" {{.*}}vyre.lanes = 16
// CHECK-NOT: tape.at
// CHECK:   vector.shuffle {{.*}} [0, 4, 8, 12,
// CHECK: vyre.region "decode.nrzi" {{.*}}vyre.lanes = 16
// CHECK:   %before = vyre.load %track{{.*}} -> vector<16xi8>
// CHECK: vyre.region "scan.dropouts" {{.*}}vyre.lanes = 16
// CHECK:   scf.for %lane
// CHECK:     tape.tally

// RESULT: count = [97]
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
