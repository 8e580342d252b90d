"""
What becomes of a number when a program runs on a piece of its input instead of all of it.

Time is counted in units: so many elements of the input that every arm has a whole number of
invocations for each. A number of the unit `j`, of `M` units, is `begin * j + end * (M - j) + rest`.
Runs on a piece and on everything differ in `j` and `M` by how many units the piece leaves out
before and behind itself, and the rest, if it has no `cause` to differ, is the same in both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import gcd, lcm
from typing import NamedTuple

from xdsl.ir import Operation

from vyre_dialect.analysis.value_ranges import Range

UNBOUNDED = 1 << 61
"""Rests beyond this may wrap around, so that nothing is known of their size."""
ANYTHING = Range(-UNBOUNDED, UNBOUNDED)


class Piece(NamedTuple):
    """Which ends of the input a piece has for its own."""

    begins: bool
    """Whether nothing was cut off before it."""
    ends: bool
    """Whether nothing was cut off behind it."""


FIRST, MIDDLE, LAST = Piece(True, False), Piece(False, False), Piece(False, True)
PIECES = (FIRST, MIDDLE, LAST)


@dataclass(frozen=True, slots=True)
class Drift:
    """A number of an invocation or of the host, as this module says."""

    begin: int
    end: int
    rest: Range
    cause: Operation | None = None
    """What makes the rest differ between a piece and all."""
    wraps: bool = False
    """Whether this holds modulo the width of the type alone."""

    @property
    def is_fixed(self) -> bool:
        """Whether it stays where it is, apart from its rest."""
        return self.begin == 0 == self.end

    @property
    def number(self) -> int | None:
        """The one number that it is everywhere, if it is."""
        return self.rest.low if self.is_fixed and self.rest.is_one and not self.wraps else None

    def is_harmless(self, piece: Piece) -> bool:
        """Whether it is the same in `piece` as in all, but for a cause of its rest."""
        return (self.begin == 0 or piece.begins) and (self.end == 0 or piece.ends)

    def is_same(self, piece: Piece) -> bool:
        """Whether it is the same in `piece` as in all."""
        return self.cause is None and self.is_harmless(piece)

    def can_be_moved(self, piece: Piece) -> bool:
        """Whether it is the same as in all once the place of the piece is added."""
        return self.cause is None and (self.end == 0 or piece.ends)

    def plus(self, other: Drift, sign: int = 1) -> Drift:
        """The sum, or the difference."""
        low, high = (other.rest.low, other.rest.high) if sign > 0 else _negative(other.rest)
        return drift(
            self.begin + sign * other.begin,
            self.end + sign * other.end,
            Range(self.rest.low + low, self.rest.high + high),
            self.cause or other.cause,
            wraps=self.wraps or other.wraps,
        )

    def times(self, factor: int) -> Drift:
        """The product with a number."""
        ends = sorted((self.rest.low * factor, self.rest.high * factor))
        rest = Range(*ends) if is_bounded(self.rest) else ANYTHING
        begin, end = self.begin * factor, self.end * factor
        return drift(begin, end, rest, self.cause, wraps=self.wraps)

    def units_for(self, by: int) -> int:
        """How many times as large units must be for a positive number to divide what drifts."""
        return lcm(by // gcd(self.begin, by), by // gcd(self.end, by))

    def divided(self, by: int) -> Drift:
        """The quotient by a positive number that divides what drifts, rounded down."""
        rest = Range(self.rest.low // by, self.rest.high // by)
        return drift(self.begin // by, self.end // by, rest, self.cause)

    def modulo(self, by: int) -> Drift:
        """What the quotient leaves."""
        low, high = self.rest.low % by, self.rest.high % by
        is_near = self.rest.low // by == self.rest.high // by
        return drift(0, 0, Range(low, high) if is_near else Range(0, by - 1), self.cause)

    def joined(self, other: Drift) -> Drift | None:
        """One of two numbers; None where they drift apart."""
        mine, others = (self.begin, self.end, self.wraps), (other.begin, other.end, other.wraps)
        if mine != others:
            return None
        cause = self.cause or other.cause
        return Drift(self.begin, self.end, self.rest.join(other.rest), cause, self.wraps)

    def folded(self, piece: Piece, places: Range, left: Range) -> Drift:
        """The same, with what does not matter in `piece` as part of the rest."""
        begin, end, low, high = self.begin, self.end, self.rest.low, self.rest.high
        for is_own, factor, units in ((piece.begins, begin, places), (piece.ends, end, left)):
            if is_own:
                ends = factor * units.low, factor * units.high
                low, high = low + min(ends), high + max(ends)
        kept = 0 if piece.begins else begin, 0 if piece.ends else end
        return drift(*kept, Range(low, high), self.cause, wraps=self.wraps)

    def because(self, cause: Operation | None) -> Drift:
        """The same with a rest that differs for some reason, unless there was one before."""
        return self if cause is None or self.cause is not None else replace(self, cause=cause)


def drift(
    begin: int, end: int, rest: Range, cause: Operation | None = None, *, wraps: bool = False
) -> Drift:
    """A number whose rest may wrap around, or be just one, which is the same everywhere."""
    if not is_bounded(rest):
        return Drift(begin, end, ANYTHING, cause, wraps=wraps or begin != 0 or end != 0)
    return Drift(begin, end, rest, None if rest.is_one else cause, wraps)


def fixed(rest: Range, cause: Operation | None = None) -> Drift:
    """A number that does not drift."""
    return drift(0, 0, rest, cause)


def is_bounded(rest: Range) -> bool:
    """Whether a range holds numbers that cannot wrap around."""
    return -UNBOUNDED < rest.low and rest.high < UNBOUNDED


def _negative(rest: Range) -> tuple[int, int]:
    return -rest.high, -rest.low
