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
from vyre_dialect.passes.loop.vectorization.lane_values import stepped, with_item
from vyre_dialect.passes.loop.vectorization.masked_loops import plan_masked
from vyre_dialect.passes.loop.vectorization.planning import Planning
from vyre_dialect.passes.loop.vectorization.steps import SMALL


@dataclass(frozen=True)
class _Limit:
    """An op that leaves a bound that grows from lane to lane as it is in most lanes."""

    op: arith.MaxSIOp | arith.MinSIOp
    end: SSAValue
    """What it limits the bound to, the same for all lanes."""
    lane: int
    """The lane that meets it first."""


@dataclass(frozen=True)
class _Bound:
    """A bound that grows by the same step from lane to lane, as long as nothing limits it."""

    value: SSAValue
    step: int
    limit: _Limit | None = None

    def is_unlimited(self, body: Body, limit: _Limit) -> Value:
        """Whether a bound grows in all lanes."""
        side, end = Value(body.value(self.value).at(limit.lane)), Value(body.value(limit.end).at(0))
        return side >= end if isinstance(limit.op, arith.MaxSIOp) else side <= end


@dataclass(frozen=True)
class JointLoop(Recipe):
    """Lanes run a loop the same number of times; where its bounds are limited, one by one."""

    op: scf.ForOp
    lower: _Bound
    upper: _Bound
    inner: BlockRecipe
    carried: Sequence[bool]
    """Which of the carried values differ between lanes."""
    varies: Sequence[bool]
    """Which results do."""

    @property
    def _limits(self) -> list[tuple[_Bound, _Limit]]:
        return [(each, each.limit) for each in (self.lower, self.upper) if each.limit is not None]

    def write(self, body: Body) -> None:
        """Run it at once, unless the bounds of some lanes are limited."""
        conditions = [bound.is_unlimited(body, limit) for bound, limit in self._limits]
        if not conditions:
            bind_each(body, self.op.results, self._together(body), self.varies)
            return
        unlimited = conditions[0] if len(conditions) == 1 else conditions[0] & conditions[1]
        with if_(unlimited) as branch:
            branch.yields(*self._together(body))
        with branch.else_():
            branch.yields(*self._one_by_one(body))
        bind_each(body, self.op.results, [each.ssa for each in branch.results], self.varies)

    def _together(self, body: Body) -> list[SSAValue]:
        """Let all lanes run the loop at once; what it passes on."""
        op, (counter, *arguments) = self.op, self.op.body.block.args
        initial = passed_on([body.value(each) for each in op.iter_args], self.carried)
        inner = Block(arg_types=[op.lb.type, *(each.type for each in initial)])
        body.bind(counter, stepped(inner.args[0], self.lower.step, body.lanes))
        bind_each(body, arguments, inner.args[1:], self.carried)
        with ImplicitBuilder(inner):
            scf.YieldOp(*passed_on(body.run(self.inner), self.carried))
        begin, end, step = (
            body.value(each).at(0) for each in (self.lower.value, self.upper.value, op.step)
        )
        loop = scf.ForOp(begin, end, step, initial, inner)
        loop.attributes |= op.attributes
        return list(loop.results)

    def _one_by_one(self, body: Body) -> list[SSAValue]:
        """Let each lane run its own loop; vectors of what they pass on."""
        op = self.op
        initial = [constant(0, body.wide_type(result.type)) for result in op.results]
        with for_(0, body.lanes, carry=initial, unroll=1) as lanes:
            lane = lanes.counter.named("lane")
            # A lane limits its bounds again as cheaply as it would look them up.
            ops = [*(limit.op for _, limit in self._limits), op]
            copies = {
                value: body.in_lane(value, lane)
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


def plan_loop(planning: Planning, op: scf.ForOp) -> Recipe | Refusal:
    """How the lanes do what they do by an `scf.for`."""
    lower = _bound(planning, op.lb, arith.MaxSIOp)
    upper = _bound(planning, op.ub, arith.MinSIOp)
    if lower is None or upper is None or lower.step != upper.step:
        return plan_masked(planning, op)
    if not planning.is_uniform(op.step):
        return plan_masked(planning, op)
    return _plan_joint(planning, op, lower, upper)


def _plan_joint(
    planning: Planning, op: scf.ForOp, lower: _Bound, upper: _Bound
) -> Recipe | Refusal:
    counter, *arguments = op.body.block.args
    is_limited = lower.limit is not None or upper.limit is not None
    varies = [is_limited or planning.varies(result) for result in op.results]
    carried = [
        planning.varies(each) or is_wide for each, is_wide in zip(arguments, varies, strict=True)
    ]
    planning.steps.run_in_step(counter)
    planning.note(lower.step, counter)
    planning.note_each(arguments, carried)
    inner = planning.loop_body(op.body)
    if isinstance(inner, Refusal):
        return inner
    planning.note_each(op.results, varies)
    return JointLoop(op, lower, upper, inner, carried, varies)


def _bound(
    planning: Planning, value: SSAValue, limiting: type[arith.MaxSIOp | arith.MinSIOp]
) -> _Bound | None:
    """A bound, or what an op that limits it leaves as it is in most lanes."""
    if (found := _growing(planning, value)) is not None:
        return found
    limit = value.owner
    if not isinstance(limit, limiting):
        return None
    for grown, end in ((limit.lhs, limit.rhs), (limit.rhs, limit.lhs)):
        bound = _growing(planning, grown)
        if bound is not None and planning.is_uniform(end):
            is_low = limiting is arith.MaxSIOp
            lane = 0 if is_low == (bound.step > 0) else planning.lanes - 1
            return _Bound(grown, bound.step, _Limit(limit, end, lane))
    return None


def _growing(planning: Planning, value: SSAValue) -> _Bound | None:
    """Numbers in equal steps that do not wrap around from lane to lane."""
    step = planning.step_of(value)
    if not step:
        return None if step is None else _Bound(value, 0)
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent
    if block is None or not isinstance(value.type, IndexType):
        return None
    return _Bound(value, step) if planning.steps.range_at(value, block).within(SMALL) else None


def _taken_by(ops: Sequence[Operation]) -> Iterator[SSAValue]:
    """The values that ops take from around them."""
    made = {result for op in ops for result in op.results}
    for op in ops:
        blocks = (block for region in op.regions for block in region.blocks)
        inner = (value for block in blocks for value in free_operands(block))
        yield from (value for value in (*op.operands, *inner) if value not in made)
