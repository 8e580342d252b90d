"""
How far from the ends of a piece an invocation must be for a number to be as large as is asked for.

What is asked for is noted, as halos: a piece takes in so many units before and behind its own that
all that its own depend on is there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from vyre_dialect.analysis.streams.drift import UNBOUNDED, Drift, Piece

MOST_HALO = 1 << 22
"""Elements of the input that a piece takes in beyond its own, at most, on each side."""


class Bounds(ABC):
    """What is asked of the places at which something is evaluated."""

    def __init__(self, piece: Piece, unit: int):
        self.piece = piece
        self.most = max(1, MOST_HALO // unit)

    def at_least(self, number: Drift, threshold: int) -> bool:
        """Whether `number` can be asked to be no less than `threshold`; if so, it is."""
        if number.wraps or number.rest.low <= -UNBOUNDED:
            return False
        return self._reaches(number, threshold - number.rest.low)

    def at_most(self, number: Drift, threshold: int) -> bool:
        """Whether `number` can be asked to be no more than `threshold`; if so, it is."""
        return self.at_least(number.times(-1), -threshold)

    @abstractmethod
    def _reaches(self, number: Drift, missing: int) -> bool:
        """Whether what drifts of `number` can be asked to be `missing` or more."""


class HostBounds(Bounds):
    """Of what the host computes: pieces may be asked to have so many units."""

    def __init__(self, piece: Piece, unit: int):
        super().__init__(piece, unit)
        self.least = 1

    def _reaches(self, number: Drift, missing: int) -> bool:
        assert number.begin == number.end  # the host knows no place
        if missing <= 0 <= number.begin:
            return True
        if number.begin <= 0 or (needed := -(-missing // number.begin)) > self.most:
            return False
        self.least = max(self.least, needed)
        return True


class ArmBounds(Bounds):
    """
    Of the invocations of an arm: those of the first units of a piece, and of the last, may be left
    to the pieces before and behind it.
    """

    def __init__(self, piece: Piece, unit: int, fewest: int = 0):
        super().__init__(piece, unit)
        self.before = self.after = 0
        self.fewest = fewest
        """Units that are left behind an invocation at least, where the input ends there."""

    @property
    def left(self) -> int:
        """How many units there are at least from that of an invocation on to the end."""
        return self.fewest if self.piece.ends else self.after + 1

    def ask(self, before: int, after: int) -> None:
        """Leave so many units away on each side that was cut."""
        self.before = self.before if self.piece.begins else max(self.before, before)
        self.after = self.after if self.piece.ends else max(self.after, after)

    def _reaches(self, number: Drift, missing: int) -> bool:
        begin, end = number.begin, number.end
        if begin < 0 or end < 0:
            return False
        from_begin, from_end = begin * self.before, end * self.left
        if from_begin + from_end >= missing:
            return True
        if begin > 0 and not self.piece.begins:
            return self._ask(-(-(missing - from_end) // begin), self.after)
        if end > 0 and not self.piece.ends:
            return self._ask(self.before, -(-(missing - from_begin) // end) - 1)
        return False

    def _ask(self, before: int, after: int) -> bool:
        if max(before, after) > self.most:
            return False
        self.ask(before, after)
        return True
