// RUN: xdsl-opt %s --split-input-file -t vyre-opencl | filecheck %s
// RUN: xdsl-opt %s --split-input-file -t 'vyre-opencl{int64_atomics=true}' | filecheck %s --check-prefix=WIDE

// Inside its buffer an atomic is a builtin; elsewhere a function that does nothing outside.
vyre.kernel @atomics(%counts: !vyre.buffer<16xi32, read_write>, %out: !vyre.buffer<?xi32, read_write>, %out_len: index) workgroup_size [64] generator "atomics" {
  %i = vyre.local_id x
  %c3 = arith.constant 3 : index
  %one = arith.constant 1 : i32
  %0 = vyre.atomic_rmw addi %one, %counts[%c3] in_bounds : i32, !vyre.buffer<16xi32, read_write>
  %place = vyre.atomic_rmw addi %one, %counts[%i] : i32, !vyre.buffer<16xi32, read_write>
  %1 = vyre.atomic_rmw mins %place, %counts[%c3] in_bounds : i32, !vyre.buffer<16xi32, read_write>
  %2 = vyre.atomic_rmw assign %place, %out[%c3] in_bounds : i32, !vyre.buffer<?xi32, read_write>
  %old = vyre.atomic_cas %one, %place, %out[%i] in_bounds : i32, !vyre.buffer<?xi32, read_write>
  %3 = vyre.atomic_cas %old, %one, %out[%i] : i32, !vyre.buffer<?xi32, read_write>
}

// CHECK:      static uint vyre_atomic_add_u32(volatile __global uint *p, long n, long i, uint v)
// CHECK-NEXT: {
// CHECK-NEXT:     return (ulong)i < (ulong)n ? atomic_add(&p[i], v) : 0;
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: static uint vyre_atomic_min_i32(volatile __global uint *p, long n, long i, int v)
// CHECK-NEXT: {
// CHECK-NEXT:     return (ulong)i < (ulong)n ? atomic_min((volatile __global int *)&p[i], v) : 0;
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: static uint vyre_atomic_cmpxchg_u32(volatile __global uint *p, long n, long i, uint expected, uint desired)
// CHECK-NEXT: {
// CHECK-NEXT:     return (ulong)i < (ulong)n ? atomic_cmpxchg(&p[i], expected, desired) : 0;
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: // atomics
// CHECK-NEXT: __kernel __attribute__((reqd_work_group_size(64, 1, 1)))
// CHECK-NEXT: void atomics(
// CHECK-NEXT:     __global uint *restrict counts,
// CHECK-NEXT:     __global uint *restrict out, long out_len)
// CHECK-NEXT: {
// CHECK-NEXT:     long i = get_local_id(0);
// CHECK-NEXT:     atomic_add(&counts[3], 1u);
// CHECK-NEXT:     uint place = vyre_atomic_add_u32(counts, 16, i, 1u);
// CHECK-NEXT:     vyre_atomic_min_i32(counts, 16, 3, place);
// CHECK-NEXT:     atomic_xchg(&out[3], place);
// CHECK-NEXT:     uint old = atomic_cmpxchg(&out[i], 1u, place);
// CHECK-NEXT:     vyre_atomic_cmpxchg_u32(out, out_len, i, old, 1u);
// CHECK-NEXT: }

// -----

// Without 64-bit atomics a sum is two 32-bit ones with the carry in between.
vyre.kernel @sums(%sums: !vyre.buffer<2xi64, read_write>, %errors: !vyre.buffer<1xi32, read_write>) workgroup_size [64] generator "sums" {
  %i = vyre.local_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %wide = arith.index_cast %i : index to i64
  %0 = vyre.atomic_rmw addi %wide, %sums[%c0] in_bounds : i64, !vyre.buffer<2xi64, read_write>
  %1 = vyre.atomic_rmw ori %wide, %sums[%c1] : i64, !vyre.buffer<2xi64, read_write>
  vyre.trap "odd number of digits" at %i, %errors : !vyre.buffer<1xi32, read_write>
}

// CHECK:      static void vyre_atomic_add_u64(__global ulong *p, long n, long i, ulong v)
// CHECK-NEXT: {
// CHECK-NEXT:     if ((ulong)i >= (ulong)n)
// CHECK-NEXT:         return;
// CHECK-NEXT:     volatile __global uint *halves = (volatile __global uint *)&p[i];
// CHECK-NEXT:     uint low = (uint)v;
// CHECK-NEXT:     uint high = (uint)(v >> 32);
// CHECK-NEXT:     uint old = atomic_add(&halves[0], low);
// CHECK-NEXT:     high += old + low < old ? 1u : 0u;
// CHECK-NEXT:     if (high != 0)
// CHECK-NEXT:         atomic_add(&halves[1], high);
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: static void vyre_atomic_or_u64(__global ulong *p, long n, long i, ulong v)
// CHECK-NEXT: {
// CHECK-NEXT:     if ((ulong)i >= (ulong)n)
// CHECK-NEXT:         return;
// CHECK-NEXT:     volatile __global uint *halves = (volatile __global uint *)&p[i];
// CHECK-NEXT:     uint low = (uint)v;
// CHECK-NEXT:     uint high = (uint)(v >> 32);
// CHECK-NEXT:     atomic_or(&halves[0], low);
// CHECK-NEXT:     atomic_or(&halves[1], high);
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: // sums
// CHECK-NEXT: __kernel __attribute__((reqd_work_group_size(64, 1, 1)))
// CHECK-NEXT: void sums(
// CHECK-NEXT:     __global ulong *restrict sums,
// CHECK-NEXT:     __global uint *restrict errors)
// CHECK-NEXT: {
// CHECK-NEXT:     long i = get_local_id(0);
// CHECK-NEXT:     ulong wide = i;
// CHECK-NEXT:     vyre_atomic_add_u64(sums, 2, 0, wide);
// CHECK-NEXT:     vyre_atomic_or_u64(sums, 2, 1, wide);
// CHECK-NEXT:     atomic_min(&errors[0], (uint)min((ulong)i, 0xfffffffeul)); // odd number of digits
// CHECK-NEXT: }

// WIDE:      #pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
// WIDE-NEXT: #pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
// WIDE:          return (ulong)i < (ulong)n ? atom_or(&p[i], v) : 0;
// WIDE:          atom_add(&sums[0], wide);
// WIDE-NEXT:     vyre_atomic_or_u64(sums, 2, 1, wide);
