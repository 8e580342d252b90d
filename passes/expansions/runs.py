"""
What decoders of runs have in common: one data-parallel arm, whose invocations look for the run of
their first value.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.builder import ImplicitBuilder
from xdsl.pattern_rewriter import PatternRewriter

from vyre_dialect.builder import Buffer, Value, arm, if_, index
from vyre_dialect.ops.runs import RunsOp
from vyre_dialect.passes.expansions.binary_search import first_above
from vyre_dialect.passes.expansions.destination import size_destination


def expand_runs(
    op: RunsOp,
    rewriter: PatternRewriter,
    fields: int,
    problem: str,
    decode: Callable[[Value, Value], None],
) -> None:
    """
    Make an arm of an op that says so many numbers of each run: `decode(start, count)` makes the
    values of an invocation from the start-th on, of `count` in all. Too few runs are a `problem`.
    """
    count, values = Value(op.count), op.values_per_invocation
    size_destination(op, rewriter, lambda: count)
    with ImplicitBuilder(rewriter):
        name = op.name.removeprefix("vyre.")
        with arm(name, count.ceildiv(values).named("invocations")) as i:
            _check_end(op, i, count, fields, problem)
            decode((i * values).named("start"), count)
    rewriter.erase(op)


def _check_end(op: RunsOp, i: Value, count: Value, fields: int, problem: str) -> None:
    ends = Buffer(op.ends)
    described = ends.length.min(Buffer(op.runs).length // fields).named("described")
    last = ends[described - 1].to(index, signed=True)
    with if_(i.eq(0) & (last < count)):
        Buffer(op.errors).trap(problem, described)


def run_of(op: RunsOp, place: Value) -> Value:
    """The number of the run that a value is in."""
    skips = None if op.skips is None else Buffer(op.skips)
    return first_above(Buffer(op.ends), place, skips).named("run")


def end_of(op: RunsOp, run: Value) -> Value:
    """How many values there are up to the end of a run."""
    return Buffer(op.ends)[run].to(index, signed=True)


def first_of(op: RunsOp, run: Value) -> Value:
    """The number of the first value of a run."""
    # In front of the first end there is nothing, which reads as 0.
    return end_of(op, run - 1).named("first")
