"""
How long candidates take, side by side, so that drift and placement hit all of them alike.

Candidates are measured in rounds, each after the other in every round; a sample repeats a
candidate until the device was busy for a millisecond, and what it does to warm up does not count.
A candidate that is clearly slower than the fastest is not measured any further. What counts is the
median.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import TypeAlias

SAMPLE_NS = 1_000_000
"""How long a sample takes on the device, at least."""
ROUNDS = 5
LEAST_ROUNDS = 2
"""Rounds before a candidate may be given up."""
CLEARLY = 1.05
"""How many times the fastest median a candidate has to take in every round to be given up."""
_MOST_REPEATS = 1000

Run: TypeAlias = Callable[[], int]
"""Runs a candidate once; gives its time on the device in ns."""


class BadTimeError(Exception):
    """A device said that a run took no time, or less."""


@dataclass
class Timing:
    """The samples of a candidate, in ns per run."""

    samples: list[float] = field(default_factory=list[float])
    failure: str | None = None
    is_given_up: bool = False
    """Whether it was clearly slower than another."""
    device_ns: int = 0
    """How long the device was busy with it."""

    @property
    def ns(self) -> float | None:
        """The median; None where it failed."""
        return None if self.failure is not None or not self.samples else median(self.samples)

    @property
    def noise(self) -> float:
        """Half of the distance between the quartiles, as a share of the median."""
        if len(self.samples) < 2 or self.ns is None:
            return 0.0
        ordered = sorted(self.samples)
        quarter = len(ordered) // 4
        return (ordered[-1 - quarter] - ordered[quarter]) / 2 / self.ns


class _Candidate:
    def __init__(self, run: Run):
        self._run = run
        self._repeats = 1
        self.timing = Timing()

    def warm_up(self) -> None:
        """Run until it is known how often a sample has to."""
        self._once()
        self._repeats = max(1, min(_MOST_REPEATS, -(-SAMPLE_NS // self._once())))

    def sample(self) -> None:
        """Take a sample."""
        times = [self._once() for _ in range(self._repeats)]
        self.timing.samples.append(sum(times) / len(times))

    def _once(self) -> int:
        time = self._run()
        if time <= 0:
            raise BadTimeError(f"the device measured {time} ns")
        self.timing.device_ns += time
        return time


def measure(
    runs: Sequence[Run],
    *,
    rounds: int = ROUNDS,
    races: bool = True,
    incumbent_ns: float | None = None,
) -> list[Timing]:
    """
    The timings of candidates by `rounds` samples each, fewer of those that are given up.

    `incumbent_ns` is the time of the fastest of earlier candidates. Nobody is given up unless it
    `races`. A candidate that raises has failed, with the reason.
    """
    candidates = [_Candidate(run) for run in runs]
    for candidate in candidates:
        _attempt(candidate, candidate.warm_up)
    for number in range(rounds):
        for candidate in candidates:
            timing = candidate.timing
            if timing.failure is None and not timing.is_given_up:
                _attempt(candidate, candidate.sample)
        if races and number + 1 >= LEAST_ROUNDS:
            _give_up([each.timing for each in candidates], incumbent_ns)
    return [candidate.timing for candidate in candidates]


def _attempt(candidate: _Candidate, step: Callable[[], None]) -> None:
    from vyre_dialect.runtime.errors import VyreError, first_line

    try:
        step()
    except (BadTimeError, VyreError) as error:
        candidate.timing.failure = first_line(error)


def _give_up(timings: Sequence[Timing], incumbent_ns: float | None) -> None:
    medians = [timing.ns for timing in timings if timing.ns is not None]
    if incumbent_ns is not None:
        medians.append(incumbent_ns)
    limit = CLEARLY * min(medians, default=0.0)
    for timing in timings:
        if timing.samples and min(timing.samples) > limit:
            timing.is_given_up = True
