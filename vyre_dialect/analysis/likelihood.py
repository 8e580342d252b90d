"""
How likely conditions on data hold: a guess, by which work is estimated and nothing is proven.

Data is taken to be any number of its range, each as likely. Where the range says nothing, equality
is rare and order as likely as not: Ball and Larus, "Branch prediction for free".
"""

from __future__ import annotations

from xdsl.dialects import arith, math, vector
from xdsl.dialects.builtin import VectorType, i1
from xdsl.ir import BlockArgument, Operation, SSAValue

from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.value_ranges import Range, full_range
from vyre_dialect.ir.constants import splat_integer
from vyre_dialect.ir.interfaces import accesses_of
from vyre_dialect.ir.types import lane_count
from vyre_dialect.ops.lanes import CompareLanesOp, Predicate

RARE = 1 / 256
"""How likely data is equal to something, where nothing is known of either."""
EVEN = 0.5
MOST_STEPS = 16
"""Ops, one upon the other, that are looked through."""


class Likelihoods:
    """How likely the conditions of a kernel hold, those of vectors in one of the lanes."""

    def __init__(self, integers: Integers):
        self._integers = integers

    def of(self, condition: SSAValue) -> float:
        """How likely a condition holds."""
        return self._of(condition, MOST_STEPS)

    def set_bits(self, count: SSAValue, taken: float | None = None) -> float | None:
        """
        How many lanes of a mask hold whose bits `count` counts, where one does; each holds as often
        as `taken`, if that is given. None of what counts the bits of no mask.
        """
        mask = _counted_mask(count)
        if mask is None:
            return None
        lanes, likely = lane_count(mask.type), self.of(mask) if taken is None else taken
        any_holds = 1 - (1 - likely) ** lanes
        return lanes * likely / any_holds if any_holds else 0.0

    def _of(self, value: SSAValue, steps: int) -> float:
        op = value.owner
        if isinstance(value, BlockArgument) or not isinstance(op, Operation) or not steps:
            return EVEN
        steps -= 1
        match op:
            case arith.ConstantOp():
                return float(bool(splat_integer(value)))
            case arith.CmpiOp():
                return self._of_comparison(op, list(Predicate)[op.predicate.value.data], steps)
            case CompareLanesOp():
                return self._of_comparison(op, op.predicate.data, steps)
            case arith.AndIOp():
                return self._of(op.lhs, steps) * self._of(op.rhs, steps)
            case arith.OrIOp():
                return 1 - (1 - self._of(op.lhs, steps)) * (1 - self._of(op.rhs, steps))
            case arith.XOrIOp() if splat_integer(op.rhs) is not None:
                return 1 - self._of(op.lhs, steps)
            case vector.ExtractOp():
                return self._of(op.operands[0], steps)
            case _:
                return EVEN

    def _of_comparison(
        self, op: arith.CmpiOp | CompareLanesOp, predicate: Predicate, steps: int
    ) -> float:
        bound = splat_integer(op.rhs)
        is_equality = predicate in (Predicate.EQ, Predicate.NE)
        if bound == 0 and is_equality:
            differs = self._nonzero(op.lhs, steps)
            return differs if predicate == Predicate.NE else 1 - differs
        known = self._integers.range_at(op.lhs, op.parent)
        if bound is None or not _says_something(known, op.lhs):
            return {Predicate.EQ: RARE, Predicate.NE: 1 - RARE}.get(predicate, EVEN)
        return _share(known, predicate, bound)

    def _nonzero(self, value: SSAValue, steps: int) -> float:
        """
        How likely a number is not zero: as likely as what it is made of, if these are conditions,
        of which one lane that holds is enough.
        """
        op = value.owner
        if not isinstance(op, Operation) or not op.operands or accesses_of(op) or not steps:
            return 1 - RARE
        if isinstance(op, arith.CmpiOp | CompareLanesOp):
            return 1 - (1 - self._of(value, steps)) ** lane_count(value.type)
        return max(self._nonzero(each, steps - 1) for each in op.operands)


def _counted_mask(count: SSAValue) -> SSAValue | None:
    """The mask whose bits a number counts."""
    op = count.owner
    while isinstance(op, arith.IndexCastOp):
        op = op.input.owner
    pending = [op.operand] if isinstance(op, math.CtPopOp) else []
    for _ in range(MOST_STEPS):
        if not pending:
            return None
        value = pending.pop()
        if isinstance(value.type, VectorType) and value.type.element_type == i1:
            return value
        if isinstance(value.owner, Operation):
            pending += value.owner.operands
    return None


def _says_something(known: Range, value: SSAValue) -> bool:
    """Whether a value is known to be none of most numbers of its type."""
    full = full_range(value.type)
    return 4 * (known.high - known.low) < full.high - full.low


def _share(known: Range, predicate: Predicate, bound: int) -> float:
    """The share of the numbers of a range that compare so with a bound."""
    width = known.high - known.low + 1
    equal = float(known.low <= bound <= known.high) / width
    below = min(max(0, bound - known.low), width) / width
    match predicate:
        case Predicate.EQ:
            return equal
        case Predicate.NE:
            return 1 - equal
        case Predicate.SLT | Predicate.ULT:
            return below
        case Predicate.SLE | Predicate.ULE:
            return below + equal
        case Predicate.SGT | Predicate.UGT:
            return 1 - below - equal
        case _:
            return 1 - below
