// RUN: xdsl-opt %s --split-input-file -p vyre-expand,cse | filecheck %s
// Expanding twice is expanding once.
// RUN: xdsl-opt %s --split-input-file -p vyre-expand,vyre-expand,cse | filecheck %s

// Occurrences are counted by chunk, and stored where a prefix sum says.

// CHECK-LABEL: vyre.program @text
vyre.program @text {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %positions = vyre.buffer @positions live_out : !vyre.buffer<?xi32, read_write>
  %which = vyre.buffer @which live_out : !vyre.buffer<?xi64, read_write>
  vyre.scan.locate ["ab", "b", "cabc"] in %text positions %positions which %which chunk 64 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi64, read_write>
}

// CHECK-NOT:  vyre.scan
// CHECK:      %chunks = arith.max
// CHECK:      %chunk_counts = vyre.buffer @chunk_counts[%chunks] fill 0 : i32
// CHECK:      vyre.region "scan.locate.count" invocations [%invocations] {
// CHECK:        scf.if %accepted
// CHECK:          vyre.load %chunk_counts[%of_chunk]
// CHECK:          vyre.store %{{.*}}, %chunk_counts[%of_chunk]
// CHECK:      vyre.region "scan.prefix_sum"
// CHECK:      %positions = vyre.buffer @positions[%positions_length] live_out
// CHECK:      %which = vyre.buffer @which[%positions_length] live_out
// CHECK:      %literal_lengths = vyre.buffer @literal_lengths contents dense<[2, 1, 4]>
// CHECK:      vyre.region "scan.locate" invocations
// CHECK:        scf.if %accepted
// CHECK:          vyre.store %{{.*}}, %positions[[[PLACE:%.*]]]
// CHECK-NEXT:     %{{.*}} = arith.index_cast
// CHECK-NEXT:     vyre.store %{{.*}}, %which[[[PLACE]]]

// -----

// Results that have their size keep it, and a text of known length has a known number of chunks.

// CHECK-LABEL: vyre.program @sized
vyre.program @sized {
  %text = vyre.buffer @text : !vyre.buffer<1000xi8, read_only>
  %positions = vyre.buffer @positions live_out : !vyre.buffer<7xi32, read_write>
  %which = vyre.buffer @which live_out : !vyre.buffer<7xi32, read_write>
  vyre.scan.locate ["x"] in %text positions %positions which %which chunk 128 : !vyre.buffer<1000xi8, read_only>, !vyre.buffer<7xi32, read_write>, !vyre.buffer<7xi32, read_write>
}

// CHECK-NOT: positions_length
// CHECK:     %chunk_counts = vyre.buffer @chunk_counts fill 0 : i32 : !vyre.buffer<8xi32, read_write>
// CHECK:     vyre.region "scan.locate.count" invocations [8] {
