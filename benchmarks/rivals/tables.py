"""What people use for queries of tables: DuckDB, polars, pyarrow, and loops that numba compiles."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from benchmarks.rivals import LeftOut
from benchmarks.tpch import TableQuery
from vyre_dialect.columns.encoding import EncodedColumn
from vyre_dialect.columns.layouts import Packed

Rows: TypeAlias = list[dict[str, Any]]
Ask: TypeAlias = Callable[[], Rows]
"""Asks once, and gives the rows of the answer."""


def duckdb_storage(query: TableQuery, path: Path, threads: int) -> Ask:
    """DuckDB over a table of its own, in memory, compressed as it does."""
    connection = _duckdb(threads)
    connection.execute(f"create table lineitem as select * from read_parquet('{path}')")
    return _asked_of_duckdb(connection, query.sql("lineitem"))


def duckdb_parquet(query: TableQuery, path: Path, threads: int) -> Ask:
    """DuckDB over the file."""
    return _asked_of_duckdb(_duckdb(threads), query.sql(f"read_parquet('{path}')"))


def _duckdb(threads: int) -> Any:
    settings = {"threads": threads}
    return import_module("duckdb").connect(
        ":memory:", config={**settings, "default_null_order": "nulls_last"}
    )


def _asked_of_duckdb(connection: Any, sql: str) -> Ask:
    def ask() -> Rows:
        found = connection.execute(sql)
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

    return ask


def polars_memory(query: TableQuery, path: Path, threads: int) -> Ask:
    """Polars over a frame in memory; its threads are those that POLARS_MAX_THREADS says."""
    polars = import_module("polars")
    return _asked_of_polars(polars.read_parquet(path).lazy(), query)


def polars_parquet(query: TableQuery, path: Path, threads: int) -> Ask:
    """Polars over the file, of which it reads what it needs."""
    return _asked_of_polars(import_module("polars").scan_parquet(path), query)


def _asked_of_polars(frame: Any, query: TableQuery) -> Ask:
    context = import_module("polars").SQLContext(lineitem=frame)
    return lambda: context.execute(query.sql("lineitem")).collect().to_dicts()


def pyarrow_parquet(query: TableQuery, path: Path, threads: int) -> Ask:
    """Pyarrow over the file, its own filter and arithmetic; of the sixth query alone."""
    if "l_discount between" not in query.where:
        raise LeftOut("pyarrow: written for q6 alone")
    dataset, pc = import_module("pyarrow.dataset"), import_module("pyarrow.compute")
    pa = import_module("pyarrow")
    pa.set_cpu_count(threads)
    field, scalar = pc.field, pa.scalar

    def decimal(text: str) -> Any:
        return scalar(text).cast(pa.decimal128(15, 2))

    def day(text: str) -> Any:
        return scalar(text).cast(pa.date32())

    condition = (
        (field("l_shipdate") >= day("1994-01-01"))
        & (field("l_shipdate") < day("1995-01-01"))
        & (field("l_discount") >= decimal("0.05"))
        & (field("l_discount") <= decimal("0.07"))
        & (field("l_quantity") < decimal("24"))
    )

    def ask() -> Rows:
        columns = ["l_extendedprice", "l_discount"]
        table = dataset.dataset(path).to_table(columns=columns, filter=condition)
        product = pc.multiply(table["l_extendedprice"], table["l_discount"])
        return [{"revenue": pc.sum(product).as_py()}]

    return ask


def numba_packed(query: TableQuery, columns: Mapping[str, EncodedColumn], threads: int) -> Ask:
    """A loop over the packed columns that vyre reads, by numba; of the sixth query alone."""
    if "l_discount between" not in query.where:
        raise LeftOut("numba: written for q6 alone")
    names = ("l_shipdate", "l_discount", "l_quantity", "l_extendedprice")
    layouts = [columns[name].layout for name in names]
    packed = [each for each in layouts if isinstance(each, Packed)]
    if len(packed) != len(names):
        raise LeftOut("numba: a column is not packed bit by bit")
    import_module("numba").set_num_threads(threads)
    words = [np.append(each.bytes, np.zeros(16, np.uint8)).view(np.uint64) for each in packed]
    shapes = np.array([[each.bits, each.base] for each in packed])
    rows, loop = columns["l_shipdate"].rows, _loop()
    decimal = import_module("decimal").Decimal
    return lambda: [{"revenue": decimal(int(loop(*words, shapes, rows))).scaleb(-4)}]


def _loop() -> Callable[..., int]:
    numba = import_module("numba")

    @numba.njit(inline="always")
    def value(words: Any, bits: Any, base: Any, row: Any) -> Any:
        place = row * bits
        word, shift = place >> 6, np.uint64(place & 63)
        low = words[word] >> shift
        high = (words[word + 1] << np.uint64(1)) << (np.uint64(63) - shift)
        mask = (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
        return np.int64((low | high) & mask) + base

    @numba.njit(parallel=True, fastmath=True)
    def loop(ship: Any, discount: Any, quantity: Any, price: Any, shapes: Any, rows: Any) -> Any:
        total = 0
        for row in numba.prange(rows):
            day = value(ship, shapes[0, 0], shapes[0, 1], row)
            if day < 8766 or day >= 9131:
                continue
            off = value(discount, shapes[1, 0], shapes[1, 1], row)
            pieces = value(quantity, shapes[2, 0], shapes[2, 1], row)
            if 5 <= off <= 7 and pieces < 2400:
                total += value(price, shapes[3, 0], shapes[3, 1], row) * off
        return total

    return loop


OF_FILES: Mapping[str, Callable[[TableQuery, Path, int], Ask]] = {
    "duckdb own storage": duckdb_storage,
    "duckdb parquet": duckdb_parquet,
    "polars memory": polars_memory,
    "polars parquet": polars_parquet,
    "pyarrow parquet": pyarrow_parquet,
}
"""Rivals that read the file, or have read it before."""
