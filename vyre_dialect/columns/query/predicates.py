"""
Tests of a row, true, false or neither: what is asked of a null has no answer (SQL's logic of three
values). A test tells from the bounds of columns whether it can hold at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from xdsl.dialects.builtin import i32, i64

from vyre_dialect.builder import Value, constant
from vyre_dialect.columns.query.flags import Flag, both, either, negation
from vyre_dialect.columns.query.rows import Outcome, Predicate, Row, Table
from vyre_dialect.columns.query.tables import MarkTable, RangeTable
from vyre_dialect.columns.query.terms import ColumnTerm, Term

_BITS = 64
"""Codes whose marks stand in one number."""
_MOST_RANGES = 4
"""Ranges of codes that are tested one by one; of more, marks are looked up."""
_MOST_NUMBERS = 32
"""Ranges of numbers that are tested one by one; of more, they are looked up."""
_MOST_MARKS = 1 << 16
"""Numbers whose marks stand in a table; of more, the ends of ranges are searched."""


@dataclass(frozen=True)
class Always(Predicate):
    """True, false, or None, for neither, whatever the row."""

    says: bool | None

    def outcome(self, row: Row) -> Outcome:
        """What it always says."""
        return Outcome(self.says is True, self.says is False)

    @property
    def can_be_true(self) -> bool:
        """If it is."""
        return self.says is True

    @property
    def can_be_false(self) -> bool:
        """If it is."""
        return self.says is False


@dataclass(frozen=True)
class InRange(Predicate):
    """Whether an exact value lies between two integers, both of them in the range."""

    term: Term
    low: int
    high: int

    def outcome(self, row: Row) -> Outcome:
        """One comparison, of the distance from the lower end where there are two."""
        return Outcome.of(self.term.is_valid(row), self._is_inside(row))

    def _is_inside(self, row: Row) -> Flag:
        if not (self.can_be_true and self.can_be_false):
            return self.can_be_true
        exact, value = self.term.exact, self.term.value(row)
        assert exact is not None
        if self.low == self.high:
            return value.eq(self.low)
        if self.low <= exact.low:
            return value.compare("sle", self.high)
        if self.high >= exact.high:
            return value.compare("sge", self.low)
        return value - self.low <= self.high - self.low

    @property
    def can_be_true(self) -> bool:
        """Whether the range meets the bounds."""
        assert self.term.exact is not None
        return max(self.low, self.term.exact.low) <= min(self.high, self.term.exact.high)

    @property
    def can_be_false(self) -> bool:
        """Whether the bounds reach beyond the range."""
        assert self.term.exact is not None
        return not self.low <= self.term.exact.low <= self.term.exact.high <= self.high


@dataclass(frozen=True)
class InRanges(Predicate):
    """Whether an exact value lies in one of many ranges, between any two of which are others."""

    term: Term
    ranges: tuple[tuple[int, int], ...]

    def outcome(self, row: Row) -> Outcome:
        """What is looked up of the ranges that meet the bounds."""
        return Outcome.of(self.term.is_valid(row), self._is_inside(row))

    def _is_inside(self, row: Row) -> Flag:
        if not (self.can_be_true and self.can_be_false):
            return self.can_be_true
        return row.look_up(self._table).ne(0)

    @property
    def _table(self) -> Table:
        """Of marks, where they are not too many."""
        ranges = self._within_bounds
        low, high = ranges[0][0], ranges[-1][1]
        if high - low >= _MOST_MARKS:
            return RangeTable(self.term, ranges)
        marks = [False] * (high - low + 1)
        for first, last in ranges:
            marks[first - low : last - low + 1] = [True] * (last - first + 1)
        return MarkTable(self.term, low, tuple(marks))

    @property
    def _within_bounds(self) -> tuple[tuple[int, int], ...]:
        exact = self.term.exact
        assert exact is not None
        cut = ((max(low, exact.low), min(high, exact.high)) for low, high in self.ranges)
        return tuple((low, high) for low, high in cut if low <= high)

    @property
    def can_be_true(self) -> bool:
        """Whether a range meets the bounds."""
        return bool(self._within_bounds)

    @property
    def can_be_false(self) -> bool:
        """Whether there are numbers within the bounds beside the ranges."""
        exact = self.term.exact
        assert exact is not None
        return self._within_bounds != ((exact.low, exact.high),)


COMPARISONS = {
    "=": ("eq", "oeq"),
    "<>": ("ne", "une"),
    "<": ("slt", "olt"),
    "<=": ("sle", "ole"),
    ">": ("sgt", "ogt"),
    ">=": ("sge", "oge"),
}
"""The comparisons of SQL, as those of integers and of floats: a NaN differs from everything."""


@dataclass(frozen=True)
class Comparison(Predicate):
    """A comparison of two floats, or of two exact values of one scale."""

    operator: str
    left: Term
    right: Term

    def outcome(self, row: Row) -> Outcome:
        """One comparison, in the wider of the types."""
        type = i64 if i64 in (self.left.type, self.right.type) else self.left.type
        left, right = self.left.value_as(row, type), self.right.value_as(row, type)
        of_integers, of_floats = COMPARISONS[self.operator]
        holds = left.compare(of_floats if self.left.exact is None else of_integers, right)
        return Outcome.of(both(self.left.is_valid(row), self.right.is_valid(row)), holds)

    @property
    def can_be_true(self) -> bool:
        """Nobody knows."""
        return True

    @property
    def can_be_false(self) -> bool:
        """Nobody knows."""
        return True


@dataclass(frozen=True)
class HasMark(Predicate):
    """
    Whether the string of a row is one of those that are marked in the dictionary of its column;
    without marks, before the dictionary is known, perhaps.
    """

    codes: ColumnTerm
    marks: tuple[bool, ...] | None

    @property
    def can_be_true(self) -> bool:
        """Whether one is."""
        return self.marks is None or any(self.marks)

    @property
    def can_be_false(self) -> bool:
        """Whether one is not."""
        return self.marks is None or not all(self.marks)

    @property
    def needs_table(self) -> bool:
        """Whether marks are looked up in a buffer of their own."""
        marks = self.marks or ()
        return len(marks) > _BITS and len(_ranges(marks)) > _MOST_RANGES

    def outcome(self, row: Row) -> Outcome:
        """Tests of ranges of codes, of a bit for each, or of what is looked up for the code."""
        return Outcome.of(self.codes.is_valid(row), self._is_marked(row))

    def _is_marked(self, row: Row) -> Flag:
        assert self.marks is not None
        if not (self.can_be_true and self.can_be_false):
            return self.can_be_true
        if self.needs_table:
            return row.look_up(MarkTable(self.codes, 0, self.marks)).ne(0)
        code, ranges = row.element(self.codes.name), _ranges(self.marks)
        if len(ranges) == 1 or len(self.marks) > _BITS:
            found: Flag = False
            for first, last in ranges:
                found = either(found, self._is_between(code, first, last))
            return found
        return _bit(self.marks, code)

    def _is_between(self, code: Value, first: int, last: int) -> Value:
        return code.eq(first) if first == last else code - first <= last - first


def _bit(marks: tuple[bool, ...], code: Value) -> Value:
    """The mark of a code, out of a number that has those of all; none where a code is too large."""
    type, bits = (i32, 32) if len(marks) <= 32 else (i64, 64)
    number = sum(1 << place for place, mark in enumerate(marks) if mark)
    place = code.to(type)
    mark = (constant(number, type) >> place) & 1
    return mark.ne(0) & (place < bits)


def _ranges(marks: Sequence[bool]) -> list[tuple[int, int]]:
    """The first and the last place of each run of marks."""
    edges = [False, *marks, False]
    starts = [place for place in range(len(marks)) if edges[place + 1] and not edges[place]]
    ends = [place for place in range(len(marks)) if edges[place + 1] and not edges[place + 2]]
    return list(zip(starts, ends, strict=True))


@dataclass(frozen=True)
class IsNull(Predicate):
    """Whether there is no value; never without an answer."""

    term: Term

    def outcome(self, row: Row) -> Outcome:
        """What the validity says."""
        valid = self.term.is_valid(row)
        return Outcome(negation(valid), valid)

    @property
    def can_be_true(self) -> bool:
        """Whether there may be none."""
        return self.term.is_nullable

    @property
    def can_be_false(self) -> bool:
        """Nobody knows."""
        return True


@dataclass(frozen=True)
class Not(Predicate):
    """The opposite, without an answer where the other has none."""

    predicate: Predicate

    def outcome(self, row: Row) -> Outcome:
        """What the other says, the other way round."""
        is_true, is_false = self.predicate.outcome(row)
        return Outcome(is_false, is_true)

    @property
    def can_be_true(self) -> bool:
        """Whether the other may fail."""
        return self.predicate.can_be_false

    @property
    def can_be_false(self) -> bool:
        """Whether the other may pass."""
        return self.predicate.can_be_true


@dataclass(frozen=True)
class And(Predicate):
    """True where all are, false where one is."""

    predicates: tuple[Predicate, ...]

    def outcome(self, row: Row) -> Outcome:
        """All of the truths, any of the falsehoods."""
        is_true: Flag = True
        is_false: Flag = False
        for each in self.predicates:
            outcome = each.outcome(row)
            is_true = both(is_true, outcome.is_true)
            is_false = either(is_false, outcome.is_false)
        return Outcome(is_true, is_false)

    @property
    def can_be_true(self) -> bool:
        """Whether all may."""
        return all(each.can_be_true for each in self.predicates)

    @property
    def can_be_false(self) -> bool:
        """Whether one may."""
        return any(each.can_be_false for each in self.predicates)


def disjunction(predicates: Sequence[Predicate]) -> Predicate:
    """True where one is, false where all are; many ranges of one term become one test."""
    ranges, others = dict[Term, list[InRange]](), list[Predicate]()
    for each in predicates:
        if isinstance(each, InRange):
            ranges.setdefault(each.term, []).append(each)
        else:
            others.append(each)
    together = [*chain.from_iterable(map(_union, ranges.values())), *others]
    if len(together) == 1:
        return together[0]
    return Not(conjunction([negated(each) for each in together]))


def _union(ranges: Sequence[InRange]) -> Sequence[Predicate]:
    """As few tests as there are, of which one holds where one of some ranges of one term does."""
    term, apart = ranges[0].term, list[tuple[int, int]]()
    for low, high in sorted((each.low, each.high) for each in ranges if each.low <= each.high):
        if apart and low <= apart[-1][1] + 1:
            apart[-1] = apart[-1][0], max(high, apart[-1][1])
        else:
            apart.append((low, high))
    if len(apart) > _MOST_NUMBERS:
        return [InRanges(term, tuple(apart))]
    return [InRange(term, low, high) for low, high in apart] or ranges[:1]


def negated(predicate: Predicate) -> Predicate:
    """The opposite."""
    return predicate.predicate if isinstance(predicate, Not) else Not(predicate)


def conjunction(predicates: Sequence[Predicate]) -> Predicate:
    """True where all are, false where one is; ranges of one term become one."""
    parts = list[Predicate]()
    for each in predicates:
        parts += each.predicates if isinstance(each, And) else (each,)
    merged, others = dict[Term, InRange](), list[Predicate]()
    for part in parts:
        if not isinstance(part, InRange):
            others.append(part)
        elif (known := merged.get(part.term)) is None:
            merged[part.term] = part
        else:
            low, high = max(known.low, part.low), min(known.high, part.high)
            merged[part.term] = InRange(part.term, low, high)
    together = (*merged.values(), *others)
    return together[0] if len(together) == 1 else And(together)
