"""What values of Parquet's physical types are in a program, and what they stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from vyre_dialect.columns.extras import ArrowType
from vyre_dialect.columns.parquet.arrow import arrow
from vyre_dialect.columns.parquet.errors import NotCoveredError, ParquetError
from vyre_dialect.columns.parquet.footer import FIXED, Leaf
from vyre_dialect.columns.parquet.runs import Array, Bytes

NUMBERS: Final[dict[str, np.dtype[Any]]] = {
    "INT32": np.dtype("<i4"),
    "INT64": np.dtype("<i8"),
    "FLOAT": np.dtype("<f4"),
    "DOUBLE": np.dtype("<f8"),
}
BOOLEAN, BYTES = "BOOLEAN", "BYTE_ARRAY"
I32_DIGITS, I64_DIGITS = 9, 18
"""Decimal digits that any integer of so many bits holds."""
_WIDEST_DECIMAL = 16
"""Bytes of a decimal of 38 digits."""


@dataclass(frozen=True)
class Numbers:
    """Numbers as PLAIN has them, little-endian, or big-endian as decimals are written in bytes."""

    dtype: np.dtype[Any]
    size: int
    """Bytes that each takes."""
    is_big_endian: bool = False

    def read(self, body: Bytes, count: int) -> Array:
        """So many numbers. Raises ParquetError where there are fewer, or one does not fit."""
        if count * self.size > len(body):
            raise ParquetError(
                f"expected {count * self.size} bytes of values in a page, got {len(body)}"
            )
        if not self.is_big_endian:
            return np.frombuffer(body, self.dtype, count)
        given = np.frombuffer(body, np.uint8, count * self.size).reshape(count, self.size)
        sign = np.where(given[:, :1] > 0x7F, 0xFF, 0).astype(np.uint8)
        filled = np.concatenate([sign.repeat(8, axis=1), given], axis=1)
        values = np.ascontiguousarray(filled[:, -8:]).view(">i8")
        if not ((filled[:, 8:-8] == sign).all() and np.array_equal(values < 0, sign > 0)):
            raise ParquetError(f"expected decimals of up to {I64_DIGITS} digits, got a longer one")
        return values.ravel().astype(self.dtype)


def numbers_of(physical: str, length: int, type: ArrowType) -> Numbers | None:
    """How a column of a type has numbers, if it does."""
    if physical in NUMBERS:
        return Numbers(NUMBERS[physical], NUMBERS[physical].itemsize)
    if physical != FIXED:
        return None
    dtype = np.dtype(np.int32 if type.precision <= I32_DIGITS else np.int64)
    return Numbers(dtype, length, is_big_endian=True)


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


def require_as_it_lies(leaf: Leaf, type: ArrowType) -> None:
    """
    Raise NotCoveredError unless values of a column are those of the type in Arrow, bit by bit, or
    its bytes, of texts and decimals.
    """
    physical, unit = leaf.physical, leaf.unit
    types = arrow().types
    covered = {
        "INT32": (types.is_integer, types.is_date32, types.is_time32, types.is_decimal128),
        "INT64": (types.is_integer, types.is_time64, types.is_timestamp, types.is_decimal128),
        "FLOAT": (types.is_float32,),
        "DOUBLE": (types.is_float64,),
        BOOLEAN: (types.is_boolean,),
        BYTES: (types.is_string, types.is_binary),
        FIXED: (_is_decimal,),
    }
    if physical not in covered:
        raise NotCoveredError(f"its values are of {physical}")
    if not any(is_one(type) for is_one in covered[physical]):
        raise NotCoveredError(f"its values are of {physical}, and stand for {type}")
    if physical == "INT32" and types.is_uint32(type):
        raise NotCoveredError("its values are unsigned, of 32 bits")
    if physical == FIXED and not 0 < leaf.length <= _WIDEST_DECIMAL:
        raise NotCoveredError(f"its values have {leaf.length} bytes")
    if getattr(type, "unit", unit) != unit:
        raise NotCoveredError(f"its values count {unit or 'something'}, and stand for {type}")


def _is_decimal(type: ArrowType) -> bool:
    return arrow().types.is_decimal128(type) and type.precision <= I64_DIGITS
