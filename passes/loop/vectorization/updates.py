"""
Updates of shared elements: what all lanes combine into one element is combined first, and updates
it once; lanes that do not take part contribute what changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from vyre_dialect.builder import Value, if_
from vyre_dialect.ir.interfaces import HasCombinerInterface
from vyre_dialect.ir.types import AtomicKind
from vyre_dialect.ops.lanes import SelectLanesOp
from vyre_dialect.ops.memory import AtomicRMWOp
from vyre_dialect.passes.loop.vectorization.body import Body, Recipe
from vyre_dialect.passes.loop.vectorization.lane_values import Uniform
from vyre_dialect.passes.loop.vectorization.planning import Planning
from vyre_dialect.passes.loop.vectorization.recipes import EachLane
from vyre_dialect.passes.rewriting.reductions import halved, one_by_one


@dataclass(frozen=True)
class CombinedUpdate(Recipe):
    """What all lanes update an element by, combined first, updates it once."""

    op: HasCombinerInterface

    def write(self, body: Body) -> None:
        """Combine, and update unless that changes nothing."""
        value = _combined(body, self.op)
        if body.mask is None:
            _update(body, self.op, value)
            return
        neutral = Value(arith.ConstantOp(self.op.get_neutral_value()).result)
        with if_(value.ne(neutral)):
            _update(body, self.op, value)


def is_shared_update(planning: Planning, op: HasCombinerInterface) -> bool:
    """Whether neighbours update the same element, in any order, with the old value unused."""
    (access,) = op.get_accesses()
    return access.combiner is not None and not any(
        planning.varies(operand)
        for place, operand in enumerate(op.operands)
        if place != op.value_operand
    )


def plan_update(planning: Planning, op: HasCombinerInterface) -> Recipe:
    """How the lanes do a shared update."""
    planning.wide_ops += 1
    return CombinedUpdate(op)


def plan_one_by_one(planning: Planning, op: Operation) -> Recipe:
    """How the lanes do what none of them gains by doing it at once: in their order."""
    planning.scalar_ops += planning.lanes
    planning.note(None, *op.results)
    return EachLane(op)


def _update(body: Body, op: HasCombinerInterface, value: Value) -> None:
    copies = {
        operand: body.value(operand).at(0)
        for place, operand in enumerate(op.operands)
        if place != op.value_operand
    }
    update = op.clone_without_regions(copies)
    update.operands[op.value_operand] = value.ssa


def _combined(body: Body, op: HasCombinerInterface) -> Value:
    """The combination of the values of all lanes that take part."""
    value = body.value(op.operands[op.value_operand])
    if isinstance(value, Uniform) and body.mask is None:
        if _adds(op):
            return Value(value.value) * body.lanes
        return _with_itself(body, op, value.value)
    wide = value.wide()
    if body.mask is not None:
        neutral = Value(arith.ConstantOp(op.get_neutral_value()).result)
        none = neutral.broadcast(body.lanes)
        wide = SelectLanesOp(body.mask, wide, none.ssa).result
    return _all_lanes(op, Value(wide))


def _adds(op: HasCombinerInterface) -> bool:
    return isinstance(op, AtomicRMWOp) and op.kind.data == AtomicKind.ADDI


def _with_itself(body: Body, op: HasCombinerInterface, value: SSAValue) -> Value:
    """The combination of as many equal values as there are lanes, a power of two."""
    for _ in range(body.lanes.bit_length() - 1):
        value = op.combine(value, value)
    return Value(value)


def _all_lanes(op: HasCombinerInterface, wide: Value) -> Value:
    """The combination of all lanes: those of vectors of `arith`, or one by one of other ops."""

    def combine(one: Value, other: Value) -> Value:
        return Value(op.combine(one.ssa, other.ssa))

    return one_by_one(combine, halved(combine, wide) if isinstance(op, AtomicRMWOp) else wide)
