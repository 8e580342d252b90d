"""`vyre-expand`: turn the ops of the decode and scan libraries into arms."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import LocationAttr, ModuleOp, UnknownLoc
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
)
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.interfaces import HasExpansionInterface
from vyre_dialect.scheduling import Boundary, Family, PassMetadata, Phase
from vyre_dialect.tuning import DATA_PARALLEL, HasParametersInterface


@dataclass
class ExpandLibraryOps(RewritePattern):
    """Applies to each library op the expansion patterns that its class names."""

    data_parallel: bool = False
    """Whether ops that leave it open are to become arms without workgroups of their own."""
    _appliers: dict[type[Operation], RewritePattern] = field(
        default_factory=dict[type[Operation], RewritePattern], init=False
    )

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, HasExpansionInterface):
            return
        if self.data_parallel:
            _ask_for_data_parallel(op)
        location = op.location
        inserted = list[Operation]()
        note = inserted.append
        rewriter.operation_insertion_handler.append(note)
        try:
            self._applier_of(type(op)).match_and_rewrite(op, rewriter)
        finally:
            rewriter.operation_insertion_handler.remove(note)
        for new in inserted:
            _locate(new, location)

    def _applier_of(self, op_type: type[HasExpansionInterface]) -> RewritePattern:
        if (applier := self._appliers.get(op_type)) is None:
            patterns = list(op_type.get_expansion_patterns())
            applier = GreedyRewritePatternApplier(patterns, dce_enabled=False)
            self._appliers[op_type] = applier
        return applier


def _ask_for_data_parallel(op: Operation) -> None:
    """Choose the arm of independent invocations for an op that has one to choose."""
    if not isinstance(op, HasParametersInterface):
        return
    if any(each.name == DATA_PARALLEL for each in op.get_parameters()):
        op.choose(DATA_PARALLEL, True)


def _locate(op: Operation, location: LocationAttr) -> None:
    """Let what an op expands to stand where the op stood."""
    for each in op.walk():
        if isinstance(each.location, UnknownLoc):
            each.location = location


@dataclass(frozen=True)
class ExpandPass(ModulePass):
    """
    Expands every op that has the `HasExpansionInterface`, and what it expands to.

    Raises PassFailedException when an op is left that none of its patterns expands.
    """

    name = "vyre-expand"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.EXPAND, Family.UNKNOWN, boundary=Boundary.PROGRAM
    )

    data_parallel: bool = False
    """
    Let ops that leave it open become arms of independent invocations, for devices on which later
    passes say what a workgroup does together.
    """

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(ExpandLibraryOps(self.data_parallel)).rewrite_module(op)
        for left in op.walk():
            if isinstance(left, HasExpansionInterface):
                raise PassFailedException(
                    f"'{left.name}' expected an expansion pattern that matches, got none: "
                    "see 'get_expansion_patterns' of its class"
                )
