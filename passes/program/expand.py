"""`vyre-expand`: turn the ops of the decode and scan libraries into arms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import LocationAttr, ModuleOp, UnknownLoc
from xdsl.ir import Block, Operation
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    RewritePattern,
)
from xdsl.utils.exceptions import DiagnosticException, PassFailedException

from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.ir.interfaces import (
    AccessKind,
    HasAccessesInterface,
    HasExpansionInterface,
    ops_outside_arms,
)
from vyre_dialect.ir.python_lines import mistake_of, place_of
from vyre_dialect.ir.scheduling import Boundary, Family, PassMetadata, Phase, Profile
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.tuning import (
    AskedChoices,
    HasParametersInterface,
    choose_open,
    open_parameters,
    stated_choice,
)
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.passes.fusion.decode_scan_fuse import candidate_handoffs
from vyre_dialect.passes.rewriting.host_side import program_of
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import drive


class Handoff(NamedTuple):
    """A buffer of a program that ops of it alone write and read."""

    program: str
    buffer: str


@dataclass(eq=False)
class _Trial:
    """What fusion does where ops are expanded for it: tried on a copy, once somebody asks."""

    module: ModuleOp
    """May be expanded in part: what is, is independent of the answer."""
    chosen: Mapping[str, str]

    @cached_property
    def fused(self) -> frozenset[Handoff]:
        """What fusion keeps in tiles."""
        copy = self.module.clone()
        drive(ExpandLibraryOps(defaults=self.chosen), copy.body, AnalysisManager())
        programs = [op for op in ops_outside_arms(copy) if isinstance(op, ProgramOp)]
        return frozenset(
            Handoff(program.sym_name.data, name)
            for program in programs
            for name in candidate_handoffs(program)
        )


@dataclass
class ExpandLibraryOps(RewritePattern):
    """Applies to each library op the expansion patterns that its class names."""

    asked: AskedChoices = field(default_factory=lambda: AskedChoices({}))
    """What is to be chosen of parameters that ops leave open."""
    defaults: Mapping[str, str] = field(default_factory=dict[str, str])
    """What is chosen where that says nothing."""
    unfused: Mapping[str, str] = field(default_factory=dict[str, str])
    """What is chosen before that of what is not fused with what reads it."""
    trial: _Trial | None = None
    """What fusion is expected to keep in tiles; nothing where arms are not fused."""
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
        before = _stated(op)
        try:
            self._expand(op, rewriter)
        finally:
            rewriter.operation_insertion_handler.remove(note)
        if inserted and op.parent is not None and _stated(op) == before:
            raise PassFailedException(
                f"{_named(op)} expected its expansion to take it out of the program, got it left "
                "as it was: end the pattern with 'rewriter.erase(op)'"
            )
        for new in inserted:
            _locate(new, location)

    def _expand(self, op: HasExpansionInterface, rewriter: PatternRewriter) -> None:
        assert isinstance(op, Operation)
        try:
            self._applier_of(type(op)).match_and_rewrite(op, rewriter)
        except DiagnosticException:
            raise
        except Exception as error:  # whatever is wrong in a pattern of any package
            message = f"{_named(op)} cannot be expanded: {mistake_of(error)}"
            raise PassFailedException(message) from error

    def choose_default(self, op: HasParametersInterface) -> None:
        """Set the parameters of `op` that nobody asked for."""
        if self._depends_on_fusion(op) and not self._is_fused(op):
            choose_open(op, self.unfused)
        choose_open(op, self.defaults)

    def _depends_on_fusion(self, op: HasParametersInterface) -> bool:
        """Whether a choice is another where `op` is not fused."""
        for each in open_parameters(op):
            unfused = stated_choice(op, each, self.unfused)
            if unfused not in (None, stated_choice(op, each, self.defaults)):
                return True
        return False

    def _is_fused(self, op: Operation) -> bool:
        handoffs = list(_handoffs_of(op))
        if not handoffs or self.trial is None:
            return False
        return any(each in self.trial.fused for each in handoffs)

    def _applier_of(self, op_type: type[HasExpansionInterface]) -> RewritePattern:
        if (applier := self._appliers.get(op_type)) is None:
            patterns = list(op_type.get_expansion_patterns())
            applier = GreedyRewritePatternApplier(patterns, dce_enabled=False)
            self._appliers[op_type] = applier
        return applier


def _handoffs_of(op: Operation) -> Iterator[Handoff]:
    """What `op` writes for other ops of the program alone, so that they may fuse."""
    for access in op.get_accesses() if isinstance(op, HasAccessesInterface) else ():
        declaration = access.buffer.owner
        if access.kind == AccessKind.WRITE and _is_handed_on(declaration, op):
            assert isinstance(declaration, BufferOp)
            yield Handoff(program_of(op).sym_name.data, declaration.sym_name.data)


def _is_handed_on(declaration: Operation | Block, by: Operation) -> bool:
    if not isinstance(declaration, BufferOp) or declaration.live_out is not None:
        return False
    users = (use.operation for use in declaration.buffer.uses)
    return any(user is not by and not isinstance(user, BufLenOp) for user in users)


def _named(op: Operation) -> str:
    """An op of the program, with its line."""
    place = place_of(op.location)
    return f"'{op.name}'" if place is None else f"'{op.name}' ({place})"


def _stated(op: Operation) -> tuple[object, ...]:
    """What a pattern may change of an op that it leaves for another time."""
    return tuple(op.operands), dict(op.properties), dict(op.attributes)


def _locate(op: Operation, location: LocationAttr) -> None:
    """Let what an op expands to stand where the op stood."""
    for each in ops_inside(op):
        if isinstance(each.location, UnknownLoc):
            each.location = location


@dataclass(frozen=True)
class ExpandPass(RewritePass):
    """
    Expands every op that has the `HasExpansionInterface`, and what it expands to.

    Raises PassFailedException when an op is left that none of its patterns expands, and for
    mistakes in a pattern, with the line of Python.
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
    The same in place of `defaults`, of ops whose results stay in memory: nothing of the program
    reads them, or the host does, too, or fusion is refused, which is tried on a copy where a
    choice depends on it.
    """
    fusing: bool = True
    """Whether arms are fused later: not under the profile `dataflow`."""

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        asked = AskedChoices(_by_name(self.choices))
        pattern = self._pattern(module, asked)
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

    def choose(self, module: ModuleOp) -> None:
        """Set the open parameters of library ops; a PassFailedException for what is no choice."""
        choices, pattern = _by_name(self.choices), self._pattern(module)
        for op in module.walk():
            if isinstance(op, HasParametersInterface):
                choose_open(op, choices)
                pattern.choose_default(op)

    def _pattern(self, module: ModuleOp, asked: AskedChoices | None = None) -> ExpandLibraryOps:
        defaults, asked = _by_name(self.defaults), asked or AskedChoices({})
        trial = _Trial(module, defaults | _by_name(self.choices)) if self.fusing else None
        return ExpandLibraryOps(asked, defaults, _by_name(self.unfused), trial)


def _by_name(texts: tuple[str, ...]) -> dict[str, str]:
    return dict(map(_choice, texts))


def _choice(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise PassFailedException(
            f'\'{ExpandPass.name}\' expected choices like "values=8", got "{text}"'
        )
    return name, value
