"""
Files of Parquet as they lie: the host reads where pages and runs begin, the device does the rest.

    file = ParquetFile("lineitem.parquet")
    ship = file.column("l_shipdate")
    with program("p") as p:
        days = ship.declare(p)
"""

from vyre_dialect.columns.parquet.errors import ParquetError
from vyre_dialect.columns.parquet.file import ParquetColumn, ParquetFile, RowGroup
from vyre_dialect.columns.parquet.statistics import Bounds

__all__ = ["Bounds", "ParquetColumn", "ParquetError", "ParquetFile", "RowGroup"]
