"""
A discrete-event model of shards on a cluster: one scheduler, workers, and a tree of merges.

The scheduler handles one task after the other, before it starts. A worker takes the next shard when
it is free: it reads it over its line and runs it. A merge starts where its last part is, to which
the others travel. What the scheduler and workers take is measured (`benchmarks.distributed`); what
the network takes is injected.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count


@dataclass(frozen=True)
class Costs:
    """Seconds and bytes of one task."""

    scheduler_s: float
    """Of the scheduler, for each task."""
    run_s: float
    """Of a worker, for a shard that it has read."""
    merge_s: float
    """Of a worker, for a merge whose parts are there."""
    shard_bytes: int
    part_bytes: int
    """What a part takes that travels to a merge."""
    latency_s: float = 0.0
    """Of the network, for each message."""
    bytes_per_s: float = float("inf")
    """Of the line of each worker."""

    def travel(self, size: int) -> float:
        """The time that so many bytes take."""
        return self.latency_s + size / self.bytes_per_s


@dataclass
class Outcome:
    """What a simulated run has come to."""

    seconds: float
    shards: int
    merges: int
    started: list[int] = field(default_factory=list[int])
    """The shards, in the order in which they have started."""


def simulate(workers: int, shards: int, costs: Costs, arity: int) -> Outcome:
    """A run of so many shards on so many workers, of which `arity` parts are merged at once."""
    return _Run(workers, shards, costs, arity).outcome()


@dataclass(frozen=True, order=True)
class _Task:
    """A shard, on level 0, or a merge; those of a level are numbered from the left."""

    level: int
    number: int


class _Run:
    def __init__(self, workers: int, shards: int, costs: Costs, arity: int):
        self._costs, self._arity = costs, arity
        self._sizes = list(_levels(shards, arity))
        self._missing = {
            _Task(level, number): min(arity, self._sizes[level - 1] - number * arity)
            for level in range(1, len(self._sizes))
            for number in range(self._sizes[level])
        }
        self._free = [(0.0, worker) for worker in range(workers)]
        self._scheduler_free = 0.0
        self._ready = list[tuple[float, _Task]]()
        self._order = count()
        self._ended = list[tuple[float, int, _Task, int]]()
        self._outcome = Outcome(0.0, 0, 0)
        for number in range(shards):
            heapq.heappush(self._ready, (0.0, _Task(0, number)))

    def outcome(self) -> Outcome:
        while self._ready or self._ended:
            if self._ready and self._free:
                self._start()
            else:
                self._end()
        return self._outcome

    def _start(self) -> None:
        """Let the scheduler hand the next task to the worker that has been free the longest."""
        since, worker = heapq.heappop(self._free)
        ready, task = heapq.heappop(self._ready)
        begin = max(since, ready, self._scheduler_free) + self._costs.scheduler_s
        self._scheduler_free = begin
        end = begin + self._costs.latency_s + self._duration(task)
        heapq.heappush(self._ended, (end, next(self._order), task, worker))
        if task.level == 0:
            self._outcome.started.append(task.number)

    def _duration(self, task: _Task) -> float:
        costs = self._costs
        if task.level == 0:
            return costs.travel(costs.shard_bytes) + costs.run_s
        before = self._sizes[task.level - 1] - task.number * self._arity
        return costs.travel((min(before, self._arity) - 1) * costs.part_bytes) + costs.merge_s

    def _end(self) -> None:
        """Take the task that ends next, and see whether a merge has all its parts."""
        end, _, task, worker = heapq.heappop(self._ended)
        heapq.heappush(self._free, (end, worker))
        self._outcome.seconds = end + self._costs.latency_s
        self._outcome.shards += task.level == 0
        self._outcome.merges += task.level > 0
        merge = _Task(task.level + 1, task.number // self._arity)
        if merge not in self._missing:
            return
        self._missing[merge] -= 1
        if not self._missing[merge]:
            heapq.heappush(self._ready, (end, merge))


def _levels(shards: int, arity: int) -> Iterator[int]:
    """The tasks of each level: the shards, and merges until there is one."""
    yield shards
    while shards > 1:
        shards = -(-shards // arity)
        yield shards
