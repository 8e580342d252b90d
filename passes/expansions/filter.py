"""
`vyre.scan.filter` as one data-parallel arm: an invocation tests 16 values, four at a time.
"""

from __future__ import annotations

from functools import reduce
from operator import add

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import VectorType, i32, i64
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Value, arm, constant, for_, if_
from vyre_dialect.ops.scan import FilterOp
from vyre_dialect.passes.expansions.host_side import invocations
from vyre_dialect.types import AtomicKind

VALUES = 16
LANES = 4
WORDS = VectorType(i32, [LANES])


class ExpandFilter(RewritePattern):
    """Expand `vyre.scan.filter`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: FilterOp, rewriter: PatternRewriter, /) -> None:
        with ImplicitBuilder(rewriter):
            source = Buffer(op.source)
            with arm("scan.filter", invocations(source, VALUES)) as i:
                _filter(op, source, (i * VALUES).named("first"))
        rewriter.erase(op)


def _filter(op: FilterOp, source: Buffer, first: Value) -> None:
    zero = constant(0, WORDS)
    with for_(0, VALUES, LANES, carry=[zero, zero, zero]) as quads:
        values = source.load(first + quads.counter.named("offset"), WORDS).named("values")
        inside = _inside(values, op.range).named("inside")
        chosen = (values & zero - inside).named("chosen")
        # Halves of 16 values cannot overflow a lane, and need no 64-bit lanes.
        counts, lows, highs = quads.named("counts", "lows", "highs")
        quads.yields(counts + inside, lows + (chosen & 0xFFFF), highs + chosen.shrsi(16))
    counts, lows, highs = quads.results
    count = _across(counts).named("count")
    if 0 in op.range:
        # Values past the end were read, and counted, as zeros.
        past_end = (first + VALUES - source.length).max(0).named("past_end")
        count = (count - past_end.to(i32)).named("count")
    with if_(count.ne(0)):
        _add_to_results(op, count, lows, highs)


def _inside(values: Value, range: range) -> Value:
    """One in the lanes whose value lies in the range, zero in the others."""
    if len(range) == 1 << 32:
        return constant(1, WORDS)
    offsets = values - range.start
    # The minimum is the range's size exactly where the offset lies beyond the range.
    return (offsets.min(len(range)) ^ len(range)).min(1)


def _across(vector: Value) -> Value:
    return reduce(add, [vector.lane(position) for position in range(LANES)])


def _add_to_results(op: FilterOp, count: Value, lows: Value, highs: Value) -> None:
    counts = Buffer(op.count)
    counts.atomic(AtomicKind.ADDI, count.to(counts.type.element_type))
    if op.sum is None:
        return
    high = _across(highs).to(i64, signed=True)
    sum = (high << 16) + _across(lows).to(i64)
    Buffer(op.sum).atomic(AtomicKind.ADDI, sum.named("sum"))
