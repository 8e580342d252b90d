// RUN: xdsl-opt %s --split-input-file -p vyre-optimize-integers -t vyre-opencl | filecheck %s

// A loop carries its values in variables; those that change places are saved first.
vyre.kernel @loops(%in: !vyre.buffer<64xi32, read_only>, %out: !vyre.buffer<64xi32, read_write>, %n: index) workgroup_size [16] generator "loops" {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %a, %b = scf.for %k = %c0 to %n step %c1 iter_args(%x = %zero, %y = %one) -> (i32, i32) {
    %next = arith.addi %x, %y : i32
    scf.yield %y, %next : i32, i32
  }
  // Where nobody else needs the start, the next loop goes on in the same variable.
  %sum = scf.for %k = %c0 to %n step %c2 iter_args(%acc = %b) -> (i32) {
    %word = vyre.load %in[%k] in_bounds : !vyre.buffer<64xi32, read_only> -> i32
    %more = arith.addi %acc, %word : i32
    scf.yield %more : i32
  }
  %all = arith.xori %a, %sum : i32
  vyre.store %all, %out[%c0] in_bounds : i32, !vyre.buffer<64xi32, read_write>
  // A bound that loads memory is evaluated once, and one with a step of its own every time.
  %word = vyre.load %out[%c1] in_bounds : !vyre.buffer<64xi32, read_write> -> i32
  %bound = arith.index_cast %word : i32 to index
  scf.for %k = %c1 to %bound step %c1 {
    vyre.store %one, %out[%k] : i32, !vyre.buffer<64xi32, read_write>
  }
  // Counters that are no index are compared as signed numbers.
  scf.for %k = %zero to %all step %one : i32 {
    %place = arith.index_cast %k : i32 to index
    vyre.store %k, %out[%place] : i32, !vyre.buffer<64xi32, read_write>
  }
}

// CHECK:      static void vyre_store_u32(__global uint *p, long n, long i, uint v)
// CHECK-NEXT: {
// CHECK-NEXT:     if ((ulong)i < (ulong)n)
// CHECK-NEXT:         p[i] = v;
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: // loops
// CHECK-NEXT: __kernel __attribute__((reqd_work_group_size(16, 1, 1)))
// CHECK-NEXT: void loops(
// CHECK-NEXT:     __global const uint *restrict in,
// CHECK-NEXT:     __global uint *restrict out,
// CHECK-NEXT:     long n)
// CHECK-NEXT: {
// CHECK-NEXT:     uint x = 0u;
// CHECK-NEXT:     uint y = 1u;
// CHECK-NEXT:     for (long k = 0; k < n; k++) {
// CHECK-NEXT:         uint next_x = y;
// CHECK-NEXT:         y = x + y;
// CHECK-NEXT:         x = next_x;
// CHECK-NEXT:     }
// CHECK-NEXT:     for (long k_1 = 0; k_1 < n; k_1 = n - k_1 > 2 ? k_1 + 2 : n) {
// CHECK-NEXT:         y += in[k_1];
// CHECK-NEXT:     }
// CHECK-NEXT:     uint all = x ^ y;
// CHECK-NEXT:     out[0] = all;
// CHECK-NEXT:     long bound = (int)out[1];
// CHECK-NEXT:     for (long k_2 = 1; k_2 < bound; k_2++) {
// CHECK-NEXT:         vyre_store_u32(out, 64, k_2, 1u);
// CHECK-NEXT:     }
// CHECK-NEXT:     for (uint k_3 = 0u; (int)k_3 < (int)all; k_3++) {
// CHECK-NEXT:         vyre_store_u32(out, 64, (int)k_3, k_3);
// CHECK-NEXT:     }
// CHECK-NEXT: }

// -----

