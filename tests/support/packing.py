"""Instances of arena planning with known answers."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.packing import MINIMALLOC
from vyre_dialect.passes.memory.packing.instance import LiveRange
from vyre_dialect.runtime.program.live_range_table import read_live_ranges


def minimalloc(name: str) -> list[LiveRange]:
    """The lives of one of MiniMalloc's instances, by the letter in its file's name."""
    return list(read_live_ranges(MINIMALLOC / f"{name}.1048576.csv").values())


def require_apart(live_ranges: Sequence[LiveRange], offsets: Sequence[int]) -> None:
    """Compare every pair as it stands, without sections."""
    for one, (live_range, offset) in enumerate(zip(live_ranges, offsets, strict=True)):
        assert offset >= 0
        for other, place in zip(live_ranges[:one], offsets, strict=False):
            together = max(live_range.lower, other.lower) < min(live_range.upper, other.upper)
            apart = offset + live_range.size <= place or place + other.size <= offset
            assert apart or not together


def most_alive(live_ranges: list[LiveRange]) -> int:
    """The most bytes alive at once."""
    return max(
        (
            sum(each.size for each in live_ranges if each.lower <= at.lower < each.upper)
            for at in live_ranges
        ),
        default=0,
    )


def smallest_peak(live_ranges: list[LiveRange]) -> int:
    """The smallest arena, by trying every offset of every buffer."""
    shown = [
        live_range
        for live_range in live_ranges
        if live_range.size and live_range.upper > live_range.lower
    ]
    capacity = most_alive(shown)
    while not _fits(shown, [], capacity):
        capacity += 1
    return capacity


def _fits(live_ranges: list[LiveRange], offsets: list[int], capacity: int) -> bool:
    if len(offsets) == len(live_ranges):
        return True
    live_range = live_ranges[len(offsets)]
    return any(
        _fits(live_ranges, [*offsets, offset], capacity)
        for offset in range(capacity - live_range.size + 1)
        if not any(
            max(live_range.lower, other.lower) < min(live_range.upper, other.upper)
            and place < offset + live_range.size
            and offset < place + other.size
            for other, place in zip(live_ranges, offsets, strict=False)
        )
    )
