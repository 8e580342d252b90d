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

from xdsl.ir import Operation

from vyre_dialect.analysis.access_relations import AccessRelation, ArmAccesses
from vyre_dialect.analysis.isl import isl
from vyre_dialect.ir.interfaces import AccessKind, HasAccessesInterface
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.memory import LoadOp
from vyre_dialect.ops.program import RegionOp
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
    source = _Source(analysis, handoff, producer)
    found = analysis.ask(lambda: _probes_of(source, readers))
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
class _Source:
    """A handoff, and the arm of which probes run a few invocations."""

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

    def too_many(self, cause: Operation) -> Refusal:
        """The refusal where no constant number of invocations writes what `cause` reads."""
        return _refused(f"no constant number of invocations of {self.name} writes them", cause)


def _probes_of(source: _Source, planned: Iterable[Probe]) -> list[Probe] | Refusal:
    """The probes for loads of the host, for probes of other arms, and for `planned` ones."""
    probes = list[Probe]()
    for reading in _readings(source, planned):
        probe = reading if isinstance(reading, Refusal) else _probe(source, reading)
        if isinstance(probe, Refusal):
            return probe
        probes.append(probe)
    return probes


def _readings(source: _Source, planned: Iterable[Probe]) -> Iterator[Reading | Refusal]:
    users = source.analysis.users(source.handoff)
    loads = users.host_loads
    while loads:
        reading = _of_host(source, loads)
        yield reading
        if isinstance(reading, Refusal):
            return
        loads = [load for load in loads if load not in reading.loads]
    for arm in users.probes:
        yield _of_arm(source, arm)
    for probe in planned:
        yield _of_probe(source, probe.stage, probe.reading.before)


def _of_host(source: _Source, loads: Sequence[LoadOp]) -> Reading | Refusal:
    """The first of the loads, with those that read a constant number of elements away."""
    first, *others = loads
    read = _read_by(source, first)
    if read is None:
        return _refused("which they are depends on the arms", first)
    name = source.producer.values.parameter_of(first.index)
    assert name is not None
    pace, together = Pace(Fraction(0), ((name, Fraction(1)),)), [first]
    for load in others:
        more = _read_by(source, load)
        both = None if more is None else read.union(more)
        footprint = None if both is None else source.tiles.fit(both, pace)
        if both is not None and footprint is not None and footprint.extent <= MOST_APART:
            read, together = both, [*together, load]
    return _reading(source, read, pace, tuple(together), None, first)


def _read_by(source: _Source, load: LoadOp) -> isl.Map | None:
    """What the host loads, as a relation from tiles, or None where it may load anything."""
    index = source.producer.values.of(load.index)
    if index is None or load.parent is not source.analysis.program.body.block:
        return None
    first = source.tiles.parameters_only(index)
    return source.tiles.interval(first, load.elements, Pace(Fraction(0))).elements


def _of_arm(source: _Source, arm: RegionOp) -> Reading | Refusal:
    """What a probe reads that stands in the program already."""
    accesses, (count, *more) = source.analysis.accesses(arm), arm.domain
    if isinstance(accesses, Refusal):
        return accesses
    if more or not isinstance(count, int):
        return _refused(f"'{arm.generator.data}' has no constant number of invocations", arm)
    every = source.tiles.interval(source.tiles.constant(0), count, Pace(Fraction(0)))
    return _of_probe(source, Stage(accesses, every), arm)


def _of_probe(source: _Source, probe: Stage, before: Operation) -> Reading | Refusal:
    reads = probe.arm.reads_of(source.handoff)
    slope = slope_of(reads)
    if slope is None or any(read.reach is None or not read.can_redirect for read in reads):
        return source.too_many(before)
    read = probe.runs.apply_range(probe.arm.touched(reads))
    return _reading(source, read, slope.elements_at(probe.share.pace), (), probe, before)


def _reading(
    source: _Source,
    read: isl.Map,
    pace: Pace,
    loads: tuple[LoadOp, ...],
    probe: Stage | None,
    before: Operation,
) -> Reading | Refusal:
    """A reading of the elements `read`, all of which the producer must write."""
    footprint = source.tiles.fit(read, pace)
    if footprint is None:
        return source.too_many(before)
    inside = read.range().intersect(source.writes[0].elements)
    written = source.producer.surely_written(source.handoff).range()
    if not source.analysis.symbols.is_within(inside, written):
        return _refused(f"{source.name} may not write all of them", before)
    return Reading(footprint, loads, probe, before)


def _probe(source: _Source, reading: Reading) -> Probe | Refusal:
    if (why := _unfit(source, reading)) is not None:
        return _refused(why, reading.before)
    slope, footprint = slope_of(source.writes), reading.footprint
    if slope is None or not slope.per_invocation:
        return source.too_many(reading.before)
    writers = footprint.elements.apply_range(source.producer.reach(source.writes).reverse())
    share = source.tiles.fit(writers, slope.invocations_at(footprint.pace))
    if share is None:
        return source.too_many(reading.before)
    probe = Probe(source.handoff, reading, Stage(source.producer, share, is_producer=True))
    return _changed_between(source, probe) or probe


def _unfit(source: _Source, reading: Reading) -> str | None:
    """Why the producer cannot run for some elements alone."""
    if not source.producer.is_data_parallel:
        return f"{source.name} depends on its own workgroups"
    if source.analysis.position(reading.before) < source.analysis.position(source.producer.arm):
        return f"{source.name} has not written them yet"
    own = {write.op for write in source.writes}
    for op in left_out(source.producer, source.handoff):
        if op in own or any(result.first_use is not None for result in op.results):
            return f"{source.name} cannot leave out '{op.name}'"
    return None


def _changed_between(source: _Source, probe: Probe) -> Refusal | None:
    """The refusal if what the producer has read is another when the probe runs."""
    position = source.analysis.position
    begin, end = position(source.producer.arm), position(probe.reading.before)
    for buffer in probe.inputs:
        users = source.analysis.users(buffer)
        writers = [
            arm for arm in users.arms if AccessKind.WRITE in source.analysis.touches(arm)[buffer]
        ]
        for user in (*writers, *users.others):
            if begin <= position(user) < end:
                return _overwritten(source.producer.arm, user, probe.reading)
    return None
