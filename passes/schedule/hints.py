"""Hot-path telemetry as selection reads it: a JSON file of rows per entry."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from vyre_dialect.passes.schedule.files import count_in, read_json, rows_in

HOT_NS = 100_000
"""Mean time of a dispatch from which on an entry is hot, unless the file says another."""


@dataclass(frozen=True)
class HotPathHints:
    """
    How long what was run took, by the `entry_op_id` of programs, which is the file.

        {"hot_ns_threshold": 100000,
         "rows": [{"generator": "hot_entry", "dispatch_count": 4, "kernel_ns_total": 1000000}]}

    `hot_ns_threshold` may be left out, and rows may hold more. One is stale, and counts for
    nothing, whose `driver` or `vyre` is not that of the file, or whose `structural_hash` is not
    that of the program under this entry.
    """

    mean_ns: Mapping[str, int] = field(default_factory=dict[str, int])
    """Mean time of a dispatch."""
    threshold_ns: int = HOT_NS
    stale: int = 0
    """Rows that are stale."""
    rows: int = 0
    """Rows in all."""

    def is_hot(self, entry: str) -> bool:
        """Whether an entry takes so long that every pass is worth trying; not if it never ran."""
        return entry in self.mean_ns and self.mean_ns[entry] >= self.threshold_ns

    @classmethod
    def read(cls, path: str, hashes: Mapping[str, str]) -> HotPathHints:
        """
        The hints of a file on programs with these structural hashes, by entry.

        Warns of entries that only stale rows know. Raises PassFailedException for a file that
        holds no hints.
        """
        hints = read_json(path, "hints", lambda value: cls.from_json(value, hashes))
        if hints.stale and hashes and not hints.mean_ns.keys() & hashes.keys():
            message = f"hints '{path}': {hints.stale} of {hints.rows} rows stale"
            warnings.warn(message, stacklevel=2)
        return hints

    @classmethod
    def from_json(cls, value: Any, hashes: Mapping[str, str]) -> HotPathHints:
        """The hints that a JSON value stands for. Raises ValueError and KeyError."""
        counts, totals = Counter[str](), Counter[str]()
        rows, stale = rows_in(value, "rows"), 0
        for row in rows:
            count, total = count_in(row, "dispatch_count"), count_in(row, "kernel_ns_total")
            if _is_stale(row, value, hashes):
                stale += 1
                continue
            counts[str(row["generator"])] += count
            totals[str(row["generator"])] += total
        means = {name: totals[name] // count for name, count in counts.items() if count}
        threshold = count_in(value, "hot_ns_threshold") if "hot_ns_threshold" in value else HOT_NS
        return cls(means, threshold, stale, len(rows))


def _is_stale(row: Any, header: Any, hashes: Mapping[str, str]) -> bool:
    """Whether a row was measured under other circumstances, as far as it says."""
    if any(name in row and row[name] != header.get(name) for name in ("driver", "vyre")):
        return True
    present = hashes.get(row["generator"])
    return present is not None and row.get("structural_hash", present) != present
