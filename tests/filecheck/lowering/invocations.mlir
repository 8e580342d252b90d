// RUN: xdsl-opt %s --split-input-file -p vyre-optimize-integers -t vyre-opencl | filecheck %s

// Each id is a variable at the top, however often the kernel asks for it.
vyre.kernel @ids(%out: !vyre.buffer<?xi32, read_write>, %out_len: index) workgroup_size [8, 4, 2] generator "ids\non two lines" {
  %a = vyre.invocation_id y
  %b = vyre.invocation_id y
  %group = vyre.workgroup_id z
  %local = vyre.local_id x
  %unused = vyre.local_id z
  %same = arith.addi %a, %b : index
  %sum = arith.addi %group, %local : index
  %all = arith.muli %same, %sum : index
  %word = arith.index_cast %all : index to i32
  vyre.store %word, %out[%all] : i32, !vyre.buffer<?xi32, read_write>
}

// CHECK:      static void vyre_store_u32(__global uint *p, long n, long i, uint v)
// CHECK-NEXT: {
// CHECK-NEXT:     if ((ulong)i < (ulong)n)
// CHECK-NEXT:         p[i] = v;
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: // ids on two lines
// CHECK-NEXT: __kernel __attribute__((reqd_work_group_size(8, 4, 2)))
// CHECK-NEXT: void ids(
// CHECK-NEXT:     __global uint *restrict out, long out_len)
// CHECK-NEXT: {
// CHECK-NEXT:     long a = get_global_id(1);
// CHECK-NEXT:     long group = get_group_id(2);
// CHECK-NEXT:     long local_ = get_local_id(0);
// CHECK-NEXT:     long all = (ulong)(a + a) * (group + local_);
// CHECK-NEXT:     vyre_store_u32(out, out_len, all, all);
// CHECK-NEXT: }

// -----

// Barriers, and a copy in which every invocation of the workgroup takes its share.
vyre.kernel @copies(%in: !vyre.buffer<?xi32, read_only>, %in_len: index) workgroup_size [8, 4] generator "copies" {
  %tile = vyre.buffer @tile : !vyre.buffer<32xi32, read_write, workgroup>
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %group = vyre.workgroup_id x
  %first = arith.muli %group, %c32 : index
  %token = vyre.async_copy %in[%first], %tile[%c0], %c32 : !vyre.buffer<?xi32, read_only>, !vyre.buffer<32xi32, read_write, workgroup>
  vyre.async_wait %token
  vyre.barrier
  vyre.barrier memfence workgroup
  vyre.barrier memfence global
}

// CHECK:      static uint vyre_load_u32(__global const uint *p, long n, long i)
// CHECK-NEXT: {
// CHECK-NEXT:     return (ulong)i < (ulong)n ? p[i] : 0;
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: static void vyre_store_u32_local(__local uint *p, long n, long i, uint v)
// CHECK-NEXT: {
// CHECK-NEXT:     if ((ulong)i < (ulong)n)
// CHECK-NEXT:         p[i] = v;
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: // copies
// CHECK-NEXT: __kernel __attribute__((reqd_work_group_size(8, 4, 1)))
// CHECK-NEXT: void copies(
// CHECK-NEXT:     __global const uint *restrict in, long in_len)
// CHECK-NEXT: {
// CHECK-NEXT:     __local uint tile[32];
// CHECK-NEXT:     long linear_id = get_local_id(0) + get_local_id(1) * 8;
// CHECK-NEXT:     long group = get_group_id(0);
// CHECK-NEXT:     long first = group * 32;
// CHECK-NEXT:     for (long k = linear_id; k < 32; k += 32)
// CHECK-NEXT:         vyre_store_u32_local(tile, 32, k, vyre_load_u32(in, in_len, first + k));
// CHECK-NEXT:     barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
// CHECK-NEXT:     barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
// CHECK-NEXT:     barrier(CLK_LOCAL_MEM_FENCE);
// CHECK-NEXT:     barrier(CLK_GLOBAL_MEM_FENCE);
// CHECK-NEXT: }

// -----

// Subgroups exchange values through memory of the workgroup, on every device alike.
vyre.kernel @subgroups(%out: !vyre.buffer<64xi32, read_write>) workgroup_size [64] subgroup_size 8 generator "subgroups" {
  %i = vyre.local_id x
  %c1 = arith.constant 1 : index
  %word = vyre.load %out[%i] in_bounds : !vyre.buffer<64xi32, read_write> -> i32
  %lane = vyre.subgroup_lane
  %subgroup = vyre.subgroup_id
  %next = arith.addi %lane, %c1 : index
  %neighbour = vyre.subgroup_shuffle %word, %next : i32
  %most = vyre.subgroup_reduce maxs %neighbour : i32
  vyre.store %most, %out[%subgroup] in_bounds : i32, !vyre.buffer<64xi32, read_write>
}

// CHECK:      // subgroups
// CHECK-NEXT: __kernel __attribute__((reqd_work_group_size(64, 1, 1)))
// CHECK-NEXT: void subgroups(
// CHECK-NEXT:     __global uint *out)
// CHECK-NEXT: {
// CHECK-NEXT:     __local uint exchange_u32[64];
// CHECK-NEXT:     long linear_id = get_local_id(0);
// CHECK-NEXT:     long i = get_local_id(0);
// CHECK-NEXT:     long lane = linear_id % 8;
// CHECK-NEXT:     long subgroup = linear_id / 8;
// CHECK-NEXT:     long next = lane + 1;
// CHECK-NEXT:     exchange_u32[linear_id] = out[i];
// CHECK-NEXT:     barrier(CLK_LOCAL_MEM_FENCE);
// CHECK-NEXT:     uint neighbour = (ulong)next < 8 ? exchange_u32[linear_id / 8 * 8 + next] : 0;
// CHECK-NEXT:     barrier(CLK_LOCAL_MEM_FENCE);
// CHECK-NEXT:     exchange_u32[linear_id] = neighbour;
// CHECK-NEXT:     barrier(CLK_LOCAL_MEM_FENCE);
// CHECK-NEXT:     long first_lane = linear_id / 8 * 8;
// CHECK-NEXT:     uint most = exchange_u32[first_lane];
// CHECK-NEXT:     for (int lane_1 = 1; lane_1 < 8; lane_1++)
// CHECK-NEXT:         most = max((int)most, (int)exchange_u32[first_lane + lane_1]);
// CHECK-NEXT:     barrier(CLK_LOCAL_MEM_FENCE);
// CHECK-NEXT:     out[subgroup] = most;
// CHECK-NEXT: }