// A counter never wraps past its bound, and a step that is not positive ends the loop at once. Where
// constants or ranges exclude both, the loop is the plain one.
vyre.kernel @counters(%out: !vyre.buffer<64xi8, read_write>, %low: index, %high: index, %step: index) workgroup_size [16] generator "counters" {
  %i = vyre.invocation_id x
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %minus = arith.constant -1 : index
  %zero = arith.constant 0 : i8
  %two = arith.constant 2 : i8
  %even = arith.constant 126 : i8
  %odd = arith.constant 127 : i8
  scf.for %k = %low to %high step %step {
    vyre.store %two, %out[%k] : i8, !vyre.buffer<64xi8, read_write>
  }
  scf.for %k = %low to %high step %c16 {
    vyre.store %two, %out[%k] : i8, !vyre.buffer<64xi8, read_write>
  }
  scf.for %k = %c0 to %i step %c16 {
    vyre.store %two, %out[%k] : i8, !vyre.buffer<64xi8, read_write>
  }
  scf.for %k = %zero to %even step %two : i8 {
    vyre.store %k, %out[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  scf.for %k = %zero to %odd step %two : i8 {
    vyre.store %k, %out[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  %kept = scf.for %k = %c0 to %i step %minus iter_args(%n = %two) -> (i8) {
    vyre.store %zero, %out[%i] : i8, !vyre.buffer<64xi8, read_write>
    scf.yield %zero : i8
  }
  vyre.store %kept, %out[%i] : i8, !vyre.buffer<64xi8, read_write>
}

// CHECK:      // counters
// CHECK:      {
// CHECK-NEXT:     long i = get_global_id(0);
// CHECK-NEXT:     for (long k = low; step > 0 && k < high; k = (ulong)high - (ulong)k > (ulong)step ? k + step : high) {
// CHECK-NEXT:         vyre_store_u8(out, 64, k, 2);
// CHECK-NEXT:     }
// CHECK-NEXT:     for (long k_1 = low; k_1 < high; k_1 = (ulong)high - (ulong)k_1 > 16ul ? k_1 + 16 : high) {
// CHECK-NEXT:         vyre_store_u8(out, 64, k_1, 2);
// CHECK-NEXT:     }
// CHECK-NEXT:     for (long k_2 = 0; k_2 < i; k_2 += 16) {
// CHECK-NEXT:         vyre_store_u8(out, 64, k_2, 2);
// CHECK-NEXT:     }
// CHECK-NEXT:     for (uchar k_3 = 0; (char)k_3 < 126; k_3 += 2) {
// CHECK-NEXT:         vyre_store_u8(out, 64, i, k_3);
// CHECK-NEXT:     }
// CHECK-NEXT:     for (uchar k_4 = 0; (char)k_4 < 127; k_4 = (uchar)(127 - k_4) > 2 ? k_4 + 2 : 127) {
// CHECK-NEXT:         vyre_store_u8(out, 64, i, k_4);
// CHECK-NEXT:     }
// CHECK-NEXT:     uchar n = 2;
// CHECK-NEXT:     vyre_store_u8(out, 64, i, n);
// CHECK-NEXT: }

// -----

// A condition without statements of its own stands in the head of the loop.
vyre.kernel @whiles(%in: !vyre.buffer<64xi32, read_only>, %out: !vyre.buffer<64xi32, read_write>) workgroup_size [16] generator "whiles" {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %start = vyre.load %in[%c0] in_bounds : !vyre.buffer<64xi32, read_only> -> i32
  %end = scf.while (%n = %start) : (i32) -> (i32) {
    %go = arith.cmpi ugt, %n, %ten : i32
    scf.condition(%go) %n : i32
  } do {
  ^bb0(%n: i32):
    %half = arith.shrui %n, %one : i32
    scf.yield %half : i32
  }
  %stop, %last = scf.while (%n = %end) : (i32) -> (i32, i32) {
    %place = arith.index_cast %n : i32 to index
    %old = vyre.atomic_rmw addi %one, %out[%place] : i32, !vyre.buffer<64xi32, read_write>
    %go = arith.cmpi eq, %old, %one : i32
    scf.condition(%go) %old, %n : i32, i32
  } do {
  ^bb0(%seen: i32, %n: i32):
    %next = arith.addi %seen, %n : i32
    scf.yield %next : i32
  }
  %both = arith.addi %stop, %last : i32
  vyre.store %both, %out[%c0] in_bounds : i32, !vyre.buffer<64xi32, read_write>
}

// CHECK:      static uint vyre_atomic_add_u32(volatile __global uint *p, long n, long i, uint v)
// CHECK-NEXT: {
// CHECK-NEXT:     return (ulong)i < (ulong)n ? atomic_add(&p[i], v) : 0;
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: // whiles
// CHECK-NEXT: __kernel __attribute__((reqd_work_group_size(16, 1, 1)))
// CHECK-NEXT: void whiles(
// CHECK-NEXT:     __global const uint *restrict in,
// CHECK-NEXT:     __global uint *restrict out)
// CHECK-NEXT: {
// CHECK-NEXT:     uint n = in[0];
// CHECK-NEXT:     while (n > 10u) {
// CHECK-NEXT:         n >>= 1;
// CHECK-NEXT:     }
// CHECK-NEXT:     uint stop;
// CHECK-NEXT:     while (true) {
// CHECK-NEXT:         uint old = vyre_atomic_add_u32(out, 64, (int)n, 1u);
// CHECK-NEXT:         stop = old;
// CHECK-NEXT:         if (old != 1u)
// CHECK-NEXT:             break;
// CHECK-NEXT:         n = stop + n;
// CHECK-NEXT:     }
// CHECK-NEXT:     out[0] = stop + n;
// CHECK-NEXT: }

// -----

// A choice between two short values is a conditional expression; else-if stays flat.
vyre.kernel @ifs(%in: !vyre.buffer<64xi32, read_only>, %out: !vyre.buffer<64xi32, read_write>) workgroup_size [64] generator "ifs" {
  %i = vyre.invocation_id x
  %c2 = arith.constant 2 : index
  %c40 = arith.constant 40 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %inside = arith.cmpi slt, %i, %c40 : index
  %word = scf.if %inside -> (i32) {
    %loaded = vyre.load %in[%i] in_bounds : !vyre.buffer<64xi32, read_only> -> i32
    scf.yield %loaded : i32
  } else {
    scf.yield %zero : i32
  }
  %is_zero = arith.cmpi eq, %word, %zero : i32
  %is_one = arith.cmpi eq, %word, %one : i32
  %class, %next = scf.if %is_zero -> (i32, i32) {
    scf.yield %one, %word : i32, i32
  } else {
    %c, %m = scf.if %is_one -> (i32, i32) {
      vyre.store %one, %out[%c2] in_bounds : i32, !vyre.buffer<64xi32, read_write>
      scf.yield %zero, %one : i32, i32
    } else {
      scf.yield %word, %zero : i32, i32
    }
    %d = arith.addi %m, %one : i32
    scf.yield %c, %d : i32, i32
  }
  scf.if %is_zero {
    vyre.store %class, %out[%i] in_bounds : i32, !vyre.buffer<64xi32, read_write>
  } else {
    scf.if %is_one {
      vyre.store %next, %out[%i] in_bounds : i32, !vyre.buffer<64xi32, read_write>
    }
  }
}

// CHECK:      // ifs
// CHECK-NEXT: __kernel __attribute__((reqd_work_group_size(64, 1, 1)))
// CHECK-NEXT: void ifs(
// CHECK-NEXT:     __global const uint *restrict in,
// CHECK-NEXT:     __global uint *restrict out)
// CHECK-NEXT: {
// CHECK-NEXT:     long i = get_global_id(0);
// CHECK-NEXT:     uint word = i < 40 ? in[i] : 0u;
// CHECK-NEXT:     bool is_zero = word == 0u;
// CHECK-NEXT:     bool is_one = word == 1u;
// CHECK-NEXT:     uint class;
// CHECK-NEXT:     uint next;
// CHECK-NEXT:     if (is_zero) {
// CHECK-NEXT:         class = 1u;
// CHECK-NEXT:         next = word;
// CHECK-NEXT:     } else {
// CHECK-NEXT:         uint c;
// CHECK-NEXT:         uint m;
// CHECK-NEXT:         if (is_one) {
// CHECK-NEXT:             out[2] = 1u;
// CHECK-NEXT:             c = 0u;
// CHECK-NEXT:             m = 1u;
// CHECK-NEXT:         } else {
// CHECK-NEXT:             c = word;
// CHECK-NEXT:             m = 0u;
// CHECK-NEXT:         }
// CHECK-NEXT:         class = c;
// CHECK-NEXT:         next = m + 1u;
// CHECK-NEXT:     }
// CHECK-NEXT:     if (is_zero) {
// CHECK-NEXT:         out[i] = class;
// CHECK-NEXT:     } else if (is_one) {
// CHECK-NEXT:         out[i] = next;
// CHECK-NEXT:     }
// CHECK-NEXT: }

// -----

// Loads stay on their side of stores and barriers, unless nobody writes the buffer. One that
// invocations write for each other is not `restrict`, by which compilers would move its loads.
vyre.kernel @order(%in: !vyre.buffer<64xi32, read_only>, %out: !vyre.buffer<64xi32, read_write>) workgroup_size [64] generator "order" {
  %i = vyre.local_id x
  %c0 = arith.constant 0 : index
  %constant = vyre.load %in[%i] in_bounds : !vyre.buffer<64xi32, read_only> -> i32
  %before = vyre.load %out[%i] in_bounds : !vyre.buffer<64xi32, read_write> -> i32
  vyre.store %constant, %out[%c0] in_bounds : i32, !vyre.buffer<64xi32, read_write>
  vyre.barrier
  %after = vyre.load %out[%i] in_bounds : !vyre.buffer<64xi32, read_write> -> i32
  %sum = arith.addi %before, %after : i32
  vyre.store %sum, %out[%i] in_bounds : i32, !vyre.buffer<64xi32, read_write>
}

// CHECK:      // order
// CHECK-NEXT: __kernel __attribute__((reqd_work_group_size(64, 1, 1)))
// CHECK-NEXT: void order(
// CHECK-NEXT:     __global const uint *restrict in,
// CHECK-NEXT:     __global uint *out)
// CHECK-NEXT: {
// CHECK-NEXT:     long i = get_local_id(0);
// CHECK-NEXT:     uint before = out[i];
// CHECK-NEXT:     out[0] = in[i];
// CHECK-NEXT:     barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
// CHECK-NEXT:     out[i] = before + out[i];
// CHECK-NEXT: }

// -----

// A conditional barrier is followed by another one, unless nothing follows, or it ends its branch.
vyre.kernel @conditional_barriers(%out: !vyre.buffer<64xi32, read_write>) workgroup_size [64] generator "conditional_barriers" {
  %i = vyre.local_id x
  %group = vyre.workgroup_id x
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : index
  %uniform = arith.cmpi slt, %group, %c2 : index
  scf.if %uniform {
    vyre.barrier memfence global
    vyre.store %c1, %out[%i] in_bounds : i32, !vyre.buffer<64xi32, read_write>
  }
  scf.if %uniform {
    vyre.store %c1, %out[%i] in_bounds : i32, !vyre.buffer<64xi32, read_write>
    vyre.barrier memfence global
  }
  scf.if %uniform {
    vyre.barrier memfence global
    vyre.store %c1, %out[%i] in_bounds : i32, !vyre.buffer<64xi32, read_write>
  }
}

// CHECK:      void conditional_barriers(
// CHECK:          if (uniform_) {
// CHECK-NEXT:         barrier(CLK_GLOBAL_MEM_FENCE);
// CHECK-NEXT:         out[i] = 1u;
// CHECK-NEXT:     }
// CHECK-NEXT:     barrier(CLK_LOCAL_MEM_FENCE);
// CHECK-NEXT:     if (uniform_) {
// CHECK-NEXT:         out[i] = 1u;
// CHECK-NEXT:         barrier(CLK_GLOBAL_MEM_FENCE);
// CHECK-NEXT:     }
// CHECK-NEXT:     if (uniform_) {
// CHECK-NEXT:         barrier(CLK_GLOBAL_MEM_FENCE);
// CHECK-NEXT:         out[i] = 1u;
// CHECK-NEXT:     }
// CHECK-NEXT: }

// -----

// A barrier under a condition in a loop is kept apart from a branch right behind it; one in a loop is not.
vyre.kernel @branch_behind_barrier(%out: !vyre.buffer<64xi32, read_write>, %n: index) workgroup_size [64] generator "branch_behind_barrier" {
  %i = vyre.local_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  scf.for %k = %c0 to %n step %c1 {
    vyre.barrier memfence global
    %uniform = arith.cmpi slt, %k, %c1 : index
    scf.if %uniform {
      vyre.barrier memfence global
      %last = arith.subi %n, %c1 : index
      %more = arith.cmpi slt, %k, %last : index
      scf.if %more {
        vyre.store %one, %out[%i] in_bounds : i32, !vyre.buffer<64xi32, read_write>
      }
      vyre.barrier memfence global
    }
  }
}

// CHECK:       static void vyre_branch_behind_barrier(void)
// CHECK:           __asm__ volatile("");
// CHECK:       void branch_behind_barrier(
// CHECK:               barrier(CLK_GLOBAL_MEM_FENCE);
// CHECK-NEXT:          if (k < 1) {
// CHECK-NEXT:              barrier(CLK_GLOBAL_MEM_FENCE);
// CHECK-NEXT:              vyre_branch_behind_barrier();
// CHECK-NEXT:              if (k < {{.*}}) {
// CHECK-NEXT:                  out[i] = 1u;
// CHECK-NEXT:              }
// CHECK-NEXT:              barrier(CLK_GLOBAL_MEM_FENCE);
// CHECK-NEXT:          }

// -----

vyre.kernel @switches(%out: !vyre.buffer<64xi32, read_write>) workgroup_size [64] generator "switches" {
  %i = vyre.invocation_id x
  %c3 = arith.constant 3 : index
  %case = arith.remui %i, %c3 : index
  %picked = scf.index_switch %case -> i32
  case 0 {
    %v = arith.constant 100 : i32
    scf.yield %v : i32
  }
  case 2 {
    %v = arith.constant 200 : i32
    scf.yield %v : i32
  }
  default {
    %v = arith.constant 300 : i32
    scf.yield %v : i32
  }
  %kept = scf.execute_region -> (i32) {
    %old = vyre.atomic_rmw xori %picked, %out[%case] in_bounds : i32, !vyre.buffer<64xi32, read_write>
    scf.yield %old : i32
  }
  vyre.store %kept, %out[%i] in_bounds : i32, !vyre.buffer<64xi32, read_write>
}

// CHECK:      // switches
// CHECK-NEXT: __kernel __attribute__((reqd_work_group_size(64, 1, 1)))
// CHECK-NEXT: void switches(
// CHECK-NEXT:     __global uint *restrict out)
// CHECK-NEXT: {
// CHECK-NEXT:     long i = get_global_id(0);
// CHECK-NEXT:     long case_ = i % 3;
// CHECK-NEXT:     uint picked;
// CHECK-NEXT:     switch (case_) {
// CHECK-NEXT:     case 0: {
// CHECK-NEXT:         picked = 100u;
// CHECK-NEXT:         break;
// CHECK-NEXT:     }
// CHECK-NEXT:     case 2: {
// CHECK-NEXT:         picked = 200u;
// CHECK-NEXT:         break;
// CHECK-NEXT:     }
// CHECK-NEXT:     default: {
// CHECK-NEXT:         picked = 300u;
// CHECK-NEXT:         break;
// CHECK-NEXT:     }
// CHECK-NEXT:     }
// CHECK-NEXT:     uint kept;
// CHECK-NEXT:     {
// CHECK-NEXT:         uint old = atomic_xor(&out[case_], picked);
// CHECK-NEXT:         kept = old;
// CHECK-NEXT:     }
// CHECK-NEXT:     out[i] = kept;
// CHECK-NEXT: }

// -----

// Iterations stand side by side as the loop says, or, where their number is known, the most that leave none over. Where that is one, nothing is said. Of
// many, the rest is a loop of its own.
vyre.kernel @side_by_side(%out: !vyre.buffer<?xi32, read_write>, %n: index) workgroup_size [1] generator "side_by_side" {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c11 = arith.constant 11 : index
  %c12 = arith.constant 12 : index
  %c2 = arith.constant 2 : index
  %c133 = arith.constant 133 : index
  %least = arith.constant -9223372036854775808 : index
  %most = arith.constant 9223372036854775807 : index
  %one = arith.constant 1 : i32
  scf.for %fours = %c0 to %c12 step %c1 {
    vyre.store %one, %out[%fours] in_bounds : i32, !vyre.buffer<?xi32, read_write>
  } {vyre.unroll = 4 : i64}
  scf.for %threes = %c0 to %c9 step %c1 {
    vyre.store %one, %out[%threes] in_bounds : i32, !vyre.buffer<?xi32, read_write>
  } {vyre.unroll = 4 : i64}
  scf.for %ones = %c0 to %c11 step %c1 {
    vyre.store %one, %out[%ones] in_bounds : i32, !vyre.buffer<?xi32, read_write>
  } {vyre.unroll = 4 : i64}
  %sum = scf.for %many = %c0 to %c133 step %c2 iter_args(%total = %one) -> (i32) {
    vyre.store %total, %out[%many] in_bounds : i32, !vyre.buffer<?xi32, read_write>
    %more = arith.addi %total, %one : i32
    scf.yield %more : i32
  } {vyre.unroll = 4 : i64}
  vyre.store %sum, %out[%c9] in_bounds : i32, !vyre.buffer<?xi32, read_write>
  // More than a word counts.
  scf.for %endless = %least to %most step %c1 {
    vyre.store %one, %out[%endless] : i32, !vyre.buffer<?xi32, read_write>
  } {vyre.unroll = 4 : i64}
  scf.for %none = %c0 to %c0 step %c1 {
    vyre.store %one, %out[%none] in_bounds : i32, !vyre.buffer<?xi32, read_write>
  } {vyre.unroll = 4 : i64}
  scf.for %some = %c0 to %n step %c1 {
    vyre.store %one, %out[%some] in_bounds : i32, !vyre.buffer<?xi32, read_write>
  } {vyre.unroll = 4 : i64}
  // What vectors leave over is not made vectors.
  scf.for %left = %c0 to %n step %c1 {
    vyre.store %one, %out[%left] in_bounds : i32, !vyre.buffer<?xi32, read_write>
  } {vyre.unroll = 1 : i64, vyre.remainder}
}

// CHECK:      void side_by_side(
// CHECK:          #pragma unroll 4
// CHECK-NEXT:     for (long fours = 0; fours < 12; fours++) {
// CHECK:          #pragma unroll 3
// CHECK-NEXT:     for (long threes = 0; threes < 9; threes++) {
// CHECK-NOT:      #pragma
// CHECK:          for (long ones = 0; ones < 11; ones++) {
// CHECK:          uint total = 1u;
// CHECK-NEXT:     #pragma unroll 4
// CHECK-NEXT:     for (long many = 0; many < 128; many += 2) {
// CHECK-NEXT:         out[many] = total;
// CHECK-NEXT:         total += 1u;
// CHECK-NEXT:     }
// CHECK-NEXT:     for (long many_1 = 128; many_1 < 133; many_1 += 2) {
// CHECK-NEXT:         out[many_1] = total;
// CHECK-NEXT:         total += 1u;
// CHECK-NEXT:     }
// CHECK-NEXT:     out[9] = total;
// CHECK-NEXT:     #pragma unroll 4
// CHECK-NEXT:     for (long endless =
// CHECK:          for (long endless_1 =
// CHECK:          #pragma unroll 4
// CHECK-NEXT:     for (long none = 0; none < 0; none++) {
// CHECK:          #pragma unroll 4
// CHECK-NEXT:     for (long some = 0; some < n; some++) {
// CHECK:          #pragma unroll 1
// CHECK-NEXT:     #pragma clang loop vectorize(disable)
// CHECK-NEXT:     for (long left = 0; left < n; left++) {
