// RUN: xdsl-opt %examples/base64_patterns.mlir | xdsl-opt | filecheck %s --check-prefix=ROUNDTRIP
// RUN: xdsl-opt %examples/base64_patterns.mlir -p vyre-expand,vyre-outline-kernels,vyre-prove-accesses | filecheck %s
// RUN: xdsl-opt %examples/base64_patterns.mlir -p vyre-expand,vyre-outline-kernels,canonicalize,vyre-cse,vyre-prove-accesses,vyre-optimize-integers,canonicalize -t vyre-opencl | filecheck %s --check-prefix=OPENCL
// RUN: xdsl-opt %examples/base64_patterns.mlir -p vyre-expand,vyre-decode-scan-fuse | filecheck %s --check-prefix=FUSED

// ROUNDTRIP:      vyre.program @base64_patterns workgroup_size [128] {
// ROUNDTRIP-NEXT:   %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
// ROUNDTRIP-NEXT:   %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<?xi8, read_write>
// ROUNDTRIP:        vyre.decode.base64 %encoded to %decoded
// ROUNDTRIP-NEXT:   vyre.scan.literals {{.*}}%decoded

// Two launches, with the handoff between them. The automaton is built at compile time and passed in tables.
// CHECK:      vyre.program @base64_patterns workgroup_size [128] {
// CHECK-NEXT:   %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
// CHECK-NEXT:   %errors = vyre.buffer @errors fill -1 : i32
// CHECK-NEXT:   %matches = vyre.buffer @matches live_out
// CHECK:        vyre.load %encoded[%{{.*}}] : !vyre.buffer<?xi8, read_only> -> i8
// CHECK:        %decoded = vyre.buffer @decoded[%decoded_length] initial undefined : !vyre.buffer<?xi8, read_write>
// CHECK:        vyre.launch @base64_patterns_0_decode_base64[%workgroups]({{.*}}%encoded{{.*}}%decoded
// CHECK:        %transitions = vyre.buffer @transitions contents dense<
// CHECK:        vyre.launch @base64_patterns_1_scan_literals[%workgroups_1]({{.*}}%decoded
// CHECK:      vyre.kernel @base64_patterns_0_decode_base64({{.*}}) workgroup_size [128, 1, 1] generator "decode.base64" {
// CHECK:        vyre.load %encoded[%{{.*}}]
// CHECK:        vyre.store %{{.*}}, %decoded[%{{.*}}]
// CHECK:      vyre.kernel @base64_patterns_1_scan_literals({{.*}}) workgroup_size [128, 1, 1] generator "scan.literals" {
// CHECK:        vyre.load %decoded[%{{.*}}]
// CHECK:        vyre.atomic_rmw addi %{{.*}}, %matches[

// OPENCL:      // decode.base64
// OPENCL-NEXT: __kernel __attribute__((reqd_work_group_size(128, 1, 1)))
// OPENCL-NEXT: void base64_patterns_0_decode_base64(
// OPENCL:      // scan.literals
// OPENCL-NEXT: __kernel __attribute__((reqd_work_group_size(128, 1, 1)))
// OPENCL-NEXT: void base64_patterns_1_scan_literals(

// FUSED:     %decoded = vyre.buffer @decoded : !vyre.buffer<{{[0-9]+}}xi8, read_write, workgroup>
// FUSED:     vyre.region "decode.base64+scan.literals"
// FUSED-NOT: vyre.region
