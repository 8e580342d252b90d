"""What a query takes of a row: found out first, and then decoded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import i8, i64
from xdsl.ir import Attribute, Block

from vyre_dialect.builder import Buffer, Program, Value, arm, index
from vyre_dialect.columns.column import Column
from vyre_dialect.columns.declarations import input_buffer
from vyre_dialect.columns.packing import Array
from vyre_dialect.columns.query.flags import Flag
from vyre_dialect.columns.query.rows import Row, Table
from vyre_dialect.ir.types import Access, Initial

_ROWS: Final = "rows_"
"""Where how many rows there are is bound: a name that no buffer of a column has."""


@dataclass(frozen=True)
class Element:
    """What a column has for each row."""

    column: str


@dataclass(frozen=True)
class Validity:
    """Whether it has anything."""

    column: str


@dataclass(frozen=True)
class Found:
    """What a table has for each row."""

    table: Table


Need: TypeAlias = Element | Validity | Found
"""What a query takes of each row."""


class NeededRow(Row):
    """A row of no program, which learns what is asked of it."""

    def __init__(self, columns: Mapping[str, Column]):
        super().__init__()
        self._columns, self._block = columns, Block()
        self.needs = dict[Need, None]()

    def learn(self, compute: Callable[[Row], object]) -> None:
        """Find out what a computation takes; what it builds is forgotten."""
        with ImplicitBuilder(self._block):
            compute(self)

    def element(self, column: str) -> Value:
        """Any value of the column's type."""
        return self._value(Element(column), self._columns[column].element_type)

    def is_valid(self, column: str) -> Flag:
        """Any mark."""
        return self._value(Validity(column), i8).ne(0)

    def look_up(self, table: Table) -> Value:
        """Any byte, once it is known what that is looked up by."""
        table.sought(self)
        return self._value(Found(table), i8)

    def needs_of(self, columns: Mapping[str, Column]) -> list[Need]:
        """What has been asked for; any column where that is nothing, and rows alone count."""
        return list(self.needs) or [Element(next(iter(columns)))]

    def _value(self, need: Need, type: Attribute) -> Value:
        self.needs.setdefault(need)
        return Value(self._block.insert_arg(type, len(self._block.args)))


class DecodedRow(Row):
    """A row in the body of a query."""

    def __init__(self, needs: Sequence[Need], values: Sequence[Value]):
        super().__init__()
        self._values = dict(zip(needs, values, strict=True))

    def element(self, column: str) -> Value:
        """The column's element."""
        return self._values[Element(column)]

    def is_valid(self, column: str) -> Flag:
        """What its validity has."""
        return self._values[Validity(column)].ne(0)

    def look_up(self, table: Table) -> Value:
        """What has been looked up."""
        return self._values[Found(table)]


class StoredRow(Row):
    """A row of buffers that are decoded."""

    def __init__(self, buffers: Mapping[Need, Buffer], row: Value):
        super().__init__()
        self._buffers, self._row = buffers, row

    def element(self, column: str) -> Value:
        """A load."""
        return self._buffers[Element(column)][self._row]

    def is_valid(self, column: str) -> Flag:
        """A load."""
        return self._buffers[Validity(column)][self._row].ne(0)

    def look_up(self, table: Table) -> Value:
        """A load."""
        return self._buffers[Found(table)][self._row]


def decoded(
    program: Program, columns: Mapping[str, Column], needs: Sequence[Need], rows: Value
) -> dict[Need, Buffer]:
    """Declare the columns that are needed, and what is looked up for them, in a program."""
    buffers = dict[Need, Buffer]()
    for need in needs:
        match need:
            case Found(table):
                buffers[need] = _looked_up(program, table, buffers, rows)
            case Validity(name):
                validity = columns[name].validity
                assert validity is not None
                buffers[need] = validity.declare(program)
            case Element(name):
                buffers[need] = columns[name].declare(program)
    return buffers


def _looked_up(program: Program, table: Table, known: Mapping[Need, Buffer], rows: Value) -> Buffer:
    """What a table has for each row."""
    number = len(known)
    contents = program.buffer(
        f"table_{number}_", table.type, contents=table.contents, access=Access.READ_ONLY
    )
    found = program.buffer(f"found_{number}_", i8, rows, initial=Initial.UNDEFINED)
    with arm("look_up", rows) as row:
        found[row] = table.found(contents, table.sought(StoredRow(known, row)))
    return found


def row_count(program: Program) -> Value:
    """How many rows there are, which the host binds: files of other lengths are asked alike."""
    return input_buffer(program, _ROWS, i64)[0].to(index)


def most_rows(rows: int) -> int:
    """As many rows as a program for so many is made for: files of about one length share it."""
    return 1 << rows.bit_length()


def inputs_of(columns: Mapping[str, Column], needs: Sequence[Need], rows: int) -> dict[str, Array]:
    """What to bind for those that are needed, and so many rows."""
    inputs: dict[str, Array] = {_ROWS: np.array([rows])}
    for need in needs:
        match need:
            case Found():
                continue
            case Validity(name):
                validity = columns[name].validity
                assert validity is not None
                inputs |= validity.inputs
            case Element(name):
                inputs |= columns[name].inputs
    return inputs
