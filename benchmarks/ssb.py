"""
The Star Schema Benchmark's first three queries, and the columns of lineorder and date that they and
their rows take, drawn by NumPy as the specification says (O'Neil, O'Neil and Chen, revision 3).

The queries join lineorder with date by a key, the day as a number yyyymmdd, of which they ask a
year, a month or a week. vyre has no joins: the keys that pass stand one behind the other among
those of the 2556 days, and so the host makes a range of keys of them before anything is timed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.table_queries import Join, SumOfProducts, TableQuery

Array = NDArray[Any]
Days = Mapping[str, Array]
"""The columns of the table date."""

ORDERS = 1_500_000
"""Orders at scale 1, of one to seven lines each."""
SEED = 23
_FIRST_DAY, _DAYS = np.datetime64("1992-01-01"), 2556
_LAST_ORDER = np.datetime64("1998-08-02")
_LATEST_LINE = 7
_ROWS_PER_GROUP = 1 << 20
_WIDE = {"lo_extendedprice": np.int64, "lo_revenue": np.int64}
"""Columns of 64 bits, as polars adds up in the type that a column has."""


def days() -> dict[str, Array]:
    """Of each day of seven years its key, year, month and week, which begins with the year."""
    day = _FIRST_DAY + np.arange(_DAYS)
    month, year = day.astype("M8[M]"), day.astype("M8[Y]")
    year_number = year.astype(int) + 1970
    month_number = year_number * 100 + (month - year.astype("M8[M]")).astype(int) + 1
    of_month = (day - month.astype("M8[D]")).astype(int) + 1
    of_year = (day - year.astype("M8[D]")).astype(int)
    columns = {
        "d_datekey": month_number * 100 + of_month,
        "d_year": year_number,
        "d_yearmonthnum": month_number,
        "d_weeknuminyear": of_year // 7 + 1,
    }
    return {name: each.astype(np.int32) for name, each in columns.items()}


def lines(scale: float) -> dict[str, Array]:
    """About six million rows at scale 1, in the order of their orders; prices are cents."""
    random = np.random.default_rng(SEED)
    orders = max(1, round(ORDERS * scale))
    of_order = random.integers(1, _LATEST_LINE + 1, orders)
    order, rows = np.repeat(np.arange(orders), of_order), int(of_order.sum())
    order_days = int((_LAST_ORDER - _FIRST_DAY).astype(int)) + 1
    parts = max(1, round(200_000 * (1 + np.log2(max(1.0, scale)))))
    part = random.integers(1, parts + 1, rows)
    price = 90_000 + part // 10 % 20_001 + 100 * (part % 1000)
    quantity, discount = random.integers(1, 51, rows), random.integers(0, 11, rows)
    begins = np.cumsum(of_order) - of_order
    columns = {
        "lo_orderkey": order // 8 * 32 + order % 8 + 1,  # as TPC-H has it: 8 of each 32 keys
        "lo_linenumber": np.arange(rows) - begins[order] + 1,
        "lo_partkey": part,
        "lo_orderdate": days()["d_datekey"][random.integers(0, order_days, orders)][order],
        "lo_quantity": quantity,
        "lo_extendedprice": quantity * price,
        "lo_discount": discount,
        "lo_revenue": quantity * price * (100 - discount) // 100,
    }
    return {name: each.astype(_WIDE.get(name, np.int32)) for name, each in columns.items()}


def lineorder(scale: float, folder: Path) -> Path:
    """The file of lineorder at a scale factor, not compressed, and beside it date; made once."""
    path = folder / f"lineorder-{scale:g}.parquet"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _write(folder / "date.parquet", days())
        _write(path, lines(scale))
    return path


def _write(path: Path, columns: Mapping[str, Array]) -> None:
    pa, pq = import_module("pyarrow"), import_module("pyarrow.parquet")
    partial = path.with_suffix(".partial")
    table = pa.table(dict(columns))
    pq.write_table(table, partial, compression="none", row_group_size=_ROWS_PER_GROUP)
    partial.rename(path)


def _query(
    of_days: str,
    passes: Callable[[Days], Array],
    discounts: tuple[int, int],
    quantities: tuple[int, int],
) -> TableQuery:
    """A query that asks something of days, and ranges of discounts and quantities."""
    keys = days()["d_datekey"][passes(days())]
    first, last = int(keys[0]), int(keys[-1])
    ranges = {
        "lo_orderdate": (first, last),
        "lo_discount": discounts,
        "lo_quantity": quantities,
    }
    others = " and ".join(
        f"{name} between {low} and {high}"
        for name, (low, high) in ranges.items()
        if name != "lo_orderdate"
    )
    revenue = "sum(lo_extendedprice * lo_discount) as revenue"
    joined = (
        f"select {revenue} from lineorder, date "
        f"where lo_orderdate = d_datekey and {of_days} and {others}"
    )
    return TableQuery(
        revenue,
        f"lo_orderdate between {first} and {last} and {others}",
        table="lineorder",
        product=SumOfProducts(ranges, ("lo_extendedprice", "lo_discount")),
        join=Join(joined, "date"),
    )


QUERIES = {
    "ssb_q1.1": _query("d_year = 1993", lambda each: each["d_year"] == 1993, (1, 3), (1, 24)),
    "ssb_q1.2": _query(
        "d_yearmonthnum = 199401",
        lambda each: each["d_yearmonthnum"] == 199401,
        (4, 6),
        (26, 35),
    ),
    "ssb_q1.3": _query(
        "d_weeknuminyear = 6 and d_year = 1994",
        lambda each: (each["d_weeknuminyear"] == 6) & (each["d_year"] == 1994),
        (5, 7),
        (26, 35),
    ),
}
"""The first flight; a quantity below 25 is one from 1 to 24."""
