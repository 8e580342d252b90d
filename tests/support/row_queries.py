"""Queries in words that are drawn with what they mean for one row, in Python."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from typing import Any, TypeAlias

import hypothesis.strategies as st
import numpy as np

from support.tables import pa
from vyre_dialect.columns.encoding import EncodedColumn, encode
from vyre_dialect.columns.extras import ArrowTable

Row: TypeAlias = Mapping[str, Any]
DAY = date(1994, 1, 1)
WORDS = ("AIR", "MAIL", "RAIL", "REG AIR", "SHIP")
COLUMNS: Mapping[str, tuple[Any, st.SearchStrategy[Any], bool]] = {
    "n": (pa.int64(), st.integers(-20, 20), True),
    "k": (pa.int32(), st.integers(0, 5), False),
    "m": (pa.decimal128(9, 2), st.decimals(-50, 50, places=2), True),
    "d": (pa.date32(), st.integers(0, 900).map(lambda days: DAY + timedelta(days)), False),
    "s": (pa.string(), st.sampled_from(WORDS), True),
    "b": (pa.bool_(), st.booleans(), True),
}
"""Columns: their types, what they hold, and whether there are nulls."""


@dataclass(frozen=True)
class Expression:
    """A text, and its value for a row: None for null."""

    text: str
    of: Callable[[Row], Any]


@st.composite
def row_tables(draw: st.DrawFn) -> ArrowTable:
    rows = draw(st.integers(0, 50))
    return pa.table(
        {
            name: pa.array(
                draw(st.lists(st.none() | each if nulls else each, min_size=rows, max_size=rows)),
                type,
            )
            for name, (type, each, nulls) in COLUMNS.items()
        }
    )


def many_rows(rows: int, *, interleaved: bool = False) -> dict[str, EncodedColumn]:
    """Columns of the same kinds, packed."""
    random = np.random.default_rng(rows)

    def some(values: Sequence[Any], type: Any, nulls: bool) -> Any:
        places, missing = random.integers(0, len(values), rows), random.random(rows) < 0.1
        found = [values[place] for place in places]
        return pa.array(found, type, mask=missing if nulls else None)

    values: Mapping[str, Sequence[Any]] = {
        "n": range(-20, 21),
        "k": range(6),
        "m": [Decimal(each) / 100 for each in range(-5000, 5001)],
        "d": [DAY + timedelta(days) for days in range(900)],
        "s": WORDS,
        "b": (False, True),
    }
    arrays = {name: some(values[name], type, nulls) for name, (type, _, nulls) in COLUMNS.items()}
    return encode(pa.table(arrays), interleaved=interleaved)


def as_exact(answer: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of an answer with fractions for decimals."""
    return [
        {name: Fraction(each) if isinstance(each, Decimal) else each for name, each in row.items()}
        for row in answer
    ]


def _exact(value: Any) -> Any:
    return Fraction(value) if isinstance(value, int | Decimal) else value


def _column(name: str) -> Expression:
    return Expression(name, lambda row: row[name])


def _number_column(name: str) -> Expression:
    return Expression(name, lambda row: _exact(row[name]))


def _strict(function: Callable[..., Any], *operands: Expression) -> Callable[[Row], Any]:
    """A function that is null where an operand is."""

    def of(row: Row) -> Any:
        values = [each.of(row) for each in operands]
        return None if None in values else function(*values)

    return of


ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul}
COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@st.composite
def numbers(draw: st.DrawFn, depth: int = 2) -> Expression:
    kinds = ["column", "literal"] + (["arithmetic", "negative", "case"] if depth else [])
    match draw(st.sampled_from(kinds)):
        case "column":
            return _number_column(draw(st.sampled_from("nkm")))
        case "literal":
            number = draw(st.integers(-9, 9) | st.decimals(-9, 9, places=1))
            text = str(number) if number >= 0 else f"({number})"
            return Expression(text, lambda row: Fraction(number))
        case "arithmetic":
            sign = draw(st.sampled_from(list(ARITHMETIC)))
            one, other = draw(numbers(depth - 1)), draw(numbers(depth - 1))
            of = _strict(ARITHMETIC[sign], one, other)
            return Expression(f"({one.text} {sign} {other.text})", of)
        case "negative":
            one = draw(numbers(depth - 1))
            return Expression(f"(- {one.text})", _strict(operator.neg, one))
        case _:
            return draw(_cases(depth - 1))


@st.composite
def _cases(draw: st.DrawFn, depth: int) -> Expression:
    test, one = draw(conditions(depth)), draw(numbers(depth))
    other = draw(st.none() | numbers(depth))
    last = "" if other is None else f" else {other.text}"

    def of(row: Row) -> Any:
        if test.of(row) is True:
            return one.of(row)
        return None if other is None else other.of(row)

    return Expression(f"case when {test.text} then {one.text}{last} end", of)


