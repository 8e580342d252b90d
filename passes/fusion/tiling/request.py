"""
The request: tiles that the consumers of one handoff may share, and how much of them each runs.

The consumers, the *sinks*, run equal shares of their invocations per tile, which read equally much
of the handoff. How large these are decides the tiles of all that leads to them.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from vyre_dialect.analysis.access_relations import ArmAccesses
from vyre_dialect.ir.types import MemorySpace
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.handoffs import (
    refusal_of,
    refusal_of_arm,
    refusal_of_role,
)
from vyre_dialect.passes.fusion.tiling.intervals import Stage, slope_of
from vyre_dialect.passes.fusion.tiling.legality import uncovered
from vyre_dialect.passes.fusion.tiling.obligations import Question, because
from vyre_dialect.passes.fusion.tiling.options import Home, Options
from vyre_dialect.passes.fusion.tiling.refusal import Reason, Refusal


@dataclass(frozen=True, eq=False)
class Handoff:
    """A buffer that one arm fills and others read, as far as no tiling matters to that."""

    buffer: BufferOp
    producer: ArmAccesses
    consumers: tuple[ArmAccesses, ...]

    @property
    def cooperative_consumers(self) -> list[ArmAccesses]:
        """Those that keep their own workgroups."""
        return [each for each in self.consumers if not each.is_data_parallel]

    def step(self, consumer: ArmAccesses) -> Fraction | Refusal:
        """By how many elements of the handoff the reads of one invocation lie apart."""
        slope = slope_of(consumer.reads_of(self.buffer))
        if slope is not None and slope.per_invocation:
            return slope.per_invocation
        return Refusal(
            Reason.CROSS_WORKGROUP,
            f"the reads of '@{self.buffer.sym_name.data}' do not move along with the invocations",
            consumer=consumer.arm,
        )


@dataclass(frozen=True, eq=False)
class Request:
    """Tiles for the consumers of a handoff, and for all arms that can join them."""

    handoff: BufferOp
    """What the sinks read; its producer must join."""
    options: Options
    home: Home
    """Where tiles live."""
    workgroup_size: int
    sinks: tuple[Stage, ...]
    only_if_cheap: bool = False
    """Whether to refuse what `auto` takes for too dear."""

    @property
    def space(self) -> MemorySpace:
        """The memory space of the tiles."""
        return self.home.space

    @property
    def steps(self) -> int:
        """How many consecutive tiles an invocation may do, if they share what producers do."""
        return self.options.steps if self.home is Home.REGISTERS else 1

    @property
    def consumers(self) -> int:
        """The invocations of the first sink that share a tile."""
        return self.sinks[0].share.extent

    @property
    def has_one_tile(self) -> bool:
        """Whether one tile is for all that the sinks do, so that nothing is done twice."""
        counts = ((stage.arm.arm.domain[0], stage.share.extent) for stage in self.sinks)
        return all(isinstance(count, int) and count <= share for count, share in counts)


def handoff_of(analysis: ProgramAnalysis, buffer: BufferOp) -> Handoff | Refusal:
    """A handoff with the arms that touch it; the refusal of one that no tiling can hold."""
    if (refusal := untileable(analysis, buffer)) is not None:
        return refusal
    known = [analysis.accesses(arm) for arm in analysis.users(buffer).arms]
    producer, *consumers = [each for each in known if isinstance(each, ArmAccesses)]
    return Handoff(buffer, producer, tuple(consumers))


def untileable(analysis: ProgramAnalysis, buffer: BufferOp) -> Refusal | None:
    """The refusal of a handoff that no tiling can hold."""
    return analysis.once(buffer, lambda: _untileable(analysis, buffer))


def _untileable(analysis: ProgramAnalysis, buffer: BufferOp) -> Refusal | None:
    if (refusal := refusal_of(analysis, buffer)) is not None:
        return refusal
    arms = analysis.users(buffer).arms
    for arm in arms:
        refusal = refusal_of_arm(analysis.facts(arm), is_producer=arm is arms[0])
        if refusal is not None:
            return refusal
    known = list[ArmAccesses]()
    for arm in arms:
        accesses = analysis.accesses(arm)
        if isinstance(accesses, Refusal):
            return accesses
        refusal = refusal_of_role(accesses, buffer, is_producer=arm is arms[0])
        if refusal is not None:
            return refusal
        known.append(accesses)
    for consumer in known[1:]:
        if (refusal := uncovered(analysis, buffer, known[0], consumer)) is not None:
            return because(Question.IS_COVERED, refusal)
    return None


def shares_of(
    analysis: ProgramAnalysis, handoff: Handoff, first_share: int
) -> tuple[Stage, ...] | Refusal:
    """The consumers, each with a share that reads what `first_share` of the first one read."""
    sinks = list[Stage]()
    for consumer in handoff.consumers:
        share = matching_share(handoff, handoff.consumers[0], consumer, first_share)
        if isinstance(share, Refusal):
            return share
        sinks.append(analysis.tiles.equal_shares(consumer, share))
    return tuple(sinks)


def matching_share(
    handoff: Handoff, pinned: ArmAccesses, other: ArmAccesses, size: int
) -> int | Refusal:
    """How many invocations of `other` read what `size` invocations of `pinned` read."""
    if pinned is other:
        return size
    step, other_step = handoff.step(pinned), handoff.step(other)
    if isinstance(step, Refusal):
        return step
    if isinstance(other_step, Refusal):
        return other_step
    share = size * step / other_step
    if share.denominator == 1 and share > 0:
        return int(share)
    name, other_name = (f"'{each.arm.generator.data}'" for each in (pinned, other))
    return Refusal(
        Reason.MISMATCHED_TILES,
        _mismatch(size, (name, step), (other_name, other_step)),
        consumer=other.arm,
    )


def share_of_tile(handoff: Handoff, consumer: ArmAccesses, tile: int) -> int | Refusal:
    """How many invocations of `consumer` read a tile of so many elements."""
    step = handoff.step(consumer)
    if isinstance(step, Refusal):
        return step
    share = abs(tile / step)
    if share.denominator == 1 and share:
        return int(share)
    return Refusal(
        Reason.MISMATCHED_TILES,
        f"a tile of {tile} elements is no whole number of invocations, "
        f"each of which reads {step} on average",
        consumer=consumer.arm,
    )


def share_of_workgroup(handoff: Handoff) -> int | Refusal:
    """How many invocations of the first consumer read what a cooperative producer's group fills."""
    producer, consumer = handoff.producer, handoff.consumers[0]
    step = handoff.step(consumer)
    if isinstance(step, Refusal):
        return step
    written = slope_of(producer.writes_to(handoff.buffer))
    size = producer.arm.workgroup[0]
    moved = Fraction(0) if written is None else size * written.per_invocation
    share = moved / step
    if share.denominator == 1 and share > 0:
        return int(share)
    return Refusal(
        Reason.COOPERATIVE_PRODUCER,
        f"workgroups of '{producer.arm.generator.data}' move on by {moved} elements, "
        f"invocations of '{consumer.arm.generator.data}' by {step}: no whole number "
        "of these reads what a workgroup writes",
        consumer=consumer.arm,
    )


def _mismatch(size: int, pinned: tuple[str, Fraction], other: tuple[str, Fraction]) -> str:
    """Why no number of invocations reads what `size` of another arm do; arms by name and step."""
    (name, step), (other_name, other_step) = pinned, other
    if step * other_step < 0:
        forwards, backwards = (name, other_name) if step > 0 else (other_name, name)
        return f"{forwards} reads the handoff forwards and {backwards} backwards"
    share, count = size * step / other_step, "1 invocation" if size == 1 else f"{size} invocations"
    return (
        f"tiles of {count} of {name} cover {share} invocations of {other_name}, which is no whole "
        "number"
    )
