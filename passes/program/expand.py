"""`vyre-expand`: turn the ops of the decode and scan libraries into arms."""

from __future__ import annotations

from collections.abc import Mapping
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
from vyre_dialect.tuning import HasParametersInterface, choose_open


@dataclass
class ExpandLibraryOps(RewritePattern):
    """Applies to each library op the expansion patterns that its class names."""

    choices: Mapping[str, str] = field(default_factory=dict[str, str])
    """What is chosen of parameters that ops leave open."""
    _appliers: dict[type[Operation], RewritePattern] = field(
        default_factory=dict[type[Operation], RewritePattern], init=False
    )

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, HasExpansionInterface):
            return
        if isinstance(op, HasParametersInterface):
            choose_open(op, self.choices)
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

    choices: tuple[str, ...] = ()
    """Values of parameters, `"values=8"`, for ops that leave them open and can have them."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(ExpandLibraryOps(self.chosen())).rewrite_module(op)
        for left in op.walk():
            if isinstance(left, HasExpansionInterface):
                raise PassFailedException(
                    f"'{left.name}' expected an expansion pattern that matches, got none: "
                    "see 'get_expansion_patterns' of its class"
                )

    def chosen(self) -> dict[str, str]:
        """The `choices`, by parameter. Raises PassFailedException for what is none."""
        return dict(map(self._choice, self.choices))

    def _choice(self, text: str) -> tuple[str, str]:
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            raise PassFailedException(
                f'\'{self.name}\' expected choices like "values=8", got "{text}"'
            )
        return name, value
