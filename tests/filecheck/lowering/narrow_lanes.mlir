// RUN: xdsl-opt %s -t vyre-opencl | filecheck %s

// Narrow lanes of workgroup memory that are used together are loaded by the words that hold them, where the compiler
// is NVIDIA's: it loads lanes one by one. Those that are converted one by one stay as they are.
// CHECK:      static uchar8 vyre_vload_words_u8x8_local(__local const uchar *p)
// CHECK-NEXT: {
// CHECK-NEXT: #ifdef POCL_DEVICE_ADDRESS_BITS
// CHECK-NEXT:     return *(__local const aliased_uchar8 *)p;
// CHECK-NEXT: #elif defined __NV_CL_C_VERSION
// CHECK-NEXT:     uint at = (uint)(size_t)p & 3, bytes = 0x3210 + at * 0x1111;
// CHECK-NEXT:     __local const aliased_uint *w = (__local const aliased_uint *)((__local const uchar *)p - at);
// CHECK-NEXT:     uint2 words;
// CHECK-NEXT:     asm("prmt.b32 %0, %1, %2, %3;" : "=r"(words.s0) : "r"(w[0]), "r"(w[1]), "r"(bytes));
// CHECK-NEXT:     asm("prmt.b32 %0, %1, %2, %3;" : "=r"(words.s1) : "r"(w[1]), "r"(at ? w[2] : 0), "r"(bytes));
// CHECK-NEXT:     return as_uchar8(words);
// CHECK-NEXT: #else
// CHECK-NEXT:     return vload8(0, p);
// CHECK-NEXT: #endif
// CHECK-NEXT: }
// CHECK:      uchar8 apart = vyre_vload_u8x8_local(&tile[{{.*}}]);
// CHECK-NEXT: uchar8 both = vyre_vload_words_u8x8_local(&tile[i]) ^ vyre_vload_u8x8(&in[i]);
vyre.kernel @words(%in: !vyre.buffer<4096xi8, read_only>, %out: !vyre.buffer<4096xi8, read_write>, %wide: !vyre.buffer<4096xi16, read_write>) workgroup_size [64] generator "words" {
  %i = vyre.invocation_id x
  %one = arith.constant 1 : index
  %tile = vyre.buffer @tile : !vyre.buffer<256xi8, read_write, workgroup>
  %next = arith.addi %i, %one : index
  %together = vyre.load %tile[%i] in_bounds : !vyre.buffer<256xi8, read_write, workgroup> -> vector<8xi8>
  %apart = vyre.load %tile[%next] in_bounds : !vyre.buffer<256xi8, read_write, workgroup> -> vector<8xi8>
  %global = vyre.load %in[%i] in_bounds : !vyre.buffer<4096xi8, read_only> -> vector<8xi8>
  %both = arith.xori %together, %global : vector<8xi8>
  vyre.store %both, %out[%i] in_bounds : vector<8xi8>, !vyre.buffer<4096xi8, read_write>
  %lanes = vyre.convert_lanes extui %apart : vector<8xi8> to vector<8xi16>
  vyre.store %lanes, %wide[%i] in_bounds : vector<8xi16>, !vyre.buffer<4096xi16, read_write>
}
