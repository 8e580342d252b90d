"""
Loops over the lanes of a mask: those that are set are visited by their bits.

    for lane in 0 .. 16 { if (mask[lane]) { update } }    becomes
    bits = mask
    for k in 0 .. popcount(bits) { lane = cttz(bits); update; bits &= bits - 1 }

A processor guesses wrongly of each lane that is not as the one before; how many there are it
guesses once.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import scf, vector
from xdsl.dialects.builtin import IndexType, VectorType, i1
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Value, for_
from vyre_dialect.ir.constants import integer_of
from vyre_dialect.ir.cooperation import has_convergent_op
from vyre_dialect.ir.types import lane_count
from vyre_dialect.passes.loop.vectorization.body import copy_ops
from vyre_dialect.passes.rewriting.reductions import bits_of

MOST_LANES = 64
"""As many as a number has bits."""


@dataclass(frozen=True)
class _Visits:
    """A loop that asks each lane of a mask whether to do something."""

    mask: SSAValue
    branch: scf.IfOp

    @classmethod
    def of(cls, loop: scf.ForOp) -> _Visits | None:
        """What a loop does, if it is that and nothing else."""
        match list(loop.body.block.ops):
            case [vector.ExtractOp() as test, scf.IfOp() as branch, scf.YieldOp()]:
                pass
            case _:
                return None
        mask, lane = test.vector, loop.body.block.args[0]
        if tuple(test.dynamic_position) != (lane,) or branch.cond is not test.result:
            return None
        if not test.result.has_one_use() or has_convergent_op(loop.body):
            return None
        if loop.iter_args or branch.results or branch.false_region.blocks:
            return None
        if not isinstance(mask.type, VectorType) or mask.type.element_type != i1:
            return None
        lanes = lane_count(mask.type)
        bounds = tuple(map(integer_of, loop.operands))
        has_bits = lanes.bit_count() == 1 and lanes <= MOST_LANES
        return cls(mask, branch) if bounds == (0, lanes, 1) and has_bits else None


class VisitSetBits(RewritePattern):
    """Visits the lanes of a mask of which a loop asks each, by their bits."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter, /) -> None:
        visits = _Visits.of(op)
        if visits is None:
            return
        with ImplicitBuilder(rewriter):
            bits = bits_of(visits.mask)
            count = bits.ctpop().to(IndexType()).named("set")
            _visit(visits, op.body.block.args[0], bits, count)
        rewriter.erase(op)


def _visit(visits: _Visits, lane: SSAValue, bits: Value, count: Value) -> None:
    """Do what a loop does in each lane that is set, of which there are so many, in order."""
    lanes = lane_count(visits.mask.type)
    with for_(0, count, carry=[bits], unroll=1) as loop:
        (left,) = loop.named("left")
        at = (left.cttz() & (lanes - 1)).to(IndexType()).named("lane")
        *ops, _ = visits.branch.true_region.block.ops
        copy_ops(ops, {lane: at.ssa})
        loop.yields(left & (left - 1))