@st.composite
def conditions(draw: st.DrawFn, depth: int = 2) -> Expression:
    simple = [_compared(depth), _between(depth), _listed(depth), _dates(), _texts(), _nulls(depth)]
    if not depth:
        return draw(st.one_of(*simple, st.just(_column("b"))))
    return draw(st.one_of(*simple, _joined(depth), _negated(depth)))


@st.composite
def _compared(draw: st.DrawFn, depth: int) -> Expression:
    sign = draw(st.sampled_from(list(COMPARISONS)))
    one, other = draw(numbers(max(0, depth - 1))), draw(numbers(max(0, depth - 1)))
    return Expression(f"{one.text} {sign} {other.text}", _strict(COMPARISONS[sign], one, other))


@st.composite
def _between(draw: st.DrawFn, depth: int) -> Expression:
    value, low, high = (draw(numbers(max(0, depth - 2))) for _ in range(3))
    above = Expression("", _strict(operator.ge, value, low))
    below = Expression("", _strict(operator.le, value, high))
    return Expression(
        f"{value.text} between {low.text} and {high.text}", lambda row: _and([above, below], row)
    )


@st.composite
def _listed(draw: st.DrawFn, depth: int) -> Expression:
    value = draw(numbers(max(0, depth - 2)))
    options = draw(st.lists(st.none() | st.integers(-9, 9), min_size=1, max_size=4))
    texts = ", ".join("null" if each is None else str(each) for each in options)

    def of(row: Row) -> Any:
        found = value.of(row)
        if found is None:
            return None
        return True if found in options else None if None in options else False

    return Expression(f"{value.text} in ({texts})", of)


@st.composite
def _dates(draw: st.DrawFn) -> Expression:
    sign = draw(st.sampled_from(list(COMPARISONS)))
    day = DAY + timedelta(draw(st.integers(-100, 1000)))
    text = draw(st.sampled_from([f"date '{day}'", f'DATE "{day}"', f"'{day}'"]))
    literal = Expression(text, lambda row: day)
    return Expression(f"d {sign} {text}", _strict(COMPARISONS[sign], _column("d"), literal))


@st.composite
def _texts(draw: st.DrawFn) -> Expression:
    s = _column("s")

    def is_listed(text: str) -> bool:
        return text in words

    def flies(text: str) -> bool:
        return text.endswith("AIR")

    def is_no_rail(text: str) -> bool:
        return text != "RAIL"

    words = draw(st.lists(st.sampled_from([*WORDS, "", "ZZ"]), min_size=1, max_size=3))
    sign = draw(st.sampled_from(list(COMPARISONS)))
    word = Expression("", lambda row: words[0])
    listed = ", ".join(f"'{each}'" for each in words)
    return draw(
        st.sampled_from(
            [
                Expression(f's {sign} "{words[0]}"', _strict(COMPARISONS[sign], s, word)),
                Expression(f"s in ({listed})", _strict(is_listed, s)),
                Expression("s like '%AIR'", _strict(flies, s)),
                Expression("s not like 'R__L'", _strict(is_no_rail, s)),
            ]
        )
    )


@st.composite
def _nulls(draw: st.DrawFn, depth: int) -> Expression:
    value = draw(st.sampled_from([_column("s"), _column("b")]) | numbers(max(0, depth - 1)))
    if draw(st.booleans()):
        return Expression(f"{value.text} is null", lambda row: value.of(row) is None)
    return Expression(f"{value.text} is not null", lambda row: value.of(row) is not None)


@st.composite
def _joined(draw: st.DrawFn, depth: int) -> Expression:
    parts = draw(st.lists(conditions(depth - 1), min_size=2, max_size=3))
    word = draw(st.sampled_from(["and", "or"]))
    meaning = _and if word == "and" else _or
    text = f" {word} ".join(f"({each.text})" for each in parts)
    return Expression(text, lambda row: meaning(parts, row))


@st.composite
def _negated(draw: st.DrawFn, depth: int) -> Expression:
    one = draw(conditions(depth - 1))
    return Expression(f"not ({one.text})", _strict(operator.not_, one))


def _and(parts: list[Expression], row: Row) -> bool | None:
    said = [each.of(row) for each in parts]
    return False if False in said else None if None in said else True


def _or(parts: list[Expression], row: Row) -> bool | None:
    said = [each.of(row) for each in parts]
    return True if True in said else None if None in said else False


def aggregates_of(rows: list[Row], value: Expression) -> dict[str, Any]:
    """What SQL says of the values of some rows."""
    found = [each for row in rows if (each := value.of(row)) is not None]
    total = reduce(operator.add, found, Fraction(0)) if found else None
    return {
        "rows": len(rows),
        "there": len(found),
        "total": total,
        "least": min(found, default=None),
        "most": max(found, default=None),
        "mean": None if total is None else float(total / len(found)),
    }


AGGREGATES = (
    "count(*) as `rows`, count({0}) as there, sum({0}) as total, min({0}) as least, "
    "max({0}) as most, avg({0}) as mean"
)
"""The same of an expression, as the answer has it."""
