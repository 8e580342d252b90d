"""
One plan as it grows: arms that share tiles, the windows of their handoffs, and the proof that they
may. Producers join one by one, against the order of the program.
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
from vyre_dialect.passes.fusion.tiling.handoffs import is_handoff, problem_between
from vyre_dialect.passes.fusion.tiling.intervals import Interval, Pace, Phase, slope_of
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
from vyre_dialect.passes.fusion.tiling.refusal import Problem, Reason

MOST_ROOM = 2
"""How many times its extent a window may grow to."""
MOST_ROOM_TO_SLIDE = 4
"""The same where it may slide, for which it must hold all of what it begins and ends in."""
ROUNDING = 16
"""Elements by multiples of which windows grow."""
VECTOR = 4
"""Elements of the vectors that windows are accessed in, for the most part."""


@dataclass(frozen=True, eq=False)
class Plan:
    """A fusion that is proved legal."""

    space: MemorySpace
    """Where the tiles live: workgroup memory, or private to an invocation."""
    workgroup_size: int
    phases: list[Phase]
    """The parts of the new arm, in program order."""
    windows: dict[BufferOp, Interval]
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
        return [phase.arm.arm for phase in self.phases]

    @property
    def sinks(self) -> list[Phase]:
        """The phases that run once per tile and hand nothing on."""
        return [phase for phase in self.phases if not phase.is_producer]

    @property
    def is_exact(self) -> bool:
        """Whether there are just as many tiles as the one sink has shares."""
        return not self.effect_tiles and len(self.sinks) == 1

    @property
    def denominator(self) -> int:
        """
        By how much a share must be multiplied so that windows begin at regular places; private
        ones also at the same place among what their producers hand on, so that offsets are known.
        """
        regular = list(self.windows.values())
        if self.space == MemorySpace.PRIVATE:
            regular += [phase.share for phase in self.phases if phase.is_producer]
        return lcm(*(interval.pace.denominator for interval in regular))


@dataclass
class Group:
    """The phases of a plan, as they become more."""

    analysis: ProgramAnalysis
    options: Options
    checked: Callable[[BufferOp], Problem | None]
    """The problem with a handoff that no tiling would solve."""
    handoff: BufferOp
    """What the sinks read; its producer must join."""
    tiling: Tiling
    phases: dict[RegionOp, Phase] = field(default_factory=dict[RegionOp, Phase])
    windows: dict[BufferOp, Interval] = field(default_factory=dict[BufferOp, Interval])
    effect_tiles: list[isl.PwAff] = field(default_factory=list[isl.PwAff])
    lacks_memory: bool = False
    is_cheap: bool = True
    """Whether nothing in it is too dear for a plan that must be cheap."""
    filled: dict[RegionOp, list[BufferOp]] = field(default_factory=dict[RegionOp, list[BufferOp]])
    """The handoffs that each producer fills."""
    _cooperative: list[ArmAccesses] = field(default_factory=list[ArmAccesses])
    """The arms that keep their own workgroups."""
    _clamped: set[BufferOp] = field(default_factory=set[BufferOp])
    """The handoffs whose windows hold only what invocations that exist read."""
    _touching: dict[BufferOp, dict[Hashable, list[Phase]]] = field(
        default_factory=dict[BufferOp, dict[Hashable, list[Phase]]]
    )
    _bytes: int = 0
    """Of the windows, and of what the arms keep in the same memory by themselves."""

    def __post_init__(self) -> None:
        self.tiles = self.analysis.tiles
        self._probes = Probes(self.analysis)

    def begin(self, sinks: list[Phase]) -> Problem | None:
        """Let the sinks be in the plan; the problem if they cannot share tiles."""
        for sink in sinks:
            problem = self.analysis.ask(lambda sink=sink: self._misplaced(sink, {}))
            if problem is not None:
                return problem
            self._join(sink)
        self._last = max(self.phases, key=self.analysis.position)
        return None

    def grow(self) -> Plan | Problem:
        """Let producers join, the last ones first, until no more can."""
        required = self.analysis.producer(self.handoff)
        waiting = list[tuple[int, RegionOp]]()
        seen = set[RegionOp](self.phases)
        self._queue_producers(list(self.phases), waiting, seen)
        while waiting:
            _, arm = heappop(waiting)
            problem = self.analysis.ask(lambda arm=arm: self._add(arm))
            if problem is None:
                self._queue_producers([arm], waiting, seen)
            elif arm is required:
                return problem
            else:
                self.lacks_memory |= problem.reason == Reason.OVER_BUDGET
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

    def _add(self, arm: RegionOp) -> Problem | None:
        """Let a producer join; the problem if it may not."""
        handoffs = self._handoffs_of(arm)
        if isinstance(handoffs, Problem):
            return handoffs
        problem = problem_between(self.analysis, arm, self._last, self.phases, handoffs)
        problem = problem or self._probes.problem_behind([*self.phases, arm], handoffs)
        if problem is not None:
            return problem
        accesses = self.analysis.accesses(arm)
        assert isinstance(accesses, ArmAccesses)
        windows = dict[BufferOp, Interval]()
        for handoff in handoffs:
            window = self._read_window(handoff)
            if isinstance(window, Problem):
                return window
            windows[handoff] = window
        return self._add_filling(accesses, windows)

    def _handoffs_of(self, arm: RegionOp) -> list[BufferOp] | Problem:
        """What `arm` may hand to the arms of the group alone, all in tiles."""
        found, problem = list[BufferOp](), None
        for buffer in sorted(self.analysis.touches(arm), key=self.analysis.position):
            if not is_handoff(self.analysis, buffer):
                continue
            arms = self.analysis.users(buffer).arms
            if arms[0] is not arm or len(arms) < 2:
                continue
            if any(user not in self.phases for user in arms[1:]):
                continue
            if (found_problem := self._unfit(buffer)) is None:
                found.append(buffer)
            elif problem is None or buffer is self.handoff:
                problem = found_problem
        if found:
            return found
        return problem or Problem(Reason.UNKNOWN_USER, "other arms use what it hands on")

    def _unfit(self, handoff: BufferOp) -> Problem | None:
        if (problem := self.checked(handoff)) is not None:
            return problem
        is_auto = self.options.strategy == "auto"
        if (problem := self._probes.find(handoff, only_if_cheap=is_auto)) is not None:
            return problem
        if self.tiling.space != MemorySpace.PRIVATE:
            return None
        problems = (read_together(arm, [handoff]) for arm in self._cooperative)
        return next((problem for problem in problems if problem is not None), None)

    def _read_window(self, handoff: BufferOp) -> Interval | Problem:
        """The elements of `handoff` that a tile of all its consumers reads."""
        arms = self.analysis.users(handoff).arms[1:]
        readers = [self.phases[arm] for arm in arms]
        readers = [phase for phase in readers if phase.arm.reads_of(handoff)]
        first = readers[0].arm
        reached = [p.spread.apply_range(p.arm.reach(p.arm.reads_of(handoff))) for p in readers]
        if self.analysis.symbols.restricted(_union(reached)).is_empty():
            return self.tiles.interval(self.tiles.constant(0), 1, Pace(Fraction(0)))
        slope = slope_of(first.reads_of(handoff))
        window = None
        if slope is not None:
            pace = slope.elements_at(readers[0].share.pace)
            window = self.tiles.fit(_union(reached), pace)
            if window is None:  # an index clamped to an edge, which tiles past it do not reach
                happens = [
                    p.runs.apply_range(p.arm.touched(p.arm.reads_of(handoff))) for p in readers
                ]
                window = self.tiles.fit(_union(happens), pace)
                self._clamped.add(handoff)
        if window is not None:
            return window
        return Problem(
            Reason.CROSS_WORKGROUP,
            f"what a tile reads of '@{handoff.sym_name.data}' has no constant extent",
            consumer=first.arm,
        )

    def _add_filling(self, arm: ArmAccesses, windows: dict[BufferOp, Interval]) -> Problem | None:
        """Let `arm` join with the invocations that fill `windows`."""
        problem = self._join_if_proved(arm, windows, effect_tiles=None)
        if problem is None or problem.reason != Reason.SIDE_EFFECTS:
            return problem
        # With windows that leave no gap between tiles, every effect happens.
        widened = {handoff: self._widened(arm, handoff, windows[handoff]) for handoff in windows}
        handoff, window = next(iter(widened.items()))
        tiles = self._tiles_to_run_all(arm, handoff, window)
        if self._join_if_proved(arm, widened, effect_tiles=tiles) is not None:
            return problem
        return None

    def _join_if_proved(
        self,
        arm: ArmAccesses,
        windows: dict[BufferOp, Interval],
        effect_tiles: isl.PwAff | None,
    ) -> Problem | None:
        space = self.tiling.space
        total = self._bytes + bytes_of(windows) + self._local_bytes_of(arm)
        if (problem := self.options.over_budget(total, space)) is not None:
            return problem
        consumers, limits = self.tiling.first_share, Limits.of(self.options.local_memory)
        if (problem := self._judged(limits.too_many_bytes(windows, consumers))) is not None:
            return problem
        share = self._filling_share(arm, windows)
        if isinstance(share, Problem):
            return share
        phase = Phase(arm, share, is_producer=True)
        if not arm.is_data_parallel and (problem := self._torn_apart(phase)) is not None:
            return problem
        ops = self.analysis.facts(arm.arm).ops
        repetition = limits.too_much_repetition(phase, ops, consumers, self.options.steps)
        if (problem := self._judged(repetition)) is not None:
            return problem
        for handoff in windows if space == MemorySpace.WORKGROUP else ():
            if (problem := self._collision(phase, handoff, windows)) is not None:
                return problem
        more = [] if effect_tiles is None else [effect_tiles]
        phase = phase.within(self._all_tiles([*self.effect_tiles, *more]))
        if (problem := self._unproved(phase, ChainMap(windows, self.windows))) is not None:
            return problem
        self.windows |= windows
        self._probes.join(windows)
        self.filled[arm.arm] = list(windows)
        self.effect_tiles += more
        self._bytes += bytes_of(windows)
        self._join(phase)
        return None

    def _judged(self, cost: Problem | None) -> Problem | None:
        """The problem that something costs much, if the plan must be cheap."""
        self.is_cheap &= cost is None
        return cost if self.tiling.only_if_cheap else None

    def _torn_apart(self, phase: Phase) -> Problem | None:
        """The problem if the workgroups of a cooperative producer are not those of the tiles."""
        name, size = phase.arm.arm.generator.data, self.tiling.workgroup_size
        if phase.arm.arm.workgroup != (size, 1, 1):
            return Problem(
                Reason.COOPERATIVE_PRODUCER,
                f"'{name}' has workgroups of its own, other than the {size} of the tiles",
            )
        per_tile = 1 if self.tiling.space == MemorySpace.PRIVATE else size
        own = self.analysis.symbols.relation(
            f"{{ T[w] -> I[i, 0, 0] : {per_tile} w <= i < {per_tile} w + {per_tile} }}",
        )
        if phase.spread.is_equal(own):
            return None
        return Problem(
            Reason.COOPERATIVE_PRODUCER,
            f"'{name}' depends on its own workgroups, each of which fills other elements than a "
            "tile of its consumers holds",
        )

    def _collision(
        self, phase: Phase, handoff: BufferOp, windows: dict[BufferOp, Interval]
    ) -> Problem | None:
        """The problem if stores meet past the end of a handoff and cannot be guarded."""
        if not collides_outside(phase.arm, handoff, runs_beyond=True):
            return None
        runs_beyond = not self._must_guard(phase, windows)
        if not runs_beyond and not collides_outside(phase.arm, handoff, runs_beyond=False):
            return None
        return unguardable(phase.arm, handoff)

    def _unproved(self, phase: Phase, promoted: Collection[BufferOp]) -> Problem | None:
        """What keeps a producer from running so."""
        if (problem := left_out(self.analysis, phase, promoted)) is not None:
            return problem
        if (problem := self._misplaced(phase, promoted)) is not None:
            return problem
        problem = noticed_when_repeated(phase, promoted)
        if problem is not None and is_repeated(phase, self.analysis.symbols):
            return problem
        return None

    def _misplaced(self, phase: Phase, promoted: Collection[BufferOp]) -> Problem | None:
        """The problem if dependences between `phase` and another cross tiles."""
        position = self.analysis.position
        related = dict[int, Phase]()
        for buffer in phase.arm.buffers():
            if buffer not in promoted:
                related |= {id(other): other for other in self._conflicting(phase, buffer)}
        for other in related.values():
            if other.arm is phase.arm:
                continue
            earlier, later = sorted((phase, other), key=lambda each: position(each.arm.arm))
            if (problem := unordered(self.analysis, earlier, later, promoted)) is not None:
                return problem
        return None

    def _conflicting(self, phase: Phase, buffer: BufferOp) -> Iterator[Phase]:
        """The phases whose accesses to `buffer` may not change places with those of `phase`."""
        manner = _manner(phase.arm.to(buffer))
        for other, phases in self._touching.get(buffer, {}).items():
            if other is None or other != manner:
                yield from phases

    def _join(self, phase: Phase) -> None:
        self.phases[phase.arm.arm] = phase
        if not phase.arm.is_data_parallel:
            self._cooperative.append(phase.arm)
        self._bytes += self._local_bytes_of(phase.arm)
        for buffer in phase.arm.buffers():
            if buffer.type.writable and buffer.type.space == MemorySpace.GLOBAL:
                manners = self._touching.setdefault(buffer, {})
                manners.setdefault(_manner(phase.arm.to(buffer)), []).append(phase)

    def _local_bytes_of(self, arm: ArmAccesses) -> int:
        present = (each for each in arm.buffers() if each.type.space == self.tiling.space)
        return sum(buffer.type.static_bytes or 0 for buffer in present)

    def _filling_share(
        self, arm: ArmAccesses, windows: dict[BufferOp, Interval]
    ) -> Interval | Problem:
        """The producer invocations that write into a tile's windows."""
        handoff, window = next(iter(windows.items()))
        slope = slope_of(arm.writes_to(handoff))
        share = None
        if slope is not None and slope.per_invocation:
            pace = slope.invocations_at(window.pace)
            writers = [
                window.elements.apply_range(arm.reach(arm.writes_to(handoff)).reverse())
                for handoff, window in windows.items()
            ]
            share = self.tiles.fit(_union(writers), pace)
        if share is not None:
            return share
        return scattered_writers(self.analysis, arm, windows)

    def _widened(self, arm: ArmAccesses, handoff: BufferOp, window: Interval) -> Interval:
        """The window grown so that consecutive tiles leave no producer invocation out."""
        begin, step = self._begin(window), window.pace.per_tile
        if begin is None or step <= 0:
            return window
        start = min(begin, self._first_written(arm, handoff) or 0)
        extent = max(begin + window.extent, start + ceil(step)) - start
        base = window.base + self.tiles.constant(start - begin)
        return self.tiles.interval(base, extent, window.pace)

    def _begin(self, window: Interval) -> int | None:
        """Where the window of tile 0 begins, or None when it depends on parameters."""
        if window.pace.per_parameter:
            return None
        at = isl.Set.read_from_str(self.analysis.context, "{ T[0] }")
        image = isl.Map.from_pw_aff(window.base).intersect_domain(at).range()
        return int(image.dim_min_val(0).to_python())

    def _first_written(self, arm: ArmAccesses, handoff: BufferOp) -> int | None:
        reach = arm.reach(arm.writes_to(handoff))
        low = reach.range().project_out_all_params().dim_min_val(0)
        return int(low.to_python()) if low.is_int() else None

    def _tiles_to_run_all(
        self, arm: ArmAccesses, handoff: BufferOp, window: Interval
    ) -> isl.PwAff | None:
        """How many tiles it takes until the producer's last invocation has run, or None."""
        begin, step = self._begin(window), window.pace.per_tile
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
        sinks = (phase for phase in self.phases.values() if not phase.is_producer)
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

    def _finished(self) -> Plan | Problem:
        """The plan, once every producer is proved to run in all of its tiles."""
        tiles = self._all_tiles(self.effect_tiles)
        phases = list[Phase]()
        colliding = set[BufferOp]()
        for arm in sorted(self.phases, key=self.analysis.position):
            phase = self.phases[arm]
            if phase.is_producer:
                phase = replace(
                    phase.within(tiles), is_guarded=self._must_guard(phase, self.windows)
                )
                if self.effect_tiles:
                    if (problem := self._unproved(phase, self.windows)) is not None:
                        return problem
                colliding |= self._colliding(phase)
            elif (problem := self._moved_past(phase)) is not None:
                return problem
            phases.append(phase)
        if self.effect_tiles and (problem := self._outgrown(phases)) is not None:
            return problem
        windows = self._roomy(phases)
        return Plan(
            self.tiling.space,
            self.tiling.workgroup_size,
            phases,
            windows,
            self.filled,
            self.effect_tiles,
            self._overhangs(phases),
            self._probes.joined,
            colliding,
            self.lacks_memory,
            self.is_cheap,
        )

    def _moved_past(self, sink: Phase) -> Problem | None:
        """What a sink must not be moved past, as all arms move to the place of the last."""
        return problem_between(self.analysis, sink.arm.arm, self._last, self.phases)

    def _outgrown(self, phases: list[Phase]) -> Problem | None:
        """The problem if tiles that effects have added read outside of a window."""
        for phase in phases:
            for handoff in self._clamped & self.windows.keys() & set(phase.arm.buffers()):
                reads = phase.arm.touched(phase.arm.reads_of(handoff))
                outside = phase.runs.apply_range(reads).subtract(self.windows[handoff].elements)
                if not self.analysis.symbols.restricted(outside).is_empty():
                    return Problem(
                        Reason.CROSS_WORKGROUP,
                        f"what a tile reads of '@{handoff.sym_name.data}' has no constant extent",
                        consumer=phase.arm.arm,
                    )
        return None

    def _must_guard(self, producer: Phase, promoted: Collection[BufferOp]) -> bool:
        may_run = may_run_beyond(producer.arm, promoted, self._written())
        return not (may_run and self.tiles.is_never_negative(producer.share.base))

    def _written(self) -> set[BufferOp]:
        """What the arms of the plan write to global memory, as far as they have joined."""
        touching = self._touching.items()
        return {buffer for buffer, manners in touching if manners.keys() != {AccessKind.READ}}

    def _colliding(self, producer: Phase) -> set[BufferOp]:
        if self.tiling.space == MemorySpace.PRIVATE:
            return set()
        return {
            handoff
            for handoff in self.filled[producer.arm.arm]
            if collides_outside(producer.arm, handoff, runs_beyond=not producer.is_guarded)
        }

    def _roomy(self, phases: list[Phase]) -> dict[BufferOp, Interval]:
        """The windows grown to hold all that producers write, if that may be: no guards then."""
        roomy = {
            handoff: self._holding_writes(handoff, self.windows[handoff], phase)
            for phase in phases
            for handoff in self.filled.get(phase.arm.arm, ())
        }
        room = bytes_of(roomy) - bytes_of(self.windows)
        if not room:
            return roomy
        if self.options.over_budget(self._bytes + room, self.tiling.space) is not None:
            return self.windows
        limits, consumers = Limits.of(self.options.local_memory), self.tiling.first_share
        for handoffs in self.filled.values():
            handed_on = {handoff: roomy[handoff] for handoff in handoffs}
            if self._judged(limits.too_many_bytes(handed_on, consumers)) is not None:
                return self.windows
        return roomy

    def _holding_writes(self, handoff: BufferOp, window: Interval, producer: Phase) -> Interval:
        arm = producer.arm
        written = producer.spread.apply_range(arm.reach(arm.writes_to(handoff)))
        bounds = self.tiles.residues(written, window.base)
        if bounds is None or _holds(window, bounds):
            return window
        # Rounded, so that reads stay as aligned as they were and zeros are written by words.
        below = -(min(bounds[0], 0) // ROUNDING) * ROUNDING
        extent = -(-max(window.extent, bounds[1] + 1) // ROUNDING) * ROUNDING + below
        most = MOST_ROOM if self.options.steps == 1 else MOST_ROOM_TO_SLIDE
        if extent > most * window.extent:
            return window
        base = window.base - self.tiles.constant(below) if below else window.base
        return self.tiles.interval(base, extent, window.pace)

    def _overhangs(self, phases: list[Phase]) -> set[BufferOp]:
        return {
            access.buffer
            for phase in phases
            for access in phase.arm.accesses
            if access.buffer in self.windows
            and not access.writes
            and not access.stays_inside(self.analysis.symbols)
        }


def _holds(window: Interval, bounds: tuple[int, int]) -> bool:
    """Whether a window holds positions as it is, in whole vectors."""
    return bounds[0] >= 0 and bounds[1] < window.extent and window.extent % VECTOR == 0


def _manner(accesses: list[AccessRelation]) -> Hashable:
    """What phases have in common that touch a buffer in any order; None if order matters."""
    manners = {each.access.combiner if each.writes else AccessKind.READ for each in accesses}
    return manners.pop() if len(manners) == 1 else None


def _union(relations: list[isl.Map]) -> isl.Map:
    total = relations[0]
    for relation in relations[1:]:
        total = total.union(relation)
    return total
