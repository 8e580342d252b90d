"""
A search for a packing into an arena that is nearly full, one section after the other.

Next is the section where the fewest buffers can lie on top of what it holds: where there is one,
it is placed, and where there is none, the search goes back. So it begins at whatever is the most
constrained, not at the bottom, as solvers of constraints do ("fail first": Haralick and Elliott,
Artificial Intelligence 14, 1980; sections that failed often count more: Boussemart et al., ECAI
2004). Buffers that live long come first, perturbed, and a search that fails for long starts anew.

It tries no buffer higher than where it can lie now, so it proves nothing where a gap would help.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic

import numpy as np

from vyre_dialect.passes.memory.packing.instance import (
    NOWHERE,
    Booleans,
    Floats,
    Instance,
    Integers,
    by_section,
)

NOISE = 0.2
"""By how much, relatively, what buffers are ranked by is perturbed."""
PATIENCE = 1.5
"""How often, per buffer, the shortest descents may place one before they start anew."""


@dataclass(eq=False)
class _State:
    heights: Integers
    """The top of what each section holds."""
    left: Integers
    """Bytes yet to be placed in each section."""
    offsets: Integers
    """The lowest offset of each buffer; NOWHERE if it has a place."""
    choices: list[int]
    """What to place next, the best last."""


class SectionSearch:
    """Looks for a packing of `instance` into `capacity` bytes; it goes on where it was stopped."""

    def __init__(self, instance: Instance, capacity: int, seed: int):
        self._capacity, self._count = capacity, instance.count
        self._shown = np.flatnonzero(instance.sizes)
        self._first, self._last = instance.first[self._shown], instance.last[self._shown]
        self._sizes = instance.sizes[self._shown]
        self._loads = instance.loads
        self._alive, self._starts = by_section(self._first, self._last, instance.sections)
        self._section = np.repeat(np.arange(instance.sections), np.diff(self._starts))
        spans = self._last - self._first
        self._begins = np.cumsum(spans) - spans
        self._lived = np.arange(int(spans.sum())) - np.repeat(self._begins - self._first, spans)
        """The sections that each buffer lives in, from `_begins` on."""
        self._random = np.random.default_rng(seed)
        self._failures = np.ones(instance.sections)
        self._descents = 0
        self._met: dict[int, Integers] = {}

    def run(self, nodes: int, deadline: float) -> Integers | None:
        """The offset of each buffer in bytes; None after so many placements or at `deadline`."""
        if not len(self._shown):
            return np.zeros(self._count, dtype=np.int64)
        while nodes > 0 and monotonic() <= deadline:
            self._descents += 1
            patience = int(PATIENCE * len(self._shown) * luby(self._descents))
            found = self._descend(min(nodes, patience), deadline)
            nodes -= patience
            if found is not None:
                return found
        return None

    def _descend(self, nodes: int, deadline: float) -> Integers | None:
        rank = self._new_rank()
        path = [self._state(np.zeros_like(self._loads), self._loads, np.zeros_like(self._sizes))]
        self._choose(path[0], rank)
        places = list[tuple[int, int]]()
        while path and nodes > 0 and monotonic() <= deadline:
            state = path[-1]
            if not state.choices:
                path.pop()
                del places[-1:]
                continue
            nodes -= 1
            choice = state.choices.pop()
            places.append((choice, int(state.offsets[choice])))
            if len(places) == len(self._shown):
                return self._found(places)
            path.append(self._placed(state, choice))
            self._choose(path[-1], rank)
        return None

    def _found(self, places: list[tuple[int, int]]) -> Integers:
        offsets = np.zeros(self._count, dtype=np.int64)
        for buffer, offset in places:
            offsets[self._shown[buffer]] = offset
        return offsets

    @staticmethod
    def _state(heights: Integers, left: Integers, offsets: Integers) -> _State:
        return _State(heights, left, offsets, [])

    def _new_rank(self) -> Floats:
        """Of each buffer, by how long it lives, or how much it covers, in turn; perturbed."""
        spans = (self._last - self._first).astype(np.float64)
        key = spans if self._descents % 2 else spans * self._sizes
        return key * np.exp(self._random.normal(0, NOISE, len(key)))

    def _meets(self, buffer: int) -> Integers:
        """The buffers alive together with one."""
        if buffer not in self._met:
            meets: Booleans = self._first < self._last[buffer]
            self._met[buffer] = np.flatnonzero(meets & (self._last > self._first[buffer]))
        return self._met[buffer]

    def _placed(self, state: _State, buffer: int) -> _State:
        first, last = self._first[buffer], self._last[buffer]
        top = state.offsets[buffer] + self._sizes[buffer]
        heights, left, offsets = state.heights.copy(), state.left.copy(), state.offsets.copy()
        heights[first:last] = top
        left[first:last] -= self._sizes[buffer]
        meets = self._meets(buffer)
        offsets[meets] = np.maximum(offsets[meets], top)
        offsets[buffer] = NOWHERE
        return self._state(heights, left, offsets)

    def _choose(self, state: _State, rank: Floats) -> None:
        """Set what may be placed next: what may lie lowest in the most constrained section."""
        # So high may the next buffer of a section lie, that the rest fits above it.
        limits = np.where(state.left > 0, self._capacity - state.left, NOWHERE - 1)
        may_lie = state.offsets <= np.minimum.reduceat(limits[self._lived], self._begins)
        offsets = state.offsets[self._alive]
        is_next = offsets <= limits[self._section]
        # Where one that may be next must wait for others, below it elsewhere, nothing is decided.
        waits = is_next & ~may_lie[self._alive]
        counts = np.add.reduceat(is_next + np.int64(1 << 20) * waits, self._starts[:-1])
        counts[state.left == 0] = 1 << 40
        section = int(counts.argmin())
        if not counts[section]:
            self._failures[section] += 1
            return
        section = int((counts / self._failures).argmin())
        range_ = slice(self._starts[section], self._starts[section + 1])
        found = self._alive[range_][is_next[range_] & ~waits[range_]]
        state.choices = found[np.lexsort((rank[found], -state.offsets[found]))].tolist()


def luby(place: int) -> int:
    """The sequence 1, 1, 2, 1, 1, 2, 4, …, from 1 on (Luby, Sinclair and Zuckerman, 1993)."""
    power = place.bit_length()
    if place == (1 << power) - 1:
        return 1 << (power - 1)
    return luby(place - (1 << (power - 1)) + 1)
