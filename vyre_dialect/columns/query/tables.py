"""Tables in which a query looks up what a row has, before its body runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import i8, i32, i64
from xdsl.ir import Attribute

from vyre_dialect.builder import Buffer, Value, constant, for_, index
from vyre_dialect.columns.query.rows import Row, Table
from vyre_dialect.columns.query.terms import Exact, Term


@dataclass(frozen=True)
class MarkTable(Table):
    """The marks of numbers, from one on; none for others."""

    term: Term
    low: int
    marks: tuple[bool, ...]

    @property
    def contents(self) -> Sequence[int]:
        """A mark for each number."""
        return list(map(int, self.marks))

    @property
    def type(self) -> Attribute:
        """A byte."""
        return i8

    def sought(self, row: Row) -> Value:
        """Which of the numbers it is."""
        exact = self.term.exact
        assert exact is not None
        place = Exact(exact.low - self.low, exact.high - self.low)
        return (
            self.term.value_as(row, i32 if i32 == place.type == self.term.type else i64) - self.low
        )

    def found(self, table: Buffer, sought: Value) -> Value:
        """Its mark; what is loaded from beside a buffer is 0."""
        return table[sought.to(index, signed=True)]


@dataclass(frozen=True)
class RangeTable(Table):
    """Whether an exact value is in one of some ranges, by a binary search of where these end."""

    term: Term
    ranges: tuple[tuple[int, int], ...]
    """
    The first and the last number of each, in order, within the bounds of the value; between two of
    them lies another number.
    """

    @property
    def contents(self) -> Sequence[int]:
        """Where numbers begin to be inside and, up to the greatest, not to be, by turns."""
        assert self.term.exact is not None
        edges = [edge for low, high in self.ranges for edge in (low, high + 1)]
        return [edge for edge in edges if edge <= self.term.exact.high]

    @property
    def type(self) -> Attribute:
        """That of the value."""
        return self.term.type

    def sought(self, row: Row) -> Value:
        """The value."""
        return self.term.value(row)

    def found(self, table: Buffer, sought: Value) -> Value:
        """Whether it is past an odd number of them."""
        count = len(self.contents)
        begin, steps = [constant(0, i32), constant(count, i32)], (count - 1).bit_length()
        with for_(0, constant(steps, index), carry=begin, unroll=1) as loop:
            passed, left = loop.carried
            half = left >> 1
            is_past = table[(passed + half - 1).to(index)].compare("sle", sought)
            loop.yields(is_past.select(passed + half, passed), left - half)
        passed = loop.results[0]
        is_past = table[passed.to(index)].compare("sle", sought)
        return (passed.to(i8) + is_past.to(i8)) & 1
