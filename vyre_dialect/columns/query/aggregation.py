"""Aggregates of known columns as a program of one `vyre.scan.aggregate`, and what it found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from xdsl.dialects.builtin import i32

from vyre_dialect.builder import Aggregation, Buffer, Program, Value, aggregate, constant, program
from vyre_dialect.columns.column import Column
from vyre_dialect.columns.errors import QueryError
from vyre_dialect.columns.packing import Array
from vyre_dialect.columns.query.body import (
    DecodedRow,
    Need,
    NeededRow,
    decoded,
    inputs_of,
    most_rows,
    row_count,
)
from vyre_dialect.columns.query.flags import Flag, as_value
from vyre_dialect.columns.query.measures import Aggregate, Measure, State, rows_that_count
from vyre_dialect.columns.query.rows import Row
from vyre_dialect.columns.query.statement import Query
from vyre_dialect.columns.query.typed import RowValue
from vyre_dialect.ops.aggregate import MAX_GROUPS, AggregateKind, neutral_value

Group: TypeAlias = tuple[tuple[Any, ...], list[State]]
"""The values of the keys, integers, strings and None, and what is known of the aggregates."""


@dataclass(frozen=True, eq=False)
class AggregatePlan:
    """The program, and what it needs to be read."""

    program: Program
    inputs: Mapping[str, Array]
    """What to bind."""
    _query: Query
    _needs: Sequence[Need]
    _measures: Mapping[Measure, str]
    """Where each is found."""
    _rows: int
    """The most that it is made for."""

    @classmethod
    def of(cls, query: Query, columns: Mapping[str, Column], rows: int) -> AggregatePlan:
        """Raises a QueryError for what cannot be aggregated by such keys."""
        most = most_rows(rows)
        counted = [rows_that_count(most)]
        measures = dict.fromkeys(
            counted + [each for one in query.aggregates for each in _measures(query, one, most)]
        )
        _check(query)
        body = _Body(query, list(measures))
        needed = NeededRow(columns)
        needed.learn(body.computed)
        needs, groups = needed.needs_of(columns), prod(map(_size, _keys(query)))
        with program("query") as p:
            count = row_count(p)
            buffers = decoded(p, columns, needs, count)
            found = [_result(p, at, each, groups) for at, each in enumerate(measures)]
            with aggregate(*buffers.values(), rows=count) as asked:
                body.ask(asked, DecodedRow(needs, asked.row), found)
        names = dict(zip(measures, map(_name, range(len(measures))), strict=True))
        return cls(p, inputs_of(columns, needs, rows), query, needs, names, most)

    def bound(self, columns: Mapping[str, Column], rows: int) -> AggregatePlan:
        """The same for other columns of the same forms."""
        return replace(self, inputs=inputs_of(columns, self._needs, rows))

    def groups(self, outputs: Mapping[str, Array], first_row: int = 0) -> list[Group]:
        """
        What the results say, rows being counted from this number on. There may be several groups of
        one key: of a string that a dictionary has twice, and of values that are told apart.
        """
        numbers = {each: outputs[name] for each, name in self._measures.items()}
        counts, own = numbers[rows_that_count(self._rows)], len(self._query.keys)
        asked, distinct = self._query.aggregates, self._query.distinct
        places = [
            None if each.distinct is None else own + distinct.index(each.distinct) for each in asked
        ]
        groups = list[Group]()
        for at in np.flatnonzero(counts).tolist() if own or distinct else [0]:
            key = self._key(at)
            states = [self._state(each, numbers, at, first_row) for each in asked]
            seen = [
                state if place is None or not state.values else _seen(state, key[place])
                for state, place in zip(states, places, strict=True)
            ]
            groups.append((key[:own], seen))
        return groups

    def _state(
        self, asked: Aggregate, numbers: Mapping[Measure, Array], group: int, first_row: int
    ) -> State:
        measures = _measures(self._query, asked, self._rows)
        found = [numbers[each][group].item() for each in measures]
        if measures[-1].kind is AggregateKind.FIRST:
            found[-1] += first_row
        return asked.state(found)

    def _key(self, group: int) -> tuple[Any, ...]:
        keys = _keys(self._query)
        places = np.unravel_index(group, [_size(key) for key in keys]) if keys else ()
        return tuple(_key_value(*pair) for pair in zip(keys, map(int, places), strict=True))


class _Computed(NamedTuple):
    """What is computed of a row."""

    counts: Flag
    """Whether it does."""
    values: list[Value | None]
    """For each measure, if it takes one."""
    key: Value | None


@dataclass(frozen=True)
class _Body:
    """The body of the aggregate."""

    query: Query
    measures: Sequence[Measure]

    def computed(self, row: Row) -> _Computed:
        """Compute what the measures take."""
        predicate = self.query.predicate
        counts = True if predicate is None else predicate.outcome(row).is_true
        values = [None if each.term is None else _value(each, row) for each in self.measures]
        key: Value | None = None
        for each in _keys(self.query):
            place = _place(each, row)
            key = place if key is None else key * _size(each) + place
        return _Computed(counts, values, key)

    def ask(self, query: Aggregation, row: Row, results: Sequence[Buffer]) -> None:
        """Write the body."""
        counts, values, key = self.computed(row)
        if counts is not True:
            query.where(as_value(counts))
        if key is not None:
            query.group_by(key)
        for measure, value, result in zip(self.measures, values, results, strict=True):
            _ask(query, measure.kind, value, result)


def _ask(query: Aggregation, kind: AggregateKind, value: Value | None, into: Buffer) -> None:
    if value is None:
        give = query.count if kind is AggregateKind.COUNT else query.first
        give(into=into)
    elif kind is AggregateKind.SUM:
        query.sum(value, into=into)
    elif kind in (AggregateKind.MINS, AggregateKind.MINIMUMF):
        query.min(value, into=into, signed=True)
    else:
        query.max(value, into=into, signed=True)


def _value(measure: Measure, row: Row) -> Value:
    """What a measure takes of a row; where that is nothing, what changes nothing."""
    assert measure.term is not None
    value, valid = measure.term.value_as(row, measure.type), measure.term.is_valid(row)
    if valid is True:
        return value
    neutral = neutral_value(measure.kind, measure.type).value.data
    return as_value(valid).select(value, constant(neutral, measure.type))


def _place(key: RowValue, row: Row) -> Value:
    """The place of a row's value among those that a key may have, nulls coming last."""
    exact, valid = key.term.exact, key.term.is_valid(row)
    assert exact is not None
    place = (key.term.value(row) - exact.low).to(i32)
    return place if valid is True else as_value(valid).select(place, _size(key) - 1)


