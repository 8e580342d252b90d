// RUN: xdsl-opt %s --split-input-file -p vyre-optimize-integers -t vyre-opencl | filecheck %s

// Signless integers: signedness comes from the op. Small integers are cut to their width where C
// has made an int of them, and only there.
vyre.kernel @integers(%in: !vyre.buffer<8xi8, read_only>, %out: !vyre.buffer<64xi8, read_write>) workgroup_size [1] generator "integers" {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %a = vyre.load %in[%c0] in_bounds : !vyre.buffer<8xi8, read_only> -> i8
  %b = vyre.load %in[%c1] in_bounds : !vyre.buffer<8xi8, read_only> -> i8
  // The carry of the sum must not reach the shift, and may reach the store.
  %sum = arith.addi %a, %b : i8
  %one = arith.constant 1 : i8
  %half = arith.shrui %sum, %one : i8
  vyre.store %half, %out[%c0] in_bounds : i8, !vyre.buffer<64xi8, read_write>
  %product = arith.muli %a, %b : i8
  vyre.store %product, %out[%c1] in_bounds : i8, !vyre.buffer<64xi8, read_write>
  %mixed = arith.xori %a, %b : i8
  %signed = arith.shrsi %mixed, %one : i8
  vyre.store %signed, %out[%c2] in_bounds : i8, !vyre.buffer<64xi8, read_write>
  %least = arith.minsi %a, %b : i8
  vyre.store %least, %out[%c3] in_bounds : i8, !vyre.buffer<64xi8, read_write>
  %most = arith.maxui %mixed, %b : i8
  vyre.store %most, %out[%c4] in_bounds : i8, !vyre.buffer<64xi8, read_write>
  %minus_three = arith.constant -3 : i8
  %below = arith.cmpi slt, %a, %minus_three : i8
  %above = arith.cmpi ugt, %a, %minus_three : i8
  %either = arith.ori %below, %above : i1
  %less = arith.addi %a, %minus_three : i8
  %chosen = arith.select %either, %less, %b : i8
  vyre.store %chosen, %out[%c5] in_bounds : i8, !vyre.buffer<64xi8, read_write>
}

// CHECK:      // integers
// CHECK-NEXT: __kernel __attribute__((reqd_work_group_size(1, 1, 1)))
// CHECK-NEXT: void integers(
// CHECK-NEXT:     __global const uchar *restrict in,
// CHECK-NEXT:     __global uchar *restrict out)
// CHECK-NEXT: {
// CHECK-NEXT:     uchar a = in[0];
// CHECK-NEXT:     uchar b = in[1];
// CHECK-NEXT:     out[0] = (uchar)(a + b) >> 1;
// CHECK-NEXT:     out[1] = a * b;
// CHECK-NEXT:     uchar mixed = a ^ b;
// CHECK-NEXT:     out[2] = (char)mixed >> 1;
// CHECK-NEXT:     out[3] = min((char)a, (char)b);
// CHECK-NEXT:     out[4] = max(mixed, b);
// CHECK-NEXT:     uchar chosen = (char)a < -3 || a > 253 ? (uchar)(a - 3) : b;
// CHECK-NEXT:     out[5] = chosen;
// CHECK-NEXT: }

// -----

// Parentheses: where C needs them, and where a reader would have to look up the precedence.
vyre.kernel @parentheses(%in: !vyre.buffer<8xi32, read_only>, %out: !vyre.buffer<8xi32, read_write>) workgroup_size [1] generator "parentheses" {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %a = vyre.load %in[%c0] in_bounds : !vyre.buffer<8xi32, read_only> -> i32
  %b = vyre.load %in[%c1] in_bounds : !vyre.buffer<8xi32, read_only> -> i32
  %c = vyre.load %in[%c2] in_bounds : !vyre.buffer<8xi32, read_only> -> i32
  %0 = arith.addi %a, %b : i32
  %1 = arith.muli %0, %c : i32
  %2 = arith.subi %a, %1 : i32
  vyre.store %2, %out[%c0] in_bounds : i32, !vyre.buffer<8xi32, read_write>
  %3 = arith.subi %b, %c : i32
  %4 = arith.subi %a, %3 : i32
  %5 = arith.subi %4, %b : i32
  vyre.store %5, %out[%c1] in_bounds : i32, !vyre.buffer<8xi32, read_write>
  %6 = arith.ori %a, %b : i32
  %7 = arith.cmpi eq, %6, %c : i32
  %8 = arith.cmpi ult, %a, %c : i32
  %9 = arith.andi %7, %8 : i1
  %10 = arith.select %9, %a, %b : i32
  vyre.store %10, %out[%c2] in_bounds : i32, !vyre.buffer<8xi32, read_write>
  %31 = arith.constant 31 : i32
  %low = arith.andi %b, %31 : i32
  %11 = arith.shli %a, %low : i32
  %12 = arith.addi %11, %c : i32
  %13 = arith.xori %12, %a : i32
  vyre.store %13, %out[%c3] in_bounds : i32, !vyre.buffer<8xi32, read_write>
  %true = arith.constant true
  %14 = arith.cmpi slt, %a, %b : i32
  %15 = arith.xori %14, %true : i1
  %16 = arith.extsi %15 : i1 to i32
  vyre.store %16, %out[%c4] in_bounds : i32, !vyre.buffer<8xi32, read_write>
}

