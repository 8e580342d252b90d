// RUN: xdsl-opt %s --split-input-file -t vyre-opencl | filecheck %s

// Functions of floating point numbers, and of 16 and 64 bits with the extension that they need.
vyre.kernel @floats(%in: !vyre.buffer<8xf32, read_only>, %out: !vyre.buffer<64xf32, read_write>) workgroup_size [1] generator "floats" {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = vyre.load %in[%c0] in_bounds : !vyre.buffer<8xf32, read_only> -> f32
  %y = vyre.load %in[%c1] in_bounds : !vyre.buffer<8xf32, read_only> -> f32
  %r_absf = math.absf %x : f32
  vyre.store %r_absf, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
  %r_acos = math.acos %x : f32
  vyre.store %r_acos, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
  %r_acosh = math.acosh %x : f32
  vyre.store %r_acosh, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
  %r_asin = math.asin %x : f32
  vyre.store %r_asin, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
  %r_asinh = math.asinh %x : f32
  vyre.store %r_asinh, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
  %r_atan = math.atan %x : f32
  vyre.store %r_atan, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
  %r_atanh = math.atanh %x : f32
  vyre.store %r_atanh, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
  %r_cbrt = math.cbrt %x : f32
  vyre.store %r_cbrt, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
  %r_ceil = math.ceil %x : f32
  vyre.store %r_ceil, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
  %r_cos = math.cos %x : f32
  vyre.store %r_cos, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
  %r_cosh = math.cosh %x : f32
  vyre.store %r_cosh, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
  %r_erf = math.erf %x : f32
  vyre.store %r_erf, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
  %r_exp = math.exp %x : f32
  vyre.store %r_exp, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
  %r_exp2 = math.exp2 %x : f32
  vyre.store %r_exp2, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
  %r_expm1 = math.expm1 %x : f32
  vyre.store %r_expm1, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
  %r_floor = math.floor %x : f32
  vyre.store %r_floor, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
  %r_log = math.log %x : f32
  vyre.store %r_log, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
  %r_log10 = math.log10 %x : f32
  vyre.store %r_log10, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
  %r_log1p = math.log1p %x : f32
  vyre.store %r_log1p, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
  %r_log2 = math.log2 %x : f32
  vyre.store %r_log2, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
  %r_round = math.round %x : f32
  vyre.store %r_round, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
  %r_roundeven = math.roundeven %x : f32
  vyre.store %r_roundeven, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
  %r_rsqrt = math.rsqrt %x : f32
  vyre.store %r_rsqrt, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
  %r_sin = math.sin %x : f32
  vyre.store %r_sin, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
  %r_sinh = math.sinh %x : f32
  vyre.store %r_sinh, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
  %r_sqrt = math.sqrt %x : f32
  vyre.store %r_sqrt, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
  %r_tan = math.tan %x : f32
  vyre.store %r_tan, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
  %r_tanh = math.tanh %x : f32
  vyre.store %r_tanh, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
  %r_trunc = math.trunc %x : f32
  vyre.store %r_trunc, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
  %r_atan2 = math.atan2 %x, %y : f32
  vyre.store %r_atan2, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
  %r_copysign = math.copysign %x, %y : f32
  vyre.store %r_copysign, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
  %r_powf = math.powf %x, %y : f32
  vyre.store %r_powf, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
  %r_fma = math.fma %x, %y, %x : f32
  vyre.store %r_fma, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
  %three = arith.constant 3 : i32
  %r_fpowi = math.fpowi %x, %three : f32, i32
  vyre.store %r_fpowi, %out[%c0] in_bounds : f32, !vyre.buffer<64xf32, read_write>
}

