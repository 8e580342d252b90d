"""`python -m examples.line_items ROWS FILE`: writes a file of Parquet like TPC-H's lineitem.

Its columns are those that the sixth query asks about, and how goods were sent. The same rows always
come out; they are not TPC-H's.
"""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

FIRST_DAY, DAYS = 8036, 2526
"""Days since 1970 of the first shipment, and how many days there are."""
MODES = ("AIR", "FOB", "MAIL", "RAIL", "REG AIR", "SHIP", "TRUCK")
ROW_GROUP = 10_000


def line_items(rows: int) -> Any:
    """An Arrow table of so many rows, by day."""
    pa = import_module("pyarrow")
    random = np.random.default_rng(6)

    def decimals(low: int, high: int, step: int = 1) -> Any:
        """Hundredths, in steps."""
        words = np.zeros((rows, 2), np.int64)
        words[:, 0] = random.integers(low, high, rows) * step
        return pa.Array.from_buffers(pa.decimal128(15, 2), rows, [None, pa.py_buffer(words)])

    days = np.sort(random.integers(FIRST_DAY, FIRST_DAY + DAYS, rows)).astype(np.int32)
    return pa.table(
        {
            "l_shipdate": pa.array(days).cast(pa.date32()),
            "l_quantity": decimals(1, 51, step=100),
            "l_extendedprice": decimals(90_000, 10_500_000),
            "l_discount": decimals(0, 11),
            "l_shipmode": pa.array(MODES).take(pa.array(random.integers(0, len(MODES), rows))),
        }
    )


def main() -> None:
    """Write the file that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m examples.line_items", description=__doc__)
    parser.add_argument("rows", type=int, metavar="ROWS", help="how many rows")
    parser.add_argument("file", type=Path, metavar="FILE", help="where to write them")
    arguments = parser.parse_args()
    write = import_module("pyarrow.parquet").write_table
    # As a device can read it: not compressed, and decimals as integers.
    as_it_lies = {"compression": "none", "store_decimal_as_integer": True}
    write(line_items(arguments.rows), arguments.file, row_group_size=ROW_GROUP, **as_it_lies)


if __name__ == "__main__":
    main()
