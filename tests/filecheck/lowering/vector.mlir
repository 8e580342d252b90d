// RUN: xdsl-opt %s --split-input-file -t vyre-opencl | filecheck %s

vyre.kernel @vectors(%in: !vyre.buffer<64xvector<4xi32>, read_only>, %out: !vyre.buffer<64xvector<4xi32>, read_write>) workgroup_size [16] generator "vectors" {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %a = vyre.load %in[%c0] in_bounds : !vyre.buffer<64xvector<4xi32>, read_only> -> vector<4xi32>
  %b = vyre.load %in[%c1] in_bounds : !vyre.buffer<64xvector<4xi32>, read_only> -> vector<4xi32>
  // A vector whose lanes are all the same combines as a scalar.
  %mask = arith.constant dense<16711935> : vector<4xi32>
  %low = arith.andi %a, %mask : vector<4xi32>
  %eight = arith.constant dense<8> : vector<4xi32>
  %high = arith.shrui %b, %eight : vector<4xi32>
  %both = arith.ori %low, %high : vector<4xi32>
  vyre.store %both, %out[%c0] in_bounds : vector<4xi32>, !vyre.buffer<64xvector<4xi32>, read_write>
  // Lanes in any order, and from two vectors.
  %reversed = vector.shuffle %a, %a [3, 2, 1, 0] : vector<4xi32>, vector<4xi32>
  %mixed = vector.shuffle %reversed, %b [0, 5, 2, 7] : vector<4xi32>, vector<4xi32>
  vyre.store %mixed, %out[%c1] in_bounds : vector<4xi32>, !vyre.buffer<64xvector<4xi32>, read_write>
  // Insertions one after another are one vector.
  %first = vector.extract %a[0] : i32 from vector<4xi32>
  %sum = vector.reduction <add>, %b : vector<4xi32> into i32
  %one = vector.insert %first, %b[1] : i32 into vector<4xi32>
  %two = vector.insert %sum, %one[3] : i32 into vector<4xi32>
  vyre.store %two, %out[%c2] in_bounds : vector<4xi32>, !vyre.buffer<64xvector<4xi32>, read_write>
  // Lanes that are chosen at run time.
  %lane = vyre.local_id x
  %some = vector.extract %a[%lane] : i32 from vector<4xi32>
  %there = vector.insert %some, %b[%lane] : i32 into vector<4xi32>
  %least = arith.minsi %there, %a : vector<4xi32>
  vyre.store %least, %out[%c3] in_bounds : vector<4xi32>, !vyre.buffer<64xvector<4xi32>, read_write>
}

// CHECK:      static uint vyre_reduce_add_u32x4(uint4 v)
// CHECK-NEXT: {
// CHECK-NEXT:     uint result = v.s0;
// CHECK-NEXT:     result += v.s1;
// CHECK-NEXT:     result += v.s2;
// CHECK-NEXT:     result += v.s3;
// CHECK-NEXT:     return result;
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: static uint vyre_extract_u32x4(uint4 v, long lane)
// CHECK-NEXT: {
// CHECK-NEXT:     uint lanes[4];
// CHECK-NEXT:     vstore4(v, 0, lanes);
// CHECK-NEXT:     return (ulong)lane < 4 ? lanes[lane] : 0;
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: static uint4 vyre_insert_u32x4(uint4 v, uint value, long lane)
// CHECK-NEXT: {
// CHECK-NEXT:     uint lanes[4];
// CHECK-NEXT:     vstore4(v, 0, lanes);
// CHECK-NEXT:     if ((ulong)lane < 4)
// CHECK-NEXT:         lanes[lane] = value;
// CHECK-NEXT:     return vload4(0, lanes);
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: // vectors
// CHECK-NEXT: __kernel __attribute__((reqd_work_group_size(16, 1, 1)))
// CHECK-NEXT: void vectors(
// CHECK-NEXT:     __global const uint4 *restrict in,
// CHECK-NEXT:     __global uint4 *restrict out)
// CHECK-NEXT: {
// CHECK-NEXT:     long lane = get_local_id(0);
// CHECK-NEXT:     uint4 a = in[0];
// CHECK-NEXT:     uint4 b = in[1];
// CHECK-NEXT:     out[0] = (a & 0x00ff00ffu) | (b >> 8);
// CHECK-NEXT:     uint4 reversed = a.s3210;
// CHECK-NEXT:     uint4 mixed = (uint4)(reversed.s0, b.s1, reversed.s2, b.s3);
// CHECK-NEXT:     out[1] = mixed;
// CHECK-NEXT:     uint4 two = (uint4)(b.s0, a.s0, b.s2, vyre_reduce_add_u32x4(b));
// CHECK-NEXT:     out[2] = two;
// CHECK-NEXT:     uint4 there = vyre_insert_u32x4(b, vyre_extract_u32x4(a, lane), lane);
// CHECK-NEXT:     uint4 least = as_uint4(min(as_int4(there), as_int4(a)));
// CHECK-NEXT:     out[3] = least;
// CHECK-NEXT: }

