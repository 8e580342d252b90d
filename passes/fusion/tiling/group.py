"""
One plan as it grows: arms that share tiles, the footprints of their handoffs, and the proof that
they may. Producers join one by one, against the order of the program.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Collection, Hashable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from heapq import heappop, heappush
from math import ceil, lcm

import islpy as isl

from vyre_dialect.analysis.access_relations import AccessRelation, ArmAccesses
from vyre_dialect.ir.interfaces import AccessKind
from vyre_dialect.ir.types import MemorySpace
from vyre_dialect.ops.program import BufferOp, RegionOp
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.cost import Limits, bytes_of
from vyre_dialect.passes.fusion.tiling.counterexamples import scattered_writers
from vyre_dialect.passes.fusion.tiling.handoffs import is_handoff, refusal_between
from vyre_dialect.passes.fusion.tiling.intervals import Interval, Pace, Stage, slope_of
from vyre_dialect.passes.fusion.tiling.legality import (
    collides_outside,
    is_repeated,
    left_out,
    may_run_beyond,
    noticed_when_repeated,
    read_together,
    unguardable,
    unordered,
)
from vyre_dialect.passes.fusion.tiling.options import Options, Tiling
from vyre_dialect.passes.fusion.tiling.probes import Probe, Probes
from vyre_dialect.passes.fusion.tiling.refusal import Reason, Refusal

MOST_ROOM = 2
"""How many times its extent a footprint may grow to."""
MOST_ROOM_TO_SLIDE = 4
"""The same where it may slide, for which it must hold all of what it begins and ends in."""
ROUNDING = 16
"""Elements by multiples of which footprints grow."""
VECTOR = 4
"""Elements of the vectors that footprints are accessed in, for the most part."""


@dataclass(frozen=True, eq=False)
class Plan:
    """A fusion that is proved legal."""

    space: MemorySpace
    """Where the tiles live: workgroup memory, or private to an invocation."""
    workgroup_size: int
    stages: list[Stage]
    """The parts of the new arm, in program order."""
    footprints: dict[BufferOp, Interval]
    filled: dict[RegionOp, list[BufferOp]]
    """The handoffs that each producer fills."""
    effect_tiles: list[isl.PwAff]
    """Tiles that the producers' effects need; beyond them the sinks say how many."""
    overhangs: set[BufferOp]
    """Handoffs that are read outside their elements, where tiles must hold zeros."""
    probes: list[Probe]
    """What does for the host what it reads of the handoffs, those of later handoffs first."""
    colliding: set[BufferOp]
    """Handoffs outside of which stores would meet in a tile, unless they are guarded."""
    lacks_memory: bool
    """Whether another producer would have joined a plan with smaller tiles."""
    is_cheap: bool
    """Whether it would be the same if only cheap plans were asked for."""

    @property
    def arms(self) -> list[RegionOp]:
        """The arms that become one, in program order."""
        return [stage.arm.arm for stage in self.stages]

    @property
    def sinks(self) -> list[Stage]:
        """The stages that run once per tile and hand nothing on."""
        return [stage for stage in self.stages if not stage.is_producer]

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
        if self.space == MemorySpace.PRIVATE:
            regular += [stage.share for stage in self.stages if stage.is_producer]
        return lcm(*(interval.pace.denominator for interval in regular))


