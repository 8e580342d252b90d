"""
Loads and stores of neighbouring items. Those next to each other are one wide access; those a few
elements apart are wide accesses of all in between; items that neighbours share, as those of `i / 2`
are, are loaded once; any others are done one by one.
"""

from __future__ import annotations

from dataclasses import dataclass

from vyre_dialect.builder import Value, if_
from vyre_dialect.ops.memory import LoadOp, StoreOp
from vyre_dialect.passes.loop.vectorization.body import Body, Recipe
from vyre_dialect.passes.loop.vectorization.gathers import plan_gather
from vyre_dialect.passes.loop.vectorization.look_ups import plan_look_up
from vyre_dialect.passes.loop.vectorization.planning import Planning
from vyre_dialect.passes.loop.vectorization.recipes import EachLane, Once
from vyre_dialect.passes.loop.vectorization.strided import (
    items_apart,
    plan_shared_load,
    plan_strided_load,
)
from vyre_dialect.passes.loop.vectorization.wrapped_rows import Wrapped


@dataclass(frozen=True)
class WideLoad(Recipe):
    """The items of all lanes, next to each other, are loaded at once."""

    op: LoadOp

    def write(self, body: Body) -> None:
        """Load a vector of them."""
        op = self.op
        load = LoadOp(op.buffer, body.value(op.index).at(0), body.wide_type(op.value.type))
        load.in_bounds, load.alignment = op.in_bounds, op.alignment
        body.drop_proofs(load)
        body.bind_wide(op.value, load.value)


@dataclass(frozen=True)
class WrappedLoad(Recipe):
    """The items along a row are loaded at once where the row does not end among the lanes."""

    op: LoadOp

    def write(self, body: Body) -> None:
        """Load a vector of them, or one by one."""
        op, along = self.op, body.value(self.op.index)
        assert isinstance(along, Wrapped)
        with if_(Value(along.first) <= Value(along.size) - along.lanes) as branch:
            WideLoad(op).write(body)
            branch.yields(body.value(op.value).wide())
        with branch.else_():
            body.bind(op.index, along.one_by_one())  # counted once for all lanes
            EachLane(op).write(body)
            branch.yields(body.value(op.value).wide())
        body.bind(op.index, along)
        body.bind_wide(op.value, branch.results[0].ssa)


@dataclass(frozen=True)
class WideStore(Recipe):
    """The items of all lanes, next to each other, are stored at once."""

    op: StoreOp

    def write(self, body: Body) -> None:
        """Store a vector of them."""
        op = self.op
        store = StoreOp(body.value(op.value).wide(), op.buffer, body.value(op.index).at(0))
        store.in_bounds, store.alignment = op.in_bounds, op.alignment


def plan_load(planning: Planning, op: LoadOp) -> Recipe:
    """How the lanes load what they load."""
    step = planning.step_of(op.index)
    if step == 0 and op.buffer not in planning.written:
        planning.note(0, op.value)
        return Once(op)
    planning.note(None, op.value)
    if looked_up := plan_look_up(planning, op):
        planning.wide_ops += 1
        return looked_up
    if step and planning.can_be_wide(op):
        if step == op.elements:
            planning.wide_ops += 1
            return WideLoad(op)
        if op.buffer not in planning.written and items_apart(step, op.elements) is not None:
            planning.wide_ops += 1
            return plan_strided_load(planning, op, step)
    shared = plan_shared_load(planning, op)
    if shared is not None:
        planning.wide_ops += 1
        return shared
    if op.elements == 1 and planning.is_wrapped(op.index) and planning.can_be_wide(op):
        planning.wide_ops += 1
        planning.wrapped_loads += 1
        return WrappedLoad(op)
    planning.scalar_ops += 1
    return plan_gather(planning, op) or EachLane(op)


def plan_store(planning: Planning, op: StoreOp) -> Recipe:
    """How the lanes store what they store."""
    step = planning.step_of(op.index)
    if step == 0 and planning.is_uniform(op.value):
        return Once(op)
    if step == op.elements and planning.can_be_wide(op):
        planning.wide_ops += 1
        return WideStore(op)
    planning.scalar_ops += 1
    return EachLane(op)
