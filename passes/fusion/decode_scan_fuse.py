"""`vyre-decode-scan-fuse`: arms that hand a buffer on share tiles of it, where that is proved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.ir import Attribute
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.ops.program import BufferOp, ProgramOp
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.candidates import Candidate, candidates
from vyre_dialect.passes.fusion.tiling.in_arm import in_arm_promotion
from vyre_dialect.passes.fusion.tiling.options import DEFAULT_BUDGET, Options, Strategy
from vyre_dialect.passes.fusion.tiling.plan import Plan, plan
from vyre_dialect.passes.fusion.tiling.refusal import Refusal, Refused, Site
from vyre_dialect.passes.fusion.tiling.rewrite import fuse

_ANNOTATION = "vyre.not_fused"


@dataclass(frozen=True)
class Outcome:
    """What fusion did to one program: the handoffs that became tiles, and the refusals."""

    promoted: dict[str, int | None]
    """Name and former element count (None: known at run time) of each promoted handoff."""
    refusals: list[Refusal]


def fuse_program(program: ProgramOp, options: Options) -> Outcome:
    """Fuse every handoff of `program` that `options` allow, the last ones first."""
    return _Fuser(program, options).run()


class _Fuser:
    def __init__(self, program: ProgramOp, options: Options):
        self.analysis = ProgramAnalysis(program)
        self.options = options
        self.outcome = Outcome({}, [])

    def run(self) -> Outcome:
        """
        Try every candidate until nothing more is promoted, as one that is may have stood in the
        way of another. So all refusals are about the program as it is in the end.
        """
        pending = candidates(self.analysis)
        promoted = -1
        while len(self.outcome.promoted) > promoted:
            promoted = len(self.outcome.promoted)
            self.outcome.refusals.clear()
            pending = [each for each in pending if each.handoff.parent is not None]
            for candidate in reversed(pending):
                self._try(candidate)
        self.outcome.refusals.reverse()
        return self.outcome

    def _try(self, candidate: Candidate) -> None:
        if candidate.handoff.parent is None:
            return  # Another one took it along.
        try:
            with self.analysis.bounded():
                handoffs, rewrite = self._proved(candidate)
        except Refused as refused:
            self._refuse(candidate, refused)
            return
        # Without a bound: a rewrite that isl gives up on would leave half of its work behind.
        rewrite()
        self._note(handoffs)

    def _proved(self, candidate: Candidate) -> tuple[list[BufferOp], Callable[[], object]]:
        """The handoffs that may be promoted together, and what promotes them; raises Refused."""
        users = candidate.require_handoff(self.analysis)
        if len(users.arms) <= 1:
            arm = users.arms[0] if users.arms else None
            rewrite = in_arm_promotion(self.analysis, candidate.handoff, arm, self.options)
            return [candidate.handoff], rewrite
        found = self._plan(candidate)
        return list(found.windows), lambda: fuse(self.analysis, found)

    def _plan(self, candidate: Candidate) -> Plan:
        """The plan for all handoffs that go the same way, or else for the candidate alone."""
        group = candidate.group(self.analysis)
        try:
            return plan(self.analysis, group, self.options)
        except Refused:
            if len(group.handoffs) == 1:
                raise
            alone = replace(group, handoffs=[candidate.handoff])
            return plan(self.analysis, alone, self.options)

    def _note(self, promoted: Iterable[BufferOp]) -> None:
        for handoff in promoted:
            self.outcome.promoted[handoff.sym_name.data] = handoff.type.static_count

    def _refuse(self, candidate: Candidate, refused: Refused) -> None:
        users = self.analysis.users(candidate.handoff).arms
        self.outcome.refusals.append(
            Refusal(
                candidate.handoff,
                refused.reason,
                refused.detail,
                producer=users[0] if users else None,
                consumer=refused.consumer or (users[-1] if users else None),
                cause=Site.of(refused.cause),
                earlier=Site.of(refused.earlier),
                counterexample=refused.counterexample,
            )
        )


def candidate_handoffs(program: ProgramOp, options: Options | None = None) -> dict[str, int | None]:
    """
    The handoffs that `vyre-decode-scan-fuse` would promote in `program`, with their element
    counts (None: known at run time). Leaves `program` as it is.
    """
    module = ModuleOp([program.clone()])
    copy = module.body.block.first_op
    assert isinstance(copy, ProgramOp)
    return fuse_program(copy, options or Options()).promoted


def count_opportunities(program: ProgramOp, options: Options | None = None) -> int:
    """How many handoffs `vyre-decode-scan-fuse` would promote in `program`."""
    return len(candidate_handoffs(program, options))


@dataclass(frozen=True)
class DecodeScanFusePass(ModulePass):
    """
    Fuses decoders and scanners over tiles of the buffer that one hands to the other.

    The tile lives in workgroup memory or in private values; what cannot be proved legal by isl
    stays as it is, with a reason (`vyre explain`, or attributes with `annotate=true`).
    """

    name = "vyre-decode-scan-fuse"

    strategy: Strategy = "auto"
    """Where tiles live; `auto` prefers private values where they are cheap."""
    budget: int = DEFAULT_BUDGET
    """Bytes of workgroup memory for all promoted buffers of an arm together."""
    tile: int = 0
    """Elements of the handoff per tile of a workgroup; 0 lets the planner choose."""
    annotate: bool = False
    """State refusals as attributes of the buffers that are not promoted."""

    @property
    def options(self) -> Options:
        """What the planner is asked for; raises PassFailedException where it makes no sense."""
        try:
            return Options(self.strategy, self.budget, self.tile)
        except ValueError as error:
            raise PassFailedException(f"'{self.name}' {error}") from error

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        options = self.options
        for program in list(_programs(op)):
            _drop_annotations(program)
            outcome = fuse_program(program, options)
            if self.annotate:
                for refusal in outcome.refusals:
                    _annotate(refusal)


def _programs(module: ModuleOp) -> Iterator[ProgramOp]:
    return (op for op in module.walk() if isinstance(op, ProgramOp))


def _drop_annotations(program: ProgramOp) -> None:
    """What an earlier run says of buffers may not hold of this one."""
    for op in program.walk():
        if isinstance(op, BufferOp):
            op.attributes.pop(_ANNOTATION, None)


def _annotate(refusal: Refusal) -> None:
    entries: dict[str, Attribute] = {
        "reason": StringAttr(refusal.reason),
        "detail": StringAttr(refusal.detail),
    }
    if refusal.counterexample is not None:
        entries["counterexample"] = _as_attribute(refusal.counterexample.as_dict())
    refusal.handoff.attributes[_ANNOTATION] = DictionaryAttr(entries)


def _as_attribute(value: str | int | Mapping[str, str | int | dict[str, int] | None]) -> Attribute:
    if isinstance(value, str):
        return StringAttr(value)
    if isinstance(value, int):
        return IntegerAttr(value, i64)
    return DictionaryAttr(
        {name: _as_attribute(each) for name, each in value.items() if each is not None}
    )
