"""Queries of TPC-H over lineitem alone, in words that vyre and other systems take alike."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from vyre_dialect.columns.query.statement import Statement

OFFICIAL = {("q6", 1.0): "123141078.2283"}
"""Answers that TPC-H gives, by query and scale factor."""


class TableQuery(NamedTuple):
    """A query of one table."""

    select: str
    where: str
    group_by: str | None = None

    @property
    def statement(self) -> Statement:
        """The same for vyre."""
        return Statement(self.select, self.where, self.group_by)

    def sql(self, table: str) -> str:
        """The same for others, of a table of this name; keys first, as vyre has them."""
        if self.group_by is None:
            return f"select {self.select} from {table} where {self.where}"
        keys = self.group_by
        select = f"select {keys}, {self.select} from {table} where {self.where}"
        return f"{select} group by {keys} order by {keys}"


QUERIES = {
    "q6": TableQuery(
        "sum(l_extendedprice * l_discount) as revenue",
        "l_shipdate >= date '1994-01-01' and l_shipdate < date '1995-01-01' "
        "and l_discount between 0.05 and 0.07 and l_quantity < 24",
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
