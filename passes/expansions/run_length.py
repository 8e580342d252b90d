"""
`vyre.decode.run_length` as one data-parallel arm.

An invocation looks for the run of its first value, and goes on from run to run.
"""

from __future__ import annotations

from xdsl.builder import ImplicitBuilder
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Value, arm, for_, if_, index
from vyre_dialect.ops.columns import RunLengthOp
from vyre_dialect.passes.expansions.binary_search import first_above, first_above_from
from vyre_dialect.passes.expansions.destination import size_destination


class ExpandRunLength(RewritePattern):
    """Expand `vyre.decode.run_length`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: RunLengthOp, rewriter: PatternRewriter, /) -> None:
        count = Value(op.count)
        size_destination(op, rewriter, lambda: count)
        values = op.values_per_invocation
        with ImplicitBuilder(rewriter):
            invocations = count.ceildiv(values).named("invocations")
            with arm("decode.run_length", invocations) as i:
                _check_end(op, i, count)
                _repeat(op, (i * values).named("start"))
        rewriter.erase(op)


def _check_end(op: RunLengthOp, i: Value, count: Value) -> None:
    ends = Buffer(op.source)
    runs = ends.length.named("runs")
    last = ends[runs - 1].to(index, signed=True)
    with if_(i.eq(0) & (last < count)):
        Buffer(op.errors).trap("run-length input too short", runs)


def _repeat(op: RunLengthOp, start: Value) -> None:
    ends, table, destination = Buffer(op.source), Buffer(op.table), Buffer(op.destination)
    with for_(0, op.values_per_invocation, carry=[first_above(ends, start)]) as values:
        place = (start + values.counter).named("place")
        run = first_above_from(ends, values.carried[0], place).named("run")
        destination[place] = table[run].named("value")
        values.yields(run)
