"""Answers as Arrow's tables, of what programs have found in all parts of the data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np

from vyre_dialect.columns.arrow_values import array_of, plain_type
from vyre_dialect.columns.errors import QueryError
from vyre_dialect.columns.extras import ArrowArray, ArrowTable, ArrowType, extra
from vyre_dialect.columns.packing import Array
from vyre_dialect.columns.query.aggregation import Group
from vyre_dialect.columns.query.dates import UNITS, days_of
from vyre_dialect.columns.query.exact import MOST_SCALE
from vyre_dialect.columns.query.figures import Computed, shape_of, value_of
from vyre_dialect.columns.query.items import Item
from vyre_dialect.columns.query.measures import NOTHING, Aggregate, Function, State
from vyre_dialect.columns.query.statement import Query
from vyre_dialect.columns.query.terms import ColumnTerm, Kind, Term
from vyre_dialect.columns.query.typed import RowValue, has_kind

_DIGITS = 38
"""What decimals that are computed may have."""


class AggregateAnswer:
    """Aggregates, of more and more parts."""

    def __init__(self, query: Query, types: Mapping[str, ArrowType]):
        """`types` are those of the columns."""
        self._query, self._types = query, types
        nothing = [NOTHING] * len(query.aggregates)
        self._groups: dict[tuple[Any, ...], list[State]] = {} if query.keys else {(): nothing}

    def add(self, groups: Iterable[Group]) -> None:
        """Take in what a part says."""
        for key, states in groups:
            known = self._groups.get(key)
            self._groups[key] = states if known is None else self._merged(known, states)

    @property
    def groups(self) -> list[Group]:
        """What was taken in, as one part says it."""
        return [*self._groups.items()]

    def _merged(self, known: Sequence[State], states: Sequence[State]) -> list[State]:
        pairs = zip(self._query.aggregates, known, states, strict=True)
        return [each.merged(one, other) for each, one, other in pairs]

    @property
    def table(self) -> ArrowTable:
        """The answer, by ascending keys, nulls last."""
        keys = sorted(self._groups, key=_nulls_last)
        return extra("pyarrow").table(
            {item.name: self._column(item, keys) for item in self._query.items}
        )

    def _column(self, item: Item, keys: Sequence[tuple[Any, ...]]) -> ArrowArray:
        shows = item.shows
        if isinstance(shows, int):
            value = self._query.keys[shows]
            return _array([key[shows] for key in keys], value_type(value, self._types))
        assert isinstance(shows, Aggregate | Computed)
        asked = self._query.aggregates
        known = (dict(zip(asked, self._groups[key], strict=True)) for key in keys)
        answers = [value_of(shows, each) for each in known]
        return _array(answers, _figure_type(shows, answers, self._types))


def _nulls_last(key: tuple[Any, ...]) -> list[tuple[bool, Any]]:
    return [(True, 0) if each is None else (False, each) for each in key]


class RowsAnswer:
    """Rows, of more and more parts."""

    def __init__(self, query: Query, types: Mapping[str, ArrowType]):
        """`types` are those of the columns."""
        pa = extra("pyarrow")
        self._names = [item.name for item in query.items]
        self._of_items = [
            value_type(item.shows, types)
            for item in query.items
            if isinstance(item.shows, RowValue)
        ]
        columns = zip(self._names, self._of_items, strict=True)
        self._parts: list[ArrowTable] = [
            pa.table({name: pa.array([], type) for name, type in columns})
        ]

    def add(self, found: Sequence[tuple[RowValue, Array, Array | None]]) -> None:
        """Take in the rows of a part."""
        pa = extra("pyarrow")
        for value, elements, valid in found:
            if has_kind(value.term, Kind.DATE):
                _check_days(elements if valid is None else elements[valid.astype(bool)])
        arrays = [
            array_of(elements, valid, type, _dictionary(value))
            for (value, elements, valid), type in zip(found, self._of_items, strict=True)
        ]
        self._parts.append(pa.table(dict(zip(self._names, arrays, strict=True))))

    @property
    def table(self) -> ArrowTable:
        """The answer, in the order of the parts."""
        return extra("pyarrow").concat_tables(self._parts)


def _check_days(days: Sequence[int] | Array) -> None:
    """Raise a QueryError unless all days are of years that dates have."""
    numbers, first, last = np.asarray(days), days_of(date.min), days_of(date.max)
    if numbers.size and not first <= numbers.min() <= numbers.max() <= last:
        raise QueryError("select: a date lies outside of the years 1 to 9999")


def _dictionary(value: RowValue) -> ArrowArray | None:
    if value.text is None:
        return None
    pa = extra("pyarrow")
    return pa.array(value.text.dictionary or [], pa.string())


def value_type(value: RowValue, types: Mapping[str, ArrowType]) -> ArrowType:
    """The type of a value of a row: that of its column, if it is one."""
    if value.text is not None:
        return extra("pyarrow").string()
    return _term_type(value.term, types)


def _term_type(term: Term, types: Mapping[str, ArrowType]) -> ArrowType:
    pa = extra("pyarrow")
    if isinstance(term, ColumnTerm):
        return plain_type(term.name, types[term.name])
    if term.exact is None:
        return pa.float64()
    if term.exact.kind is Kind.TIMESTAMP:
        return pa.timestamp(next(unit for unit in UNITS if UNITS[unit] == term.exact.scale))
    if term.exact.kind is not Kind.NUMBER:
        return pa.date32() if term.exact.kind is Kind.DATE else pa.bool_()
    if term.exact.scale > MOST_SCALE:
        raise QueryError(
            f"select: expected at most {MOST_SCALE} digits behind the point, got {term.exact.scale}"
        )
    return pa.decimal128(_DIGITS, term.exact.scale) if term.exact.scale else pa.int64()


def _figure_type(
    asked: Aggregate | Computed, answers: Sequence[Any], types: Mapping[str, ArrowType]
) -> ArrowType:
    pa = extra("pyarrow")
    if isinstance(asked, Aggregate) and asked.function in (Function.MIN, Function.MAX):
        assert asked.term is not None
        return _term_type(asked.term, types)
    scale, kind = shape_of(asked)
    if scale is None:
        return pa.float64()
    if kind is Kind.DATE:
        return pa.date32()
    largest = max((abs(each) for each in answers if each is not None), default=0)
    if largest >= 10**_DIGITS:
        raise QueryError("select: a sum has more than 38 digits: cast it to double")
    return pa.decimal128(_DIGITS, scale) if scale or largest >= 1 << 63 else pa.int64()


def _array(values: Sequence[Any], type: ArrowType) -> ArrowArray:
    """
    Integers as what they stand for, strings and floats as they are. Raises a QueryError for one
    that the type does not hold, as a damaged file may have it.
    """
    pa = extra("pyarrow")
    try:
        return _converted(values, type)
    except (pa.ArrowInvalid, OverflowError) as error:
        raise QueryError(f"select: a value is none of {type}: {error}") from error


def _converted(values: Sequence[Any], type: ArrowType) -> ArrowArray:
    pa = extra("pyarrow")
    if pa.types.is_decimal(type):
        return pa.array([_decimal(each, type.scale) for each in values], type)
    if pa.types.is_date(type):
        if any(
            each is not None and not days_of(date.min) <= each <= days_of(date.max)
            for each in values
        ):
            raise QueryError("select: a date lies outside of the years 1 to 9999")
        return pa.array(values, pa.int32()).cast(type)
    if pa.types.is_timestamp(type):
        return pa.array(values, pa.int64()).cast(type)
    if pa.types.is_boolean(type):
        return pa.array([None if each is None else bool(each) for each in values], type)
    return pa.array(values, type)


def _decimal(number: int | None, scale: int) -> Decimal | None:
    """So many units of 10^-scale, without the rounding of contexts."""
    if number is None:
        return None
    digits = tuple(map(int, str(abs(number))))
    return Decimal((int(number < 0), digits, -scale))
