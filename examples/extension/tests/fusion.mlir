// RUN: xdsl-opt %s -p 'vyre-expand,vyre-decode-scan-fuse{strategy=workgroup}' | filecheck %s
// RUN: vyre compile %s -p 'vyre-expand,vyre-decode-scan-fuse{strategy=workgroup},vyre-outline-kernels' | filecheck %s --check-prefix=C
// RUN: vyre explain %s -p 'vyre-expand,vyre-decode-scan-fuse{strategy=workgroup}' | filecheck %s --check-prefix=EXPLAINED
// RUN: xdsl-opt %s -p 'vyre-expand,vyre-decode-scan-fuse{strategy=private steps=4}' | filecheck %s --check-prefix=SLIDING
// RUN: vyre run %s --options 'vyre-decode-scan-fuse{strategy=private steps=4}' --input tape=zeros:400 | filecheck %s --check-prefix=RESULT
// RUN: vyre run %s --device reference --input tape=zeros:400 | filecheck %s --check-prefix=RESULT
// RUN: vyre run %s --input tape=zeros:400 | filecheck %s --check-prefix=RESULT

// Both decoders and the scanner share tiles, the halos included.
// CHECK: vyre.region "decode.track+decode.nrzi+scan.dropouts"
// CHECK: tape.at
// CHECK: tape.tally
// C: vyre_tape_tally
// A step reads one byte; those before it were read for the steps before.
// SLIDING: vyre.region "decode.track+decode.nrzi+scan.dropouts" invocations [%{{.*}}] attributes {vyre.items = 4 : i64} {
// SLIDING-COUNT-4: tape.at
// SLIDING: scf.for %{{.*}} = %item to
// SLIDING-COUNT-1: tape.at
// SLIDING-NOT: tape.at
// EXPLAINED-DAG: '@track' fuses: {{.*}} in workgroup memory
// EXPLAINED-DAG: '@bits' fuses: {{.*}} in workgroup memory
// 100 bytes of zeros have 97 places at which 4 start.
// RESULT: count = [97]
vyre.program @dropouts {
  %tape = vyre.buffer @tape : !vyre.buffer<?xi8, read_only>
  %track = vyre.buffer @track : !vyre.buffer<?xi8, read_write>
  %bits = vyre.buffer @bits : !vyre.buffer<?xi8, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>

  tape.decode.track 1 of 4 in %tape to %track : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>
  tape.decode.nrzi %track to %bits : !vyre.buffer<?xi8, read_write>, !vyre.buffer<?xi8, read_write>
  tape.scan.dropouts 4 in %bits count %count limit 1000 : !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
}
