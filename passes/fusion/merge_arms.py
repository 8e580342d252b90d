"""`vyre-merge-arms`: arms over the same invocations that read the same input become one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from vyre_dialect.ir.scheduling import Boundary, Family, PassMetadata, Phase
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.fusion.side_by_side import are_independent, arm_before, join, shared_inputs


class MergeArms(RewritePattern):
    """An arm joins the one before it, which it does not depend on, so that both read at once."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: RegionOp, rewriter: PatternRewriter, /) -> None:
        first = arm_before(op)
        if first is None or first.domain != op.domain or not are_independent(first, op):
            return
        if shared_inputs(first, op):
            join(first, op, rewriter)


@dataclass(frozen=True)
class MergeArmsPass(ModulePass):
    """
    Merges neighbouring arms of one domain without a handoff between them that read a buffer both,
    so that it is read once. Arms that hand a buffer on are for `vyre-decode-scan-fuse`.
    """

    name = "vyre-merge-arms"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.ARMS,
        Family.FUSION,
        requires=("vyre-decode-scan-fuse",),
        boundary=Boundary.PROGRAM,
    )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(MergeArms()).rewrite_module(op)
