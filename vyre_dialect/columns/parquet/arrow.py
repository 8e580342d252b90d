"""pyarrow, of the extra `columns`: imported when it is asked for, and without types of its own."""

from __future__ import annotations

from importlib import import_module
from typing import Any, TypeAlias

from vyre_dialect.columns.parquet.errors import ParquetError

ArrowArray: TypeAlias = Any
"""An array of Arrow, chunked or not."""
ArrowType: TypeAlias = Any
"""A type of Arrow's."""


def arrow(module: str = "pyarrow") -> Any:
    """A module of pyarrow. Raises ParquetError where it is not installed."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != "pyarrow":
            raise
        raise ParquetError(
            "files of Parquet need pyarrow, which is not installed: pip install pyarrow"
        ) from error