// CHECK:      #pragma OPENCL FP_CONTRACT OFF
// CHECK-EMPTY:
// CHECK-NEXT: // floats
// CHECK-NEXT: __kernel __attribute__((reqd_work_group_size(1, 1, 1)))
// CHECK-NEXT: void floats(
// CHECK-NEXT:     __global const float *restrict in,
// CHECK-NEXT:     __global float *restrict out)
// CHECK-NEXT: {
// CHECK-NEXT:     float x = in[0];
// CHECK-NEXT:     float y = in[1];
// CHECK-NEXT:     out[0] = fabs(x);
// CHECK-NEXT:     out[0] = acos(x);
// CHECK-NEXT:     out[0] = acosh(x);
// CHECK-NEXT:     out[0] = asin(x);
// CHECK-NEXT:     out[0] = asinh(x);
// CHECK-NEXT:     out[0] = atan(x);
// CHECK-NEXT:     out[0] = atanh(x);
// CHECK-NEXT:     out[0] = cbrt(x);
// CHECK-NEXT:     out[0] = ceil(x);
// CHECK-NEXT:     out[0] = cos(x);
// CHECK-NEXT:     out[0] = cosh(x);
// CHECK-NEXT:     out[0] = erf(x);
// CHECK-NEXT:     out[0] = exp(x);
// CHECK-NEXT:     out[0] = exp2(x);
// CHECK-NEXT:     out[0] = expm1(x);
// CHECK-NEXT:     out[0] = floor(x);
// CHECK-NEXT:     out[0] = log(x);
// CHECK-NEXT:     out[0] = log10(x);
// CHECK-NEXT:     out[0] = log1p(x);
// CHECK-NEXT:     out[0] = log2(x);
// CHECK-NEXT:     out[0] = round(x);
// CHECK-NEXT:     out[0] = rint(x);
// CHECK-NEXT:     out[0] = rsqrt(x);
// CHECK-NEXT:     out[0] = sin(x);
// CHECK-NEXT:     out[0] = sinh(x);
// CHECK-NEXT:     out[0] = sqrt(x);
// CHECK-NEXT:     out[0] = tan(x);
// CHECK-NEXT:     out[0] = tanh(x);
// CHECK-NEXT:     out[0] = trunc(x);
// CHECK-NEXT:     out[0] = atan2(x, y);
// CHECK-NEXT:     out[0] = copysign(x, y);
// CHECK-NEXT:     out[0] = pow(x, y);
// CHECK-NEXT:     out[0] = fma(x, y, x);
// CHECK-NEXT:     out[0] = pown(x, 3);
// CHECK-NEXT: }

// -----

vyre.kernel @integers(%in: !vyre.buffer<8xi16, read_only>, %out: !vyre.buffer<8xi16, read_write>) workgroup_size [1] generator "integers" {
  %c0 = arith.constant 0 : index
  %x = vyre.load %in[%c0] in_bounds : !vyre.buffer<8xi16, read_only> -> i16
  %magnitude = math.absi %x : i16
  %ones = math.ctpop %magnitude : i16
  %leading = math.ctlz %x : i16
  %trailing = math.cttz %x : i16
  %power = math.ipowi %leading, %trailing : i16
  %sum = arith.addi %ones, %power : i16
  vyre.store %sum, %out[%c0] in_bounds : i16, !vyre.buffer<8xi16, read_write>
}

// CHECK:      static ushort vyre_cttz_u16(ushort a)
// CHECK-NEXT: {
// CHECK-NEXT:     return popcount((ushort)(~a & (a - (ushort)(1))));
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: static short vyre_ipowi_i16(short base, short exponent)
// CHECK-NEXT: {
// CHECK-NEXT:     if (exponent < 0)
// CHECK-NEXT:         return base == 1 ? 1 : (base == -1 ? ((exponent & 1) ? -1 : 1) : 0);
// CHECK-NEXT:     uint result = 1;
// CHECK-NEXT:     for (uint factor = (uint)base; exponent != 0; exponent >>= 1) {
// CHECK-NEXT:         result *= (exponent & 1) ? factor : 1;
// CHECK-NEXT:         factor *= factor;
// CHECK-NEXT:     }
// CHECK-NEXT:     return (short)result;
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: // integers
// CHECK-NEXT: __kernel __attribute__((reqd_work_group_size(1, 1, 1)))
// CHECK-NEXT: void integers(
// CHECK-NEXT:     __global const ushort *restrict in,
// CHECK-NEXT:     __global ushort *restrict out)
// CHECK-NEXT: {
// CHECK-NEXT:     ushort x = in[0];
// CHECK-NEXT:     ushort power = vyre_ipowi_i16((short)clz(x), (short)vyre_cttz_u16(x));
// CHECK-NEXT:     out[0] = popcount(abs((short)x)) + power;
// CHECK-NEXT: }

