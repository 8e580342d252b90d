"""The work of a tile: its stages in order, barriers between them, and tiles that move on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from xdsl.builder import ImplicitBuilder
from xdsl.ir import Block

from vyre_dialect.analysis.value_ranges import MAX_COUNT
from vyre_dialect.builder import Value, barrier, constant, invocation_id, local_id, workgroup_id
from vyre_dialect.ir.types import MemorySpace
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.memory import StoreOp
from vyre_dialect.passes.fusion.tiling.granules import Granule
from vyre_dialect.passes.fusion.tiling.intervals import Stage
from vyre_dialect.passes.fusion.tiling.moving_tiles import MovingTile
from vyre_dialect.passes.fusion.tiling.plan import Plan
from vyre_dialect.passes.fusion.tiling.promotion import Promotion
from vyre_dialect.passes.fusion.tiling.stage_body import StageWriter, Tile, one_of_share
from vyre_dialect.passes.fusion.tiling.zeros import NO_STORES, zero_outside
from vyre_dialect.passes.rewriting.invocation_body import looped


def write_tiles(
    plan: Plan, promotion: Promotion, stages: StageWriter, tiles: Value, body: Block
) -> None:
    """Write what an invocation does, of one tile or of several, into an empty body."""
    stores = _regular_stores(plan, promotion) if plan.is_private else {}
    has_barriers = not plan.is_private or _share_workgroup_memory(plan)
    writer = _TileWriter(plan, promotion, stages, stores, has_barriers)
    with ImplicitBuilder(body):
        own = invocation_id() if plan.is_private else workgroup_id()
        lane = constant(0) if plan.is_private else local_id().named("lane")
    if plan.slides:
        writer.several(body, own.named("i"), tiles, lane)
    else:
        writer.one(body, own.named("i" if plan.is_private else "tile"), lane)


@dataclass(frozen=True, eq=False)
class _TileWriter:
    plan: Plan
    promotion: Promotion
    stages: StageWriter
    stores: Mapping[BufferOp, Mapping[int, Granule]]
    """What producers store to each private tile, by position, as far as it is regular."""
    has_barriers: bool

    def one(self, body: Block, number: Value, lane: Value) -> None:
        """The one tile of an invocation, or of a workgroup."""
        self._run(self._tile(body, number, lane), self.plan.stages)

    def several(self, body: Block, own: Value, tiles: Value, lane: Value) -> None:
        """The tiles of an invocation one after the other, in each of which only what is new."""
        steps, moving = self.plan.steps, self._moving_tiles()
        with ImplicitBuilder(body):
            first = (own * steps).named("first_tile")
            # No more than any launch has, which bounds the counter.
            end = (first + steps).min(tiles.min(MAX_COUNT))
            for each in moving:
                each.clear()
        # What the first tile shares with the one before it, another invocation does.
        sliding = [stage for stage in self.plan.stages if stage.arm.arm in self.plan.slides]
        self._run(self._tile(body, first, lane), sliding, ahead=True)
        with looped(body, first, end, 1) as (inner, number):
            with ImplicitBuilder(inner):
                for each in moving:
                    each.clear_new()
            self.one(inner, number.named("tile"), lane)
            with ImplicitBuilder(inner):
                for each in moving:
                    each.move_on()

    def _tile(self, body: Block, number: Value, lane: Value) -> Tile:
        with ImplicitBuilder(body):
            return Tile(body, number, lane, self.promotion.bases_of(number))

    def _moving_tiles(self) -> list[MovingTile]:
        """The tiles that live over the loop."""
        return [
            MovingTile(self.promotion.buffers[handoff], sliding, self.stores[handoff])
            for slide in self.plan.slides.values()
            for handoff, sliding in slide.tiles.items()
        ]

    def _run(self, tile: Tile, stages: Iterable[Stage], *, ahead: bool = False) -> None:
        """The stages of a tile; `ahead` of the loop, what it has in common with the one before."""
        done = list[Stage]()
        for together in _unordered(stages):
            if done:
                self._wait(tile, done)
            for stage in together:
                if stage.is_producer:
                    self.stages.producer(tile, stage, ahead=ahead)
                else:
                    self.stages.sink(tile, stage)
            done = together

    def _wait(self, tile: Tile, earlier: Iterable[Stage]) -> None:
        """Let what was done before be seen by all, with zeros where a handoff has no elements."""
        with ImplicitBuilder(tile.body):
            if self.has_barriers:
                barrier()
            for handoff in self._overhanging(earlier):
                overhang = self.promotion.overhang(handoff, tile.bases[handoff])
                # A tile in a cache stays memory, whose positions need not be known: a loop does.
                stores = NO_STORES if self.plan.is_cached else self.stores.get(handoff, {})
                zero_outside(overhang, tile.lane, self.plan.stride, stores)

    def _overhanging(self, stages: Iterable[Stage]) -> list[BufferOp]:
        """The handoffs that stages fill, and of which tiles may lie outside."""
        filled = (each for stage in stages for each in self.plan.filled.get(stage.arm.arm, ()))
        return [each for each in filled if each in self.plan.overhangs]


def _unordered(stages: Iterable[Stage]) -> list[list[Stage]]:
    """The stages in parts between which is a barrier: none needs what others of its part do."""
    parts, touched, written = [list[Stage]()], set[BufferOp](), set[BufferOp]()
    for stage in stages:
        accesses = stage.arm.accesses
        if any(each.buffer in (touched if each.writes else written) for each in accesses):
            parts.append([])
            touched.clear()
            written.clear()
        parts[-1].append(stage)
        touched.update(stage.arm.buffers())
        written.update(each.buffer for each in accesses if each.writes)
    return parts


def _share_workgroup_memory(plan: Plan) -> bool:
    """Whether several arms work in the same workgroup memory, tiles aside."""
    buffers = [each for stage in plan.stages for each in set(stage.arm.buffers())]
    used = Counter(each for each in buffers if each.type.space == MemorySpace.WORKGROUP)
    return any(count > 1 for count in used.values())


def _regular_stores(plan: Plan, promotion: Promotion) -> dict[BufferOp, dict[int, Granule]]:
    """What producers store to each private tile, by position, as far as it is regular."""
    return {
        handoff: _stores(plan, promotion, stage, handoff)
        for stage in plan.stages
        for handoff in plan.filled.get(stage.arm.arm, ())
    }


def _stores(
    plan: Plan, promotion: Promotion, stage: Stage, handoff: BufferOp
) -> dict[int, Granule]:
    first, share, footprint = (
        one_of_share(promotion.analysis.tiles, stage.share, 0),
        stage.share,
        plan.footprints[handoff],
    )
    apart = footprint.pace.per_tile / share.pace.per_tile if share.pace.per_tile else None
    if apart is None or apart.denominator != 1:
        return {}
    found = dict[int, Granule]()
    for write in stage.arm.writes_to(handoff):
        position, _ = promotion.position(write, first)
        if position is None or not isinstance(write.op, StoreOp):
            continue
        granule = Granule(write.op.value.type, write.op.elements)
        for copy in range(share.extent):
            found[position + copy * int(apart)] = granule
    return found
