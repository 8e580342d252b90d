"""`vyre-pack-tiles`: workgroup buffers of a kernel that never live at once share their bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.analysis.tile_live_ranges import TILE_ALIGNMENT, TileLiveRanges
from vyre_dialect.ir.effects import states_effects
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.kernel import KernelOp
from vyre_dialect.passes.memory.packing.instance import LiveRange
from vyre_dialect.passes.memory.packing.planner import Effort, plan
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import drive

EFFORT = Effort(nodes=4000)
"""Counted, not timed, so that a kernel has the same plan every time."""


@dataclass
class PackTiles(RewritePattern):
    """
    A kernel gets an arena for its workgroup buffers where that is smaller than all of them. An
    unused one goes.
    """

    facts: AnalysisManager

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: KernelOp, rewriter: PatternRewriter, /) -> None:
        for tile in [each for each in op.tiles() if not each.buffer.uses]:
            rewriter.erase(tile)
        size, offsets = _plan(op, self.facts.get(TileLiveRanges, op))
        before = (op.arena_bytes, [each.arena_offset for each in op.tiles()])
        op.arena_bytes = size
        for tile in op.tiles():
            tile.arena_offset = offsets.get(tile)
        if before != (op.arena_bytes, [each.arena_offset for each in op.tiles()]):
            rewriter.notify_op_modified(op)


def _plan(
    kernel: KernelOp, live_ranges: TileLiveRanges
) -> tuple[IntegerAttr | None, Mapping[BufferOp, IntegerAttr]]:
    """The size of the arena and the offsets in it; None and none where buffers stay apart."""
    if not all(_is_known(tile) for tile in kernel.tiles()):
        return None, {}
    alive = [tile for tile in kernel.tiles() if not live_ranges.of(tile).is_empty]
    sizes = {tile: tile.type.static_bytes or 0 for tile in alive}
    wanted = [
        LiveRange(live_ranges.of(tile).begin, live_ranges.of(tile).end, size)
        for tile, size in sizes.items()
    ]
    packing = plan(wanted, EFFORT, alignment=TILE_ALIGNMENT)
    if packing.peak >= sum(sizes.values()):
        return None, {}
    offsets = zip(sizes, packing.offsets, strict=True)
    return IntegerAttr(packing.peak, i64), {tile: IntegerAttr(at, i64) for tile, at in offsets}


def _is_known(tile: BufferOp) -> bool:
    """Whether all that touches a buffer says how, so that it does so where it stands."""
    return all(states_effects(use.operation) for use in tile.buffer.uses)


@dataclass(frozen=True)
class PackTilesPass(RewritePass):
    """
    Places the workgroup buffers of each kernel in one array, as close as their live ranges allow,
    where that saves memory: more workgroups fit a compute unit. A live range ends at the barrier
    after the last access; without barriers between them, buffers stay apart. Buffers without uses
    are removed.
    """

    name = "vyre-pack-tiles"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.KERNELS, Family.UNKNOWN, requires=("vyre-optimize-integers",)
    )

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        return drive(PackTiles(facts), module.body, facts, KernelOp, apply_recursively=False)
