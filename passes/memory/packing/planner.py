"""
Plans an arena: offsets for buffers with known lives, as low as a bounded effort finds.

First fit in several orders gives an answer at once; then the canonical search asks for the lower
bound, and for sizes between it and the best so far.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import monotonic

import numpy as np
import numpy.typing as npt
from xdsl.utils.str_enum import StrEnum

from vyre_dialect.passes.memory.packing.canonical_search import (
    CanonicalSearch,
    InfeasibleError,
    OutOfNodesError,
)
from vyre_dialect.passes.memory.packing.greedy import greedy
from vyre_dialect.passes.memory.packing.instance import Instance, Integers, Life

DESCENTS = 2
"""How often the first round of a search may place each buffer."""
GROWTH = 3
"""How many times more nodes each round has."""
LOWER_BOUND_SHARE = 0.6
STEPS = (0.5, 0.75, 0.9)
"""
Between the lower bound and the best so far, what is asked for next. Whether an arena is found
does not follow its size, and so the largest step is tried first, each with a share of its own.
"""
STEP_SHARE = 0.1
NOISE = 0.05
"""By how much, relatively, a restart perturbs what buffers are ranked by."""


Floats = npt.NDArray[np.float64]


class Status(StrEnum):
    """How good a packing is known to be."""

    LOWER_BOUND = "lower-bound"
    """As many bytes are alive at once: nothing is smaller."""
    OPTIMAL = "optimal"
    """Every smaller one was refuted."""
    BEST_FOUND = "best-found"
    """Smaller ones may exist."""


@dataclass(frozen=True)
class Packing:
    """Where buffers lie in the arena, in bytes."""

    offsets: list[int]
    peak: int
    lower_bound: int
    """The most bytes alive at once."""
    refuted: int
    """No arena of so many bytes will do."""
    status: Status

    @property
    def ratio(self) -> float:
        """The peak over the lower bound."""
        return self.peak / self.lower_bound if self.lower_bound else 1.0

    @property
    def gap(self) -> float:
        """The peak over the smallest arena that was not refuted: how far off it may be."""
        return self.peak / (self.refuted + 1) if self.peak else 1.0


@dataclass(frozen=True)
class Effort:
    """What a plan may cost: whatever is used up first. Without `seconds` it is deterministic."""

    nodes: int | None = None
    """Placements that the search may try."""
    seconds: float | None = None


def plan(
    lives: Sequence[Life], effort: Effort, *, alignment: int = 1, capacity: int | None = None
) -> Packing:
    """
    Offsets in bytes, multiples of `alignment`, for buffers with these lives; `capacity` is what
    is asked for first. Raises ValueError for an alignment below 1.
    """
    planner = _Planner(Instance(lives, alignment), effort)
    if capacity is not None:
        planner.ask(capacity, 1.0)
    planner.ask(planner.bound, LOWER_BOUND_SHARE)
    planner.descend()
    return planner.packing()


class _Planner:
    def __init__(self, instance: Instance, effort: Effort):
        self.instance = instance
        self.bound = instance.lower_bound
        self._refuted = self.bound - 1
        """No arena of this size or less will do."""
        self._seconds = effort.seconds
        self._nodes = effort.nodes
        now = monotonic()
        self._deadline = now + effort.seconds if effort.seconds is not None else float("inf")
        self._nodes_left = effort.nodes if effort.nodes is not None else float("inf")
        self._best = greedy(instance, self._deadline)
        self._keys = _keys(instance)

    @property
    def peak(self) -> int:
        return self.instance.peak(self._best)

    @property
    def is_done(self) -> bool:
        return self.peak <= self._refuted + 1

    def ask(self, capacity: int, share: float) -> None:
        """Look for a packing into `capacity` bytes, with a share of the effort."""
        if not self._refuted < capacity < self.peak:
            return
        seconds = float("inf") if self._seconds is None else share * self._seconds
        nodes = float("inf") if self._nodes is None else share * self._nodes
        deadline = min(self._deadline, monotonic() + seconds)
        try:
            self._best = self._search(capacity, min(nodes, self._nodes_left), deadline)
        except InfeasibleError:
            self._refuted = max(self._refuted, capacity)
        except OutOfNodesError:
            return

    def descend(self) -> None:
        """Ask for smaller and smaller arenas, until they are refuted or the effort is spent."""
        while not self.is_done:
            before = self.peak, self._refuted
            for step in STEPS:
                target = self.bound + int(step * (self.peak - self.bound))
                self.ask(target, STEP_SHARE)
                if self.peak < before[0]:
                    break
            else:
                self.ask(self.peak - 1, 1.0)
            if (self.peak, self._refuted) == before:
                return

    def packing(self) -> Packing:
        status = Status.BEST_FOUND
        if self.peak == self.bound:
            status = Status.LOWER_BOUND
        elif self.is_done:
            status = Status.OPTIMAL
        return Packing(self._best.tolist(), self.peak, self.bound, self._refuted, status)

    def _search(self, capacity: int, nodes: float, deadline: float) -> Integers:
        for order, limit in self._orders():
            granted = int(min(limit, nodes))
            if not granted or monotonic() > deadline:
                raise OutOfNodesError
            nodes -= granted
            self._nodes_left -= granted
            try:
                return CanonicalSearch(self.instance, capacity, order).run(granted, deadline)
            except OutOfNodesError:
                continue
        raise AssertionError

    def _orders(self) -> Iterator[tuple[Integers, int]]:
        """Every rank in turn, with more nodes each time, and half as many on perturbed ones."""
        random = np.random.default_rng(0)
        first = DESCENTS * self.instance.count
        times = 1
        while True:
            for keys in self._keys:
                yield _ranked(keys), times * first
            for keys in self._keys * (times // 2):
                noise = np.exp(random.normal(0, NOISE, keys.shape))
                yield _ranked(keys * noise), first
            times *= GROWTH


def _keys(instance: Instance) -> list[Floats]:
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


def _ranked(keys: Floats) -> Integers:
    """The buffers by falling keys, the first one first."""
    return np.lexsort(-keys[::-1])
