"""Queries in words give what SQL says, by Python's own arithmetic, row by row."""

from __future__ import annotations

import re
from collections import defaultdict
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given
from support.row_queries import (
    AGGREGATES,
    Expression,
    Row,
    aggregates_of,
    as_exact,
    conditions,
    numbers,
    row_tables,
)
from support.tables import pa

from vyre_dialect.columns.extras import ArrowTable
from vyre_dialect.columns.query.statement import Statement
from vyre_dialect.columns.query.strings import like
from vyre_dialect.columns.sources import TableSource
from vyre_dialect.runtime.queries import plan_of, query

KEYS = ("k", "s", "b", "d", "n")


@pytest.mark.slow
@given(row_tables(), conditions(), numbers())
def test_aggregates_are_those_of_the_rows_that_count(
    table: ArrowTable, where: Expression, value: Expression
) -> None:
    rows = [row for row in table.to_pylist() if where.of(row) is True]
    answer = query(
        table, select=AGGREGATES.format(value.text), where=where.text, device="reference"
    )
    assert as_exact(answer.to_pylist()) == [aggregates_of(rows, value)]


@pytest.mark.slow
@given(row_tables(), st.none() | conditions(1), numbers(1))
def test_rows_are_those_that_count_in_their_order(
    table: ArrowTable, where: Expression | None, value: Expression
) -> None:
    rows = [row for row in table.to_pylist() if where is None or where.of(row) is True]
    answer = query(
        table,
        select=f"*, {value.text} as value",
        where=None if where is None else where.text,
        device="reference",
    )
    assert answer.select(table.column_names).to_pylist() == rows
    found = as_exact(answer.select(["value"]).to_pylist())
    assert found == [{"value": value.of(row)} for row in rows]


@pytest.mark.slow
@given(row_tables(), st.lists(st.sampled_from(KEYS), unique=True, min_size=1, max_size=2))
def test_groups_are_those_of_the_rows(table: ArrowTable, keys: list[str]) -> None:
    groups = defaultdict[tuple[Any, ...], list[Row]](list)
    for row in table.to_pylist():
        groups[tuple(row[key] for key in keys)].append(row)
    value = Expression("m", lambda row: None if row["m"] is None else Fraction(row["m"]))
    answer = query(
        table, select=AGGREGATES.format("m"), group_by=", ".join(keys), device="reference"
    )
    found = {tuple(row.pop(key) for key in keys): row for row in as_exact(answer.to_pylist())}
    assert found == {key: aggregates_of(rows, value) for key, rows in groups.items()}
    assert answer.column_names[: len(keys)] == keys


def test_answers_have_the_types_of_what_they_are_of() -> None:
    table = pa.table({"m": pa.array([Decimal("1.25")], pa.decimal128(7, 2)), "n": [3]})
    answer = query(
        table,
        select="sum(m), sum(n), avg(n), min(m), max(m * m) as square, count(n), first_position()",
        device="reference",
    )
    assert [str(each) for each in answer.schema.types] == [
        "decimal128(38, 2)",
        "int64",
        "double",
        "decimal128(7, 2)",
        "decimal128(38, 4)",
        "int64",
        "int64",
    ]


def test_sums_of_more_than_64_bits_are_exact() -> None:
    large = (1 << 62) + 12345
    table = pa.table({"n": pa.array([large, large, -7, large], pa.int64())})
    answer = query(table, select="sum(n) as total, avg(n) as mean", device="reference")
    assert answer.to_pylist() == [
        {"total": Decimal(3 * large - 7), "mean": float(Fraction(3 * large - 7, 4))}
    ]


def test_floats_are_added_and_compared_as_floats() -> None:
    table = pa.table({"x": [0.5, float("nan"), None, -2.0], "n": [1, 2, 3, 4]})
    answer = query(
        table,
        select="sum(x * n) as total, count(x) as there, min(x / 2) as least",
        where="x <> 0.25 and not x > 1e3 or x is null",
        device="reference",
    ).to_pylist()[0]
    assert answer["there"] == 3
    assert answer["total"] != answer["total"]
    where = query(table, select="n", where="x < 0.75", device="reference")
    assert where.to_pylist() == [{"n": 1}, {"n": 4}]


def test_a_string_of_many_that_are_far_apart_is_looked_up() -> None:
    words = [f"w{number:03}" for number in range(300)]
    table = pa.table({"s": [*words, None, *words]})
    answer = query(table, select="count(*) as n", where="s like '%7'", device="reference")
    assert answer.to_pylist() == [{"n": 60}]


def test_a_table_without_rows_has_an_answer() -> None:
    table = pa.table({"n": pa.array([], pa.int64())})
    answer = query(table, select="count(*) as c, sum(n) as s", device="reference")
    assert answer.to_pylist() == [{"c": 0, "s": None}]
    assert query(table, select="n", device="reference").num_rows == 0
    assert query(table, select="sum(n)", group_by="n", device="reference").num_rows == 0


