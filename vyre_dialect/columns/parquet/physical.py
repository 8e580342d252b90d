"""What values of Parquet's physical types are in a program, and what they stand for."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from vyre_dialect.columns.parquet.arrow import ArrowType, arrow
from vyre_dialect.columns.parquet.errors import NotCoveredError

NUMBERS: Final[dict[str, np.dtype[Any]]] = {
    "INT32": np.dtype("<i4"),
    "INT64": np.dtype("<i8"),
    "FLOAT": np.dtype("<f4"),
    "DOUBLE": np.dtype("<f8"),
}
BOOLEAN, BYTES = "BOOLEAN", "BYTE_ARRAY"


def plain_type(type: ArrowType) -> ArrowType:
    """The type of values, however Arrow would hold them: strings are strings."""
    pa = arrow()

    types = pa.types
    if types.is_dictionary(type):
        return plain_type(type.value_type)
    if types.is_large_string(type) or types.is_string_view(type):
        return pa.string()
    if types.is_large_binary(type) or types.is_binary_view(type):
        return pa.binary()
    return type


def require_as_it_lies(physical: str, unit: str | None, type: ArrowType) -> None:
    """
    Raise NotCoveredError unless values of a physical type that count units of time, if they do, are
    those of the type in Arrow, bit by bit, or, of texts, are its bytes.
    """
    types = arrow().types
    covered = {
        "INT32": (types.is_integer, types.is_date32, types.is_time32, types.is_decimal128),
        "INT64": (types.is_integer, types.is_time64, types.is_timestamp, types.is_decimal128),
        "FLOAT": (types.is_float32,),
        "DOUBLE": (types.is_float64,),
        BOOLEAN: (types.is_boolean,),
        BYTES: (types.is_string, types.is_binary),
    }
    if physical not in covered:
        raise NotCoveredError(f"its values are of {physical}")
    if not any(is_one(type) for is_one in covered[physical]):
        raise NotCoveredError(f"its values are of {physical}, and stand for {type}")
    if physical == "INT32" and types.is_uint32(type):
        raise NotCoveredError("its values are unsigned, of 32 bits")
    if getattr(type, "unit", unit) != unit:
        raise NotCoveredError(f"its values count {unit or 'something'}, and stand for {type}")
