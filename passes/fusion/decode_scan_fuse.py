"""`vyre-decode-scan-fuse`: arms that hand a buffer on share tiles of it, where that is proved."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    i64,
)
from xdsl.ir import Attribute
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.ir.scheduling import Boundary, Family, PassMetadata, Phase
from vyre_dialect.ir.tuning import Parameter
from vyre_dialect.ir.types import BufferType, MemorySpace
from vyre_dialect.ops.program import BufferOp, ProgramOp, RegionOp
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.fuse import fuse
from vyre_dialect.passes.fusion.tiling.handoffs import is_handoff, refusal_of
from vyre_dialect.passes.fusion.tiling.in_arm import InArmPlan, plan_in_arm, promote_in_arm
from vyre_dialect.passes.fusion.tiling.options import (
    DEFAULT_BUDGET,
    LocalMemory,
    Options,
    Strategy,
)
from vyre_dialect.passes.fusion.tiling.plan import Plan
from vyre_dialect.passes.fusion.tiling.probe_arms import insert_probes
from vyre_dialect.passes.fusion.tiling.refusal import Data, Reason, Refusal, RefusedHandoff
from vyre_dialect.passes.fusion.tiling.search import private_plan, workgroup_plan
from vyre_dialect.passes.fusion.tiling.summary import PlanSummary
from vyre_dialect.passes.rewriting.class_walker import ClassWalker

_ANNOTATION = "vyre.not_fused"
_RECOMPUTED = "vyre.not_sliding"

Proof = TypeVar("Proof")


@dataclass(frozen=True)
class Outcome:
    """What fusion did to one program: the handoffs that became tiles, and the refusals."""

    promoted: dict[str, int | None]
    """Name and former element count (None: known at run time) of each promoted handoff."""
    refusals: list[RefusedHandoff]
    recomputed: dict[str, Refusal] = field(default_factory=dict[str, Refusal])
    """Promoted handoffs whose producers do not slide, though asked to, and why."""
    plans: Sequence[PlanSummary] = ()
    """What was carried out, in the order in which it was."""


@dataclass
class FusionState:
    """What the patterns share: the analysis of one program, and what they found of its buffers."""

    analysis: ProgramAnalysis
    options: Options
    promoted: dict[str, int | None] = field(default_factory=dict[str, "int | None"])
    recomputed: dict[str, Refusal] = field(default_factory=dict[str, Refusal])
    plans: list[PlanSummary] = field(default_factory=list[PlanSummary])
    _refusals: dict[BufferOp, Refusals] = field(default_factory=dict[BufferOp, "Refusals"])

    def is_open(self, pattern: type[HandoffPattern[Any]], handoff: BufferOp) -> bool:
        """Whether `handoff` is one that `pattern` has not refused in the program as it is."""
        if handoff.parent is not self.analysis.program.body.block:
            return False
        known = self._refusals.get(handoff, {})
        return pattern not in known and is_handoff(self.analysis, handoff)

    def refuse(
        self, pattern: type[HandoffPattern[Any]], handoff: BufferOp, refusal: Refusal
    ) -> None:
        """Note why `pattern` leaves `handoff` as it is."""
        self._refusals.setdefault(handoff, {})[pattern] = refusal

    def promote(self, handoffs: Iterable[BufferOp], arms: Iterable[RegionOp]) -> None:
        """Note that `handoffs` become tiles, and that `arms` are about to change."""
        for handoff in handoffs:
            self.promoted[handoff.sym_name.data] = handoff.type.static_count
            self._refusals.pop(handoff, None)
        for buffer in {each for arm in arms for each in self.analysis.touches(arm)}:
            self._refusals.pop(buffer, None)
        for handoff, refusals in list(self._refusals.items()):
            if any(each.reason == Reason.INTERVENING_ARM for each in refusals.values()):
                del self._refusals[handoff]

    def outcome(self) -> Outcome:
        """What became of all handoffs; refusals in the order of their producers."""
        order = self.analysis.position
        refusals = [
            RefusedHandoff.of(handoff, self.analysis.users(handoff).arms, _told(refusals))
            for handoff, refusals in self._refusals.items()
        ]
        refusals.sort(key=lambda each: order(each.producer or each.handoff))
        return Outcome(self.promoted, refusals, self.recomputed, self.plans)


@dataclass
class HandoffPattern(RewritePattern, ABC, Generic[Proof]):
    """Takes a handoff out of global memory once that is proved; notes the refusal otherwise."""

    place: ClassVar[str]
    """Where the handoff goes, in words."""
    state: FusionState

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BufferOp, rewriter: PatternRewriter, /) -> None:
        if not self._is_open(op) or not self.applies(op):
            return
        while self._is_open(op):
            last = self._last(op)
            proof = self.prove(last)
            if isinstance(proof, Refusal):
                self.state.refuse(type(self), last, proof)
            else:
                self.rewrite(last, proof, rewriter)
                return

    def _is_open(self, handoff: BufferOp) -> bool:
        return self.state.is_open(type(self), handoff)

    def _last(self, handoff: BufferOp) -> BufferOp:
        """The last handoff of the chain that `handoff` is in: what leads to it joins its tiles."""
        while (following := self._following(handoff)) is not None:
            handoff = following
        return handoff

    def _following(self, handoff: BufferOp) -> BufferOp | None:
        analysis = self.state.analysis
        consumers = analysis.users(handoff).arms[1:]
        produced = (
            buffer
            for arm in consumers
            for buffer in analysis.touches(arm)
            if self._is_open(buffer) and analysis.producer(buffer) is arm
        )
        return next((each for each in produced if self.applies(each)), None)

    @abstractmethod
    def applies(self, handoff: BufferOp) -> bool:
        """Whether the pattern is about handoffs like this one."""

    @abstractmethod
    def prove(self, handoff: BufferOp) -> Proof | Refusal:
        """The proof that the rewrite is legal, or what stands against it."""

    @abstractmethod
    def rewrite(self, handoff: BufferOp, proof: Proof, rewriter: PatternRewriter) -> None:
        """Take the handoff out of global memory."""


class PromoteUntouched(HandoffPattern[BufferType]):
    """A buffer that no arm touches only changes its memory space."""

    place: ClassVar[str] = "workgroup memory"

    def applies(self, handoff: BufferOp) -> bool:
        return not self.state.analysis.users(handoff).arms

    def prove(self, handoff: BufferOp) -> BufferType | Refusal:
        analysis, type = self.state.analysis, handoff.type
        if (refusal := refusal_of(analysis, handoff)) is not None:
            return refusal
        if type.static_bytes is None:
            return Refusal(Reason.UNSIZED, "only a static count can be kept in workgroup memory")
        others = sum(
            buffer.type.static_bytes or 0
            for buffer in analysis.program.buffers()
            if buffer.type.space == MemorySpace.WORKGROUP and not analysis.users(buffer).arms
        )
        total = type.static_bytes + others
        if (refusal := self.state.options.over_budget(total, MemorySpace.WORKGROUP)) is not None:
            return refusal
        return BufferType(type.count, type.element_type, type.access, MemorySpace.WORKGROUP)

    def rewrite(self, handoff: BufferOp, proof: BufferType, rewriter: PatternRewriter) -> None:
        tile = BufferOp(handoff.sym_name.data, proof)
        tile.attributes.update(handoff.attributes)
        tile.location = handoff.location
        self.state.promote([handoff], [])
        rewriter.replace(handoff, tile)


class PromoteInArm(HandoffPattern[InArmPlan]):
    """A handoff that one arm writes and reads back becomes tiles of its own."""

    place: ClassVar[str] = "tiles of its own"

    def applies(self, handoff: BufferOp) -> bool:
        return len(self.state.analysis.users(handoff).arms) == 1

    def prove(self, handoff: BufferOp) -> InArmPlan | Refusal:
        return plan_in_arm(self.state.analysis, handoff, self.state.options)

    def rewrite(self, handoff: BufferOp, proof: InArmPlan, rewriter: PatternRewriter) -> None:
        self.state.promote([handoff], [proof.stage.arm.arm])
        self.state.plans.append(proof.summary)
        promote_in_arm(self.state.analysis, proof, rewriter)


class FuseThroughTiles(HandoffPattern[Plan], ABC):
    """Arms that hand a buffer on become one arm that holds tiles of it."""

    def applies(self, handoff: BufferOp) -> bool:
        return len(self.state.analysis.users(handoff).arms) > 1

    def rewrite(self, handoff: BufferOp, proof: Plan, rewriter: PatternRewriter) -> None:
        self.state.promote(proof.footprints, proof.arms)
        self.state.plans.append(PlanSummary.of(proof))
        insert_probes(self.state.analysis, proof.probes, rewriter)
        fuse(self.state.analysis, proof, rewriter)
        self.state.recomputed |= {
            handoff.sym_name.data: refusal for handoff, refusal in proof.recomputed.items()
        }


class FuseThroughPrivateValues(FuseThroughTiles):
    """Every invocation of the consumers decodes what it needs, into values of its own."""

    place: ClassVar[str] = "private values"

    def prove(self, handoff: BufferOp) -> Plan | Refusal:
        return private_plan(self.state.analysis, handoff, self.state.options)


class FuseThroughWorkgroupMemory(FuseThroughTiles):
    """A workgroup decodes a tile together and scans it together, with a barrier between."""

    place: ClassVar[str] = "workgroup memory"

    def prove(self, handoff: BufferOp) -> Plan | Refusal:
        options = self.state.options
        plan = workgroup_plan(self.state.analysis, handoff, options)
        if isinstance(plan, Refusal) or options.local_memory == "dedicated":
            return plan
        if options.strategy == "workgroup" or options.tile:
            return plan
        return Refusal(
            Reason.UNPROFITABLE,
            "on this device it is ordinary memory, where tiles were measured to cost more than "
            "they save",
        )


Refusals: TypeAlias = "dict[type[HandoffPattern[Any]], Refusal]"
"""Why patterns leave a handoff as it is, in the order in which they were tried."""


def _told(refusals: Refusals) -> Refusal:
    """
    What is told of a handoff that all patterns refuse: the reason of the last, and in words that of
    each that has another, or a cost. What would only be slow has its cause in the first.
    """
    first, last = list(refusals.values())[0], list(refusals.values())[-1]
    is_the_same = first.reason == last.reason and (
        first.detail == last.detail or last.reason not in _WITH_NUMBERS
    )
    if is_the_same or len(refusals) == 1:
        return last
    said = "; ".join(f"{pattern.place}: {each.detail}" for pattern, each in refusals.items())
    source = first if last.reason == Reason.UNPROFITABLE else last
    return replace(source, reason=last.reason, detail=said)


_WITH_NUMBERS = (Reason.OVER_BUDGET, Reason.UNPROFITABLE)
"""What is a matter of sizes, which are others for each place."""


def _patterns(state: FusionState) -> list[RewritePattern]:
    options = state.options
    patterns: list[RewritePattern] = [PromoteUntouched(state), PromoteInArm(state)]
    if options.strategy != "workgroup" and not options.tile:
        patterns.append(FuseThroughPrivateValues(state))
    if options.strategy != "private":
        patterns.append(FuseThroughWorkgroupMemory(state))
    return patterns


def fuse_program(program: ProgramOp, options: Options) -> Outcome:
    """Fuse every handoff of `program` that `options` allow, and all that this frees."""
    state = FusionState(ProgramAnalysis(program), options)
    applier = GreedyRewritePatternApplier(_patterns(state), dce_enabled=False)
    walker = ClassWalker(
        applier, walk_reverse=True, listener=state.analysis.listener(), op_classes=(BufferOp,)
    )
    walker.rewrite_region(program.body)
    return state.outcome()


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
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.ARMS,
        Family.FUSION,
        boundary=Boundary.PROGRAM,
        parameters=(
            Parameter("strategy", ("auto", "private", "workgroup"), "auto"),
            Parameter("tile", (0, 1024, 2048, 4096, 8192), 0),
            Parameter("steps", (1, 16, 64, 256), 1),
        ),
    )

    strategy: Strategy = "auto"
    """Where tiles live; `auto` prefers private values where they are cheap."""
    budget: int = DEFAULT_BUDGET
    """Bytes of workgroup memory for all promoted buffers of an arm together."""
    tile: int = 0
    """Elements of the handoff per tile of a workgroup; 0 lets the planner choose."""
    local_memory: LocalMemory = "dedicated"
    """What workgroup memory is on the device; `auto` puts no tiles into it where it is `global`."""
    steps: int = 1
    """
    Consecutive private tiles that an invocation does in a loop, if that spares it what the tile
    before has decoded; 1 makes every tile an invocation of its own.
    """
    annotate: bool = False
    """State as attributes of buffers why they are not promoted, or do not slide."""

    @property
    def options(self) -> Options:
        """What the planner is asked for; raises PassFailedException where it makes no sense."""
        try:
            return Options(self.strategy, self.budget, self.tile, self.local_memory, self.steps)
        except ValueError as error:
            raise PassFailedException(f"'{self.name}' {error}") from error

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        options = self.options
        for program in [each for each in op.walk() if isinstance(each, ProgramOp)]:
            _drop_annotations(program)
            outcome = fuse_program(program, options)
            if self.annotate:
                for refusal in outcome.refusals:
                    _annotate(refusal)
                _annotate_recomputed(program, outcome.recomputed)


def _drop_annotations(program: ProgramOp) -> None:
    """What an earlier run says of buffers may not hold of this one."""
    for op in program.walk():
        if isinstance(op, BufferOp):
            op.attributes.pop(_ANNOTATION, None)
            op.attributes.pop(_RECOMPUTED, None)


def _annotate(refusal: RefusedHandoff) -> None:
    entries = _entries(refusal)
    if refusal.counterexample is not None:
        entries["counterexample"] = _as_attribute(refusal.counterexample.as_dict())
    refusal.handoff.attributes[_ANNOTATION] = DictionaryAttr(entries)


def _annotate_recomputed(program: ProgramOp, refusals: Mapping[str, Refusal]) -> None:
    for buffer in program.buffers():
        if (refusal := refusals.get(buffer.sym_name.data)) is not None:
            buffer.attributes[_RECOMPUTED] = DictionaryAttr(_entries(refusal))


def _entries(found: RefusedHandoff | Refusal) -> dict[str, Attribute]:
    return {"reason": StringAttr(found.reason), "detail": StringAttr(found.detail)}


def _as_attribute(value: Data) -> Attribute:
    if isinstance(value, str):
        return StringAttr(value)
    if isinstance(value, bool):
        return BoolAttr.from_bool(value)
    if isinstance(value, int):
        return IntegerAttr(value, i64)
    if isinstance(value, Mapping):
        present = {name: each for name, each in value.items() if each is not None}
        return DictionaryAttr({name: _as_attribute(each) for name, each in present.items()})
    return ArrayAttr([_as_attribute(each) for each in value or ()])
