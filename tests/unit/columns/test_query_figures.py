"""What is computed of aggregates, and how many values are distinct, is what SQL says."""

from __future__ import annotations

from collections import defaultdict
from datetime import date
from decimal import Decimal
from fractions import Fraction
from math import inf, nan
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from support.row_queries import Expression, Row, as_exact, conditions, row_tables
from support.tables import pa

from vyre_dialect.columns.extras import ArrowTable, extra
from vyre_dialect.runtime.errors import UsageError
from vyre_dialect.runtime.queries import query

TABLE = pa.table(
    {
        "n": [1, 2, 2, None, 5],
        "k": [0, 0, 1, 1, 1],
        "s": ["a", "b", "a", "a", None],
        "m": pa.array(map(Decimal, ("1.25", "2", "3", "4", "-0.5")), pa.decimal128(9, 2)),
        "d": [date(2000, 1, 1)] * 4 + [date(2001, 1, 1)],
        "x": [0.5, 1.5, 2.5, 3.0, 4.0],
    }
)


def answer(select: str, **asked: Any) -> Any:
    """The one value of the one row."""
    (row,) = query(TABLE, select=select, **asked, device="reference").to_pylist()
    (value,) = row.values()
    return value


@pytest.mark.parametrize(
    ("select", "expected"),
    [
        ("sum(n) / count(n)", 2.5),
        ("sum(n) / sum(m)", 10 / 9.75),
        ("sum(m) * 2 + 1", Decimal("20.50")),
        ("1 - (sum(n) - 0.5)", Decimal("-8.5")),
        ("-sum(n)", -10),
        ("sum(m) * sum(m)", Decimal("95.0625")),
        ("100.0 * sum(case when k = 1 then m else 0 end) / sum(m)", 100 * 6.5 / 9.75),
        ("sum(m) filter (where k = 1) - sum(m) filter (where k = 0)", Decimal("3.25")),
        ("max(d) - min(d)", 366),
        ("max(d) + 7", date(2001, 1, 8)),
        ("cast(sum(m) as double)", 9.75),
        ("avg(m) * 100", 195.0),
        ("sum(x) / 2", 5.75),
        ("sum(x) - sum(n)", 1.5),
        ("sum(n) / 0", inf),
        ("-sum(x) / (count(*) - 5)", -inf),
        ("sum(n) + sum(n) filter (where k > 5)", None),
        ("0.1 + count(*)", Decimal("5.1")),
        ("count(distinct n)", 3),
        ("count(distinct s)", 2),
        ("count(distinct m * 2)", 5),
        ("count(distinct n > 1)", 2),
        ("count(distinct d)", 2),
        ("count(distinct s) filter (where n = 2)", 2),
        ("count(distinct n) / count(*)", 0.6),
    ],
)
def test_figures_are_what_sql_says(select: str, expected: object) -> None:
    found = answer(select)
    assert found == (
        pytest.approx(expected, rel=1e-15) if isinstance(expected, float) else expected
    )
    assert type(found) is type(expected)


@pytest.mark.parametrize("of", ["n", "x"])
def test_nothing_over_nothing_is_no_number(of: str) -> None:
    assert answer(f"(sum({of}) - sum({of})) / (sum(n) - 10)") == pytest.approx(nan, nan_ok=True)


def test_a_quotient_is_rounded_once() -> None:
    one, other = 1088923384270674083, 109416639716314140
    table = pa.table({"a": [one], "b": [other]})
    found = query(table, select="sum(a) / sum(b) as q", device="reference")["q"][0].as_py()
    assert found == float(Fraction(one, other)) != float(one) / float(other)


