"""What the statistics of a column chunk say of its values."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from vyre_dialect.columns.extras import ArrowType
from vyre_dialect.columns.parquet.arrow import arrow
from vyre_dialect.columns.parquet.footer import FIXED, Statistics
from vyre_dialect.columns.parquet.physical import BOOLEAN, BYTES, NUMBERS


class Bounds(NamedTuple):
    """What no value is below and above, as elements have it, or None; NaN is not compared."""

    minimum: Any | None
    maximum: Any | None


UNKNOWN = Bounds(None, None)


def bounds_of(statistics: Statistics, physical: str, type: ArrowType) -> Bounds:
    """The bounds of a chunk whose values are read as they lie; of texts, strings alone have any."""
    least, greatest = statistics.least, statistics.greatest
    if least is None or greatest is None:
        return UNKNOWN
    types = arrow().types
    if types.is_string(type):
        return UNKNOWN if statistics.is_old else _of(_text(least), _text(greatest))
    if physical == BOOLEAN:
        return _of(_number(least, np.dtype(np.int8)), _number(greatest, np.dtype(np.int8)))
    if physical not in NUMBERS:
        return decimal_bounds_of(statistics, physical, type)
    bounds = _of(_number(least, NUMBERS[physical]), _number(greatest, NUMBERS[physical]))
    # As signed numbers, which elements are, great unsigned ones are below the others.
    is_below = any(each is not None and each < 0 for each in bounds)
    if types.is_unsigned_integer(type) and (statistics.is_old or is_below):
        return UNKNOWN
    return bounds


def decimal_bounds_of(statistics: Statistics, physical: str, type: ArrowType) -> Bounds:
    """The bounds of decimals that are written as bytes, the highest first; else unknown ones."""
    least, greatest = statistics.least, statistics.greatest
    is_written = physical in (FIXED, BYTES) and arrow().types.is_decimal(type)
    # Old ones compare bytes, of which a sign makes great ones.
    if not is_written or statistics.is_old or not least or not greatest:
        return UNKNOWN
    return _of(_decimal(least), _decimal(greatest))


def _decimal(value: bytes) -> int:
    return int.from_bytes(value, "big", signed=True)


def _of(least: Any | None, greatest: Any | None) -> Bounds:
    """The bounds; of what cannot be, none."""
    if least is None or greatest is None or least > greatest:
        return UNKNOWN
    return Bounds(least, greatest)


def _text(value: bytes) -> str | None:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return None


def _number(value: bytes, dtype: np.dtype[Any]) -> int | float | None:
    if len(value) != dtype.itemsize:
        return None
    number = np.frombuffer(value, dtype)[0].item()
    return None if math.isnan(number) else number
