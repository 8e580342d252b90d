"""
What is asked of many rows, `sum(…)` or `count(*)`, made of what `vyre.scan.aggregate` has: sums
beside how many values they are of, averages of both, sums of more than 64 bits in two halves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from xdsl.dialects.builtin import f64, i32, i64
from xdsl.ir import Attribute

from vyre_dialect.columns.query.float_extremes import Rank, float_of
from vyre_dialect.columns.query.float_sums import added, nearest, parts_of, total_of
from vyre_dialect.columns.query.predicates import IsNull
from vyre_dialect.columns.query.terms import Case, Exact, Half, Literal, Term
from vyre_dialect.columns.query.typed import RowValue
from vyre_dialect.ops.aggregate import AggregateKind

_HALVES = (True, False)
"""Which of two sums is that of upper halves."""


class Function(Enum):
    """What aggregates are called."""

    COUNT = "count"
    SUM = "sum"
    MIN = "min"
    MAX = "max"
    AVG = "avg"
    FIRST_POSITION = "first_position"
    COUNT_DISTINCT = "count(distinct …)"


@dataclass(frozen=True)
class Measure:
    """A result of `vyre.scan.aggregate`: one number of all rows that count, or of a group."""

    kind: AggregateKind
    term: Term | None
    type: Attribute


class State(NamedTuple):
    """What is known of an aggregate after some of the rows."""

    values: int
    """How many there are."""
    value: Any | None
    """
    Their sum, extreme, first position, or the set of those that are distinct; the sum of floats in
    groups as a fraction, if it is finite; None without values, and of counts.
    """


NOTHING = State(0, None)
"""What is known before the first row."""


@dataclass(frozen=True)
class Aggregate:
    """An aggregate of a term, or of rows."""

    function: Function
    term: Term | None
    distinct: RowValue | None = None
    """What is counted distinct: rows are grouped by it, too, and groups of one key merged."""

    def measures(self, rows: int, *, in_groups: bool) -> list[Measure]:
        """
        What it is made of, by `state`, over up to so many rows; how many values is first. Raises a
        QueryError for sums of floats in groups that nothing bounds.
        """
        term = self.term
        values = [rows_that_count(rows) if term is None else _values_of(term, rows)]
        if self.function is Function.FIRST_POSITION:
            return [*values, Measure(AggregateKind.FIRST, None, i64)]
        if self.function in (Function.COUNT, Function.COUNT_DISTINCT) or term is None:
            return values
        if self.function in (Function.MIN, Function.MAX):
            return [*values, _extreme(self.function, term, in_groups)]
        if term.exact is None and in_groups:
            parts = parts_of(term, rows)
            return [*values, *(Measure(AggregateKind.SUM, each, i64) for each in parts)]
        return [*values, *_sums(term, rows)]

    def state(self, numbers: Sequence[Any]) -> State:
        """What the measures say of a part, in their order."""
        count, *others = numbers
        if not count or not others:
            return State(count, None)
        if self.term is not None and self.term.exact is None:
            return State(count, _float_of(self.term, others))
        return State(count, others[0] if len(others) == 1 else (others[0] << 32) + others[1])

    def merged(self, one: State, other: State) -> State:
        """What both parts say together."""
        if one.value is None or other.value is None:
            value = other.value if one.value is None else one.value
            return State(one.values + other.values, value)
        return State(one.values + other.values, self._combined(one.value, other.value))

    def _combined(self, one: Any, other: Any) -> Any:
        if isinstance(one, Fraction) or isinstance(other, Fraction):
            return added(one, other)
        if self.function in (Function.SUM, Function.AVG):
            return one + other
        if self.function is Function.COUNT_DISTINCT:
            return one | other
        if isinstance(one, float):  # a NaN stays
            least = self.function is Function.MIN
            return float(np.minimum(one, other) if least else np.maximum(one, other))
        return max(one, other) if self.function is Function.MAX else min(one, other)

    def answer(self, state: State) -> Any:
        """An integer, as exact as the term, a float, or None where there is nothing to say."""
        if self.function is Function.COUNT:
            return state.values
        if self.function is Function.COUNT_DISTINCT:
            return 0 if state.value is None else len(state.value)
        if state.value is None:
            return None
        count = state.values if self.function is Function.AVG else 1
        if isinstance(state.value, Fraction):
            return nearest(state.value / count)
        if self.function is not Function.AVG:
            return state.value
        assert self.term is not None
        if self.term.exact is None:
            return state.value / state.values
        return float(Fraction(state.value, state.values) / Fraction(10) ** self.term.exact.scale)


def _float_of(term: Term, numbers: Sequence[Any]) -> Fraction | float:
    """What is made of a float: itself, without groups, or what stands for it in integers."""
    if len(numbers) > 1:
        return total_of(term, numbers)
    return float_of(numbers[0]) if isinstance(numbers[0], int) else numbers[0]


def rows_that_count(rows: int) -> Measure:
    """How many rows count."""
    return Measure(AggregateKind.COUNT, None, i32 if rows < 1 << 31 else i64)


def _values_of(term: Term, rows: int) -> Measure:
    """How many rows that count have a value."""
    if not term.is_nullable:
        return rows_that_count(rows)
    ones = Case(((IsNull(term), Literal.of(0)),), Literal.of(1), Exact(0, 1))
    return Measure(AggregateKind.SUM, ones, i32 if rows < 1 << 31 else i64)


def _extreme(function: Function, term: Term, in_groups: bool) -> Measure:
    if term.exact is None and in_groups:
        term = Rank.of(term, is_least=function is Function.MIN)
    if term.exact is None:
        kind = AggregateKind.MINIMUMF if function is Function.MIN else AggregateKind.MAXIMUMF
        return Measure(kind, term, f64)
    kind = AggregateKind.MINS if function is Function.MIN else AggregateKind.MAXS
    return Measure(kind, term, term.type)


def _sums(term: Term, rows: int) -> list[Measure]:
    """One sum, if it fits 64 bits by the bounds of the term, or those of the halves."""
    if term.exact is None:
        return [Measure(AggregateKind.SUM, term, f64)]
    if max(abs(term.exact.low), abs(term.exact.high)) * rows < 1 << 63:
        return [Measure(AggregateKind.SUM, term, i64)]
    halves = (Half.of(term, is_upper=is_upper) for is_upper in _HALVES)
    return [Measure(AggregateKind.SUM, half, i64) for half in halves]
