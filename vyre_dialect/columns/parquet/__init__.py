"""
Files of Parquet as they lie: the host reads where pages and runs begin, the device does the rest.

    file = ParquetFile("lineitem.parquet")
    ship = file.column("l_shipdate")
    with program("p") as p:
        days = ship.declare(p)
"""

from vyre_dialect.columns.parquet.errors import ParquetError
from vyre_dialect.columns.parquet.file import Bounds, ParquetFile, RowGroup

__all__ = ["Bounds", "ParquetError", "ParquetFile", "RowGroup"]
