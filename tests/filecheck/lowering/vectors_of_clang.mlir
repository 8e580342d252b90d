// RUN: xdsl-opt %s -t vyre-opencl | filecheck %s

// Types of Clang, with what OpenCL has for its own vectors.
// CHECK:      typedef uchar vyre_u8x32 __attribute__((ext_vector_type(32)));
// CHECK-NEXT: typedef vyre_u8x32 aliased_vyre_u8x32 __attribute__((aligned(1), may_alias));
// CHECK-NEXT: #define as_vyre_u8x32(v) __builtin_astype((v), vyre_u8x32)
// CHECK-NEXT: #define convert_vyre_u8x32(v) __builtin_convertvector((v), vyre_u8x32)
// CHECK-NEXT: typedef char vyre_i8x32 __attribute__((ext_vector_type(32)));
// CHECK:      typedef uchar vyre_u8x64 __attribute__((ext_vector_type(64)));
// CHECK:      typedef int vyre_i32x64 __attribute__((ext_vector_type(64)));

// What may lie outside of its buffer is loaded and stored one by one.
// CHECK:      static vyre_u8x64 vyre_load_u8x64_u8(__global const uchar *p, long n, long i)
// CHECK-NEXT: {
// CHECK-NEXT:     if (n >= 64 && (ulong)i <= (ulong)(n - 64))
// CHECK-NEXT:         return *(__global const aliased_vyre_u8x64 *)&p[i];
// CHECK-NEXT:     uchar units[64];
// CHECK:              units[k] = (ulong)i + k < (ulong)n ? p[i + k] : 0;
// CHECK-NEXT:     return *(__private const aliased_vyre_u8x64 *)units;
// CHECK:      static vyre_u8x64 vyre_min_u8x64(vyre_u8x64 a, vyre_u8x64 b)
// CHECK-NEXT: {
// CHECK-NEXT:     return a < b ? a : b;
// CHECK:      static vyre_i8x64 vyre_max_i8x64(vyre_i8x64 a, vyre_i8x64 b)
// CHECK-NEXT: {
// CHECK-NEXT:     return a > b ? a : b;
// CHECK:      static uchar vyre_extract_u8x64(vyre_u8x64 v, long lane)
// CHECK-NEXT: {
// CHECK-NEXT:     uchar lanes[64];
// CHECK-NEXT:     *(__private aliased_vyre_u8x64 *)lanes = v;
// CHECK-NEXT:     return (ulong)lane < 64 ? lanes[lane] : 0;
// CHECK:      static void vyre_store_u8x32_u8(__global uchar *p, long n, long i, vyre_u8x32 v)
// CHECK:          *(__private aliased_vyre_u8x32 *)units = v;

// CHECK: void lanes(
vyre.kernel @lanes(%in: !vyre.buffer<?xi8, read_only>, %n: index, %out: !vyre.buffer<?xi8, read_write>, %m: index) workgroup_size [1] generator "lanes" {
  %i = vyre.invocation_id x
  %c0 = arith.constant 0 : index
  %key = arith.constant dense<32> : vector<64xi8>
  %bytes = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> vector<64xi8>
  // CHECK: vyre_max_i8x64(as_vyre_i8x64(vyre_min_u8x64(bytes, (vyre_u8x64)(32))), as_vyre_i8x64(bytes))
  %low = arith.minui %bytes, %key : vector<64xi8>
  %high = arith.maxsi %low, %bytes : vector<64xi8>
  // CHECK: as_vyre_u8x64(-(high < (vyre_u8x64)(32)))
  %is = vyre.compare_lanes ult %high, %key : vector<64xi8> -> vector<64xi1>
  // CHECK: convert_vyre_u32x64(is)
  %words = vyre.convert_lanes extui %is : vector<64xi1> to vector<64xi32>
  %narrow = vyre.convert_lanes trunci %words : vector<64xi32> to vector<64xi8>
  // CHECK: __builtin_shufflevector({{.*}}, {{.*}}, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62)
  %even = vector.shuffle %narrow, %high [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62] : vector<64xi8>, vector<64xi8>
  // CHECK: high[7] + vyre_extract_u8x64(high, i)
  %seventh = vector.extract %high[7] : i8 from vector<64xi8>
  %some = vector.extract %high[%i] : i8 from vector<64xi8>
  %both = arith.addi %seventh, %some : i8
  vyre.store %even, %out[%i] : vector<32xi8>, !vyre.buffer<?xi8, read_write>
  vyre.store %both, %out[%c0] : i8, !vyre.buffer<?xi8, read_write>
}
