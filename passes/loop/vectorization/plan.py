"""What becomes of a data-parallel arm whose neighbouring invocations become lanes of one."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TypeGuard

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsTerminator

from vyre_dialect.analysis.divergence import DivergenceAnalysis
from vyre_dialect.analysis.linear_forms import LinearForms
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.ir.effects import buffers_touched
from vyre_dialect.ir.interfaces import AccessKind, HasAccessesInterface, HasCombinerInterface
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import Axis
from vyre_dialect.ops.invocation import InvocationIdOp, TrapOp
from vyre_dialect.ops.memory import AtomicCASOp, AtomicRMWOp, LoadOp, StoreOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.loop.refusal import Refusal
from vyre_dialect.passes.loop.vectorization.accesses import plan_load, plan_store
from vyre_dialect.passes.loop.vectorization.body import BlockRecipe, Recipe
from vyre_dialect.passes.loop.vectorization.branches import plan_if
from vyre_dialect.passes.loop.vectorization.legality import items_of
from vyre_dialect.passes.loop.vectorization.loops import plan_loop
from vyre_dialect.passes.loop.vectorization.planning import Planning
from vyre_dialect.passes.loop.vectorization.recipes import EachLane, Once
from vyre_dialect.passes.loop.vectorization.refusal import Reason, no_vector_form
from vyre_dialect.passes.loop.vectorization.steps import Steps
from vyre_dialect.passes.loop.vectorization.strided import Interleaved, interleaved_stores
from vyre_dialect.passes.loop.vectorization.updates import (
    is_chosen_update,
    is_joint_update,
    is_shared_update,
    is_spread_update,
    plan_lane_loop,
    plan_one_by_one,
    plan_spread_update,
    plan_update,
)
from vyre_dialect.passes.loop.vectorization.values import plan_elementwise

SCALAR_COST = 3
"""Wide ops whose gain an op takes back that is done lane by lane, each of which is moved for it."""


@dataclass(frozen=True)
class Plan:
    """How several invocations of an arm are done by one."""

    arm: RegionOp
    ids: Sequence[InvocationIdOp]
    """The ops by which it knows the invocation that neighbours differ in."""
    planning: Planning
    """What the values of the arm will be in the lanes."""
    body: BlockRecipe

    @property
    def items(self) -> int:
        """How many invocations."""
        return self.planning.lanes


def plan_for(
    arm: RegionOp,
    lanes: int,
    facts: AnalysisManager,
    *,
    vectors: bool = True,
    turns: bool = True,
    scalars: bool = False,
) -> Plan | Refusal:
    """
    What becomes of an arm, which is left as it is, with vectors of `lanes`, whatever `vectors` an
    invocation computes with, and also where lanes take `turns` in loops, or where most ops are
    `scalars` of one lane each, if it may;
    or why its invocations do not become lanes.
    """
    divergence = facts.get(DivergenceAnalysis, arm)
    items = items_of(arm, lanes, divergence, vectors=vectors)
    if isinstance(items, Refusal):
        return items
    ids, forms = [op for op in ops_inside(arm.body) if _is_id(op)], facts.get(LinearForms, arm)
    planning = Planning(
        items, _written(arm), Steps(forms, divergence, items), divergence, _plan_block
    )
    planning.note(1, *(op.id for op in ids))
    body = _plan_block(planning, arm.body.block)
    if isinstance(body, Refusal):
        return body
    if planning.turns_in_loops and not turns:
        return Refusal(Reason.TURNS_IN_LOOPS, "lanes would take turns in a loop, or wait in it")
    refusal = None if scalars else _refusal_of_cost(planning)
    return refusal or Plan(arm, ids, planning, body)


def _refusal_of_cost(planning: Planning) -> Refusal | None:
    wide, scalar = planning.wide_ops, planning.scalar_ops
    if SCALAR_COST * scalar <= wide:
        return None
    detail = f"{scalar} of {scalar + wide} accesses and ops would be done one lane after the other"
    return Refusal(Reason.MOSTLY_SCALAR, detail)


def _written(arm: RegionOp) -> AbstractSet[SSAValue]:
    touched = buffers_touched(arm.body)
    return {buffer for buffer, kinds in touched.items() if AccessKind.WRITE in kinds}


def _plan_block(planning: Planning, block: Block) -> BlockRecipe | Refusal:
    """How the lanes do what stands in a block, up to its terminator."""
    recipes = list[tuple[Operation, Recipe]]()
    groups, last = interleaved_stores(planning, block), block.last_op
    for op in block.ops:
        if op.has_trait(IsTerminator) or _is_id(op):
            continue
        if op in groups:
            recipes += _plan_group(planning, groups[op]) if op is groups[op].last else ()
            continue
        recipe = _plan_op(planning, op)
        if isinstance(recipe, Refusal):
            return recipe
        recipes.append((op, recipe))
    passed = last.operands if last is not None and last.has_trait(IsTerminator) else ()
    return BlockRecipe(recipes, passed)


def _is_id(op: Operation) -> TypeGuard[InvocationIdOp]:
    return isinstance(op, InvocationIdOp) and op.axis.data == Axis.X


def _plan_group(planning: Planning, group: Interleaved) -> list[tuple[Operation, Recipe]]:
    """How the lanes do stores that fill what lies between them, where the last one stands."""
    if planning.step_of(group.stores[0].index) == group.step:
        planning.wide_ops += len(group.stores)
        return [(group.last, group)]
    planning.scalar_ops += len(group.stores)
    return [(store, EachLane(store)) for store in group.stores]


def _plan_op(planning: Planning, op: Operation) -> Recipe | Refusal:
    match op:
        case LoadOp():
            return plan_load(planning, op)
        case StoreOp():
            return plan_store(planning, op)
        case HasCombinerInterface() if is_shared_update(planning, op) or is_joint_update(
            planning, op
        ):
            return plan_update(planning, op)
        case HasCombinerInterface() if is_spread_update(planning, op):
            return plan_spread_update(planning, op)
        case HasCombinerInterface() if is_chosen_update(op):
            return plan_lane_loop(planning, op)
        case AtomicRMWOp() | AtomicCASOp() | TrapOp():
            return plan_one_by_one(planning, op)
        case scf.IfOp():
            return plan_if(planning, op)
        case scf.ForOp():
            return plan_loop(planning, op)
        case _ if op.regions:
            return no_vector_form(op)
        case _:
            return _plan_value(planning, op)


def _plan_value(planning: Planning, op: Operation) -> Recipe | Refusal:
    if _is_the_same_for_all(planning, op):
        planning.note(0, *op.results)
        return Once(op)
    return plan_elementwise(planning, op)


def _is_the_same_for_all(planning: Planning, op: Operation) -> bool:
    """Whether an op computes the same for all lanes, and does nothing else."""
    if isinstance(op, HasAccessesInterface) and any(
        access.writes or access.buffer in planning.written for access in op.get_accesses()
    ):
        return False
    return all(planning.is_uniform(operand) for operand in op.operands)
