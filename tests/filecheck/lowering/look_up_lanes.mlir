// RUN: xdsl-opt %s -p vyre-outline-kernels -t vyre-opencl | filecheck %s

// A position counts by its lowest bits; a vector is indexed like an array, where that is
// known, as Clang does.
// CHECK:      static uint4 vyre_look_up_u32x16_u8x4(uint16 t, uchar4 i)
// CHECK-NEXT: {
// CHECK-NEXT: #ifdef __clang__
// CHECK-NEXT:     uint16 units = t;
// CHECK-NEXT: #else
// CHECK-NEXT:     uint units[16];
// CHECK-NEXT:     vstore16(t, 0, units);
// CHECK-NEXT: #endif
// CHECK-NEXT:     i &= (uchar4)(15);
// CHECK-NEXT:     return (uint4)(units[i.s0], units[i.s1], units[i.s2], units[i.s3]);
// CHECK-NEXT: }
// CHECK:      = vyre_look_up_u32x16_u8x4(table, positions);
// CHECK:      = vyre_look_up_u32x16_u8x4(table, positions >> 4);

vyre.program @look_up {
  %a = vyre.buffer @a : !vyre.buffer<64xi8, read_only>
  %t = vyre.buffer @t : !vyre.buffer<16xi32, read_only>
  %o = vyre.buffer @o live_out : !vyre.buffer<64xi32, read_write>
  %p = vyre.buffer @p live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "look_up" invocations [16] {
    %i = vyre.invocation_id x
    %four = arith.constant 4 : index
    %zero = arith.constant 0 : index
    %first = arith.muli %i, %four : index
    %table = vyre.load %t[%zero] : !vyre.buffer<16xi32, read_only> -> vector<16xi32>
    %positions = vyre.load %a[%first] : !vyre.buffer<64xi8, read_only> -> vector<4xi8>
    %fours = arith.constant dense<4> : vector<4xi8>
    %upper = arith.shrui %positions, %fours : vector<4xi8>
    %low = vyre.look_up_lanes %table[%positions] : vector<16xi32>, vector<4xi8> -> vector<4xi32>
    %high = vyre.look_up_lanes %table[%upper] : vector<16xi32>, vector<4xi8> -> vector<4xi32>
    vyre.store %low, %o[%first] : vector<4xi32>, !vyre.buffer<64xi32, read_write>
    vyre.store %high, %p[%first] : vector<4xi32>, !vyre.buffer<64xi32, read_write>
  }
}
