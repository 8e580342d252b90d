"""
Loops that lanes run a different number of times: as often as the lane that runs it most. A mask
tells the lanes that have not finished; what the others compute changes nothing.

    for (k = a; k < b; k++) s = f(s, k)
      -->  for (t = 0; t < max(b - a); t++) { on = t < b - a; s = on ? f(s, a + t) : s; }

Source: Allen, Kennedy, Porterfield and Warren, "Conversion of control dependence to data
dependence".
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from vyre_dialect.builder import Value, constant, index
from vyre_dialect.ir.constants import integer_of
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import lane_count
from vyre_dialect.ops.lanes import CompareLanesOp, Predicate, SelectLanesOp
from vyre_dialect.ops.memory import LoadOp
from vyre_dialect.passes.loop.refusal import Refusal
from vyre_dialect.passes.loop.vectorization.body import BlockRecipe, Body, Recipe
from vyre_dialect.passes.loop.vectorization.branches import MAX_CHOSEN, may_be_computed
from vyre_dialect.passes.loop.vectorization.lane_values import (
    LaneValue,
    first_and_step,
    repeated,
    separate,
    stepped,
)
from vyre_dialect.passes.loop.vectorization.planning import Planning
from vyre_dialect.passes.loop.vectorization.refusal import Reason
from vyre_dialect.passes.loop.vectorization.steps import SMALL
from vyre_dialect.passes.rewriting.reductions import halved

MAX_TRIPS = 64
"""Iterations that the lane which runs most of them may make the others wait for."""


@dataclass(frozen=True)
class MaskedLoop(Recipe):
    """Lanes run a loop as often as any of them does."""

    op: scf.ForOp
    inner: BlockRecipe

    def write(self, body: Body) -> None:
        """Run it under a mask of the lanes that have not finished."""
        op, (counter, *arguments) = self.op, self.op.body.block.args
        begin, end = body.value(op.lb), body.value(op.ub)
        trips = Value(end.wide()) - Value(begin.wide())
        initial = [body.value(each).wide() for each in op.iter_args]
        inner = Block(arg_types=[index, *(each.type for each in initial)])
        passed = inner.args[0]
        for argument, wide in zip(arguments, inner.args[1:], strict=True):
            body.bind_wide(argument, wide)
        with ImplicitBuilder(inner):
            body.bind(counter, _moved(begin, Value(passed)))
            now = Value(arith.IndexCastOp(passed, i64).result).broadcast(body.lanes)
            mask = CompareLanesOp(Predicate.SLT, now.ssa, trips.ssa).result
            with body.masked(mask):
                yielded = body.run(self.inner)
            carried = zip(arguments, yielded, inner.args[1:], strict=True)
            scf.YieldOp(*(_kept(mask, old.type, new, wide) for old, new, wide in carried))
        most = Value(arith.IndexCastOp(halved(Value.maxsi, trips, 1).lane(0).ssa, index).result)
        step = body.value(op.step).at(0)
        loop = scf.ForOp(constant(0).ssa, most.ssa, step, initial, inner)
        loop.attributes |= op.attributes
        for result, made in zip(op.results, loop.results, strict=True):
            body.bind_wide(result, made)


def plan_masked(planning: Planning, op: scf.ForOp) -> Recipe | Refusal:
    """
    How to run an `scf.for` as often as any lane does, or why not: lanes that have finished might do
    what shows, or one lane's loop is faster.
    """
    if (refusal := _refusal_of(planning, op)) is not None:
        return refusal
    counter, *arguments = op.body.block.args
    planning.note(None, *arguments, *op.results)
    planning.note(planning.step_of(op.lb), counter)
    planning.steps.run_in_step(counter)
    inner = planning.loop_body(op.body, masked=True)
    return inner if isinstance(inner, Refusal) else MaskedLoop(op, inner)


def _kept(mask: SSAValue, type: Attribute, new: LaneValue, old: SSAValue) -> SSAValue:
    """What a loop carries on: what lanes have found that have not finished, or found before."""
    spread = repeated(mask, lane_count(type), new.lanes)
    return SelectLanesOp(spread, new.wide(), old).result


def _moved(begin: LaneValue, by: Value) -> LaneValue:
    """The counter of each lane after some iterations."""
    known = first_and_step(begin)
    if known is not None:
        return stepped((Value(known[0]) + by).ssa, known[1], begin.lanes)
    return separate((Value(begin.at(lane)) + by).ssa for lane in range(begin.lanes))


def _refusal_of(planning: Planning, op: scf.ForOp) -> Refusal | None:
    """Why a loop cannot, or should not, be run under a mask."""
    block = op.parent
    assert block is not None
    if not isinstance(op.lb.type, IndexType):
        return _refusal("which they count in integers")
    step, end = integer_of(op.step), planning.steps.forms.at(op.ub, block)
    distance = end.plus(planning.steps.forms.at(op.lb, block), -1)
    ranges = [planning.steps.range_at(bound, block) for bound in (op.lb, op.ub)]
    if step is None or step < 1 or not all(each.within(SMALL) for each in ranges):
        return _refusal("whose bounds may be any numbers")
    too_many = distance.shifted(-MAX_TRIPS * step)
    if not planning.steps.forms.is_never_positive(too_many, block):
        return _refusal(f"which are not known to be {MAX_TRIPS} at most")
    inside = ops_inside(op.body)
    if len(inside) > MAX_CHOSEN or not all(_may_be_masked(planning, op, each) for each in inside):
        return _refusal("and do more in it than compute and load")
    return None


def _refusal(why: str) -> Refusal:
    detail = f"lanes run an 'scf.for' a different number of times, {why}"
    return Refusal(Reason.DIVERGENT_LOOP, detail)


def _may_be_masked(planning: Planning, loop: scf.ForOp, op: Operation) -> bool:
    """Whether lanes that have finished may do an op, too: loads are guarded, and change nothing."""
    if isinstance(op, LoadOp) and op.parent is loop.body.block:
        return op.buffer not in planning.written
    return may_be_computed(planning, op)