def test_the_first_position_is_that_of_the_first_row_that_counts() -> None:
    table = pa.table({"n": list(range(100))})
    asked = "first_position() as p"
    assert query(table, select=asked, where="n > 41", device="reference")["p"].to_pylist() == [42]
    none = query(table, select=asked, where="n > 99", device="reference")
    assert none["p"].to_pylist() == [None]


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        ("s like 'a%'", [1, 2]),
        ("s not like 'a%'", [3]),
        ("s ilike 'A%'", [1, 2]),
        ("s not ilike 'A_'", [1, 3]),
        ("s like 'a!%' escape '!'", [2]),
        (r"s like 'a\%'", []),
        ("not s like 'a%'", [3]),
        ("s not in ('a', 'b')", [2]),
        ("s between 'a' and 'a~'", [1, 2]),
        ("s not between 'a' and 'a~'", [3]),
        ("'a' < s", [2, 3]),
        ("s is null", [4]),
        ("b is true", [1]),
        ("b is not true", [2, 3, 4]),
        ("b = (n > 2)", []),
        ("b = (n < 3)", [1, 3]),
        ("b <> (n > 1)", [1, 3]),
        ("not b", [3]),
        ("b", [1]),
        ("n in (1, null)", [1]),
        ("n not in (1, null)", []),
        ("n = case s when 'a' then 1 when 'b' then 3 end", [1, 3]),
        ("if(b, n, 7) = 7", [2, 3, 4]),
        ("n / cast(2 as double) > 1.25", [3, 4]),
        ("cast(n as double) < 1.5", [1]),
        ("1.5 > n", [1]),
        ("n = 1.5", []),
        ("n <> 1.5", [1, 2, 3, 4]),
        ("n < 99999999999999999999", [1, 2, 3, 4]),
        ("d - date '2000-01-01' = 31", [2]),
        ("d = date '2000-01-31' + interval 1 month", [3]),
        ("d < date '2000-01-01' + interval '1' day", [1]),
        ("d + interval 1 day = '2000-01-02'", [1]),
        ("d >= date '2001-02-28' - interval 1 year and d <= '2000-02-29'", [3]),
    ],
)
def test_conditions_mean_what_sql_says(condition: str, rows: list[int]) -> None:
    days = [date(2000, 1, 1), date(2000, 2, 1), date(2000, 2, 29), date(2004, 1, 1)]
    columns = {
        "n": [1, 2, 3, 4],
        "s": ["a", "a%", "b", None],
        "b": [True, None, False, None],
        "d": days,
    }
    answer = query(pa.table(columns), select="n", where=condition, device="reference")
    assert answer["n"].to_pylist() == rows


def test_limits_of_many_digits_are_compared_exactly() -> None:
    table = pa.table({"m": pa.array([Decimal("1.00"), Decimal("0.99")], pa.decimal128(9, 2))})
    above, below = "1." + "0" * 28 + "1", "0." + "9" * 29
    assert query(table, where=f"m = {above}", device="reference").num_rows == 0
    found = query(table, where=f"m <= {below}", device="reference")
    assert found["m"].to_pylist() == [Decimal("0.99")]


def test_patterns_with_many_gaps_are_decided_at_once() -> None:
    table = pa.table({"s": pa.array(["a" * 40 + "c", "a" * 40 + "b"])})
    found = query(table, where=f"s like '{'%a' * 30}%b'", device="reference")
    assert found["s"].to_pylist() == ["a" * 40 + "b"]


@given(st.text("ab", max_size=8), st.text("ab%_", max_size=6))
def test_patterns_match_as_all_ways_to_match_tried(text: str, pattern: str) -> None:
    every = re.compile("".join({"%": ".*", "_": "."}.get(each, each) for each in pattern))
    assert like(pattern)(text) == (every.fullmatch(text) is not None)


def test_rows_are_counted_where_the_first_column_is_of_another_kind() -> None:
    table = pa.table({"lists": pa.array([[1], [2]]), "n": pa.array([1, 2])})
    assert query(table, select="count(*) as c", device="reference")["c"].to_pylist() == [2]


def test_decimals_of_hundreds_are_averaged() -> None:
    table = pa.table({"m": pa.array([Decimal("1E+3"), Decimal("2E+3")], pa.decimal128(5, -2))})
    found = query(table, select="avg(m) as a, sum(cast(m as double)) as s", device="reference")
    assert (found["a"].to_pylist(), found["s"].to_pylist()) == ([1500.0], [3000.0])


def test_cases_in_conditions_of_cases_are_computed_once() -> None:
    asked = "n"
    for number in range(12):
        asked = f"case when {asked} > 1 then 1 when n = {number} then null else 2 end"
    table = pa.table({"n": pa.array([-5, 0, 1, 2, None, 40])})
    part = next(TableSource(table).parts(["n"], lambda _: True))
    program = plan_of(Statement(f"sum({asked}) as x"), part).program
    assert str(program).count("arith.select") < 100


LEAST, MOST = -(1 << 63), (1 << 63) - 1


@pytest.mark.slow
@given(
    st.sets(
        st.integers(-300, 300) | st.sampled_from([LEAST, LEAST + 1, MOST - 1, MOST]), min_size=1
    ),
    st.lists(st.none() | st.integers(-301, 301) | st.sampled_from([LEAST, MOST - 1, MOST])),
    st.integers(0, 2),
)
def test_lists_of_many_numbers(numbers: set[int], values: list[int | None], spread: int) -> None:
    """With others between them, they are no ranges, and looked up."""
    listed = numbers | {each << spread for each in range(-60, 60)}
    table = pa.table({"v": pa.array([*values, None, 0, 1], pa.int64())})
    words = f"v in ({', '.join(map(str, sorted(listed, reverse=True)))})"
    for where, is_listed in ((words, True), (f"not ({words})", False)):
        rows = [v for v in table["v"].to_pylist() if v is not None and (v in listed) is is_listed]
        answer = query(table, select="v", where=where, device="reference")
        assert answer["v"].to_pylist() == rows
