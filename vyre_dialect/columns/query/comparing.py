"""Comparisons of expressions of any two types that go together."""

from __future__ import annotations

from collections.abc import Callable

from vyre_dialect.columns.errors import QueryError
from vyre_dialect.columns.query import strings
from vyre_dialect.columns.query.exact import FLIPPED, compared
from vyre_dialect.columns.query.predicates import (
    Always,
    Comparison,
    HasMark,
    conjunction,
    disjunction,
    negated,
)
from vyre_dialect.columns.query.rows import Predicate
from vyre_dialect.columns.query.terms import Kind, Term
from vyre_dialect.columns.query.typed import (
    Null,
    TextColumn,
    TextLiteral,
    Typed,
    date_of,
    described,
    floating,
    has_kind,
    timestamp_of,
)


def comparison(operator: str, left: Typed, right: Typed) -> Predicate:
    """Whether two values compare so. Raises a QueryError for types that do not go together."""
    if isinstance(left, Null) or isinstance(right, Null):
        return Always(None)
    if isinstance(left, TextLiteral) and not isinstance(right, TextLiteral):
        return comparison(FLIPPED[operator], right, left)
    if isinstance(left, TextLiteral) and isinstance(right, TextLiteral):
        return Always(strings.COMPARISONS[operator](left.text, right.text))
    if isinstance(left, TextColumn) and isinstance(right, TextLiteral):
        return _text_compared(operator, left, right.text)
    if isinstance(left, Term) and isinstance(right, TextLiteral):
        right = _as_kind_of(left, right)
    if isinstance(left, Predicate) and isinstance(right, Predicate):
        return _truths_compared(operator, left, right)
    if not isinstance(left, Term) or not isinstance(right, Term):
        raise _not_comparable(left, right)
    return _terms_compared(operator, left, right)


def _not_comparable(left: Typed, right: Typed) -> QueryError:
    """What is wrong, and how what was meant may be written."""
    given = {described(left), described(right)}
    hint = next((text for kind, text in _WRITTEN.items() if given == {kind, "a number"}), "")
    return QueryError(f"cannot compare {described(left)} with {described(right)}{hint}")


_WRITTEN = {
    "a date": ": write a day as date '2026-03-01'",
    "a timestamp": ": write a moment as timestamp '2026-03-01 12:00:00'",
    "a string": ": write text in quotes",
}
"""What those who compare with a number may have meant."""


def _as_kind_of(term: Term, text: TextLiteral) -> Typed:
    """What a string is next to a date or a timestamp."""
    if has_kind(term, Kind.DATE):
        return date_of(text)
    return timestamp_of(text) if has_kind(term, Kind.TIMESTAMP) else text


def _text_compared(operator: str, column: TextColumn, text: str) -> Predicate:
    compare = strings.COMPARISONS[operator]
    if operator == "=":
        return bounded(column, text.__eq__, text, text)
    return column.marked(lambda each: compare(each, text))


def bounded(column: TextColumn, test: Callable[[str], bool], low: str, high: str) -> Predicate:
    """A test that only strings between two pass: none of the column's, where its bounds say so."""
    marked = column.marked(test)
    outside = (column.least is not None and high < column.least) or (
        column.most is not None and column.most < low
    )
    if marked.marks is None and outside:
        return HasMark(column.codes, ())
    return marked


def _truths_compared(operator: str, left: Predicate, right: Predicate) -> Predicate:
    if operator not in ("=", "<>"):
        raise QueryError(f"cannot compare conditions by {operator}")
    right = right if operator == "=" else negated(right)
    neither = conjunction([negated(left), negated(right)])
    return disjunction([conjunction([left, right]), neither])


def _terms_compared(operator: str, left: Term, right: Term) -> Predicate:
    if left.exact is None or right.exact is None:
        return Comparison(operator, floating(left), floating(right))
    if left.exact.kind is not right.exact.kind:
        raise _not_comparable(left, right)
    return compared(operator, left, right)
