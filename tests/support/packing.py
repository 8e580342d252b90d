"""Instances of arena planning with known answers."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.packing import MINIMALLOC
from vyre_dialect.passes.memory.packing.instance import Life
from vyre_dialect.runtime.program.life_table import read_lives


def minimalloc(name: str) -> list[Life]:
    """The lives of one of MiniMalloc's instances, by the letter in its file's name."""
    return list(read_lives(MINIMALLOC / f"{name}.1048576.csv").values())


def require_apart(lives: Sequence[Life], offsets: Sequence[int]) -> None:
    """Compare every pair as it stands, without sections."""
    for one, (life, offset) in enumerate(zip(lives, offsets, strict=True)):
        assert offset >= 0
        for other, place in zip(lives[:one], offsets, strict=False):
            together = max(life.lower, other.lower) < min(life.upper, other.upper)
            apart = offset + life.size <= place or place + other.size <= offset
            assert apart or not together


def most_alive(lives: list[Life]) -> int:
    """The most bytes alive at once."""
    return max(
        (sum(each.size for each in lives if each.lower <= at.lower < each.upper) for at in lives),
        default=0,
    )


def smallest_peak(lives: list[Life]) -> int:
    """The smallest arena, by trying every offset of every buffer."""
    shown = [life for life in lives if life.size and life.upper > life.lower]
    capacity = most_alive(shown)
    while not _fits(shown, [], capacity):
        capacity += 1
    return capacity


def _fits(lives: list[Life], offsets: list[int], capacity: int) -> bool:
    if len(offsets) == len(lives):
        return True
    life = lives[len(offsets)]
    return any(
        _fits(lives, [*offsets, offset], capacity)
        for offset in range(capacity - life.size + 1)
        if not any(
            max(life.lower, other.lower) < min(life.upper, other.upper)
            and place < offset + life.size
            and offset < place + other.size
            for other, place in zip(lives, offsets, strict=False)
        )
    )
