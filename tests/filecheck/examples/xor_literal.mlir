// RUN: xdsl-opt %examples/xor_literal.mlir | xdsl-opt | filecheck %s --check-prefix=ROUNDTRIP
// RUN: xdsl-opt %examples/xor_literal.mlir -p vyre-expand,vyre-outline-kernels,vyre-prove-accesses | filecheck %s
// RUN: xdsl-opt %examples/xor_literal.mlir -p vyre-expand,vyre-outline-kernels,canonicalize,vyre-cse,vyre-prove-accesses,vyre-optimize-integers,canonicalize -t vyre-opencl | filecheck %s --check-prefix=OPENCL
// RUN: xdsl-opt %examples/xor_literal.mlir -p vyre-expand,vyre-decode-scan-fuse | filecheck %s --check-prefix=FUSED

// ROUNDTRIP:      vyre.program @xor_literal workgroup_size [128] {
// ROUNDTRIP-NEXT:   %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
// ROUNDTRIP-NEXT:   %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<?xi8, read_write>
// ROUNDTRIP:        vyre.decode.xor %encoded to %decoded
// ROUNDTRIP-NEXT:   vyre.scan.literal {{.*}}%decoded

// Two launches, with the handoff between them. The key is part of the kernel.
// CHECK:      vyre.program @xor_literal workgroup_size [128] {
// CHECK-NEXT:   %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
// CHECK-NEXT:   %count = vyre.buffer @count live_out
// CHECK:        %decoded = vyre.buffer @decoded[%decoded_length] initial undefined : !vyre.buffer<?xi8, read_write>
// CHECK:        vyre.launch @xor_literal_0_decode_xor[%workgroups]({{.*}}%encoded{{.*}}%decoded
// CHECK:        vyre.launch @xor_literal_1_scan_literal[%workgroups_1]({{.*}}%decoded
// CHECK:      vyre.kernel @xor_literal_0_decode_xor({{.*}}) workgroup_size [128, 1, 1] generator "decode.xor" {
// CHECK:        vyre.load %encoded[%{{.*}}]
// CHECK:        vyre.store %{{.*}}, %decoded[%{{.*}}]
// CHECK:      vyre.kernel @xor_literal_1_scan_literal({{.*}}) workgroup_size [128, 1, 1] generator "scan.literal" {
// CHECK:        vyre.load %decoded[%{{.*}}]
// CHECK:        vyre.atomic_rmw addi %{{.*}}, %count[

// OPENCL:      // decode.xor
// OPENCL-NEXT: __kernel __attribute__((reqd_work_group_size(128, 1, 1)))
// OPENCL-NEXT: void xor_literal_0_decode_xor(
// OPENCL:      // scan.literal
// OPENCL-NEXT: __kernel __attribute__((reqd_work_group_size(128, 1, 1)))
// OPENCL-NEXT: void xor_literal_1_scan_literal(

// FUSED:     %decoded = vyre.buffer @decoded : !vyre.buffer<48xi8, read_write, private>
// FUSED:     vyre.region "decode.xor+scan.literal"
// FUSED-NOT: vyre.region