@pytest.mark.slow
@given(row_tables(), conditions(1), st.lists(st.sampled_from("ks"), unique=True, max_size=2))
def test_distinct_values_are_counted_by_groups(
    table: ArrowTable, where: Expression, keys: list[str]
) -> None:
    groups = defaultdict[tuple[Any, ...], list[Row]](list)
    groups.update({} if keys else {(): []})
    for row in table.to_pylist():
        if where.of(row) is True:
            groups[tuple(row[key] for key in keys)].append(row)
    found = query(
        table,
        select="count(distinct n) as ns, count(distinct b) as bs, count(*) as r, sum(m) as t",
        where=where.text,
        group_by=", ".join(keys) or None,
        device="reference",
    )
    rows = as_exact(found.to_pylist())
    assert {tuple(row.pop(key) for key in keys): row for row in rows} == {
        key: {
            "ns": len({row["n"] for row in group} - {None}),
            "bs": len({row["b"] for row in group} - {None}),
            "r": len(group),
            "t": sum(t) if (t := [Fraction(r["m"]) for r in group if r["m"] is not None]) else None,
        }
        for key, group in groups.items()
    }


def test_distinct_values_of_several_files_are_counted_once(tmp_path: Path) -> None:
    pq, paths = extra("pyarrow.parquet"), [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for path, words in zip(paths, (["x", "y"], ["y", "z", "w"]), strict=True):
        pq.write_table(pa.table({"s": words}), path)
    found = query(paths, select="count(distinct s) as n, count(*) as r", device="reference")
    assert found.to_pylist() == [{"n": 4, "r": 5}]


def _many_rows() -> ArrowTable:
    """Rows of the columns of `TABLE`, nulls among them."""
    random = np.random.default_rng(5)
    return TABLE.take(pa.array(random.integers(0, TABLE.num_rows, 300)))


@pytest.mark.parametrize(
    ("select", "group_by"),
    [
        ("sum(n) / sum(k) as a, avg(n) - avg(k) as b, count(distinct m) as c", None),
        ("sum(m) * 2 + 1 as a, sum(n) / count(*) as b, count(distinct s) as c", "k"),
        ("sum(x) as a, avg(x * n) as b, sum(x) / sum(n) as c", "k"),
        ("max(d) - min(d) as a, count(distinct n) filter (where k < 3) as b", "s"),
        ("sum(n) / (count(*) - count(*)) as a, -sum(m) as b, sum(x) / 0 as c", None),
    ],
)
def test_duckdb_says_the_same(select: str, group_by: str | None) -> None:
    duckdb: Any = pytest.importorskip("duckdb")
    table = _many_rows()
    found = query(table, select=select, group_by=group_by, device="reference").to_pylist()
    keys = "" if group_by is None else f"{group_by}, "
    tail = "" if group_by is None else f" group by {group_by} order by {group_by} nulls last"
    connection = duckdb.connect()
    connection.register("t", table)
    rows = connection.execute(f"select {keys}{select} from t{tail}")
    names = [column[0] for column in rows.description]
    expected = [dict(zip(names, row, strict=True)) for row in rows.fetchall()]
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert one == {
            name: pytest.approx(value, rel=1e-12) if isinstance(value, float) else value
            for name, value in other.items()
        }


@pytest.mark.parametrize(
    ("select", "group_by", "message"),
    [
        ("count(distinct x)", None, "character 16: cannot count distinct floats: count integers"),
        ("sum(distinct n)", None, "character 14: 'distinct' is known in 'count' alone"),
        ("count(distinct n, k)", None, "character 16: expected one value behind 'distinct'"),
        (
            "sum(n) + k",
            None,
            "character 10: 'k' is of rows, beside what is of groups: aggregate it",
        ),
        ("sum(n) * k", "k", "character 10: 'k' is of rows, beside what is of groups: aggregate it"),
        ("1 + sum(n) + max(d) / 2", None, "cannot compute date / number"),
        ("max(d) + 0.5", None, "character 1: expected a whole number of days with a date"),
        ("case when sum(n) > 1 then 1 end", None, "is nothing that is known of groups: aggregates"),
        ("sum(n) / sum(nope)", None, "unknown column 'nope'"),
        ("sum(n) + 'a'", None, "expected a column or what is computed, got a string"),
    ],
)
def test_what_is_no_figure(select: str, group_by: str | None, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        query(TABLE, select=select, group_by=group_by, device="reference")
    assert message in str(caught.value)


def test_too_many_values_to_be_told_apart_are_refused() -> None:
    table = pa.table({"n": [0, 40_000], "k": [0, 1]})
    with pytest.raises(UsageError, match="what is counted distinct may have 2 · 40001"):
        query(table, select="count(distinct n)", group_by="k", device="reference")
