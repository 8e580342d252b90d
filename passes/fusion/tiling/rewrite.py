"""
Makes one arm out of a proved plan:

    producer share, into tiles  |  barrier  |  zeros outside the handoff  |  consumer shares

With private tiles every invocation does all of it alone, without barriers and unrolled, so
that the tiles become values.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

import islpy as isl
from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, i64
from xdsl.ir import Block, Operation, Region
from xdsl.rewriter import InsertPoint, Rewriter

from vyre_dialect.builder import (
    Value,
    barrier,
    constant,
    invocation_id,
    local_id,
    workgroup_id,
)
from vyre_dialect.cooperation import uses_subgroups
from vyre_dialect.ops.invocation import InvocationIdOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.emit import AffineEmitter
from vyre_dialect.passes.fusion.tiling.legality import conflict
from vyre_dialect.passes.fusion.tiling.plan import Plan
from vyre_dialect.passes.fusion.tiling.promotion import Promotion, detached
from vyre_dialect.passes.fusion.tiling.tiles import Share
from vyre_dialect.types import Axis

UNROLLED_SHARES = 8
"""Producer invocations per private tile up to which they are unrolled."""


def fuse(analysis: ProgramAnalysis, plan: Plan) -> RegionOp:
    """Replace the arms of `plan` by one, and its handoffs by tiles. Returns the new arm."""
    return _Fusion(analysis, plan).apply()


class _Fusion:
    def __init__(self, analysis: ProgramAnalysis, plan: Plan):
        self.analysis = analysis
        self.plan = plan
        self.last = max(plan.arms, key=analysis.position)
        self.promotion = Promotion(analysis, plan.windows, plan.space, plan.colliding)
        self.is_private = self.promotion.is_private
        self.stride = 1 if self.is_private else plan.workgroup_size
        self.subgroups = {arm.lanes for arm in plan.arms if uses_subgroups(arm.body)}

    def apply(self) -> RegionOp:
        """Build the new arm out of the bodies of the old ones, which go."""
        host, body = Block(), Block()
        with ImplicitBuilder(host):
            invocations = self._invocations()
        self._build(body)
        fused = self._region(invocations, body)
        Rewriter.insert_op([*detached(host), fused], InsertPoint.before(self.last))
        for arm in self.plan.arms:
            arm.detach()
            arm.erase(safe_erase=False)
        self.promotion.erase_handoffs()
        self.analysis.replaced(self.plan.arms, fused)
        return fused

    def _invocations(self) -> Value:
        """As many invocations as the consumers' shares and the producer's effects ask for."""
        tiles = [self._tiles(share) for share in self.plan.consumers]
        if self.plan.producer_tiles is not None:
            tiles.append(AffineEmitter(self.analysis.symbols).emit(self.plan.producer_tiles))
        total = tiles[0]
        for count in tiles[1:]:
            total = total.max(count)
        size = self.plan.workgroup_size
        if not self.is_private:
            return total * size
        if all(share.arm.is_data_parallel for share in self.plan.consumers):
            return total
        return total.ceildiv(size) * size

    def _tiles(self, share: Share) -> Value:
        count = self._count(share)
        return count if share.count == 1 else count.ceildiv(share.count)

    def _region(self, invocations: Value, body: Block) -> RegionOp:
        arms = self.plan.arms
        sources = [arm.source_region.data for arm in arms if arm.source_region is not None]
        fused = RegionOp(
            "+".join(arm.generator.data for arm in arms),
            [invocations.ssa],
            Region(body),
            source_region="+".join(sources) or None,
            workgroup_size=[self.plan.workgroup_size],
        )
        for lanes in self.subgroups:
            fused.subgroup_size = IntegerAttr(lanes, i64)
        for arm in arms:
            fused.attributes.update(arm.attributes)
        fused.location = arms[-1].location
        return fused

    def _build(self, body: Block) -> None:
        with ImplicitBuilder(body):
            tile = invocation_id() if self.is_private else workgroup_id()
            self.tile = tile.named("i" if self.is_private else "tile")
            self.lane = constant(0) if self.is_private else local_id().named("lane")
            self.promotion.compute_bases(self.tile)
            emitter = AffineEmitter(self.analysis.symbols, self.tile)
            self.first = emitter.emit(self.plan.producer.first).named("first")
        self._run_producer(body)
        with ImplicitBuilder(body):
            if not self.is_private:
                barrier()
            for handoff in self.plan.windows:
                if handoff in self.plan.overhangs:
                    self.promotion.zero_outside(handoff, self.lane, self.stride)
        for place, share in enumerate(self.plan.consumers):
            if any(conflict(earlier.arm, share.arm) for earlier in self.plan.consumers[:place]):
                self._wait(body)
            self._run_consumer(body, share)

    def _wait(self, body: Block) -> None:
        if not self.is_private:
            with ImplicitBuilder(body):
                barrier()

    def _run_producer(self, body: Block) -> None:
        share = self.plan.producer
        if self.is_private and share.count <= UNROLLED_SHARES:
            for copy in range(share.count):
                self._run_copy(body, share, copy)
            return
        if share.count <= self.stride:
            self._run_item(body, share, self.lane, partial=share.count < self.stride)
            return
        self._run_in_steps(
            body, share, lambda block, offset: self._run_item(block, share, offset, partial=False)
        )

    def _run_copy(self, body: Block, share: Share, copy: int) -> None:
        """One unrolled producer invocation, whose accesses to the tile are at constants."""
        with ImplicitBuilder(body):
            id = (self.first + copy if copy else self.first).named("item")
        at = isl.Map.from_pw_aff(share.first + self.promotion.tiles.constant(copy))
        runs = at.apply_range(isl.Map.read_from_str(self.analysis.context, "{ [i] -> I[i, 0, 0] }"))
        self._insert_guarded(body, share, id, runs, keep=copy + 1 < share.count)

    def _run_item(self, body: Block, share: Share, offset: Value, *, partial: bool) -> None:
        """The producer invocation `first + offset`, if there is one."""
        with ImplicitBuilder(body):
            id = (self.first + offset).named("item")
            in_share = offset < share.count if partial else None
        self._insert_guarded(body, share, id, share.spread, in_share)

    def _run_in_steps(self, body: Block, share: Share, run: Callable[[Block, Value], None]) -> None:
        """A loop of the workgroup over a share: lane, lane + size, lane + 2 size, …"""
        with _loop(body, self.lane, share.count, self.stride) as (inner, offset):
            run(inner, offset)

    def _run_consumer(self, body: Block, share: Share) -> None:
        if not share.arm.is_data_parallel:
            self._inline_cooperative(body, share)
        elif self.is_private and share.count == 1:
            self._run_alone(body, share)
        elif share.count == self.stride:
            self._run_at(body, share, self.lane)
        else:
            self._run_in_steps(
                body, share, lambda block, offset: self._run_at(block, share, offset)
            )

    def _run_alone(self, body: Block, share: Share) -> None:
        """The consumer invocation that this invocation is, if there is one."""
        if self.plan.is_exact:
            body.add_ops(self._take(share, self.tile, share.spread))
            return
        self._insert_guarded(body, share, self.tile, share.spread)

    def _run_at(self, body: Block, share: Share, offset: Value) -> None:
        """The consumer invocation at `offset` in the tile's share, if there is one."""
        with ImplicitBuilder(body):
            start = self.tile * share.count
            id = (start + offset).named("i")
            in_share = offset < share.count if share.count < self.stride else None
        self._insert_guarded(body, share, id, share.spread, in_share)

    def _inline_cooperative(self, body: Block, share: Share) -> None:
        """A consumer with workgroups of its own: its body as it is, in its own workgroups."""
        ops = self._take(share, None, share.spread)
        if self.plan.is_exact:
            body.add_ops(ops)
            return
        with ImplicitBuilder(body):
            # Asked of the workgroup, so that its barriers stay in uniform control flow.
            group = workgroup_id() * self.plan.workgroup_size
            inside = group < self._count(share)
        _if(body, inside, ops)

    def _insert_guarded(
        self,
        body: Block,
        share: Share,
        id: Value,
        runs: isl.Map,
        in_share: Value | None = None,
        *,
        keep: bool = False,
    ) -> None:
        """What invocation `id` of the arm does, if there is one; `keep` leaves the arm its body."""
        with ImplicitBuilder(body):
            exists = self._exists(share, id, in_share)
        ops = self._take(share, id, runs, keep=keep)
        if exists is None:
            body.add_ops(ops)
        else:
            _if(body, exists, ops)

    def _exists(self, share: Share, id: Value, in_share: Value | None) -> Value | None:
        """Whether invocation `id` is to run; None where it always is."""
        is_producer = share is self.plan.producer
        if is_producer and not self.plan.guards_producer:
            return in_share
        exists = id < self._count(share)
        if is_producer and not self.promotion.tiles.is_never_negative(share.first):
            exists = (id >= 0) & exists
        return exists if in_share is None else in_share & exists

    def _count(self, share: Share) -> Value:
        """How many invocations the arm has."""
        count = share.arm.arm.domain[0]
        return constant(count) if isinstance(count, int) else Value(count)

    def _take(
        self, share: Share, id: Value | None, runs: isl.Map, *, keep: bool = False
    ) -> list[Operation]:
        """The body of an arm, or a copy of it, for invocation `id`, with its handoffs in tiles."""
        arm = share.arm.arm
        region = arm.body.clone() if keep else arm.body
        taken = dict(zip(arm.body.walk(), region.walk(), strict=True))
        for handoff in self.plan.windows:
            for access in share.arm.to(handoff):
                self.promotion.redirect(access, taken[access.op], runs)
        if id is not None:
            for op in list(region.walk()):
                if isinstance(op, InvocationIdOp):
                    _replace_id(op, id)
        return detached(region.block)


def _replace_id(op: InvocationIdOp, id: Value) -> None:
    """Let `op` be `id` along x; along the axes that the arm does not have it is zero."""
    if op.axis.data == Axis.X:
        Rewriter.replace_op(op, [], [id.ssa])
    else:
        Rewriter.replace_op(op, arith.ConstantOp(IntegerAttr(0, IndexType())))


def _if(body: Block, condition: Value, ops: list[Operation]) -> None:
    """An `scf.if` around finished ops, at the end of `body`."""
    inner = Block(ops)
    with ImplicitBuilder(inner):
        scf.YieldOp()
    with ImplicitBuilder(body):
        scf.IfOp(condition.ssa, [], [inner])


@contextmanager
def _loop(body: Block, begin: Value, end: int, step: int) -> Generator[tuple[Block, Value]]:
    """An `scf.for` at the end of `body` around what is added to its block."""
    with ImplicitBuilder(body):
        upper, stride = constant(end).ssa, constant(step).ssa
    inner = Block(arg_types=[begin.type])
    yield inner, Value(inner.args[0])
    with ImplicitBuilder(inner):
        scf.YieldOp()
    with ImplicitBuilder(body):
        scf.ForOp(begin.ssa, upper, stride, [], inner)
