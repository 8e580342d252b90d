"""
The bounds of columns of which no statistics say any: what they are is a query itself, whose answer
says how wide what is computed of them has to be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from vyre_dialect.columns.column import Column
from vyre_dialect.columns.query.measures import Aggregate, Function, State
from vyre_dialect.columns.query.statement import Item, Query
from vyre_dialect.columns.query.terms import Term
from vyre_dialect.columns.query.typed import column_of


def columns_without_bounds(columns: Mapping[str, Column]) -> dict[str, Column]:
    """Those with exact values of which no bounds are known."""
    return {
        name: column
        for name, column in columns.items()
        if column.minimum is None and column.dictionary is None and _is_exact(column)
    }


def _is_exact(column: Column) -> bool:
    term = column_of(column)
    return isinstance(term, Term) and term.exact is not None


def bounds_query(columns: Mapping[str, Column]) -> Query:
    """The least and the greatest value of each column, in this order."""
    items = list[Item]()
    for name, column in columns.items():
        term = column_of(column)
        assert isinstance(term, Term)
        for function in (Function.MIN, Function.MAX):
            items.append(Item(f"{function.value} of {name}", Aggregate(function, term)))
    return Query(None, (), tuple(items))


def with_bounds(columns: Mapping[str, Column], found: Sequence[State]) -> dict[str, Column]:
    """The columns with the bounds that the query has found; 0 where there are no values."""
    bounds = [state.value or 0 for state in found]
    pairs = zip(columns.items(), bounds[::2], bounds[1::2], strict=True)
    return {
        name: cast(Column, replace(cast(Any, column), minimum=least, maximum=most))
        for (name, column), least, most in pairs
    }
