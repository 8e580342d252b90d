// RUN: xdsl-opt %s --split-input-file -p vyre-optimize-integers -t vyre-opencl | filecheck %s

// Proven in bounds and aligned: one access. Of known alignment: a pointer to packed lanes, since
// vload takes none to elements of another type. Of unknown alignment: vload of the bytes, which PoCL
// does by a pointer to packed lanes, too.
vyre.kernel @wide(%in: !vyre.buffer<?xi8, read_only>, %in_len: index, %out: !vyre.buffer<?xi8, read_write>, %out_len: index) workgroup_size [64] generator "wide" {
  %i = vyre.invocation_id x
  %aligned = vyre.load %in[%i] in_bounds aligned 16 : !vyre.buffer<?xi8, read_only> -> vector<4xi32>
  vyre.store %aligned, %out[%i] in_bounds aligned 16 : vector<4xi32>, !vyre.buffer<?xi8, read_write>
  %lanes = vyre.load %in[%i] in_bounds aligned 4 : !vyre.buffer<?xi8, read_only> -> vector<4xi32>
  vyre.store %lanes, %out[%i] in_bounds aligned 4 : vector<4xi32>, !vyre.buffer<?xi8, read_write>
  %bytes = vyre.load %in[%i] in_bounds : !vyre.buffer<?xi8, read_only> -> vector<4xi32>
  vyre.store %bytes, %out[%i] in_bounds : vector<4xi32>, !vyre.buffer<?xi8, read_write>
  %three = vyre.load %in[%i] in_bounds aligned 4 : !vyre.buffer<?xi8, read_only> -> vector<3xi32>
  vyre.store %three, %out[%i] in_bounds aligned 4 : vector<3xi32>, !vyre.buffer<?xi8, read_write>
  %word = vyre.load %in[%i] in_bounds aligned 4 : !vyre.buffer<?xi8, read_only> -> i32
  vyre.store %word, %out[%i] in_bounds : i32, !vyre.buffer<?xi8, read_write>
  %long = vyre.load %in[%i] in_bounds : !vyre.buffer<?xi8, read_only> -> vector<4xi64>
  vyre.store %long, %out[%i] in_bounds : vector<4xi64>, !vyre.buffer<?xi8, read_write>
}

// CHECK:      typedef uint __attribute__((may_alias)) aliased_uint;
// CHECK-EMPTY:
// CHECK-NEXT: typedef uchar16 __attribute__((aligned(1), may_alias)) aliased_uchar16;
// CHECK-NEXT: typedef uchar4 __attribute__((aligned(1), may_alias)) aliased_uchar4;
// CHECK-NEXT: typedef uint4 __attribute__((aligned(4), may_alias)) aliased_uint4;
// CHECK-EMPTY:
// CHECK-NEXT: __attribute__((always_inline)) static uchar16 vyre_vload_u8x16(__global const uchar *p)
// CHECK-NEXT: {
// CHECK-NEXT: #ifdef POCL_DEVICE_ADDRESS_BITS
// CHECK-NEXT:     return *(__global const aliased_uchar16 *)p;
// CHECK-NEXT: #else
// CHECK-NEXT:     return vload16(0, p);
// CHECK-NEXT: #endif
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: __attribute__((always_inline)) static void vyre_vstore_u8x16(uchar16 v, __global uchar *p)
// CHECK-NEXT: {
// CHECK-NEXT: #ifdef POCL_DEVICE_ADDRESS_BITS
// CHECK-NEXT:     *(__global aliased_uchar16 *)p = v;
// CHECK-NEXT: #else
// CHECK-NEXT:     vstore16(v, 0, p);
// CHECK-NEXT: #endif
// CHECK-NEXT: }
// CHECK:      // wide
// CHECK-NEXT: __kernel __attribute__((reqd_work_group_size(64, 1, 1)))
// CHECK-NEXT: void wide(
// CHECK-NEXT:     __global const uchar *restrict in, long in_len,
// CHECK-NEXT:     __global uchar *restrict out, long out_len)
// CHECK-NEXT: {
// CHECK-NEXT:     long i = get_global_id(0);
// CHECK-NEXT:     *(__global uint4 *)&out[i] = *(__global const uint4 *)&in[i];
// CHECK-NEXT:     *(__global aliased_uint4 *)&out[i] = *(__global const aliased_uint4 *)&in[i];
// CHECK-NEXT:     vyre_vstore_u8x16(as_uchar16(as_uint4(vyre_vload_u8x16(&in[i]))), &out[i]);
// CHECK-NEXT:     uint3 three = (uint3)(*(__global const aliased_uint *)&in[i], *(__global const aliased_uint *)&in[i + 4], *(__global const aliased_uint *)&in[i + 8]);
// CHECK-NEXT:     *(__global aliased_uint *)&out[i] = three.s0;
// CHECK-NEXT:     *(__global aliased_uint *)&out[i + 4] = three.s1;
// CHECK-NEXT:     *(__global aliased_uint *)&out[i + 8] = three.s2;
// CHECK-NEXT:     vyre_vstore_u8x4(as_uchar4(*(__global const aliased_uint *)&in[i]), &out[i]);
// CHECK-NEXT:     ulong4 long_ = (ulong4)(as_ulong2(vyre_vload_u8x16(&in[i])), as_ulong2(vyre_vload_u8x16(&in[i + 16])));
// CHECK-NEXT:     vyre_vstore_u8x16(as_uchar16(long_.lo), &out[i]);
// CHECK-NEXT:     vyre_vstore_u8x16(as_uchar16(long_.hi), &out[i + 16]);
// CHECK-NEXT: }

