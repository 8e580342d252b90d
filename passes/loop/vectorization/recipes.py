"""How lanes do an op that each of them does by itself, or one of them for all."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation

from vyre_dialect.passes.loop.vectorization.body import Body, Recipe
from vyre_dialect.passes.loop.vectorization.lane_values import Uniform, at_offsets, separate
from vyre_dialect.passes.loop.vectorization.planning import Planning
from vyre_dialect.passes.loop.vectorization.steps import Offsets


@dataclass(frozen=True)
class Once(Recipe):
    """The first lane does an op, whose results are those of the others, too."""

    op: Operation

    def write(self, body: Body) -> None:
        """Do the op once."""
        made = body.clone_at(self.op, 0)
        for result, first in zip(self.op.results, made.results, strict=True):
            body.bind(result, Uniform(body.lanes, first))


@dataclass(frozen=True)
class OnceAtOffsets(Recipe):
    """The first lane does an op, whose result those of the others are known numbers away from."""

    op: Operation
    offsets: Offsets

    def write(self, body: Body) -> None:
        """Do the op once."""
        made = body.clone_at(self.op, 0)
        body.bind(self.op.results[0], at_offsets(made.results[0], self.offsets))


def plan_once_at_offsets(planning: Planning, op: Operation, offsets: Offsets) -> Recipe:
    """How the lanes do an op whose results are known numbers apart."""
    planning.note_offsets(offsets, op.results[0])
    return OnceAtOffsets(op, offsets)


@dataclass(frozen=True)
class EachLane(Recipe):
    """Lanes do an op one after the other."""

    op: Operation

    def write(self, body: Body) -> None:
        """Do the op once for each lane, in their order."""
        copies = [body.clone_at(self.op, lane) for lane in range(body.lanes)]
        for number, result in enumerate(self.op.results):
            body.bind(result, separate(copy.results[number] for copy in copies))
