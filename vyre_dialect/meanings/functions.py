"""What the ops of `math` mean."""

from __future__ import annotations

from xdsl.dialects import math

from vyre_dialect.ir.meaning import Meanings
from vyre_dialect.meanings.homes import HOMES, SAME

OPS = Meanings(HOMES)
row = OPS.row

# Rounding and signs.

row(
    math.AbsFOp,
    numpy="machine:ufunc(absolute)",
    expression="floats:builtin(fabs)",
    lanes=SAME,
    text_gpu_mlir="arithmetic:same",
)
row(
    math.CopySignOp,
    numpy="machine:ufunc(copysign)",
    expression="floats:builtin(copysign)",
    lanes=SAME,
    text_gpu_mlir="arithmetic:same",
)
row(
    math.CeilOp,
    numpy="machine:ufunc(ceil)",
    expression="floats:builtin(ceil)",
    lanes=SAME,
    text_gpu_mlir="arithmetic:same",
)
row(
    math.FloorOp,
    numpy="machine:ufunc(floor)",
    expression="floats:builtin(floor)",
    lanes=SAME,
    text_gpu_mlir="arithmetic:same",
)
row(
    math.TruncOp,
    numpy="machine:ufunc(trunc)",
    expression="floats:builtin(trunc)",
    lanes=SAME,
    text_gpu_mlir="arithmetic:same",
)
row(
    math.RoundOp,
    numpy="math:round_half_away",
    expression="floats:builtin(round)",
    text_gpu_mlir="arithmetic:same",
)
row(
    math.RoundEvenOp,
    numpy="machine:ufunc(rint)",
    expression="floats:builtin(rint)",
    lanes=SAME,
    text_gpu_mlir="arithmetic:same",
)
row(
    math.FmaOp,
    numpy="math:fma",
    expression="floats:builtin(fma)",
    lanes=SAME,
    text_gpu_mlir="arithmetic:same",
)

# Roots, powers and logarithms.

row(
    math.SqrtOp,
    numpy="machine:ufunc(sqrt)",
    expression="floats:builtin(sqrt)",
    lanes=SAME,
    text_gpu_mlir="arithmetic:same",
)
row(
    math.RsqrtOp,
    numpy="math:rsqrt",
    expression="floats:builtin(rsqrt)",
    lanes=SAME,
    text_gpu_mlir="arithmetic:same",
)
row(
    math.CbrtOp,
    numpy="machine:ufunc(cbrt)",
    expression="floats:builtin(cbrt)",
    text_gpu_mlir="arithmetic:same",
)
row(
    math.PowFOp,
    numpy="machine:ufunc(power)",
    expression="floats:builtin(pow)",
    text_gpu_mlir="arithmetic:same",
)
row(math.FPowIOp, numpy="math:fpowi", expression="floats:fpowi", text_gpu_mlir="arithmetic:same")
row(
    math.ExpOp,
    numpy="machine:ufunc(exp)",
    expression="floats:builtin(exp)",
    lanes=SAME,
    text_gpu_mlir="arithmetic:same",
)
row(
    math.Exp2Op,
    numpy="machine:ufunc(exp2)",
    expression="floats:builtin(exp2)",
    lanes=SAME,
    text_gpu_mlir="arithmetic:same",
)
row(
    math.ExpM1Op,
    numpy="machine:ufunc(expm1)",
    expression="floats:builtin(expm1)",
    text_gpu_mlir="arithmetic:same",
)
row(
    math.LogOp,
    numpy="machine:ufunc(log)",
    expression="floats:builtin(log)",
    lanes=SAME,
    text_gpu_mlir="arithmetic:same",
)
row(
    math.Log2Op,
    numpy="machine:ufunc(log2)",
    expression="floats:builtin(log2)",
    lanes=SAME,
    text_gpu_mlir="arithmetic:same",
)
row(
    math.Log10Op,
    numpy="machine:ufunc(log10)",
    expression="floats:builtin(log10)",
    text_gpu_mlir="arithmetic:same",
)
row(
    math.Log1pOp,
    numpy="machine:ufunc(log1p)",
    expression="floats:builtin(log1p)",
    text_gpu_mlir="arithmetic:same",
)
row(math.ErfOp, numpy="math:erf", expression="floats:builtin(erf)", text_gpu_mlir="arithmetic:same")

# Angles.

row(
    math.SinOp,
    numpy="machine:ufunc(sin)",
    expression="floats:builtin(sin)",
    lanes=SAME,
    text_gpu_mlir="arithmetic:same",
)
row(
    math.CosOp,
    numpy="machine:ufunc(cos)",
    expression="floats:builtin(cos)",
    lanes=SAME,
    text_gpu_mlir="arithmetic:same",
)
row(
    math.TanOp,
    numpy="machine:ufunc(tan)",
    expression="floats:builtin(tan)",
    text_gpu_mlir="arithmetic:same",
)
row(
    math.AsinOp,
    numpy="machine:ufunc(arcsin)",
    expression="floats:builtin(asin)",
    text_gpu_mlir="arithmetic:same",
)
row(
    math.AcosOp,
    numpy="machine:ufunc(arccos)",
    expression="floats:builtin(acos)",
    text_gpu_mlir="arithmetic:same",
)
row(
    math.AtanOp,
    numpy="machine:ufunc(arctan)",
    expression="floats:builtin(atan)",
    text_gpu_mlir="arithmetic:same",
)
row(
    math.Atan2Op,
    numpy="machine:ufunc(arctan2)",
    expression="floats:builtin(atan2)",
    text_gpu_mlir="arithmetic:same",
)
row(
    math.SinhOp,
    numpy="machine:ufunc(sinh)",
    expression="floats:builtin(sinh)",
    text_gpu_mlir="arithmetic:same",
)
row(
    math.CoshOp,
    numpy="machine:ufunc(cosh)",
    expression="floats:builtin(cosh)",
    text_gpu_mlir="arithmetic:same",
)
row(
    math.TanhOp,
    numpy="machine:ufunc(tanh)",
    expression="floats:builtin(tanh)",
    lanes=SAME,
    text_gpu_mlir="arithmetic:same",
)
row(
    math.AsinhOp,
    numpy="machine:ufunc(arcsinh)",
    expression="floats:builtin(asinh)",
    text_gpu_mlir="arithmetic:same",
)
row(
    math.AcoshOp,
    numpy="machine:ufunc(arccosh)",
    expression="floats:builtin(acosh)",
    text_gpu_mlir="arithmetic:same",
)
row(
    math.AtanhOp,
    numpy="machine:ufunc(arctanh)",
    expression="floats:builtin(atanh)",
    text_gpu_mlir="arithmetic:same",
)

# Integers.

row(
    math.AbsIOp,
    numpy="math:absi",
    expression="floats:absi",
    lanes=SAME,
    text_gpu_mlir="arithmetic:same",
)
row(math.IPowIOp, numpy="math:ipowi", expression="floats:ipowi", text_gpu_mlir="arithmetic:power")
row(
    math.CtPopOp,
    range="bit_count",
    numpy="math:ctpop",
    expression="floats:integer_builtin(popcount)",
    lanes=SAME,
    text_gpu_mlir="arithmetic:same",
)
row(
    math.CountLeadingZerosOp,
    range="bit_count",
    numpy="math:ctlz",
    expression="floats:integer_builtin(clz)",
    lanes=SAME,
    text_gpu_mlir="arithmetic:same",
)
row(
    math.CountTrailingZerosOp,
    range="bit_count",
    numpy="math:cttz",
    expression="floats:cttz",
    lanes=SAME,
    text_gpu_mlir="arithmetic:same",
)
