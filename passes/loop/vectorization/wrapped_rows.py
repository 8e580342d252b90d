"""
Indices that go along rows of a run-time size: `i % n` and `i / n`, of lanes next to each other. One
division says where the first lane is, from which the others count on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Operation, SSAValue

from vyre_dialect.builder import Value
from vyre_dialect.ir.constants import integer_of
from vyre_dialect.passes.loop.vectorization.body import Body, Recipe
from vyre_dialect.passes.loop.vectorization.lane_values import LaneValue, separate
from vyre_dialect.passes.loop.vectorization.planning import Planning

_Remainder: TypeAlias = arith.RemSIOp | arith.RemUIOp
_Quotient: TypeAlias = arith.DivSIOp | arith.DivUIOp


@dataclass(frozen=True)
class Wrapped(LaneValue):
    """Indices that grow by one from lane to lane, and are 0 behind the last one of a row."""

    first: SSAValue
    size: SSAValue
    """Of the row."""

    @property
    def type(self) -> Attribute:
        return self.first.type

    def at(self, lane: int) -> SSAValue:
        return next(islice(self._counted(), lane, None))

    def at_index(self, lane: Value) -> SSAValue:
        return self.one_by_one().at_index(lane)

    def wide(self) -> SSAValue:
        return self.one_by_one().wide()

    def one_by_one(self) -> LaneValue:
        """The index of each lane, computed from that of the one before."""
        return separate(islice(self._counted(), self.lanes))

    def _counted(self) -> Iterator[SSAValue]:
        place, size = Value(self.first), Value(self.size)
        while True:
            yield place.ssa
            place = place + 1
            place = (place < size).select(place, 0)  # a row without elements has 0 alone


@dataclass(frozen=True)
class RemainderAlong(Recipe):
    """Where lanes next to each other are in a row."""

    op: _Remainder

    def write(self, body: Body) -> None:
        """Divide in the first lane."""
        first = body.clone_at(self.op, 0).results[0]
        size = body.value(self.op.rhs).at(0)
        body.bind(self.op.result, Wrapped(body.lanes, first, size))


@dataclass(frozen=True)
class QuotientAlong(Recipe):
    """In which row lanes next to each other are."""

    op: _Quotient

    def write(self, body: Body) -> None:
        """Divide in the first lane; the others are a row further where one has ended."""
        row = Value(body.clone_at(self.op, 0).results[0])
        number, size = (Value(body.value(each).at(0)) for each in self.op.operands)
        rows, place = [row.ssa], number - row * size
        for _ in range(1, body.lanes):
            place = place + 1
            is_over = place.eq(size)  # never of a row without elements
            place, row = is_over.select(0, place), is_over.select(row + 1, row)
            rows.append(row.ssa)
        body.bind(self.op.result, separate(rows))


def plan_along_rows(planning: Planning, op: Operation) -> Recipe | None:
    """How lanes next to each other divide by what is the same for all; None where they do not."""
    if not isinstance(op, _Remainder | _Quotient) or not _is_along_rows(planning, op):
        return None
    planning.note(None, op.result)
    if isinstance(op, _Quotient):
        return QuotientAlong(op)
    planning.note_wrapped(op.result)
    return RemainderAlong(op)


def _is_along_rows(planning: Planning, op: _Remainder | _Quotient) -> bool:
    """
    Whether lanes count on, from no negative number, in rows of no negative size. What does not
    matter in the first lane says nothing of the others; few elements are shared by many lanes.
    """
    block, size = op.parent, integer_of(op.rhs)
    assert block is not None
    if planning.is_masked or not isinstance(op.result.type, IndexType):
        return False
    if planning.step_of(op.lhs) != 1 or not planning.is_uniform(op.rhs):
        return False
    is_long = size is None or size > planning.lanes
    ranges = (planning.steps.range_at(operand, block) for operand in op.operands)
    return is_long and all(each.is_non_negative for each in ranges)
