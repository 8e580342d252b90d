// RUN: xdsl-opt %examples/delta_filter.mlir | xdsl-opt | filecheck %s --check-prefix=ROUNDTRIP
// RUN: xdsl-opt %examples/delta_filter.mlir -p vyre-expand,vyre-outline-kernels,vyre-prove-accesses | filecheck %s
// RUN: xdsl-opt %examples/delta_filter.mlir -p vyre-expand,vyre-outline-kernels,canonicalize,vyre-cse,vyre-prove-accesses,vyre-optimize-integers,canonicalize -t vyre-opencl | filecheck %s --check-prefix=OPENCL
// RUN: xdsl-opt %examples/delta_filter.mlir -p vyre-expand,vyre-decode-scan-fuse | filecheck %s --check-prefix=FUSED

// ROUNDTRIP:      vyre.program @delta_filter workgroup_size [128] {
// ROUNDTRIP-NEXT:   %encoded = vyre.buffer @encoded : !vyre.buffer<?xi32, read_only>
// ROUNDTRIP-NEXT:   %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<?xi32, read_write>
// ROUNDTRIP:        vyre.decode.delta %encoded to %decoded
// ROUNDTRIP-NEXT:   vyre.scan.filter {{.*}}%decoded

// Two launches, with the handoff between them. Words are read where the input has words, so nothing can be wrong with it.
// CHECK:      vyre.program @delta_filter workgroup_size [128] {
// CHECK-NEXT:   %encoded = vyre.buffer @encoded : !vyre.buffer<?xi32, read_only>
// CHECK-NEXT:   %count = vyre.buffer @count live_out
// CHECK-NEXT:   %sum = vyre.buffer @sum live_out
// CHECK:        %decoded = vyre.buffer @decoded[%decoded_length] initial undefined : !vyre.buffer<?xi32, read_write>
// CHECK:        vyre.launch @delta_filter_0_decode_delta[%workgroups]({{.*}}%encoded{{.*}}%decoded
// CHECK:        vyre.launch @delta_filter_1_scan_filter[%workgroups_1]({{.*}}%decoded
// CHECK:      vyre.kernel @delta_filter_0_decode_delta({{.*}}) workgroup_size [128, 1, 1] generator "decode.delta" {
// CHECK:        vyre.load %encoded[%{{.*}}]
// CHECK:        vyre.store %{{.*}}, %decoded[%{{.*}}]
// CHECK:      vyre.kernel @delta_filter_1_scan_filter({{.*}}) workgroup_size [128, 1, 1] generator "scan.filter" {
// CHECK:        vyre.load %decoded[%{{.*}}]
// CHECK:        vyre.atomic_rmw addi %{{.*}}, %sum[

// OPENCL:      // decode.delta
// OPENCL-NEXT: __kernel __attribute__((reqd_work_group_size(128, 1, 1)))
// OPENCL-NEXT: void delta_filter_0_decode_delta(
// OPENCL:      // scan.filter
// OPENCL-NEXT: __kernel __attribute__((reqd_work_group_size(128, 1, 1)))
// OPENCL-NEXT: void delta_filter_1_scan_filter(

// FUSED:     %decoded = vyre.buffer @decoded : !vyre.buffer<2048xi32, read_write, workgroup>
// FUSED:     vyre.region "decode.delta+scan.filter"
// FUSED-NOT: vyre.region
