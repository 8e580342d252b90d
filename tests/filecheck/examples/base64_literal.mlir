// RUN: xdsl-opt %examples/base64_literal.mlir | xdsl-opt | filecheck %s --check-prefix=ROUNDTRIP
// RUN: xdsl-opt %examples/base64_literal.mlir -p vyre-expand,vyre-outline-kernels,vyre-prove-accesses | filecheck %s
// RUN: xdsl-opt %examples/base64_literal.mlir -p vyre-expand,vyre-outline-kernels,canonicalize,vyre-cse,vyre-prove-accesses,vyre-optimize-integers,canonicalize -t vyre-opencl | filecheck %s --check-prefix=OPENCL
// RUN: xdsl-opt %examples/base64_literal.mlir -p 'vyre-expand,vyre-decode-scan-fuse{strategy=workgroup}' | filecheck %s --check-prefix=FUSED

// ROUNDTRIP:      vyre.program @base64_literal workgroup_size [128] {
// ROUNDTRIP-NEXT:   %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
// ROUNDTRIP-NEXT:   %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<?xi8, read_write>
// ROUNDTRIP:        vyre.decode.base64 %encoded to %decoded
// ROUNDTRIP-NEXT:   vyre.scan.literal {{.*}}%decoded

// Two launches, with the handoff between them. The host reads the padding before it makes room for what is decoded.
// CHECK:      vyre.program @base64_literal workgroup_size [128] {
// CHECK-NEXT:   %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
// CHECK-NEXT:   %errors = vyre.buffer @errors fill -1 : i32
// CHECK-NEXT:   %count = vyre.buffer @count live_out
// CHECK:        vyre.load %encoded[%{{.*}}] : !vyre.buffer<?xi8, read_only> -> i8
// CHECK:        %decoded = vyre.buffer @decoded[%decoded_length] initial undefined : !vyre.buffer<?xi8, read_write>
// CHECK:        vyre.launch @base64_literal_0_decode_base64[%workgroups]({{.*}}%encoded{{.*}}%decoded
// CHECK:        vyre.launch @base64_literal_1_scan_literal[%workgroups_1]({{.*}}%decoded
// CHECK:      vyre.kernel @base64_literal_0_decode_base64({{.*}}) workgroup_size [128, 1, 1] generator "decode.base64" {
// CHECK:        vyre.load %encoded[%{{.*}}]
// CHECK:        vyre.store %{{.*}}, %decoded[%{{.*}}]
// CHECK:      vyre.kernel @base64_literal_1_scan_literal({{.*}}) workgroup_size [128, 1, 1] generator "scan.literal" {
// CHECK:        vyre.load %decoded[%{{.*}}]
// CHECK:        vyre.atomic_rmw addi %{{.*}}, %count[

// OPENCL:      // decode.base64
// OPENCL-NEXT: __kernel __attribute__((reqd_work_group_size(128, 1, 1)))
// OPENCL-NEXT: void base64_literal_0_decode_base64(
// OPENCL:      // scan.literal
// OPENCL-NEXT: __kernel __attribute__((reqd_work_group_size(128, 1, 1)))
// OPENCL-NEXT: void base64_literal_1_scan_literal(

// FUSED:     %decoded = vyre.buffer @decoded : !vyre.buffer<{{[0-9]+}}xi8, read_write, workgroup>
// FUSED:     vyre.region "decode.base64+scan.literal"
// FUSED-NOT: vyre.region
