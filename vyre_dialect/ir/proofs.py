"""What passes prove of single ops, which holds only where they stand."""

from __future__ import annotations

from xdsl.dialects.arith import IntegerOverflowAttr
from xdsl.ir import Attribute, Operation

from vyre_dialect.ir.interfaces import PROVEN, HasAccessesInterface
from vyre_dialect.ir.types import NO_WRAP, WITHIN_WIDTH

_MARKS = (NO_WRAP, WITHIN_WIDTH)


def states_proof(op: Operation) -> bool:
    """Whether `op` says of itself what need not hold where it stands elsewhere."""
    return (
        bool(_proven_of(op))
        or any(mark in op.attributes for mark in _MARKS)
        or any(_has_flags(value) for value in op.properties.values())
    )


def drop_proofs(op: Operation) -> None:
    """
    Take from `op`, which goes elsewhere, what is proven of it under the conditions around it: that
    it lies in bounds and is aligned, does not wrap around, and shifts by less than the width.
    """
    for name in _proven_of(op):
        del op.properties[name]
    for mark in _MARKS:
        op.attributes.pop(mark, None)
    for name, value in [*op.properties.items()]:
        if _has_flags(value):
            op.properties[name] = IntegerOverflowAttr("none")


def _proven_of(op: Operation) -> frozenset[str]:
    return PROVEN & op.properties.keys() if isinstance(op, HasAccessesInterface) else frozenset()


def _has_flags(value: Attribute) -> bool:
    return isinstance(value, IntegerOverflowAttr) and bool(value.data)
