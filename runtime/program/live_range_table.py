"""Reads buffers with their live ranges from CSV, in the columns that planners share."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

from vyre_dialect.passes.memory.packing.instance import LiveRange
from vyre_dialect.runtime.errors import VyreError

COLUMNS = ("id", "lower", "upper", "size")
LARGEST = 1 << 48
"""No time and no size may exceed this, so that sums of them are exact."""


def read_live_ranges(path: Path) -> dict[str, LiveRange]:
    """The live ranges in the file at `path`, by id. Raises a VyreError that names a bad line."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return _live_ranges(path, file)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise VyreError(f"cannot read '{path}': {reason or error}") from error


def _live_ranges(path: Path, file: Iterable[str]) -> dict[str, LiveRange]:
    rows = csv.DictReader(file)
    missing = [name for name in COLUMNS if name not in (rows.fieldnames or ())]
    if missing:
        expected = ",".join(COLUMNS)
        raise VyreError(f"'{path}' expected columns {expected}, got none called '{missing[0]}'")
    live_ranges = dict[str, LiveRange]()
    for row in rows:
        where = f"'{path}':{rows.line_num}"
        if (own := row["id"]) in live_ranges:
            raise VyreError(f"{where} expected each id once, got '{own}' twice")
        try:
            live_ranges[own] = LiveRange(*(_number(name, row[name]) for name in COLUMNS[1:]))
        except ValueError as error:
            raise VyreError(f"{where} {error}") from error
    return live_ranges


def _number(name: str, text: str | None) -> int:
    try:
        number = int(text or "")
    except ValueError:
        raise ValueError(f"expected an integer for '{name}', got '{text or ''}'") from None
    if abs(number) > LARGEST:
        raise ValueError(f"expected '{name}' within 2**48, got {number}")
    return number
