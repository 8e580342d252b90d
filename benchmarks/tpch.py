"""TPC-H: queries over lineitem alone, and that table, as tpchgen-cli makes it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from importlib import import_module
from pathlib import Path

from benchmarks.table_queries import SumOfProducts, TableQuery

OFFICIAL = {("q6", 1.0): "123141078.2283"}
"""Answers that TPC-H gives, by query and scale factor."""


QUERIES = {
    "q6": TableQuery(
        "sum(l_extendedprice * l_discount) as revenue",
        "l_shipdate >= date '1994-01-01' and l_shipdate < date '1995-01-01' "
        "and l_discount between 0.05 and 0.07 and l_quantity < 24",
        product=SumOfProducts(
            {
                "l_shipdate": (date(1994, 1, 1), date(1994, 12, 31)),
                "l_discount": (Decimal("0.05"), Decimal("0.07")),
                "l_quantity": (Decimal(0), Decimal("23.99")),
            },
            ("l_extendedprice", "l_discount"),
        ),
    ),
    "q1": TableQuery(
        "sum(l_quantity) as sum_qty, sum(l_extendedprice) as sum_base_price, "
        "sum(l_extendedprice * (1 - l_discount)) as sum_disc_price, "
        "sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) as sum_charge, "
        "avg(l_quantity) as avg_qty, avg(l_extendedprice) as avg_price, "
        "avg(l_discount) as avg_disc, count(*) as count_order",
        "l_shipdate <= date '1998-09-02'",
        "l_returnflag, l_linestatus",
    ),
    "q12_scan": TableQuery(
        "count(*) as line_count",
        "l_shipmode in ('MAIL', 'SHIP') and l_commitdate < l_receiptdate "
        "and l_shipdate < l_commitdate and l_receiptdate >= date '1994-01-01' "
        "and l_receiptdate < date '1995-01-01'",
        "l_shipmode",
    ),
    "q14_scan": TableQuery(
        "sum(l_extendedprice * (1 - l_discount)) as revenue",
        "l_shipdate >= date '1995-09-01' and l_shipdate < date '1995-10-01'",
    ),
    "q19_scan": TableQuery(
        "sum(l_extendedprice * (1 - l_discount)) as revenue, count(*) as items",
        "l_shipmode in ('AIR', 'AIR REG') and l_shipinstruct = 'DELIVER IN PERSON' "
        "and l_quantity between 1 and 30",
    ),
}
"""The sixth and the first as they are; of those that join, the part that scans lineitem."""


def lineitem(scale: float, folder: Path) -> Path:
    """
    The table at a scale factor, by tpchgen-cli, made once. It is not compressed, and decimals are
    integers, so that a device reads it as it lies.
    """
    path = folder / f"lineitem-{scale:g}.parquet"
    if path.exists():
        return path
    pq = import_module("pyarrow.parquet")
    made = folder / f"tpch-{scale:g}"
    made.mkdir(parents=True, exist_ok=True)
    command: Sequence[str] = (
        *(str(Path(sys.executable).with_name("tpchgen-cli")), "parquet", "-s", f"{scale:g}"),
        *("--tables=lineitem", f"--output-dir={made}"),
    )
    subprocess.run(command, check=True)
    (source,) = made.rglob("lineitem*.parquet")
    partial = path.with_suffix(".partial")
    file = pq.ParquetFile(source)
    with pq.ParquetWriter(
        partial, file.schema_arrow, compression="none", store_decimal_as_integer=True
    ) as writer:
        for batch in file.iter_batches(1 << 20):
            writer.write_batch(batch)
    partial.rename(path)
    source.unlink()
    return path
