"""
Plans an arena: offsets for buffers with known live ranges, as low as a bounded effort finds.

First fit in several orders gives an answer at once; then a portfolio of searches asks for the lower
bound, and for sizes between it and the best so far.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic

from xdsl.utils.str_enum import StrEnum

from vyre_dialect.passes.memory.packing.canonical_search import InfeasibleError
from vyre_dialect.passes.memory.packing.greedy import greedy
from vyre_dialect.passes.memory.packing.instance import Instance, Integers, LiveRange
from vyre_dialect.passes.memory.packing.portfolio import Portfolio

GROWTH = 4
"""How many times more each round has of every search."""
STEPS = (0.0, 0.5, 0.75, 0.9)
"""
What is asked for, from the smallest arena that may do to the best so far. Whether one is found
does not follow its size, and so the largest step is tried first.
"""


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
    live_ranges: Sequence[LiveRange],
    effort: Effort,
    *,
    alignment: int = 1,
    capacity: int | None = None,
) -> Packing:
    """
    Offsets in bytes, multiples of `alignment`, for buffers with these live ranges; `capacity` is
    what is asked for first. Raises ValueError for an alignment below 1.
    """
    planner = _Planner(Instance(live_ranges, alignment), effort)
    planner.improve(capacity)
    return planner.packing()


class _Planner:
    def __init__(self, instance: Instance, effort: Effort):
        self.instance = instance
        self.bound = instance.lower_bound
        self._refuted = self.bound - 1
        """No arena of this size or less will do."""
        now = monotonic()
        self._deadline = now + effort.seconds if effort.seconds is not None else float("inf")
        self._nodes_left = effort.nodes if effort.nodes is not None else float("inf")
        self._best = greedy(instance, self._deadline)
        self._portfolio = Portfolio(instance)
        self._asked = set[tuple[int, int]]()
        """Arenas asked for, and in which round."""

    @property
    def peak(self) -> int:
        return self.instance.peak(self._best)

    def improve(self, capacity: int | None) -> None:
        """Ask for smaller arenas, with more effort each round, until it is spent."""
        wanted = [] if capacity is None else [capacity]
        # The lower bound again before others: most often it can be had, and spares them.
        for times in (1, GROWTH):
            for target in (*wanted, self.bound):
                self._ask(target, times)
        times = 1
        while not self._is_done:
            while (target := self._next(wanted, times)) is not None:
                self._ask(target, times)
            times *= GROWTH

    @property
    def _is_optimal(self) -> bool:
        return self.peak <= self._refuted + 1

    @property
    def _is_done(self) -> bool:
        return self._is_optimal or self._nodes_left <= 0 or monotonic() > self._deadline

    def _next(self, wanted: list[int], times: int) -> int | None:
        """The arena to ask for that was not asked for in this round; None when there is none."""
        low = self._refuted + 1
        targets = [*wanted, *(low + int(step * (self.peak - low)) for step in STEPS)]
        return next((each for each in targets if self._may_be_had(each, times)), None)

    def _may_be_had(self, capacity: int, times: int) -> bool:
        is_open = self._refuted < capacity < self.peak and not self._is_done
        return is_open and (capacity, times) not in self._asked

    def _ask(self, capacity: int, times: int) -> None:
        if not self._may_be_had(capacity, times):
            return
        self._asked.add((capacity, times))
        try:
            found = self._search(capacity, times)
        except InfeasibleError:
            self._refuted = max(self._refuted, capacity)
            return
        if found is not None:
            self._best = found

    def packing(self) -> Packing:
        status = Status.BEST_FOUND
        if self.peak == self.bound:
            status = Status.LOWER_BOUND
        elif self._is_optimal:
            status = Status.OPTIMAL
        return Packing(self._best.tolist(), self.peak, self.bound, self._refuted, status)

    def _search(self, capacity: int, times: int) -> Integers | None:
        for search, limit in self._portfolio.searches(capacity, times):
            nodes = int(min(limit, self._nodes_left))
            if not nodes or monotonic() > self._deadline:
                return None
            self._nodes_left -= nodes
            if (found := search.run(nodes, self._deadline)) is not None:
                return found
        return None
