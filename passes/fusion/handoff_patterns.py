"""The five ways in which a handoff leaves global memory, as rewrite patterns on its buffer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.ir.types import LANES, BufferType, MemorySpace
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.passes.fusion.tiling.fuse import fuse
from vyre_dialect.passes.fusion.tiling.handoffs import refusal_of
from vyre_dialect.passes.fusion.tiling.in_arm import InArmPlan, plan_in_arm
from vyre_dialect.passes.fusion.tiling.options import Home
from vyre_dialect.passes.fusion.tiling.outcome import Progress
from vyre_dialect.passes.fusion.tiling.plan import Plan
from vyre_dialect.passes.fusion.tiling.probe_arms import insert_probes
from vyre_dialect.passes.fusion.tiling.promote_in_arm import promote_in_arm
from vyre_dialect.passes.fusion.tiling.refusal import Reason, Refusal
from vyre_dialect.passes.fusion.tiling.search import plan_in
from vyre_dialect.passes.fusion.tiling.summary import PlanSummary

Proof = TypeVar("Proof")


@dataclass
class HandoffPattern(RewritePattern, ABC, Generic[Proof]):
    """Takes a handoff out of global memory once that is proved; notes the refusal otherwise."""

    place: ClassVar[str]
    """Where the handoff goes, in words."""
    progress: Progress

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BufferOp, rewriter: PatternRewriter, /) -> None:
        if not self._is_open(op) or not self.applies(op):
            return
        while self._is_open(op):
            last = self._last(op)
            proof = self.prove(last)
            if isinstance(proof, Refusal):
                self.progress.refuse(self.place, last, proof)
            else:
                self.rewrite(last, proof, rewriter)
                return

    def _is_open(self, handoff: BufferOp) -> bool:
        return self.progress.is_open(self.place, handoff)

    def _last(self, handoff: BufferOp) -> BufferOp:
        """The last handoff of the chain that `handoff` is in: what leads to it joins its tiles."""
        while (following := self._following(handoff)) is not None:
            handoff = following
        return handoff

    def _following(self, handoff: BufferOp) -> BufferOp | None:
        analysis = self.progress.analysis
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

    place: ClassVar[str] = "another memory space"

    def applies(self, handoff: BufferOp) -> bool:
        return not self.progress.analysis.users(handoff).arms

    def prove(self, handoff: BufferOp) -> BufferType | Refusal:
        analysis, type = self.progress.analysis, handoff.type
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
        if (refusal := self.progress.options.over_budget(total, Home.WORKGROUP)) is not None:
            return refusal
        return BufferType(type.count, type.element_type, type.access, MemorySpace.WORKGROUP)

    def rewrite(self, handoff: BufferOp, proof: BufferType, rewriter: PatternRewriter) -> None:
        tile = BufferOp(handoff.sym_name.data, proof)
        tile.attributes.update(handoff.attributes)
        tile.location = handoff.location
        self.progress.promote([handoff], [])
        rewriter.replace(handoff, tile)


class PromoteInArm(HandoffPattern[InArmPlan]):
    """A handoff that one arm writes and reads back becomes tiles of its own."""

    place: ClassVar[str] = "tiles of its own"

    def applies(self, handoff: BufferOp) -> bool:
        return len(self.progress.analysis.users(handoff).arms) == 1

    def prove(self, handoff: BufferOp) -> InArmPlan | Refusal:
        return plan_in_arm(self.progress.analysis, handoff, self.progress.options)

    def rewrite(self, handoff: BufferOp, proof: InArmPlan, rewriter: PatternRewriter) -> None:
        self.progress.promote([handoff], [proof.stage.arm.arm])
        self.progress.plans.append(proof.summary)
        promote_in_arm(self.progress.analysis, proof, rewriter)


class FuseThroughTiles(HandoffPattern[Plan], ABC):
    """Arms that hand a buffer on become one arm that holds tiles of it."""

    home: ClassVar[Home]
    """Where the tiles live."""

    def applies(self, handoff: BufferOp) -> bool:
        return len(self.progress.analysis.users(handoff).arms) > 1

    def prove(self, handoff: BufferOp) -> Plan | Refusal:
        return plan_in(self.home, self.progress.analysis, handoff, self.progress.options)

    def rewrite(self, handoff: BufferOp, proof: Plan, rewriter: PatternRewriter) -> None:
        analysis = self.progress.analysis  # that of the proof, which names its parameters
        self.progress.promote(proof.footprints, proof.arms)
        self.progress.plans.append(PlanSummary.of(proof))
        insert_probes(analysis, proof.probes, rewriter)
        fuse(analysis, proof, rewriter)
        self.progress.recomputed |= {
            handoff.sym_name.data: refusal for handoff, refusal in proof.recomputed.items()
        }


class FuseThroughPrivateValues(FuseThroughTiles):
    """Every invocation of the consumers decodes what it needs, into values of its own."""

    place: ClassVar[str] = "private values"
    home: ClassVar[Home] = Home.REGISTERS

    def prove(self, handoff: BufferOp) -> Plan | Refusal:
        options = self.progress.options
        plan = super().prove(handoff)
        if isinstance(plan, Refusal) or options.strategy == "private":
            return plan
        if options.local_memory != "global":
            return plan
        return _overlapping_lanes(plan) or _taken_apart(plan) or plan


def _overlapping_lanes(plan: Plan) -> Refusal | None:
    """
    The refusal of arms whose lanes are neighbours, if they share what they read from tile to tile:
    each lane loads it for itself, at places that no single store has filled.
    """
    lanes = [arm for arm in plan.arms if LANES in arm.attributes]
    if not lanes or not (plan.slides or plan.recomputed):
        return None
    name = lanes[-1].generator.data
    detail = f"neighbouring invocations of '{name}' are lanes, and read what others read"
    return Refusal(Reason.UNPROFITABLE, detail, consumer=lanes[-1])


def _taken_apart(plan: Plan) -> Refusal | None:
    """
    The refusal of a sink that loads single elements of what producers store as vectors: to take a
    register apart was measured to be slower than to load what lies in a cache, as it can where no
    arm keeps its own workgroups.
    """
    for stage in plan.sinks if plan.is_data_parallel else ():
        for handoff in _stored_as_vectors(plan):
            reads = stage.arm.reads_of(handoff)
            is_in_lanes = LANES in stage.arm.arm.attributes
            if reads and not is_in_lanes and all(read.access.count == 1 for read in reads):
                detail = f"{stage.name} loads single elements of the vectors of '@{_name(handoff)}'"
                return Refusal(Reason.UNPROFITABLE, detail, consumer=stage.arm.arm)
    return None


def _stored_as_vectors(plan: Plan) -> Iterator[BufferOp]:
    """The handoffs that producers store several elements of at once."""
    for stage in plan.stages:
        for handoff in plan.filled.get(stage.arm.arm, ()):
            if any(write.access.count != 1 for write in stage.arm.writes_to(handoff)):
                yield handoff


def _name(handoff: BufferOp) -> str:
    return handoff.sym_name.data


class FuseThroughCache(FuseThroughTiles):
    """An invocation decodes a tile into the cache of its core, then scans it."""

    place: ClassVar[str] = "tiles in a cache"
    home: ClassVar[Home] = Home.CACHE


class FuseThroughWorkgroupMemory(FuseThroughTiles):
    """A workgroup decodes a tile together and scans it together, with a barrier between."""

    place: ClassVar[str] = "workgroup memory"
    home: ClassVar[Home] = Home.WORKGROUP


def handoff_patterns(progress: Progress) -> list[RewritePattern]:
    """The patterns that the options of a run allow, in the order in which they are tried."""
    options = progress.options
    patterns: list[RewritePattern] = [PromoteUntouched(progress), PromoteInArm(progress)]
    if options.strategy != "workgroup" and not options.tile:
        patterns.append(FuseThroughPrivateValues(progress))
    if options.strategy == "auto" and options.local_memory == "global" and not options.tile:
        patterns.append(FuseThroughCache(progress))
    elif options.strategy != "private":
        patterns.append(FuseThroughWorkgroupMemory(progress))
    return patterns
