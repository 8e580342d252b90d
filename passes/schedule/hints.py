"""Hot-path telemetry as selection reads it: a JSON file of rows per entry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from vyre_dialect.passes.schedule.files import read_json

HOT_NS = 100_000
"""Mean time of a dispatch from which on an entry is hot, unless the file says another."""


@dataclass(frozen=True)
class HotPathHints:
    """
    How long what was run took, by the `entry_op_id` of programs, which is the file

        {"hot_ns_threshold": 100000,
         "rows": [{"generator": "hot_entry", "dispatch_count": 4, "kernel_ns_total": 1000000}]}

    `hot_ns_threshold` may be left out, and rows may hold more.
    """

    mean_ns: Mapping[str, int] = field(default_factory=dict[str, int])
    """Mean time of a dispatch."""
    threshold_ns: int = HOT_NS

    def is_hot(self, entry: str) -> bool:
        """Whether an entry takes so long that every pass is worth trying."""
        return self.mean_ns.get(entry, 0) >= self.threshold_ns

    @classmethod
    def read(cls, path: str) -> HotPathHints:
        """The hints of a file. Raises PassFailedException for one that holds none."""
        return read_json(path, "hints", cls.from_json)

    @classmethod
    def from_json(cls, value: Any) -> HotPathHints:
        """The hints that a JSON value stands for. Raises ValueError and KeyError."""
        means = dict[str, int]()
        for row in value["rows"]:
            count, total = _count(row, "dispatch_count"), _count(row, "kernel_ns_total")
            means[str(row["generator"])] = total // count if count else 0
        threshold = _count(value, "hot_ns_threshold") if "hot_ns_threshold" in value else HOT_NS
        return cls(means, threshold)


def _count(row: Any, name: str) -> int:
    number = row[name]
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise ValueError(f"expected a count as '{name}', got {number!r}")
    return number
