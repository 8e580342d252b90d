"""Arrow tables: random ones, and what columns decode to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import hypothesis.strategies as st
import pyarrow
from xdsl.context import Context

from vyre_dialect.builder import constant, program, select
from vyre_dialect.columns.arrow_values import array_of
from vyre_dialect.columns.column import Column
from vyre_dialect.columns.extras import ArrowArray, ArrowTable, ArrowType
from vyre_dialect.columns.packing import Array
from vyre_dialect.passes.program.expand import ExpandPass
from vyre_dialect.runtime.interpreter import Interpreter

pa: Any = pyarrow
"""Without its stubs, whose types depend on what arrays hold."""

TYPES: Mapping[str, tuple[ArrowType, st.SearchStrategy[object]]] = {
    "i8": (pa.int8(), st.integers(-128, 127)),
    "u16": (pa.uint16(), st.integers(0, 65535)),
    "i32": (pa.int32(), st.integers(-(1 << 31), (1 << 31) - 1)),
    "i64": (pa.int64(), st.integers(-(1 << 63), (1 << 63) - 1)),
    "small": (pa.int64(), st.integers(-3, 9)),
    "bool": (pa.bool_(), st.booleans()),
    "date": (pa.date32(), st.dates()),
    "money": (pa.decimal128(15, 2), st.decimals(-10_000, 10_000, places=2)),
    "f32": (pa.float32(), st.floats(width=32)),
    "f64": (pa.float64(), st.floats()),
    "cents": (pa.float64(), st.integers(-5000, 5000).map(lambda cents: cents / 100)),
    "text": (pa.string(), st.text(max_size=3)),
    "mode": (pa.string(), st.sampled_from(["AIR", "MAIL", "RAIL", "SHIP"])),
}
"""Columns of each type, by name, and what they may hold."""


@st.composite
def tables(draw: st.DrawFn, most_rows: int = 40) -> ArrowTable:
    """Tables of some of the columns, with nulls or without, in runs or not."""
    names = draw(st.lists(st.sampled_from(list(TYPES)), unique=True, min_size=1, max_size=4))
    rows = draw(st.integers(0, most_rows))
    return pa.table({name: _array(draw, name, rows) for name in names})


def _array(draw: st.DrawFn, name: str, rows: int) -> ArrowArray:
    type, values = TYPES[name]
    values = draw(st.sampled_from([values, st.none() | values]))
    run = draw(st.sampled_from([1, 1, 20]))
    drawn = draw(st.lists(values, min_size=-(-rows // run), max_size=-(-rows // run)))
    return pa.array([each for each in drawn for _ in range(run)][:rows], type)


def decoded(columns: Mapping[str, Column]) -> ArrowTable:
    """What columns hold, by the reference interpreter."""
    return pa.table({name: _decoded(column) for name, column in columns.items()})


def _decoded(column: Column) -> ArrowArray:
    elements = _elements(column)
    valid = None if column.validity is None else _elements(column.validity)
    dictionary = None if column.dictionary is None else pa.array(column.dictionary, pa.string())
    return array_of(elements, valid, column.logical_type, dictionary)


def _elements(column: Column) -> Array:
    with program("decode") as p:
        buffer = column.declare(p)
        found = p.buffer("found", column.element_type, live_out=True)
        with select(buffer, rows=constant(column.rows)) as query:
            query.values(query.row[0], into=found)
    module = p.module
    ExpandPass().apply(Context(), module)
    return Interpreter(module).run(dict(column.inputs)).outputs["found"]
