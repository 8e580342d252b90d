"""What expressions of a row may be: terms, predicates, strings and null, and columns as these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Protocol, TypeAlias

from xdsl.dialects.builtin import AnyFloat, IntegerType, i32
from xdsl.ir import Attribute

from vyre_dialect.columns.errors import QueryError
from vyre_dialect.columns.extras import ArrowType, extra
from vyre_dialect.columns.query.dates import UNITS, days_of, microseconds_of
from vyre_dialect.columns.query.predicates import HasMark, InRange, negated
from vyre_dialect.columns.query.rows import Predicate
from vyre_dialect.columns.query.terms import Case, ColumnTerm, Exact, Kind, Literal, Term, ToFloat

_LONGEST_MOMENT = len("1994-01-31 12:00:00.123456")


class ColumnFacts(Protocol):
    """What is known of a column before it is decoded; a `Column` says so, too."""

    @property
    def name(self) -> str: ...
    @property
    def element_type(self) -> Attribute: ...
    @property
    def logical_type(self) -> ArrowType: ...
    @property
    def dictionary(self) -> Sequence[Any] | None: ...
    @property
    def validity(self) -> object | None: ...
    @property
    def minimum(self) -> Any | None: ...
    @property
    def maximum(self) -> Any | None: ...


@dataclass(frozen=True)
class TextColumn:
    """A column of strings."""

    name: str
    is_nullable: bool
    dictionary: tuple[str, ...] | None
    """What codes stand for, where that is known."""
    least: str | None
    most: str | None

    def marked(self, test: Callable[[str], bool]) -> HasMark:
        """The test of a row that its string passes."""
        marks = None if self.dictionary is None else tuple(map(test, self.dictionary))
        return HasMark(self.codes, marks)

    @property
    def codes(self) -> ColumnTerm:
        """The codes of the strings."""
        count = 1 if self.dictionary is None else max(1, len(self.dictionary))
        return ColumnTerm(self.name, Exact(0, count - 1), self.is_nullable, i32)


@dataclass(frozen=True)
class TextLiteral:
    """A string that is written out."""

    text: str


@dataclass(frozen=True)
class Null:
    """No value, of any type."""


Typed: TypeAlias = Term | Predicate | TextColumn | TextLiteral | Null


def column_of(column: ColumnFacts) -> Term | Predicate | TextColumn:
    """A column as a part of an expression."""
    types, type = extra("pyarrow").types, column.logical_type
    is_nullable = column.validity is not None
    if types.is_string(type):
        known = None if column.dictionary is None else tuple(column.dictionary)
        return TextColumn(column.name, is_nullable, known, column.minimum, column.maximum)
    if isinstance(column.element_type, AnyFloat):
        largest = _largest(column)
        return ColumnTerm(column.name, None, is_nullable, column.element_type, largest)
    low, high = _bounds(column)
    if types.is_uint64(type) and not (column.minimum is not None and 0 <= low <= high):
        raise QueryError(
            f"column '{column.name}' is of uint64, and queries compute with signed integers: where "
            "bounds are not known to fit these, cast it to another type"
        )
    if types.is_boolean(type):
        term = ColumnTerm(
            column.name, Exact(low, high, 0, Kind.BOOLEAN), is_nullable, column.element_type
        )
        return InRange(term, 1, 1)
    exact = Exact(low, high, *_scale_and_kind(type))
    return ColumnTerm(column.name, exact, is_nullable, column.element_type)


def _largest(column: ColumnFacts) -> float | None:
    """The greatest magnitude of floats, by their bounds."""
    if column.minimum is None or column.maximum is None:
        return None
    return max(abs(float(column.minimum)), abs(float(column.maximum)))


def _scale_and_kind(type: ArrowType) -> tuple[int, Kind]:
    """What integers of a column count."""
    types = extra("pyarrow").types
    if types.is_timestamp(type):
        return UNITS[type.unit], Kind.TIMESTAMP
    if types.is_date(type):
        return 0, Kind.DATE
    return type.scale if types.is_decimal(type) else 0, Kind.NUMBER


def _bounds(column: ColumnFacts) -> tuple[int, int]:
    """Those that are known, or else those of the type."""
    assert isinstance(column.element_type, IntegerType)
    half = 1 << column.element_type.width.data - 1
    of_type = (
        (0, 1) if extra("pyarrow").types.is_boolean(column.logical_type) else (-half, half - 1)
    )
    low = of_type[0] if column.minimum is None else int(column.minimum)
    high = of_type[1] if column.maximum is None else int(column.maximum)
    return low, high


def as_term(typed: Typed) -> Term:
    """What a row is grouped by, or shown by: codes of strings, 0 and 1 of conditions."""
    if isinstance(typed, TextColumn):
        return typed.codes
    if isinstance(typed, Predicate):
        return _truth_term(typed)
    assert isinstance(typed, Term)
    return typed


def _truth_term(predicate: Predicate) -> Term:
    if isinstance(predicate, InRange) and has_kind(predicate.term, Kind.BOOLEAN):
        return predicate.term
    one, zero = (Literal.of(number, 0, Kind.BOOLEAN) for number in (1, 0))
    return Case(((predicate, one), (negated(predicate), zero)), None, Exact(0, 1, 0, Kind.BOOLEAN))


@dataclass(frozen=True)
class RowValue:
    """What a row is grouped by, or what is shown of it."""

    term: Term
    text: TextColumn | None
    """Of which column it has the strings, if it has."""

    @classmethod
    def of(cls, typed: Term | Predicate | TextColumn) -> RowValue:
        """An expression of a row."""
        return cls(as_term(typed), typed if isinstance(typed, TextColumn) else None)


def has_kind(term: Term, kind: Kind) -> bool:
    """Whether it is exact, and of a kind."""
    return term.exact is not None and term.exact.kind is kind


def described(typed: Typed) -> str:
    """What sort of value an expression has, for people."""
    if isinstance(typed, Predicate):
        return "a condition"
    if isinstance(typed, TextColumn | TextLiteral):
        return "a string"
    if isinstance(typed, Null):
        return "null"
    assert isinstance(typed, Term)
    return "a float" if typed.exact is None else f"a {typed.exact.kind.value}"


def floating(term: Term) -> Term:
    """The term as a float."""
    if term.exact is None:
        return term
    if term.exact.kind is not Kind.NUMBER:
        raise QueryError(f"expected a number, got {described(term)}")
    if isinstance(term, Literal):
        return Literal(term.number / 10**term.exact.scale, None)
    return ToFloat(term)


def date_of(text: TextLiteral) -> Term:
    """The day that a string names. Raises a QueryError for another string."""
    try:
        return literal_date(date.fromisoformat(text.text))
    except ValueError:
        raise QueryError(f"expected a date as '1994-01-31', got '{text.text}'") from None


def timestamp_of(text: TextLiteral) -> Term:
    """The moment that a string names. Raises a QueryError for another string."""
    try:
        moment = datetime.fromisoformat(text.text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is not None or len(text.text) > _LONGEST_MOMENT:
        raise QueryError(
            "expected a timestamp as '1994-01-31 12:00:00', with up to six digits behind the point "
            f"and no zone, got '{text.text}'"
        )
    return Literal.of(microseconds_of(moment), UNITS["us"], Kind.TIMESTAMP)


def literal_date(day: date) -> Term:
    """A day that is known."""
    return Literal.of(days_of(day), 0, Kind.DATE)
