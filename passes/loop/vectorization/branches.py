"""
Control flow of neighbouring invocations. What all lanes agree on stays as it is. A branch that the
lanes may take differently becomes a choice between the values of both sides where these have no
effects; a test that is monotonic, such as a guard, is made for all lanes at once, by the one that
fails first; any other branch is taken to be rare: one test tells whether any lane takes it, and a
loop over the lanes does it. Once all is fused, `vyre-split-index-sets` lets it visit those that do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

from xdsl.dialects import arith, scf
from xdsl.ir import Operation, Region, SSAValue

from vyre_dialect.analysis.guards import PREDICATES
from vyre_dialect.builder import Value, constant, for_, if_
from vyre_dialect.ir.interfaces import HasCombinerInterface
from vyre_dialect.ir.traversal import free_operands, ops_inside
from vyre_dialect.ir.types import lane_count
from vyre_dialect.ops.lanes import SelectLanesOp
from vyre_dialect.ops.memory import LoadOp
from vyre_dialect.passes.loop.refusal import Refusal
from vyre_dialect.passes.loop.vectorization.body import (
    BlockRecipe,
    Body,
    Recipe,
    bind_each,
    copy_ops,
    mapped,
    passed_on,
)
from vyre_dialect.passes.loop.vectorization.lane_values import (
    LaneValue,
    repeated,
    with_item,
)
from vyre_dialect.passes.loop.vectorization.planning import Planning
from vyre_dialect.passes.loop.vectorization.steps import equal_step
from vyre_dialect.passes.loop.vectorization.strided import items_apart, plan_shared_load
from vyre_dialect.passes.loop.vectorization.updates import is_shared_update
from vyre_dialect.passes.loop.vectorization.values import is_elementwise
from vyre_dialect.passes.rewriting.reductions import any_of

MAX_CHOSEN = 96
"""Ops of a branch, constants aside, that all lanes compute, whether they take it or not."""


def plan_if(planning: Planning, op: scf.IfOp) -> Recipe | Refusal:
    """How the lanes do what they do by an `scf.if`."""
    if planning.is_uniform(op.cond):
        return _plan_joint(planning, op)
    if _can_be_chosen(planning, op):
        return _plan_choice(planning, op)
    if (tests := _tests_of_all(planning, op.cond)) is not None:
        return _plan_mostly_joint(planning, op, tests)
    return _plan_rare(planning, op)


def _plan_both(planning: Planning, op: scf.IfOp) -> tuple[BlockRecipe, BlockRecipe] | Refusal:
    """How the lanes do what stands in both branches, of which the second may be none."""
    true = planning.region(op.true_region)
    if isinstance(true, Refusal):
        return true
    false = planning.region(op.false_region)
    return false if isinstance(false, Refusal) else (true, false)


def _write_either(
    body: Body,
    op: scf.IfOp,
    condition: Value,
    then: Callable[[], Sequence[SSAValue]],
    otherwise: Callable[[], Sequence[SSAValue]] | None,
    varies: Sequence[bool],
) -> None:
    """A branch that all lanes take together, and what it gives them."""
    with if_(condition) as branch:
        branch.yields(*then())
    if otherwise is not None:
        with branch.else_():
            branch.yields(*otherwise())
    bind_each(body, op.results, [result.ssa for result in branch.results], varies)


# All lanes together.


@dataclass(frozen=True)
class JointBranch(Recipe):
    """All lanes take the same branch."""

    op: scf.IfOp
    true: BlockRecipe
    false: BlockRecipe
    varies: Sequence[bool]
    """Which results differ between lanes."""

    def write(self, body: Body) -> None:
        """Let them take it together."""
        has_else = bool(self.op.false_region.blocks)
        _write_either(
            body,
            self.op,
            Value(body.value(self.op.cond).at(0)),
            lambda: passed_on(body.run(self.true), self.varies),
            (lambda: passed_on(body.run(self.false), self.varies)) if has_else else None,
            self.varies,
        )


def _plan_joint(planning: Planning, op: scf.IfOp) -> Recipe | Refusal:
    both = _plan_both(planning, op)
    if isinstance(both, Refusal):
        return both
    varies = [planning.varies(result) for result in op.results]
    planning.note_each(op.results, varies)
    return JointBranch(op, *both, varies)


@dataclass(frozen=True)
class LaneTest:
    """Whether a part of a condition holds in all lanes: if it does in the one it fails in first."""

    condition: SSAValue
    lane: int | None
    """That lane; None of what is the same for all."""

    def write(self, body: Body) -> Value:
        """Test it."""
        op = self.condition.owner
        if self.lane is None or not isinstance(op, arith.CmpiOp):
            return Value(body.value(self.condition).at(0))
        left, right = (Value(body.value(operand).at(self.lane)) for operand in op.operands)
        return left.compare(PREDICATES[op.predicate.value.data], right)


@dataclass(frozen=True)
class MostlyJointBranch(Recipe):
    """All lanes take the first branch where the tests hold, elsewhere each of them its own."""

    op: scf.IfOp
    tests: Sequence[LaneTest]
    true: BlockRecipe
    varies: Sequence[bool]
    """Which results differ between lanes."""

    def write(self, body: Body) -> None:
        """Test once for all of them."""
        _write_either(
            body,
            self.op,
            reduce(Value.__and__, [test.write(body) for test in self.tests]),
            lambda: passed_on(body.run(self.true), self.varies),
            lambda: _one_by_one(body, self.op),
            self.varies,
        )


def _plan_mostly_joint(
    planning: Planning, op: scf.IfOp, tests: Sequence[LaneTest]
) -> Recipe | Refusal:
    true = planning.region(op.true_region)
    if isinstance(true, Refusal):
        return true
    varies = [planning.varies(result) for result in op.results]
    planning.note_each(op.results, varies)
    return MostlyJointBranch(op, tests, true, varies)


def _tests_of_all(planning: Planning, condition: SSAValue) -> Sequence[LaneTest] | None:
    """How to tell that a condition holds in all lanes, if its parts are monotonic comparisons."""
    parts, pending = list[SSAValue](), [condition]
    while pending:
        each = pending.pop()
        if isinstance(each.owner, arith.AndIOp) and not planning.is_uniform(each):
            pending += each.owner.operands
        else:
            parts.append(each)
    tests = [_test_of(planning, part) for part in parts]
    known = [test for test in tests if test is not None]
    return known if len(known) == len(tests) else None


def _test_of(planning: Planning, condition: SSAValue) -> LaneTest | None:
    """How to tell that a monotonic comparison holds in all lanes; None of any other condition."""
    if planning.is_uniform(condition):
        return LaneTest(condition, None)
    op = condition.owner
    known = planning.steps.of_comparison(op) if isinstance(op, arith.CmpiOp) else None
    if known is None or known[0] in ("eq", "ne"):
        return None
    predicate, offsets = known
    if (step := equal_step(offsets)) is None:
        return None
    lane = planning.lanes - 1 if (step > 0) == predicate.startswith("sl") else 0
    return LaneTest(condition, lane)


# One lane after the other.


@dataclass(frozen=True)
class RareBranch(Recipe):
    """Lanes go one by one where any of them takes the first branch."""

    op: scf.IfOp
    false: BlockRecipe

    def write(self, body: Body) -> None:
        """Test whether any does."""
        varies, has_else = [True] * len(self.op.results), bool(self.op.false_region.blocks)
        _write_either(
            body,
            self.op,
            any_of(body.value(self.op.cond).wide()),
            lambda: _one_by_one(body, self.op),
            (lambda: passed_on(body.run(self.false), varies)) if has_else else None,
            varies,
        )


def _plan_rare(planning: Planning, op: scf.IfOp) -> Recipe | Refusal:
    false = planning.region(op.false_region)
    if isinstance(false, Refusal):
        return false
    planning.note(None, *op.results)
    return RareBranch(op, false)


def _one_by_one(body: Body, op: scf.IfOp) -> list[SSAValue]:
    """Let each lane take the branch that it takes; vectors of what they yield."""
    initial = [constant(0, body.wide_type(result.type)) for result in op.results]
    with for_(0, body.lanes, carry=initial, unroll=1) as loop:
        lane = loop.counter.named("lane")
        with if_(Value(body.in_lane(op.cond, lane))) as branch:
            branch.yields(*_copied(body, op.true_region, lane))
        if op.false_region.blocks:
            with branch.else_():
                branch.yields(*_copied(body, op.false_region, lane))
        items = [result.ssa for result in branch.results]
        carried = [value.ssa for value in loop.carried]
        loop.yields(
            *(with_item(wide, item, lane) for wide, item in zip(carried, items, strict=True))
        )
    return [result.ssa for result in loop.results]


def _copied(body: Body, region: Region, lane: Value) -> list[SSAValue]:
    """Do what one lane does by a region at the current place; what it yields."""
    block = region.block
    copies = {
        value: body.in_lane(value, lane) for value in free_operands(block) if value in body.values
    }
    *ops, last = block.ops
    copy_ops(ops, copies)
    return mapped(last.operands, copies)


# Both branches.


def _can_be_chosen(planning: Planning, op: scf.IfOp) -> bool:
    """Whether all lanes may compute what both branches do: little, and nothing that shows."""
    inside = [each for region in op.regions for each in ops_inside(region)]
    computed = [each for each in inside if not isinstance(each, arith.ConstantOp | scf.YieldOp)]
    return len(computed) <= MAX_CHOSEN and all(may_be_computed(planning, each) for each in inside)


def may_be_computed(planning: Planning, op: Operation) -> bool:
    """Whether lanes that do not take part may do an op, too."""
    match op:
        case scf.YieldOp() | scf.IfOp() | arith.ConstantOp():
            return True
        case LoadOp():
            return _is_cheap_load(planning, op)
        case HasCombinerInterface():
            return is_shared_update(planning, op)
        case _:
            return is_elementwise(op)


def _is_cheap_load(planning: Planning, op: LoadOp) -> bool:
    """Whether a load may be done anywhere, and is one for all lanes."""
    block = op.parent
    if op.buffer in planning.written or block is None:
        return False
    if not planning.varies(op.index):
        return True
    step = planning.steps.of_value(op.index, block)
    if step is not None and planning.can_be_wide(op) and items_apart(step, op.elements):
        return True
    return step == op.elements or plan_shared_load(planning, op) is not None


@dataclass(frozen=True)
class Choice(Recipe):
    """All lanes compute what both branches yield, and each chooses."""

    op: scf.IfOp
    true: BlockRecipe
    false: BlockRecipe

    def write(self, body: Body) -> None:
        """Compute both, each under a mask of the lanes in which it matters."""
        op, mask = self.op, body.value(self.op.cond).wide()
        with body.masked(mask):
            true, false = body.run(self.true), list[LaneValue]()
        if op.false_region.blocks:
            rest = Value(mask) ^ constant(1, mask.type)
            with body.masked(rest.ssa):
                false = body.run(self.false)
        for result, one, other in zip(op.results, true, false, strict=True):
            body.bind_wide(result, _chosen(mask, one, other, lane_count(result.type)))


def _plan_choice(planning: Planning, op: scf.IfOp) -> Recipe | Refusal:
    with planning.masked():
        both = _plan_both(planning, op)
    if isinstance(both, Refusal):
        return both
    planning.wide_ops += len(op.results)
    planning.note(None, *op.results)
    return Choice(op, *both)


def _chosen(mask: SSAValue, one: LaneValue, other: LaneValue, size: int) -> SSAValue:
    return SelectLanesOp(repeated(mask, size, one.lanes), one.wide(), other.wide()).result
