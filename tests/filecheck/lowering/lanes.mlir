// RUN: xdsl-opt %s --split-input-file -p vyre-outline-kernels -t vyre-opencl | filecheck %s

// Masks are lanes of uchar that are 0 or 1; comparisons of OpenCL's vectors are 0 or -1.
// CHECK:      uchar16 lt = as_uchar16(-(x < (uchar16)(100)));
// CHECK-NEXT: uchar16 slt = as_uchar16(-(as_char16(x) >= as_char16((uchar16)(100))));
// CHECK-NEXT: uchar16 both = lt | (slt ^ (uchar16)(1));
// CHECK-NEXT: uint16 k = -convert_int16(both) ? convert_uint16(x) : as_uint16(convert_int16(as_char16(x)));
// CHECK-NEXT: uint16 k1 = -convert_int16(x & (uchar16)(1)) ? k : -convert_uint16(both);
// CHECK-NEXT: uchar16 kkk = (-(-(both > lt)) ? x : (uchar16)(100)) + convert_uchar16(k1);

vyre.program @lanes {
  %a = vyre.buffer @a : !vyre.buffer<256xi8, read_only>
  %o = vyre.buffer @o live_out : !vyre.buffer<256xi32, read_write>
  %p = vyre.buffer @p live_out : !vyre.buffer<256xi32, read_write>
  %ob = vyre.buffer @ob live_out : !vyre.buffer<256xi8, read_write>
  vyre.region "lanes" invocations [16] {
    %i = vyre.invocation_id x
    %c = arith.constant 16 : index
    %j = arith.muli %i, %c : index
    %x = vyre.load %a[%j] : !vyre.buffer<256xi8, read_only> -> vector<16xi8>
    %m = arith.constant dense<100> : vector<16xi8>
    %lt = vyre.compare_lanes ult %x, %m : vector<16xi8> -> vector<16xi1>
    %slt = vyre.compare_lanes sge %x, %m : vector<16xi8> -> vector<16xi1>
    %dt = arith.constant dense<true> : vector<16xi1>
    %nt = arith.xori %slt, %dt : vector<16xi1>
    %both = arith.ori %lt, %nt : vector<16xi1>
    %bothx = vyre.compare_lanes slt %both, %lt : vector<16xi1> -> vector<16xi1>
    %e = vyre.convert_lanes extui %x : vector<16xi8> to vector<16xi32>
    %s = vyre.convert_lanes extsi %x : vector<16xi8> to vector<16xi32>
    %s1 = vyre.convert_lanes extsi %both : vector<16xi1> to vector<16xi32>
    %t1 = vyre.convert_lanes trunci %x : vector<16xi8> to vector<16xi1>
    %k = vyre.select_lanes %both, %e, %s : vector<16xi1>, vector<16xi32>
    %k1 = vyre.select_lanes %t1, %k, %s1 : vector<16xi1>, vector<16xi32>
    %k2 = vyre.select_lanes %bothx, %x, %m : vector<16xi1>, vector<16xi8>
    %kk = vyre.convert_lanes trunci %k1 : vector<16xi32> to vector<16xi8>
    %kkk = arith.addi %k2, %kk : vector<16xi8>
    vyre.store %k, %o[%j] : vector<16xi32>, !vyre.buffer<256xi32, read_write>
    vyre.store %k1, %p[%j] : vector<16xi32>, !vyre.buffer<256xi32, read_write>
    vyre.store %kkk, %ob[%j] : vector<16xi8>, !vyre.buffer<256xi8, read_write>
  }
}

// -----

