"""What a query takes of a row: found out first, and then decoded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import i8, i64
from xdsl.ir import Attribute, Block

from vyre_dialect.builder import Buffer, Program, Value, arm, index
from vyre_dialect.columns.column import Column
from vyre_dialect.columns.declarations import input_buffer
from vyre_dialect.columns.packing import Array
from vyre_dialect.columns.query.flags import Flag
from vyre_dialect.columns.query.rows import Row
from vyre_dialect.ir.types import Access, Initial

Marks: TypeAlias = tuple[bool, ...]

_ROWS: Final = "rows_"
"""Where how many rows there are is bound: a name that no buffer of a column has."""


class Need(NamedTuple):
    """A value of each row."""

    column: str
    marks: Marks | None = None
    """Looked up for the codes of the column, if not its elements are meant."""
    is_validity: bool = False
    """Whether there is an element, if not that is meant."""


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
        return self._value(Need(column), self._columns[column].element_type)

    def is_valid(self, column: str) -> Flag:
        """Any mark."""
        return self._value(Need(column, is_validity=True), i8).ne(0)

    def look_up(self, column: str, marks: Marks) -> Value:
        """Any mark."""
        self.needs.setdefault(Need(column))
        return self._value(Need(column, marks), i8)

    def needs_of(self, columns: Mapping[str, Column]) -> list[Need]:
        """What has been asked for; any column where that is nothing, and rows alone count."""
        return list(self.needs) or [Need(next(iter(columns)))]

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
        return self._values[Need(column)]

    def is_valid(self, column: str) -> Flag:
        """What its validity has."""
        return self._values[Need(column, is_validity=True)].ne(0)

    def look_up(self, column: str, marks: Marks) -> Value:
        """What has been looked up."""
        return self._values[Need(column, marks)]


def decoded(
    program: Program, columns: Mapping[str, Column], needs: Sequence[Need], rows: Value
) -> dict[Need, Buffer]:
    """Declare the columns that are needed, and what is looked up for their codes, in a program."""
    buffers = dict[Need, Buffer]()
    for need in needs:
        column = columns[need.column]
        if need.is_validity:
            assert column.validity is not None
            buffers[need] = column.validity.declare(program)
        elif need.marks is None:
            buffers[need] = column.declare(program)
        else:
            codes = buffers[Need(need.column)]
            buffers[need] = _looked_up(program, codes, need.marks, rows, len(buffers))
    return buffers


def _looked_up(program: Program, codes: Buffer, marks: Marks, rows: Value, number: int) -> Buffer:
    """A mark for each row; none for a code that is no place in the table, as null ones may be."""
    table = program.buffer(
        f"marks_{number}_", i8, contents=list(map(int, marks)), access=Access.READ_ONLY
    )
    found = program.buffer(f"marked_{number}_", i8, rows, initial=Initial.UNDEFINED)
    with arm("look_up", rows) as row:
        found[row] = table[codes[row].to(row.type, signed=True)]
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
        column = columns[need.column]
        if need.is_validity:
            assert column.validity is not None
            inputs |= column.validity.inputs
        elif need.marks is None:
            inputs |= column.inputs
    return inputs
