"""
Sets of integers modulo 2^width, as intervals, and what a comparison says of them.

What a decoder or an op of `arith` makes of a number, a test can be taken through backwards: the
numbers that pass it before are the preimage of those that pass it after. Sets are exact, and
wrap-around is part of them, as arithmetic here is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

MOST_INTERVALS = 64
"""Intervals of a set that is computed with; nothing is said of one with more."""


class Interval(NamedTuple):
    """The unsigned numbers from `first` to `last`, both among them."""

    first: int
    last: int


class Arc(NamedTuple):
    """The numbers from `first` on, upwards modulo 2^width: `extent` more than that one."""

    first: int
    extent: int


@dataclass(frozen=True)
class ValueSet:
    """Integers of `width` bits: disjoint intervals in ascending order, no two of them adjacent."""

    width: int
    intervals: tuple[Interval, ...]

    @classmethod
    def of(cls, width: int, intervals: Iterable[tuple[int, int]]) -> ValueSet:
        """The numbers in any of some intervals of unsigned numbers."""
        merged = list[Interval]()
        for first, last in sorted(intervals):
            if merged and first <= merged[-1].last + 1:
                merged[-1] = Interval(merged[-1].first, max(last, merged[-1].last))
            else:
                merged.append(Interval(first, last))
        return cls(width, tuple(merged))

    @classmethod
    def below(cls, width: int, count: int) -> ValueSet:
        """The first `count` unsigned numbers."""
        return cls.of(width, [(0, count - 1)] if count else [])

    @classmethod
    def everything(cls, width: int) -> ValueSet:
        """All numbers."""
        return cls.below(width, 1 << width)

    @classmethod
    def where(cls, width: int, predicate: str, number: int) -> ValueSet:
        """The `x` for which `cmpi predicate, x, number` holds."""
        number %= 1 << width
        if predicate in ("eq", "ne"):
            point = cls.of(width, [(number, number)])
            return point if predicate == "eq" else ~point
        if predicate.startswith("s"):
            # Signed order is unsigned order of what is half a turn away.
            half = 1 << width - 1
            return cls.where(width, f"u{predicate[1:]}", number + half).shifted(half)
        less = cls.below(width, number + (predicate in ("ule", "ugt")))
        return less if predicate in ("ult", "ule") else ~less

    def __bool__(self) -> bool:
        return bool(self.intervals)

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return sum(last - first + 1 for first, last in self.intervals)

    def __contains__(self, number: int) -> bool:
        number %= 1 << self.width
        return any(first <= number <= last for first, last in self.intervals)

    def __invert__(self) -> ValueSet:
        found, next_ = list[tuple[int, int]](), 0
        for first, last in self.intervals:
            if next_ < first:
                found.append((next_, first - 1))
            next_ = last + 1
        if next_ < 1 << self.width:
            found.append((next_, (1 << self.width) - 1))
        return self.of(self.width, found)

    def __or__(self, other: ValueSet) -> ValueSet:
        return self.of(self.width, (*self.intervals, *other.intervals))

    def __and__(self, other: ValueSet) -> ValueSet:
        return ~(~self | ~other)

    def __xor__(self, other: ValueSet) -> ValueSet:
        return (self | other) & ~(self & other)

    def shifted(self, by: int) -> ValueSet:
        """`x + by` for each `x`."""
        turn = 1 << self.width
        parts = list[tuple[int, int]]()
        for first, last in self.intervals:
            start = (first + by) % turn
            end = start + last - first
            parts.append((start, min(end, turn - 1)))
            if end >= turn:
                parts.append((0, end - turn))
        return self.of(self.width, parts)

    def negated(self) -> ValueSet:
        """`-x` for each `x`."""
        turn = 1 << self.width
        mirrored = ((turn - 1 - last, turn - 1 - first) for first, last in self.intervals)
        return self.of(self.width, mirrored).shifted(1)

    def truncated(self, width: int) -> ValueSet:
        """Those of less than `width` bits, as numbers of so many."""
        return ValueSet(width, (self & ValueSet.below(self.width, 1 << width)).intervals)

    def arcs(self) -> tuple[Arc, ...]:
        """The set as arcs, of which one goes over the end where both ends belong to it."""
        turn, intervals = 1 << self.width, list(self.intervals)
        if len(intervals) > 1 and intervals[0].first == 0 and intervals[-1].last == turn - 1:
            head, tail = intervals.pop(0), intervals.pop()
            intervals.append(Interval(tail.first, turn + head.last))
        return tuple(Arc(first, last - first) for first, last in intervals)

    def covered_by(self, count: int) -> tuple[Arc, ...]:
        """Up to `count` arcs that hold the set, those next to each other joined."""
        arcs = sorted(self.arcs())
        while len(arcs) > count:
            turn = 1 << self.width
            gaps = [
                ((after.first - before.first - before.extent) % turn, place)
                for place, (before, after) in enumerate(
                    zip(arcs, [*arcs[1:], arcs[0]], strict=True)
                )
            ]
            gap, place = min(gaps)
            after = arcs.pop((place + 1) % len(arcs))
            place = place if place < len(arcs) else place - 1
            before = arcs[place]
            arcs[place] = Arc(before.first, before.extent + gap + after.extent)
        return tuple(arcs)
