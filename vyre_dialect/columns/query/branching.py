"""The values of `case`, whose branches are brought to one type."""

from __future__ import annotations

from collections.abc import Sequence

from vyre_dialect.columns.errors import QueryError
from vyre_dialect.columns.query.exact import rescaled
from vyre_dialect.columns.query.predicates import InRange, negated
from vyre_dialect.columns.query.rows import Predicate
from vyre_dialect.columns.query.terms import Case, Exact, Literal, Term
from vyre_dialect.columns.query.typed import (
    Null,
    TextColumn,
    TextLiteral,
    Typed,
    as_term,
    floating,
)


def case_of(branches: Sequence[tuple[Predicate, Typed]], default: Typed) -> Typed:
    """What `case` gives: conditions, numbers or dates."""
    results = [each for _, each in branches] + [default]
    if all(isinstance(each, Null) for each in results):
        return Null()
    if any(isinstance(each, TextColumn | TextLiteral) for each in results):
        raise QueryError("expected numbers, dates or conditions behind 'then', got a string")
    if any(isinstance(each, Predicate) for each in results):
        return InRange(_chosen(branches, default), 1, 1)
    return _chosen(branches, default)


def _chosen(branches: Sequence[tuple[Predicate, Typed]], default: Typed) -> Term:
    given = [None if isinstance(each, Null) else as_term(each) for _, each in branches]
    last = None if isinstance(default, Null) else as_term(default)
    terms = _of_one_type([each for each in (*given, last) if each is not None])
    same = iter(terms)
    absent = Case((), None, terms[0].exact)
    chosen = tuple(
        (condition, absent if term is None else next(same))
        for (condition, _), term in zip(branches, given, strict=True)
    )
    return Case(chosen, None if last is None else next(same), _hull(terms))


def _of_one_type(terms: Sequence[Term]) -> list[Term]:
    if any(each.exact is None for each in terms):
        return [floating(each) for each in terms]
    kinds = {each.exact.kind.value for each in terms if each.exact is not None}
    if len(kinds) > 1:
        raise QueryError(f"expected branches of one type, got {' and '.join(sorted(kinds))}")
    scale = max(each.exact.scale for each in terms if each.exact is not None)
    return [rescaled(each, scale) for each in terms]


def _hull(terms: Sequence[Term]) -> Exact | None:
    """Bounds around those of all."""
    known = [each.exact for each in terms if each.exact is not None]
    if not known:
        return None
    low, high = min(each.low for each in known), max(each.high for each in known)
    return Exact(low, high, known[0].scale, known[0].kind)


def truth_of(predicate: Predicate, says: bool | None) -> Predicate:
    """`is true` and `is false`, which are never without an answer."""
    asked = predicate if says else negated(predicate)
    term = Case(((asked, Literal.of(1)),), Literal.of(0), Exact(0, 1))
    return InRange(term, 1, 1)
