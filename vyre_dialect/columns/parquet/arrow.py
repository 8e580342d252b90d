"""pyarrow, as what reads files asks for it."""

from __future__ import annotations

from typing import Any

from vyre_dialect.columns.extras import extra
from vyre_dialect.columns.parquet.errors import ParquetError


def arrow(module: str = "pyarrow") -> Any:
    """A module of pyarrow. Raises ParquetError where it is not installed."""
    return extra(module, "files of Parquet", ParquetError)
