"""What is packed: buffers that live for a while, and offsets for them in one arena."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Booleans = npt.NDArray[np.bool_]

NOWHERE = 1 << 60
"""The offset of what need not be placed: above all others, and numbers can be added."""


@dataclass(frozen=True)
class LiveRange:
    """One buffer: it holds `size` bytes over the times `[lower, upper)`."""

    lower: int
    upper: int
    size: int

    def __post_init__(self) -> None:
        """Raise ValueError for what cannot be."""
        if self.upper < self.lower:
            raise ValueError(
                f"expected upper >= lower, got a live range [{self.lower}, {self.upper})"
            )
        if self.size < 0:
            raise ValueError(f"expected a size of at least 0 bytes, got {self.size}")


class Instance:
    """
    Buffers over sections: the times at which no other time has the same buffers alive, and more.
    Only there can offsets collide, and only these count (Moffitt, ASPLOS 2023).
    """

    def __init__(self, live_ranges: Sequence[LiveRange], alignment: int = 1):
        if alignment < 1:
            raise ValueError(f"expected an alignment of at least 1 byte, got {alignment}")
        rounded = [-(-live_range.size // alignment) * alignment for live_range in live_ranges]
        if (total := sum(rounded)) > NOWHERE:
            raise ValueError(f"expected at most {NOWHERE} bytes in all, got {total}")
        self.live_ranges = live_ranges
        self.count = len(live_ranges)
        lower = np.array([live_range.lower for live_range in live_ranges], dtype=np.int64)
        upper = np.array([live_range.upper for live_range in live_ranges], dtype=np.int64)
        self.sizes: Integers = np.array(rounded, dtype=np.int64)
        """Rounded up to the alignment, so that all offsets are multiples of it."""
        self.sizes[upper == lower] = 0
        self.first, self.last = _sections(lower, upper, self.sizes > 0)
        """Each buffer is alive in the sections `[first, last)`."""
        self.sections = int(self.last.max(initial=0))

    @cached_property
    def loads(self) -> Integers:
        """How many bytes are alive in each section."""
        change = np.zeros(self.sections + 1, dtype=np.int64)
        np.add.at(change, self.first, self.sizes)
        np.add.at(change, self.last, -self.sizes)
        return np.cumsum(change)[:-1]

    @property
    def lower_bound(self) -> int:
        """The most bytes that are alive at any time: no arena can be smaller."""
        return int(self.loads.max(initial=0))

    def peak(self, offsets: Integers) -> int:
        """The size of the arena that `offsets` need, in bytes."""
        return int((offsets + self.sizes).max(initial=0))


def _sections(lower: Integers, upper: Integers, counts: Booleans) -> tuple[Integers, Integers]:
    """The first section of each buffer that counts, and the one after its last."""
    # A set of buffers alive together is maximal where a death follows births.
    times = np.concatenate([lower, upper])
    is_birth = np.concatenate([np.ones_like(lower), np.zeros_like(upper)]).astype(bool)
    live_ranges = np.concatenate([counts, counts])
    order = np.lexsort((is_birth, times))
    order = order[live_ranges[order]]
    births = is_birth[order]
    # The events in order: each run of births that a death ends is one section.
    ends_section = births & ~np.append(births[1:], False)
    before = np.concatenate([[0], np.cumsum(ends_section)])
    section = np.zeros(len(times), dtype=np.int64)
    section[order] = before[:-1]
    count = len(lower)
    return section[:count], section[count:]


def by_section(first: Integers, last: Integers, sections: int) -> tuple[Integers, Integers]:
    """The buffers alive in each section, one after the other, and where each section begins."""
    spans = last - first
    buffers = np.repeat(np.arange(len(spans)), spans)
    within = np.arange(len(buffers)) - np.repeat(np.cumsum(spans) - spans, spans)
    alive_in = np.repeat(first, spans) + within
    order = np.argsort(alive_in, kind="stable")
    starts = np.searchsorted(alive_in[order], np.arange(sections + 1))
    return buffers[order], starts


def ranked(keys: Floats) -> Integers:
    """Buffers by falling keys, the first one first; of each set of keys along the leading axes."""
    return np.lexsort(-np.moveaxis(keys, -2, 0)[::-1])
