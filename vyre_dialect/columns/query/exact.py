"""Exact arithmetic on terms: bounds and scales of results, and constants where they are known."""

from __future__ import annotations

from fractions import Fraction

from vyre_dialect.columns.errors import QueryError
from vyre_dialect.columns.query.predicates import Always, Comparison, InRange, Not
from vyre_dialect.columns.query.rows import Predicate
from vyre_dialect.columns.query.terms import Arithmetic, Exact, Kind, Literal, Term

FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "<>": "<>"}
"""The comparison with its sides exchanged."""
MOST_SCALE = 38
"""Digits behind the point, as decimals of Arrow have at most."""


def arithmetic(operator: str, left: Term, right: Term) -> Term:
    """`+`, `-` or `*`, exact. Raises a QueryError for what may not fit 64 bits."""
    if operator != "*":
        left, right = aligned(left, right)
    one, other = _exact(left), _exact(right)
    low, high = _bounds(operator, one, other)
    scale = one.scale + other.scale if operator == "*" else one.scale
    exact = Exact(low, high, scale, kind_of_result(operator, one.kind, other.kind))
    if isinstance(left, Literal) and isinstance(right, Literal):
        return Literal(low, exact)
    if exact.type is None or one.type is None or other.type is None:
        raise QueryError(
            f"values may need more than 64 bits: by the bounds of the columns, up to "
            f"{max(abs(low), abs(high))}, with {scale} digits behind the point; cast to double"
        )
    if scale > MOST_SCALE:
        raise QueryError(f"expected at most {MOST_SCALE} digits behind the point, got {scale}")
    return Arithmetic(operator, left, right, exact)


def _bounds(operator: str, one: Exact, other: Exact) -> tuple[int, int]:
    if operator == "+":
        return one.low + other.low, one.high + other.high
    if operator == "-":
        return one.low - other.high, one.high - other.low
    products = [a * b for a in (one.low, one.high) for b in (other.low, other.high)]
    return min(products), max(products)


def kind_of_result(operator: str, one: Kind, other: Kind) -> Kind:
    """
    Days and a number are a date, two dates a number of days. Raises a QueryError for what cannot
    be computed.
    """
    kinds = (one, other)
    if kinds == (Kind.NUMBER, Kind.NUMBER) or (operator == "-" and kinds == (Kind.DATE, Kind.DATE)):
        return Kind.NUMBER
    if kinds == (Kind.DATE, Kind.NUMBER) and operator in "+-":
        return Kind.DATE
    if kinds == (Kind.NUMBER, Kind.DATE) and operator == "+":
        return Kind.DATE
    raise QueryError(f"cannot compute {one.value} {operator} {other.value}")


def aligned(left: Term, right: Term) -> tuple[Term, Term]:
    """Both with as many digits behind the point as the one that has more."""
    scale = max(_exact(left).scale, _exact(right).scale)
    return rescaled(left, scale), rescaled(right, scale)


def rescaled(term: Term, scale: int) -> Term:
    """The term with more digits behind the point. Raises a QueryError for one that may not fit."""
    exact = _exact(term)
    if scale == exact.scale:
        return term
    digits = scale - exact.scale
    if exact.kind is Kind.TIMESTAMP:
        raise QueryError("expected timestamps that count the same unit: cast one of the columns")
    if exact.kind is not Kind.NUMBER:
        raise QueryError(f"expected a whole number of days with a {exact.kind.value}")
    return arithmetic("*", term, Literal(10**digits, Exact(10**digits, 10**digits, digits)))


def compared(operator: str, left: Term, right: Term) -> Predicate:
    """A comparison of two exact terms of one kind."""
    if isinstance(left, Literal) and not isinstance(right, Literal):
        return compared(FLIPPED[operator], right, left)
    if not isinstance(right, Literal):
        return Comparison(operator, *aligned(left, right))
    one, other = _exact(left), _exact(right)
    limit = Fraction(right.number) * Fraction(10) ** (one.scale - other.scale)
    if operator == "<>":
        return Not(_range("=", left, limit))
    return _range(operator, left, limit)


def _range(operator: str, term: Term, limit: Fraction) -> Predicate:
    """
    The integers that compare so with a number; their other end is that of the bounds, or just
    outside of them where none does.
    """
    exact = _exact(term)
    floor, ceiling = limit.numerator // limit.denominator, -(-limit.numerator // limit.denominator)
    low, high = {
        "=": (ceiling, floor),  # nothing, of a number that is not whole
        "<": (exact.low, ceiling - 1),
        "<=": (exact.low, floor),
        ">": (floor + 1, exact.high),
        ">=": (ceiling, exact.high),
    }[operator]
    if isinstance(term, Literal):
        return Always(low <= term.number <= high)
    return InRange(term, low, high)


def _exact(term: Term) -> Exact:
    assert term.exact is not None
    return term.exact
