"""Ranges of integers read as signed numbers, which those of `Integers` are not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Self

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

from vyre_dialect.analysis.forward_analysis import Computed, ForwardAnalysis, Rule, origin_of
from vyre_dialect.analysis.integers import Integers, block_of
from vyre_dialect.analysis.manager import Analysis, AnalysisManager
from vyre_dialect.analysis.range_transfers import at_corners
from vyre_dialect.analysis.value_ranges import RANGE, UNKNOWN, Range, full_range, signed_numbers

_EXACT = (arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.SelectOp)
"""Whose ranges follow alike from ranges of signed and of unsigned numbers."""
_OWN: Mapping[type[Operation], Callable[[Sequence[Range]], Range]] = {
    arith.ExtSIOp: lambda operands: operands[0],
    arith.TruncIOp: lambda operands: operands[0],
    arith.MinSIOp: lambda operands: at_corners(min, *operands),
    arith.MaxSIOp: lambda operands: at_corners(max, *operands),
    math.AbsIOp: lambda operands: _absolute(operands[0]),
}


class SignedRanges(ForwardAnalysis[SSAValue, Range], Analysis):
    """
    The signed numbers that scalar integers can be, whatever guards say; `UNKNOWN` of all else.

    Ranges are not carried around loops. Source: the signed half of MLIR's `ConstantIntRanges`.
    """

    start = UNKNOWN

    def __init__(self, integers: Integers):
        super().__init__()
        self._integers = integers

    @classmethod
    def of_scope(cls, scope: Operation, facts: AnalysisManager) -> Self:
        return cls(facts.get(Integers, scope))

    def rule(self, node: SSAValue) -> Rule[SSAValue, Range]:
        """By ops that read operands as signed numbers; else by what is known of unsigned ones."""
        full, origin = _signed_numbers(node.type), origin_of(node)
        known = self._of_unsigned(node)
        if known is not None or not isinstance(origin, Computed):
            return Rule((), lambda _: known or full)
        op = origin.op
        if isinstance(op, _EXACT):
            exact = RANGE.of(type(op))
            assert exact is not None
            return Rule(op.operands, lambda facts: _kept(exact(op, facts), full))
        if (own := _OWN.get(type(op))) is not None:
            return Rule(op.operands, lambda facts: _kept(own(facts), full))
        return Rule((), lambda _: full)

    def _of_unsigned(self, value: SSAValue) -> Range | None:
        """The range of a number that is the same read either way, or of one that is known."""
        found, numbers = (
            self._integers.range_at(value, block_of(value)),
            _signed_numbers(value.type),
        )
        if found.is_one and found.low > numbers.high:
            negative = found.low + 2 * numbers.low
            return Range(negative, negative)
        return found if found.within(numbers) else None


def _signed_numbers(type: Attribute) -> Range:
    return signed_numbers(type.width.data) if isinstance(type, IntegerType) else full_range(type)


def _kept(exact: Range, full: Range) -> Range:
    return exact if exact.within(full) else full


def _absolute(operand: Range) -> Range:
    low, high = operand.low, operand.high
    least = 0 if low <= 0 <= high else min(abs(low), abs(high))
    return Range(least, max(abs(low), abs(high)))
