"""`vyre-share-launches`: small arms that do not depend on each other run in one launch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.builder import ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.builder import Value
from vyre_dialect.ir.scheduling import Boundary, Family, PassMetadata, Phase
from vyre_dialect.ir.types import Axis, sizes_attr
from vyre_dialect.ops.invocation import InvocationIdOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.fusion.side_by_side import are_independent, arm_before, join
from vyre_dialect.passes.rewriting.invocation_body import detached, guarded


@dataclass
class ShareLaunch(RewritePattern):
    """An arm joins the one before it; of fewer invocations, under a guard."""

    most: int

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: RegionOp, rewriter: PatternRewriter, /) -> None:
        if (first := arm_before(op)) is None:
            return
        before, count = self._count(first), self._count(op)
        if before is None or count is None or not are_independent(first, op):
            return
        if before < count:
            _guard(first, before)
        elif count < before:
            _guard(op, count)
        first.static_invocations = sizes_attr([max(before, count)])
        join(first, op, rewriter)

    def _count(self, arm: RegionOp) -> int | None:
        """The invocations of a small arm along its only axis."""
        sizes = arm.domain
        if len(sizes) != 1 or not isinstance(sizes[0], int) or sizes[0] > self.most:
            return None
        return sizes[0]


def _guard(arm: RegionOp, count: int) -> None:
    """Let only the first `count` invocations do what the arm does."""
    body = arm.body.block
    ops = detached(body)
    with ImplicitBuilder(body):
        condition = Value(InvocationIdOp(Axis.X).id) < count
    guarded(body, condition, ops)


@dataclass(frozen=True)
class ShareLaunchesPass(ModulePass):
    """
    Merges neighbouring arms of static size that do not depend on each other, so that a device
    that neither of them fills runs both at once.
    """

    name = "vyre-share-launches"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.ARMS,
        Family.MEGAKERNEL,
        requires=("vyre-merge-arms",),
        boundary=Boundary.PROGRAM,
    )

    most: int = 65536
    """Invocations of an arm from which on it fills a device by itself."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.most < 1:
            raise PassFailedException(f"'{self.name}' expected a positive 'most', got {self.most}")
        PatternRewriteWalker(ShareLaunch(self.most)).rewrite_module(op)
