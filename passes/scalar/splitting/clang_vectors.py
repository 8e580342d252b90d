"""What kernels may do with vectors of more lanes than OpenCL has, where Clang compiles them."""

from __future__ import annotations

from xdsl.dialects import arith, math, scf, vector
from xdsl.dialects.builtin import IntegerType, VectorType
from xdsl.ir import Attribute, Operation

from vyre_dialect.ir.types import CLANG_LANES, VECTOR_LANES, BufferType, lane_count
from vyre_dialect.ops.lanes import CompareLanesOp, ConvertLanesOp, SelectLanesOp
from vyre_dialect.ops.memory import LoadOp, StoreOp

_OPS = (
    arith.ConstantOp,
    *(arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.AndIOp, arith.OrIOp, arith.XOrIOp),
    *(arith.ShLIOp, arith.ShRUIOp, arith.ShRSIOp),
    *(arith.MinSIOp, arith.MinUIOp, arith.MaxSIOp, arith.MaxUIOp),
    math.CtPopOp,
    *(CompareLanesOp, SelectLanesOp, ConvertLanesOp),
    *(vector.BroadcastOp, vector.ExtractOp, vector.InsertOp, vector.ShuffleOp, vector.BitcastOp),
    *(scf.ForOp, scf.IfOp, scf.WhileOp, scf.ConditionOp, scf.YieldOp),
)
"""Those that are printed for any number of lanes."""


def is_of_clang(op: Operation, most: int) -> bool:
    """Whether an op on vectors of up to so many lanes of integers has a form in Clang's C."""
    arguments = (value for region in op.regions for block in region.blocks for value in block.args)
    types = [value.type for value in (*op.operands, *op.results, *arguments)]
    if not all(_is_known(type, most) for type in types):
        return False
    if isinstance(op, LoadOp | StoreOp):
        return _has_lanes_of_elements(op)
    return isinstance(op, _OPS)


def _is_known(type: Attribute, most: int) -> bool:
    lanes = lane_count(type)
    if not isinstance(type, VectorType) or lanes in VECTOR_LANES:
        return True
    is_short = len(type.get_shape()) == 1 and lanes in CLANG_LANES and lanes <= most
    return is_short and isinstance(type.element_type, IntegerType)


def _has_lanes_of_elements(op: LoadOp | StoreOp) -> bool:
    """Whether the lanes that are loaded or stored are elements of the buffer."""
    value, buffer = op.value.type, op.buffer.type
    assert isinstance(value, VectorType) and isinstance(buffer, BufferType)
    return value.element_type == buffer.element_type
