// RUN: xdsl-opt %s --split-input-file -p vyre-optimize-integers -t vyre-opencl | filecheck %s

// An amount that may be the width or more is compared with it; one that cannot is not.
vyre.kernel @amounts(%in: !vyre.buffer<8xi32, read_only>, %out: !vyre.buffer<8xi32, read_write>) workgroup_size [1] generator "amounts" {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = vyre.load %in[%c0] in_bounds : !vyre.buffer<8xi32, read_only> -> i32
  %b = vyre.load %in[%c1] in_bounds : !vyre.buffer<8xi32, read_only> -> i32
  %31 = arith.constant 31 : i32
  %32 = arith.constant 32 : i32
  %x = arith.shli %a, %b : i32
  vyre.store %x, %out[%c0] in_bounds : i32, !vyre.buffer<8xi32, read_write>
  %signed = arith.shrsi %a, %b : i32
  vyre.store %signed, %out[%c0] in_bounds : i32, !vyre.buffer<8xi32, read_write>
  %low = arith.andi %b, %31 : i32
  %y = arith.shrui %a, %low : i32
  vyre.store %y, %out[%c0] in_bounds : i32, !vyre.buffer<8xi32, read_write>
  %rest = arith.remui %b, %32 : i32
  %z = arith.shrsi %a, %rest : i32
  vyre.store %z, %out[%c0] in_bounds : i32, !vyre.buffer<8xi32, read_write>
  %zero = arith.shli %a, %32 : i32
  vyre.store %zero, %out[%c0] in_bounds : i32, !vyre.buffer<8xi32, read_write>
  %sign = arith.shrsi %a, %32 : i32
  vyre.store %sign, %out[%c0] in_bounds : i32, !vyre.buffer<8xi32, read_write>
  %minus_one = arith.constant -1 : i32
  %none = arith.shrui %a, %minus_one : i32
  vyre.store %none, %out[%c0] in_bounds : i32, !vyre.buffer<8xi32, read_write>
}

// CHECK:      static uint vyre_shli_u32(uint a, uint b)
// CHECK-NEXT: {
// CHECK-NEXT:     return b < 32 ? a << b : 0;
// CHECK-NEXT: }
// CHECK:      static int vyre_shrsi_i32(int a, uint b)
// CHECK-NEXT: {
// CHECK-NEXT:     return a >> (b < 32 ? b : 31);
// CHECK-NEXT: }
// CHECK:          out[0] = vyre_shli_u32(a, b);
// CHECK-NEXT:     out[0] = vyre_shrsi_i32(a, b);
// CHECK-NEXT:     out[0] = a >> (b & 0x1fu);
// CHECK-NEXT:     out[0] = (int)a >> (b % 32u);
// CHECK-NEXT:     out[0] = 0u;
// CHECK-NEXT:     out[0] = (int)a >> 31;
// CHECK-NEXT:     out[0] = 0u;
// CHECK-NEXT: }

// -----

// Vectors: lane by lane. Where amounts are constants of several values, all are looked at.
vyre.kernel @lanes(%in: !vyre.buffer<8xi8, read_only>, %out: !vyre.buffer<8xi8, read_write>) workgroup_size [1] generator "lanes" {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %a = vyre.load %in[%c0] in_bounds : !vyre.buffer<8xi8, read_only> -> vector<4xi8>
  %b = vyre.load %in[%c4] in_bounds : !vyre.buffer<8xi8, read_only> -> vector<4xi8>
  %x = arith.shli %a, %b : vector<4xi8>
  vyre.store %x, %out[%c0] in_bounds : vector<4xi8>, !vyre.buffer<8xi8, read_write>
  %7 = arith.constant dense<7> : vector<4xi8>
  %low = arith.andi %b, %7 : vector<4xi8>
  %y = arith.shrui %a, %low : vector<4xi8>
  vyre.store %y, %out[%c0] in_bounds : vector<4xi8>, !vyre.buffer<8xi8, read_write>
  %small = arith.constant dense<[0, 1, 2, 7]> : vector<4xi8>
  %z = arith.shrui %a, %small : vector<4xi8>
  vyre.store %z, %out[%c0] in_bounds : vector<4xi8>, !vyre.buffer<8xi8, read_write>
  %large = arith.constant dense<[0, 1, 2, 8]> : vector<4xi8>
  %w = arith.shrui %a, %large : vector<4xi8>
  vyre.store %w, %out[%c0] in_bounds : vector<4xi8>, !vyre.buffer<8xi8, read_write>
}

// CHECK:      static uchar4 vyre_shli_u8x4(uchar4 a, uchar4 b)
// CHECK-NEXT: {
// CHECK-NEXT:     return b < (uchar4)(8) ? a << b : (uchar4)(0);
// CHECK-NEXT: }
// CHECK:          vyre_vstore_u8x4(vyre_shli_u8x4(a, b), &out[0]);
// CHECK:          vyre_vstore_u8x4(a >> (b & (uchar4)(7)), &out[0]);
// CHECK-NEXT:     vyre_vstore_u8x4(a >> (uchar4)(0, 1, 2, 7), &out[0]);
// CHECK-NEXT:     vyre_vstore_u8x4(vyre_shrui_u8x4(a, (uchar4)(0, 1, 2, 8)), &out[0]);

// -----

// Of single bits, a shift by one leaves nothing but the sign; quotients are set where both are.
vyre.kernel @bits(%in: !vyre.buffer<8xi32, read_only>, %out: !vyre.buffer<8xi1, read_write>) workgroup_size [1] generator "bits" {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = vyre.load %in[%c0] in_bounds : !vyre.buffer<8xi32, read_only> -> i32
  %b = vyre.load %in[%c1] in_bounds : !vyre.buffer<8xi32, read_only> -> i32
  %p = arith.cmpi ult, %a, %b : i32
  %q = arith.cmpi eq, %a, %b : i32
  %x = arith.shli %p, %q : i1
  vyre.store %x, %out[%c0] in_bounds : i1, !vyre.buffer<8xi1, read_write>
  %y = arith.shrsi %p, %q : i1
  vyre.store %y, %out[%c0] in_bounds : i1, !vyre.buffer<8xi1, read_write>
  %z = arith.divui %p, %q : i1
  vyre.store %z, %out[%c0] in_bounds : i1, !vyre.buffer<8xi1, read_write>
  %w = arith.divsi %p, %q : i1
  vyre.store %w, %out[%c0] in_bounds : i1, !vyre.buffer<8xi1, read_write>
  %r = arith.remsi %p, %q : i1
  vyre.store %r, %out[%c0] in_bounds : i1, !vyre.buffer<8xi1, read_write>
}

// CHECK:          out[0] = p && !q;
// CHECK-NEXT:     out[0] = p;
// CHECK-NEXT:     out[0] = p && q;
// CHECK-NEXT:     out[0] = p && q;
// CHECK-NEXT:     out[0] = false;
