"""
Instant packings: buffers in some order, each at the lowest place where it fits (first fit).

What TFLite Micro, TVM and XLA ship; the best of several orders is the search's starting point.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic

import numpy as np

from vyre_dialect.passes.memory.packing.instance import Instance, Integers


def greedy(instance: Instance, deadline: float) -> Integers:
    """The best first fit of several orders; of at least one, and no more than time is left for."""
    best: Integers | None = None
    for order in _orders(instance):
        offsets = first_fit(instance, order)
        if best is None or instance.peak(offsets) < instance.peak(best):
            best = offsets
        if instance.peak(best) == instance.lower_bound or monotonic() > deadline:
            break
    assert best is not None
    return best


def _orders(instance: Instance) -> Iterator[Integers]:
    """Orders of buffers, those that pack well first."""
    length = instance.last - instance.first
    size = instance.sizes
    keys: list[tuple[Integers, ...]] = [
        (-size * length,),
        (-size, -length),
        (-length, -size),
        (instance.first, -size),
        (-instance.last, -size),
        (instance.first, -length),
    ]
    for key in keys:
        yield np.lexsort((np.arange(instance.count), *reversed(key)))


def first_fit(instance: Instance, order: Integers) -> Integers:
    """Offsets for the buffers in `order`, each at the lowest gap among those placed before."""
    offsets = np.zeros(instance.count, dtype=np.int64)
    first, last = instance.first[order], instance.last[order]
    tops = np.zeros(instance.count, dtype=np.int64)
    bases = np.zeros(instance.count, dtype=np.int64)
    for place, buffer in enumerate(order):
        size = instance.sizes[buffer]
        if not size:
            continue
        meets = (first[:place] < last[place]) & (last[:place] > first[place])
        base = _lowest_gap(bases[:place][meets], tops[:place][meets], int(size))
        offsets[buffer] = bases[place] = base
        tops[place] = base + size
    return offsets


def _lowest_gap(bases: Integers, tops: Integers, size: int) -> int:
    order = np.argsort(bases, kind="stable")
    # What is free below each begins where the highest before it ends.
    begins = np.concatenate([[0], np.maximum.accumulate(tops[order])]).astype(np.int64)
    fits = bases[order] - begins[:-1] >= size
    return int(begins[int(np.argmax(fits))] if fits.any() else begins[-1])
