"""The rewrite for a handoff that one arm writes and reads back: tiles in its place."""

from __future__ import annotations

from xdsl.builder import ImplicitBuilder
from xdsl.ir import Block
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from vyre_dialect.builder import barrier, constant, invocation_id, local_id, workgroup_id
from vyre_dialect.ir.types import MemorySpace
from vyre_dialect.ops.invocation import BarrierOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.in_arm import InArmPlan
from vyre_dialect.passes.fusion.tiling.promotion import promoted
from vyre_dialect.passes.fusion.tiling.zeros import zero_outside
from vyre_dialect.passes.rewriting.invocation_body import detached


def promote_in_arm(analysis: ProgramAnalysis, plan: InArmPlan, rewriter: PatternRewriter) -> None:
    """Replace the handoff of `plan` by tiles."""
    promotion = promoted(analysis, rewriter, plan.footprints, plan.space, plan.colliding)
    (handoff,) = plan.footprints
    arm = plan.stage.arm.arm
    prelude = Block()
    with ImplicitBuilder(prelude):
        is_private = plan.space == MemorySpace.PRIVATE
        tile = invocation_id() if is_private else workgroup_id()
        base = promotion.bases_of(tile.named("tile"))[handoff]
        if plan.overhangs:
            lane = constant(0) if is_private else local_id().named("lane")
            zero_outside(promotion.overhang(handoff, base), lane, plan.stage.share.extent)
            if not is_private:
                barrier()
    for access in plan.stage.arm.to(handoff):
        promotion.redirect(access, access.op, plan.stage.spread, base)
    body = arm.body.block
    rewriter.insert(detached(prelude), InsertPoint.at_start(body))
    _order_tiles(arm, rewriter)
    rewriter.notify_op_modified(arm)
    promotion.erase_handoffs()


def _order_tiles(arm: RegionOp, rewriter: PatternRewriter) -> None:
    """Let the barriers that ordered the handoff order its tile, too."""
    for op in arm.body.walk():
        if isinstance(op, BarrierOp) and MemorySpace.GLOBAL in op.ordered_spaces:
            op.memory_space = None
            rewriter.notify_op_modified(op)