// -----

// Not proven: the function reads or drops what lies outside, element by element.
vyre.kernel @guarded(%in: !vyre.buffer<?xi8, read_only>, %in_len: index, %out: !vyre.buffer<?xi8, read_write>, %out_len: index) workgroup_size [64] generator "guarded" {
  %i = vyre.invocation_id x
  %word = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i32
  vyre.store %word, %out[%i] : i32, !vyre.buffer<?xi8, read_write>
}

// CHECK:      static uint vyre_load_u32_u8(__global const uchar *p, long n, long i)
// CHECK-NEXT: {
// CHECK-NEXT:     if (n >= 4 && (ulong)i <= (ulong)(n - 4))
// CHECK-NEXT:         return as_uint(vyre_vload_u8x4(&p[i]));
// CHECK-NEXT:     uchar units[4];
// CHECK-NEXT:     #pragma unroll 1
// CHECK-NEXT:     for (int k = 0; k < 4; k++)
// CHECK-NEXT:         units[k] = (ulong)i + k < (ulong)n ? p[i + k] : 0;
// CHECK-NEXT:     return as_uint(vload4(0, units));
// CHECK-NEXT: }
// CHECK:      static void vyre_store_u32_u8(__global uchar *p, long n, long i, uint v)
// CHECK-NEXT: {
// CHECK-NEXT:     if (0 <= i && i <= n - 4) {
// CHECK-NEXT:         vyre_vstore_u8x4(as_uchar4(v), &p[i]);
// CHECK-NEXT:         return;
// CHECK-NEXT:     }
// CHECK-NEXT:     uchar units[4];
// CHECK-NEXT:     vstore4(as_uchar4(v), 0, units);
// CHECK-NEXT:     #pragma unroll 1
// CHECK-NEXT:     for (int k = 0; k < 4; k++)
// CHECK-NEXT:         if ((ulong)i + k < (ulong)n)
// CHECK-NEXT:             p[i + k] = units[k];
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: // guarded
// CHECK-NEXT: __kernel __attribute__((reqd_work_group_size(64, 1, 1)))
// CHECK-NEXT: void guarded(
// CHECK-NEXT:     __global const uchar *restrict in, long in_len,
// CHECK-NEXT:     __global uchar *restrict out, long out_len)
// CHECK-NEXT: {
// CHECK-NEXT:     long i = get_global_id(0);
// CHECK-NEXT:     vyre_store_u32_u8(out, out_len, i, vyre_load_u32_u8(in, in_len, i));
// CHECK-NEXT: }

// -----

// Memory of the workgroup and of the invocation; three lanes are packed; an i1 takes a byte.
vyre.kernel @spaces(%flags: !vyre.buffer<64xi1, read_write>, %packed: !vyre.buffer<?xvector<3xi32>, read_write>, %packed_len: index) workgroup_size [64] generator "spaces" {
  %tile = vyre.buffer @tile : !vyre.buffer<256xi8, read_write, workgroup>
  %mine = vyre.buffer @mine : !vyre.buffer<4xvector<2xi32>, read_write, private>
  %i = vyre.local_id x
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %at = arith.muli %i, %c4 : index
  %triple = vyre.load %packed[%i] : !vyre.buffer<?xvector<3xi32>, read_write> -> vector<3xi32>
  vyre.store %triple, %packed[%i] in_bounds : vector<3xi32>, !vyre.buffer<?xvector<3xi32>, read_write>
  %first = vector.extract %triple[0] : i32 from vector<3xi32>
  vyre.store %first, %tile[%at] in_bounds aligned 4 : i32, !vyre.buffer<256xi8, read_write, workgroup>
  vyre.barrier memfence workgroup
  %next = arith.addi %at, %c4 : index
  %neighbour = vyre.load %tile[%next] aligned 4 : !vyre.buffer<256xi8, read_write, workgroup> -> i32
  %flag = vyre.load %flags[%i] in_bounds : !vyre.buffer<64xi1, read_write> -> i1
  %chosen = arith.select %flag, %first, %neighbour : i32
  %pair = vector.broadcast %chosen : i32 to vector<2xi32>
  vyre.store %pair, %mine[%c1] in_bounds : vector<2xi32>, !vyre.buffer<4xvector<2xi32>, read_write, private>
  %kept = vyre.load %mine[%c1] in_bounds : !vyre.buffer<4xvector<2xi32>, read_write, private> -> vector<2xi32>
  %lane = vector.extract %kept[1] : i32 from vector<2xi32>
  %set = arith.cmpi eq, %lane, %first : i32
  vyre.store %set, %flags[%i] in_bounds : i1, !vyre.buffer<64xi1, read_write>
}

