"""What files of Parquet say of their columns before and while these are read."""

from __future__ import annotations

import sys
from datetime import date
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.parquet_values import Decodes, expected, interpreted, pa, pq
from xdsl.dialects.builtin import f64, i8, i32, i64

from vyre_dialect.columns.parquet import Bounds, ParquetError, ParquetFile
from vyre_dialect.columns.parquet.physical import Numbers


@pytest.fixture(scope="module", name="decodes")
def _decodes() -> Decodes:
    return interpreted()


def written(columns: dict[str, Any], **options: Any) -> bytes:
    sink = BytesIO()
    pq.write_table(pa.table(columns), sink, **{"compression": "none"} | options)
    return sink.getvalue()


TABLE: dict[str, Any] = {
    "day": pa.array([date(1994, 1, 1), date(1994, 12, 31), None, date(1995, 6, 1)]),
    "price": pa.array([Decimal("1.50"), Decimal("-2.25"), Decimal("9.00"), Decimal("0.01")]),
    "mode": pa.array(["MAIL", "AIR", "SHIP", "AIR"]),
    "share": pa.array([0.5, float("nan"), -1.5, 2.0]),
    "is late": pa.array([True, False, True, True]),
    "count": pa.array([1, 255, 3, 4], pa.uint8()),
    "great": pa.array([1, 1 << 63, 3, 4], pa.uint64()),
}
FILE = written(TABLE, row_group_size=2, store_decimal_as_integer=True)


def test_columns_say_what_they_are() -> None:
    file = ParquetFile(FILE)
    columns = {name: file.column(name) for name in file.names}
    assert file.rows == 4
    assert [*columns] == [*TABLE]
    assert {name: each.logical_type for name, each in columns.items()} == {
        name: each.type for name, each in TABLE.items()
    }
    types = [i32, i32, i32, f64, i8, i32, i64]
    assert [each.element_type for each in columns.values()] == types
    assert [each.reason for each in columns.values()] == [None] * len(types)
    assert [each.validity is not None for each in columns.values()] == [True] + [False] * 6


def test_buffers_are_named_by_the_place_of_their_column() -> None:
    file = ParquetFile(written({"a b": [1], "a_b": [2], "a_b_1": ["x"]}))
    names = [name for each in file.names for name in file.column(each).inputs]
    assert len(names) == len({*names})
    assert all(name.isidentifier() for name in names)


def test_statistics_bound_row_groups_and_columns() -> None:
    first, second = ParquetFile(FILE).row_groups
    assert (first.number, first.rows, second.number, second.rows) == (0, 2, 1, 2)
    days = [(date(1994, 1, 1), date(1994, 12, 31)), (date(1995, 6, 1),) * 2]
    epoch = date(1970, 1, 1)
    in_days = [Bounds(*((each - epoch).days for each in both)) for both in days]
    assert [first.bounds["day"], second.bounds["day"]] == in_days
    assert first.bounds["price"] == (-225, 150)
    assert second.bounds["mode"] == ("AIR", "SHIP")
    assert first.bounds["share"] == (0.5, 0.5)
    assert first.bounds["is late"] == (0, 1)
    assert first.bounds["count"] == (1, 255)
    assert first.bounds["great"] == (None, None), "as a signed number, it is the least of all"
    column = ParquetFile(FILE).column("price")
    assert (column.minimum, column.maximum) == (-225, 900)
    assert ParquetFile(FILE).column("mode").minimum == "AIR"
    assert ParquetFile(FILE).column("great").maximum is None


def test_without_statistics_nothing_is_known() -> None:
    file = ParquetFile(written(TABLE, write_statistics=False))
    assert {*file.row_groups[0].bounds.values()} == {Bounds(None, None)}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("groups", [[0], [1], [1, 0], []])
def test_some_row_groups_are_read_without_the_others(groups: list[int], decodes: Decodes) -> None:
    file, given = ParquetFile(FILE), pq.ParquetFile(BytesIO(FILE))
    table = given.read_row_groups(groups)
    for name in file.names:
        column = file.column(name, groups)
        assert column.rows == 2 * len(groups)
        assert decodes.column(column) == expected(table.column(name)), name


def test_dictionaries_that_outgrow_their_pages_go_on_plain(decodes: Decodes) -> None:
    values = np.random.default_rng(0).integers(0, 1 << 40, 5000)
    values[::3] = 7
    data = written({"a": values}, dictionary_pagesize_limit=2000, write_batch_size=100)
    column = ParquetFile(data).column("a")
    assert type(column.decoder).__name__ == "Coded"
    assert decodes.column(column) == values.tolist()


