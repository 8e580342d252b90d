"""Rows of known columns as a program of one `vyre.scan.select`, and what it found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import i8

from vyre_dialect.builder import Buffer, Program, Selection, program, select
from vyre_dialect.columns.column import Column
from vyre_dialect.columns.packing import Array
from vyre_dialect.columns.query.body import (
    DecodedRow,
    Need,
    NeededRow,
    decoded,
    inputs_of,
    row_count,
)
from vyre_dialect.columns.query.flags import as_value
from vyre_dialect.columns.query.rows import Row
from vyre_dialect.columns.query.statement import Query
from vyre_dialect.columns.query.typed import RowValue


@dataclass(frozen=True, eq=False)
class SelectPlan:
    """The program, and what to bind."""

    program: Program
    inputs: Mapping[str, Array]
    query: Query
    _needs: Sequence[Need]

    @classmethod
    def of(cls, query: Query, columns: Mapping[str, Column], rows: int) -> SelectPlan:
        """A program for items that are all of rows."""
        needed = NeededRow(columns)
        needed.learn(lambda row: _computed(query, row))
        needs = needed.needs_of(columns)
        with program("query") as p:
            count = row_count(p)
            buffers = decoded(p, columns, needs, count)
            results = {name: _results(p, name, value) for name, value in _values(query)}
            with select(*buffers.values(), rows=count) as asked:
                row = DecodedRow(needs, asked.row)
                if query.predicate is not None:
                    asked.where(as_value(query.predicate.outcome(row).is_true))
                for name, value in _values(query):
                    _ask(asked, row, value, *results[name])
        return cls(p, inputs_of(columns, needs, rows), query, needs)

    def bound(self, columns: Mapping[str, Column], rows: int) -> SelectPlan:
        """The same for other columns of the same forms."""
        return replace(self, inputs=inputs_of(columns, self._needs, rows))

    def found(self, outputs: Mapping[str, Array]) -> list[tuple[RowValue, Array, Array | None]]:
        """The elements of each item, and whether there is one, where that is not everywhere."""
        return [
            (value, outputs[name], outputs.get(f"{name}valid_"))
            for name, value in _values(self.query)
        ]


def _values(query: Query) -> list[tuple[str, RowValue]]:
    """The items, by the names of their results, which no column's buffers have."""
    values = [item.shows for item in query.items if isinstance(item.shows, RowValue)]
    return [(f"answer_{at}_", value) for at, value in enumerate(values)]


def _computed(query: Query, row: Row) -> None:
    """Compute all that is asked of a row."""
    if query.predicate is not None:
        query.predicate.outcome(row)
    for _, value in _values(query):
        value.term.value(row)
        value.term.is_valid(row)


def _results(p: Program, name: str, value: RowValue) -> tuple[Buffer, Buffer | None]:
    elements = p.buffer(name, value.term.type, live_out=True)
    if not value.term.is_nullable:
        return elements, None
    return elements, p.buffer(f"{name}valid_", i8, live_out=True)


def _ask(query: Selection, row: Row, value: RowValue, into: Buffer, valid: Buffer | None) -> None:
    query.values(value.term.value(row), into=into)
    if valid is not None:
        query.values(as_value(value.term.is_valid(row)).to(i8), into=valid)
