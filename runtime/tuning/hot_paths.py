"""How long the arms of programs have taken, in a table that steers what is compiled next."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from threading import Lock
from typing import TypeAlias

from vyre_dialect.passes.schedule.hints import HOT_NS, HotPathHints

CAPACITY = 256
"""Rows of a table, unless it is made for more or fewer."""


@dataclass(slots=True)
class RegionRecord:
    """What has been measured of an arm, over all samples."""

    dispatch_count: int = 0
    kernel_ns_total: int = 0
    kernel_ns_max: int = 0
    bytes_total: int = 0

    @property
    def mean_kernel_ns(self) -> int:
        """Nanoseconds of a dispatch, rounded down; 0 where nothing was recorded."""
        return self.kernel_ns_total // self.dispatch_count if self.dispatch_count else 0

    @property
    def mean_bytes(self) -> int:
        """Bytes touched by a dispatch, rounded down; 0 where nothing was recorded."""
        return self.bytes_total // self.dispatch_count if self.dispatch_count else 0

    def add(self, other: RegionRecord) -> None:
        """Count the samples of another record, too."""
        self.dispatch_count += other.dispatch_count
        self.kernel_ns_total += other.kernel_ns_total
        self.kernel_ns_max = max(self.kernel_ns_max, other.kernel_ns_max)
        self.bytes_total += other.bytes_total


Key: TypeAlias = tuple[str, str]
"""The generator of an arm and its structural hash: two programs may use one generator."""


class HotPathTable:
    """
    A record for each arm, of which the one whose last sample is the oldest goes first when there
    are more than `capacity`; none are kept for a capacity of 0. Threads may share a table.

    An arm is hot from a mean of `hot_ns_threshold` nanoseconds on. Whoever asks must be right for
    cold arms, too: the table says what is worth the effort, never what is allowed.
    """

    def __init__(self, capacity: int = CAPACITY, hot_ns_threshold: int = HOT_NS):
        if capacity < 0:
            raise ValueError(f"expected no negative capacity, got {capacity}")
        self.capacity = capacity
        self.hot_ns_threshold = hot_ns_threshold
        self._records: OrderedDict[Key, RegionRecord] = OrderedDict()
        self._lock = Lock()

    def copy(self) -> HotPathTable:
        """A table of its own with what is recorded by now."""
        copied = HotPathTable(self.capacity, self.hot_ns_threshold)
        copied._records.update(iter(self))
        return copied

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, object]) -> HotPathTable:
        del memo
        return self.copy()

    def record(
        self, generator: str, kernel_ns: int, bytes_touched: int, structural_hash: str = ""
    ) -> None:
        """Add a sample. Raises ValueError for a negative number of either."""
        if kernel_ns < 0 or bytes_touched < 0:
            raise ValueError(f"expected no negative sample, got {kernel_ns} ns, {bytes_touched} B")
        if not self.capacity:
            return
        key = (generator, structural_hash)
        with self._lock:
            known = self._records.get(key)
            if known is None:
                self._insert(key, RegionRecord(1, kernel_ns, kernel_ns, bytes_touched))
                return
            known.dispatch_count += 1
            known.kernel_ns_total += kernel_ns
            known.bytes_total += bytes_touched
            if kernel_ns > known.kernel_ns_max:
                known.kernel_ns_max = kernel_ns
            self._records.move_to_end(key)

    def hints(self, hashes: Mapping[str, str] | None = None) -> HotPathHints:
        """
        What selection reads of the table, without a file; rows of another structural hash than
        `hashes` has for their generator are stale.
        """
        rows = [
            {
                "generator": generator,
                "dispatch_count": record.dispatch_count,
                "kernel_ns_total": record.kernel_ns_total,
                **({"structural_hash": structural_hash} if structural_hash else {}),
            }
            for (generator, structural_hash), record in self
        ]
        table = {"hot_ns_threshold": self.hot_ns_threshold, "rows": rows}
        return HotPathHints.from_json(table, hashes or {})

    def is_hot(self, generator: str, structural_hash: str | None = None) -> bool:
        """
        Whether the mean time of an arm has reached the threshold; without a structural hash, that
        of all arms of this generator.
        """
        found = self.record_for(generator, structural_hash)
        return found is not None and found.mean_kernel_ns >= self.hot_ns_threshold

    def dispatch_count(self, generator: str, structural_hash: str | None = None) -> int:
        """How many samples there are of an arm."""
        found = self.record_for(generator, structural_hash)
        return 0 if found is None else found.dispatch_count

    def mean_kernel_ns(self, generator: str, structural_hash: str | None = None) -> int:
        """The mean time of an arm in nanoseconds; 0 where nothing was recorded."""
        found = self.record_for(generator, structural_hash)
        return 0 if found is None else found.mean_kernel_ns

    def record_for(self, generator: str, structural_hash: str | None = None) -> RegionRecord | None:
        """
        What is known by now of an arm, or, without a structural hash, of all arms of this
        generator; None where that is nothing.
        """
        with self._lock:
            found = [
                record
                for (name, digest), record in self._records.items()
                if name == generator and structural_hash in (None, digest)
            ]
            if not found:
                return None
            total = RegionRecord()
            for record in found:
                total.add(record)
            return total

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[tuple[Key, RegionRecord]]:
        """The arms with their records by now, the one that goes first in front."""
        with self._lock:
            rows = [(key, replace(record)) for key, record in self._records.items()]
        return iter(rows)

    def _insert(self, key: Key, record: RegionRecord) -> None:
        self._records[key] = record
        if len(self._records) > self.capacity:
            self._records.popitem(last=False)