@dataclass
class Group:
    """The stages of a plan, as they become more."""

    analysis: ProgramAnalysis
    options: Options
    checked: Callable[[BufferOp], Refusal | None]
    """The refusal with a handoff that no tiling would solve."""
    handoff: BufferOp
    """What the sinks read; its producer must join."""
    tiling: Tiling
    stages: dict[RegionOp, Stage] = field(default_factory=dict[RegionOp, Stage])
    footprints: dict[BufferOp, Interval] = field(default_factory=dict[BufferOp, Interval])
    effect_tiles: list[isl.PwAff] = field(default_factory=list[isl.PwAff])
    lacks_memory: bool = False
    is_cheap: bool = True
    """Whether nothing in it is too dear for a plan that must be cheap."""
    filled: dict[RegionOp, list[BufferOp]] = field(default_factory=dict[RegionOp, list[BufferOp]])
    """The handoffs that each producer fills."""
    _cooperative: list[ArmAccesses] = field(default_factory=list[ArmAccesses])
    """The arms that keep their own workgroups."""
    _clamped: set[BufferOp] = field(default_factory=set[BufferOp])
    """The handoffs whose footprints hold only what invocations that exist read."""
    _touching: dict[BufferOp, dict[Hashable, list[Stage]]] = field(
        default_factory=dict[BufferOp, dict[Hashable, list[Stage]]]
    )
    _bytes: int = 0
    """Of the footprints, and of what the arms keep in the same memory by themselves."""

    def __post_init__(self) -> None:
        self.tiles = self.analysis.tiles
        self._probes = Probes(self.analysis)

    def begin(self, sinks: list[Stage]) -> Refusal | None:
        """Let the sinks be in the plan; the refusal if they cannot share tiles."""
        for sink in sinks:
            refusal = self.analysis.ask(lambda sink=sink: self._misplaced(sink, {}))
            if refusal is not None:
                return refusal
            self._join(sink)
        self._last = max(self.stages, key=self.analysis.position)
        return None

    def grow(self) -> Plan | Refusal:
        """Let producers join, the last ones first, until no more can."""
        required = self.analysis.producer(self.handoff)
        waiting = list[tuple[int, RegionOp]]()
        seen = set[RegionOp](self.stages)
        self._queue_producers(list(self.stages), waiting, seen)
        while waiting:
            _, arm = heappop(waiting)
            refusal = self.analysis.ask(lambda arm=arm: self._add(arm))
            if refusal is None:
                self._queue_producers([arm], waiting, seen)
            elif arm is required:
                return refusal
            else:
                self.lacks_memory |= refusal.reason == Reason.OVER_BUDGET
        return self.analysis.ask(self._finished)

    def _queue_producers(
        self, arms: list[RegionOp], waiting: list[tuple[int, RegionOp]], seen: set[RegionOp]
    ) -> None:
        for arm in arms:
            for buffer in self.analysis.touches(arm):
                if not is_handoff(self.analysis, buffer):
                    continue
                producer = self.analysis.producer(buffer)
                if producer is None or producer in seen:
                    continue
                seen.add(producer)
                heappush(waiting, (-self.analysis.position(producer), producer))

    def _add(self, arm: RegionOp) -> Refusal | None:
        """Let a producer join; the refusal if it may not."""
        handoffs = self._handoffs_of(arm)
        if isinstance(handoffs, Refusal):
            return handoffs
        refusal = refusal_between(self.analysis, arm, self._last, self.stages, handoffs)
        refusal = refusal or self._probes.refusal_behind([*self.stages, arm], handoffs)
        if refusal is not None:
            return refusal
        accesses = self.analysis.accesses(arm)
        assert isinstance(accesses, ArmAccesses)
        footprints = dict[BufferOp, Interval]()
        for handoff in handoffs:
            footprint = self._read_footprint(handoff)
            if isinstance(footprint, Refusal):
                return footprint
            footprints[handoff] = footprint
        return self._add_filling(accesses, footprints)

    def _handoffs_of(self, arm: RegionOp) -> list[BufferOp] | Refusal:
        """What `arm` may hand to the arms of the group alone, all in tiles."""
        found, refusal = list[BufferOp](), None
        for buffer in sorted(self.analysis.touches(arm), key=self.analysis.position):
            if not is_handoff(self.analysis, buffer):
                continue
            arms = self.analysis.users(buffer).arms
            if arms[0] is not arm or len(arms) < 2:
                continue
            if any(user not in self.stages for user in arms[1:]):
                continue
            if (found_refusal := self._unfit(buffer)) is None:
                found.append(buffer)
            elif refusal is None or buffer is self.handoff:
                refusal = found_refusal
        if found:
            return found
        return refusal or Refusal(Reason.UNKNOWN_USER, "other arms use what it hands on")

    def _unfit(self, handoff: BufferOp) -> Refusal | None:
        if (refusal := self.checked(handoff)) is not None:
            return refusal
        is_auto = self.options.strategy == "auto"
        if (refusal := self._probes.find(handoff, only_if_cheap=is_auto)) is not None:
            return refusal
        if self.tiling.space != MemorySpace.PRIVATE:
            return None
        refusals = (read_together(arm, [handoff]) for arm in self._cooperative)
        return next((refusal for refusal in refusals if refusal is not None), None)

    def _read_footprint(self, handoff: BufferOp) -> Interval | Refusal:
        """The elements of `handoff` that a tile of all its consumers reads."""
        arms = self.analysis.users(handoff).arms[1:]
        readers = [self.stages[arm] for arm in arms]
        readers = [stage for stage in readers if stage.arm.reads_of(handoff)]
        first = readers[0].arm
        reached = [p.spread.apply_range(p.arm.reach(p.arm.reads_of(handoff))) for p in readers]
        if self.analysis.symbols.restricted(_union(reached)).is_empty():
            return self.tiles.interval(self.tiles.constant(0), 1, Pace(Fraction(0)))
        slope = slope_of(first.reads_of(handoff))
        footprint = None
        if slope is not None:
            pace = slope.elements_at(readers[0].share.pace)
            footprint = self.tiles.fit(_union(reached), pace)
            if footprint is None:  # an index clamped to an edge, which tiles past it do not reach
                happens = [
                    p.runs.apply_range(p.arm.touched(p.arm.reads_of(handoff))) for p in readers
                ]
                footprint = self.tiles.fit(_union(happens), pace)
                self._clamped.add(handoff)
        if footprint is not None:
            return footprint
        return Refusal(
            Reason.CROSS_WORKGROUP,
            f"what a tile reads of '@{handoff.sym_name.data}' has no constant extent",
            consumer=first.arm,
        )

    def _add_filling(
        self, arm: ArmAccesses, footprints: dict[BufferOp, Interval]
    ) -> Refusal | None:
        """Let `arm` join with the invocations that fill `footprints`."""
        refusal = self._join_if_proved(arm, footprints, effect_tiles=None)
        if refusal is None or refusal.reason != Reason.SIDE_EFFECTS:
            return refusal
        # With footprints that leave no gap between tiles, every effect happens.
        widened = {
            handoff: self._widened(arm, handoff, footprints[handoff]) for handoff in footprints
        }
        handoff, footprint = next(iter(widened.items()))
        tiles = self._tiles_to_run_all(arm, handoff, footprint)
        if self._join_if_proved(arm, widened, effect_tiles=tiles) is not None:
            return refusal
        return None

    def _join_if_proved(
        self,
        arm: ArmAccesses,
        footprints: dict[BufferOp, Interval],
        effect_tiles: isl.PwAff | None,
    ) -> Refusal | None:
        space = self.tiling.space
        total = self._bytes + bytes_of(footprints) + self._local_bytes_of(arm)
        if (refusal := self.options.over_budget(total, space)) is not None:
            return refusal
        consumers, limits = self.tiling.first_share, Limits.of(self.options.local_memory)
        if (refusal := self._judged(limits.too_many_bytes(footprints, consumers))) is not None:
            return refusal
        share = self._filling_share(arm, footprints)
        if isinstance(share, Refusal):
            return share
        stage = Stage(arm, share, is_producer=True)
        if not arm.is_data_parallel and (refusal := self._torn_apart(stage)) is not None:
            return refusal
        ops = self.analysis.facts(arm.arm).ops
        repetition = limits.too_much_repetition(stage, ops, consumers, self.options.steps)
        if (refusal := self._judged(repetition)) is not None:
            return refusal
        for handoff in footprints if space == MemorySpace.WORKGROUP else ():
            if (refusal := self._collision(stage, handoff, footprints)) is not None:
                return refusal
        more = [] if effect_tiles is None else [effect_tiles]
        stage = stage.within(self._all_tiles([*self.effect_tiles, *more]))
        if (refusal := self._unproved(stage, ChainMap(footprints, self.footprints))) is not None:
            return refusal
        self.footprints |= footprints
        self._probes.join(footprints)
        self.filled[arm.arm] = list(footprints)
        self.effect_tiles += more
        self._bytes += bytes_of(footprints)
        self._join(stage)
        return None

    def _judged(self, cost: Refusal | None) -> Refusal | None:
        """The refusal that something costs much, if the plan must be cheap."""
        self.is_cheap &= cost is None
        return cost if self.tiling.only_if_cheap else None

    def _torn_apart(self, stage: Stage) -> Refusal | None:
        """The refusal if the workgroups of a cooperative producer are not those of the tiles."""
        name, size = stage.arm.arm.generator.data, self.tiling.workgroup_size
        if stage.arm.arm.workgroup != (size, 1, 1):
            return Refusal(
                Reason.COOPERATIVE_PRODUCER,
                f"'{name}' has workgroups of its own, other than the {size} of the tiles",
            )
        per_tile = 1 if self.tiling.space == MemorySpace.PRIVATE else size
        own = self.analysis.symbols.relation(
            f"{{ T[w] -> I[i, 0, 0] : {per_tile} w <= i < {per_tile} w + {per_tile} }}",
        )
        if stage.spread.is_equal(own):
            return None
        return Refusal(
            Reason.COOPERATIVE_PRODUCER,
            f"'{name}' depends on its own workgroups, each of which fills other elements than a "
            "tile of its consumers holds",
        )

    def _collision(
        self, stage: Stage, handoff: BufferOp, footprints: dict[BufferOp, Interval]
    ) -> Refusal | None:
        """The refusal if stores meet past the end of a handoff and cannot be guarded."""
        if not collides_outside(stage.arm, handoff, runs_beyond=True):
            return None
        runs_beyond = not self._must_guard(stage, footprints)
        if not runs_beyond and not collides_outside(stage.arm, handoff, runs_beyond=False):
            return None
        return unguardable(stage.arm, handoff)

    def _unproved(self, stage: Stage, promoted: Collection[BufferOp]) -> Refusal | None:
        """What keeps a producer from running so."""
        if (refusal := left_out(self.analysis, stage, promoted)) is not None:
            return refusal
        if (refusal := self._misplaced(stage, promoted)) is not None:
            return refusal
        refusal = noticed_when_repeated(stage, promoted)
        if refusal is not None and is_repeated(stage, self.analysis.symbols):
            return refusal
        return None

    def _misplaced(self, stage: Stage, promoted: Collection[BufferOp]) -> Refusal | None:
        """The refusal if dependences between `stage` and another cross tiles."""
        position = self.analysis.position
        related = dict[int, Stage]()
        for buffer in stage.arm.buffers():
            if buffer not in promoted:
                related |= {id(other): other for other in self._conflicting(stage, buffer)}
        for other in related.values():
            if other.arm is stage.arm:
                continue
            earlier, later = sorted((stage, other), key=lambda each: position(each.arm.arm))
            if (refusal := unordered(self.analysis, earlier, later, promoted)) is not None:
                return refusal
        return None

    def _conflicting(self, stage: Stage, buffer: BufferOp) -> Iterator[Stage]:
        """The stages whose accesses to `buffer` may not change places with those of `stage`."""
        manner = _manner(stage.arm.to(buffer))
        for other, stages in self._touching.get(buffer, {}).items():
            if other is None or other != manner:
                yield from stages

    def _join(self, stage: Stage) -> None:
        self.stages[stage.arm.arm] = stage
        if not stage.arm.is_data_parallel:
            self._cooperative.append(stage.arm)
        self._bytes += self._local_bytes_of(stage.arm)
        for buffer in stage.arm.buffers():
            if buffer.type.writable and buffer.type.space == MemorySpace.GLOBAL:
                manners = self._touching.setdefault(buffer, {})
                manners.setdefault(_manner(stage.arm.to(buffer)), []).append(stage)

    def _local_bytes_of(self, arm: ArmAccesses) -> int:
        present = (each for each in arm.buffers() if each.type.space == self.tiling.space)
        return sum(buffer.type.static_bytes or 0 for buffer in present)

    def _filling_share(
        self, arm: ArmAccesses, footprints: dict[BufferOp, Interval]
    ) -> Interval | Refusal:
        """The producer invocations that write into a tile's footprints."""
        handoff, footprint = next(iter(footprints.items()))
        slope = slope_of(arm.writes_to(handoff))
        share = None
        if slope is not None and slope.per_invocation:
            pace = slope.invocations_at(footprint.pace)
            writers = [
                footprint.elements.apply_range(arm.reach(arm.writes_to(handoff)).reverse())
                for handoff, footprint in footprints.items()
            ]
            share = self.tiles.fit(_union(writers), pace)
        if share is not None:
            return share
        return scattered_writers(self.analysis, arm, footprints)

    def _widened(self, arm: ArmAccesses, handoff: BufferOp, footprint: Interval) -> Interval:
        """The footprint grown so that consecutive tiles leave no producer invocation out."""
        begin, step = self._begin(footprint), footprint.pace.per_tile
        if begin is None or step <= 0:
            return footprint
        start = min(begin, self._first_written(arm, handoff) or 0)
        extent = max(begin + footprint.extent, start + ceil(step)) - start
        base = footprint.base + self.tiles.constant(start - begin)
        return self.tiles.interval(base, extent, footprint.pace)

    def _begin(self, footprint: Interval) -> int | None:
        """Where the footprint of tile 0 begins, or None when it depends on parameters."""
        if footprint.pace.per_parameter:
            return None
        at = isl.Set.read_from_str(self.analysis.context, "{ T[0] }")
        image = isl.Map.from_pw_aff(footprint.base).intersect_domain(at).range()
        return int(image.dim_min_val(0).to_python())

    def _first_written(self, arm: ArmAccesses, handoff: BufferOp) -> int | None:
        reach = arm.reach(arm.writes_to(handoff))
        low = reach.range().project_out_all_params().dim_min_val(0)
        return int(low.to_python()) if low.is_int() else None

    def _tiles_to_run_all(
        self, arm: ArmAccesses, handoff: BufferOp, footprint: Interval
    ) -> isl.PwAff | None:
        """How many tiles it takes until the producer's last invocation has run, or None."""
        begin, step = self._begin(footprint), footprint.pace.per_tile
        slope = slope_of(arm.writes_to(handoff))
        if begin is None or step <= 0 or slope is None:
            return None
        if slope.per_invocation <= 0 or slope.per_parameter:
            return None
        first = self._first_written(arm, handoff) or 0
        last = self._invocations(arm) - self.tiles.constant(1)
        ratio = slope.per_invocation / step
        offset = ceil(Fraction(max(first - begin, 0)) / step)
        reached = self.tiles.scaled(last * self.tiles.constant(ratio.numerator), ratio.denominator)
        return (reached.floor() + self.tiles.constant(offset + 1)).coalesce()

    def _invocations(self, arm: ArmAccesses) -> isl.PwAff:
        """How many invocations `arm` has, over tiles."""
        count = arm.arm.domain[0]
        if isinstance(count, int):
            return self.tiles.constant(count)
        function = arm.values.of(count)
        assert function is not None
        return self.tiles.parameters_only(function)

    def _all_tiles(self, effect_tiles: list[isl.PwAff]) -> isl.Set:
        """The tiles that exist."""
        sinks = (stage for stage in self.stages.values() if not stage.is_producer)
        counts = [
            self.tiles.scaled(self._invocations(sink.arm), sink.share.extent).ceil()
            for sink in sinks
        ]
        counts += effect_tiles
        tile = self.tiles.tile()
        within = tile.lt_set(counts[0])
        for count in counts[1:]:
            within = within.union(tile.lt_set(count))
        return within.intersect(tile.ge_set(self.tiles.constant(0))).coalesce()

    def _finished(self) -> Plan | Refusal:
        """The plan, once every producer is proved to run in all of its tiles."""
        tiles = self._all_tiles(self.effect_tiles)
        stages = list[Stage]()
        colliding = set[BufferOp]()
        for arm in sorted(self.stages, key=self.analysis.position):
            stage = self.stages[arm]
            if stage.is_producer:
                stage = replace(
                    stage.within(tiles), is_guarded=self._must_guard(stage, self.footprints)
                )
                if self.effect_tiles:
                    if (refusal := self._unproved(stage, self.footprints)) is not None:
                        return refusal
                colliding |= self._colliding(stage)
            elif (refusal := self._moved_past(stage)) is not None:
                return refusal
            stages.append(stage)
        if self.effect_tiles and (refusal := self._outgrown(stages)) is not None:
            return refusal
        footprints = self._roomy(stages)
        return Plan(
            self.tiling.space,
            self.tiling.workgroup_size,
            stages,
            footprints,
            self.filled,
            self.effect_tiles,
            self._overhangs(stages),
            self._probes.joined,
            colliding,
            self.lacks_memory,
            self.is_cheap,
        )

    def _moved_past(self, sink: Stage) -> Refusal | None:
        """What a sink must not be moved past, as all arms move to the place of the last."""
        return refusal_between(self.analysis, sink.arm.arm, self._last, self.stages)

    def _outgrown(self, stages: list[Stage]) -> Refusal | None:
        """The refusal if tiles that effects have added read outside of a footprint."""
        for stage in stages:
            for handoff in self._clamped & self.footprints.keys() & set(stage.arm.buffers()):
                reads = stage.arm.touched(stage.arm.reads_of(handoff))
                outside = stage.runs.apply_range(reads).subtract(self.footprints[handoff].elements)
                if not self.analysis.symbols.restricted(outside).is_empty():
                    return Refusal(
                        Reason.CROSS_WORKGROUP,
                        f"what a tile reads of '@{handoff.sym_name.data}' has no constant extent",
                        consumer=stage.arm.arm,
                    )
        return None

    def _must_guard(self, producer: Stage, promoted: Collection[BufferOp]) -> bool:
        may_run = may_run_beyond(producer.arm, promoted, self._written())
        return not (may_run and self.tiles.is_never_negative(producer.share.base))

    def _written(self) -> set[BufferOp]:
        """What the arms of the plan write to global memory, as far as they have joined."""
        touching = self._touching.items()
        return {buffer for buffer, manners in touching if manners.keys() != {AccessKind.READ}}

    def _colliding(self, producer: Stage) -> set[BufferOp]:
        if self.tiling.space == MemorySpace.PRIVATE:
            return set()
        return {
            handoff
            for handoff in self.filled[producer.arm.arm]
            if collides_outside(producer.arm, handoff, runs_beyond=not producer.is_guarded)
        }

    def _roomy(self, stages: list[Stage]) -> dict[BufferOp, Interval]:
        """The footprints grown to hold all that producers write, if that may be: no guards then."""
        roomy = {
            handoff: self._holding_writes(handoff, self.footprints[handoff], stage)
            for stage in stages
            for handoff in self.filled.get(stage.arm.arm, ())
        }
        room = bytes_of(roomy) - bytes_of(self.footprints)
        if not room:
            return roomy
        if self.options.over_budget(self._bytes + room, self.tiling.space) is not None:
            return self.footprints
        limits, consumers = Limits.of(self.options.local_memory), self.tiling.first_share
        for handoffs in self.filled.values():
            handed_on = {handoff: roomy[handoff] for handoff in handoffs}
            if self._judged(limits.too_many_bytes(handed_on, consumers)) is not None:
                return self.footprints
        return roomy

    def _holding_writes(self, handoff: BufferOp, footprint: Interval, producer: Stage) -> Interval:
        arm = producer.arm
        written = producer.spread.apply_range(arm.reach(arm.writes_to(handoff)))
        bounds = self.tiles.residues(written, footprint.base)
        if bounds is None or _holds(footprint, bounds):
            return footprint
        # Rounded, so that reads stay as aligned as they were and zeros are written by words.
        below = -(min(bounds[0], 0) // ROUNDING) * ROUNDING
        extent = -(-max(footprint.extent, bounds[1] + 1) // ROUNDING) * ROUNDING + below
        most = MOST_ROOM if self.options.steps == 1 else MOST_ROOM_TO_SLIDE
        if extent > most * footprint.extent:
            return footprint
        base = footprint.base - self.tiles.constant(below) if below else footprint.base
        return self.tiles.interval(base, extent, footprint.pace)

    def _overhangs(self, stages: list[Stage]) -> set[BufferOp]:
        return {
            access.buffer
            for stage in stages
            for access in stage.arm.accesses
            if access.buffer in self.footprints
            and not access.writes
            and not access.stays_inside(self.analysis.symbols)
        }


def _holds(footprint: Interval, bounds: tuple[int, int]) -> bool:
    """Whether a footprint holds positions as it is, in whole vectors."""
    return bounds[0] >= 0 and bounds[1] < footprint.extent and footprint.extent % VECTOR == 0


def _manner(accesses: list[AccessRelation]) -> Hashable:
    """What stages have in common that touch a buffer in any order; None if order matters."""
    manners = {each.access.combiner if each.writes else AccessKind.READ for each in accesses}
    return manners.pop() if len(manners) == 1 else None


def _union(relations: list[isl.Map]) -> isl.Map:
    total = relations[0]
    for relation in relations[1:]:
        total = total.union(relation)
    return total