// CHECK:      // parentheses
// CHECK-NEXT: __kernel __attribute__((reqd_work_group_size(1, 1, 1)))
// CHECK-NEXT: void parentheses(
// CHECK-NEXT:     __global const uint *restrict in,
// CHECK-NEXT:     __global uint *restrict out)
// CHECK-NEXT: {
// CHECK-NEXT:     uint a = in[0];
// CHECK-NEXT:     uint b = in[1];
// CHECK-NEXT:     uint c = in[2];
// CHECK-NEXT:     out[0] = a - (a + b) * c;
// CHECK-NEXT:     out[1] = a - (b - c) - b;
// CHECK-NEXT:     out[2] = (a | b) == c && a < c ? a : b;
// CHECK-NEXT:     out[3] = ((a << (b & 0x1fu)) + c) ^ a;
// CHECK-NEXT:     out[4] = -(uint)((int)a >= (int)b);
// CHECK-NEXT: }

// -----

// Nothing traps: a divisor that is not known goes through a function, one that is known does not.
vyre.kernel @division(%in: !vyre.buffer<8xi32, read_only>, %out: !vyre.buffer<8xi32, read_write>) workgroup_size [1] generator "division" {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %a = vyre.load %in[%c0] in_bounds : !vyre.buffer<8xi32, read_only> -> i32
  %b = vyre.load %in[%c1] in_bounds : !vyre.buffer<8xi32, read_only> -> i32
  %0 = arith.divui %a, %b : i32
  vyre.store %0, %out[%c0] in_bounds : i32, !vyre.buffer<8xi32, read_write>
  %1 = arith.remsi %a, %b : i32
  vyre.store %1, %out[%c1] in_bounds : i32, !vyre.buffer<8xi32, read_write>
  %seven = arith.constant 7 : i32
  %2 = arith.divsi %a, %seven : i32
  vyre.store %2, %out[%c2] in_bounds : i32, !vyre.buffer<8xi32, read_write>
  %eight = arith.constant 8 : i32
  %3 = arith.floordivsi %a, %eight : i32
  vyre.store %3, %out[%c3] in_bounds : i32, !vyre.buffer<8xi32, read_write>
  %minus_one = arith.constant -1 : i32
  %4 = arith.divsi %a, %minus_one : i32
  vyre.store %4, %out[%c4] in_bounds : i32, !vyre.buffer<8xi32, read_write>
}

// CHECK:      static uint vyre_divui_u32(uint a, uint b)
// CHECK-NEXT: {
// CHECK-NEXT:     bool bad = b == 0;
// CHECK-NEXT:     b = bad ? 1 : b;
// CHECK-NEXT:     uint quotient = a / b;
// CHECK-NEXT:     return bad ? 0 : quotient;
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: static int vyre_remsi_i32(int a, int b)
// CHECK-NEXT: {
// CHECK-NEXT:     bool bad = b == 0 || (a == INT_MIN && b == -1);
// CHECK-NEXT:     b = bad ? 1 : b;
// CHECK-NEXT:     int remainder = a % b;
// CHECK-NEXT:     return bad ? 0 : remainder;
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: static int vyre_divsi_i32(int a, int b)
// CHECK-NEXT: {
// CHECK-NEXT:     bool bad = b == 0 || (a == INT_MIN && b == -1);
// CHECK-NEXT:     b = bad ? 1 : b;
// CHECK-NEXT:     int quotient = a / b;
// CHECK-NEXT:     return bad ? 0 : quotient;
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: // division
// CHECK-NEXT: __kernel __attribute__((reqd_work_group_size(1, 1, 1)))
// CHECK-NEXT: void division(
// CHECK-NEXT:     __global const uint *restrict in,
// CHECK-NEXT:     __global uint *restrict out)
// CHECK-NEXT: {
// CHECK-NEXT:     uint a = in[0];
// CHECK-NEXT:     uint b = in[1];
// CHECK-NEXT:     out[0] = vyre_divui_u32(a, b);
// CHECK-NEXT:     out[1] = vyre_remsi_i32(a, b);
// CHECK-NEXT:     out[2] = (int)a / 7;
// CHECK-NEXT:     out[3] = (int)a >> 3;
// CHECK-NEXT:     out[4] = vyre_divsi_i32(a, -1);
// CHECK-NEXT: }

