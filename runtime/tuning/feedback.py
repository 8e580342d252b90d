"""How a workgroup size follows what live runs say: it grows while too little is done, and shrinks
while the device waits."""

from __future__ import annotations

from dataclasses import dataclass


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
