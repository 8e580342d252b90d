"""
Loops of neighbouring invocations. One that all lanes run from and to the same numbers stays as it
is. One whose bounds grow from lane to lane by the same step, as a window around each item has them,
lanes run the same number of times, and its counter grows by that step, too. Where the window is cut
off at the ends of what it slides over, lanes go one by one. Any others are run under masks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, SSAValue

from vyre_dialect.builder import Value, constant, for_, if_
from vyre_dialect.ir.traversal import free_operands
from vyre_dialect.passes.loop.vectorization.body import (
    Body,
    bind_each,
    copy_ops,
    mapped,
    passed_on,
)
from vyre_dialect.passes.loop.vectorization.lane_values import (
    first_and_step,
    stepped,
    with_item,
)
from vyre_dialect.passes.loop.vectorization.masked_loops import run_masked
from vyre_dialect.passes.loop.vectorization.steps import SMALL


@dataclass(frozen=True)
class _Bound:
    """A bound that grows by the same step from lane to lane, as long as nothing limits it."""

    first: SSAValue
    step: int
    unlimited: Value | None = None
    """Whether it does in all lanes; None where it always does."""


def vectorize_for(body: Body, op: scf.ForOp) -> None:
    """Do at the current place what the lanes do by an `scf.for`."""
    lower, upper = _bound(body, op.lb, arith.MaxSIOp), _bound(body, op.ub, arith.MinSIOp)
    if lower is None or upper is None or lower.step != upper.step or not body.is_uniform(op.step):
        run_masked(body, op)
        return
    varies = [body.varies(result) for result in op.results]
    conditions = [each.unlimited for each in (lower, upper) if each.unlimited is not None]
    if not conditions:
        bind_each(body, op.results, _together(body, op, lower, upper, varies), varies)
        return
    varies = [True] * len(op.results)
    with if_(conditions[0] if len(conditions) == 1 else conditions[0] & conditions[1]) as branch:
        branch.yields(*_together(body, op, lower, upper, varies))
    with branch.else_():
        branch.yields(*_one_by_one(body, op))
    bind_each(body, op.results, [result.ssa for result in branch.results], varies)


def _bound(
    body: Body, value: SSAValue, limiting: type[arith.MaxSIOp | arith.MinSIOp]
) -> _Bound | None:
    """A bound, or what an op that limits it leaves as it is in most lanes."""
    if (found := _growing(body, value)) is not None:
        return found
    limit = value.owner
    if not isinstance(limit, limiting):
        return None
    for grown, other in ((limit.lhs, limit.rhs), (limit.rhs, limit.lhs)):
        bound = _growing(body, grown)
        if bound is not None and body.is_uniform(other):
            is_low = limiting is arith.MaxSIOp
            last = 0 if is_low == (bound.step > 0) else body.lanes - 1  # that the limit meets first
            side, end = Value(body.value(grown).at(last)), Value(body.value(other).at(0))
            return _Bound(bound.first, bound.step, side >= end if is_low else side <= end)
    return None


def _growing(body: Body, value: SSAValue) -> _Bound | None:
    """Numbers in equal steps that do not wrap around from lane to lane."""
    known = first_and_step(body.value(value))
    if known is None or not known[1]:
        return None if known is None else _Bound(*known)
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent
    if block is None or not isinstance(value.type, IndexType):
        return None
    return _Bound(*known) if body.steps.range_at(value, block).within(SMALL) else None


def _together(
    body: Body, op: scf.ForOp, lower: _Bound, upper: _Bound, varies: list[bool]
) -> list[SSAValue]:
    """Let all lanes run the loop at once; what it passes on."""
    counter, *arguments = op.body.block.args
    carried = [
        body.varies(each) or is_wide for each, is_wide in zip(arguments, varies, strict=True)
    ]
    initial = passed_on([body.value(each) for each in op.iter_args], carried)
    inner = Block(arg_types=[op.lb.type, *(each.type for each in initial)])
    body.steps.run_in_step(counter)
    body.bind(counter, stepped(inner.args[0], lower.step, body.lanes))
    bind_each(body, arguments, inner.args[1:], carried)
    with ImplicitBuilder(inner):
        scf.YieldOp(*passed_on(body.run(op.body.block), carried))
    loop = scf.ForOp(lower.first, upper.first, body.value(op.step).at(0), initial, inner)
    loop.attributes |= op.attributes
    return list(loop.results)


def _one_by_one(body: Body, op: scf.ForOp) -> list[SSAValue]:
    """Let each lane run its own loop; vectors of what they pass on."""
    initial = [constant(0, body.wide_type(result.type)) for result in op.results]
    with for_(0, body.lanes, carry=initial, unroll=1) as lanes:
        lane = lanes.counter.named("lane")
        ops = [*_limits(body, op), op]
        copies = {
            value: body.values[value].at_index(lane)
            for value in dict.fromkeys(_taken_by(ops))
            if value in body.values
        }
        copy_ops(ops, copies)
        items = mapped(op.results, copies)
        carried = [value.ssa for value in lanes.carried]
        lanes.yields(
            *(with_item(wide, item, lane) for wide, item in zip(carried, items, strict=True))
        )
    return [result.ssa for result in lanes.results]


def _limits(body: Body, op: scf.ForOp) -> list[Operation]:
    """The ops that limit bounds, which a lane does again as cheaply as it would look them up."""
    owners = (bound.owner for bound in (op.lb, op.ub) if _growing(body, bound) is None)
    return [owner for owner in owners if isinstance(owner, Operation)]


def _taken_by(ops: Sequence[Operation]) -> Iterator[SSAValue]:
    """The values that ops take from around them."""
    made = {result for op in ops for result in op.results}
    for op in ops:
        blocks = (block for region in op.regions for block in region.blocks)
        inner = (value for block in blocks for value in free_operands(block))
        yield from (value for value in (*op.operands, *inner) if value not in made)
