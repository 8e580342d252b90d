// RUN: xdsl-opt %s -p vyre-outline-kernels -t vyre-opencl | filecheck %s

// One instruction of NVIDIA's, and the lanes of a vector elsewhere; lane by lane for vectors.
// CHECK:      static uint vyre_permute_bytes_2106(uint a, uint b)
// CHECK-NEXT: {
// CHECK-NEXT: #ifdef __NV_CL_C_VERSION
// CHECK-NEXT:     uint permuted;
// CHECK-NEXT:     asm("prmt.b32 %0, %1, %2, 0x6012;" : "=r"(permuted) : "r"(a), "r"(b));
// CHECK-NEXT:     return permuted;
// CHECK-NEXT: #else
// CHECK-NEXT:     return as_uint(as_uchar8((uint2)(a, b)).s2106);
// CHECK-NEXT: #endif
// CHECK-NEXT: }
// CHECK:      static uint2 vyre_permute_bytes_7654_u32x2(uint2 a, uint2 b)
// CHECK-NEXT: {
// CHECK-NEXT:     return (uint2)(vyre_permute_bytes_7654(a.s0, b.s0), vyre_permute_bytes_7654(a.s1, b.s1));
// CHECK-NEXT: }
// CHECK:      uint word = vyre_permute_bytes_2106(
// CHECK:      uint2 words = vyre_permute_bytes_7654_u32x2(
vyre.program @words {
  %a = vyre.buffer @a : !vyre.buffer<64xi32, read_only>
  %b = vyre.buffer @b : !vyre.buffer<64xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  %outs = vyre.buffer @outs live_out : !vyre.buffer<64xvector<2xi32>, read_write>
  vyre.region "words" invocations [64] {
    %i = vyre.invocation_id x
    %first = vyre.load %a[%i] : !vyre.buffer<64xi32, read_only> -> i32
    %second = vyre.load %b[%i] : !vyre.buffer<64xi32, read_only> -> i32
    %word = vyre.permute_bytes %first, %second [2, 1, 0, 6] : i32
    vyre.store %word, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
    %firsts = vyre.load %a[%i] : !vyre.buffer<64xi32, read_only> -> vector<2xi32>
    %seconds = vyre.load %b[%i] : !vyre.buffer<64xi32, read_only> -> vector<2xi32>
    %words = vyre.permute_bytes %firsts, %seconds [7, 6, 5, 4] : vector<2xi32>
    vyre.store %words, %outs[%i] : vector<2xi32>, !vyre.buffer<64xvector<2xi32>, read_write>
  }
}
