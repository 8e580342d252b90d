"""
The search for a packing into a given capacity, by canonical solutions (MiniMalloc: Moffitt,
ASPLOS 2023).

Buffers are placed from the bottom up, each on top of those placed before in its sections, in
order of offset, then of rank. That reaches every packing in which nothing could sink, once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from time import monotonic

import numpy as np

from vyre_dialect.passes.memory.packing.instance import (
    NOWHERE,
    Booleans,
    Instance,
    Integers,
    by_section,
)


class InfeasibleError(Exception):
    """No packing has this capacity."""


@dataclass(eq=False)
class _Part:
    """A range of sections that no buffer yet to be placed reaches out of."""

    begin: int
    end: int
    offset: Integers
    """The lowest offset of each buffer, on top of those placed before; NOWHERE if it has one."""
    left: Integers
    """Bytes yet to be placed in each section."""
    crossing: Integers
    """How many buffers yet to be placed live on both sides of the beginning of each section."""
    last: tuple[int, int] = (-1, -1)
    """Offset and rank of what was placed last."""
    parent: _Part | None = None
    choices: Iterator[int] = field(default_factory=lambda: iter(()))
    pending: list[_Part] = field(default_factory=list["_Part"])
    """The parts that the last choice left, still to be filled."""


class CanonicalSearch:
    """Looks for a packing of `instance` into `capacity` bytes; `order` ranks its buffers."""

    def __init__(self, instance: Instance, capacity: int, order: Integers):
        self.capacity = capacity
        self.order = order[instance.sizes[order] > 0]
        self.first = instance.first[self.order]
        self.last = instance.last[self.order]
        self.size = instance.sizes[self.order]
        self.loads = instance.loads
        self.count = instance.count
        self._alive, self._starts = by_section(self.first, self.last, instance.sections)
        self._met: dict[int, Booleans] = {}

    def run(self, nodes: int, deadline: float) -> Integers | None:
        """
        The offset of each buffer in bytes; None after so many placements, or when it is `deadline`.
        Raises InfeasibleError once all was tried.
        """
        offsets = np.zeros(self.count, dtype=np.int64)
        part = self._opened(self._whole()) if len(self.order) else None
        while part is not None:
            choice = next(part.choices, None)
            if choice is None:
                part = part.parent
                if part is None:
                    raise InfeasibleError
                continue
            nodes -= 1
            if nodes < 0 or monotonic() > deadline:
                return None
            offsets[self.order[choice]] = part.offset[choice]
            rest = self._placed(part, choice)
            if rest is not None:
                part.pending = rest
                part = self._following(part)
        return offsets

    def _following(self, part: _Part | None) -> _Part | None:
        """The next part to fill, once `part` is filled but for what is pending; None at the end."""
        while part is not None and not part.pending:
            part = part.parent
        return None if part is None else self._opened(part.pending.pop())

    def _whole(self) -> _Part:
        sections = len(self.loads)
        births = np.bincount(self.first + 1, minlength=sections + 1)
        deaths = np.bincount(self.last, minlength=sections + 1)
        crossing = np.cumsum(births[: sections + 1] - deaths[: sections + 1])
        return _Part(0, sections, np.zeros_like(self.size), self.loads.copy(), crossing)

    def _meets(self, buffer: int) -> Booleans:
        """Which buffers are alive together with one."""
        if buffer not in self._met:
            self._met[buffer] = (self.first < self.last[buffer]) & (self.last > self.first[buffer])
        return self._met[buffer]

    def _opened(self, part: _Part) -> _Part:
        """With what may be placed in it next, lowest first."""
        offset, rank = part.last
        # Above where another fits below, that one could sink.
        limit = int((part.offset + self.size).min())
        limit = min(limit, self.capacity + 1 - int(part.left[part.begin : part.end].max()))
        found = np.flatnonzero((part.offset >= offset) & (part.offset < limit))
        found = found[(part.offset[found] > offset) | (found > rank)]
        part.choices = iter(found[np.argsort(part.offset[found], kind="stable")].tolist())
        return part

    def _placed(self, part: _Part, choice: int) -> list[_Part] | None:
        """What is left of `part` after a choice; None if that cannot be packed."""
        first, last, size = int(self.first[choice]), int(self.last[choice]), int(self.size[choice])
        base = int(part.offset[choice])
        offset = part.offset.copy()
        offset[choice] = NOWHERE
        np.maximum(offset, base + size, out=offset, where=self._meets(choice))
        left = part.left.copy()
        left[first:last] -= size
        if not self._may_fit(part, offset, left):
            return None
        crossing, cuts = part.crossing, list[int]()
        if last - first > 1:
            crossing = crossing.copy()
            crossing[first + 1 : last] -= 1
            cuts = (np.flatnonzero(crossing[first + 1 : last] == 0) + first + 1).tolist()
        ends = [part.begin, *cuts, part.end]
        rest = list[_Part]()
        for begin, end in pairwise(ends):
            if not left[begin:end].any():
                continue
            inner = offset
            if len(ends) > 2:
                inner = np.where((self.first >= begin) & (self.last <= end), offset, NOWHERE)
            rest.append(_Part(begin, end, inner, left, crossing, (base, choice), part))
        return rest

    def _may_fit(self, part: _Part, offset: Integers, left: Integers) -> bool:
        """Whether in each section there is room above the lowest of what is yet to be placed."""
        start, end = self._starts[part.begin], self._starts[part.end]
        alive = offset[self._alive[start:end]]
        floors = np.minimum.reduceat(alive, self._starts[part.begin : part.end] - start)
        # Where nothing is left, the floor is NOWHERE.
        np.minimum(floors, self.capacity, out=floors)
        floors += left[part.begin : part.end]
        if int(floors.max()) > self.capacity:
            return False
        tops = offset + self.size
        return int(tops[tops < NOWHERE].max(initial=0)) <= self.capacity
