"""
`vyre.decode.bitunpack_runs` as one data-parallel arm.

An invocation looks for the run of its first value, and goes on from run to run, of which it keeps
how it is packed; each value is shifted out of the two words that it may stand in.
"""

from __future__ import annotations

from xdsl.dialects.builtin import i64
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Value, constant, for_, if_
from vyre_dialect.ops.runs import BitUnpackRunsOp
from vyre_dialect.passes.expansions.binary_search import first_above_from
from vyre_dialect.passes.expansions.described_packing import FIELDS, Adjacent, Packing
from vyre_dialect.passes.expansions.runs import end_of, expand_runs, first_of, run_of
from vyre_dialect.passes.rewriting.reductions import reduction

PROBLEM = "invalid run of packed integers"


class ExpandBitUnpackRuns(RewritePattern):
    """Expand `vyre.decode.bitunpack_runs`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BitUnpackRunsOp, rewriter: PatternRewriter, /) -> None:
        expand_runs(op, rewriter, FIELDS, PROBLEM, lambda start, count: _unpack(op, start, count))


def _unpack(op: BitUnpackRunsOp, start: Value, count: Value) -> None:
    run, lanes = run_of(op, start), op.values_per_invocation
    end = end_of(op, run).min(count).named("end")
    first = first_of(op, run)
    packing = Packing.described(Buffer(op.runs), run, op.width)
    group = Adjacent(packing, packing.start + (start - first) * packing.bits, lanes)
    source, destination = Buffer(op.source), Buffer(op.destination)
    in_run = (start + lanes <= end) & packing.asked.eq(packing.bits)
    with if_(in_run & group.lies_in(source)) as branch:
        packed = group.packed(source)
        if op.limits is not None:
            with if_(_highest(packed, lanes) >= Buffer(op.limits)[run]):
                Buffer(op.errors).trap(PROBLEM, run)
        destination.store(packing.result(packed, lanes), start)
    with branch.else_():
        _one_by_one(op, run, start, count)


def _highest(packed: Value, lanes: int) -> Value:
    """The highest of some unsigned integers."""
    return reduction(Value.max, packed) if lanes > 1 else packed


def _one_by_one(op: BitUnpackRunsOp, run: Value, start: Value, count: Value) -> None:
    """Values of several runs, or of a run that is to be reported."""
    source, destination = Buffer(op.source), Buffer(op.destination)
    # An end that no value is in front of: the first one looks its run up.
    with for_(0, op.values_per_invocation, carry=[run, 0, 0, 0, constant(0, i64)]) as values:
        place = (start + values.counter).named("place")
        run, end, *_ = values.named("run", "end", "origin", "bits", "base")
        with if_(end <= place) as branch:
            branch.yields(*_enter(op, run, place, count))
        with branch.else_():
            branch.yields(*values.carried)
        run, end, origin, bits, base = branch.results
        value = Packing(origin, bits, bits, base, op.width).sequential(source, place, 1)
        if op.limits is not None:
            packed = (value - base.to(value.type)).to(i64)
            with if_((place < count) & (packed >= Buffer(op.limits)[run])):
                Buffer(op.errors).trap(PROBLEM, run)
        destination[place] = value
        values.yields(run, end, origin, bits, base)


def _enter(op: BitUnpackRunsOp, run: Value, place: Value, count: Value) -> tuple[Value, ...]:
    """The run of a place, at or behind another one, its end, and where value 0 would start."""
    run = first_above_from(Buffer(op.ends), run, place).named("run")
    end = end_of(op, run).named("end")
    first = first_of(op, run)
    packing = Packing.described(Buffer(op.runs), run, op.width)
    with if_((place < count) & _is_bad(Buffer(op.source), packing, end.min(count) - first)):
        Buffer(op.errors).trap(PROBLEM, run)
    origin = (packing.start - first * packing.bits).named("origin")
    return run, end, origin, packing.bits, packing.base


def _is_bad(source: Buffer, packing: Packing, values: Value) -> Value:
    """Whether so many values of a run are not what the run says they are."""
    available = (source.length * 8 - packing.start).named("available")
    is_outside = (packing.start < 0) | (values * packing.bits > available)
    return packing.asked.ne(packing.bits) | is_outside
