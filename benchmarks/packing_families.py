"""
Families of arena planning instances, drawn from a seed: lives like those of networks, and tight.

Those cut from a rectangle fill it. Those with lives of networks are packed by first fit into half
of what all would need, without those that do not fit, and grow until they touch: so `capacity`, in
which they lie, is about the least.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from vyre_dialect.passes.memory.packing.instance import LiveRange

Span: TypeAlias = tuple[int, int]
"""The times `[lower, upper)`."""
Piece: TypeAlias = tuple[int, int, int, int]
"""Times `[lower, upper)` and units of size `[bottom, top)`."""
GRAIN = 1024
"""Sizes are multiples of it, in bytes."""
DEVELOPED_ON, HELD_BACK = range(100, 104), range(900, 905)
"""Seeds by which the planner was developed, and those by which nothing was chosen."""


@dataclass(frozen=True)
class Planted:
    """Lives that fit `capacity` bytes."""

    live_ranges: Sequence[LiveRange]
    capacity: int


def nested(random: Random, count: int) -> list[Span]:
    """A U-net: what the way down makes is alive until the way up, with scratch beside each."""
    depth, spans = count // 3, list[Span]()
    for level in range(depth):
        at, mirrored = 2 * level, 4 * depth - 2 * level
        spans.append((at, mirrored + 1))
        spans.append((at, at + random.randint(1, 3)))
        spans.append((mirrored - 1, mirrored + random.randint(1, 3)))
    return spans


def staircase(random: Random, count: int) -> list[Span]:
    """A chain with residuals: each is alive for some steps, and some over a whole block."""
    spans, at = list[Span](), 0
    while len(spans) < count:
        block = random.randint(3, 9)
        spans.append((at, at + block + 1))
        spans += [(at + step, at + step + random.randint(2, 4)) for step in range(block)]
        at += block
    return spans[:count]


def fan_out(random: Random, count: int) -> list[Span]:
    """Blocks of branches: all read one source, and what they make is joined at the end."""
    spans, at = list[Span](), 0
    while len(spans) < count:
        branches, length = random.randint(2, 6), random.randint(2, 5)
        end = at + branches * length
        spans.append((at, end))
        for branch in range(branches):
            begin = at + branch * length
            spans += [(begin + step, begin + step + 2) for step in range(length - 1)]
            spans.append((begin + length - 1, end + 1))
        at = end
    return spans[:count]


def hotspots(random: Random, count: int) -> list[Span]:
    """Lives of any length, many of them at a few crowded times."""
    crowded = [random.uniform(0, count) for _ in range(4)]
    spans = list[Span]()
    for _ in range(count):
        middle = random.choice(crowded) if random.random() < 0.4 else random.uniform(0, count)
        middle += random.gauss(0, count / 30)
        length = min(random.expovariate(1 / (count / 12)) + 1, count)
        spans.append((int(middle), int(middle + length) + 1))
    return spans


def weights(random: Random, count: int) -> list[Span]:
    """Few steps: some buffers are alive throughout, most for a few steps, twice buffered."""
    steps = count // 3
    spans = [(0, steps) for _ in range(count // 12)]
    while len(spans) < count:
        at = random.randrange(steps)
        length = random.choice((1, 2, 2, 3, 5, 8, 13, 21, 34))
        spans += [(at, min(at + length, steps)), (min(at + length, steps), steps)][
            : 1 + (at % 7 == 0)
        ]
    return [(lower, upper) for lower, upper in spans[:count] if lower < upper]


SHAPES: dict[str, Callable[[Random, int], list[Span]]] = {
    shape.__name__: shape for shape in (nested, staircase, fan_out, hotspots, weights)
}


def grown(shape: str, count: int, seed: int) -> Planted:
    """About `count` lives of a shape: of twice as many, what fits half of what they need."""
    random = Random(f"{shape} {count} {seed}")
    spans = SHAPES[shape](random, 2 * count)
    sizes = [random.randint(30, 110) for _ in spans]
    capacity = _most_alive(spans, sizes) // 2
    placed = list[Piece]()
    for span, size in zip(spans, sizes, strict=True):
        bottom = _lowest(_meeting(placed, span), size)
        if bottom + size <= capacity and len(placed) < count:
            placed.append((*span, bottom, bottom + size))
    for place in random.sample(range(len(placed)), len(placed)):
        placed[place] = _enlarged(placed[place], placed, capacity)
    live_ranges = [
        LiveRange(lower, upper, (top - bottom) * GRAIN) for lower, upper, bottom, top in placed
    ]
    return Planted(live_ranges, capacity * GRAIN)


def _most_alive(spans: Sequence[Span], sizes: Sequence[int]) -> int:
    """What is alive at once at most."""
    each = list(zip(spans, sizes, strict=True))
    return max(sum(size for span, size in each if span[0] <= at < span[1]) for at, _ in spans)


def _meeting(pieces: Sequence[Piece], span: Span) -> list[Piece]:
    return [piece for piece in pieces if piece[0] < span[1] and span[0] < piece[1]]


def _lowest(pieces: Sequence[Piece], size: int) -> int:
    """The lowest gap of a size among pieces."""
    at = 0
    for _, _, bottom, top in sorted(pieces, key=lambda piece: piece[2]):
        if bottom - at >= size:
            break
        at = max(at, top)
    return at


def _enlarged(piece: Piece, pieces: Sequence[Piece], capacity: int) -> Piece:
    """A piece from what lies below it to what lies above."""
    lower, upper, bottom, top = piece
    meeting = _meeting(pieces, (lower, upper))
    above = [other[2] for other in meeting if other[2] >= top]
    below = [other[3] for other in meeting if other[3] <= bottom]
    return (lower, upper, max([*below, 0]), min([*above, capacity]))


def cut(count: int, seed: int, times: int, units: int, pinwheels: float = 0.0) -> Planted:
    """
    A rectangle of so many times and units of size, cut into about `count` lives that fill it. Of
    the cuts, a share are pinwheels: five pieces of which no two make a rectangle.
    """
    random = Random(f"cut {count} {seed} {times} {units}")
    pieces = [(0, times, 0, units)]
    while len(pieces) < count:
        # Of a few, the largest, so that none is left out.
        some = random.sample(pieces, min(len(pieces), 3))
        piece = max(some, key=lambda each: (each[1] - each[0]) * (each[3] - each[2]))
        parts = _parts(random, piece, pinwheels)
        if parts is not None:
            pieces.remove(piece)
            pieces += parts
    random.shuffle(pieces)
    live_ranges = [
        LiveRange(lower, upper, (top - bottom) * GRAIN) for lower, upper, bottom, top in pieces
    ]
    return Planted(live_ranges, units * GRAIN)


def _parts(random: Random, piece: Piece, pinwheels: float) -> list[Piece] | None:
    """A piece cut once along either side, or around a middle in a pinwheel."""
    lower, upper, bottom, top = piece
    kind = random.random()
    if kind < pinwheels and upper - lower > 2 and top - bottom > 2:
        left, right = sorted(random.sample(range(lower + 1, upper), 2))
        under, over = sorted(random.sample(range(bottom + 1, top), 2))
        return [
            (lower, right, bottom, under),
            (right, upper, bottom, over),
            (left, upper, over, top),
            (lower, left, under, top),
            (left, right, under, over),
        ]
    if kind < 0.5 + pinwheels / 2 and upper - lower > 1:
        at = random.randrange(lower + 1, upper)
        return [(lower, at, bottom, top), (at, upper, bottom, top)]
    if top - bottom > 1:
        at = random.randrange(bottom + 1, top)
        return [(lower, upper, bottom, at), (lower, upper, at, top)]
    return None


def family(name: str, count: int, seed: int) -> Planted:
    """An instance of a family, by its name."""
    if name in SHAPES:
        return grown(name, count, seed)
    return CUT[name](count, seed)


CUT: dict[str, Callable[[int, int], Planted]] = {
    "cut_fine": lambda count, seed: cut(count, seed, 1000, 1024),
    "cut_coarse": lambda count, seed: cut(count, seed, count // 3, 512),
    "pinwheels": lambda count, seed: cut(count, seed, 1000, 1024, 0.2),
}
FAMILIES = (*SHAPES, *CUT)
COUNTS = (150, 300, 500)
