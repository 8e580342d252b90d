"""
The searches for a packing into one capacity, in turn, each with a few placements.

None is the best for all: what one finds at once takes another minutes. So all take turns, and the
next round, with other seeds, has more of each. What each has is counted in placements, so that the
answer does not depend on the machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isqrt
from typing import Protocol

import numpy as np

from vyre_dialect.passes.memory.packing.boxes import Boxes
from vyre_dialect.passes.memory.packing.canonical_search import CanonicalSearch, InfeasibleError
from vyre_dialect.passes.memory.packing.instance import Floats, Instance, Integers, ranked
from vyre_dialect.passes.memory.packing.population import Population
from vyre_dialect.passes.memory.packing.section_search import SectionSearch

DESCENTS = 2
"""How often a canonical search of the first round may place each buffer."""
POPULATION = 16
"""How many packings grow side by side in the first round."""
BY_LENGTH = 2
"""The rank of populations that is among those of each round: first by how long buffers live."""
MOST_POPULATED = 1000
"""Of how many buffers populations are at most: they need arrays of all pairs."""
BOXED = 4
"""Sets of boxes of the first round."""
BOX_DESCENTS = 12
"""How often the search of a set may place each box."""
SECTION_DESCENTS = 6
"""How often a search by sections of the first round may place each buffer."""
NOISE = 0.15
"""By how much, relatively, what a canonical search ranks by is perturbed after the first round."""


class Search(Protocol):
    """Looks for a packing into a capacity."""

    def run(self, nodes: int, deadline: float) -> Integers | None:
        """The offset of each buffer in bytes; None after so many placements or at `deadline`."""
        ...


class Portfolio:
    """What looks for a packing of `instance`."""

    def __init__(self, instance: Instance):
        self._instance = instance
        self._keys = ranking_keys(instance)

    def searches(self, capacity: int, times: int) -> Iterator[tuple[Search, int]]:
        """Searches of the round that has `times` what the first one has, each with its limit."""
        count, is_tight = self._instance.count, capacity == self._instance.lower_bound
        for search in self._canonical(capacity, times):
            yield search, times * DESCENTS * count
        yield from self._boxed(capacity, times, is_tight)
        if is_tight:
            search = SectionSearch(self._instance, capacity, times)
            yield search, times * SECTION_DESCENTS * count
        yield from _population(self._instance, capacity, self._keys[BY_LENGTH], times)
        other = times.bit_length() // 2 % len(self._keys)
        if times > 1 and other != BY_LENGTH:
            yield from _population(self._instance, capacity, self._keys[other], times)

    def _canonical(self, capacity: int, times: int) -> Iterator[Search]:
        random = np.random.default_rng(times)
        for keys in self._keys:
            noise = random.normal(0, NOISE, keys.shape) if times > 1 else np.zeros(1)
            yield CanonicalSearch(self._instance, capacity, ranked(keys * np.exp(noise)))

    def _boxed(self, capacity: int, times: int, is_tight: bool) -> Iterator[tuple[Search, int]]:
        """Searches for a packing of boxes; by sections for an arena that is full at times."""
        populated = BOXED * isqrt(times)
        for number in range(BOXED * times if is_tight else populated):
            boxes = Boxes(self._instance, BOXED * times + number)
            instance = boxes.instance
            if is_tight:
                search = SectionSearch(instance, capacity, number)
                yield Boxed(boxes, search), BOX_DESCENTS * instance.count
            keys = ranking_keys(instance)
            search = CanonicalSearch(instance, capacity, ranked(keys[number % len(keys)]))
            yield Boxed(boxes, search), DESCENTS * instance.count
            if number < populated:
                for search, nodes in _population(instance, capacity, keys[BY_LENGTH], isqrt(times)):
                    yield Boxed(boxes, search), nodes


def _population(
    instance: Instance, capacity: int, keys: Floats, times: int
) -> Iterator[tuple[Search, int]]:
    if instance.count <= MOST_POPULATED:
        size = times * POPULATION
        yield Population(instance, capacity, keys, size, times), size * instance.count


class Boxed:
    """A search among boxes for a packing of the buffers in them."""

    def __init__(self, boxes: Boxes, search: Search):
        self._boxes, self._search = boxes, search

    def run(self, nodes: int, deadline: float) -> Integers | None:
        """As that of the search, but what cannot be had of boxes may be had without them."""
        try:
            found = self._search.run(nodes, deadline)
        except InfeasibleError:
            return None
        return None if found is None else self._boxes.unpacked(found)


def ranking_keys(instance: Instance) -> list[Floats]:
    """What ranks buffers: how long they live, how much they cover, how full their sections are."""
    length = instance.last - instance.first
    area = length * instance.sizes
    load = np.array(
        [
            instance.loads[first:last].max(initial=0)
            for first, last in zip(instance.first, instance.last, strict=True)
        ]
    )
    orders = (load, area, length), (load, length, area), (length, area, load), (area, length, load)
    return [np.array(each, dtype=np.float64) for each in orders]
