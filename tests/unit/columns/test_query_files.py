"""Queries over files of Parquet give what they give over the table that was written."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from support.row_queries import AGGREGATES, Expression, conditions, numbers, row_tables
from support.tables import pa
from support.tiers import first_quick

from vyre_dialect.columns.extras import ArrowTable, extra
from vyre_dialect.columns.parquet import ParquetFile
from vyre_dialect.columns.query.statement import Statement
from vyre_dialect.runtime.errors import UsageError, VyreError
from vyre_dialect.runtime.queries import query, run_query

WRITTEN = [
    {"compression": "none", "store_decimal_as_integer": True, "row_group_size": 16},
    {"compression": "snappy", "use_dictionary": False, "data_page_version": "2.0"},
    {"compression": "none", "row_group_size": 7, "write_statistics": False},
]
"""Ways in which files are written."""


def write(table: ArrowTable, path: Path, **options: Any) -> Path:
    extra("pyarrow.parquet").write_table(table, path, **options)
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", first_quick(WRITTEN), ids=["as it lies", "on the host", "no statistics"]
)
@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(row_tables(), conditions(1), numbers(0))
def test_files_answer_as_tables_do(
    tmp_path: Path,
    options: dict[str, Any],
    table: ArrowTable,
    where: Expression,
    value: Expression,
) -> None:
    path = write(table, tmp_path / "table.parquet", **options)
    asked = {"select": AGGREGATES.format(value.text), "where": where.text}
    assert query(path, **asked, device="reference").equals(
        query(table, **asked, device="reference")
    )


@pytest.mark.slow
def test_groups_are_of_strings_and_not_of_the_codes_of_a_row_group(tmp_path: Path) -> None:
    table = pa.table({"s": ["b", "a", "b", "c", "a", "a", None, "b"], "n": list(range(8))})
    options = {"row_group_size": 2, "compression": "none"}
    path = write(table, tmp_path / "table.parquet", **options)
    answer = query(path, select="sum(n) as n", group_by="s", device="reference")
    assert answer.to_pydict() == {"s": ["a", "b", "c", None], "n": [10, 9, 3, 6]}


def test_marks_are_looked_up_where_codes_are_missing(tmp_path: Path) -> None:
    words = [None if number % 5 == 0 else f"w{number % 300:03}" for number in range(900)]
    path = write(pa.table({"s": words}), tmp_path / "table.parquet", compression="none")
    answer = query(path, select="count(*) as n", where="s like '%7'", device="reference")
    assert answer["n"].to_pylist() == [sum(word is not None and word[-1] == "7" for word in words)]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("as_integers", [False, True])
def test_statistics_of_decimals_dates_and_strings_skip_row_groups(
    tmp_path: Path, as_integers: bool
) -> None:
    table = pa.table(
        {
            "m": pa.array([Decimal(each) / 100 for each in range(-20, 20)], pa.decimal128(9, 2)),
            "d": [date(1994, 1, 1 + each // 2) for each in range(40)],
            "s": [f"s{each:02}" for each in range(40)],
        }
    )
    options = {"row_group_size": 10, "store_decimal_as_integer": as_integers}
    path = write(table, tmp_path / "table.parquet", compression="none", **options)
    for where, rows in {
        "m < -0.15": 5,
        "d between '1994-01-16' and '1994-01-18'": 6,
        "s = 's33'": 1,
        "s in ('s31', 's39', 's35')": 3,
    }.items():
        result = run_query(path, Statement("count(*) as n", where), device="reference")
        assert result.table["n"].to_pylist() == [rows]
        assert result.skipped == "3 of 4 row groups, by their statistics"


def test_the_statistics_of_decimals_in_bytes_are_signed(tmp_path: Path) -> None:
    table = pa.table({"m": pa.array([Decimal("-1.50"), Decimal("2.25")], pa.decimal128(20, 2))})
    (group,) = ParquetFile(write(table, tmp_path / "table.parquet")).row_groups
    assert group.bounds["m"] == (-150, 225)


def test_unsigned_integers_are_known_where_they_fit(tmp_path: Path) -> None:
    small = pa.table({"u": pa.array([1, 5], pa.uint64())})
    path = write(small, tmp_path / "small.parquet", compression="none")
    assert query(path, select="sum(u) as t", device="reference")["t"].to_pylist() == [6]
    large = pa.table({"u": pa.array([1, (1 << 64) - 1], pa.uint64())})
    path = write(large, tmp_path / "large.parquet", compression="none")
    with pytest.raises(UsageError, match="column 'u' is of uint64, and queries compute with"):
        query(path, select="sum(u) as t", device="reference")


@pytest.mark.slow
def test_bounds_that_no_statistics_say_are_found_first(tmp_path: Path) -> None:
    table = pa.table({"n": [3, None, -7], "k": [10, 20, 30], "none": pa.array([None] * 3, "int64")})
    options = {"compression": "none", "write_statistics": False}
    path = write(table, tmp_path / "table.parquet", **options)
    asked = "sum(n * k) as total, max(n * n) as most, sum(none * none) as nothing"
    answer = query(path, select=asked, where="k > 5", device="reference")
    assert answer.to_pylist() == [{"total": -180, "most": 49, "nothing": None}]
    large = pa.table({"n": [1 << 40]})
    with pytest.raises(UsageError, match="up to 1208925819614629174706176, with 0 digits"):
        query(write(large, path, **options), select="sum(n * n)", device="reference")


@pytest.mark.slow
def test_a_column_without_values_has_an_answer(tmp_path: Path) -> None:
    table = pa.table({"n": pa.array([None, None], pa.int64()), "s": pa.array([None] * 2, "string")})
    path = write(table, tmp_path / "table.parquet", compression="none")
    asked = "count(*) as c, sum(n) as t, max(n) as most, count(s) as there"
    answer = query(path, select=asked, device="reference").to_pylist()
    assert answer == [{"c": 2, "t": None, "most": None, "there": 0}]
    assert query(path, select="s, n", where="s is null", device="reference").num_rows == 2


def test_a_damaged_file_is_one_line(tmp_path: Path) -> None:
    path = write(pa.table({"n": list(range(1000))}), tmp_path / "t.parquet", compression="none")
    path.write_bytes(path.read_bytes()[:500] + path.read_bytes()[900:])
    with pytest.raises(VyreError) as caught:
        query(path, select="sum(n)", device="reference")
    assert "\n" not in str(caught.value)
    assert "t.parquet" in str(caught.value)


def test_columns_whose_names_are_no_identifiers_are_asked(tmp_path: Path) -> None:
    table = pa.table({"2024": pa.array([1, 2, 3]), "1 a": pa.array([4, None, 6])})
    path = write(table, tmp_path / "names.parquet", compression="none")
    found = query(path, select="sum(`2024`) as s, sum(`1 a`) as t", device="reference")
    assert found.to_pydict() == {"s": [6], "t": [10]}


@pytest.mark.parametrize("group_by", [None, "x"])
def test_numbers_that_a_column_has_no_type_for_are_an_error(
    tmp_path: Path, group_by: str | None
) -> None:
    table = pa.table({"x": pa.array([200, 212, 7], pa.uint8())})
    plain = {"use_dictionary": False, "write_statistics": False, "compression": "none"}
    path = write(table, tmp_path / "numbers.parquet", **plain)
    number, negative = ((each).to_bytes(4, "little", signed=True) for each in (212, -300))
    path.write_bytes(path.read_bytes().replace(number, negative))
    with pytest.raises(VyreError, match="a value is none of uint8"):
        query(path, select="count(*)" if group_by else "min(x)", group_by=group_by)
