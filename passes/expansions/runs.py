"""
What decoders of runs have in common: one data-parallel arm.

An invocation looks for the run of its first value, and takes what is its own of that run and of
those behind it: of each, values are computed for all of its lanes, of which those are kept that are
in the run. Where a run is not what it says, each value is looked at by itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Generic, NamedTuple, TypeVar

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute
from xdsl.pattern_rewriter import PatternRewriter

from vyre_dialect.builder import Buffer, Value, arm, constant, for_, if_, index, while_
from vyre_dialect.ir.types import VECTOR_LANES
from vyre_dialect.ops.runs import RunsOp
from vyre_dialect.passes.expansions.binary_search import first_above
from vyre_dialect.passes.expansions.destination import size_destination
from vyre_dialect.passes.rewriting.side_by_side import several

_NO_RUN = -1

Op = TypeVar("Op", bound=RunsOp)


class Part(NamedTuple):
    """What an invocation has from one run."""

    end: Value
    """How many values there are up to the end of the run."""
    is_right: Value
    """Whether the run is what it says, as far as the invocation has of it."""
    values: Value
    """In their lanes, with zeros in those of other runs; anything, where it is not."""


@dataclass(frozen=True)
class Decoder(ABC, Generic[Op]):
    """How an op decodes its runs."""

    op: Op
    fields: ClassVar[int]
    """How many numbers the op says of each."""
    problem: ClassVar[str]
    """What is wrong with a run that is not what it says."""

    @property
    def lanes(self) -> int:
        """How many values stand side by side."""
        return min(self.op.values_per_invocation, max(VECTOR_LANES))

    @property
    @abstractmethod
    def word(self) -> IntegerType:
        """What a value is decoded as."""
        raise NotImplementedError

    @property
    def result(self) -> Attribute:
        """The type of values side by side."""
        return several(self.word, self.lanes)

    @abstractmethod
    def part(self, run: Value, start: Value, place: Value, count: Value) -> Part:
        """What is in a run of the values from the start-th on, at a place and behind it."""
        raise NotImplementedError

    @abstractmethod
    def one_by_one(self, run: Value, start: Value, count: Value) -> None:
        """
        Store the values from the start-th on, each of which looks for its run from a given one on,
        and report runs that are not what they say.
        """
        raise NotImplementedError

    def store(self, values: Value, start: Value) -> None:
        """Store values from the start-th on."""
        Buffer(self.op.destination).store(values, start)


def expand_runs(decoder: Decoder[Op], rewriter: PatternRewriter) -> None:
    """Make an arm of an op. Too few runs are a problem, too."""
    op = decoder.op
    count, values = Value(op.count), op.values_per_invocation
    size_destination(op, rewriter, lambda: count)
    with ImplicitBuilder(rewriter):
        name = op.name.removeprefix("vyre.")
        with arm(name, count.ceildiv(values).named("invocations")) as i:
            described = Buffer(op.ends).length.min(Buffer(op.runs).length // decoder.fields)
            _check_end(decoder, i, described.named("described"))
            _decode(decoder, (i * values).named("start"), described)
    rewriter.erase(op)


def _check_end(decoder: Decoder[Op], i: Value, described: Value) -> None:
    op = decoder.op
    last = end_of(op, described - 1)
    with if_(i.eq(0) & (last < Value(op.count))):
        Buffer(op.errors).trap(decoder.problem, described)


def _decode(decoder: Decoder[Op], start: Value, described: Value) -> None:
    """The values of an invocation, so many side by side."""
    run, values = run_of(decoder.op, start), decoder.op.values_per_invocation
    if decoder.lanes == values:
        _side_by_side(decoder, run, start, described)
        return
    with for_(0, values, decoder.lanes, carry=[run], unroll=1) as groups:
        first = (start + groups.counter).named("first")
        groups.yields(_side_by_side(decoder, groups.carried[0], first, described))


def _side_by_side(decoder: Decoder[Op], nearest: Value, start: Value, described: Value) -> Value:
    """
    Decode values from the start-th on, those of one run after another; gives a run that what is
    behind them is in, or behind.
    """
    count = Value(decoder.op.count)
    behind = (start + decoder.lanes).named("behind")
    # What is behind the last value belongs to no run.
    first = (behind <= count).select(nearest, _NO_RUN)

    def is_left(run: Value, place: Value, _: Value) -> Value:
        return (place < behind) & (run >= 0)

    with while_(is_left, carry=[first, start, constant(0, decoder.result)]) as runs:
        run, place, found = runs.named("run", "place", "found")
        with if_(run < described) as branch:
            part = decoder.part(run, start, place, count)
            following = (part.end <= behind).select(run + 1, run)
            following = part.is_right.select(following, _NO_RUN)
            reached = part.is_right.select(place.max(part.end), place)
            branch.yields(following, reached, found | part.values)
        with branch.else_():
            branch.yields(_NO_RUN, place, found)
        runs.yields(*branch.results)
    run, place, found = runs.results
    with if_(place >= behind) as branch:
        decoder.store(found, start)
        branch.yields(run)
    with branch.else_():
        decoder.one_by_one(nearest, start, count)
        branch.yields(nearest)
    return branch.results[0]


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
