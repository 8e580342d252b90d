"""Kept files of TOML, which others may have written."""

from __future__ import annotations

import tomllib
from typing import Any

MOST_DOTS = 64
"""Of a line: Python's parser takes time and memory with the square of the parts of a key."""


def read_toml(data: bytes) -> dict[str, Any]:
    """What a file says. Raises a ValueError, or a RecursionError for what is nested too deep."""
    for number, line in enumerate(data.splitlines(), 1):
        if line.count(b".") > MOST_DOTS:
            raise ValueError(f"line {number} has more than {MOST_DOTS} dots")
    return tomllib.loads(data.decode())