// -----

// An index is a long. Arithmetic that might leave its range wraps around as unsigned numbers.
vyre.kernel @indices(%n: index, %table: !vyre.buffer<?xi32, read_only>, %table_len: index, %out: !vyre.buffer<?xi64, read_write>, %out_len: index) workgroup_size [64] generator "indices" {
  %i = vyre.invocation_id x
  %c16 = arith.constant 16 : index
  %c3 = arith.constant 3 : index
  %blocks = arith.ceildivsi %table_len, %c16 : index
  %known = arith.muli %i, %c16 : index
  %unknown = arith.addi %n, %c3 : index
  %below = arith.cmpi ult, %known, %table_len : index
  %outside = arith.cmpi ult, %unknown, %table_len : index
  %both = arith.andi %below, %outside : i1
  %least = arith.minsi %blocks, %c16 : index
  %chosen = arith.select %both, %known, %least : index
  %wide = arith.index_cast %chosen : index to i64
  vyre.store %wide, %out[%unknown] : i64, !vyre.buffer<?xi64, read_write>
}

// CHECK:      static void vyre_store_u64(__global ulong *p, long n, long i, ulong v)
// CHECK-NEXT: {
// CHECK-NEXT:     if ((ulong)i < (ulong)n)
// CHECK-NEXT:         p[i] = v;
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: // indices
// CHECK-NEXT: __kernel __attribute__((reqd_work_group_size(64, 1, 1)))
// CHECK-NEXT: void indices(
// CHECK-NEXT:     long n,
// CHECK-NEXT:     __global const uint *restrict table, long table_len,
// CHECK-NEXT:     __global ulong *restrict out, long out_len)
// CHECK-NEXT: {
// CHECK-NEXT:     long i = get_global_id(0);
// CHECK-NEXT:     long known = i * 16;
// CHECK-NEXT:     long unknown = (ulong)n + 3;
// CHECK-NEXT:     bool both = known < table_len && (ulong)unknown < (ulong)table_len;
// CHECK-NEXT:     long chosen = both ? known : min((table_len + 15) >> 4, 16L);
// CHECK-NEXT:     vyre_store_u64(out, out_len, unknown, chosen);
// CHECK-NEXT: }

// -----

// Constants of every kind, as each operator likes to see them.
vyre.kernel @constants(%out: !vyre.buffer<16xi64, read_write>, %floats: !vyre.buffer<8xf32, read_write>) workgroup_size [1] generator "constants" {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %lowest = arith.constant -9223372036854775808 : i64
  vyre.store %lowest, %out[%c0] in_bounds : i64, !vyre.buffer<16xi64, read_write>
  %index = arith.constant -9223372036854775808 : index
  %same = arith.index_cast %index : index to i64
  vyre.store %same, %out[%c1] in_bounds : i64, !vyre.buffer<16xi64, read_write>
  %word = vyre.load %out[%c2] in_bounds : !vyre.buffer<16xi64, read_write> -> i64
  %mask = arith.constant 255 : i64
  %low = arith.andi %word, %mask : i64
  %minus = arith.constant -100 : i64
  %less = arith.addi %low, %minus : i64
  vyre.store %less, %out[%c2] in_bounds : i64, !vyre.buffer<16xi64, read_write>
  %tenth = arith.constant 1.000000e-01 : f32
  vyre.store %tenth, %floats[%c0] in_bounds : f32, !vyre.buffer<8xf32, read_write>
  %third = arith.constant 0.333333343 : f32
  %infinity = arith.constant 0xFF800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  vyre.store %third, %floats[%c1] in_bounds : f32, !vyre.buffer<8xf32, read_write>
  vyre.store %infinity, %floats[%c2] in_bounds : f32, !vyre.buffer<8xf32, read_write>
  vyre.store %nan, %floats[%c0] in_bounds : f32, !vyre.buffer<8xf32, read_write>
}

// CHECK:      #pragma OPENCL FP_CONTRACT OFF
// CHECK-EMPTY:
// CHECK-NEXT: // constants
// CHECK-NEXT: __kernel __attribute__((reqd_work_group_size(1, 1, 1)))
// CHECK-NEXT: void constants(
// CHECK-NEXT:     __global ulong *restrict out,
// CHECK-NEXT:     __global float *restrict floats)
// CHECK-NEXT: {
// CHECK-NEXT:     out[0] = 0x8000000000000000ul;
// CHECK-NEXT:     out[1] = -9223372036854775807L - 1;
// CHECK-NEXT:     out[2] = (out[2] & 0xfful) - 100ul;
// CHECK-NEXT:     floats[0] = 0.1f;
// CHECK-NEXT:     floats[1] = 0.33333334f;
// CHECK-NEXT:     floats[2] = -INFINITY;
// CHECK-NEXT:     floats[0] = as_float(0x7fc00000u);
// CHECK-NEXT: }

