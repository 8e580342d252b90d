"""The comparisons that hold wherever a block runs: conditions of what is around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, SSAValue
from xdsl.traits import IsolatedFromAbove

from vyre_dialect.analysis.forward_analysis import condition_of
from vyre_dialect.ops.lanes import Predicate

PREDICATES = tuple(map(str, Predicate))
"""The predicates of `arith.cmpi`, in the order of their numbers."""

NEGATED = {
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
"""The predicate that holds exactly where one does not."""
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

    @staticmethod
    def of(op: arith.CmpiOp) -> Comparison:
        """What holds where a comparison is true."""
        return Comparison(PREDICATES[int(op.predicate.value.data)], op.lhs, op.rhs)

    @property
    def signedness(self) -> str | None:
        """Whether it orders `signed` or `unsigned` numbers; None where it does not order them."""
        return {"s": "signed", "u": "unsigned"}.get(self.predicate[:-2])

    @property
    def negated(self) -> Comparison:
        """What holds where it does not."""
        return Comparison(NEGATED[self.predicate], self.left, self.right)

    @property
    def mirrored(self) -> str:
        """The predicate with `right` on the left."""
        return _MIRRORED[self.predicate]


def guards_of(block: Block | None) -> Iterator[Comparison]:
    """The comparisons that hold in `block`, innermost first."""
    while block is not None:
        yield from guards_at(block)
        block = block_around(block)


def guards_at(block: Block) -> Iterator[Comparison]:
    """The comparisons that hold in `block` and need not hold around it."""
    match block.parent_op():
        case scf.IfOp() as branch:
            yield from _implied(branch.cond, holds=block.parent is branch.true_region)
        case scf.WhileOp() as loop if block.parent is loop.after_region:
            yield from _of_condition(loop)
        case _:
            return


def _of_condition(loop: scf.WhileOp) -> Iterator[Comparison]:
    """What the condition of a loop says of the arguments of its body, and of what is around it."""
    if (last := condition_of(loop)) is None:
        return
    passed = dict(zip(last.args, loop.after_region.block.args, strict=True))
    for each in _implied(last.condition, holds=True):
        left, right = (passed.get(value, value) for value in (each.left, each.right))
        if not any(_is_made_in(loop.before_region.block, value) for value in (left, right)):
            yield Comparison(each.predicate, left, right)


def _is_made_in(block: Block, value: SSAValue) -> bool:
    """Whether only `block` sees a value; constants are the same everywhere."""
    owner = value.owner
    return not isinstance(owner, arith.ConstantOp) and block.is_ancestor(owner)


def block_around(block: Block) -> Block | None:
    """The block whose values `block` sees besides its own, or None."""
    parent = block.parent_op()
    if parent is None or parent.has_trait(IsolatedFromAbove):
        return None
    return parent.parent


def conjunction(condition: SSAValue) -> Sequence[Comparison] | None:
    """The comparisons that all hold exactly where `condition` does; None where that is not all."""
    found, pending = list[Comparison](), [condition]
    while pending:
        op = pending.pop().owner
        if isinstance(op, arith.AndIOp):
            pending += [op.rhs, op.lhs]
        elif isinstance(op, arith.CmpiOp):
            found.append(Comparison.of(op))
        else:
            return None
    return found


def _implied(condition: SSAValue, *, holds: bool) -> Iterator[Comparison]:
    """What follows from `condition` being true, or false."""
    pending = [(condition, holds)]
    while pending:
        value, holds = pending.pop()
        op = value.owner
        if isinstance(op, arith.CmpiOp):
            yield Comparison.of(op) if holds else Comparison.of(op).negated
        elif isinstance(op, arith.AndIOp if holds else arith.OrIOp):
            pending += [(op.rhs, holds), (op.lhs, holds)]
        elif isinstance(op, arith.XOrIOp):
            pending += [(operand, not holds) for operand in _negated(op)]


def _negated(op: arith.XOrIOp) -> list[SSAValue]:
    """What `op` is the negation of, if it is one."""
    pairs = ((op.lhs, op.rhs), (op.rhs, op.lhs))
    return [operand for operand, other in pairs if _is_true(other)][:1]


def _is_true(value: SSAValue) -> bool:
    op = value.owner
    if not isinstance(op, arith.ConstantOp) or not isinstance(op.value, IntegerAttr):
        return False
    return op.value.value.data & 1 == 1
