// RUN: xdsl-opt %s -p 'vyre-expand,vyre-coarsen{items=2 order=blocked},vyre-decode-scan-fuse{strategy=workgroup},vyre-coarsen{groups=3}' | filecheck %s --check-prefix=BEFORE
// RUN: xdsl-opt %s -p 'vyre-expand,vyre-decode-scan-fuse{strategy=workgroup},vyre-coarsen{items=2 groups=3}' | filecheck %s --check-prefix=AFTER
// RUN: xdsl-opt %s -p 'vyre-expand,vyre-coarsen{groups=3},vyre-decode-scan-fuse{annotate=true}' | filecheck %s --check-prefix=GRID

// Blocks of items are tiled, so that fusion takes them before and after.
// BEFORE: vyre.buffer @decoded : !vyre.buffer<{{.*}}xi8, read_write, workgroup>
// BEFORE: vyre.region "decode.xor+scan.literal" invocations [%{{.*}}] workgroup_size [64] attributes {vyre.items = 2 : i64, vyre.groups = 3 : i64} {
// AFTER:  vyre.buffer @decoded : !vyre.buffer<{{.*}}xi8, read_write, workgroup>
// AFTER:  vyre.region "decode.xor+scan.literal" invocations [%{{.*}}] workgroup_size [64] attributes {vyre.items = 2 : i64, vyre.groups = 3 : i64} {

// A workgroup that goes on by the whole grid has no tile of constant extent: coarsen after fusion.
// GRID: vyre.not_fused = {reason = "not-covered"
vyre.program @xor {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<?xi8, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.decode.xor %encoded to %decoded key "key" : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>
  vyre.scan.literal "word" in %decoded count %count : !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
}
