"""
Arrow's tables as packed columns, each in the layout in which its values take the fewest bytes.

    columns = encode(table)
    with program("p") as p:
        days = columns["l_shipdate"].declare(p)
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects.builtin import Float32Type, f32, f64, i8, i32, i64
from xdsl.ir import Attribute

from vyre_dialect.builder import Buffer, Program
from vyre_dialect.columns.arrow_values import Values, values_of
from vyre_dialect.columns.decimals import decimals_of
from vyre_dialect.columns.extras import ArrowArray, ArrowTable, ArrowType, extra
from vyre_dialect.columns.layouts import Coded, ColumnLayout, Packed, Plain, Runs, width_of
from vyre_dialect.columns.packing import Array
from vyre_dialect.ops.packed import Layout

_SAMPLE = 1 << 14
"""Values by which runs and tables are tried before all are looked at."""
_GAIN = 4
"""
How many times as small runs or a table have to be as packed integers: these are decoded in
registers by shifts, runs by a search and tables by a load for each value.
"""
_OTHERS = re.compile(r"\W", re.ASCII)
_OF_A_PART = re.compile(
    "_(plain|packed|codes|table|ends|digits|exceptions|positions|errors|valid|[0-9]+_?)$"
)
"""What names of buffers end with, and names that are made; of columns, these get more behind."""
_I32 = range(-(1 << 31), 1 << 31)


@dataclass(frozen=True, eq=False)
class EncodedColumn:
    """A column in memory, in one of the layouts."""

    name: str
    rows: int
    element_type: Attribute
    logical_type: ArrowType
    dictionary: list[str] | None
    validity: EncodedColumn | None
    minimum: Any | None
    maximum: Any | None
    layout: ColumnLayout
    identifier: str
    """What the names of its buffers begin with."""
    reason: str | None = None

    @property
    def inputs(self) -> Mapping[str, Array]:
        """The buffers of the layout."""
        contents = self.layout.buffers.items()
        return {f"{self.identifier}_{what}": each for what, each in contents}

    @property
    def bytes(self) -> int:
        """What it takes in memory, with its validity and without the strings of a dictionary."""
        own = sum(each.nbytes for each in self.layout.buffers.values())
        return own + (0 if self.validity is None else self.validity.bytes)

    @property
    def form(self) -> None:
        """A program is made for each: what its layout is, stands in there as numbers."""
        return None

    def declare(self, program: Program) -> Buffer:
        """The decoded buffer."""
        return self.layout.declare(program, self.identifier, self.element_type, self.rows)


def encode(table: ArrowTable, *, interleaved: bool = False) -> dict[str, EncodedColumn]:
    """
    The columns of a table, packed; of `interleaved` ones, integers stand in FastLanes' lanes.
    Raises a QueryError for a column of a type that queries do not know.
    """
    layout = Layout.INTERLEAVED if interleaved else Layout.SEQUENTIAL
    identifiers = _identifiers(table.column_names)
    return {
        name: encode_column(name, table.column(name), layout=layout, identifier=identifier)
        for name, identifier in identifiers.items()
    }


def encode_column(
    name: str,
    array: ArrowArray,
    *,
    layout: Layout = Layout.SEQUENTIAL,
    identifier: str | None = None,
) -> EncodedColumn:
    """One column, packed; the names of its buffers begin with `identifier`. Errors as `encode`."""
    identifier = identifier or next(iter(_identifiers([name]).values()))
    values = values_of(name, array)
    elements, valid = values.elements, values.valid
    validity = None
    if valid is not None:
        validity = _validity(name, valid, layout, f"{identifier}_valid")
        elements = _filled(elements, valid)
    type = _element_type(elements)
    elements = (
        elements if elements.dtype.kind == "f" else elements.astype(f"i{width_of(type) // 8}")
    )
    least, most = _bounds(values, elements)
    return EncodedColumn(
        name=name,
        rows=len(elements),
        element_type=type,
        logical_type=values.type,
        dictionary=values.dictionary,
        validity=validity,
        minimum=least,
        maximum=most,
        layout=_layout_of(elements, type, layout),
        identifier=identifier,
    )


def _validity(name: str, valid: Array, layout: Layout, identifier: str) -> EncodedColumn:
    pa = extra("pyarrow")

    bits = Packed.of(valid.astype(np.int8), 8, layout)
    least, most = int(valid.min()), int(valid.max())
    described = (name, len(valid), i8, pa.bool_(), None, None, least, most)
    return EncodedColumn(*described, bits, identifier)


def _identifiers(names: Sequence[str]) -> dict[str, str]:
    """An identifier for each name, such that no two columns have buffers of one name."""
    found = dict[str, str]()
    for name in names:
        plain = _OTHERS.sub("_", name)
        plain = plain if plain.isidentifier() else f"column_{plain}"
        plain = f"{plain}_column" if _OF_A_PART.search(plain) else plain
        found[name] = plain if plain not in found.values() else f"{plain}_{len(found)}_"
    return found


def _filled(elements: Array, valid: Array) -> Array:
    """Elements with a value of the column in place of what is missing, so that bits stay few."""
    there = elements[valid]
    return np.where(valid, elements, there.min() if there.size else elements.dtype.type(0))


def _element_type(elements: Array) -> Attribute:
    if elements.dtype.kind == "f":
        return f32 if elements.dtype.itemsize == 4 else f64
    if not elements.size or (int(elements.min()) in _I32 and int(elements.max()) in _I32):
        return i32
    return i64


def _bounds(values: Values, elements: Array) -> tuple[Any | None, Any | None]:
    """The least and the greatest; None of floats among which is a NaN, and without values."""
    if values.dictionary is not None:
        return (values.dictionary[0], values.dictionary[-1]) if values.dictionary else (None, None)
    if not elements.size:
        return None, None
    least, most = elements.min().item(), elements.max().item()
    return (least, most) if least == least else (None, None)


def _layout_of(elements: Array, type: Attribute, layout: Layout) -> ColumnLayout:
    if elements.dtype.kind == "f":
        return decimals_of(elements, layout, isinstance(type, Float32Type)) or Plain(elements)
    packed = Packed.of(elements, width_of(type), layout)
    others = [each for each in (_runs(elements), _coded(elements, layout)) if each is not None]
    smallest = min(others, key=_bytes, default=packed)
    return smallest if _bytes(smallest) * _GAIN <= _bytes(packed) else packed


def _bytes(layout: ColumnLayout) -> int:
    return sum(each.nbytes for each in layout.buffers.values())


def _runs(elements: Array) -> Runs | None:
    """Runs, where a sample has few."""
    sample = elements[:_SAMPLE]
    if not sample.size or np.count_nonzero(sample[1:] != sample[:-1]) * 2 * _GAIN > sample.size:
        return None
    return Runs.of(elements)


def _coded(elements: Array, layout: Layout) -> Coded | None:
    """A table, where a sample has few different elements."""
    sample = elements[:_SAMPLE]
    if not sample.size or len(np.unique(sample)) * 2 * _GAIN > sample.size:
        return None
    table, codes = np.unique(elements, return_inverse=True)
    return Coded(Packed.of(codes.astype(np.int32), 32, layout), table)