// -----

vyre.kernel @casts(%in: !vyre.buffer<64xvector<4xf32>, read_only>, %out: !vyre.buffer<64xvector<4xf32>, read_write>) workgroup_size [16] generator "casts" {
  %c0 = arith.constant 0 : index
  %i = vyre.local_id x
  %a = vyre.load %in[%c0] in_bounds : !vyre.buffer<64xvector<4xf32>, read_only> -> vector<4xf32>
  %bits = vector.bitcast %a : vector<4xf32> to vector<8xi16>
  %divisor = arith.constant dense<[1, 2, 3, 4, 5, 6, 7, 0]> : vector<8xi16>
  %parts = arith.divsi %bits, %divisor : vector<8xi16>
  %numbers = arith.bitcast %parts : vector<8xi16> to vector<8xf16>
  %back = vector.bitcast %numbers : vector<8xf16> to vector<4xf32>
  %half = arith.constant dense<5.000000e-01> : vector<4xf32>
  %scaled = arith.mulf %back, %half : vector<4xf32>
  %sum = vector.fma %scaled, %a, %half : vector<4xf32>
  %enabled = vector.create_mask %i : vector<4xi1>
  %set = vector.extract %enabled[2] : i1 from vector<4xi1>
  %chosen = arith.select %set, %sum, %scaled : vector<4xf32>
  vyre.store %chosen, %out[%c0] in_bounds : vector<4xf32>, !vyre.buffer<64xvector<4xf32>, read_write>
}

// CHECK:      #pragma OPENCL EXTENSION cl_khr_fp16 : enable
// CHECK-NEXT: #pragma OPENCL FP_CONTRACT OFF
// CHECK-EMPTY:
// CHECK-NEXT: static short8 vyre_divsi_i16x8(short8 a, short8 b)
// CHECK-NEXT: {
// CHECK-NEXT:     short8 bad = b == (short8)(0) || (a == (short8)(SHRT_MIN) && b == (short8)(-1));
// CHECK-NEXT:     b = bad ? (short8)(1) : b;
// CHECK-NEXT:     short8 quotient = a / b;
// CHECK-NEXT:     return bad ? (short8)(0) : quotient;
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: // casts
// CHECK-NEXT: __kernel __attribute__((reqd_work_group_size(16, 1, 1)))
// CHECK-NEXT: void casts(
// CHECK-NEXT:     __global const float4 *restrict in,
// CHECK-NEXT:     __global float4 *restrict out)
// CHECK-NEXT: {
// CHECK-NEXT:     long i = get_local_id(0);
// CHECK-NEXT:     float4 a = in[0];
// CHECK-NEXT:     ushort8 parts = as_ushort8(vyre_divsi_i16x8(as_short8(a), as_short8((ushort8)(1, 2, 3, 4, 5, 6, 7, 0))));
// CHECK-NEXT:     float4 scaled = as_float4(parts) * 0.5f;
// CHECK-NEXT:     uchar4 enabled = (uchar4)((uchar)(i > 0), (uchar)(i > 1), (uchar)(i > 2), (uchar)(i > 3));
// CHECK-NEXT:     float4 chosen = enabled.s2 ? fma(scaled, a, (float4)(0.5f)) : scaled;
// CHECK-NEXT:     out[0] = chosen;
// CHECK-NEXT: }

// -----

// Half the lanes of a vector of 16 have names of their own. Where lane 11 is one of several, they
// stand one by one, which a checker follows.

