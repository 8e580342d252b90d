"""
The bounds of columns of which no statistics say any: what they are is a query itself, whose answer
says how wide what is computed of them has to be.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import isinf
from typing import Any, cast

from vyre_dialect.columns.column import Column
from vyre_dialect.columns.query.items import Item
from vyre_dialect.columns.query.measures import Aggregate, Function, State
from vyre_dialect.columns.query.predicates import Comparison
from vyre_dialect.columns.query.statement import Query
from vyre_dialect.columns.query.terms import Arithmetic, Case, Literal, Term
from vyre_dialect.columns.query.typed import column_of


def columns_without_bounds(columns: Mapping[str, Column]) -> dict[str, Column]:
    """Those of numbers of which no bounds are known, or, of floats, infinite ones."""
    return {name: column for name, column in columns.items() if _is_unbounded(column)}


def _is_unbounded(column: Column) -> bool:
    term = column_of(column)
    if column.dictionary is not None or not isinstance(term, Term):
        return False
    if term.exact is not None:
        return column.minimum is None
    return term.magnitude is None or isinf(term.magnitude)


def bounds_query(columns: Mapping[str, Column]) -> Query:
    """The least and the greatest value of each column, in this order; 0 for floats not finite."""
    items = list[Item]()
    for name, column in columns.items():
        term = column_of(column)
        assert isinstance(term, Term)
        term = term if term.exact is not None else _finite(term)
        for function in (Function.MIN, Function.MAX):
            items.append(Item(f"{function.value} of {name}", Aggregate(function, term)))
    return Query(None, (), tuple(items))


def _finite(term: Term) -> Term:
    """A float, or 0 for one that is not finite: what that is less itself is no number."""
    difference = Arithmetic("-", term, term, None)
    is_finite = Comparison("=", difference, Literal(0.0, None))
    return Case(((is_finite, term),), Literal(0.0, None), None)


def rounded(columns: Mapping[str, Column], exact: Collection[str]) -> dict[str, Column]:
    """
    The columns with wider bounds, at 0 and powers of two, so that programs for one file suit others
    like it; but for those whose bounds are to be `exact`, and those of no other file's form.
    """
    return {
        name: column if name in exact or column.form is None else _rounded(column)
        for name, column in columns.items()
    }


def _rounded(column: Column) -> Column:
    least, most = column.minimum, column.maximum
    if not (isinstance(least, int) and isinstance(most, int)):
        return column
    low = -(1 << (-least - 1).bit_length()) if least < 0 else 0
    high = (1 << most.bit_length()) - 1 if most >= 0 else -1
    return _with_bounds(column, low, high)


def _with_bounds(column: Column, least: Any, most: Any) -> Column:
    return cast(Column, replace(cast(Any, column), minimum=least, maximum=most))


def with_bounds(columns: Mapping[str, Column], found: Sequence[State]) -> dict[str, Column]:
    """The columns with the bounds that the query has found; 0 where there are no values."""
    bounds = [state.value or 0 for state in found]
    pairs = zip(columns.items(), bounds[::2], bounds[1::2], strict=True)
    return {name: _with_bounds(column, least, most) for (name, column), least, most in pairs}
