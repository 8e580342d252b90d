// RUN: xdsl-opt %examples/hex_histogram.mlir | xdsl-opt | filecheck %s --check-prefix=ROUNDTRIP
// RUN: xdsl-opt %examples/hex_histogram.mlir -p vyre-expand,vyre-outline-kernels,vyre-prove-accesses | filecheck %s
// RUN: xdsl-opt %examples/hex_histogram.mlir -p vyre-expand,vyre-outline-kernels,canonicalize,vyre-cse,vyre-prove-accesses,vyre-optimize-integers,canonicalize -t vyre-opencl | filecheck %s --check-prefix=OPENCL
// RUN: xdsl-opt %examples/hex_histogram.mlir -p vyre-expand,vyre-decode-scan-fuse | filecheck %s --check-prefix=FUSED

// ROUNDTRIP:      vyre.program @hex_histogram workgroup_size [128] {
// ROUNDTRIP-NEXT:   %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
// ROUNDTRIP-NEXT:   %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<?xi8, read_write>
// ROUNDTRIP:        vyre.decode.hex %encoded to %decoded
// ROUNDTRIP-NEXT:   vyre.scan.histogram {{.*}}%decoded

// Two launches, with the handoff between them. A group counts in memory of its own first.
// CHECK:      vyre.program @hex_histogram workgroup_size [128] {
// CHECK-NEXT:   %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
// CHECK-NEXT:   %errors = vyre.buffer @errors fill -1 : i32
// CHECK-NEXT:   %bins = vyre.buffer @bins live_out
// CHECK:        %decoded = vyre.buffer @decoded[%decoded_length] initial undefined : !vyre.buffer<?xi8, read_write>
// CHECK:        vyre.launch @hex_histogram_0_decode_hex[%workgroups]({{.*}}%encoded{{.*}}%decoded
// CHECK:        vyre.launch @hex_histogram_1_scan_histogram[%workgroups_1]({{.*}}%decoded
// CHECK:      vyre.kernel @hex_histogram_0_decode_hex({{.*}}) workgroup_size [128, 1, 1] generator "decode.hex" {
// CHECK:        vyre.load %encoded[%{{.*}}]
// CHECK:        vyre.store %{{.*}}, %decoded[%{{.*}}]
// CHECK:      vyre.kernel @hex_histogram_1_scan_histogram({{.*}}) workgroup_size [256, 1, 1] generator "scan.histogram" {
// CHECK-NEXT:   %counts = vyre.buffer @counts : !vyre.buffer<1024xi32, read_write, workgroup>
// CHECK:        vyre.load %decoded[%{{.*}}]
// CHECK:        vyre.atomic_rmw addi %{{.*}}, %bins[

// OPENCL:      // decode.hex
// OPENCL-NEXT: __kernel __attribute__((reqd_work_group_size(128, 1, 1)))
// OPENCL-NEXT: void hex_histogram_0_decode_hex(
// OPENCL:      // scan.histogram
// OPENCL-NEXT: __kernel __attribute__((reqd_work_group_size(256, 1, 1)))
// OPENCL-NEXT: void hex_histogram_1_scan_histogram(

// FUSED:     %decoded = vyre.buffer @decoded : !vyre.buffer<8192xi8, read_write, workgroup>
// FUSED:     vyre.region "decode.hex+scan.histogram"
// FUSED-NOT: vyre.region
