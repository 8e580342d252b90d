"""The columns of the Star Schema Benchmark are as it says, and its queries mean its joins."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.columns import same_answer
from benchmarks.rivals import LeftOut
from benchmarks.rivals.tables import OF_FILES, duckdb_join
from benchmarks.ssb import QUERIES, days, lineorder, lines
from benchmarks.tpch import QUERIES as TPCH
from vyre_dialect.runtime.queries import query

SCALE = 0.002


def test_days_are_those_of_seven_years() -> None:
    table = days()
    assert [int(table["d_datekey"][at]) for at in (0, 59, -1)] == [19920101, 19920229, 19981230]
    assert len(table["d_datekey"]) == 2556
    assert np.array_equal(table["d_datekey"] // 100, table["d_yearmonthnum"])
    assert np.array_equal(table["d_datekey"] // 10000, table["d_year"])
    assert (table["d_weeknuminyear"].min(), table["d_weeknuminyear"].max()) == (1, 53)


def test_lines_are_as_the_specification_says() -> None:
    table = lines(SCALE)
    rows = len(table["lo_orderkey"])
    assert rows == pytest.approx(6_000_000 * SCALE, rel=0.05)
    for name, low, high in (
        ("lo_linenumber", 1, 7),
        ("lo_quantity", 1, 50),
        ("lo_discount", 0, 10),
        ("lo_partkey", 1, 200_000),
    ):
        assert low == table[name].min() or name == "lo_partkey"
        assert table[name].min() >= low
        assert table[name].max() <= high
    assert set(table["lo_orderdate"]) <= set(days()["d_datekey"])
    assert table["lo_orderdate"].max() <= 19980802
    of_order = [np.unique(table["lo_orderdate"][table["lo_orderkey"] == key]) for key in (1, 2, 33)]
    assert all(len(each) == 1 for each in of_order)
    unit = table["lo_extendedprice"] / table["lo_quantity"]
    assert np.array_equal(unit, unit.round())
    assert np.array_equal(
        table["lo_revenue"],
        table["lo_extendedprice"].astype(np.int64) * (100 - table["lo_discount"]) // 100,
    )


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", QUERIES)
def test_queries_are_the_joins_that_they_stand_for(name: str, tmp_path: Path) -> None:
    table, rows, asked = days(), lines(SCALE), QUERIES[name]
    assert asked.product is not None
    passes = {
        "ssb_q1.1": table["d_year"] == 1993,
        "ssb_q1.2": table["d_yearmonthnum"] == 199401,
        "ssb_q1.3": (table["d_weeknuminyear"] == 6) & (table["d_year"] == 1994),
    }[name]
    counts = np.isin(rows["lo_orderdate"], table["d_datekey"][passes])
    for column in ("lo_discount", "lo_quantity"):
        low, high = asked.product.ranges[column]
        assert isinstance(low, int) and isinstance(high, int)
        counts &= (rows[column] >= low) & (rows[column] <= high)
    revenue = rows["lo_extendedprice"].astype(np.int64) * rows["lo_discount"]
    path = lineorder(SCALE, tmp_path)
    found = query(path, select=asked.select, where=asked.where, device="reference").to_pylist()
    assert found == [{"revenue": int(revenue[counts].sum())}]
    assert counts.any()


@pytest.mark.parametrize("rival", OF_FILES)
@pytest.mark.parametrize("name", QUERIES)
def test_rivals_answer_the_same(name: str, rival: str, tmp_path: Path) -> None:
    pytest.importorskip(rival.partition(" ")[0])
    path, asked = lineorder(SCALE, tmp_path), QUERIES[name]
    expected = query(path, select=asked.select, where=asked.where, device="reference")
    assert same_answer(OF_FILES[rival](asked, path, 1)(), expected.to_pylist())


def test_a_query_without_a_join_is_not_asked_as_one(tmp_path: Path) -> None:
    with pytest.raises(LeftOut, match="the query has no join"):
        duckdb_join(TPCH["q6"], tmp_path, 1)