// -----

// Comparisons of floating point numbers are not each other's opposites.
vyre.kernel @comparisons(%in: !vyre.buffer<8xf16, read_only>, %out: !vyre.buffer<64xi1, read_write>) workgroup_size [1] generator "comparisons" {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %x = vyre.load %in[%c0] in_bounds : !vyre.buffer<8xf16, read_only> -> f16
  %y = vyre.load %in[%c1] in_bounds : !vyre.buffer<8xf16, read_only> -> f16
  %smaller = arith.cmpf olt, %x, %y : f16
  %not_smaller = arith.xori %smaller, %true : i1
  vyre.store %not_smaller, %out[%c0] in_bounds : i1, !vyre.buffer<64xi1, read_write>
  %is_false = arith.cmpf false, %x, %y : f16
  vyre.store %is_false, %out[%c0] in_bounds : i1, !vyre.buffer<64xi1, read_write>
  %is_oeq = arith.cmpf oeq, %x, %y : f16
  vyre.store %is_oeq, %out[%c0] in_bounds : i1, !vyre.buffer<64xi1, read_write>
  %is_ogt = arith.cmpf ogt, %x, %y : f16
  vyre.store %is_ogt, %out[%c0] in_bounds : i1, !vyre.buffer<64xi1, read_write>
  %is_oge = arith.cmpf oge, %x, %y : f16
  vyre.store %is_oge, %out[%c0] in_bounds : i1, !vyre.buffer<64xi1, read_write>
  %is_ole = arith.cmpf ole, %x, %y : f16
  vyre.store %is_ole, %out[%c0] in_bounds : i1, !vyre.buffer<64xi1, read_write>
  %is_one = arith.cmpf one, %x, %y : f16
  vyre.store %is_one, %out[%c0] in_bounds : i1, !vyre.buffer<64xi1, read_write>
  %is_ord = arith.cmpf ord, %x, %y : f16
  vyre.store %is_ord, %out[%c0] in_bounds : i1, !vyre.buffer<64xi1, read_write>
  %is_ueq = arith.cmpf ueq, %x, %y : f16
  vyre.store %is_ueq, %out[%c0] in_bounds : i1, !vyre.buffer<64xi1, read_write>
  %is_ugt = arith.cmpf ugt, %x, %y : f16
  vyre.store %is_ugt, %out[%c0] in_bounds : i1, !vyre.buffer<64xi1, read_write>
  %is_uge = arith.cmpf uge, %x, %y : f16
  vyre.store %is_uge, %out[%c0] in_bounds : i1, !vyre.buffer<64xi1, read_write>
  %is_ult = arith.cmpf ult, %x, %y : f16
  vyre.store %is_ult, %out[%c0] in_bounds : i1, !vyre.buffer<64xi1, read_write>
  %is_ule = arith.cmpf ule, %x, %y : f16
  vyre.store %is_ule, %out[%c0] in_bounds : i1, !vyre.buffer<64xi1, read_write>
  %is_une = arith.cmpf une, %x, %y : f16
  vyre.store %is_une, %out[%c0] in_bounds : i1, !vyre.buffer<64xi1, read_write>
  %is_uno = arith.cmpf uno, %x, %y : f16
  vyre.store %is_uno, %out[%c0] in_bounds : i1, !vyre.buffer<64xi1, read_write>
  %is_true = arith.cmpf true, %x, %y : f16
  vyre.store %is_true, %out[%c0] in_bounds : i1, !vyre.buffer<64xi1, read_write>
}

