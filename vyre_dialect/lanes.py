"""Positions of lanes in vectors, which xDSL does not check."""

from __future__ import annotations

from xdsl.dialects import vector
from xdsl.dialects.builtin import VectorType
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa


def verify_static_lanes(op: vector.ExtractOp | vector.InsertOp) -> None:
    """
    Raise a VerifyException for a static position outside of the vector that `op` looks into.

    A dynamic position outside reads 0 and inserts nothing.
    """
    operand = op.vector if isinstance(op, vector.ExtractOp) else op.dest
    assert isa(operand.type, VectorType)
    for position, extent in zip(op.get_mixed_position(), operand.type.get_shape(), strict=False):
        if not isinstance(position, SSAValue) and not 0 <= position < extent:
            raise VerifyException(
                f"'{op.name}' expected a position below {extent} in '{operand.type}', "
                f"got {position}"
            )
