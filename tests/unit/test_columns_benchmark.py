"""The queries that are measured over columns, and who answers them, give one answer."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from support.tables import pa

from benchmarks.columns import PackedQuery, same_answer
from benchmarks.rivals import LeftOut
from benchmarks.rivals.tables import OF_FILES, Ask, numba_packed
from benchmarks.table_queries import TableQuery
from benchmarks.tpch import QUERIES
from examples.line_items import line_items
from vyre_dialect.columns.encoding import encode
from vyre_dialect.columns.extras import ArrowTable, extra
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.queries import query

ROWS = 3000
Make = Callable[[TableQuery, Path, int], Ask]


def test_the_sixth_query_is_that_of_tpch() -> None:
    assert QUERIES["q6"].sql("t") == (
        "select sum(l_extendedprice * l_discount) as revenue from t where "
        "l_shipdate >= date '1994-01-01' and l_shipdate < date '1995-01-01' "
        "and l_discount between 0.05 and 0.07 and l_quantity < 24"
    )
    assert QUERIES["q12_scan"].sql("t").startswith("select l_shipmode, count(*) as line_count from")
    assert QUERIES["q12_scan"].sql("t").endswith("group by l_shipmode order by l_shipmode")


@pytest.mark.parametrize("name", sorted({*OF_FILES, "numba packed"} - {"duckdb join"}))
def test_rivals_answer_the_sixth_query(name: str, tmp_path: Path) -> None:
    path, asked, table = tmp_path / "line_items.parquet", QUERIES["q6"], line_items(ROWS)
    pytest.importorskip(name.partition(" ")[0])
    extra("pyarrow.parquet").write_table(table, path)
    if name in OF_FILES:
        ask = OF_FILES[name](asked, path, 1)
    else:  # runs of days are no bits
        ask = numba_packed(asked, encode(_shuffled(table)), 1)
    expected = query(table, select=asked.select, where=asked.where, device="reference")
    assert expected["revenue"][0].as_py() > 0
    assert same_answer(ask(), expected.to_pylist())


def _shuffled(table: ArrowTable) -> ArrowTable:
    return table.take(pa.array(np.random.default_rng(1).permutation(ROWS)))


def test_numba_is_left_out_where_columns_are_no_bits() -> None:
    with pytest.raises(LeftOut, match="a column is not packed bit by bit"):
        numba_packed(QUERIES["q6"], encode(line_items(20 * ROWS)), 1)


@pytest.mark.slow
def test_packed_queries_answer_by_kernels_that_are_timed(device: Device) -> None:
    columns, asked = encode(line_items(ROWS)), QUERIES["q6"]
    packed = PackedQuery(asked, columns, device)
    expected = query(columns, select=asked.select, where=asked.where, device="reference")
    assert packed() == expected.to_pylist()
    assert packed.kernel_seconds > 0


def test_answers_are_the_same_but_for_the_rounding_of_averages() -> None:
    one = [{"total": Decimal("1.10"), "mean": 1 / 3}]
    assert same_answer(one, [{"total": Decimal("1.1"), "mean": 0.33333333333}])
    assert not same_answer(one, [{"total": Decimal("1.11"), "mean": 1 / 3}])
    assert not same_answer(one, [])
    assert not same_answer(one, [{"total": Decimal("1.1"), "average": 1 / 3}])
