"""
The plan: which arms share tiles, which of their invocations each tile runs, and what it holds.

A draft takes in one producer after the other, and becomes a plan when none can join any more.
Neither ever changes: whatever takes a step makes another.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import lcm

from vyre_dialect.analysis.access_relations import AccessRelation, ArmAccesses
from vyre_dialect.analysis.isl import isl
from vyre_dialect.ir.interfaces import AccessKind
from vyre_dialect.ir.types import MemorySpace
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.fusion.tiling.cost import bytes_of
from vyre_dialect.passes.fusion.tiling.intervals import Interval, Stage
from vyre_dialect.passes.fusion.tiling.obligations import Obligation
from vyre_dialect.passes.fusion.tiling.options import Home
from vyre_dialect.passes.fusion.tiling.probes import Probe
from vyre_dialect.passes.fusion.tiling.refusal import Reason, Refusal
from vyre_dialect.passes.fusion.tiling.request import Request


@dataclass(frozen=True, eq=False)
class Touching:
    """The stages that touch each buffer that others see, by the manner in which they do."""

    by_buffer: Mapping[BufferOp, Mapping[Hashable, Sequence[Stage]]] = field(
        default_factory=dict[BufferOp, Mapping[Hashable, Sequence[Stage]]]
    )

    def including(self, stage: Stage) -> Touching:
        """The same with another stage."""
        found = dict(self.by_buffer)
        for buffer in stage.arm.buffers():
            if buffer.type.writable and buffer.type.space == MemorySpace.GLOBAL:
                known = found.get(buffer, {})
                manner = _manner(stage.arm.to(buffer))
                found[buffer] = {**known, manner: (*known.get(manner, ()), stage)}
        return Touching(found)

    def conflicting(self, stage: Stage, buffer: BufferOp) -> Iterator[Stage]:
        """Those whose accesses to `buffer` may not change places with those of `stage`."""
        manner = _manner(stage.arm.to(buffer))
        for other, stages in self.by_buffer.get(buffer, {}).items():
            if other is None or other != manner:
                yield from stages

    def written(self) -> set[BufferOp]:
        """What the stages write to global memory."""
        return {
            buffer
            for buffer, manners in self.by_buffer.items()
            if any(manner != AccessKind.READ for manner in manners)
        }


def _manner(accesses: list[AccessRelation]) -> Hashable:
    """What stages have in common that touch a buffer in any order; None if order matters."""
    manners = {each.access.combiner if each.writes else AccessKind.READ for each in accesses}
    return manners.pop() if len(manners) == 1 else None


@dataclass(frozen=True, eq=False)
class Candidate:
    """A producer that may join a draft, and what it would fill."""

    arm: ArmAccesses
    footprints: Mapping[BufferOp, Interval]
    clamped: frozenset[BufferOp] = frozenset()
    """Those of which the footprint holds only what invocations that exist read."""
    probes: tuple[Probe, ...] = ()
    effect_tiles: tuple[isl.PwAff, ...] = ()
    """The tiles that its effects need, where the sinks may ask for too few."""
    met: tuple[Obligation, ...] = ()


@dataclass(frozen=True, eq=False)
class Draft:
    """The stages so far, all of them proved legal together."""

    request: Request
    stages: Mapping[RegionOp, Stage] = field(default_factory=dict[RegionOp, Stage])
    """In the order in which they joined, the sinks first."""
    touching: Touching = field(default_factory=Touching)
    footprints: Mapping[BufferOp, Interval] = field(default_factory=dict[BufferOp, Interval])
    """The elements of each handoff that a tile holds."""
    clamped: frozenset[BufferOp] = frozenset()
    filled: Mapping[RegionOp, Sequence[BufferOp]] = field(
        default_factory=dict[RegionOp, Sequence[BufferOp]]
    )
    """The handoffs that each producer fills."""
    effect_tiles: tuple[isl.PwAff, ...] = ()
    probes: tuple[Probe, ...] = ()
    cooperative: tuple[ArmAccesses, ...] = ()
    """The arms that keep their own workgroups."""
    held_bytes: int = 0
    """What tiles take of the memory where they live, and what arms keep there by themselves."""
    met: tuple[Obligation, ...] = ()
    refused: tuple[Refusal, ...] = ()
    """Why other producers did not join."""

    @property
    def last(self) -> RegionOp:
        """The last of the sinks, to whose place all arms move."""
        return self.request.sinks[-1].arm.arm

    def bytes_with(self, arm: ArmAccesses, footprints: Mapping[BufferOp, Interval]) -> int:
        """What the tiles and the arms would hold with these."""
        present = (each for each in arm.buffers() if each.type.space == self.request.space)
        own = sum(buffer.type.static_bytes or 0 for buffer in present)
        return self.held_bytes + bytes_of(footprints) + own

    def joined_by_sink(self, stage: Stage, met: Sequence[Obligation]) -> Draft:
        """The draft with a sink more."""
        return self._joined_by(Candidate(stage.arm, {}), stage, met)

    def joined_by_producer(
        self, candidate: Candidate, stage: Stage, met: Sequence[Obligation]
    ) -> Draft:
        """The draft with a producer that fills the footprints of a candidate."""
        return replace(
            self._joined_by(candidate, stage, (*candidate.met, *met)),
            footprints={**self.footprints, **candidate.footprints},
            clamped=self.clamped | candidate.clamped,
            filled={**self.filled, stage.arm.arm: tuple(candidate.footprints)},
            effect_tiles=(*self.effect_tiles, *candidate.effect_tiles),
            probes=(*self.probes, *candidate.probes),
        )

    def _joined_by(self, candidate: Candidate, stage: Stage, met: Sequence[Obligation]) -> Draft:
        own_workgroups = () if stage.arm.is_data_parallel else (stage.arm,)
        return replace(
            self,
            stages={**self.stages, stage.arm.arm: stage},
            touching=self.touching.including(stage),
            cooperative=(*self.cooperative, *own_workgroups),
            held_bytes=self.bytes_with(stage.arm, candidate.footprints),
            met=(*self.met, *met),
        )


@dataclass(frozen=True)
class Sliding:
    """How a tile of a handoff moves on."""

    step: int
    """Elements from where a tile begins to where the next one does."""
    end: int
    """The position in the tile from which on the producer writes nothing."""
    extent: int
    """The elements of a tile."""

    @property
    def kept(self) -> int:
        """How many elements, the last ones that are written, the next tile has at its begin."""
        return max(self.end - self.step, 0)


@dataclass(frozen=True)
class Slide:
    """A producer that slides."""

    overlap: int
    """How many invocations of its share, the first ones, the tile before runs, too."""
    tiles: Mapping[BufferOp, Sliding]
    """What it fills."""


@dataclass(frozen=True, eq=False)
class Plan:
    """A fusion that is proved legal."""

    request: Request
    stages: tuple[Stage, ...]
    """The parts of the new arm, in program order."""
    footprints: Mapping[BufferOp, Interval]
    """The elements of each handoff that a tile holds."""
    filled: Mapping[RegionOp, Sequence[BufferOp]]
    """The handoffs that each producer fills."""
    effect_tiles: tuple[isl.PwAff, ...]
    """Tiles that the producers' effects need; beyond them the sinks say how many."""
    overhangs: frozenset[BufferOp]
    """Handoffs that are read outside their elements, where tiles must hold zeros."""
    colliding: frozenset[BufferOp]
    """Handoffs outside of which stores would meet in a tile, unless they are guarded."""
    probes: tuple[Probe, ...]
    """What does for the host what it reads of the handoffs, those of later handoffs first."""
    obligations: tuple[Obligation, ...]
    """The proof: every question that was asked, all of them answered with yes."""
    refused: tuple[Refusal, ...]
    """Why other producers did not join."""
    slides: Mapping[RegionOp, Slide] = field(default_factory=dict[RegionOp, Slide])
    """The producers of which each tile runs only what the one before did not."""
    recomputed: Mapping[BufferOp, Refusal] = field(default_factory=dict[BufferOp, Refusal])
    """The handoffs of those that do not, though tiles share what they do, and why."""

    @property
    def arms(self) -> list[RegionOp]:
        """The arms that become one, in program order."""
        return [stage.arm.arm for stage in self.stages]

    @property
    def sinks(self) -> list[Stage]:
        """The stages that run once per tile and hand nothing on."""
        return [stage for stage in self.stages if not stage.is_producer]

    @property
    def is_private(self) -> bool:
        """Whether every invocation has tiles of its own."""
        return self.request.space == MemorySpace.PRIVATE

    @property
    def is_cached(self) -> bool:
        """Whether an invocation fills and reads tiles in loops, in the cache of its core."""
        return self.request.home is Home.CACHE

    @property
    def stride(self) -> int:
        """How many invocations work on a tile."""
        return 1 if self.is_private else self.request.workgroup_size

    @property
    def steps(self) -> int:
        """How many consecutive tiles an invocation does."""
        return self.request.steps if self.slides else 1

    @property
    def is_data_parallel(self) -> bool:
        """Whether no arm keeps its own workgroups."""
        return all(stage.arm.is_data_parallel for stage in self.stages)

    @property
    def is_exact(self) -> bool:
        """Whether there are just as many tiles as the one sink has shares."""
        return not self.effect_tiles and len(self.sinks) == 1

    @property
    def denominator(self) -> int:
        """
        By how much a share must be multiplied so that footprints begin at regular places; private
        ones also at the same place among what their producers hand on, so that offsets are known.
        """
        regular = list(self.footprints.values())
        if self.is_private:
            regular += [stage.share for stage in self.stages if stage.is_producer]
        return lcm(*(interval.pace.denominator for interval in regular))

    @property
    def repetition(self) -> Fraction:
        """How often an invocation of a producer runs on average, of the one repeated most."""
        paces = [
            Fraction(stage.share.extent) / abs(stage.share.pace.per_tile)
            for stage in self.stages
            if stage.is_producer and stage.share.pace.per_tile
        ]
        return max(paces, default=Fraction(1))

    @property
    def lacks_memory(self) -> bool:
        """Whether another producer would have joined a plan with smaller tiles."""
        return any(each.reason == Reason.OVER_BUDGET for each in self.refused)

    @property
    def is_all_cheap(self) -> bool:
        """Whether it would be the same if dear producers might join, too."""
        return all(each.reason != Reason.UNPROFITABLE for each in self.refused)
