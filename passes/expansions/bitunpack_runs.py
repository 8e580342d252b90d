"""
`vyre.decode.bitunpack_runs` as one data-parallel arm.

An invocation looks for the run of its first value, and goes on from run to run; each value is
shifted out of the two words that it may stand in.
"""

from __future__ import annotations

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import i64
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Value, arm, for_, if_, index
from vyre_dialect.ops.packed_runs import BitUnpackRunsOp
from vyre_dialect.passes.expansions.binary_search import first_above, first_above_from
from vyre_dialect.passes.expansions.described_packing import FIELDS, Packing
from vyre_dialect.passes.expansions.destination import size_destination

PROBLEM = "invalid run of packed integers"


class ExpandBitUnpackRuns(RewritePattern):
    """Expand `vyre.decode.bitunpack_runs`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BitUnpackRunsOp, rewriter: PatternRewriter, /) -> None:
        count = Value(op.count)
        size_destination(op, rewriter, lambda: count)
        values = op.values_per_invocation
        with ImplicitBuilder(rewriter):
            with arm("decode.bitunpack_runs", count.ceildiv(values).named("invocations")) as i:
                _check_end(op, i, count)
                _unpack(op, (i * values).named("start"), count)
        rewriter.erase(op)


def _check_end(op: BitUnpackRunsOp, i: Value, count: Value) -> None:
    ends = Buffer(op.ends)
    described = ends.length.min(Buffer(op.runs).length // FIELDS).named("described")
    last = ends[described - 1].to(index, signed=True)
    with if_(i.eq(0) & (last < count)):
        Buffer(op.errors).trap(PROBLEM, described)


def _unpack(op: BitUnpackRunsOp, start: Value, count: Value) -> None:
    ends, source, destination = Buffer(op.ends), Buffer(op.source), Buffer(op.destination)
    with for_(0, op.values_per_invocation, carry=[first_above(ends, start)]) as values:
        place = (start + values.counter).named("place")
        run = first_above_from(ends, values.carried[0], place).named("run")
        packing = Packing.described(Buffer(op.runs), run, op.width)
        # In front of the first end there is nothing, which reads as 0.
        within = (place - ends[run - 1].to(index, signed=True)).named("within")
        with if_((place < count) & _is_bad(source, packing, within)):
            Buffer(op.errors).trap(PROBLEM, run)
        value = packing.sequential(source, within, 1)
        if op.limits is not None:
            packed = (value - packing.base.to(value.type)).to(i64)
            with if_((place < count) & (packed >= Buffer(op.limits)[run])):
                Buffer(op.errors).trap(PROBLEM, run)
        destination[place] = value
        values.yields(run)


def _is_bad(source: Buffer, packing: Packing, within: Value) -> Value:
    """Whether a value of a run is not what the run says it is."""
    available = (source.length * 8 - packing.start).named("available")
    is_outside = (packing.start < 0) | ((within + 1) * packing.bits > available)
    return packing.asked.ne(packing.bits) | is_outside
