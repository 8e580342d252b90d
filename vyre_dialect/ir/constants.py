"""The numbers that constants are."""

from __future__ import annotations

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr
from xdsl.ir import SSAValue


def integer_of(value: SSAValue) -> int | None:
    """The number that a constant integer or index is, or None for any other value."""
    op = value.owner
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
        return op.value.value.data
    return None


def integer_in_lanes(value: SSAValue) -> int | None:
    """The number that a constant is, or is in each lane of a vector; None for any other value."""
    op = value.owner
    if not isinstance(op, arith.ConstantOp) or not isinstance(op.value, DenseIntOrFPElementsAttr):
        return integer_of(value)
    number = op.value.get_values()[0] if op.value.is_splat() else None
    return number if isinstance(number, int) else None


def splat_integer(value: SSAValue) -> int | None:
    """The same of constants, and of vectors that a constant is broadcast to."""
    op = value.owner
    return integer_in_lanes(op.source if isinstance(op, vector.BroadcastOp) else value)
