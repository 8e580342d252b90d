"""
Updates of shared elements: what all lanes combine into one element is combined first, and updates
it once; lanes that do not take part contribute what changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType, UnitAttr, i1
from xdsl.ir import Operation, SSAValue

from vyre_dialect.analysis.value_ranges import Range
from vyre_dialect.builder import Buffer, Value, for_, if_
from vyre_dialect.ir.effects import is_effect_free
from vyre_dialect.ir.interfaces import IN_BOUNDS, HasCombinerInterface, may_be_in_bounds
from vyre_dialect.ir.types import AtomicKind, BufferType
from vyre_dialect.ops.lanes import SelectLanesOp
from vyre_dialect.ops.memory import AtomicRMWOp
from vyre_dialect.passes.loop.vectorization.body import Body, Recipe
from vyre_dialect.passes.loop.vectorization.lane_values import Separate, Uniform, Wide
from vyre_dialect.passes.loop.vectorization.planning import Planning
from vyre_dialect.passes.loop.vectorization.recipes import EachLane
from vyre_dialect.passes.rewriting.reductions import halved, one_by_one

LANE_LOOP_COST = 2
"""Accesses lane by lane that a loop of updates counts as: lanes are taken apart for it."""


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
    return access.combiner is not None and not any(map(planning.varies, _choosing(op)))


def is_joint_update(planning: Planning, op: HasCombinerInterface) -> bool:
    """Whether all lanes update the same element, in any order, with the old value unused."""
    return is_chosen_update(op) and all(map(planning.is_uniform, _choosing(op)))


def _choosing(op: HasCombinerInterface) -> list[SSAValue]:
    """The operands of an update but for the value: they choose the element."""
    return [each for place, each in enumerate(op.operands) if place != op.value_operand]


def plan_update(planning: Planning, op: HasCombinerInterface) -> Recipe:
    """How the lanes do a shared update."""
    planning.wide_ops += 1
    return CombinedUpdate(op)


def plan_one_by_one(planning: Planning, op: Operation) -> Recipe:
    """How the lanes do what none of them gains by doing it at once: in their order."""
    planning.scalar_ops += planning.lanes
    planning.note(None, *op.results)
    return EachLane(op)


def is_spread_update(planning: Planning, op: HasCombinerInterface) -> bool:
    """Whether lanes update, in any order, elements that are known numbers apart."""
    (access,) = op.get_accesses()
    if not is_chosen_update(op) or not isinstance(access.index, SSAValue) or planning.is_masked:
        return False
    return planning.offsets_of(access.index) is not None


def plan_spread_update(planning: Planning, op: Operation) -> Recipe:
    """
    How lanes update elements that are known numbers apart: what loops do to each is combined. An
    invocation that updates one alone keeps it in a register, and so do GPUs best.
    """
    planning.wide_ops += 1
    planning.turns_in_loops += 1
    planning.note(None, *op.results)
    return EachLane(op)


@dataclass(frozen=True)
class LaneLoop(Recipe):
    """
    Lanes update elements that the data choose one after the other, in a loop over what they have
    put into memory of the invocation. `vyre-unroll` writes it out, and then takes it apart in
    registers; in turns of four, `letter_pairs` of the gate took 2 to 2.8 times as long.
    """

    op: HasCombinerInterface
    in_bounds: bool
    """Whether the elements are known to be in the buffer, which what is loaded does not tell."""

    def write(self, body: Body) -> None:
        """Update in each lane; what only chooses a place is computed there."""
        leaves = dict.fromkeys(
            leaf for operand in self.op.operands for leaf in _leaves(body, operand)
        )
        kept = {leaf: body.keep(leaf) for leaf in leaves if _can_be_kept(body, leaf)}
        with for_(0, body.lanes, unroll=body.lanes) as loop:
            lane = loop.counter.named("lane")
            copies = {leaf: _loaded(kept[leaf], lane, leaf) for leaf in kept}
            copies |= {leaf: body.value(leaf).at_index(lane) for leaf in leaves if leaf not in kept}
            for operand in self.op.operands:
                _compute(operand, copies)
            made = self.op.clone_without_regions(copies)
            body.drop_proofs(made)
            if self.in_bounds:
                made.properties[IN_BOUNDS] = UnitAttr()


def _leaves(body: Body, value: SSAValue) -> Iterator[SSAValue]:
    """What a lane computes a value of, as far as each lane does so for itself."""
    op = value.owner
    if not isinstance(body.value(value), Separate) or not isinstance(op, Operation):
        yield value
    elif not is_effect_free(type(op)) or op.regions:
        yield value
    else:
        for operand in op.operands:
            yield from _leaves(body, operand)


def _compute(value: SSAValue, copies: dict[SSAValue, SSAValue]) -> None:
    """Compute a value of its leaves, which have copies, at the current place."""
    if value in copies:
        return
    assert isinstance(value.owner, Operation)
    for operand in value.owner.operands:
        _compute(operand, copies)
    value.owner.clone_without_regions(copies)  # notes the copies of its results


def _can_be_kept(body: Body, value: SSAValue) -> bool:
    """Whether lanes have single numbers of their own that memory holds."""
    is_number = isinstance(value.type, IntegerType | AnyFloat | IndexType) and value.type != i1
    return is_number and isinstance(body.value(value), Wide | Separate)


def _loaded(kept: Buffer, lane: Value, value: SSAValue) -> SSAValue:
    """A value of a lane out of the memory that it was put into."""
    loaded = kept.load(lane, in_bounds=True).named(value.name_hint or "item")
    return loaded.to(value.type).ssa if isinstance(value.type, IndexType) else loaded.ssa


def is_chosen_update(op: HasCombinerInterface) -> bool:
    """Whether an op updates an element, in any order, with the old value unused."""
    (access,) = op.get_accesses()
    return access.combiner is not None and not any(result.uses for result in op.results)


def plan_lane_loop(planning: Planning, op: HasCombinerInterface) -> Recipe:
    """How the lanes do an update of elements that the data choose."""
    planning.scalar_ops += LANE_LOOP_COST
    return LaneLoop(op, not planning.is_masked and _is_inside(planning, op))


def _is_inside(planning: Planning, op: HasCombinerInterface) -> bool:
    """Whether an update is known to be of an element that there is."""
    (access,) = op.get_accesses()
    type, block = access.buffer.type, op.parent
    if not may_be_in_bounds(op) or not isinstance(access.index, SSAValue) or access.count != 1:
        return IN_BOUNDS in op.properties
    count = type.static_count if isinstance(type, BufferType) else None
    if block is None or count is None:
        return False
    return planning.steps.range_at(access.index, block).within(Range(0, count - 1))


def _update(body: Body, op: HasCombinerInterface, value: Value) -> None:
    copies = {operand: body.value(operand).at(0) for operand in _choosing(op)}
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