@pytest.mark.slow
def test_codes_of_one_row_group_are_none_of_another(decodes: Decodes) -> None:
    """A code too great for the dictionary of its row group is an error, not a value of the next."""
    data = bytearray(written({"a": [1, 2, 3, 1, 5, 6, 7, 5]}, row_group_size=4))
    first = data.index((1).to_bytes(8, "little"))
    codes = data.index(b"\x02\x03\x24", first)  # two bits each: 0, 1, 2, 0
    data[codes + 2] = 0b00_11_01_00
    with pytest.raises(Exception, match="invalid run of packed integers at offset 0"):
        decodes.column(ParquetFile(bytes(data)).column("a"))


@pytest.mark.parametrize("digits", [1, 2, 4, 9, 10, 18])
@pytest.mark.parametrize("has_dictionary", [True, False])
def test_decimals_in_bytes_are_integers(
    digits: int, has_dictionary: bool, decodes: Decodes
) -> None:
    most = 10**digits - 1
    numbers = [0, 1, -1, most, -most, None, most // 3] * 5
    values = [each if each is None else Decimal(each).scaleb(-1) for each in numbers]
    array = pa.array(values, pa.decimal128(digits, 1))
    column = ParquetFile(written({"a": array}, use_dictionary=has_dictionary)).column("a")
    assert (column.element_type, column.reason) == (i32 if digits <= 9 else i64, None)
    assert (column.minimum, column.maximum) == (-most, most)
    assert decodes.column(column) == numbers


@pytest.mark.parametrize("digits", [19, 38])
def test_wide_decimals_of_short_values_are_integers(digits: int, decodes: Decodes) -> None:
    most = 10**18 - 1
    numbers = [0, 1, -1, most, -most, None]
    values = [each if each is None else Decimal(each).scaleb(-5) for each in numbers]
    column = ParquetFile(written({"a": pa.array(values, pa.decimal128(digits, 5))})).column("a")
    assert decodes.column(column) == numbers
    longer = pa.array([Decimal(most + 1).scaleb(-5)], pa.decimal128(digits, 5))
    with pytest.raises(ParquetError, match="more than 18 digits"):
        ParquetFile(written({"a": longer})).column("a")


def test_decimals_that_claim_less_than_they_have_are_errors() -> None:
    """Sixteen bytes that are said to have three digits."""
    numbers = Numbers(np.dtype(np.int64), 16, is_big_endian=True)
    for number in (1 << 63, -(1 << 63) - 1, 1 << 100):
        with pytest.raises(ParquetError, match="expected decimals of up to 18 digits"):
            numbers.read(number.to_bytes(16, "big", signed=True), 1)
    least = -(1 << 63)
    assert numbers.read(least.to_bytes(16, "big", signed=True), 1).tolist() == [least]


FIXED = "its values are of FIXED_LEN_BYTE_ARRAY"


@pytest.mark.parametrize(
    ("array", "reason"),
    [
        (pa.array([1, 2], pa.uint32()), "its values are unsigned, of 32 bits"),
        (pa.array([b"abcd"], pa.binary(4)), f"{FIXED}, and stand for fixed_size_binary[4]"),
        (pa.array([0.5], pa.float16()), f"{FIXED}, and stand for halffloat"),
    ],
)
def test_what_pyarrow_decodes_says_why(array: Any, reason: str, decodes: Decodes) -> None:
    column = ParquetFile(written({"a": array})).column("a")
    assert column.reason == f"column 'a' is decoded on the host: {reason}"
    assert type(column.decoder).__name__ == "Plain"
    assert len(decodes.column(column)) == len(array)


@pytest.mark.parametrize(
    "array",
    [pa.array([[1]]), pa.array([{"b": 1}])],
    ids=str,
)
def test_what_has_no_elements_is_an_error(array: Any) -> None:
    with pytest.raises(ParquetError, match=r"'bytes', column 'a': it has values of .*leave it out"):
        ParquetFile(written({"a": array})).column("a")


def test_columns_that_are_not_there_are_errors() -> None:
    message = "'bytes' has no one column 'b', expected one of 'a'"
    with pytest.raises(ParquetError, match=message):
        ParquetFile(written({"a": [1]})).column("b")


def test_row_groups_that_are_not_there_are_errors() -> None:
    with pytest.raises(ParquetError, match="expected row groups from 0 to 1, got 2"):
        ParquetFile(FILE).column("day", [0, 2])
    with pytest.raises(ParquetError, match="expected row groups from 0 to 1, got -1"):
        ParquetFile(FILE).column("day", [-1])


def test_without_pyarrow_an_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ParquetError, match="need pyarrow, which is not installed: pip install"):
        ParquetFile(FILE)


def test_what_is_no_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ParquetError, match=r"cannot read '.*nothing\.parquet': No such file"):
        ParquetFile(tmp_path / "nothing.parquet")
    with pytest.raises(ParquetError, match="'bytes': expected a file of Parquet"):
        ParquetFile(b"PAR")
