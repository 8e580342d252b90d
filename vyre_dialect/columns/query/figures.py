"""
What is computed of aggregates, `sum(a) / sum(b)`: by the host, once all rows are known.

Integers and decimals are computed exactly. The quotient of two is exact, too, and rounded once, to
a float; what is computed of floats is rounded at each step. A quotient by 0 is infinite, or no
number, as among floats; what has an operand that is null is null.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import copysign, inf, isnan, nan
from typing import NamedTuple, TypeAlias

from vyre_dialect.columns.errors import QueryError
from vyre_dialect.columns.query.exact import MOST_SCALE, kind_of_result
from vyre_dialect.columns.query.float_sums import nearest
from vyre_dialect.columns.query.measures import Aggregate, Function, State
from vyre_dialect.columns.query.terms import Exact, Kind, Literal

_COUNTS = (Function.COUNT, Function.COUNT_DISTINCT, Function.FIRST_POSITION)
Number: TypeAlias = int | float
"""An exact value in units of 10^-scale, or a float."""


class Shape(NamedTuple):
    """What values are: exact with so many digits behind the point, or floats, with None."""

    scale: int | None
    kind: Kind = Kind.NUMBER


@dataclass(frozen=True)
class Computed:
    """Arithmetic of two figures."""

    operator: str
    left: Figure
    right: Figure
    shape: Shape


Figure: TypeAlias = Aggregate | Literal | Computed
"""What is known of a group: an aggregate, a constant, or what is computed of these."""


def computed_figure(operator: str, left: Figure, right: Figure) -> Computed:
    """`+`, `-`, `*` or `/`. Raises a QueryError for what cannot be computed."""
    one, other = shape_of(left), shape_of(right)
    kind, scale = kind_of_result(operator, one.kind, other.kind), _scale(operator, one, other)
    if kind is Kind.DATE and scale != 0:
        raise QueryError("expected a whole number of days with a date")
    if scale is not None and scale > MOST_SCALE:
        raise QueryError(f"expected at most {MOST_SCALE} digits behind the point, got {scale}")
    return Computed(operator, left, right, Shape(scale, kind))


def _scale(operator: str, one: Shape, other: Shape) -> int | None:
    if operator == "/" or one.scale is None or other.scale is None:
        return None
    return one.scale + other.scale if operator == "*" else max(one.scale, other.scale)


def aggregates_of(figure: Figure) -> list[Aggregate]:
    """Those that it is computed of."""
    if isinstance(figure, Computed):
        return aggregates_of(figure.left) + aggregates_of(figure.right)
    return [figure] if isinstance(figure, Aggregate) else []


def shape_of(figure: Figure) -> Shape:
    """What its values are."""
    if isinstance(figure, Computed):
        return figure.shape
    if isinstance(figure, Aggregate) and (figure.function in _COUNTS or figure.term is None):
        return Shape(0)
    exact = figure.exact if isinstance(figure, Literal) else _exact_of(figure)
    return Shape(None) if exact is None else Shape(exact.scale, exact.kind)


def _exact_of(aggregate: Aggregate) -> Exact | None:
    """What is known of the values of an aggregate of a term."""
    assert aggregate.term is not None
    return None if aggregate.function is Function.AVG else aggregate.term.exact


def value_of(figure: Figure, states: Mapping[Aggregate, State]) -> Number | None:
    """Its value by what is known of aggregates, as exact as its shape; None for null."""
    if isinstance(figure, Aggregate):
        return figure.answer(states[figure])
    if isinstance(figure, Literal):
        return figure.number
    left, right = value_of(figure.left, states), value_of(figure.right, states)
    if left is None or right is None:
        return None
    one, other = shape_of(figure.left).scale, shape_of(figure.right).scale
    if one is None or other is None:
        return _of_floats(figure.operator, _float(left, one), _float(right, other))
    return _of_exact(figure, _exact_number(left, one), _exact_number(right, other))


def _of_exact(figure: Computed, left: Fraction, right: Fraction) -> Number:
    if figure.operator == "/":
        return nearest(left / right) if right else _by_zero(nearest(left))
    result = {"+": left + right, "-": left - right, "*": left * right}[figure.operator]
    assert figure.shape.scale is not None
    return int(result * Fraction(10) ** figure.shape.scale)


def _by_zero(number: float, zero: float = 0.0) -> float:
    if not number or isnan(number):
        return nan
    return copysign(inf, number) * copysign(1.0, zero)


def _of_floats(operator: str, left: float, right: float) -> float:
    if operator == "/":
        return left / right if right else _by_zero(left, right)
    return {"+": left + right, "-": left - right, "*": left * right}[operator]


def _float(value: Number, scale: int | None) -> float:
    return float(value) if scale is None else nearest(_exact_number(value, scale))


def _exact_number(value: Number, scale: int) -> Fraction:
    return Fraction(value) / Fraction(10) ** scale
