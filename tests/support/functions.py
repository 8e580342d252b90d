"""The functions of one number that programs may compute, which all have values between 0 and 1."""

from __future__ import annotations

import math
from collections.abc import Callable

from xdsl.dialects import math as dialect
from xdsl.ir import Operation

FUNCTIONS: dict[type[Operation], Callable[[float], float]] = {
    dialect.SqrtOp: math.sqrt,
    dialect.RsqrtOp: lambda x: 1 / math.sqrt(x),
    dialect.CbrtOp: lambda x: x ** (1 / 3),
    dialect.ExpOp: math.exp,
    dialect.Exp2Op: lambda x: 2**x,
    dialect.ExpM1Op: math.expm1,
    dialect.LogOp: math.log,
    dialect.Log2Op: math.log2,
    dialect.Log10Op: math.log10,
    dialect.Log1pOp: math.log1p,
    dialect.ErfOp: math.erf,
    dialect.SinOp: math.sin,
    dialect.CosOp: math.cos,
    dialect.TanOp: math.tan,
    dialect.AsinOp: math.asin,
    dialect.AcosOp: math.acos,
    dialect.AtanOp: math.atan,
    dialect.SinhOp: math.sinh,
    dialect.CoshOp: math.cosh,
    dialect.TanhOp: math.tanh,
    dialect.AsinhOp: math.asinh,
    dialect.AtanhOp: math.atanh,
}
"""By the op that computes each."""