vyre.kernel @halves(%in: !vyre.buffer<64xi32, read_only>, %out: !vyre.buffer<64xi32, read_write>) workgroup_size [1] generator "halves" {
  %c0 = arith.constant 0 : index
  %a = vyre.load %in[%c0] in_bounds : !vyre.buffer<64xi32, read_only> -> vector<16xi32>
  %low = vector.shuffle %a, %a [0, 1, 2, 3, 4, 5, 6, 7] : vector<16xi32>, vector<16xi32>
  %high = vector.shuffle %a, %a [8, 9, 10, 11, 12, 13, 14, 15] : vector<16xi32>, vector<16xi32>
  %even = vector.shuffle %a, %a [0, 2, 4, 6, 8, 10, 12, 14] : vector<16xi32>, vector<16xi32>
  %halves = arith.ori %low, %high : vector<8xi32>
  %both = arith.addi %halves, %even : vector<8xi32>
  %all = vector.shuffle %a, %a [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<16xi32>, vector<16xi32>
  %twice = arith.addi %a, %all : vector<16xi32>
  vyre.store %both, %out[%c0] in_bounds : vector<8xi32>, !vyre.buffer<64xi32, read_write>
  vyre.store %twice, %out[%c0] in_bounds : vector<16xi32>, !vyre.buffer<64xi32, read_write>
}

// CHECK:      // halves
// CHECK:      uint16 a = vload16(0, &in[0]);
// CHECK-NEXT: uint8 high = (uint8)(a.s8, a.s9, a.sa, a.sb, a.sc, a.sd, a.se, a.sf);
// CHECK-NEXT: vstore8((a.lo | high) + a.even, 0, &out[0]);
// CHECK-NEXT: vstore16(a + a, 0, &out[0]);

// -----

// Lanes that are indices wrap around as unsigned numbers, since C leaves that of signed ones undefined; where it is
// said that they do not, they are what they are. Reductions read them as unsigned numbers, too, unless they are signed.
vyre.kernel @indices(%out: !vyre.buffer<64xi64, read_write>) workgroup_size [1] generator "indices" {
  %c0 = arith.constant 0 : index
  %word = vyre.load %out[%c0] in_bounds : !vyre.buffer<64xi64, read_write> -> i64
  %i = arith.index_cast %word : i64 to index
  %a = vector.broadcast %i : index to vector<4xindex>
  %b = vector.insert %c0, %a[1] : index into vector<4xindex>
  %two = arith.constant dense<2> : vector<4xindex>
  %less = arith.constant dense<-3> : vector<4xindex>
  %sum = arith.addi %a, %b : vector<4xindex>
  %exact = arith.addi %sum, %b overflow<nsw> : vector<4xindex>
  %difference = arith.addi %exact, %less : vector<4xindex>
  %product = arith.muli %difference, %b : vector<4xindex>
  %shifted = arith.shli %product, %two : vector<4xindex>
  %total = vector.reduction <add>, %shifted, %i : vector<4xindex> into index
  %least = vector.reduction <minui>, %shifted : vector<4xindex> into index
  %lowest = vector.reduction <minsi>, %shifted : vector<4xindex> into index
  %both = arith.andi %total, %least : index
  %all = arith.andi %both, %lowest : index
  %number = arith.index_cast %all : index to i64
  vyre.store %number, %out[%c0] in_bounds : i64, !vyre.buffer<64xi64, read_write>
}

// CHECK:      static ulong vyre_reduce_add_u64x4(ulong4 v)
// CHECK-NEXT: {
// CHECK-NEXT:     ulong result = v.s0;
// CHECK-NEXT:     result += v.s1;
// CHECK:      static ulong vyre_reduce_minui_u64x4(ulong4 v)
// CHECK:      static long vyre_reduce_minsi_i64x4(long4 v)
// CHECK:      // indices
// CHECK:          long4 exact = as_long4(as_ulong4(a) + as_ulong4(b)) + b;
// CHECK-NEXT:     long4 difference = as_long4(as_ulong4(exact) + 0xfffffffffffffffdul);
// CHECK-NEXT:     long4 product = as_long4(as_ulong4(difference) * as_ulong4(b));
// CHECK-NEXT:     long4 shifted = as_long4(as_ulong4(product) << 2ul);
// CHECK-NEXT:     long total = (ulong)i + vyre_reduce_add_u64x4(as_ulong4(shifted));
// CHECK-NEXT:     long least = vyre_reduce_minui_u64x4(as_ulong4(shifted));
// CHECK-NEXT:     long all = total & least & vyre_reduce_minsi_i64x4(shifted);
