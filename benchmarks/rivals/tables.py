"""What people use for queries of tables: DuckDB, polars, pyarrow, and loops that numba compiles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from benchmarks.rivals import LeftOut
from benchmarks.table_queries import Limit, SumOfProducts, TableQuery
from vyre_dialect.columns.encoding import EncodedColumn
from vyre_dialect.columns.layouts import Packed

Rows: TypeAlias = list[dict[str, Any]]
Ask: TypeAlias = Callable[[], Rows]
"""Asks once, and gives the rows of the answer."""


def duckdb_storage(query: TableQuery, path: Path, threads: int) -> Ask:
    """DuckDB over a table of its own, in memory, compressed as it does."""
    connection = _duckdb(threads)
    _keep(connection, query.table, path, query.statement.column_names(_names(path)))
    return _asked_of_duckdb(connection, query.sql(query.table))


def duckdb_join(query: TableQuery, path: Path, threads: int) -> Ask:
    """DuckDB over tables of its own, asked for the join that others are spared."""
    if query.join is None:
        raise LeftOut("duckdb: the query has no join")
    connection, other = _duckdb(threads), path.with_name(f"{query.join.table}.parquet")
    _keep(connection, query.table, path, query.statement.column_names(_names(path)))
    _keep(connection, query.join.table, other, _names(other))
    return _asked_of_duckdb(connection, query.join.sql)


def _keep(connection: Any, table: str, path: Path, columns: Sequence[str]) -> None:
    """Let DuckDB have columns of a file as a table."""
    names = ", ".join(columns)
    connection.execute(f"create table {table} as select {names} from read_parquet('{path}')")


def _names(path: Path) -> Sequence[str]:
    return import_module("pyarrow.parquet").read_schema(path).names


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
    columns = query.statement.column_names(_names(path))
    return _asked_of_polars(polars.read_parquet(path, columns=columns).lazy(), query)


def polars_parquet(query: TableQuery, path: Path, threads: int) -> Ask:
    """Polars over the file, of which it reads what it needs."""
    return _asked_of_polars(import_module("polars").scan_parquet(path), query)


def _asked_of_polars(frame: Any, query: TableQuery) -> Ask:
    context = import_module("polars").SQLContext({query.table: frame})
    return lambda: context.execute(query.sql(query.table)).collect().to_dicts()


def pyarrow_parquet(query: TableQuery, path: Path, threads: int) -> Ask:
    """Pyarrow over the file, its own filter and arithmetic; of sums of products alone."""
    product = _product(query, "pyarrow")
    dataset, pc = import_module("pyarrow.dataset"), import_module("pyarrow.compute")
    pa, schema = import_module("pyarrow"), import_module("pyarrow.parquet").read_schema(path)
    pa.set_cpu_count(threads)
    tests: list[Any] = [
        (pc.field(name) >= pa.scalar(low, schema.field(name).type))
        & (pc.field(name) <= pa.scalar(high, schema.field(name).type))
        for name, (low, high) in product.ranges.items()
    ]
    condition: Any = reduce(lambda one, other: one & other, tests)

    def ask() -> Rows:
        table = dataset.dataset(path).to_table(columns=list(product.factors), filter=condition)
        one, other = (table[name] for name in product.factors)
        return [{"revenue": pc.sum(pc.multiply(one, other)).as_py()}]

    return ask


def numba_packed(query: TableQuery, columns: Mapping[str, EncodedColumn], threads: int) -> Ask:
    """A loop over the packed columns that vyre reads, by numba; of sums of products alone."""
    product = _product(query, "numba")
    asked = [columns[name] for name in (*product.ranges, product.factors[0])]
    packed = [each.layout for each in asked if isinstance(each.layout, Packed)]
    if len(packed) != len(asked):
        raise LeftOut("numba: a column is not packed bit by bit")
    import_module("numba").set_num_threads(threads)
    words = [np.append(each.bytes, np.zeros(16, np.uint8)).view(np.uint64) for each in packed]
    limits = [
        (_number(low, column), _number(high, column))
        for (low, high), column in zip(product.ranges.values(), asked, strict=False)
    ]
    loop, rows = _loop([(each.bits, each.base) for each in packed], limits), asked[0].rows
    scale = sum(map(_scale, (columns[name] for name in product.factors)))

    def ask() -> Rows:
        found = int(loop(*words, rows))
        return [{"revenue": Decimal(found).scaleb(-scale) if scale else found}]

    return ask


def _product(query: TableQuery, who: str) -> SumOfProducts:
    if query.product is None:
        raise LeftOut(f"{who}: written for sums of products in ranges alone")
    return query.product


def _scale(column: EncodedColumn) -> int:
    """Digits behind the point."""
    return getattr(column.logical_type, "scale", 0)


def _number(limit: Limit, column: EncodedColumn) -> int:
    """A limit as the column has it: days, or a number without its point."""
    if isinstance(limit, date):
        return (limit - date(1970, 1, 1)).days
    return int(Decimal(limit).scaleb(_scale(column)))


def _loop(
    shapes: Sequence[tuple[int, int]], limits: Sequence[tuple[int, int]]
) -> Callable[..., int]:
    """A loop for columns of such bits and bases, which LLVM sees as constants, as the limits."""
    numba = import_module("numba")
    ((day_bits, day_base), (off_bits, off_base), (own_bits, own_base), (price_bits, price_base)) = (
        shapes
    )
    ((day_low, day_high), (off_low, off_high), (own_low, own_high)) = limits

    @numba.njit(inline="always")
    def value(words: Any, bits: Any, base: Any, row: Any) -> Any:
        place = row * bits
        word, shift = place >> 6, np.uint64(place & 63)
        low = words[word] >> shift
        high = (words[word + 1] << np.uint64(1)) << (np.uint64(63) - shift)
        mask = (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
        return np.int64((low | high) & mask) + base

    @numba.njit(parallel=True, fastmath=True)
    def loop(days: Any, offs: Any, quantities: Any, prices: Any, rows: Any) -> Any:
        total = 0
        for row in numba.prange(rows):
            day = value(days, day_bits, day_base, row)
            if day < day_low or day > day_high:
                continue
            off = value(offs, off_bits, off_base, row)
            own = value(quantities, own_bits, own_base, row)
            if off_low <= off <= off_high and own_low <= own <= own_high:
                total += value(prices, price_bits, price_base, row) * off
        return total

    return loop


OF_FILES: Mapping[str, Callable[[TableQuery, Path, int], Ask]] = {
    "duckdb own storage": duckdb_storage,
    "duckdb join": duckdb_join,
    "duckdb parquet": duckdb_parquet,
    "polars memory": polars_memory,
    "polars parquet": polars_parquet,
    "pyarrow parquet": pyarrow_parquet,
}
"""Rivals that read the file, or have read it before."""