def _size(key: RowValue) -> int:
    """How many values a key may have, null among them."""
    exact = key.term.exact
    assert exact is not None
    return exact.high - exact.low + 1 + key.term.is_nullable


def _key_value(key: RowValue, place: int) -> Any:
    exact = key.term.exact
    assert exact is not None
    if key.term.is_nullable and place == _size(key) - 1:
        return None
    if key.text is not None and key.text.dictionary is not None:
        return key.text.dictionary[place]
    return exact.low + place


def _keys(query: Query) -> list[RowValue]:
    """By what rows are grouped: keys, and what is told apart in groups of these."""
    return [*query.keys, *query.distinct]


def _measures(query: Query, asked: Aggregate, rows: int) -> list[Measure]:
    return asked.measures(rows, in_groups=bool(_keys(query)))


def _seen(state: State, value: Any) -> State:
    """A group of one value that is told apart."""
    return State(state.values, frozenset({value}))


def _check(query: Query) -> None:
    sizes = [_size(key) for key in _keys(query)]
    if prod(sizes) > MAX_GROUPS:
        what = "the keys and what is counted distinct" if query.distinct else "the keys"
        raise QueryError(
            f"group by: {what} may have {' · '.join(map(str, sizes))} values, and {MAX_GROUPS} "
            "groups are the most: group by columns of fewer values"
        )


def _result(p: Program, at: int, measure: Measure, groups: int) -> Buffer:
    neutral = neutral_value(measure.kind, measure.type).value.data
    fill = neutral or None
    return p.buffer(_name(at), measure.type, groups, live_out=True, fill=fill)


def _name(at: int) -> str:
    """The name of a result, which no column's buffer has."""
    return f"answer_{at}_"
