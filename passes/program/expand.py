"""`vyre-expand`: turn the ops of the decode and scan libraries into arms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import LocationAttr, ModuleOp, UnknownLoc
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    RewritePattern,
)
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.ir.interfaces import AccessKind, HasAccessesInterface, HasExpansionInterface
from vyre_dialect.ir.scheduling import Boundary, Family, PassMetadata, Phase, Profile
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.tuning import AskedChoices, HasParametersInterface, choose_open
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import drive


@dataclass
class ExpandLibraryOps(RewritePattern):
    """Applies to each library op the expansion patterns that its class names."""

    asked: AskedChoices = field(default_factory=lambda: AskedChoices({}))
    """What is to be chosen of parameters that ops leave open."""
    defaults: Mapping[str, str] = field(default_factory=dict[str, str])
    """What is chosen where that says nothing."""
    unfused: Mapping[str, str] = field(default_factory=dict[str, str])
    """What is chosen before that of what cannot be fused with what reads it."""
    fusing: bool = True
    """Whether arms are to be fused."""
    _appliers: dict[type[Operation], RewritePattern] = field(
        default_factory=dict[type[Operation], RewritePattern], init=False
    )

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, HasExpansionInterface):
            return
        if isinstance(op, HasParametersInterface):
            self.asked.choose(op)
            self.choose_default(op)
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

    def choose_default(self, op: HasParametersInterface) -> None:
        """Set the parameters of `op` that nobody asked for."""
        if not (self.fusing and _hands_on(op)):
            choose_open(op, self.unfused)
        choose_open(op, self.defaults)

    def _applier_of(self, op_type: type[HasExpansionInterface]) -> RewritePattern:
        if (applier := self._appliers.get(op_type)) is None:
            patterns = list(op_type.get_expansion_patterns())
            applier = GreedyRewritePatternApplier(patterns, dce_enabled=False)
            self._appliers[op_type] = applier
        return applier


def _hands_on(op: Operation) -> bool:
    """Whether `op` writes what is for other ops of the program alone, so that they may fuse."""
    accesses = op.get_accesses() if isinstance(op, HasAccessesInterface) else ()
    written = (access.buffer for access in accesses if access.kind == AccessKind.WRITE)
    return any(_is_handed_on(buffer, op) for buffer in written)


def _is_handed_on(buffer: SSAValue, by: Operation) -> bool:
    declaration = buffer.owner
    if not isinstance(declaration, BufferOp) or declaration.live_out is not None:
        return False
    users = (use.operation for use in buffer.uses)
    return any(user is not by and not isinstance(user, BufLenOp) for user in users)


def _locate(op: Operation, location: LocationAttr) -> None:
    """Let what an op expands to stand where the op stood."""
    for each in ops_inside(op):
        if isinstance(each.location, UnknownLoc):
            each.location = location


@dataclass(frozen=True)
class ExpandPass(RewritePass):
    """
    Expands every op that has the `HasExpansionInterface`, and what it expands to.

    Raises PassFailedException when an op is left that none of its patterns expands.
    """

    name = "vyre-expand"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.EXPAND,
        Family.UNKNOWN,
        requires=("vyre-push-down-predicates",),
        boundary=Boundary.PROGRAM,
        profile_options=((Profile.DATAFLOW, "fusing", False),),
    )

    choices: tuple[str, ...] = ()
    """
    Values of parameters, `"values=8"`, for ops that leave them open and can have them. One that is
    for none of the ops is an error.
    """
    defaults: tuple[str, ...] = ()
    """The same, where `choices` say nothing; those that are for none of the ops are left out."""

    unfused: tuple[str, ...] = ()
    """
    The same in place of `defaults`, of ops whose results no other op of the program reads, or the
    host, too, so that nothing fuses with them, and of all ops unless `fusing`.
    """
    fusing: bool = True
    """Whether arms are fused later: not under the profile `dataflow`."""

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        asked = AskedChoices(_by_name(self.choices))
        pattern = self._pattern(asked)
        changed = drive(pattern, module.body, facts)
        if (problem := asked.problem()) is not None:
            raise PassFailedException(f"'{self.name}' {problem}")
        for left in ops_inside(module):
            if isinstance(left, HasExpansionInterface):
                raise PassFailedException(
                    f"'{left.name}' expected an expansion pattern that matches, got none: "
                    "see 'get_expansion_patterns' of its class"
                )
        return changed

    def choose(self, op: HasParametersInterface) -> None:
        """Set the open parameters of `op`; a PassFailedException for a value that is no choice."""
        choose_open(op, _by_name(self.choices))
        self._pattern().choose_default(op)

    def _pattern(self, asked: AskedChoices | None = None) -> ExpandLibraryOps:
        return ExpandLibraryOps(
            asked or AskedChoices({}), _by_name(self.defaults), _by_name(self.unfused), self.fusing
        )


def _by_name(texts: tuple[str, ...]) -> dict[str, str]:
    return dict(map(_choice, texts))


def _choice(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise PassFailedException(
            f'\'{ExpandPass.name}\' expected choices like "values=8", got "{text}"'
        )
    return name, value
