"""
Buffers with known live ranges share whole allocations, for devices that cannot cut one into parts.

An allocation, a slot, holds buffers whose live ranges are disjoint, and is as large as the
largest. To make the sum of the slots small is to colour an interval graph by weight (Pemmaraju,
Penumatcha, Raman, *Approximating Interval Coloring and Max-Coloring*, 2005), where first fit by
falling sizes does well. A bounded search goes on from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vyre_dialect.passes.memory.packing.instance import Instance, LiveRange

STEPS = 4000
"""How often the search may go on after first fit; counted, so that the answer is the same."""


@dataclass(frozen=True)
class Slots:
    """Which allocation each buffer has, and how many bytes each allocation has."""

    slot_of: list[int]
    sizes: list[int]

    @property
    def total(self) -> int:
        """Bytes of all slots."""
        return sum(self.sizes)


def share_slots(live_ranges: Sequence[LiveRange], steps: int = STEPS) -> Slots:
    """Slots for buffers with these live ranges, of few bytes in all."""
    return _Sharing(live_ranges).best(steps)


class _Sharing:
    """
    Gives slots to buffers by falling sizes: the first of a slot costs its size, others nothing.
    Places are those in that order; sets of them are integers, a bit for each.
    """

    def __init__(self, live_ranges: Sequence[LiveRange]):
        instance = Instance(live_ranges)
        order = np.argsort(-instance.sizes, kind="stable")
        self._order: list[int] = order.tolist()
        self._sizes: list[int] = instance.sizes[order].tolist()
        self._lower_bound = instance.lower_bound
        first, last = instance.first[order], instance.last[order]
        self._meets = [
            sum(1 << place for place in np.flatnonzero((first < end) & (last > begin)).tolist())
            for begin, end in zip(first, last, strict=True)
        ]
        self._slot_of: list[int] = []
        """Of each place so far."""
        self._held: list[int] = []
        """The places in each slot."""
        self._total = 0

    def best(self, steps: int) -> Slots:
        """What first fit finds, or what the search finds below it in so many steps."""
        best, smallest = list[int](), sum(self._sizes) + 1
        begin = 0
        for _ in range(len(self._order) + steps):
            slot = self._free_slot(begin)
            if slot is None or self._total >= smallest:
                if not self._slot_of:
                    break
                begin = self._withdraw() + 1
                continue
            self._assign(slot)
            begin = 0
            if len(self._slot_of) == len(self._order) and self._total < smallest:
                best, smallest = self._slot_of.copy(), self._total
            if smallest == self._lower_bound:
                break
        return self._slots(best)

    def _free_slot(self, begin: int) -> int | None:
        """From slot `begin` on, the first that the next place may share, or else a new one."""
        place, count = len(self._slot_of), len(self._held)
        if place == len(self._order) or begin > count:
            return None
        meets = self._meets[place]
        fits = (slot for slot in range(begin, count) if not self._held[slot] & meets)
        return next(fits, count)

    def _assign(self, slot: int) -> None:
        place = len(self._slot_of)
        if slot == len(self._held):
            self._held.append(0)
            self._total += self._sizes[place]
        self._held[slot] |= 1 << place
        self._slot_of.append(slot)

    def _withdraw(self) -> int:
        """Take back the last place; the slot that it had."""
        slot = self._slot_of.pop()
        place = len(self._slot_of)
        self._held[slot] ^= 1 << place
        if not self._held[slot]:
            self._held.pop()
            self._total -= self._sizes[place]
        return slot

    def _slots(self, slot_at: list[int]) -> Slots:
        slot_of, sizes = [0] * len(slot_at), list[int]()
        for buffer, slot, size in zip(self._order, slot_at, self._sizes, strict=True):
            slot_of[buffer] = slot
            if slot == len(sizes):
                sizes.append(size)
        return Slots(slot_of, sizes)
