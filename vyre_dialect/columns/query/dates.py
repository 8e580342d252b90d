"""Days and times as Arrow counts them."""

from __future__ import annotations

from calendar import monthrange
from datetime import date, datetime, timedelta

from vyre_dialect.columns.errors import QueryError

_FIRST = date(1970, 1, 1)
_MIDNIGHT = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)
UNITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}
"""The digits behind the point that seconds have in each unit of a timestamp."""
_MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}


def days_of(day: date) -> int:
    """Days since 1970 began."""
    return (day - _FIRST).days


def microseconds_of(moment: datetime) -> int:
    """Microseconds since 1970 began, of a moment without a zone."""
    return (moment - _MIDNIGHT) // _MICROSECOND


def shifted(days: int, count: int, unit: str) -> date:
    """
    The same day some months, quarters or years later, or the last of a shorter month. Raises a
    QueryError for another unit, or a year that has no four digits.
    """
    if unit not in _MONTHS:
        known = ", ".join(["day", *map(str.lower, _MONTHS)])
        raise QueryError(f"expected an interval of {known}, got '{unit.lower()}'")
    try:
        day = date.fromordinal(days + _FIRST.toordinal())
        year, month = divmod(day.year * 12 + day.month - 1 + count * _MONTHS[unit], 12)
        return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))
    except (ValueError, OverflowError) as error:
        raise QueryError("expected a date of the years 1 to 9999") from error
