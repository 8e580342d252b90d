// RUN: xdsl-opt %s -t vyre-opencl | filecheck %s --strict-whitespace --match-full-lines
// RUN: xdsl-opt %s -t vyre-opencl > %t.1
// RUN: xdsl-opt %s -t vyre-opencl > %t.2
// RUN: diff %t.1 %t.2
// RUN: xdsl-opt %s -t 'vyre-opencl{expand_ssa=true}' | filecheck %s --check-prefix=EXPANDED

// Functions first, each once; then the kernels, four columns per level. Names come from the
// program, and what means something in C gets another: `int`, `barrier`, `vyre_load_u8`.
vyre.kernel @first(%int: !vyre.buffer<?xi8, read_only>, %1: index, %out: !vyre.buffer<?xi8, read_write>, %long: index, %0: index) workgroup_size [64] generator "first" {
  %barrier = vyre.invocation_id x
  %inside = arith.cmpi slt, %barrier, %0 : index
  scf.if %inside {
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    scf.for %uint4 = %c1 to %barrier step %c1 {
      %scaled = arith.divsi %uint4, %c3 : index
      %vyre_load_u8 = vyre.load %int[%scaled] : !vyre.buffer<?xi8, read_only> -> i8
      vyre.store %vyre_load_u8, %out[%uint4] : i8, !vyre.buffer<?xi8, read_write>
    }
  }
}
vyre.kernel @second(%a: !vyre.buffer<?xi8, read_only>, %a_len: index, %out: !vyre.buffer<?xi8, read_write>, %out_len: index) workgroup_size [64] generator "second" {
  %i = vyre.invocation_id x
  %loaded = vyre.load %a[%i] : !vyre.buffer<?xi8, read_only> -> i8
  vyre.store %loaded, %out[%a_len] : i8, !vyre.buffer<?xi8, read_write>
}

// CHECK:__attribute__((always_inline)) static uchar vyre_load_u8(__global const uchar *p, long n, long i)
// CHECK-NEXT:{
// CHECK-NEXT:    return (ulong)i < (ulong)n ? p[i] : 0;
// CHECK-NEXT:}
// CHECK-EMPTY:
// CHECK-NEXT:__attribute__((always_inline)) static void vyre_store_u8(__global uchar *p, long n, long i, uchar v)
// CHECK-NEXT:{
// CHECK-NEXT:    if ((ulong)i < (ulong)n)
// CHECK-NEXT:        p[i] = v;
// CHECK-NEXT:}
// CHECK-EMPTY:
// CHECK-NEXT:// first
// CHECK-NEXT:__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
// CHECK-NEXT:void first(
// CHECK-NEXT:    __global const uchar *restrict int_, long int__len,
// CHECK-NEXT:    __global uchar *restrict out, long long_,
// CHECK-NEXT:    long n)
// CHECK-NEXT:{
// CHECK-NEXT:    long barrier_ = get_global_id(0);
// CHECK-NEXT:    if (barrier_ < n) {
// CHECK-NEXT:        for (long uint4_ = 1; uint4_ < barrier_; uint4_++) {
// CHECK-NEXT:            vyre_store_u8(out, long_, uint4_, vyre_load_u8(int_, int__len, uint4_ / 3));
// CHECK-NEXT:        }
// CHECK-NEXT:    }
// CHECK-NEXT:}
// CHECK-EMPTY:
// CHECK-NEXT:// second
// CHECK-NEXT:__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
// CHECK-NEXT:void second(
// CHECK-NEXT:    __global const uchar *restrict a, long a_len,
// CHECK-NEXT:    __global uchar *restrict out, long out_len)
// CHECK-NEXT:{
// CHECK-NEXT:    long i = get_global_id(0);
// CHECK-NEXT:    vyre_store_u8(out, out_len, a_len, vyre_load_u8(a, a_len, i));
// CHECK-NEXT:}

// EXPANDED:      bool inside = barrier_ < n;
// EXPANDED-NEXT: if (inside) {
// EXPANDED-NEXT:     for (long uint4_ = 1; uint4_ < barrier_; uint4_++) {
// EXPANDED-NEXT:         long scaled = uint4_ / 3;
// EXPANDED-NEXT:         uchar v_vyre_load_u8 = vyre_load_u8(int_, int__len, scaled);
// EXPANDED-NEXT:         vyre_store_u8(out, long_, uint4_, v_vyre_load_u8);
