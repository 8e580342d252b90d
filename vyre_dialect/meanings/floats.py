"""What the ops of `arith` on floating point numbers mean."""

from __future__ import annotations

from xdsl.dialects import arith

from vyre_dialect.ir.meaning import Meanings
from vyre_dialect.meanings.homes import HOMES, SAME

OPS = Meanings(HOMES)
row = OPS.row

# Arithmetic.

row(arith.AddfOp, numpy="machine:ufunc(add)", expression="floats:by_operator(+)", lanes=SAME)
row(arith.SubfOp, numpy="machine:ufunc(subtract)", expression="floats:by_operator(-)", lanes=SAME)
row(arith.MulfOp, numpy="machine:ufunc(multiply)", expression="floats:by_operator(*)", lanes=SAME)
row(arith.DivfOp, numpy="machine:ufunc(divide)", expression="floats:by_operator(/)", lanes=SAME)
row(arith.NegfOp, numpy="machine:ufunc(negative)", expression="floats:negf", lanes=SAME)
row(
    arith.MinimumfOp, numpy="floats:minimumf", expression="floats:extremum_of(minimumf)", lanes=SAME
)
row(
    arith.MaximumfOp, numpy="floats:maximumf", expression="floats:extremum_of(maximumf)", lanes=SAME
)
row(arith.MinnumfOp, numpy="floats:minnumf", expression="floats:extremum_of(minnumf)", lanes=SAME)
row(arith.MaxnumfOp, numpy="floats:maxnumf", expression="floats:extremum_of(maxnumf)", lanes=SAME)

# Comparisons and conversions.

row(arith.CmpfOp, numpy="floats:cmpf", expression="floats:cmpf", lanes="cmpf")
row(arith.ExtFOp, numpy="floats:resize", expression="floats:resize", lanes=SAME)
row(arith.TruncFOp, numpy="floats:resize", expression="floats:resize", lanes=SAME)
row(arith.SIToFPOp, numpy="floats:sitofp", expression="floats:sitofp", lanes="convert")
row(arith.UIToFPOp, numpy="floats:uitofp", expression="floats:uitofp", lanes="convert")
row(arith.FPToSIOp, numpy="floats:fptosi", expression="floats:fptosi", lanes="convert")
row(arith.FPToUIOp, numpy="floats:fptoui", expression="floats:fptoui", lanes="convert")
row(arith.BitcastOp, numpy="floats:bitcast", expression="floats:bitcast", lanes="bitcast")
