"""Writes the body in which one invocation does what several neighbours did, by a plan."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, StringAttr, UnitAttr, i64
from xdsl.ir import Block, Operation
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from vyre_dialect.builder import Scalar, Value, constant, invocation_id
from vyre_dialect.builder.values import ceildiv, scalar
from vyre_dialect.ir.types import ALL_LANES, REMAINDER, UNROLL, Axis
from vyre_dialect.ops.invocation import InvocationIdOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.loop.vectorization.body import Body
from vyre_dialect.passes.loop.vectorization.lane_values import Stepped
from vyre_dialect.passes.loop.vectorization.plan import Plan
from vyre_dialect.passes.rewriting.host_side import unique_name
from vyre_dialect.passes.rewriting.invocation_body import (
    detached,
    guarded,
    looped,
    replace_ids,
    replaced_body,
)
from vyre_dialect.passes.rewriting.rewriters import building
from vyre_dialect.passes.rewriting.whole_workgroups import set_domain


def write(plan: Plan, block: Block, first: Value) -> Body:
    """
    Write to the end of a block what the invocations from `first` on do, all of which exist; what
    the values of the arm have become.
    """
    body = Body(plan.items)
    for op in plan.ids:
        body.values[op.id] = Stepped(plan.items, first.ssa, 1)
    with ImplicitBuilder(block):
        body.run(plan.body)
    return body


def replace_body(
    plan: Plan, rewriter: PatternRewriter, *, is_whole: bool, asks_each: bool = False
) -> None:
    """
    Let an arm run what is planned where all items exist, as they do where the count is whole
    multiples of them, and for each of the others what it did before: by a loop of those, or one
    of as many as there are lanes, which `asks_each`.
    """
    arm, items = plan.arm, plan.items
    count = arm.domain[0]
    with replaced_body(arm.body.block, rewriter) as (body, ops):
        with ImplicitBuilder(body):
            first = (invocation_id() * items).named("first")
        if is_whole:
            _declare(write(plan, body, first), arm, rewriter)
        else:
            interior = Block()
            _declare(write(plan, interior, first), arm, rewriter)
            tail = _tail(plan, ops, first, rewriter, asks_each=asks_each)
            with ImplicitBuilder(interior):
                scf.YieldOp()
            with ImplicitBuilder(body):
                exist = first + items <= scalar(count)
                branch = scf.IfOp(exist.ssa, [], [interior], [tail])
            branch.attributes[ALL_LANES] = UnitAttr()
    if is_whole:
        for op in reversed(ops):
            rewriter.erase(op, safe_erase=False)
    with building(rewriter, InsertPoint.before(arm)):
        fewer = ceildiv(scalar(count), items)
    set_domain(arm, [fewer, *arm.domain[1:]], rewriter)


def _declare(body: Body, arm: RegionOp, rewriter: PatternRewriter) -> None:
    """Declare the memory that a body keeps its lanes in."""
    for buffer, name in body.kept.items():
        name = unique_name(arm.program, f"{name}_of_lanes")
        rewriter.insert(buffer, InsertPoint.before(arm))
        buffer.sym_name = StringAttr(name)
        rewriter.notify_op_modified(buffer)


def _tail(
    plan: Plan,
    ops: Sequence[Operation],
    first: Value,
    rewriter: PatternRewriter,
    *,
    asks_each: bool,
) -> Block:
    """What runs the invocations from `first` on that exist, one after the other."""
    tail, count = Block(), scalar(plan.arm.domain[0])
    if asks_each:
        _ask_each(tail, plan.items, ops, first, count, rewriter)
    else:
        stays = {UNROLL: IntegerAttr(1, i64), REMAINDER: UnitAttr()}
        with looped(tail, first, count, 1, **stays) as (inner, item):
            rewriter.insert(ops, InsertPoint.at_end(inner))
            replace_ids(inner, InvocationIdOp, Axis.X, item.named("item"), rewriter)
    with ImplicitBuilder(tail):
        scf.YieldOp()
    return tail


def _ask_each(
    tail: Block,
    items: int,
    ops: Sequence[Operation],
    first: Value,
    count: Scalar,
    rewriter: PatternRewriter,
) -> None:
    """
    Run so many invocations, if they exist: written out, each is at a known place of what arms
    hand on in private memory, which then may be registers.
    """
    with ImplicitBuilder(tail):
        zero = constant(0)
    with looped(tail, zero, items, 1) as (inner, lane):
        with ImplicitBuilder(inner):
            item = (first + lane).named("item")
            exists = item < count
        one = Block()
        rewriter.insert(ops, InsertPoint.at_end(one))
        replace_ids(one, InvocationIdOp, Axis.X, item, rewriter)
        guarded(inner, exists, detached(one))
