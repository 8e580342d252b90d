"""The comparisons that hold wherever a block runs: conditions of the `scf.if` ops around it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, SSAValue
from xdsl.traits import IsolatedFromAbove

PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
"""The predicates of `arith.cmpi`, in the order of their numbers."""

_NEGATED = {
    "eq": "ne",
    "ne": "eq",
    "slt": "sge",
    "sle": "sgt",
    "sgt": "sle",
    "sge": "slt",
    "ult": "uge",
    "ule": "ugt",
    "ugt": "ule",
    "uge": "ult",
}
_MIRRORED = {
    "eq": "eq",
    "ne": "ne",
    "slt": "sgt",
    "sle": "sge",
    "sgt": "slt",
    "sge": "sle",
    "ult": "ugt",
    "ule": "uge",
    "ugt": "ult",
    "uge": "ule",
}


@dataclass(frozen=True)
class Comparison:
    """`left predicate right`, known to hold."""

    predicate: str
    left: SSAValue
    right: SSAValue

    @property
    def mirrored(self) -> str:
        """The predicate with `right` on the left."""
        return _MIRRORED[self.predicate]


def guards_of(block: Block | None) -> Iterator[Comparison]:
    """The comparisons that hold in `block`, innermost first."""
    while block is not None:
        parent = block.parent_op()
        if parent is None or parent.has_trait(IsolatedFromAbove):
            return
        if isinstance(parent, scf.IfOp):
            yield from _implied(parent.cond, holds=block.parent is parent.true_region)
        block = parent.parent


def _implied(condition: SSAValue, *, holds: bool) -> Iterator[Comparison]:
    """What follows from `condition` being true, or false."""
    op = condition.owner
    if isinstance(op, arith.CmpiOp):
        predicate = PREDICATES[int(op.predicate.value.data)]
        yield Comparison(predicate if holds else _NEGATED[predicate], op.lhs, op.rhs)
    elif isinstance(op, arith.AndIOp if holds else arith.OrIOp):
        yield from _implied(op.lhs, holds=holds)
        yield from _implied(op.rhs, holds=holds)
    elif isinstance(op, arith.XOrIOp):
        for operand, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            if _is_true(other):
                yield from _implied(operand, holds=not holds)
                return


def _is_true(value: SSAValue) -> bool:
    op = value.owner
    if not isinstance(op, arith.ConstantOp) or not isinstance(op.value, IntegerAttr):
        return False
    return op.value.value.data & 1 == 1
