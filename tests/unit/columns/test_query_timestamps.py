"""Timestamps without a zone are asked as what they count, in any unit."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tables import pa

from vyre_dialect.columns.encoding import encode
from vyre_dialect.columns.extras import ArrowTable, extra
from vyre_dialect.runtime.errors import UsageError
from vyre_dialect.runtime.queries import query

MOMENTS = [
    datetime(1969, 12, 31, 23, 59, 59),
    datetime(2000, 1, 1),
    datetime(2000, 1, 1, 12, 30),
    None,
    datetime(2024, 2, 29, 1, 2, 3),
]
UNITS = ("s", "ms", "us", "ns")


def table(unit: str) -> ArrowTable:
    return pa.table({"t": pa.array(MOMENTS, pa.timestamp(unit)), "n": list(range(5))})


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        ("t >= timestamp '2000-01-01 00:00:00'", [1, 2, 4]),
        ("t < datetime '2000-01-01'", [0]),
        ("t = '2000-01-01 12:30:00'", [2]),
        ("t > '2000-01-01 12:29:59.999999'", [2, 4]),
        ("t between '1969-12-31' and '2000-01-01T00:00:00'", [0, 1]),
        ("t in ('2000-01-01', '2024-02-29 01:02:03')", [1, 4]),
        ("t <> '2000-01-01 00:00:00.000001'", [0, 1, 2, 4]),
        ("t is null", [3]),
        ("t = t", [0, 1, 2, 4]),
        ("case when n > 1 then t end > '2001-01-01'", [4]),
    ],
)
def test_conditions_are_those_of_moments(unit: str, condition: str, rows: list[int]) -> None:
    found = query(table(unit), select="n", where=condition, device="reference")
    assert found["n"].to_pylist() == rows


@pytest.mark.one_in(4)
@pytest.mark.parametrize("unit", UNITS)
def test_answers_are_timestamps_of_the_unit(unit: str) -> None:
    given = table(unit)
    shown = query(given, select="t, case when n < 3 then t end as c", device="reference")
    assert shown.schema.field("t").type == shown.schema.field("c").type == pa.timestamp(unit)
    assert shown["t"].to_pylist() == given["t"].to_pylist()
    assert shown["c"].to_pylist() == [*given["t"].to_pylist()[:3], None, None]
    found = query(given, select="min(t) as a, max(t) as b, count(t) as c", device="reference")
    assert found.schema.field("a").type == pa.timestamp(unit)
    assert found.to_pylist() == [{"a": given["t"][0].as_py(), "b": given["t"][4].as_py(), "c": 4}]


@pytest.mark.slow
@given(st.lists(st.integers(0, 50), min_size=1, max_size=40), st.sampled_from(UNITS))
def test_groups_and_distinct_values_are_those_of_moments(ticks: list[int], unit: str) -> None:
    begin = {"s": 10**9, "ms": 10**12, "us": 10**15, "ns": 10**18}[unit]
    columns = encode(
        pa.table({"t": pa.array([begin + each for each in ticks], pa.timestamp(unit))})
    )
    found = query(columns, select="count(*) as n", group_by="t", device="reference")
    expected = {each: ticks.count(each) for each in sorted(set(ticks))}
    assert found["t"].cast(pa.int64()).to_pylist() == [begin + each for each in expected]
    assert found["n"].to_pylist() == [*expected.values()]
    distinct = query(columns, select="count(distinct t) as n", device="reference")
    assert distinct["n"].to_pylist() == [len(expected)]


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_files_are_asked_as_duckdb_asks_them(unit: str, tmp_path: Path) -> None:
    path, random = tmp_path / "times.parquet", np.random.default_rng(4)
    begin = datetime(1999, 12, 1)
    moments = [begin + timedelta(seconds=int(each)) for each in random.integers(0, 10**7, 500)]
    columns = {"t": pa.array(moments, pa.timestamp(unit)), "k": random.integers(0, 3, 500)}
    extra("pyarrow.parquet").write_table(pa.table(columns), path, compression="none")
    where = "t >= timestamp '2000-01-01 00:00:00' and t < '2000-02-01'"
    select = "min(t) as a, max(t) as b, count(*) as c"
    found = query(path, select=select, where=where, group_by="k", device="reference").to_pylist()
    assert sum(each["c"] for each in found) == sum(
        datetime(2000, 1, 1) <= each < datetime(2000, 2, 1) for each in moments
    )
    duckdb: Any = pytest.importorskip("duckdb")
    sql = f"select k, {select} from read_parquet('{path}') where {where} group by k order by k"
    assert [tuple(each.values()) for each in found] == duckdb.connect().execute(sql).fetchall()


@pytest.mark.parametrize(
    ("select", "where", "message"),
    [
        ("n", "t > '2000-13-01'", "expected a timestamp as '1994-01-31 12:00:00', with up to six"),
        ("n", "t > '2000-01-01 00:00:00.1234567'", "with up to six digits behind the point"),
        ("n", "t > '2000-01-01T00:00:00+01:00'", "no zone, got '2000-01-01T00:00:00+01:00'"),
        ("n", "t > 3", "cannot compare a timestamp with a number"),
        ("n", "t > date '2000-01-01'", "cannot compare a timestamp with a date"),
        ("n", "t = other", "expected timestamps that count the same unit: cast one of the columns"),
        ("t + 1 as u", None, "cannot compute timestamp + number"),
        ("t - t as u", None, "cannot compute timestamp - timestamp"),
        ("sum(t)", None, "expected a number in 'sum', got a timestamp"),
        ("max(t) - min(t)", None, "cannot compute timestamp - timestamp"),
        ("cast(t as double) as u", None, "expected a number, got a timestamp"),
        ("zoned", None, "queries know integers, decimals of up to 38 digits, floats, booleans"),
    ],
)
def test_what_timestamps_are_not_asked(select: str, where: str | None, message: str) -> None:
    given = table("ms").append_column("other", pa.array(MOMENTS, pa.timestamp("us")))
    given = given.append_column("zoned", pa.array(MOMENTS, pa.timestamp("us", "UTC")))
    with pytest.raises(UsageError) as caught:
        query(given, select=select, where=where, device="reference")
    assert message in str(caught.value)
