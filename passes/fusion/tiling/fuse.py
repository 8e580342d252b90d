"""
Makes one arm out of a proved plan: each producer's share, into tiles, before what reads them.

    producer share  |  barrier  |  zeros outside the handoff  |  … |  shares of the sinks

With private tiles every invocation does all of it alone, without barriers and unrolled, so
that the tiles become values. If it does several tiles, one after the other, producers may slide:

    first invocations of a share  |  for each tile:  the others  |  …  |  sinks  |  tiles move on
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import islpy as isl
from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Block, Operation, Region
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from vyre_dialect.analysis.value_ranges import MAX_COUNT
from vyre_dialect.builder import (
    Value,
    barrier,
    constant,
    invocation_id,
    local_id,
    workgroup_id,
)
from vyre_dialect.ir.cooperation import uses_subgroups
from vyre_dialect.ir.interfaces import HasAccessesInterface
from vyre_dialect.ir.types import ITEMS, Axis, MemorySpace
from vyre_dialect.ops.kernel import CheckWholeWorkgroupsOp
from vyre_dialect.ops.memory import StoreOp
from vyre_dialect.ops.program import BufferOp, RegionOp
from vyre_dialect.passes.fusion.tiling.affine_emitter import AffineEmitter
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.intervals import Stage
from vyre_dialect.passes.fusion.tiling.moving_tiles import MovingTile
from vyre_dialect.passes.fusion.tiling.pieces import Piece
from vyre_dialect.passes.fusion.tiling.plan import Plan
from vyre_dialect.passes.fusion.tiling.promotion import Promotion
from vyre_dialect.passes.rewriting.invocation_body import detached, guarded, looped, run_as

UNROLLED_SHARES = 8
"""Producer invocations per private tile up to which they are unrolled."""


def fuse(analysis: ProgramAnalysis, plan: Plan, rewriter: PatternRewriter) -> None:
    """Replace the arms of `plan` by one, and its handoffs by tiles."""
    _Fusion(analysis, plan, rewriter).apply()


class _Fusion:
    def __init__(
        self,
        analysis: ProgramAnalysis,
        plan: Plan,
        rewriter: PatternRewriter,
    ):
        self.analysis = analysis
        self.plan = plan
        self.rewriter = rewriter
        self.last = plan.arms[-1]
        self.promotion = Promotion(
            analysis, rewriter, plan.footprints, plan.request.space, plan.colliding
        )
        self.is_private = self.promotion.is_private
        self.stride = 1 if self.is_private else plan.request.workgroup_size
        self.subgroups = {arm.lanes for arm in plan.arms if uses_subgroups(arm.body)}
        self.slides = plan.slides
        self.steps = plan.steps
        self.stores = self._regular_stores() if self.is_private else {}
        self.body = Block()

    def apply(self) -> None:
        """Build the new arm out of the bodies of the old ones, which go."""
        host = Block()
        with ImplicitBuilder(host):
            self._check_whole_workgroups()
            self.tiles = self._all_tiles()
            invocations = self._invocations()
        self._build()
        fused = self._region(invocations)
        self.rewriter.insert([*detached(host), fused], InsertPoint.before(self.last))
        for arm in self.plan.arms:
            self.rewriter.erase(arm, safe_erase=False)
        self.promotion.erase_handoffs()

    def _check_whole_workgroups(self) -> None:
        """What cooperative arms expect of their counts is to be told of the same way as before."""
        for stage in self.plan.stages:
            arm, size = stage.arm.arm, self.plan.request.workgroup_size
            count = arm.domain[0]
            if stage.arm.is_data_parallel or isinstance(count, int) or size == 1:
                continue
            CheckWholeWorkgroupsOp(count, size, arm.generator.data).location = arm.location

    def _all_tiles(self) -> Value:
        """As many tiles as the sinks' shares and the producers' effects ask for."""
        tiles = [self._tiles(sink) for sink in self.plan.sinks]
        emitter = AffineEmitter(self.analysis.symbols)
        tiles += [emitter.emit(count) for count in self.plan.effect_tiles]
        total = tiles[0]
        for count in tiles[1:]:
            total = total.max(count)
        return total

    def _invocations(self) -> Value:
        """As many invocations as do all tiles."""
        total, size = self.tiles, self.plan.request.workgroup_size
        if not self.is_private:
            return total * size
        if self.is_data_parallel:
            return total if self.steps == 1 else total.ceildiv(self.steps)
        return total.ceildiv(size) * size

    @property
    def is_data_parallel(self) -> bool:
        """Whether no arm keeps its own workgroups."""
        return all(stage.arm.is_data_parallel for stage in self.plan.stages)

    @cached_property
    def _shares_workgroup_memory(self) -> bool:
        """Whether several arms work in the same workgroup memory, tiles aside."""
        buffers = [each for stage in self.plan.stages for each in set(stage.arm.buffers())]
        used = Counter(each for each in buffers if each.type.space == MemorySpace.WORKGROUP)
        return any(count > 1 for count in used.values())

    def _tiles(self, sink: Stage) -> Value:
        count, per_tile = self._count(sink), sink.share.extent
        return count if per_tile == 1 else count.ceildiv(per_tile)

    def _region(self, invocations: Value) -> RegionOp:
        arms = self.plan.arms
        sources = [arm.source_region.data for arm in arms if arm.source_region is not None]
        fused = RegionOp(
            "+".join(arm.generator.data for arm in arms),
            [invocations.ssa],
            Region(self.body),
            source_region="+".join(sources) or None,
            workgroup_size=self._stated_size(),
        )
        for lanes in self.subgroups:
            fused.subgroup_size = IntegerAttr(lanes, i64)
        for arm in arms:
            fused.attributes.update(arm.attributes)
        if self.steps > 1:
            fused.attributes[ITEMS] = IntegerAttr(self.steps, i64)
        fused.location = arms[-1].location
        return fused

    def _stated_size(self) -> list[int] | None:
        """The workgroup size, unless it is as little to the new arm as it was to the old ones."""
        states_one = any(arm.workgroup_size is not None for arm in self.plan.arms)
        if self.is_private and self.is_data_parallel and not states_one:
            return None
        return [self.plan.request.workgroup_size]

    def _build(self) -> None:
        with ImplicitBuilder(self.body):
            id = invocation_id() if self.is_private else workgroup_id()
            self.lane = constant(0) if self.is_private else local_id().named("lane")
        if not self.slides:
            self._begin_tile(id.named("i" if self.is_private else "tile"))
            self._run(self.plan.stages)
            return
        with ImplicitBuilder(self.body):
            first = (id.named("i") * self.steps).named("first_tile")
            # No more than any launch has, which bounds the counter.
            end = (first + self.steps).min(self.tiles.min(MAX_COUNT))
        moving = self._moving_tiles()
        self._prepare(first, moving)
        self._slide(first, end, moving)

    def _prepare(self, first: Value, moving: list[MovingTile]) -> None:
        """What the first tile shares with the one before it, which another invocation does."""
        with ImplicitBuilder(self.body):
            for each in moving:
                each.clear()
        self._begin_tile(first)
        self._run([stage for stage in self.plan.stages if stage.arm.arm in self.slides], ahead=True)

    def _slide(self, first: Value, end: Value, moving: list[MovingTile]) -> None:
        """The loop over the tiles, in each of which only what is new is done."""
        outer = self.body
        with looped(outer, first, end, 1) as (inner, tile):
            self.body = inner
            with ImplicitBuilder(inner):
                for each in moving:
                    each.clear_new()
            self._begin_tile(tile.named("tile"))
            self._run(self.plan.stages)
            with ImplicitBuilder(inner):
                for each in moving:
                    each.move_on()
        self.body = outer

    def _moving_tiles(self) -> list[MovingTile]:
        """The tiles that live over the loop."""
        return [
            MovingTile(self.promotion.tile_of(handoff), sliding, self.stores[handoff])
            for slide in self.slides.values()
            for handoff, sliding in slide.tiles.items()
        ]

    def _regular_stores(self) -> dict[BufferOp, dict[int, Piece]]:
        """What producers store to each private tile, by position, as far as it is regular."""
        return {
            handoff: self._stores(stage, handoff)
            for stage in self.plan.stages
            for handoff in self.plan.filled.get(stage.arm.arm, ())
        }

    def _stores(self, stage: Stage, handoff: BufferOp) -> dict[int, Piece]:
        first, share, footprint = self._runs(stage, 0), stage.share, self.plan.footprints[handoff]
        apart = footprint.pace.per_tile / share.pace.per_tile if share.pace.per_tile else None
        if apart is None or apart.denominator != 1:
            return {}
        found = dict[int, Piece]()
        for write in stage.arm.writes_to(handoff):
            position, _ = self.promotion.position(write, first)
            if position is None or not isinstance(write.op, StoreOp):
                continue
            piece = Piece(write.op.value.type, write.op.elements)
            for copy in range(share.extent):
                found[position + copy * int(apart)] = piece
        return found

    def _begin_tile(self, tile: Value) -> None:
        self.tile = tile
        with ImplicitBuilder(self.body):
            self.promotion.compute_bases(tile)

    def _run(self, stages: Iterable[Stage], *, ahead: bool = False) -> None:
        """The stages of a tile; `ahead` of the loop, what it has in common with the one before."""
        since = _Unordered()
        for stage in stages:
            if since.matters_to(stage):
                self._wait(since.stages)
                since = _Unordered()
            since.add(stage)
            if stage.is_producer:
                self._run_producer(stage, ahead=ahead)
            else:
                self._run_sink(stage)

    def _wait(self, earlier: list[Stage]) -> None:
        """Let what was done before be seen by all, with zeros where a handoff has no elements."""
        with ImplicitBuilder(self.body):
            if not self.is_private or self._shares_workgroup_memory:
                barrier()
            for stage in earlier:
                for handoff in self.plan.filled.get(stage.arm.arm, ()):
                    if handoff in self.plan.overhangs:
                        stores = self.stores.get(handoff, {})
                        self.promotion.zero_outside(handoff, self.lane, self.stride, stores)

    def _run_producer(self, stage: Stage, *, ahead: bool) -> None:
        if not stage.arm.is_data_parallel:
            self._inline_cooperative(stage, always=self._is_always_run(stage))
            return
        with ImplicitBuilder(self.body):
            emitter = AffineEmitter(self.analysis.symbols, self.tile)
            first = emitter.emit(stage.share.base).named("first")
        count, slide = stage.share.extent, self.slides.get(stage.arm.arm)
        begin = 0 if slide is None else slide.overlap
        copies = range(begin) if ahead else range(begin, count)
        if self.is_private and len(copies) <= UNROLLED_SHARES:
            for copy in copies:
                self._run_copy(stage, first, copy, keep=ahead or copy + 1 < count)
        elif len(copies) <= self.stride:
            self._run_item(self.body, stage, first, self.lane, partial=count < self.stride)
        else:
            with ImplicitBuilder(self.body):
                start = constant(copies.start) if copies.start else self.lane
            with looped(self.body, start, copies.stop, self.stride) as (inner, offset):
                self._run_item(
                    inner, stage, first, offset, partial=False, begin=copies.start, keep=ahead
                )

    def _run_copy(self, stage: Stage, first: Value, copy: int, *, keep: bool) -> None:
        """One unrolled producer invocation, whose accesses to the tile are at constants."""
        with ImplicitBuilder(self.body):
            id = (first + copy if copy else first).named("item")
        runs = self._runs(stage, copy)
        self._insert_guarded(self.body, stage, id, runs, begin=copy, keep=keep)

    def _runs(self, stage: Stage, copy: int) -> isl.Map:
        """The relation from each tile to one invocation of a share."""
        at = isl.Map.from_pw_aff(stage.share.base + self.promotion.tiles.constant(copy))
        return at.apply_range(self.analysis.symbols.relation("{ [i] -> I[i, 0, 0] }"))

    def _run_item(
        self,
        body: Block,
        stage: Stage,
        first: Value,
        offset: Value,
        *,
        partial: bool,
        begin: int = 0,
        keep: bool = False,
    ) -> None:
        """The producer invocation `first + offset`, if it exists; offsets are from `begin` on."""
        with ImplicitBuilder(body):
            id = (first + offset).named("item")
            in_share = offset < stage.share.extent if partial else None
        self._insert_guarded(body, stage, id, stage.spread, in_share, begin=begin, keep=keep)

    def _run_sink(self, stage: Stage) -> None:
        count = stage.share.extent
        if not stage.arm.is_data_parallel:
            self._inline_cooperative(stage, always=self.plan.is_exact)
        elif self.is_private and count == 1:
            self._run_alone(stage)
        elif count <= self.stride:
            self._run_at(self.body, stage, self.lane, partial=count < self.stride)
        else:
            with looped(self.body, self.lane, count, self.stride) as (inner, offset):
                self._run_at(inner, stage, offset, partial=False)

    def _run_alone(self, stage: Stage) -> None:
        """The sink's invocation that this invocation is, if there is one."""
        if self.plan.is_exact and self.is_data_parallel:
            self.body.add_ops(self._take(stage, self.tile, stage.spread))
            return
        self._insert_guarded(self.body, stage, self.tile, stage.spread)

    def _run_at(self, body: Block, stage: Stage, offset: Value, *, partial: bool) -> None:
        """The sink's invocation at `offset` in the tile's share, if there is one."""
        with ImplicitBuilder(body):
            start = self.tile * stage.share.extent
            id = (start + offset).named("i")
            in_share = offset < stage.share.extent if partial else None
        self._insert_guarded(body, stage, id, stage.spread, in_share)

    def _is_always_run(self, stage: Stage) -> bool:
        """Whether the producer has the invocations of every tile that there is."""
        assert stage.tiles is not None
        needed = stage.spread.intersect_domain(stage.tiles).range()
        symbols, there = self.analysis.symbols, stage.arm.invocations
        return self.analysis.ask(lambda: symbols.is_within(needed, there)) is True

    def _inline_cooperative(self, stage: Stage, *, always: bool) -> None:
        """An arm with workgroups of its own: its body as it is, in its own workgroups."""
        assert stage.share.extent == (1 if self.is_private else self.plan.request.workgroup_size)
        ops = self._take(stage, None, stage.spread)
        if always:
            self.body.add_ops(ops)
            return
        with ImplicitBuilder(self.body):
            # Asked of the workgroup, so that its barriers stay in uniform control flow.
            group = workgroup_id() * self.plan.request.workgroup_size
            inside = group < self._count(stage)
        guarded(self.body, inside, ops)

    def _insert_guarded(
        self,
        body: Block,
        stage: Stage,
        id: Value,
        runs: isl.Map,
        in_share: Value | None = None,
        *,
        begin: int = 0,
        keep: bool = False,
    ) -> None:
        """
        What invocation `id` of the arm does, if there is one: one of its share, from the one at
        `begin` on. `keep` leaves the arm its body.
        """
        with ImplicitBuilder(body):
            exists = self._exists(stage, id, in_share, begin)
        ops = self._take(stage, id, runs, keep=keep)
        if exists is None:
            body.add_ops(ops)
        else:
            guarded(body, exists, ops)

    def _exists(self, stage: Stage, id: Value, in_share: Value | None, begin: int) -> Value | None:
        """Whether invocation `id` is to run; None where it always is."""
        if not stage.is_guarded:
            return in_share
        exists = id < self._count(stage)
        tiles = self.promotion.tiles
        least = stage.share.base + tiles.constant(begin)
        if stage.is_producer and not tiles.is_never_negative(least):
            exists = (id >= 0) & exists
        return exists if in_share is None else in_share & exists

    def _count(self, stage: Stage) -> Value:
        """How many invocations the arm has."""
        count = stage.arm.arm.domain[0]
        return constant(count) if isinstance(count, int) else Value(count)

    def _take(
        self, stage: Stage, id: Value | None, runs: isl.Map, *, keep: bool = False
    ) -> list[Operation]:
        """The body of an arm, or a copy of it, for invocation `id`, with its handoffs in tiles."""
        arm = stage.arm.arm
        region, taken = arm.body, dict[Operation, Operation]()
        if keep:
            region = arm.body.clone()
            taken = dict(zip(arm.body.walk(), region.walk(), strict=True))
        for access in stage.arm.accesses:
            if access.buffer in self.plan.footprints:
                op = taken.get(access.op, access.op)
                assert isinstance(op, HasAccessesInterface)
                self.promotion.redirect(access, op, runs)
        if id is not None:
            run_as(region, {Axis.X: id}, self.rewriter)
        return detached(region.block)


@dataclass
class _Unordered:
    """The stages since the last barrier, and the buffers that they touch."""

    stages: list[Stage] = field(default_factory=list[Stage])
    _touched: set[BufferOp] = field(default_factory=set[BufferOp])
    _written: set[BufferOp] = field(default_factory=set[BufferOp])

    def add(self, stage: Stage) -> None:
        """Another stage begins without a barrier."""
        self.stages.append(stage)
        self._touched.update(stage.arm.buffers())
        self._written.update(each.buffer for each in stage.arm.accesses if each.writes)

    def matters_to(self, stage: Stage) -> bool:
        """Whether `stage` needs what one of the stages did, or must not be seen by it."""
        return any(
            access.buffer in (self._touched if access.writes else self._written)
            for access in stage.arm.accesses
        )