// CHECK:      #pragma OPENCL EXTENSION cl_khr_fp16 : enable
// CHECK-NEXT: #pragma OPENCL FP_CONTRACT OFF
// CHECK-EMPTY:
// CHECK-NEXT: // comparisons
// CHECK-NEXT: __kernel __attribute__((reqd_work_group_size(1, 1, 1)))
// CHECK-NEXT: void comparisons(
// CHECK-NEXT:     __global const half *restrict in,
// CHECK-NEXT:     __global uchar *restrict out)
// CHECK-NEXT: {
// CHECK-NEXT:     half x = in[0];
// CHECK-NEXT:     half y = in[1];
// CHECK-NEXT:     out[0] = !(x < y);
// CHECK-NEXT:     out[0] = false;
// CHECK-NEXT:     out[0] = x == y;
// CHECK-NEXT:     out[0] = x > y;
// CHECK-NEXT:     out[0] = x >= y;
// CHECK-NEXT:     out[0] = x <= y;
// CHECK-NEXT:     out[0] = islessgreater(x, y);
// CHECK-NEXT:     out[0] = isordered(x, y);
// CHECK-NEXT:     out[0] = !islessgreater(x, y);
// CHECK-NEXT:     out[0] = !(x <= y);
// CHECK-NEXT:     out[0] = !(x < y);
// CHECK-NEXT:     out[0] = !(x >= y);
// CHECK-NEXT:     out[0] = !(x > y);
// CHECK-NEXT:     out[0] = x != y;
// CHECK-NEXT:     out[0] = isunordered(x, y);
// CHECK-NEXT:     out[0] = true;
// CHECK-NEXT: }

// -----

vyre.kernel @extrema(%in: !vyre.buffer<8xf64, read_only>, %out: !vyre.buffer<8xf64, read_write>) workgroup_size [1] generator "extrema" {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = vyre.load %in[%c0] in_bounds : !vyre.buffer<8xf64, read_only> -> f64
  %y = vyre.load %in[%c1] in_bounds : !vyre.buffer<8xf64, read_only> -> f64
  %0 = arith.minnumf %x, %y : f64
  %1 = arith.maximumf %0, %x : f64
  %2 = arith.negf %1 : f64
  %3 = arith.divf %2, %y : f64
  vyre.store %3, %out[%c0] in_bounds : f64, !vyre.buffer<8xf64, read_write>
}

// CHECK:      #pragma OPENCL EXTENSION cl_khr_fp64 : enable
// CHECK-NEXT: #pragma OPENCL FP_CONTRACT OFF
// CHECK-EMPTY:
// CHECK-NEXT: static double vyre_minnumf_f64(double a, double b)
// CHECK-NEXT: {
// CHECK-NEXT:     double ordered = a == b ? (signbit(a) ? a : b) : (a < b ? a : b);
// CHECK-NEXT:     return isnan(a) ? b : (isnan(b) ? a : ordered);
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: static double vyre_maximumf_f64(double a, double b)
// CHECK-NEXT: {
// CHECK-NEXT:     double ordered = a == b ? (signbit(a) ? b : a) : (a > b ? a : b);
// CHECK-NEXT:     return isnan(a) ? a : (isnan(b) ? b : ordered);
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: // extrema
// CHECK-NEXT: __kernel __attribute__((reqd_work_group_size(1, 1, 1)))
// CHECK-NEXT: void extrema(
// CHECK-NEXT:     __global const double *restrict in,
// CHECK-NEXT:     __global double *restrict out)
// CHECK-NEXT: {
// CHECK-NEXT:     double x = in[0];
// CHECK-NEXT:     double y = in[1];
// CHECK-NEXT:     out[0] = -vyre_maximumf_f64(vyre_minnumf_f64(x, y), x) / y;
// CHECK-NEXT: }
