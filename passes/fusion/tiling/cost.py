"""What `strategy=auto` takes for cheap enough to keep in private values."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from vyre_dialect.ops.program import BufferOp
from vyre_dialect.passes.fusion.tiling.intervals import Interval, Phase
from vyre_dialect.passes.fusion.tiling.refusal import Problem, Reason
from vyre_dialect.types import element_bytes

PRIVATE_BYTES = 64
"""What one arm hands on in private values per invocation at the most."""
PRIVATE_TILE_BYTES = 256
"""What it hands on to all consumer invocations of a tile: 64 registers of 32 bits."""
PRIVATE_COPIES = 4
"""How many producer invocations are repeated per consumer invocation at the most."""
PRIVATE_REDUNDANCY = 2
"""How often an element may be decoded, on average."""
PRIVATE_REPEATED_OPS = 64
"""How many ops of the producer are repeated per consumer invocation at the most."""


def bytes_of(windows: Mapping[BufferOp, Interval]) -> int:
    """How many bytes all windows of a tile take."""
    return sum(
        window.extent * (element_bytes(handoff.type.element_type) or 0)
        for handoff, window in windows.items()
    )


def too_many_bytes(windows: Mapping[BufferOp, Interval], consumers: int) -> Problem | None:
    """The problem if private values of these windows would be too many for so many invocations."""
    held = bytes_of(windows)
    if held <= min(PRIVATE_BYTES * consumers, PRIVATE_TILE_BYTES):
        return None
    return Problem(Reason.OVER_BUDGET, f"private values of {held} bytes are not cheap")


def too_far_apart(step_bytes: Fraction) -> bool:
    """
    Whether there are too many bytes in the private values of any two or more invocations of a
    consumer that read so many bytes apart: those of `n` span more than `step_bytes * (n - 1)`.
    """
    return step_bytes >= 2 * PRIVATE_BYTES


def too_much_repetition(producer: Phase, ops: int, consumers: int) -> Problem | None:
    """
    The problem if many elements, or the `ops` of an arm, would be done more than once for what so
    many invocations of a consumer need.
    """
    copies, needed = producer.share.extent, abs(producer.share.pace.per_tile)
    if copies > PRIVATE_COPIES * consumers:
        return Problem(Reason.OVER_BUDGET, f"{copies} repeated decodings are not cheap")
    redundancy = copies / needed if needed else None
    if redundancy is None or redundancy > PRIVATE_REDUNDANCY:
        return Problem(Reason.OVER_BUDGET, "decoding elements several times is not cheap")
    if (1 - 1 / redundancy) * copies * ops > PRIVATE_REPEATED_OPS * consumers:
        return Problem(Reason.OVER_BUDGET, f"repeating {ops} operations is not cheap")
    return None
