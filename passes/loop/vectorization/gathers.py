"""
Loads of elements that the data choose, as codes choose those of a dictionary: all lanes ask at once
whether theirs is in the buffer, as a branch of each is mispredicted where some are not.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import UnitAttr, VectorType, i32
from xdsl.ir import SSAValue

from vyre_dialect.analysis.value_ranges import Range
from vyre_dialect.builder import Value, constant, if_
from vyre_dialect.ir.types import BufferType
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.lanes import CompareLanesOp, Predicate, SelectLanesOp
from vyre_dialect.ops.memory import LoadOp
from vyre_dialect.passes.loop.vectorization.body import Body, Recipe
from vyre_dialect.passes.loop.vectorization.lane_values import separate
from vyre_dialect.passes.loop.vectorization.planning import Planning

FEWEST = 8
"""Lanes that gain by it: of words, GPUs have fewer, and ask for each without a branch."""
_LARGEST = 2**31 - 1
"""What numbers choose at most."""


@dataclass(frozen=True)
class Gathered(Recipe):
    """Lanes load elements one by one, the first of the buffer where theirs is outside of it."""

    op: LoadOp
    position: SSAValue
    """The number that is the index."""

    def write(self, body: Body) -> None:
        """Load, and let those outside be 0."""
        count = Value(BufLenOp(self.op.buffer).length)
        positions = Value(body.value(self.position).wide())
        reached = count.minsi(_LARGEST).to(i32).broadcast(body.lanes)
        inside = CompareLanesOp(Predicate.ULT, positions.ssa, reached.ssa).result
        safe = SelectLanesOp(inside, positions.ssa, constant(0, positions.type).ssa).result
        nothing = constant(0, body.wide_type(self.op.value.type)).ssa
        with if_(count > 0) as branch:
            items = separate(self._items(Value(safe), body.lanes)).wide()
            branch.yields(SelectLanesOp(inside, items, nothing).result)
        with branch.else_():
            branch.yields(nothing)
        body.bind_wide(self.op.value, branch.results[0].ssa)

    def _items(self, places: Value, lanes: int) -> list[SSAValue]:
        found = list[SSAValue]()
        for lane in range(lanes):
            load = LoadOp(self.op.buffer, places.lane(lane).to(self.op.index.type).ssa)
            load.in_bounds = UnitAttr()
            found.append(load.value)
        return found


def plan_gather(planning: Planning, op: LoadOp) -> Gathered | None:
    """How lanes load what numbers of 32 bits choose, where that may be outside of the buffer."""
    cast = op.index.owner
    if not isinstance(cast, arith.IndexCastOp) or cast.input.type != i32:
        return None
    if planning.lanes < FEWEST or isinstance(op.value.type, VectorType) or op.elements != 1:
        return None
    return None if _is_inside(planning, op) else Gathered(op, cast.input)


def _is_inside(planning: Planning, op: LoadOp) -> bool:
    """Whether the element is known to be in the buffer, whatever the data are."""
    buffer, block = op.buffer.type, op.parent
    assert isinstance(buffer, BufferType) and block is not None
    inside = Range(0, (buffer.static_count or 0) - 1)
    return planning.steps.range_at(op.index, block).within(inside)
