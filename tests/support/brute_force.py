"""
Whether a pair may fuse, decided from the definition: every invocation is run through by hand.

Nothing here looks at the program or asks isl. Of a case with run-time sizes, every size up to
`SIZES` is tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from support.generated.arms import HANDOFF, Arm, Effect
from support.generated.cases import Case
from vyre_dialect.passes.fusion.tiling.options import Options

SIZES = 48
"""Run-time sizes that are tried; beyond them nothing new happens on grids of these tiles."""
TILES = 12
"""Tiles after which reads repeat, relative to where their tile begins."""
ANY = range(-SIZES, 3 * SIZES)
"""Invocations of which some do not exist."""
PRIVATE_BUDGET = 1024


@dataclass(frozen=True)
class Touched:
    """One element of a buffer that an invocation touches."""

    buffer: str
    element: int
    writes: bool
    atomic: str = ""
    """The kind of an atomic; empty for plain loads and stores."""


class NotDecidedError(Exception):
    """
    The definition leaves something open that decides: which tile has the effect of a
    producer's invocation that writes nothing that any tile reads; whether tiles run the
    invocations of the producer in equal shares and in order, or just those that they need; or
    how far apart are reads that never happen.
    """


def is_legal(case: Case, options: Options) -> bool:
    """
    Whether the producer and the consumers of `case` may run tile by tile: a tile is as many
    invocations of the consumers as `options` say, and the producer's from the first to the
    last that writes what those read. Raises NotDecidedError.
    """
    consumers = case.arms[1:]
    sizes = range(SIZES) if case.run_time else [case.n]
    grids = [case.at(n) for n in sizes]
    if not all(_is_covered(grid) for grid in grids):
        return False
    if not all(_happens(grids, arm) for arm in case.arms):
        raise NotDecidedError
    for per_first in _shares_of_first(consumers[0], options):
        shares = _shares(consumers, per_first)
        if shares is not None and _may_share(grids, shares, options):
            return True
    return False


def _happens(grids: list[Case], arm: Arm) -> bool:
    """Whether the arm would touch the handoff if it had as many invocations as one likes."""
    return any(
        True
        for grid in grids
        for _, touch in (*arm.writes, *arm.reads)
        for i in range(SIZES)
        if touch.holds(i, grid.length(HANDOFF))
    )


def _shares_of_first(first: Arm, options: Options) -> list[int]:
    """How many invocations of the first consumer a tile may have."""
    if options.strategy == "private":
        return [1]
    if options.tile:
        share = options.tile / abs(_slope(first))
        return [int(share)] if share.denominator == 1 and share else []
    return [first.workgroup >> halved for halved in range(first.workgroup.bit_length())]


def _shares(consumers: Sequence[Arm], per_first: int) -> list[int] | None:
    """How many invocations of each consumer read one tile."""
    shares = [per_first * _slope(consumers[0]) / _slope(arm) for arm in consumers]
    if any(share.denominator != 1 or share <= 0 for share in shares):
        return None
    return [int(share) for share in shares]


def _slope(consumer: Arm) -> Fraction:
    return consumer.reads[0][1].index.slope


def _is_covered(grid: Case) -> bool:
    producer, *consumers = grid.arms
    length = grid.length(HANDOFF)
    written = {e for i in _invocations(grid, producer) for e in _written(grid, producer, i)}
    read = {e for arm in consumers for i in _invocations(grid, arm) for e in _read(grid, arm, i)}
    return {e for e in read if 0 <= e < length} <= written


def _may_share(grids: list[Case], shares: Sequence[int], options: Options) -> bool:
    low, high = _window(grids, shares)
    budget = options.budget
    if options.strategy == "private":
        budget = PRIVATE_BUDGET
    if (high - low + 1) * grids[0].handoffs[0].bytes > budget:
        return False
    if all(arm.effect.kind == Effect.NONE for arm in grids[0].arms):
        return True
    verdicts = {
        all(_Tiled(grid, shares, low, high, equal=equal).is_legal() for grid in grids)
        for equal in (False, True)
    }
    if len(verdicts) > 1:
        raise NotDecidedError
    return verdicts.pop()


def _window(grids: list[Case], shares: Sequence[int]) -> tuple[int, int]:
    """The least and greatest element that a whole tile reads, relative to where it begins."""
    places = [
        element - _begin(grid, shares, tile)
        for grid in grids
        for arm, share in zip(grid.arms[1:], shares, strict=True)
        for tile in range(TILES)
        for i in range(tile * share, (tile + 1) * share)
        for element in _read(grid, arm, i)
    ]
    if not places:
        return 0, 0
    return min(places), max(places)


def _begin(grid: Case, shares: Sequence[int], tile: int) -> int:
    first = grid.arms[1]
    from_end = first.reads[0][1].index.from_end
    return floor(_slope(first) * shares[0] * tile) + (grid.length(HANDOFF) if from_end else 0)


class _Tiled:
    """
    One grid, cut into tiles, which run just what they need of the producer or, where they
    are `equal`, as many invocations each, from a first one that moves in one direction.
    """

    def __init__(self, grid: Case, shares: Sequence[int], low: int, high: int, *, equal: bool):
        self.grid = grid
        self.shares = shares
        self.producer, *self.consumers = grid.arms
        count = max(
            ceil(len(_invocations(grid, arm)) / share)
            for arm, share in zip(self.consumers, shares, strict=True)
        )
        every = ANY if equal else _invocations(grid, self.producer)
        self.reached = {i: list(_reached(grid, self.producer, i)) for i in every}
        begins = [_begin(grid, shares, tile) for tile in range(max(count, TILES if equal else 0))]
        shared = [self._writers(begin + low, begin + high) for begin in begins]
        if equal:
            shared = _in_order(shared)
            most = max(map(len, shared))
            shared = [range(each.start, each.start + most) for each in shared]
        self.tiles_of_producer: dict[int, list[int]] = {}
        for tile, invocations in enumerate(shared[:count]):
            for i in invocations:
                if i in _invocations(grid, self.producer):
                    self.tiles_of_producer.setdefault(i, []).append(tile)

    def is_legal(self) -> bool:
        """Whether repetition is harmless, and every other dependence stays in a tile."""
        if self._leaves_out_effects():
            raise NotDecidedError
        repeated = [i for i, tiles in self.tiles_of_producer.items() if len(tiles) > 1]
        return all(map(self._is_repeatable, repeated)) and self._is_ordered()

    def _leaves_out_effects(self) -> bool:
        return any(
            i not in self.tiles_of_producer
            and any(each.writes for each in _others(self.grid, self.producer, i))
            for i in _invocations(self.grid, self.producer)
        )

    def _writers(self, first: int, last: int) -> range:
        """The producer's invocations from the first to the last that reach into a window."""
        touching = [
            i
            for i, elements in self.reached.items()
            if any(first <= element <= last for element in elements)
        ]
        return range(min(touching), max(touching) + 1) if touching else range(0)

    def _is_repeatable(self, i: int) -> bool:
        touched = list(_others(self.grid, self.producer, i))
        written = {each.buffer for each in touched if each.writes}
        counts = any(each.atomic == "addi" for each in touched)
        return not counts and all(
            each.writes or each.atomic or each.buffer not in written for each in touched
        )

    def _is_ordered(self) -> bool:
        """Whether conflicting touches of one element by two arms are all in one tile."""
        seen: dict[tuple[str, int], list[tuple[int, Touched, int]]] = {}
        for place, arm in enumerate(self.grid.arms):
            for i in _invocations(self.grid, arm):
                for touched in _others(self.grid, arm, i):
                    entries = seen.setdefault((touched.buffer, touched.element), [])
                    entries.extend((place, touched, tile) for tile in self._tiles(place, i))
        return not any(_has_conflict(entries) for entries in seen.values())

    def _tiles(self, place: int, i: int) -> list[int]:
        if place == 0:
            return self.tiles_of_producer.get(i, [])
        return [i // self.shares[place - 1]]


def _in_order(shares: list[range]) -> list[range]:
    """The shares widened so that neither their first nor their last invocation turns back."""
    some = [share for share in shares if share]
    if len(some) < 2:
        return shares
    forwards = some[-1].start >= some[0].start
    ordered = shares if forwards else shares[::-1]
    widened = [
        range(
            min((later.start for later in ordered[place:] if later), default=share.start),
            max((earlier.stop for earlier in ordered[: place + 1] if earlier), default=share.stop),
        )
        for place, share in enumerate(ordered)
    ]
    return widened if forwards else widened[::-1]


def _has_conflict(entries: list[tuple[int, Touched, int]]) -> bool:
    distinct = set(entries)
    for arm, touched, tile in distinct:
        for other_arm, other, other_tile in distinct:
            if arm >= other_arm or tile == other_tile:
                continue
            if not (touched.writes or other.writes):
                continue
            if not touched.atomic or touched.atomic != other.atomic:
                return True
    return False


def _invocations(grid: Case, arm: Arm) -> range:
    return range(arm.invocations.of(grid.n))


def _reached(grid: Case, arm: Arm, i: int) -> Iterator[int]:
    length = grid.length(HANDOFF)
    for _, touch in arm.writes:
        yield from touch.elements(i, length)


def _written(grid: Case, arm: Arm, i: int) -> Iterator[int]:
    length = grid.length(HANDOFF)
    return (e for e in _reached(grid, arm, i) if 0 <= e < length)


def _read(grid: Case, arm: Arm, i: int) -> Iterator[int]:
    length = grid.length(HANDOFF)
    for _, touch in arm.reads:
        yield from touch.elements(i, length)


def _others(grid: Case, arm: Arm, i: int) -> Iterator[Touched]:
    """What an invocation touches besides the handoff, inside of the buffers."""
    logged = max(2 * grid.n, 1)
    at = arm.effect.index.of(i, logged)
    kind = arm.effect.kind
    for element in _written(grid, arm, i):
        yield Touched(f"input_{HANDOFF}", element, writes=False)
    if kind == Effect.FIRST_BAD:
        yield Touched("errors", 0, writes=True, atomic="minu")
    elif kind == Effect.LAST_BAD:
        yield Touched("errors", 0, writes=True, atomic="maxu")
    elif kind == Effect.COUNT:
        yield Touched("counter", 0, writes=True, atomic="addi")
    elif kind == Effect.LOG and 0 <= at < logged:
        yield Touched("log", at, writes=True)
    elif kind == Effect.READ_LOG and 0 <= at < logged:
        yield Touched("log", at, writes=False)
    elif kind == Effect.BUMP and i < logged:
        yield Touched("bumps", i, writes=False)
        yield Touched("bumps", i, writes=True)
    elif kind == Effect.CLEAR_INPUT:
        cleared = arm.effect.index.of(i, grid.length(HANDOFF))
        if 0 <= cleared < grid.length(HANDOFF):
            yield Touched(f"input_{HANDOFF}", cleared, writes=True)
