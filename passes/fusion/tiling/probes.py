"""
What the host reads of a handoff, done by probes, so that the handoff can be in tiles.

    host load  ->  probe: the invocations of the producer that write there, into a slice  |  load

A decoder of base64 looks at the last two characters of its source, to size what it decodes to. If
another decoder fills the source, a probe runs the one or two of its invocations that write these
characters, in front of the load. It leaves out all else that they do, and so may repeat what any
invocation does. What it reads of a handoff in tiles is done by another probe in front of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import islpy as isl
from xdsl.ir import Operation

from vyre_dialect.analysis.access_relations import AccessRelation, ArmAccesses
from vyre_dialect.ir.interfaces import AccessKind, HasAccessesInterface
from vyre_dialect.ops.memory import LoadOp
from vyre_dialect.ops.program import BufferOp, RegionOp
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.cost import too_little_spared
from vyre_dialect.passes.fusion.tiling.intervals import (
    Interval,
    Pace,
    Stage,
    TileSpace,
    slope_of,
)
from vyre_dialect.passes.fusion.tiling.legality import visible
from vyre_dialect.passes.fusion.tiling.refusal import Reason, Refusal

MOST_APART = 64
"""Elements that loads of the host may span to share a probe."""


@dataclass(frozen=True, eq=False)
class Reading:
    """Elements of a handoff that are read at one place of the program, before tiles hold them."""

    footprint: Interval
    """The elements, and maybe some around, of the one tile that there is."""
    loads: tuple[LoadOp, ...]
    """The loads of the host; none where a probe reads."""
    probe: Stage | None
    """The invocations of an arm that read, for the host in turn."""
    before: Operation
    """The load or the probe that comes first."""


@dataclass(frozen=True, eq=False)
class Probe:
    """The invocations of a producer that write what a reading needs, run once more for it."""

    handoff: BufferOp
    reading: Reading
    stage: Stage

    @property
    def inputs(self) -> list[BufferOp]:
        """The buffers of others that it reads; what only updates and overwrites is left out."""
        arm = self.stage.arm
        read = {access.buffer for access in arm.accesses if access.kind == AccessKind.READ}
        return [buffer for buffer in visible(arm, []) if buffer in read]


def probes_for(
    analysis: ProgramAnalysis, handoff: BufferOp, planned: Sequence[Probe], *, only_if_cheap: bool
) -> tuple[Probe, ...] | Refusal:
    """
    What it takes for `handoff` to be in tiles beside `planned` probes: probes for all that the host
    reads of it, none where only arms do. The refusal if there are none, or not worth it.
    """
    users = analysis.users(handoff)
    readers = [probe for probe in planned if handoff in probe.inputs]
    if not (users.host_loads or users.probes or readers):
        return ()
    producer = analysis.accesses(users.arms[0])
    assert isinstance(producer, ArmAccesses)
    finder = _Finder(analysis, handoff, producer)
    found = analysis.ask(lambda: finder.find(readers))
    if isinstance(found, Refusal):
        return found
    refusal = _too_dear(analysis, handoff) if found and only_if_cheap else None
    return refusal or tuple(found)


def _too_dear(analysis: ProgramAnalysis, handoff: BufferOp) -> Refusal | None:
    consumers = [analysis.accesses(arm) for arm in analysis.users(handoff).arms[1:]]
    known = [each for each in consumers if isinstance(each, ArmAccesses)]
    return too_little_spared(handoff, known)


def overwritten_before(
    analysis: ProgramAnalysis,
    probes: Collection[Probe],
    arms: Iterable[RegionOp],
    promoted: Collection[BufferOp],
) -> Refusal | None:
    """
    The refusal if, with `promoted` in tiles, one of `arms`, all of which move to behind the probes,
    writes what these read.
    """
    if not probes:
        return None
    writers = {
        buffer: arm
        for arm in arms
        for buffer, kinds in analysis.touches(arm).items()
        if AccessKind.WRITE in kinds and buffer not in promoted
    }
    for probe in probes:
        written = next((buffer for buffer in probe.inputs if buffer in writers), None)
        if written is not None:
            return _overwritten(probe.stage.arm.arm, writers[written], probe.reading)
    return None


def left_out(producer: ArmAccesses, handoff: BufferOp) -> dict[HasAccessesInterface, None]:
    """The ops of `producer` that change buffers which others see, apart from `handoff`."""
    others = visible(producer, [handoff])
    changes = (each for each in producer.accesses if each.writes and each.buffer in others)
    return dict.fromkeys(access.op for access in changes)


def _refused(why: str, cause: Operation) -> Refusal:
    return Refusal(Reason.HOST_READ, f"the host reads elements of it, and {why}", cause=cause)


def _overwritten(producer: RegionOp, other: Operation, reading: Reading) -> Refusal:
    name = other.generator.data if isinstance(other, RegionOp) else other.name
    return _refused(f"'{name}' writes what '{producer.generator.data}' reads", reading.before)


@dataclass(frozen=True, eq=False)
class _Finder:
    """Finds the probes of one handoff."""

    analysis: ProgramAnalysis
    handoff: BufferOp
    producer: ArmAccesses

    @property
    def tiles(self) -> TileSpace:
        return self.analysis.tiles

    @property
    def name(self) -> str:
        return f"'{self.producer.arm.generator.data}'"

    @property
    def writes(self) -> list[AccessRelation]:
        return self.producer.writes_to(self.handoff)

    def find(self, planned: Iterable[Probe]) -> list[Probe] | Refusal:
        """The probes for loads of the host, for probes of other arms, and for `planned` ones."""
        probes = list[Probe]()
        for reading in self._readings(planned):
            probe = reading if isinstance(reading, Refusal) else self._probe(reading)
            if isinstance(probe, Refusal):
                return probe
            probes.append(probe)
        return probes

    def _readings(self, planned: Iterable[Probe]) -> Iterator[Reading | Refusal]:
        users = self.analysis.users(self.handoff)
        loads = users.host_loads
        while loads:
            reading = self._of_host(loads)
            yield reading
            if isinstance(reading, Refusal):
                return
            loads = [load for load in loads if load not in reading.loads]
        for arm in users.probes:
            yield self._of_arm(arm)
        for probe in planned:
            yield self._of_probe(probe.stage, probe.reading.before)

    def _of_host(self, loads: list[LoadOp]) -> Reading | Refusal:
        """The first of the loads, with those that read a constant number of elements away."""
        first, *others = loads
        read = self._read_by(first)
        if read is None:
            return _refused("which they are depends on the arms", first)
        name = self.producer.values.parameter_of(first.index)
        assert name is not None
        pace, together = Pace(Fraction(0), ((name, Fraction(1)),)), [first]
        for load in others:
            more = self._read_by(load)
            both = None if more is None else read.union(more)
            footprint = None if both is None else self.tiles.fit(both, pace)
            if both is not None and footprint is not None and footprint.extent <= MOST_APART:
                read, together = both, [*together, load]
        return self._reading(read, pace, tuple(together), None, first)

    def _read_by(self, load: LoadOp) -> isl.Map | None:
        """What the host loads, as a relation from tiles, or None where it may load anything."""
        index = self.producer.values.of(load.index)
        if index is None or load.parent is not self.analysis.program.body.block:
            return None
        first = self.tiles.parameters_only(index)
        return self.tiles.interval(first, load.elements, Pace(Fraction(0))).elements

    def _of_arm(self, arm: RegionOp) -> Reading | Refusal:
        """What a probe reads that stands in the program already."""
        accesses, (count, *more) = self.analysis.accesses(arm), arm.domain
        if isinstance(accesses, Refusal):
            return accesses
        if more or not isinstance(count, int):
            return _refused(f"'{arm.generator.data}' has no constant number of invocations", arm)
        every = self.tiles.interval(self.tiles.constant(0), count, Pace(Fraction(0)))
        return self._of_probe(Stage(accesses, every), arm)

    def _of_probe(self, probe: Stage, before: Operation) -> Reading | Refusal:
        reads = probe.arm.reads_of(self.handoff)
        slope = slope_of(reads)
        if slope is None or any(read.reach is None or not read.can_redirect for read in reads):
            return self._too_many(before)
        read = probe.runs.apply_range(probe.arm.touched(reads))
        return self._reading(read, slope.elements_at(probe.share.pace), (), probe, before)

    def _reading(
        self,
        read: isl.Map,
        pace: Pace,
        loads: tuple[LoadOp, ...],
        probe: Stage | None,
        before: Operation,
    ) -> Reading | Refusal:
        """A reading of the elements `read`, all of which the producer must write."""
        footprint = self.tiles.fit(read, pace)
        if footprint is None:
            return self._too_many(before)
        inside = read.range().intersect(self.writes[0].elements)
        written = self.producer.surely_written(self.handoff).range()
        if not self.analysis.symbols.is_within(inside, written):
            return _refused(f"{self.name} may not write all of them", before)
        return Reading(footprint, loads, probe, before)

    def _probe(self, reading: Reading) -> Probe | Refusal:
        if (why := self._unfit(reading)) is not None:
            return _refused(why, reading.before)
        slope, footprint = slope_of(self.writes), reading.footprint
        if slope is None or not slope.per_invocation:
            return self._too_many(reading.before)
        writers = footprint.elements.apply_range(self.producer.reach(self.writes).reverse())
        share = self.tiles.fit(writers, slope.invocations_at(footprint.pace))
        if share is None:
            return self._too_many(reading.before)
        probe = Probe(self.handoff, reading, Stage(self.producer, share, is_producer=True))
        return self._changed_between(probe) or probe

    def _unfit(self, reading: Reading) -> str | None:
        """Why the producer cannot run for some elements alone."""
        if not self.producer.is_data_parallel:
            return f"{self.name} depends on its own workgroups"
        if self.analysis.position(reading.before) < self.analysis.position(self.producer.arm):
            return f"{self.name} has not written them yet"
        own = {write.op for write in self.writes}
        for op in left_out(self.producer, self.handoff):
            if op in own or any(result.first_use is not None for result in op.results):
                return f"{self.name} cannot leave out '{op.name}'"
        return None

    def _changed_between(self, probe: Probe) -> Refusal | None:
        """The refusal if what the producer has read is another when the probe runs."""
        position = self.analysis.position
        begin, end = position(self.producer.arm), position(probe.reading.before)
        for buffer in probe.inputs:
            users = self.analysis.users(buffer)
            writers = [
                arm for arm in users.arms if AccessKind.WRITE in self.analysis.touches(arm)[buffer]
            ]
            for user in (*writers, *users.others):
                if begin <= position(user) < end:
                    return _overwritten(self.producer.arm, user, probe.reading)
        return None

    def _too_many(self, cause: Operation) -> Refusal:
        return _refused(f"no constant number of invocations of {self.name} writes them", cause)
