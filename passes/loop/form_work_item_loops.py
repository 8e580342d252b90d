"""
`vyre-form-work-item-loops`: one invocation does what the invocations of a workgroup did.

    tile[lane] = f(x[i])                     for (lane = 0; lane < 64; lane++)
    barrier                        -->           tile[lane] = f(x[64 * group + lane])
    y[i] = g(tile[63 - lane])                for (lane = 0; lane < 64; lane++)
                                                 y[64 * group + lane] = g(tile[63 - lane])

Sources: Stratton, Stone and Hwu, "MCUDA: An efficient implementation of CUDA kernels for multi-core
CPUs", 2008; Jääskeläinen et al., "pocl: A performance-portable OpenCL implementation", 2015. That
the invocations of a workgroup run in any order up to the next barrier makes it legal.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.builder import Value
from vyre_dialect.ir.interfaces import ops_outside_arms
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.ir.types import MAX_WORKGROUP_INVOCATIONS, sizes_attr
from vyre_dialect.ops.kernel import CheckWholeWorkgroupsOp
from vyre_dialect.ops.program import ProgramOp, RegionOp
from vyre_dialect.passes.loop.refusal import Refusal, state_refusal
from vyre_dialect.passes.rewriting.carried_values import erase_dead
from vyre_dialect.passes.rewriting.invocation_body import detached
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import building, rewriter_of
from vyre_dialect.passes.rewriting.whole_workgroups import set_domain

NO_WORK_ITEM_LOOPS = "vyre.no_work_item_loops"
"""Attribute of an arm: why its workgroups did not become single invocations."""


@dataclass(frozen=True)
class FormWorkItemLoopsPass(RewritePass):
    """
    Lets one invocation do what a workgroup of a cooperative arm did, in loops between its barriers,
    which vanish. Workgroup buffers become private; what invocations keep over a barrier is computed
    again, or kept in private memory. There are as many workgroups as before, of one invocation
    each, so that an arm that depends on no more than that is data-parallel. Workgroups of more than
    `limit` invocations stay as they are.
    """

    name = "vyre-form-work-item-loops"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.ARMS,
        Family.UNKNOWN,
        invalidates=("canonicalize", "vyre-cse", "vyre-prove-accesses"),
        on_request=True,
    )

    limit: int = 256
    annotate: bool = False
    """State refusals as attributes of the arms that stay as they are."""

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        if not 1 <= self.limit <= MAX_WORKGROUP_INVOCATIONS:
            raise PassFailedException(
                f"'{self.name}' expected a limit of 1 to {MAX_WORKGROUP_INVOCATIONS} invocations, "
                f"got {self.limit}"
            )
        programs = [child for child in ops_outside_arms(module) if isinstance(child, ProgramOp)]
        arms = [arm for program in programs for arm in program.arms()]
        return any([self._rewrite(arm, facts) for arm in arms])

    def _rewrite(self, arm: RegionOp, facts: AnalysisManager) -> bool:
        """Form the loops of an arm, or state why not; whether anything is another than before."""
        refusal, rewriter = None, rewriter_of(arm, facts)
        if prod(arm.workgroup) > 1 and not arm.is_data_parallel:
            refusal = form_loops(arm, self.limit, facts)
            if refusal is None:
                return True
        state_refusal(arm, NO_WORK_ITEM_LOOPS, refusal if self.annotate else None, rewriter)
        return rewriter.has_done_action


def form_loops(arm: RegionOp, limit: int, facts: AnalysisManager) -> Refusal | None:
    """Let each workgroup of several invocations be one; why not, where that is not done."""
    # Every schedule asks this pass what it is; few run it.
    from vyre_dialect.passes.loop.work_item_loops.memory import make_tiles_private
    from vyre_dialect.passes.loop.work_item_loops.plan import plan_for
    from vyre_dialect.passes.loop.work_item_loops.writer import Writer

    plan = plan_for(arm, limit, facts)
    if isinstance(plan, Refusal):
        return plan
    written, rewriter = Block(), rewriter_of(arm, facts)
    Writer(plan, rewriter).write(written)
    body = arm.body.block
    for op in reversed(list(body.ops)):
        rewriter.erase(op, safe_erase=False)
    rewriter.insert(detached(written), InsertPoint.at_end(body))
    make_tiles_private(arm, rewriter)
    erase_dead(body, rewriter)
    for buffer in [each for each in plan.copied if each.buffer.first_use is None]:
        rewriter.erase(buffer)
    _launch_workgroups(arm, rewriter)
    return None


def _launch_workgroups(arm: RegionOp, rewriter: PatternRewriter) -> None:
    """Launch an invocation for each workgroup."""
    with building(rewriter, InsertPoint.before(arm)):
        sizes = zip(arm.domain, arm.workgroup, strict=False)
        set_domain(arm, [_workgroups(arm, count, size) for count, size in sizes], rewriter)
    arm.workgroup_size = sizes_attr([1])
    arm.subgroup_size = None
    arm.attributes.pop(NO_WORK_ITEM_LOOPS, None)
    rewriter.notify_op_modified(arm)


def _workgroups(arm: RegionOp, count: SSAValue | int, size: int) -> SSAValue | int:
    """How many workgroups have `count` invocations; that these are whole is checked as before."""
    if isinstance(count, int):
        return count // size
    if size == 1:
        return count
    check = CheckWholeWorkgroupsOp(count, size, arm.generator.data)
    check.location = arm.location
    return (Value(count) // size).named("workgroups").ssa
