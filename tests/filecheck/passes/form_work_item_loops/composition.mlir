// RUN: xdsl-opt %s -p 'vyre-expand,vyre-decode-scan-fuse{strategy=workgroup},vyre-form-work-item-loops,vyre-coarsen{groups=32 order=blocked},vyre-privatize-reductions,vyre-outline-kernels,canonicalize,vyre-cse,vyre-prove-accesses,vyre-optimize-integers,canonicalize' -t vyre-opencl | filecheck %s
// RUN: vyre run %s --device reference -p 'vyre-expand,vyre-decode-scan-fuse{strategy=workgroup},vyre-form-work-item-loops,vyre-coarsen{groups=3 order=blocked},vyre-privatize-reductions' --input encoded=hex:17591c00131d1e005a591c00131d1e000559130b12591c00131d1e00050a | filecheck %s --check-prefix=RESULT

// A pair that shares a tile in workgroup memory shares it in private memory; each invocation does
// a share of the tiles, and counts for itself.
// CHECK:      __attribute__((reqd_work_group_size(1, 1, 1)))
// CHECK-NOT:  __local
// CHECK-NOT:  barrier
// CHECK:      uchar decoded[4112]
// CHECK:      for (long item = begin; item < {{.*}}; item++) {
// CHECK:          for (long {{.*}} = 0; {{.*}} < 257; {{.*}}++) {
// CHECK:          for (long lane = 0; lane < 128; lane++) {
// CHECK:      atomic_add(&count[0]
// CHECK-NOT:  atomic_add

// RESULT: count = [3]
vyre.program @xor_literal workgroup_size [128] {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<?xi8, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>

  vyre.decode.xor %encoded to %decoded key "vyre"
      : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>
  vyre.scan.literal "needle" in %decoded count %count
      : !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
}