// Comparisons of vectors of floats have lanes as wide as these; conversions from floats are chosen
// by masks as wide as the integers.
// CHECK:      static char4 vyre_to_i8x4_f32x4(float4 a)
// CHECK-NEXT: {
// CHECK-NEXT:     return convert_char4(isnan(a)) ? (char4)(0) : convert_char4_sat(a);
// CHECK:          uchar4 some = convert_uchar4(-!(x <= (float4)(1.0f))) ^ convert_uchar4(-isunordered(x, x));
// CHECK-NEXT:     uchar4 sum = as_uchar4(vyre_to_i8x4_f32x4(x)) + (some ^ convert_uchar4(-(int4)(0)));
// CHECK:          vyre_store_f32x4_f32(f, 16, j, convert_float4(as_char4(sum)));
vyre.program @floats {
  %a = vyre.buffer @a : !vyre.buffer<16xf32, read_only>
  %o = vyre.buffer @o live_out : !vyre.buffer<16xi8, read_write>
  %f = vyre.buffer @f live_out : !vyre.buffer<16xf32, read_write>
  vyre.region "floats" invocations [4] {
    %i = vyre.invocation_id x
    %c = arith.constant 4 : index
    %j = arith.muli %i, %c : index
    %x = vyre.load %a[%j] : !vyre.buffer<16xf32, read_only> -> vector<4xf32>
    %one = arith.constant dense<1.0> : vector<4xf32>
    %above = vyre.compare_float_lanes ugt %x, %one : vector<4xf32> -> vector<4xi1>
    %none = vyre.compare_float_lanes uno %x, %x : vector<4xf32> -> vector<4xi1>
    %never = vyre.compare_float_lanes false %x, %x : vector<4xf32> -> vector<4xi1>
    %some = arith.xori %above, %none : vector<4xi1>
    %any = arith.xori %some, %never : vector<4xi1>
    %bits = vyre.convert_lanes extui %any : vector<4xi1> to vector<4xi8>
    %whole = vyre.convert_lanes fptosi %x : vector<4xf32> to vector<4xi8>
    %sum = arith.addi %whole, %bits : vector<4xi8>
    vyre.store %sum, %o[%j] : vector<4xi8>, !vyre.buffer<16xi8, read_write>
    %back = vyre.convert_lanes sitofp %sum : vector<4xi8> to vector<4xf32>
    vyre.store %back, %f[%j] : vector<4xf32>, !vyre.buffer<16xf32, read_write>
  }
}

// -----

// Where there are more lanes than GPUs take at once, what compilers for CPUs have only lane by lane
// is computed of all lanes.
// CHECK:      static int8 vyre_to_i32x8_f32x8(float8 a)
// CHECK-NEXT: {
// CHECK-NEXT:     float8 below = a < 2.1474836e+09f ? a : (float8)(0);
// CHECK-NEXT:     int8 result = convert_int8(max(below, (float8)(-2.1474836e+09f)));
// CHECK-NEXT:     return (a >= 2.1474836e+09f) ? (int8)(2147483647) : result;
// CHECK:      static uint8 vyre_popcount_u32x8(uint8 a)
// CHECK-NEXT: {
// CHECK-NEXT:     a = a - ((a >> 1) & (uint8)(0x55555555u));
// CHECK-NEXT:     a = (a & (uint8)(0x33333333u)) + ((a >> 2) & (uint8)(0x33333333u));
// CHECK-NEXT:     a = (a + (a >> 4)) & (uint8)(0x0f0f0f0fu);
// CHECK-NEXT:     return (a * (uint8)(0x01010101u)) >> 24;
// CHECK:      static uint8 vyre_cttz_u32x8(uint8 a)
// CHECK:          return vyre_popcount_u32x8(~a & (a - (uint8)(1)));
// CHECK:      static uint8 vyre_abs_i32x8(int8 a)
// CHECK-NEXT: {
// CHECK-NEXT:     return as_uint8(max(a, as_int8((uint8)(0) - as_uint8(a))));
// CHECK:          uint8 low = vyre_cttz_u32x8(vyre_popcount_u32x8(whole));
// CHECK-NEXT:     vyre_store_u32x8_u32(o, 64, j, vyre_abs_i32x8(as_int8(low)));
vyre.program @functions {
  %a = vyre.buffer @a : !vyre.buffer<64xf32, read_only>
  %o = vyre.buffer @o live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "functions" invocations [8] {
    %i = vyre.invocation_id x
    %c = arith.constant 8 : index
    %j = arith.muli %i, %c : index
    %x = vyre.load %a[%j] : !vyre.buffer<64xf32, read_only> -> vector<8xf32>
    %whole = vyre.convert_lanes fptosi %x : vector<8xf32> to vector<8xi32>
    %set = math.ctpop %whole : vector<8xi32>
    %low = math.cttz %set : vector<8xi32>
    %size = math.absi %low : vector<8xi32>
    vyre.store %size, %o[%j] : vector<8xi32>, !vyre.buffer<64xi32, read_write>
  }
}
