"""Instances of arena planning with known answers."""

from __future__ import annotations

import csv
from pathlib import Path
from random import Random

from vyre_dialect.passes.memory.packing.instance import Life

MINIMALLOC = Path(__file__).parents[1] / "data" / "minimalloc"


def minimalloc(name: str) -> list[Life]:
    """The lives of one of MiniMalloc's instances, by the letter in its file's name."""
    with (MINIMALLOC / f"{name}.1048576.csv").open() as file:
        return [
            Life(int(row["lower"]), int(row["upper"]), int(row["size"]))
            for row in csv.DictReader(file)
        ]


def planted(count: int, seed: int, side: int = 1000) -> list[Life]:
    """A rectangle of `side` times and bytes, cut into `count` lives that fill it."""
    random = Random(seed)
    pieces = [(0, side, 0, side)]
    while len(pieces) < count:
        piece = random.choice(pieces)
        lower, upper, bottom, top = piece
        if random.random() < 0.5 and upper - lower > 1:
            cut = random.randrange(lower + 1, upper)
            parts = [(lower, cut, bottom, top), (cut, upper, bottom, top)]
        elif top - bottom > 1:
            cut = random.randrange(bottom + 1, top)
            parts = [(lower, upper, bottom, cut), (lower, upper, cut, top)]
        else:
            continue
        pieces.remove(piece)
        pieces += parts
    random.shuffle(pieces)
    return [Life(lower, upper, top - bottom) for lower, upper, bottom, top in pieces]


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
