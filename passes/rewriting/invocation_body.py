"""
The body of an arm run as another invocation, under a guard, or in a loop: what fusing,
outlining and coarsening do to bodies alike.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from vyre_dialect.builder import Scalar, Value, ssa
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import Axis
from vyre_dialect.ops.invocation import IdOp, InvocationIdOp
from vyre_dialect.passes.rewriting.moving import move, take_out_all


def detached(block: Block) -> list[Operation]:
    """The ops of a block that stands nowhere, taken out of it, to be inserted somewhere."""
    assert block.parent_op() is None, "what stands in a program is taken out by a rewriter"
    ops = list(block.ops)
    for op in ops:
        op.detach()
    return ops


@contextmanager
def replaced_body(
    body: Block, rewriter: PatternRewriter
) -> Generator[tuple[Block, list[Operation]]]:
    """A block whose ops, once it is built, stand in a body, and those that stood there before."""
    built = Block()
    yield built, take_out_all(body, rewriter)
    rewriter.insert(detached(built), InsertPoint.at_end(body))


def run_as(body: Region, ids: Mapping[Axis, Value], rewriter: PatternRewriter) -> None:
    """
    Let a body that knows its invocation by `vyre.invocation_id` alone run as invocation `ids`;
    along axes that are not named, the id is zero.
    """
    for op in [inner for inner in ops_inside(body) if isinstance(inner, InvocationIdOp)]:
        if (own := ids.get(op.axis.data)) is not None:
            rewriter.replace(op, [], [own.ssa])
        else:
            rewriter.replace(op, arith.ConstantOp(IntegerAttr(0, IndexType())))


def guarded(body: Block, condition: Value, ops: Iterable[Operation]) -> None:
    """An `scf.if` around finished ops, at the end of `body`."""
    inner = Block(ops)
    with ImplicitBuilder(inner):
        scf.YieldOp()
    with ImplicitBuilder(body):
        scf.IfOp(condition.ssa, [], [inner])


def enclosed(op: Operation, condition: Value, rewriter: PatternRewriter) -> None:
    """Put an `scf.if` around an op without results, where it stands."""
    inner = Block([scf.YieldOp()])
    rewriter.insert(scf.IfOp(condition.ssa, [], [inner]), InsertPoint.before(op))
    move([op], InsertPoint.at_start(inner), rewriter)


def guard_rest(condition: Value, rewriter: PatternRewriter) -> None:
    """Put an `scf.if` around all that stands behind `condition` in its block."""
    computed = condition.ssa.owner
    assert isinstance(computed, Operation)
    assert computed.parent is not None
    ops = list(computed.parent.ops)
    inner = Block([end := scf.YieldOp()])
    rewriter.insert(scf.IfOp(condition.ssa, [], [inner]), InsertPoint.after(computed))
    move(ops[ops.index(computed) + 1 :], InsertPoint.before(end), rewriter)


def replace_ids(
    body: Block, kind: type[IdOp], axis: Axis, own: Value, rewriter: PatternRewriter
) -> None:
    """Let what stands in `body` take `id` for its id of one kind along one axis."""
    for op in [inner for inner in ops_inside(body) if isinstance(inner, kind)]:
        if op.axis.data == axis:
            rewriter.replace(op, [], [own.ssa])


@contextmanager
def looped(
    body: Block, begin: Value, end: Scalar, step: Scalar, **attributes: Attribute
) -> Generator[tuple[Block, Value]]:
    """An `scf.for` with `attributes` at the end of `body`, around what is added to its block."""
    with ImplicitBuilder(body):
        upper, stride = ssa(end), ssa(step)
    inner = Block(arg_types=[begin.type])
    yield inner, Value(inner.args[0])
    with ImplicitBuilder(inner):
        scf.YieldOp()
    with ImplicitBuilder(body):
        loop = scf.ForOp(begin.ssa, upper, stride, [], inner)
        loop.attributes |= attributes
