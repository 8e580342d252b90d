"""
Sums of floats by group, which are the same in any order: every value is cut into three integers of
32 bits, each of which is added up exactly, and the host rounds what they come to once.

With 2^k above all magnitudes, what a value has below 2^(k - 96) is left out: of values whose own
magnitude is 2^(k - 43) or more, that is nothing. Infinities and NaN are counted beside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import frexp, inf, isfinite, nan

from xdsl.dialects.builtin import f64, i64
from xdsl.ir import Attribute

from vyre_dialect.builder import Value, constant
from vyre_dialect.columns.errors import QueryError
from vyre_dialect.columns.query.flags import Flag
from vyre_dialect.columns.query.rows import Row
from vyre_dialect.columns.query.terms import Exact, Term

_BITS, _PIECES = 32, 3
_LEAST_EXPONENT = -900
"""So that what scales values up is a float."""
MOST_ROWS = 1 << 31
"""Of which pieces add up to 64 bits."""


@dataclass(frozen=True)
class FloatPart(Term):
    """An integer of 64 bits that is made of a float, null where that is."""

    term: Term
    exact: Exact | None

    @property
    def type(self) -> Attribute:
        """64 bits, as sums have."""
        return i64

    @property
    def is_nullable(self) -> bool:
        """As the float."""
        return self.term.is_nullable

    def is_valid(self, row: Row) -> Flag:
        """As the float."""
        return self.term.is_valid(row)


@dataclass(frozen=True)
class Piece(FloatPart):
    """
    The 32 bits of a float from 2^(`exponent` - 32 · (`number` + 1)) up; 0 of one that is not
    finite.
    """

    exponent: int
    number: int

    def value(self, row: Row) -> Value:
        """The piece, with the sign of the float."""
        pieces: list[Value] = row.once((self.term, "pieces"), lambda: self._pieces(row))
        return pieces[self.number]

    def _pieces(self, row: Row) -> list[Value]:
        value = self.term.value_as(row, f64)
        is_finite = (value - value).compare("oeq", 0.0)
        # All steps are exact: products with powers of two, and what is left of a number.
        left = is_finite.select(value, constant(0.0, f64)) * 2.0 ** (_BITS - self.exponent)
        pieces = [left.to(i64, signed=True)]
        while len(pieces) < _PIECES:
            left = (left - pieces[-1].to(f64, signed=True)) * 2.0**_BITS
            pieces.append(left.to(i64, signed=True))
        return pieces


@dataclass(frozen=True)
class NotFinite(FloatPart):
    """2^32 for infinity, 1 for its negative, both for NaN, which adds up to how many there are."""

    def value(self, row: Row) -> Value:
        """The number, 0 of finite floats."""
        value, zero = self.term.value_as(row, f64), constant(0, i64)
        above = value.compare("ugt", _LARGEST).select(constant(1 << _BITS, i64), zero)
        return above + value.compare("ult", -_LARGEST).select(constant(1, i64), zero)


_LARGEST = float.fromhex("0x1.fffffffffffffp+1023")


def parts_of(term: Term, rows: int) -> list[Term]:
    """What is added up of a float. Raises a QueryError where nothing bounds it."""
    exponent = _exponent(term)
    if rows > MOST_ROWS:
        raise QueryError(
            f"select: floats are added up by group of up to {MOST_ROWS} rows, got {rows}"
        )
    bound = (1 << _BITS) - 1
    pieces = [Piece(term, Exact(-bound, bound), exponent, each) for each in range(_PIECES)]
    return [*pieces, NotFinite(term, Exact(0, (1 << _BITS) + 1))]


def total_of(term: Term, sums: Sequence[int]) -> Fraction | float:
    """What the sums of `parts_of` say: an exact number, an infinity or NaN."""
    *pieces, others = sums
    above, below = others >> _BITS, others & (1 << _BITS) - 1
    if others:
        return nan if above and below else inf if above else -inf
    whole = 0
    for piece in pieces:
        whole = (whole << _BITS) + piece
    return Fraction(whole) * Fraction(2) ** (_exponent(term) - _BITS * _PIECES)


def added(one: Fraction | float, other: Fraction | float) -> Fraction | float:
    """The sum of two totals."""
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return one + other
    # A finite one does not matter beside what is not finite.
    return sum(each for each in (one, other) if not isinstance(each, Fraction))


def nearest(number: Fraction) -> float:
    """The nearest float."""
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf


def _exponent(term: Term) -> int:
    magnitude = term.magnitude
    if magnitude is None or not isfinite(magnitude):
        raise QueryError(
            "select: floats are added up by group where the bounds of columns bound them, which "
            "they do not behind '/': use decimals, or add up without groups"
        )
    return max(frexp(magnitude)[1], _LEAST_EXPONENT)
