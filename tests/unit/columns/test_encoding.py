"""Tables come back from the layouts that they are packed in."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from support.tables import decoded, pa, tables

from vyre_dialect.columns.encoding import encode, encode_column
from vyre_dialect.columns.errors import QueryError
from vyre_dialect.columns.extras import ArrowArray, ArrowTable
from vyre_dialect.columns.layouts import Coded, Decimals, Packed, Plain, Runs
from vyre_dialect.columns.packing import Array
from vyre_dialect.ops.packed import Layout


def same(table: ArrowTable, other: ArrowTable) -> bool:
    """Whether tables are equal, with the bits of floats."""
    pairs = zip(table.columns, other.columns, strict=True)
    return table.schema.types == other.schema.types and all(_same(*pair) for pair in pairs)


def _same(one: ArrowArray, other: ArrowArray) -> bool:
    if not pa.types.is_floating(one.type):
        return one.equals(other)
    return _bits(one) == _bits(other)


def _bits(floats: ArrowArray) -> list[str | None]:
    return [
        None if each is None else np.float64(each).tobytes().hex() for each in floats.to_pylist()
    ]


@pytest.mark.slow
@given(tables())
def test_tables_come_back(table: ArrowTable) -> None:
    assert same(table, decoded(encode(table)))


@pytest.mark.one_in(18)
@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize("rows", [0, 1, 63, 64, 65, 1023, 1024, 1025, 2500])
def test_packed_integers_come_back_at_every_length(rows: int, interleaved: bool) -> None:
    random = np.random.default_rng(rows)
    table = pa.table(
        {
            f"of_{bits}": random.integers(
                -(1 << bits - 1), (1 << bits - 1) - 1, rows, endpoint=True
            )
            for bits in (1, 7, 32, 33, 64)
        }
    )
    assert decoded(encode(table, interleaved=interleaved)).equals(table)


def test_columns_take_the_bits_that_their_range_needs() -> None:
    days = pa.array([date(1994, 1, 1), date(1994, 1, 9)] * 50)
    column = encode_column("days", days)
    assert isinstance(column.layout, Packed)
    assert (column.layout.bits, column.layout.base) == (4, 8766)
    assert (column.minimum, column.maximum) == (8766, 8774)


@pytest.mark.parametrize(
    ("values", "layout"),
    [
        (np.arange(1000) % 17, Packed),
        (np.repeat([1, 1 << 40], 500), Runs),
        ((np.arange(1000) % 2) << 40, Coded),
        (np.arange(1000) % 100 / 100, Decimals),
        (np.random.default_rng(1).standard_normal(1000), Plain),
    ],
)
def test_the_smallest_layout_is_taken(values: Array, layout: type[object]) -> None:
    column = encode_column("x", pa.array(values))
    assert isinstance(column.layout, layout)
    assert column.bytes <= values.nbytes
    assert decoded({"x": column})["x"].to_pylist() == values.tolist()


def test_lanes_are_taken_where_asked_for() -> None:
    column = encode_column("x", pa.array(np.arange(5000)), layout=Layout.INTERLEAVED)
    assert isinstance(column.layout, Packed)
    assert column.layout.layout is Layout.INTERLEAVED


def test_floats_that_are_no_decimals_are_patched() -> None:
    values = np.arange(1000) % 100 / 100
    values[[3, 500]] = np.nan, np.pi
    column = encode_column("x", pa.array(values))
    assert isinstance(column.layout, Decimals)
    assert column.layout.positions.tolist() == [3, 500]
    back = decoded({"x": column})["x"].to_numpy()
    np.testing.assert_array_equal(back.view(np.int64), values.view(np.int64))


def test_strings_are_codes_in_their_order() -> None:
    column = encode_column("x", pa.array(["b", "a", None, "c", "a"]))
    assert column.dictionary == ["a", "b", "c"]
    assert (column.minimum, column.maximum) == ("a", "c")
    assert decoded({"x": column})["x"].to_pylist() == ["b", "a", None, "c", "a"]


def test_types_with_a_plain_counterpart_become_it() -> None:
    arrays = {
        "large": pa.array(["x", None], pa.large_string()),
        "coded": pa.array(["y", "x"]).dictionary_encode(),
        "half": pa.array([1.5, 2.5], pa.float16()),
        "long": pa.array([Decimal("1.25"), None], pa.decimal256(30, 2)),
        "ms": pa.array([date(2000, 1, 1), None], pa.date64()),
        "chunks": pa.chunked_array([[1], [2]]),
    }
    back = decoded(encode(pa.table(arrays)))
    assert back.to_pydict() == {name: array.to_pylist() for name, array in arrays.items()}


def test_columns_of_similar_names_have_buffers_of_their_own() -> None:
    names = ["a", "a_codes", "a b", "a_b", "a-b", "1", "a_1", "answer_0", "é"]
    columns = encode(pa.table({name: [1, 2] for name in names}))
    inputs = [each for column in columns.values() for each in column.inputs]
    assert len(set(inputs)) == len(names)
    assert all(each.isidentifier() for each in inputs)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (pa.array([[1]]), "column 'x' is of list<item: int64>: queries know"),
        (pa.array([b"x"]), "column 'x' is of binary: queries know"),
        (pa.array([1 << 63], pa.uint64()), "column 'x' has 9223372036854775808, and queries"),
        (pa.array([Decimal(10**20)]), "column 'x' has decimals of more than 18 digits"),
    ],
)
def test_what_is_not_known_is_refused(array: ArrowArray, message: str) -> None:
    with pytest.raises(QueryError, match=message):
        encode_column("x", array)
