"""What the ops of `arith` on floating point numbers mean."""

from __future__ import annotations

from xdsl.dialects import arith

from vyre_dialect.ir.meaning import Meanings
from vyre_dialect.meanings.homes import HOMES, SAME

OPS = Meanings(HOMES)
row = OPS.row

# Arithmetic.

row(
    arith.AddfOp,
    numpy="machine:ufunc(add)",
    expression="floats:by_operator(+)",
    lanes=SAME,
    text_gpu_mlir="arithmetic:same",
)
row(
    arith.SubfOp,
    numpy="machine:ufunc(subtract)",
    expression="floats:by_operator(-)",
    lanes=SAME,
    text_gpu_mlir="arithmetic:same",
)
row(
    arith.MulfOp,
    numpy="machine:ufunc(multiply)",
    expression="floats:by_operator(*)",
    lanes=SAME,
    text_gpu_mlir="arithmetic:same",
)
row(
    arith.DivfOp,
    numpy="machine:ufunc(divide)",
    expression="floats:by_operator(/)",
    lanes=SAME,
    text_gpu_mlir="arithmetic:same",
)
row(
    arith.NegfOp,
    numpy="machine:ufunc(negative)",
    expression="floats:negf",
    lanes=SAME,
    text_gpu_mlir="arithmetic:same",
)
row(
    arith.MinimumfOp,
    numpy="floats:minimumf",
    expression="floats:extremum_of(minimumf)",
    lanes=SAME,
    text_gpu_mlir="arithmetic:same",
)
row(
    arith.MaximumfOp,
    numpy="floats:maximumf",
    expression="floats:extremum_of(maximumf)",
    lanes=SAME,
    text_gpu_mlir="arithmetic:same",
)
row(
    arith.MinnumfOp,
    numpy="floats:minnumf",
    expression="floats:extremum_of(minnumf)",
    lanes=SAME,
    text_gpu_mlir="arithmetic:number_extremum",
)
row(
    arith.MaxnumfOp,
    numpy="floats:maxnumf",
    expression="floats:extremum_of(maxnumf)",
    lanes=SAME,
    text_gpu_mlir="arithmetic:number_extremum",
)

# Comparisons and conversions.

row(
    arith.CmpfOp,
    numpy="floats:cmpf",
    expression="floats:cmpf",
    lanes="cmpf",
    text_gpu_mlir="arithmetic:kept(predicate)",
)
row(
    arith.ExtFOp,
    numpy="floats:resize",
    expression="floats:resize",
    lanes=SAME,
    text_gpu_mlir="arithmetic:same",
)
row(
    arith.TruncFOp,
    numpy="floats:resize",
    expression="floats:resize",
    lanes=SAME,
    text_gpu_mlir="arithmetic:same",
)
row(
    arith.SIToFPOp,
    numpy="floats:sitofp",
    expression="floats:sitofp",
    lanes="convert",
    text_gpu_mlir="arithmetic:same",
)
row(
    arith.UIToFPOp,
    numpy="floats:uitofp",
    expression="floats:uitofp",
    lanes="convert",
    text_gpu_mlir="arithmetic:same",
)
row(
    arith.FPToSIOp,
    numpy="floats:fptosi",
    expression="floats:fptosi",
    lanes="convert",
    text_gpu_mlir="arithmetic:to_integer",
)
row(
    arith.FPToUIOp,
    numpy="floats:fptoui",
    expression="floats:fptoui",
    lanes="convert",
    text_gpu_mlir="arithmetic:to_integer",
)
row(
    arith.BitcastOp,
    numpy="floats:bitcast",
    expression="floats:bitcast",
    lanes="bitcast",
    text_gpu_mlir="arithmetic:same",
)
