"""
Packings that grow side by side, and where one cannot go on, a copy of another takes its place.

Each places its buffers as the canonical search does, in order of offset, by a rank of its own, but
never takes one back. Of several ranks most fail soon and some luckily do not; copies of these go
on, with new ranks for what is left ("go with the winners": Aldous and Vazirani, FOCS 1994). All of
them take each step together, in a few operations on arrays.
"""

from __future__ import annotations

from time import monotonic
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from vyre_dialect.passes.memory.packing.instance import (
    Booleans,
    Floats,
    Instance,
    Integers,
    by_section,
    ranked,
)

NOISE = 0.15
"""By how much, relatively, what buffers are ranked by is perturbed."""
TRIES = 8
"""How many buffers, the lowest first, a packing tries to place next."""
MOST_CELLS = 1 << 22
"""Entries of the largest array: fewer packings grow where more would take more."""
NOWHERE = 1 << 30
"""The offset of what has a place, in units: numbers of 32 bits, which take less time."""
NEVER = 1 << 62
"""In an order, what is not tried."""

Units: TypeAlias = npt.NDArray[np.int32]
"""Offsets and sizes, in units of which all sizes are multiples."""


class Population:
    """Looks for a packing of `instance` into `capacity` bytes, by `size` of them at once."""

    def __init__(self, instance: Instance, capacity: int, keys: Floats, size: int, seed: int):
        self._unit = int(np.gcd.reduce(instance.sizes))
        self._capacity = capacity // self._unit
        self._random = np.random.default_rng(seed)
        self._count = instance.count
        self._shown = np.flatnonzero(instance.sizes)
        self._keys = keys[:, self._shown]
        self._sizes = (instance.sizes[self._shown] // self._unit).astype(np.int32)
        first, last = instance.first[self._shown], instance.last[self._shown]
        self._alive, starts = by_section(first, last, instance.sections)
        self._starts = starts[:-1]
        self._meets = (first[:, None] < last) & (last[:, None] > first)
        sections = np.arange(instance.sections)
        live_ranges = (first[:, None] <= sections) & (sections < last[:, None])
        self._loads = live_ranges * self._sizes[:, None]
        self.size = min(size, MOST_CELLS // len(self._alive)) if self._fits_units() else 0
        """How many packings grow; 0 where one is too large."""
        self._offsets = np.zeros((self.size, len(self._shown)), dtype=np.int32)
        """The lowest offset of each buffer; NOWHERE for those that have a place."""
        self._left = np.tile(self._loads.sum(axis=0, dtype=np.int32), (self.size, 1))
        """Bytes yet to be placed in each section."""
        self._ranks = self._new_ranks(self.size)
        self._last = np.full((self.size, 2), -1, dtype=np.int64)
        """Offset and rank of what was placed last."""
        self._places = np.zeros_like(self._offsets)

    def _fits_units(self) -> bool:
        """Whether sums of an offset and a size are numbers of 32 bits."""
        return self._capacity < NOWHERE // 2

    def run(self, nodes: int, deadline: float) -> Integers | None:
        """
        The offset of each buffer in bytes; None if all packings fail, or after so many placements,
        or when it is `deadline`.
        """
        if not self.size or nodes < self.size * len(self._shown):
            return None
        for _ in self._shown:
            if monotonic() > deadline or not self._grow():
                return None
        offsets = np.zeros(self._count, dtype=np.int64)
        offsets[self._shown] = self._places[0].astype(np.int64) * self._unit
        return offsets

    def _grow(self) -> bool:
        """Place one more buffer in each packing; False if none can go on."""
        order = self._orders()
        waiting = np.arange(self.size)
        for _ in range(TRIES):
            choices = order[waiting].argmin(axis=1)
            has_choice = order[waiting, choices] < NEVER
            waiting, choices = waiting[has_choice], choices[has_choice]
            if not len(waiting):
                break
            order[waiting, choices] = NEVER
            waiting = waiting[~self._place(waiting, choices)]
        return self._replace(self._last[:, 1] < 0)

    def _orders(self) -> Integers:
        """In each packing, the order in which buffers are tried next; NEVER for the others."""
        offset, rank = self._last[:, :1], self._last[:, 1:]
        # Above where another fits below, that one could sink.
        limit = (self._offsets + self._sizes).min(axis=1)
        limit = np.minimum(limit, self._capacity + 1 - self._left.max(axis=1))[:, None]
        follows = (self._offsets > offset) | ((self._offsets == offset) & (self._ranks > rank))
        self._last[:, 1] = -1
        order = self._offsets * np.int64(len(self._shown)) + self._ranks
        return np.where(follows & (self._offsets < limit), order, NEVER)

    def _place(self, packings: Integers, choices: Integers) -> Booleans:
        """Where a choice leaves room for the rest, place it; whether it does."""
        bases = self._offsets[packings, choices]
        offsets = self._offsets[packings]
        tops = (bases + self._sizes[choices])[:, None]
        np.maximum(offsets, tops, out=offsets, where=self._meets[choices])
        offsets[np.arange(len(packings)), choices] = NOWHERE
        left = self._left[packings] - self._loads[choices]
        fits = self._may_fit(offsets, left)
        placed, chosen = packings[fits], choices[fits]
        self._offsets[placed], self._left[placed] = offsets[fits], left[fits]
        self._places[placed, chosen] = self._last[placed, 0] = bases[fits]
        self._last[placed, 1] = self._ranks[placed, chosen]
        return fits

    def _may_fit(self, offsets: Units, left: Units) -> Booleans:
        """Whether each section has room above the lowest of what is yet to be placed there."""
        floors = np.minimum.reduceat(np.take(offsets, self._alive, axis=1), self._starts, axis=1)
        tops = np.where(offsets < NOWHERE, offsets + self._sizes, 0).max(axis=1)
        bounds = np.minimum(floors, self._capacity) + left
        return (bounds.max(axis=1) <= self._capacity) & (tops <= self._capacity)

    def _replace(self, failed: Booleans) -> bool:
        """Put copies of others in the place of those that failed; False if all did."""
        dead, survivors = np.flatnonzero(failed), np.flatnonzero(~failed)
        if not len(survivors):
            return False
        if not len(dead):
            return True
        sources = self._random.choice(survivors, len(dead))
        for state in (self._offsets, self._left, self._places, self._last):
            state[dead] = state[sources]
        self._ranks[dead] = self._new_ranks(len(dead))
        self._last[dead, 1] = -1
        return True

    def _new_ranks(self, count: int) -> Integers:
        """Ranks of the buffers in so many packings, the first 0."""
        noise = self._random.normal(0, NOISE, (count, *self._keys.shape))
        orders = ranked(self._keys * np.exp(noise))
        ranks = np.empty_like(orders)
        places = np.arange(orders.shape[1], dtype=np.int64).reshape(1, -1)
        np.put_along_axis(ranks, orders, places, axis=1)
        return ranks