// CHECK:      typedef uint __attribute__((may_alias)) aliased_uint;
// CHECK-EMPTY:
// CHECK-NEXT: static uint3 vyre_load_u32x3_u32p3(__global const uint *p, long n, long i)
// CHECK-NEXT: {
// CHECK-NEXT:     if (n >= 1 && (ulong)i <= (ulong)(n - 1))
// CHECK-NEXT:         return vload3(0, &p[i * 3]);
// CHECK-NEXT:     uint units[3];
// CHECK-NEXT:     #pragma unroll 1
// CHECK-NEXT:     for (int k = 0; k < 3; k++)
// CHECK-NEXT:         units[k] = (ulong)i + k / 3 < (ulong)n ? p[i * 3 + k] : 0;
// CHECK-NEXT:     return vload3(0, units);
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: static uint vyre_load_u32_u8_a4_local(__local const uchar *p, long n, long i)
// CHECK-NEXT: {
// CHECK-NEXT:     if (n >= 4 && (ulong)i <= (ulong)(n - 4))
// CHECK-NEXT:         return *(__local const aliased_uint *)&p[i];
// CHECK-NEXT:     uchar units[4];
// CHECK-NEXT:     #pragma unroll 1
// CHECK-NEXT:     for (int k = 0; k < 4; k++)
// CHECK-NEXT:         units[k] = (ulong)i + k < (ulong)n ? p[i + k] : 0;
// CHECK-NEXT:     return as_uint(vload4(0, units));
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: // spaces
// CHECK-NEXT: __kernel __attribute__((reqd_work_group_size(64, 1, 1)))
// CHECK-NEXT: void spaces(
// CHECK-NEXT:     __global uchar *flags,
// CHECK-NEXT:     __global uint *packed, long packed_len)
// CHECK-NEXT: {
// CHECK-NEXT:     __local uchar tile[256] __attribute__((aligned(4)));
// CHECK-NEXT:     uint2 mine[4] = {0};
// CHECK-NEXT:     long i = get_local_id(0);
// CHECK-NEXT:     long at = i * 4;
// CHECK-NEXT:     uint3 triple = vyre_load_u32x3_u32p3(packed, packed_len, i);
// CHECK-NEXT:     vstore3(triple, 0, &packed[i * 3]);
// CHECK-NEXT:     uint first = triple.s0;
// CHECK-NEXT:     *(__local aliased_uint *)&tile[at] = first;
// CHECK-NEXT:     barrier(CLK_LOCAL_MEM_FENCE);
// CHECK-NEXT:     uint neighbour = vyre_load_u32_u8_a4_local(tile, 256, at + 4);
// CHECK-NEXT:     mine[1] = (uint2)(flags[i] ? first : neighbour);
// CHECK-NEXT:     flags[i] = mine[1].s1 == first;
// CHECK-NEXT: }

// -----

// A value of the size of an element is that element, read as another type.
vyre.kernel @as_another_type(%in: !vyre.buffer<?xi32, read_only>, %in_len: index, %out: !vyre.buffer<?xi32, read_write>, %out_len: index) workgroup_size [64] generator "as_another_type" {
  %i = vyre.invocation_id x
  %number = vyre.load %in[%i] : !vyre.buffer<?xi32, read_only> -> f32
  vyre.store %number, %out[%i] : f32, !vyre.buffer<?xi32, read_write>
}

// CHECK:      __attribute__((always_inline)) static float vyre_load_f32_u32(__global const uint *p, long n, long i)
// CHECK-NEXT: {
// CHECK-NEXT:     if (n >= 1 && (ulong)i <= (ulong)(n - 1))
// CHECK-NEXT:         return *(__global const aliased_float *)&p[i];
// CHECK-NEXT:     uint units[1];
// CHECK-NEXT:     #pragma unroll 1
// CHECK-NEXT:     for (int k = 0; k < 1; k++)
// CHECK-NEXT:         units[k] = (ulong)i + k < (ulong)n ? p[i + k] : 0;
// CHECK-NEXT:     return as_float(units[0]);
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: __attribute__((always_inline)) static void vyre_store_f32_u32(__global uint *p, long n, long i, float v)
// CHECK-NEXT: {
// CHECK-NEXT:     if (0 <= i && i <= n - 1) {
// CHECK-NEXT:         *(__global aliased_float *)&p[i] = v;
// CHECK-NEXT:         return;
// CHECK-NEXT:     }
// CHECK-NEXT:     uint units[1];
// CHECK-NEXT:     units[0] = as_uint(v);
// CHECK-NEXT:     #pragma unroll 1
// CHECK-NEXT:     for (int k = 0; k < 1; k++)
// CHECK-NEXT:         if ((ulong)i + k < (ulong)n)
// CHECK-NEXT:             p[i + k] = units[k];
// CHECK-NEXT: }
