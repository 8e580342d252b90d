// RUN: xdsl-opt %s -p 'vyre-expand,vyre-decode-scan-fuse{strategy=workgroup},vyre-form-work-item-loops{annotate=true}' | filecheck %s
// RUN: vyre run %s --device reference -p 'vyre-expand,vyre-decode-scan-fuse{strategy=workgroup},vyre-form-work-item-loops' --input tape=zeros:400 | filecheck %s --check-prefix=RESULT
// RUN: vyre run %s --device reference -p 'vyre-expand,vyre-decode-scan-fuse{strategy=workgroup},vyre-form-work-item-loops,vyre-coarsen{items=3 order=blocked}' --input tape=zeros:400 | filecheck %s --check-prefix=RESULT
// RUN: vyre run %s --options 'vyre-decode-scan-fuse{strategy=workgroup steps=1},vyre-form-work-item-loops' --input tape=zeros:400 | filecheck %s --check-prefix=RESULT

// Both decoders and the scanner share tiles of one invocation; what the package computes and updates
// is done lane by lane, or in the loop that the lanes took turns in.
// CHECK: %track = vyre.buffer @track : !vyre.buffer<{{.*}}xi8, read_write, private>
// CHECK: vyre.region "decode.track+decode.nrzi+scan.dropouts" invocations [%{{.*}}] workgroup_size [1] {
// CHECK-NOT: vyre.barrier
// CHECK:   scf.for
// CHECK:     tape.at
// CHECK-NOT: vyre.barrier
// CHECK:   scf.for
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
