"""The packages of the extra `columns`, imported when they are asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any, TypeAlias

from vyre_dialect.columns.errors import QueryError

ArrowArray: TypeAlias = Any
"""An array of pyarrow, chunked or not; the types of its stubs depend on what it holds."""
ArrowType: TypeAlias = Any
"""A type of pyarrow's."""
ArrowTable: TypeAlias = Any
"""A table of pyarrow's."""


def extra(name: str, what: str = "queries", error_type: type[Exception] = QueryError) -> Any:
    """A module of one of the packages. Raises an error for `what` where it is not installed."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name.partition(".")[0]:
            raise
        raise error_type(
            f"{what} need {error.name}, which is not installed: pip install 'vyre[columns]'"
        ) from error
