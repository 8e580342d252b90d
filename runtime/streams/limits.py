"""What a run on pieces is limited to: as people say it, and unless they do."""

from __future__ import annotations

import re

from vyre_dialect.runtime.errors import UsageError

DEFAULT_MEMORY = 512 << 20
"""Bytes of memory that it may take."""
_UNITS = {
    **{"": 1, "B": 1, "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30},
    **{"KB": 10**3, "MB": 10**6, "GB": 10**9},
}


def parse_memory(text: str) -> int:
    """The bytes that a text as `512MiB` says. Raises a UsageError for one that says none."""
    match = re.fullmatch(r"([0-9]{1,15})\s*([A-Za-z]*)", text.strip())
    factor = None if match is None else _UNITS.get(match[2].upper())
    if match is None or factor is None or int(match[1]) == 0:
        raise UsageError(f"expected a size as 512MiB or 4GB, got '{text}'")
    return int(match[1]) * factor
