"""
The rewrite: one arm out of a proved plan, and tiles in the place of its handoffs.

    producer share  |  barrier  |  zeros outside the handoff  |  … |  shares of the sinks

With private tiles every invocation does all of it alone, without barriers and unrolled, so
that the tiles become values. If it does several tiles, one after the other, producers may slide:

    first invocations of a share  |  for each tile:  the others  |  …  |  sinks  |  tiles move on
"""

from __future__ import annotations

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Block
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from vyre_dialect.builder import Value
from vyre_dialect.ir.cooperation import uses_subgroups
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import ITEMS
from vyre_dialect.ops.kernel import CheckWholeWorkgroupsOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.fusion.tiling.affine_emitter import AffineEmitter
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.intervals import Stage
from vyre_dialect.passes.fusion.tiling.options import Home
from vyre_dialect.passes.fusion.tiling.plan import Plan
from vyre_dialect.passes.fusion.tiling.promotion import promoted
from vyre_dialect.passes.fusion.tiling.stage_body import StageWriter, count_of
from vyre_dialect.passes.fusion.tiling.tile_body import write_tiles
from vyre_dialect.passes.rewriting.invocation_body import detached


def fuse(analysis: ProgramAnalysis, plan: Plan, rewriter: PatternRewriter) -> None:
    """Replace the arms of `plan` by one, and its handoffs by tiles."""
    promotion = promoted(analysis, rewriter, plan.footprints, plan.request.space, plan.colliding)
    host = Block()
    with ImplicitBuilder(host):
        _check_whole_workgroups(plan)
        tiles = _all_tiles(analysis, plan)
        invocations = _invocations(plan, tiles)
    fused = _empty_arm(plan, invocations)
    ops = sum(len(ops_inside(arm)) for arm in plan.arms)
    stages = StageWriter(analysis, plan, promotion, rewriter, ops)
    write_tiles(plan, promotion, stages, tiles, fused.body.block)
    rewriter.insert([*detached(host), fused], InsertPoint.before(plan.arms[-1]))
    for arm in plan.arms:
        rewriter.erase(arm, safe_erase=False)
    promotion.erase_handoffs()


def _check_whole_workgroups(plan: Plan) -> None:
    """What cooperative arms expect of their counts is to be told of the same way as before."""
    size = plan.request.workgroup_size
    for stage in plan.stages:
        arm, count = stage.arm.arm, stage.arm.arm.domain[0]
        if stage.arm.is_data_parallel or isinstance(count, int) or size == 1:
            continue
        CheckWholeWorkgroupsOp(count, size, arm.generator.data).location = arm.location


def _all_tiles(analysis: ProgramAnalysis, plan: Plan) -> Value:
    """As many tiles as the sinks' shares and the producers' effects ask for."""
    tiles = [_tiles_of(sink) for sink in plan.sinks]
    emitter = AffineEmitter(analysis.symbols)
    tiles += [emitter.emit(count) for count in plan.effect_tiles]
    # Several sinks of one count ask for the same.
    first, *others = dict.fromkeys(count.ssa for count in tiles)
    total = Value(first)
    for count in others:
        total = total.max(count)
    return total


def _tiles_of(sink: Stage) -> Value:
    count, per_tile = count_of(sink), sink.share.extent
    return count if per_tile == 1 else count.ceildiv(per_tile)


def _invocations(plan: Plan, tiles: Value) -> Value:
    """As many invocations as do all tiles."""
    size = plan.request.workgroup_size
    if not plan.is_private:
        return tiles * size
    if plan.is_data_parallel:
        return tiles if plan.steps == 1 else tiles.ceildiv(plan.steps)
    return tiles.ceildiv(size) * size


def _empty_arm(plan: Plan, invocations: Value) -> RegionOp:
    """The new arm, with all that the old ones say of themselves, and nothing in it yet."""
    arms = plan.arms
    sources = [arm.source_region.data for arm in arms if arm.source_region is not None]
    fused = RegionOp(
        "+".join(arm.generator.data for arm in arms),
        [invocations.ssa],
        source_region="+".join(sources) or None,
        workgroup_size=_stated_size(plan),
    )
    for arm in arms:
        if uses_subgroups(arm.body):
            fused.subgroup_size = IntegerAttr(arm.lanes, i64)
        fused.attributes.update(arm.attributes)
    if plan.steps > 1:
        fused.attributes[ITEMS] = IntegerAttr(plan.steps, i64)
    fused.location = arms[-1].location
    return fused


def _stated_size(plan: Plan) -> list[int] | None:
    """
    The workgroup size, unless it is as little to the new arm as it was to the old ones. Invocations
    that have a cache each are workgroups of one: a device has private memory for few of them.
    """
    states_one = any(arm.workgroup_size is not None for arm in plan.arms)
    is_free = plan.request.home is Home.REGISTERS and plan.is_data_parallel
    if is_free and not states_one:
        return None
    return [plan.request.workgroup_size]
