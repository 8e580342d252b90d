"""
The least and the greatest float by group, as integers in the order of floats: NaN comes in front of
all for the least and behind all for the greatest, so that it stays where one is.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from math import inf, nan

from xdsl.dialects.builtin import f64, i64

from vyre_dialect.builder import Value, constant
from vyre_dialect.columns.query.float_sums import FloatPart
from vyre_dialect.columns.query.rows import Row
from vyre_dialect.columns.query.terms import Exact, Term

_LARGEST = (1 << 63) - 1
_ALL = Exact(-_LARGEST - 1, _LARGEST)


@dataclass(frozen=True)
class Rank(FloatPart):
    """An integer that is below another one where the float is below the other float."""

    is_least: bool
    """Whether the least is asked for."""

    @classmethod
    def of(cls, term: Term, *, is_least: bool) -> Rank:
        """That of a float."""
        return cls(term, _ALL, is_least)

    def value(self, row: Row) -> Value:
        """The bits of the float, all but the sign inverted where it is negative."""
        value = self.term.value_as(row, f64)
        bits = value.bitcast(i64)
        of_nan = constant(_ALL.low if self.is_least else _ALL.high, i64)
        return value.compare("ord", value).select(bits ^ (bits.shrsi(63) & _LARGEST), of_nan)


def float_of(rank: int) -> float:
    """The float of a rank."""
    if not _rank(-inf) <= rank <= _rank(inf):
        return nan
    bits = rank ^ (rank >> 63 & _LARGEST)
    return struct.unpack("<d", struct.pack("<q", bits))[0]


def _rank(number: float) -> int:
    (bits,) = struct.unpack("<q", struct.pack("<d", number))
    return bits ^ (bits >> 63 & _LARGEST)
