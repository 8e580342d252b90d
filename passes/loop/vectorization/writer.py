"""Writes the body in which one invocation does what several neighbours did, by a plan."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, StringAttr, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from vyre_dialect.builder import Value, invocation_id
from vyre_dialect.builder.values import ceildiv, scalar
from vyre_dialect.ir.types import UNROLL, Axis
from vyre_dialect.ops.invocation import InvocationIdOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.loop.vectorization.body import Body
from vyre_dialect.passes.loop.vectorization.lane_values import Stepped
from vyre_dialect.passes.loop.vectorization.plan import Plan
from vyre_dialect.passes.rewriting.host_side import unique_name
from vyre_dialect.passes.rewriting.invocation_body import looped, replace_ids, replaced_body
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


def replace_body(plan: Plan, rewriter: PatternRewriter, *, is_whole: bool) -> None:
    """
    Let an arm run what is planned where all items exist, as they do where the count is whole
    multiples of them, and for each of the others what it did before.
    """
    arm, items = plan.arm, plan.items
    count = arm.domain[0]
    with replaced_body(arm.body.block, rewriter) as (body, ops):
        with ImplicitBuilder(body):
            first = (invocation_id() * items).named("first")
        if is_whole:
            _declare(write(plan, body, first), arm, rewriter)
        else:
            _guard(body, plan, ops, first, count, rewriter)
    if is_whole:
        for op in reversed(ops):
            rewriter.erase(op, safe_erase=False)
    with building(rewriter, InsertPoint.before(arm)):
        fewer = ceildiv(scalar(count), items)
    set_domain(arm, [fewer, *arm.domain[1:]], rewriter)


def _guard(
    body: Block,
    plan: Plan,
    ops: Sequence[Operation],
    first: Value,
    count: SSAValue | int,
    rewriter: PatternRewriter,
) -> None:
    """Run what is planned, at the end of a block, if all items exist, or else those that do."""
    interior, tail = Block(), Block()
    _declare(write(plan, interior, first), plan.arm, rewriter)
    with ImplicitBuilder(body):
        last = first + plan.items <= scalar(count)
    with ImplicitBuilder(interior):
        scf.YieldOp()
    _run_each(tail, ops, first, count, rewriter)
    with ImplicitBuilder(body):
        scf.IfOp(last.ssa, [], [interior], [tail])


def _declare(body: Body, arm: RegionOp, rewriter: PatternRewriter) -> None:
    """Declare the memory that a body keeps its lanes in."""
    for buffer, name in body.kept.items():
        name = unique_name(arm.program, f"{name}_of_lanes")
        rewriter.insert(buffer, InsertPoint.before(arm))
        buffer.sym_name = StringAttr(name)
        rewriter.notify_op_modified(buffer)


def _run_each(
    tail: Block,
    ops: Sequence[Operation],
    first: Value,
    count: SSAValue | int,
    rewriter: PatternRewriter,
) -> None:
    """Run the invocations that are left, at the end of a block, one after the other."""
    stays = {UNROLL: IntegerAttr(1, i64)}
    with looped(tail, first, scalar(count), 1, **stays) as (inner, item):
        rewriter.insert(ops, InsertPoint.at_end(inner))
        replace_ids(inner, InvocationIdOp, Axis.X, item.named("item"), rewriter)
    with ImplicitBuilder(tail):
        scf.YieldOp()
