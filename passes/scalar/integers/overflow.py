"""
Marks on integer arithmetic that provably needs no special care: `overflow<nsw>` and `overflow<nuw>`
where the result is exact, `vyre.within_width` on shifts by less than the width, of vectors, too,
and `vyre.no_wrap` on loops whose counter passes the bound without wrapping around.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, get_args

from xdsl.dialects import arith, scf
from xdsl.dialects.arith import IntegerOverflowAttr
from xdsl.dialects.builtin import (
    IndexType,
    UnitAttr,
)
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from vyre_dialect.analysis.overflow import proven_flags
from vyre_dialect.analysis.value_ranges import Range, bit_width, first_past, full_range
from vyre_dialect.ir.constants import integer_in_lanes
from vyre_dialect.ir.types import NO_WRAP, WITHIN_WIDTH, scalar_type
from vyre_dialect.passes.scalar.integers.known_operands import KnownOperands

_Arithmetic: TypeAlias = arith.AddiOp | arith.SubiOp | arith.MuliOp | arith.ShLIOp
_Shift: TypeAlias = arith.ShLIOp | arith.ShRUIOp | arith.ShRSIOp


@dataclass
class SetOverflowFlags(RewritePattern):
    """Adds the flags that are proven to those that an op has."""

    known: KnownOperands

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: _Arithmetic, rewriter: PatternRewriter, /) -> None:
        known = op.overflow_flags.data
        flags = known.union(proven_flags(op, self.known.of(op)))
        if flags != known:
            op.overflow_flags = IntegerOverflowAttr(flags)
            rewriter.notify_op_modified(op)


@dataclass
class SetWithinWidth(RewritePattern):
    """
    Says of a shift that no amount needs to be compared with the width. One constant amount says so
    by itself.
    """

    known: KnownOperands

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: _Shift, rewriter: PatternRewriter, /) -> None:
        if WITHIN_WIDTH in op.attributes or integer_in_lanes(op.rhs) is not None:
            return
        width = bit_width(scalar_type(op.result.type))
        if self.known.integers.range_at(op.rhs, op.parent).within(Range(0, width - 1)):
            op.attributes[WITHIN_WIDTH] = UnitAttr()
            rewriter.notify_op_modified(op)


@dataclass
class SetNoWrap(RewritePattern):
    """Says of a loop over index that its counter may simply be added to."""

    known: KnownOperands

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter, /) -> None:
        if NO_WRAP in op.attributes or not isinstance(op.lb.type, IndexType):
            return
        low, high, step = self.known.of(op)[:3]
        if step.low > 0 and first_past(low, high, step) <= full_range(op.lb.type).high:
            op.attributes[NO_WRAP] = UnitAttr()
            rewriter.notify_op_modified(op)


MARKABLE = (*get_args(_Arithmetic), *get_args(_Shift), scf.ForOp)
"""The ops that patterns of this family match."""


def patterns_of_overflow(known: KnownOperands) -> list[RewritePattern]:
    """The patterns of this family."""
    return [SetOverflowFlags(known), SetWithinWidth(known), SetNoWrap(known)]
