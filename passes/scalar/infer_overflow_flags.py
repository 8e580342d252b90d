"""`vyre-infer-overflow-flags`: marks integer arithmetic that provably needs no special care."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, TypeAlias, get_args

from xdsl.dialects import arith, scf, vector
from xdsl.dialects.arith import IntegerOverflowAttr, IntegerOverflowFlag
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerType,
    ModuleOp,
    UnitAttr,
    VectorType,
)
from xdsl.ir import Block, SSAValue
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.analysis.value_ranges import TRANSFERS, Range, bit_width, first_past, full_range
from vyre_dialect.ir.constants import integer_in_lanes
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.ir.types import NO_WRAP, WITHIN_WIDTH, scalar_type
from vyre_dialect.passes.rewriting.analysis_pass import AnalysisPass
from vyre_dialect.passes.rewriting.class_walker import ClassWalker

_Arithmetic: TypeAlias = arith.AddiOp | arith.SubiOp | arith.MuliOp | arith.ShLIOp
_Shift: TypeAlias = arith.ShLIOp | arith.ShRUIOp | arith.ShRSIOp


@dataclass(frozen=True)
class InferOverflowFlagsPass(AnalysisPass):
    """
    Sets `overflow<nsw>` and `overflow<nuw>` on `arith.addi`, `subi`, `muli` and `shli` of scalars
    where the ranges of the operands prove that the result is exact, of signed and of unsigned
    numbers; `vyre.within_width` on shifts whose amounts are provably less than the width, of
    vectors, too; and `vyre.no_wrap` on `scf.for` where its counter provably passes the bound
    without wrapping around. What is not proven stays as it is.

    A proof may rest on the conditions around an op: who moves the op out of an `scf.if` drops
    its flags.
    """

    name = "vyre-infer-overflow-flags"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.KERNELS, Family.UNKNOWN, requires=("vyre-reduce-strength",)
    )

    def apply_with(self, facts: AnalysisManager, module: ModuleOp) -> None:
        patterns: list[RewritePattern] = [
            SetOverflowFlags(facts),
            SetWithinWidth(facts),
            SetNoWrap(facts),
        ]
        pattern = GreedyRewritePatternApplier(patterns, dce_enabled=False)
        classes = (*get_args(_Arithmetic), *get_args(_Shift), scf.ForOp)
        walker = ClassWalker(pattern, op_classes=classes)
        walker.rewrite_module(module)


@dataclass
class SetOverflowFlags(RewritePattern):
    """Adds the flags that are proven to those that an op has."""

    facts: AnalysisManager

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: _Arithmetic, rewriter: PatternRewriter, /) -> None:
        known = op.overflow_flags.data
        flags = known.union(self._proven(op))
        if flags != known:
            op.overflow_flags = IntegerOverflowAttr(flags)
            rewriter.notify_op_modified(op)

    def _proven(self, op: _Arithmetic) -> Iterator[IntegerOverflowFlag]:
        if not isinstance(op.result.type, IndexType | IntegerType):
            return
        transfer, width = TRANSFERS.find(type(op)), bit_width(op.result.type)
        operands = self.facts.get(Integers, op).ranges_of(op)
        for flag, numbers in _numbers(width).items():
            is_same_number = all(operand.within(numbers) for operand in operands)
            if is_same_number and transfer is not None and transfer(op, operands).within(numbers):
                yield flag


@dataclass
class SetWithinWidth(RewritePattern):
    """
    Says of a shift that no amount needs to be compared with the width. One constant amount says so
    by itself.
    """

    facts: AnalysisManager

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: _Shift, rewriter: PatternRewriter, /) -> None:
        if WITHIN_WIDTH in op.attributes or integer_in_lanes(op.rhs) is not None:
            return
        width = bit_width(scalar_type(op.result.type))
        if self._lanes(op.rhs, op.parent).within(Range(0, width - 1)):
            op.attributes[WITHIN_WIDTH] = UnitAttr()
            rewriter.notify_op_modified(op)

    def _lanes(self, amount: SSAValue, block: Block | None) -> Range:
        """The range of a number, or of the numbers in the lanes of a vector."""
        if not isinstance(amount.type, VectorType):
            assert block is not None
            scope = block.parent_op()
            assert scope is not None
            return self.facts.get(Integers, scope).range_at(amount, block)
        match amount.owner:
            case arith.ConstantOp(value=DenseIntOrFPElementsAttr() as lanes):
                return _range_of(lanes, full_range(amount.type.element_type))
            case vector.BroadcastOp(source=source):
                return self._lanes(source, block)
            case arith.AndIOp(lhs=left, rhs=right):
                return _common_bits(self._lanes(left, block), self._lanes(right, block))
            case _:
                return full_range(amount.type.element_type)


def _range_of(lanes: DenseIntOrFPElementsAttr, full: Range) -> Range:
    """The range of the lanes of a constant of a type with the numbers `full`."""
    numbers = [number for number in lanes.get_values() if isinstance(number, int)]
    if full.is_non_negative:
        numbers = [number & full.high for number in numbers]
    return Range(min(numbers), max(numbers)) if numbers else full


def _common_bits(left: Range, right: Range) -> Range:
    """The range of the bits that two numbers have, one of which is no negative number."""
    highs = [each.high for each in (left, right) if each.is_non_negative]
    return Range(0, min(highs)) if highs else left.join(right)


@dataclass
class SetNoWrap(RewritePattern):
    """Says of a loop over index that its counter may simply be added to."""

    facts: AnalysisManager

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter, /) -> None:
        if NO_WRAP in op.attributes or not isinstance(op.lb.type, IndexType):
            return
        low, high, step = self.facts.get(Integers, op).ranges_of(op)[:3]
        if step.low > 0 and first_past(low, high, step) <= full_range(op.lb.type).high:
            op.attributes[NO_WRAP] = UnitAttr()
            rewriter.notify_op_modified(op)


def _numbers(width: int) -> dict[IntegerOverflowFlag, Range]:
    """
    The signed and the unsigned numbers of an integer type. A range within them, of an index or
    of another integer, holds the same numbers under both readings of the bits or under its own.
    """
    half = 2 ** (width - 1)
    return {
        IntegerOverflowFlag.NSW: Range(-half, half - 1),
        IntegerOverflowFlag.NUW: Range(0, 2 * half - 1),
    }
