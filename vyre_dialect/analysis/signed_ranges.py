"""Ranges of integers read as signed numbers, which those of `Integers` are not."""

from __future__ import annotations

from typing import Self

from xdsl.ir import Operation, SSAValue

from vyre_dialect.analysis.forward_analysis import Computed, ForwardAnalysis, Rule, origin_of
from vyre_dialect.analysis.integers import Integers, block_of
from vyre_dialect.analysis.manager import Analysis, AnalysisManager
from vyre_dialect.analysis.value_ranges import (
    SIGNED_RANGE,
    UNKNOWN,
    Range,
    full_signed_range,
    read_as_signed,
    signed_result,
)


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
        """What is known of the unsigned number, and what the op says of signed ones."""
        unsigned = self._integers.range_at(node, block_of(node))
        known = read_as_signed(unsigned, node.type) or full_signed_range(node.type)
        origin = origin_of(node)
        if known.is_one or known == UNKNOWN or not isinstance(origin, Computed):
            return Rule((), lambda _: known)
        op = origin.op
        if len(op.results) != 1 or SIGNED_RANGE.of(type(op)) is None:
            return Rule((), lambda _: known)
        return Rule(op.operands, lambda facts: signed_result(op, known, facts))
