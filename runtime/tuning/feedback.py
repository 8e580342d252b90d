"""How a workgroup size follows what live runs say: it grows while too little is done, and shrinks
while the device waits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WINDOW = 16
"""Runs with one size after which it is asked whether another is better."""
WORSE = 0.95
"""The share of the throughput of one size below which another is given up for it."""


@dataclass(frozen=True)
class Feedback:
    """What was seen of runs with one workgroup size over a while."""

    workgroup_size: int
    throughput_per_us: float
    """Items, or bytes, per microsecond of the device."""
    idle_us: int = 0
    """How long the device had nothing to do."""
    wall_time_us: int = 0


@dataclass(frozen=True)
class ResizePolicy:
    """
    Doubles or halves a size, within bounds, and leaves it while all is well: between the two
    thresholds nothing changes, so that sizes do not swing. Idleness comes before throughput.
    """

    most: int = 1024
    """What the device can run."""
    least: int = 32
    saturation_per_us: float = 1.0
    """Throughput below which a size grows."""
    idle_us: int = 100_000
    """Idle time above which a size shrinks."""

    def suggest(self, feedback: Feedback) -> int | None:
        """The size to try next, or None to leave it."""
        size = max(1, feedback.workgroup_size)
        if feedback.idle_us > self.idle_us:
            return size // 2 if size // 2 >= self.least else None
        if feedback.throughput_per_us < self.saturation_per_us:
            return size * 2 if size * 2 <= self.most else None
        return None


def policy_for(gb_per_s: float) -> ResizePolicy:
    """The policy for which arms do enough where they move so many 10⁹ bytes per second."""
    return ResizePolicy(saturation_per_us=1000 * gb_per_s)


class Resizer:
    """
    The workgroup size that runs are to have, by what earlier ones have said.

    Of `sizes`, which are legal, it takes one that a policy suggests after each window of runs, and
    goes back from one that turns out to be slower; it never tries that again.
    """

    def __init__(self, sizes: Sequence[int], size: int, policy: ResizePolicy, window: int = WINDOW):
        if window < 1:
            raise ValueError(f"expected a window of at least one run, got {window}")
        self.size = size
        """For the next run."""
        self._sizes, self._policy, self._window = sorted(sizes), policy, window
        self._before: int | None = None
        self._throughput: dict[int, float] = {}
        """Of the sizes that were tried, in bytes per microsecond."""
        self._begin()

    def record(self, bytes_touched: int, device_ns: int, wall_ns: int) -> None:
        """
        Take in a run with the present size, and the wall-clock time since the one before, or since
        its own start. The first with a size warms up, and does not count.
        """
        self._runs += 1
        if self._runs == 1:
            return
        self._bytes += bytes_touched
        self._device_ns += device_ns
        self._wall_ns += wall_ns
        if self._runs > self._window and self._device_ns:
            self._resize()
            self._begin()

    def _begin(self) -> None:
        self._runs = self._bytes = self._device_ns = self._wall_ns = 0

    def _resize(self) -> None:
        throughput = self._throughput[self.size] = 1e3 * self._bytes / self._device_ns
        if self._before is not None and throughput < WORSE * self._throughput[self._before]:
            self.size, self._before = self._before, None
            return
        idle_ns = max(0, self._wall_ns - self._device_ns)
        feedback = Feedback(self.size, throughput, idle_ns // 1000, self._wall_ns // 1000)
        size = self._legal(self._policy.suggest(feedback))
        if size is not None and size not in self._throughput:
            self.size, self._before = size, self.size

    def _legal(self, suggested: int | None) -> int | None:
        """The legal size nearest to a suggested one, and not nearer than that to the present."""
        if suggested is None:
            return None
        if suggested > self.size:
            larger = (size for size in self._sizes if suggested <= size <= self._policy.most)
            return min(larger, default=None)
        smaller = (size for size in self._sizes if self._policy.least <= size <= suggested)
        return max(smaller, default=None)
