"""
Control flow of neighbouring invocations. What all lanes agree on stays as it is. A branch that the
lanes may take differently becomes a choice between the values of both sides where these have no
effects; a test that is monotonic, such as a guard, is made for all lanes at once, by the one that
fails first; any other branch is taken to be rare: one test tells whether any lane takes it, and a
loop over the lanes does.
"""

from __future__ import annotations

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
from vyre_dialect.passes.loop.vectorization.body import Body, bind_each, copy_ops, mapped, passed_on
from vyre_dialect.passes.loop.vectorization.elementwise import any_of, is_elementwise
from vyre_dialect.passes.loop.vectorization.lane_values import (
    LaneValue,
    Uniform,
    Wide,
    first_and_step,
    repeated,
    with_item,
)
from vyre_dialect.passes.loop.vectorization.updates import is_shared_update

MAX_CHOSEN = 48
"""Ops of a branch that all lanes compute, whether they take it or not."""


def vectorize_if(body: Body, op: scf.IfOp) -> None:
    """Do at the current place what the lanes do by an `scf.if`."""
    condition = body.value(op.cond)
    if isinstance(condition, Uniform):
        _branch(body, op, Value(condition.value))
    elif _can_be_chosen(body, op):
        _choose(body, op, condition)
    elif (holds := _holds_for_all(body, op.cond)) is not None:
        _branch(body, op, holds, one_by_one=True)
    else:
        _branch_rarely(body, op, condition.wide())


# All lanes together.


def _branch(body: Body, op: scf.IfOp, condition: Value, *, one_by_one: bool = False) -> None:
    """
    Let all lanes take the first branch where `condition` holds. Elsewhere they take the other one,
    or, `one_by_one`, each of them its own.
    """
    varies = [body.varies(result) for result in op.results]
    with if_(condition) as branch:
        branch.yields(*passed_on(body.run(op.true_region.block), varies))
    if one_by_one:
        with branch.else_():
            branch.yields(*_one_by_one(body, op))
    elif op.false_region.blocks:
        with branch.else_():
            branch.yields(*passed_on(body.run(op.false_region.block), varies))
    bind_each(body, op.results, [result.ssa for result in branch.results], varies)


def _holds_for_all(body: Body, condition: SSAValue) -> Value | None:
    """Whether a condition holds in all lanes, if it is a conjunction of monotonic comparisons."""
    parts, pending = list[SSAValue](), [condition]
    while pending:
        each = pending.pop()
        if isinstance(each.owner, arith.AndIOp) and not body.is_uniform(each):
            pending += each.owner.operands
        else:
            parts.append(each)
    if not all(body.is_uniform(part) or _lane_to_test(body, part) is not None for part in parts):
        return None
    return reduce(Value.__and__, [_holds_throughout(body, part) for part in parts])


def _lane_to_test(body: Body, condition: SSAValue) -> int | None:
    """The lane in which a monotonic comparison fails first; None of any other condition."""
    op = condition.owner
    if not isinstance(op, arith.CmpiOp):
        return None
    known = body.steps.of_comparison(op)
    if known is None or known[0] in ("eq", "ne"):
        return None
    predicate, step = known
    return body.lanes - 1 if (step > 0) == predicate.startswith("sl") else 0


def _holds_throughout(body: Body, condition: SSAValue) -> Value:
    """Whether a condition that is the same in all lanes, or is monotonic, holds in all of them."""
    lane, op = _lane_to_test(body, condition), condition.owner
    if body.is_uniform(condition) or lane is None or not isinstance(op, arith.CmpiOp):
        return Value(body.value(condition).at(0))
    left, right = (Value(body.value(operand).at(lane)) for operand in op.operands)
    return left.compare(PREDICATES[op.predicate.value.data], right)


# One lane after the other.


def _branch_rarely(body: Body, op: scf.IfOp, mask: SSAValue) -> None:
    """Let the lanes go one by one where any of them takes the first branch."""
    with if_(any_of(mask)) as branch:
        branch.yields(*_one_by_one(body, op))
    varies = [True] * len(op.results)
    if op.false_region.blocks:
        with branch.else_():
            branch.yields(*passed_on(body.run(op.false_region.block), varies))
    bind_each(body, op.results, [result.ssa for result in branch.results], varies)


def _one_by_one(body: Body, op: scf.IfOp) -> list[SSAValue]:
    """Let each lane take the branch that it takes; vectors of what they yield."""
    initial = [constant(0, body.wide_type(result.type)) for result in op.results]
    with for_(0, body.lanes, carry=initial, unroll=1) as loop:
        lane = loop.counter.named("lane")
        with if_(_condition_in(body, op.cond, lane)) as branch:
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


def _condition_in(body: Body, condition: SSAValue, lane: Value) -> Value:
    """A condition in one lane; a comparison of numbers in equal steps without a vector of it."""
    op = condition.owner
    if isinstance(op, arith.CmpiOp):
        sides = [body.value(operand) for operand in op.operands]
        if all(map(first_and_step, sides)):
            left, right = (Value(side.at_index(lane)) for side in sides)
            return left.compare(PREDICATES[op.predicate.value.data], right)
    return Value(body.value(condition).at_index(lane))


def _copied(body: Body, region: Region, lane: Value) -> list[SSAValue]:
    """Do what one lane does by a region at the current place; what it yields."""
    block = region.block
    copies = {
        value: body.values[value].at_index(lane)
        for value in free_operands(block)
        if value in body.values
    }
    *ops, last = block.ops
    copy_ops(ops, copies)
    return mapped(last.operands, copies)


# Both branches.


def _can_be_chosen(body: Body, op: scf.IfOp) -> bool:
    """Whether all lanes may compute what both branches do: little, and nothing that shows."""
    inside = [each for region in op.regions for each in ops_inside(region)]
    return len(inside) <= MAX_CHOSEN and all(may_be_computed(body, each) for each in inside)


def may_be_computed(body: Body, op: Operation) -> bool:
    """Whether lanes that do not take part may do an op, too."""
    match op:
        case scf.YieldOp() | scf.IfOp() | arith.ConstantOp():
            return True
        case LoadOp():
            return _is_cheap_load(body, op)
        case HasCombinerInterface():
            return is_shared_update(body, op)
        case _:
            return is_elementwise(op)


def _is_cheap_load(body: Body, op: LoadOp) -> bool:
    """Whether a load may be done anywhere, and is one for all lanes."""
    block = op.parent
    if op.buffer in body.written or block is None:
        return False
    if not body.varies(op.index):
        return True
    return body.steps.of_value(op.index, block) == op.elements


def _choose(body: Body, op: scf.IfOp, condition: LaneValue) -> None:
    """Compute what both branches yield, and choose in each lane."""
    outer, mask = body.mask, condition.wide()
    taken = mask if outer is None else (Value(outer) & Value(mask)).ssa
    body.mask = taken
    true = body.run(op.true_region.block)
    if op.false_region.blocks:
        rest = Value(mask) ^ constant(1, mask.type)
        body.mask = rest.ssa if outer is None else (Value(outer) & rest).ssa
        false = body.run(op.false_region.block)
    else:
        false = list[LaneValue]()
    body.mask = outer
    for result, one, other in zip(op.results, true, false, strict=True):
        body.wide_ops += 1
        chosen = _chosen(mask, one, other, lane_count(result.type))
        body.bind(result, Wide(body.lanes, chosen, result.type))


def _chosen(mask: SSAValue, one: LaneValue, other: LaneValue, size: int) -> SSAValue:
    return SelectLanesOp(repeated(mask, size, one.lanes), one.wide(), other.wide()).result
