"""What the statistics of a column chunk say of its values."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from vyre_dialect.columns.parquet.arrow import ArrowType, Metadata, arrow


class Bounds(NamedTuple):
    """What no value is below and above, as elements have it, or None; NaN is not compared."""

    minimum: Any | None
    maximum: Any | None


_UNKNOWN = Bounds(None, None)


def bounds_of(chunk: Metadata, type: ArrowType) -> Bounds:
    """The bounds of a chunk whose values are read as they lie; of texts, strings alone have any."""
    pa = arrow()

    statistics = chunk.statistics
    if statistics is None or not statistics.has_min_max:
        return _UNKNOWN
    if pa.types.is_string(type):
        return Bounds(statistics.min, statistics.max)
    least, most = _number(statistics.min_raw), _number(statistics.max_raw)
    if least is None or most is None:
        return _UNKNOWN
    # As signed numbers, which elements are, great unsigned ones are below the others.
    if pa.types.is_unsigned_integer(type) and min(least, most) < 0:
        return _UNKNOWN
    return Bounds(least, most)


def _number(raw: object) -> int | float | None:
    if isinstance(raw, int):
        return int(raw)  # of booleans, too
    if isinstance(raw, float) and not math.isnan(raw):
        return raw
    return None