// -----

// Conversions; one that an assignment makes by itself is not written.
vyre.kernel @conversions(%in: !vyre.buffer<8xi32, read_only>, %out: !vyre.buffer<16xi64, read_write>) workgroup_size [1] generator "conversions" {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %word = vyre.load %in[%c0] in_bounds : !vyre.buffer<8xi32, read_only> -> i32
  %byte = arith.trunci %word : i32 to i8
  %unsigned = arith.extui %byte : i8 to i64
  vyre.store %unsigned, %out[%c0] in_bounds : i64, !vyre.buffer<16xi64, read_write>
  %wide = arith.extsi %word : i32 to i64
  vyre.store %wide, %out[%c1] in_bounds : i64, !vyre.buffer<16xi64, read_write>
  %bit = arith.trunci %word : i32 to i1
  %all = arith.extsi %bit : i1 to i64
  vyre.store %all, %out[%c2] in_bounds : i64, !vyre.buffer<16xi64, read_write>
  %index = arith.index_cast %word : i32 to index
  %there = arith.addi %index, %c1 : index
  %found = vyre.load %in[%there] : !vyre.buffer<8xi32, read_only> -> i32
  %float = arith.bitcast %found : i32 to f32
  %double = arith.extf %float : f32 to f64
  %number = arith.fptosi %double : f64 to i64
  vyre.store %number, %out[%c3] in_bounds : i64, !vyre.buffer<16xi64, read_write>
  %sum, %carry = arith.addui_extended %word, %word : i32, i1
  %low, %high = arith.mulsi_extended %sum, %word : i32
  %carried = arith.extui %carry : i1 to i32
  %last = arith.addi %high, %carried : i32
  %last_wide = arith.extui %last : i32 to i64
  vyre.store %last_wide, %out[%c4] in_bounds : i64, !vyre.buffer<16xi64, read_write>
}

// CHECK:      #pragma OPENCL EXTENSION cl_khr_fp64 : enable
// CHECK-NEXT: #pragma OPENCL FP_CONTRACT OFF
// CHECK-EMPTY:
// CHECK-NEXT: static uint vyre_load_u32(__global const uint *p, long n, long i)
// CHECK-NEXT: {
// CHECK-NEXT:     return (ulong)i < (ulong)n ? p[i] : 0;
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: static long vyre_to_i64_f64(double a)
// CHECK-NEXT: {
// CHECK-NEXT:     return isnan(a) ? 0 : convert_long_sat(a);
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: // conversions
// CHECK-NEXT: __kernel __attribute__((reqd_work_group_size(1, 1, 1)))
// CHECK-NEXT: void conversions(
// CHECK-NEXT:     __global const uint *restrict in,
// CHECK-NEXT:     __global ulong *restrict out)
// CHECK-NEXT: {
// CHECK-NEXT:     uint word = in[0];
// CHECK-NEXT:     out[0] = (uchar)word;
// CHECK-NEXT:     out[1] = (int)word;
// CHECK-NEXT:     out[2] = -(ulong)((word & 1u) != 0u);
// CHECK-NEXT:     uint found = vyre_load_u32(in, 8, (long)(int)word + 1);
// CHECK-NEXT:     out[3] = vyre_to_i64_f64(as_float(found));
// CHECK-NEXT:     uint sum = word + word;
// CHECK-NEXT:     bool carry = sum < word;
// CHECK-NEXT:     uint high = mul_hi((int)sum, (int)word);
// CHECK-NEXT:     out[4] = high + (uint)carry;
// CHECK-NEXT: }

// -----

// What is no number becomes 0, which is not asked where the instruction makes that of it.
vyre.kernel @numbers(%in: !vyre.buffer<8xf32, read_only>, %out: !vyre.buffer<8xi32, read_write>) workgroup_size [1] generator "numbers" {
  %c0 = arith.constant 0 : index
  %number = vyre.load %in[%c0] in_bounds : !vyre.buffer<8xf32, read_only> -> f32
  %whole = arith.fptosi %number : f32 to i32
  vyre.store %whole, %out[%c0] in_bounds : i32, !vyre.buffer<8xi32, read_write>
}

// CHECK:      static int vyre_to_i32_f32(float a)
// CHECK-NEXT: {
// CHECK-NEXT: #ifdef __NV_CL_C_VERSION
// CHECK-NEXT:     return convert_int_sat(a);
// CHECK-NEXT: #else
// CHECK-NEXT:     return isnan(a) ? 0 : convert_int_sat(a);
// CHECK-NEXT: #endif
// CHECK-NEXT: }
