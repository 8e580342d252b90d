"""What `strategy=auto` takes for cheap enough: to decode more than once, and to keep in values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from vyre_dialect.analysis.access_relations import ArmAccesses
from vyre_dialect.ir.types import MemorySpace, element_bytes
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.passes.fusion.tiling.intervals import Interval, Stage, slope_of
from vyre_dialect.passes.fusion.tiling.options import LocalMemory
from vyre_dialect.passes.fusion.tiling.refusal import Reason, Refusal

MOST_REDUNDANCY = 2
"""How often an element may be decoded, on average, wherever tiles live."""


def bytes_of(footprints: Mapping[BufferOp, Interval]) -> int:
    """How many bytes all footprints of a tile take."""
    return sum(
        footprint.extent * (element_bytes(handoff.type.element_type) or 0)
        for handoff, footprint in footprints.items()
    )


def too_little_spared(handoff: BufferOp, consumers: Sequence[ArmAccesses]) -> Refusal | None:
    """
    The refusal if every consumer reads more of another buffer than of `handoff`: that it takes
    a probe, a launch more, is too much then. It was measured to cost 3 to 5 % where the handoff is
    a prefix sum by which text is moved.
    """
    if any(_is_mostly_read(handoff, arm) for arm in consumers):
        return None
    name = consumers[0].arm.generator.data
    return Refusal(
        Reason.UNPROFITABLE,
        f"the host reads elements of it, and '{name}' reads more of another buffer; ask for "
        "strategy=private",
        consumer=consumers[0].arm,
    )


def _is_mostly_read(buffer: BufferOp, arm: ArmAccesses) -> bool:
    """Whether an invocation reads as many bytes of `buffer` as of any other that is not its own."""
    others = [each for each in arm.buffers() if each.type.space == MemorySpace.GLOBAL]
    read = _bytes_per_invocation(arm, buffer)
    return all(read >= _bytes_per_invocation(arm, other) for other in others)


def _bytes_per_invocation(arm: ArmAccesses, buffer: BufferOp) -> Fraction:
    """By how many bytes the reads of an invocation lie apart from those of the one before."""
    slope = slope_of(arm.reads_of(buffer))
    size = element_bytes(buffer.type.element_type) or 0
    return Fraction(0) if slope is None else abs(slope.per_invocation) * size


def too_much_overlap(handoff: BufferOp, footprint: Interval) -> Refusal | None:
    """
    The refusal if tiles have more in common with others than not: each decodes for itself what it
    has, and smaller tiles have only more in common.
    """
    name, moved = handoff.sym_name.data, abs(footprint.pace.per_tile)
    if not moved:
        return Refusal(Reason.UNPROFITABLE, f"every tile has the same elements of '@{name}'")
    if (tiles := footprint.extent / moved) <= MOST_REDUNDANCY:
        return None
    what = f"each element of '@{name}' is in {_rounded_up(tiles)} tiles on average"
    return _dear(what, MOST_REDUNDANCY)


def too_much_redundancy(producer: Stage, steps: int = 1) -> Refusal | None:
    """The refusal if elements are decoded too often, where an invocation does so many tiles."""
    name, needed = producer.arm.arm.generator.data, abs(producer.share.pace.per_tile)
    if not needed:
        what = f"every tile runs the same invocations of '{name}'"
        return Refusal(Reason.UNPROFITABLE, what)
    if (redundancy := _copies(producer.share, steps) / needed) <= MOST_REDUNDANCY:
        return None
    what = f"'{name}' decodes each element {_rounded_up(redundancy)} times on average"
    return _dear(what, MOST_REDUNDANCY)


@dataclass(frozen=True)
class Limits:
    """What private values may cost at the most."""

    consumer_bytes: int
    """What one arm hands on per consumer invocation."""
    tile_bytes: int
    """What it hands on to all consumer invocations of a tile."""
    copies: int = 4
    """How many producer invocations run per consumer invocation."""
    repeated_ops: int = 64
    """How many ops of the producer are repeated per consumer invocation."""

    @staticmethod
    def of(memory: LocalMemory) -> Limits:
        """Those of a device with such workgroup memory."""
        return _OF_MANY_INVOCATIONS if memory == "dedicated" else _OF_ONE_CORE

    def too_many_bytes(
        self, footprints: Mapping[BufferOp, Interval], consumers: int
    ) -> Refusal | None:
        """The refusal if values of these footprints would be too many for so many invocations."""
        held, limit = bytes_of(footprints), min(self.consumer_bytes * consumers, self.tile_bytes)
        if held <= limit:
            return None
        return _dear(f"an arm hands {held} bytes on to {_invocations(consumers)}", limit)

    def are_too_far_apart(self, step_bytes: Fraction) -> bool:
        """
        Whether there are too many bytes in the private values of any two or more invocations of a
        consumer that read so many bytes apart: those of `n` span more than `step_bytes * (n - 1)`.
        """
        return step_bytes >= 2 * self.consumer_bytes

    def too_much_repetition(
        self, producer: Stage, ops: int, consumers: int, steps: int
    ) -> Refusal | None:
        """
        The refusal if many elements, or the `ops` of an arm, would be done more than once for what
        so many invocations of a consumer need, in each of `steps` tiles.
        """
        name, readers = producer.arm.arm.generator.data, _invocations(consumers)
        copies = _copies(producer.share, steps)
        if copies > (limit := self.copies * consumers):
            what = f"{_rounded_up(copies)} invocations of '{name}' run for {readers}"
            return _dear(what, limit)
        if (refusal := too_much_redundancy(producer, steps)) is not None:
            return refusal
        repeated = (copies - abs(producer.share.pace.per_tile)) * ops
        if repeated > (limit := self.repeated_ops * consumers):
            what = f"{_rounded_up(repeated)} operations of '{name}' are repeated for {readers}"
            return _dear(what, limit)
        return None


_OF_MANY_INVOCATIONS = Limits(consumer_bytes=64, tile_bytes=256)
"""64 registers of 32 bits: many invocations share a register file."""
_OF_ONE_CORE = Limits(consumer_bytes=256, tile_bytes=1024, copies=64)
"""
16 registers of 64 bytes: a core does one invocation at a time, in vectors, and its neighbours need
not read what lies next to it.
"""


def _copies(share: Interval, steps: int) -> Fraction:
    """The invocations per tile: what tiles share is done once in `steps` where it slides."""
    step = share.pace.per_tile
    if step.denominator > 1 or not 0 < step < share.extent:
        return Fraction(share.extent)
    return step + (share.extent - step) / steps


def _dear(what: str, limit: int) -> Refusal:
    return Refusal(Reason.UNPROFITABLE, f"{what}, the limit is {limit}")


def _invocations(count: int) -> str:
    return "an invocation" if count == 1 else f"{count} invocations"


def _rounded_up(number: Fraction) -> str:
    """The number with a decimal at the most, and never below it: it is compared with a limit."""
    tenths = ceil(number * 10)
    return str(tenths // 10) if tenths % 10 == 0 else f"{tenths / 10:.1f}"
