"""`vyre-infer-overflow-flags`: marks integer arithmetic that provably does not wrap around."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, TypeAlias, get_args

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.arith import IntegerOverflowAttr, IntegerOverflowFlag
from xdsl.dialects.builtin import IndexType, IntegerType, ModuleOp, UnitAttr
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from vyre_dialect.passes.analysis.value_ranges import (
    TRANSFERS,
    Range,
    ValueRanges,
    bit_width,
    first_past,
    full_range,
)
from vyre_dialect.passes.class_walker import ClassWalker
from vyre_dialect.scheduling import Family, PassMetadata, Phase
from vyre_dialect.types import NO_WRAP

_Arithmetic: TypeAlias = arith.AddiOp | arith.SubiOp | arith.MuliOp | arith.ShLIOp


@dataclass(frozen=True)
class InferOverflowFlagsPass(ModulePass):
    """
    Sets `overflow<nsw>` and `overflow<nuw>` on `arith.addi`, `subi`, `muli` and `shli` of scalars
    where the ranges of the operands prove that the result is exact, of signed and of unsigned
    numbers; and `vyre.no_wrap` on `scf.for` where its counter provably passes the bound without
    wrapping around. What is not proven stays as it is.

    A proof may rest on the conditions around an op: who moves the op out of an `scf.if` drops
    its flags.
    """

    name = "vyre-infer-overflow-flags"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.KERNELS, Family.UNKNOWN, requires=("vyre-reduce-strength",)
    )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        ranges = ValueRanges()
        patterns: list[RewritePattern] = [SetOverflowFlags(ranges), SetNoWrap(ranges)]
        pattern = GreedyRewritePatternApplier(patterns, dce_enabled=False)
        classes = (*get_args(_Arithmetic), scf.ForOp)
        walker = ClassWalker(pattern, apply_recursively=False, op_classes=classes)
        walker.rewrite_module(op)


@dataclass
class SetOverflowFlags(RewritePattern):
    """Adds the flags that are proven to those that an op has."""

    ranges: ValueRanges

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
        operands = [self.ranges.range_at(operand, op.parent) for operand in op.operands]
        for flag, numbers in _numbers(width).items():
            is_same_number = all(operand.within(numbers) for operand in operands)
            if is_same_number and transfer is not None and transfer(op, operands).within(numbers):
                yield flag


@dataclass
class SetNoWrap(RewritePattern):
    """Says of a loop over index that its counter may simply be added to."""

    ranges: ValueRanges

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter, /) -> None:
        if NO_WRAP in op.attributes or not isinstance(op.lb.type, IndexType):
            return
        bounds = [self.ranges.range_at(bound, op.parent) for bound in (op.lb, op.ub, op.step)]
        low, high, step = bounds
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
