"""
Boxes: buffers that are packed as one, because they together take a rectangle.

Two of one size, where one dies as the other is born, take one place one after the other; two of
one live range lie on top of each other. Merging them wastes nothing, so each section needs as much
as before, and a packing of the boxes is one of the buffers. The converse need not hold: the surest
merges come first, and others by chance ("boxing": Buchsbaum et al., STOC 2003, with waste).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from random import Random

import numpy as np

from vyre_dialect.passes.memory.packing.instance import Instance, Integers, LiveRange

DOUBTS = (float("inf"), 4.0, float("inf"), 8.0)
"""
Up to how many alternatives a merge may have, in turn: with all, few boxes are left, which are soon
searched, but some are wrong; with the surest ones, more are left.
"""
NOISE = 1.0
"""By how much, relatively, the number of alternatives is perturbed."""

FEW = 6
"""Where there are no more alternatives, a merge there has made others surer."""


@dataclass(frozen=True)
class Box:
    """What lives over the sections `[first, last)`, with each buffer's offset in it."""

    first: int
    last: int
    size: int
    members: tuple[tuple[int, int], ...]


class Boxes:
    """Buffers of `instance` merged to boxes, depending on a seed."""

    def __init__(self, instance: Instance, seed: int):
        self._instance = instance
        self._random = Random(seed)
        self._boxes: dict[int, Box] = {}
        self._born, self._dying = defaultdict[int, set[int]](set), defaultdict[int, set[int]](set)
        self._merges: list[tuple[float, int, int]] = []
        """With the number of alternatives, the fewest first."""
        self._next = 0
        for buffer in np.flatnonzero(instance.sizes).tolist():
            first, last = int(instance.first[buffer]), int(instance.last[buffer])
            self._add(Box(first, last, int(instance.sizes[buffer]), ((buffer, 0),)))
        self._merge(DOUBTS[seed % len(DOUBTS)])

    @cached_property
    def instance(self) -> Instance:
        """The boxes, to be packed."""
        return Instance([LiveRange(box.first, box.last, box.size) for box in self._boxes.values()])

    def unpacked(self, offsets: Integers) -> Integers:
        """The offsets of the buffers, from those of the boxes."""
        found = np.zeros(self._instance.count, dtype=np.int64)
        for box, offset in zip(self._boxes.values(), offsets, strict=True):
            for buffer, within in box.members:
                found[buffer] = offset + within
        return found

    def _add(self, box: Box) -> None:
        name, self._next = self._next, self._next + 1
        self._boxes[name] = box
        self._born[box.first].add(name)
        self._dying[box.last].add(name)
        self._propose(name)

    def _remove(self, name: int) -> Box:
        box = self._boxes.pop(name)
        self._born[box.first].discard(name)
        self._dying[box.last].discard(name)
        return box

    def _merge(self, doubt: float) -> None:
        while self._merges and self._merges[0][0] <= doubt:
            _, one, other = heappop(self._merges)
            remaining = [each for each in (one, other) if each in self._boxes]
            if len(remaining) < 2:
                # Their partner has found another, and so must they.
                for each in remaining:
                    self._propose(each)
                continue
            below, above = self._remove(one), self._remove(other)
            self._add(_union(below, above))
            # With fewer around, other merges have become surer.
            for time in {below.first, below.last, above.last}:
                self._propose_around(time)

    def _propose_around(self, time: int) -> None:
        if self._alternatives_at(time) <= FEW:
            for name in (*self._born[time], *self._dying[time]):
                self._propose(name)

    def _propose(self, name: int) -> None:
        """Note one merge of each kind that a box can take part in."""
        box = self._boxes[name]
        before = (each for each in self._dying[box.first] if self._boxes[each].size == box.size)
        after = (each for each in self._born[box.last] if self._boxes[each].size == box.size)
        beside = (
            each
            for each in self._born[box.first]
            if each != name and self._boxes[each].last == box.last
        )
        if (one := next(before, None)) is not None:
            self._note(self._alternatives_at(box.first), one, name)
        if (one := next(after, None)) is not None:
            self._note(self._alternatives_at(box.last), name, one)
        if (one := next(beside, None)) is not None:
            born, dying = len(self._born[box.first]), len(self._dying[box.last])
            at_birth = max(1, len(self._dying[box.first])) * born * (born - 1) // 2
            at_death = max(1, len(self._born[box.last])) * dying * (dying - 1) // 2
            self._note(min(at_birth, at_death), one, name)

    def _alternatives_at(self, time: int) -> int:
        """How many pairs there are of what dies and what is born then."""
        return len(self._dying[time]) * len(self._born[time])

    def _note(self, alternatives: int, one: int, other: int) -> None:
        doubt = float(alternatives)
        if alternatives > 1:
            doubt *= self._random.lognormvariate(0, NOISE)
        heappush(self._merges, (doubt, one, other))


def _union(one: Box, other: Box) -> Box:
    """One box then the other, if these touch in time; else one below the other."""
    if one.last == other.first:
        return Box(one.first, other.last, one.size, one.members + other.members)
    raised = tuple((buffer, offset + one.size) for buffer, offset in other.members)
    return Box(one.first, one.last, one.size + other.size, one.members + raised)
