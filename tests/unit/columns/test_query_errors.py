"""What is wrong with a query is said in one line, with its place."""

from __future__ import annotations

from contextlib import suppress
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tables import pa

from vyre_dialect.columns.errors import QueryError
from vyre_dialect.columns.query.predicates import And, InRange
from vyre_dialect.columns.query.statement import Statement
from vyre_dialect.columns.sources import TableSource
from vyre_dialect.runtime.errors import UsageError
from vyre_dialect.runtime.queries import plan_of, query

TABLE = pa.table(
    {
        "l_shipdate": pa.array([date(1994, 1, 1), date(1998, 1, 1)]),
        "l_quantity": pa.array([Decimal("1.00"), Decimal("50.00")], pa.decimal128(15, 2)),
        "l_orderkey": pa.array([1, 1 << 40]),
        "l_shipmode": pa.array(["AIR", "MAIL"]),
        "price": pa.array([0.5, 1.5]),
        "tags": pa.array([[1], [2]]),
    }
)


@pytest.mark.parametrize(
    ("where", "message"),
    [
        (
            "l_shipdat > 3",
            "where: character 1: unknown column 'l_shipdat': did you mean 'l_ship",
        ),
        (
            "l_quantity < 24 and",
            "where: character 17: expected something behind 'and', got nothing",
        ),
        ("'x", "where: character 1: there is no end for this '"),
        ("l_quantity > 1 /* all", "where: character 16: there is no end for this /*"),
        ("l_quantity >", "where: character 12: expected something behind '>', got nothing"),
        ("l_quantity > 3 && price > 1", "did not expect '&&' here: write 'and'"),
        ("", "where: expected an expression, got nothing"),
        ("l_quantity", "where: character 1: expected a condition, got a number"),
        (
            "1 = 1 and l_shipdate < 24",
            "character 11: cannot compare a date with a number: write a day as date '2026-03-01'",
        ),
        (
            "l_shipdate < '1994-13-01'",
            "expected a date as '1994-01-31', got '1994-13-01'",
        ),
        (
            "l_shipmode = 3",
            "character 1: cannot compare a string with a number: write text in quotes",
        ),
        ("l_shipmode < l_shipmode", "character 1: cannot compare a string with a string"),
        ("l_quantity like 'x'", "character 1: expected a column of strings and a pattern, got"),
        ("l_shipmode like 'x!' escape '!'", "expected a character behind the one that escapes"),
        ("l_quantity / 2 > 1", "exact numbers are not divided exactly: cast one of them, as in"),
        ("l_orderkey * l_orderkey > 1", "values may need more than 64 bits: by the bounds of"),
        ("l_quantity in (1, 2", "character 15: there is no ')' for this '('"),
        ("(l_quantity = 1", "character 1: there is no ')' for this '('"),
        ("l_quantity = 1)", "character 15: there is no '(' for this ')'"),
        ("l_quantity in (select 1)", "character 1: 'query' is not known in"),
        ("l_quantity > 1e999", "character 14: expected a number of up to 100 digits"),
        (
            "upper(l_shipmode) = 'A'",
            "'upper(l_shipmode)' is nothing that is known of rows: ",
        ),
        ("sum(l_quantity) > 3", "character 1: 'sum(l_quantity)' is nothing that is known of rows"),
        ("t.l_quantity > 3", "where: character 1: 'table' is not known in 't.l_quantity'"),
        ("l_quantity > 3, price > 1", "where: character 17: expected one expression, got several"),
        (
            "l_quantity > 3 limit 3",
            "where: expected expressions alone, got 'l_quantity > 3",
        ),
        ("l_shipdate + interval 1 month > '1994-01-01'", "expected an interval of days or"),
        ("date '1994-01-01' + interval 9999 year > l_shipdate", "of the years 1 to 9999"),
        ("case when price > 1 then 'a' end = 'a'", "behind 'then', got a string"),
        ("tags = 1", "column 'tags' is of list<item: int64>: queries know integers"),
        ("cast(l_shipdate as double) > 1", "character 6: expected a number, got a date"),
        ("cast(l_quantity as string) = '1'", "cannot cast a number to "),
        ("l_quantity + (price > 1) > 1", "cannot compute with a condition: use case when"),
        (
            "l_quantity between symmetric 3 and 1",
            "character 1: 'symmetric' is not known in '(l_quantity BET",
        ),
        (
            "l_quantity in unnest([1])",
            "character 1: 'unnest' is not known in 'l_quantity IN UNNEST(",
        ),
        ("l_shipmode like any ('a', 'b')", "is nothing that is known of rows"),
        (
            "l_quantity in (1, 'a')",
            "where: character 19: cannot compare a number with a string",
        ),
        ("l_quantity is 3", "expected 'null' behind 'is', got '3'"),
        ("(" * 3000 + "1" + ")" * 3000 + " = 1", "expressions are nested too deeply"),
        ("not " * 200 + "price > 1", "where: "),
        (" + ".join(["price"] * 103) + " > 1", "expressions are nested more than 100 deep"),
        ("l_quantity > 3" + " " * 20000, "where: expected at most 16384 characters"),
    ],
)
def test_a_condition_that_makes_no_sense(where: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        query(TABLE, select="count(*)", where=where, device="reference")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("select", "group_by", "message"),
    [
        ("sum(l_quantity), l_shipdate", None, "select: 'l_shipdate' is of rows, beside what is of"),
        ("sum(l_shipmode)", None, "select: character 5: expected a number or date, got a string"),
        ("sum(l_shipdate)", None, "select: character 1: expected a number in 'sum', got a date"),
        ("sum(price > 1)", None, "expected a number or date in 'sum', got a condition"),
        ("sum(*)", None, "select: character 1: expected a number in 'sum', got '*'"),
        ("sum(distinct price)", None, "character 14: 'distinct' is known in 'count' alone"),
        ("'a'", None, "select: character 1: expected a column or what is computed, got a string"),
        ("count(null)", None, "select: expected a column or what is computed, got null"),
        (
            "median(price)",
            None,
            "aggregates, as select has them, are count, sum, avg, min, max and",
        ),
        ("first_position(price)", None, "expected 'first_position()' without arguments"),
        (
            "count(*), count(*)",
            None,
            "select: two columns are called 'count(*)': name one with",
        ),
        ("count(*)", "l_orderkey", "group by: the keys may have 1099511627776 values, and 65536"),
        ("sum(price / 2)", "l_shipmode", "select: floats are added up by group where the bounds"),
        ("count(*)", "price", "group by: character 1: cannot group by floats"),
        ("", None, "select: expected an expression, got nothing"),
        ("* except (price)", None, "select: character 1: expected '*' alone: name the columns"),
        ("max(price, l_quantity)", None, "select: character 1: expected one argument of 'max'"),
        ("sum(price order by price)", None, "is nothing that is known of rows"),
        ("sum(price) over ()", None, "character 1: 'over' is not known in 'sum(price) OVER ()'"),
        (
            "count(*)",
            "l_shipmode as a, l_quantity as a",
            "group by: character 18: two keys are called",
        ),
        ("*", "l_shipmode", "select: character 1: '*' is of rows: with 'group by', name keys"),
        ("count(*)", "1", "group by: character 1: cannot group by a constant: name a column"),
        ("1" + "0" * 20 + " as x", None, "needs more than 64 bits: cast it to double"),
        ("sum(1" + "0" * 20 + ")", None, "needs more than 64 bits: cast it to double"),
        ("0." + "0" * 40 + "1 as x", None, "expected at most 38 digits behind the point, got 41"),
        ("l_shipdate + 3000000 as x", None, "select: a date lies outside of the years 1 to 9999"),
        ("max(l_shipdate + 99999999999)", None, "a date lies outside of the years 1 to 9999"),
    ],
)
def test_a_selection_that_makes_no_sense(select: str, group_by: str | None, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        query(TABLE, select=select, group_by=group_by, device="reference")
    assert message in str(caught.value)


def test_two_columns_of_one_name_are_refused() -> None:
    table = pa.table([[1], [2]], names=["a", "a"])
    with pytest.raises(UsageError, match="two columns are called 'a'"):
        query(table, select="count(*)", device="reference")


def test_what_is_no_data_is_refused() -> None:
    with pytest.raises(UsageError, match="expected a file of Parquet, several, an Arrow table"):
        query(3, select="count(*)")


def test_ranges_of_one_column_become_one_test() -> None:
    source = TableSource(TABLE)
    part = next(source.parts(["l_shipdate", "l_quantity"], lambda _: True))
    where = "l_shipdate >= '1994-01-01' and l_quantity < 24 and l_shipdate < '1995-01-01'"
    statement = Statement("count(*)", where)
    predicate = statement.typed(part.columns).predicate
    assert isinstance(predicate, And)
    assert [(type(each), each.low, each.high) for each in predicate.predicates] == [  # pyright: ignore
        (InRange, 8766, 9130),
        (InRange, 100, 2399),
    ]
    text = str(plan_of(statement, part).program)
    assert text.count("arith.cmpi") == 2
    assert text.count("vyre.scan.aggregate") == 1


def test_what_cannot_be_by_the_bounds_of_columns_is_not_decoded() -> None:
    part = next(TableSource(TABLE).parts(["l_shipdate", "l_quantity"], lambda _: True))
    statement = Statement("count(*)", "l_shipdate > '1990-01-01' and l_quantity < 24")
    assert "l_shipdate" not in str(plan_of(statement, part).program)


WORDS = (
    "l_quantity price l_shipdate l_shipmode ( ) , + - * / < <= = <> and or not between in is null "
    "like 'a' 1 2.5 date case when then else end sum count interval day * ` ' \" -- ; select from"
).split()


@given(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join))
def test_any_words_are_a_query_or_an_error(words: str) -> None:
    part = next(
        TableSource(TABLE.drop_columns("tags")).parts(TABLE.column_names[:5], lambda _: True)
    )
    for statement in (Statement("count(*)", words), Statement(words), Statement("*", None, words)):
        with suppress(QueryError):
            plan_of(statement, part)
