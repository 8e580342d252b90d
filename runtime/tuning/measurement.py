"""
How long candidates take, side by side, so that drift and placement hit all of them alike.

Candidates are sampled in rounds, each after the other in every round, and backwards in every other
one, so that who is first once is last once. A sample repeats a candidate until the device was busy
for a millisecond; what it does to warm up does not count. A candidate that is clearly slower than
the fastest is not measured any further. What counts is the median.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from statistics import median
from typing import Any, TypeAlias

SAMPLE_NS = 1_000_000
"""How long a sample takes on the device, at least."""
ROUNDS = 5
LEAST_ROUNDS = 2
"""Rounds before a candidate may be given up."""
CLEARLY = 1.05
"""How many times the fastest median a candidate has to take in every round to be given up."""
AT_ONCE = 1.25
"""How many times the fastest a candidate takes, warming up and once more, to be given up then."""
HOPELESS = 5.0
"""How many times the fastest a candidate takes to be given up after it has warmed up."""
LEAST_NOISE = 0.02
"""Differences up to this share are noise, however steady the device seems."""
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

    @property
    def ns(self) -> float | None:
        """The median; None where it failed."""
        return None if self.failure is not None or not self.samples else median(self.samples)

    @property
    def noise(self) -> float:
        """
        The half of the distance between the quartiles, or the distance between what was measured
        early and late if that is more, as a share of the median.
        """
        if len(self.samples) < 2 or self.ns is None:
            return 0.0
        ordered, half = sorted(self.samples), len(self.samples) // 2
        quarter = len(ordered) // 4
        spread = (ordered[-1 - quarter] - ordered[quarter]) / 2
        drift = abs(median(self.samples[:half]) - median(self.samples[half:]))
        return max(spread, drift) / self.ns


class Sampler:
    """Takes samples of a candidate; one that raises has failed, with the reason."""

    def __init__(self, run: Run):
        self._run = run
        self._warm_up_ns = 0
        self.timing = Timing()

    @property
    def is_running(self) -> bool:
        """Whether there is any point in further samples."""
        return self.timing.failure is None and not self.timing.is_given_up

    def warm_up(self, run: Run | None = None) -> None:
        """Run once, or let `run` do it in another way."""
        self._attempt(self._warm_up, run or self._run)

    def sample(self) -> None:
        """Take a sample."""
        self._attempt(self._sample, inf)

    def screen(self, fastest_ns: float) -> None:
        """Take a sample, or less of one that is much slower than the fastest, as it warmed up."""
        if self.is_running and self._warm_up_ns > HOPELESS * fastest_ns:
            self.timing.samples.append(self._warm_up_ns)
            self.timing.is_given_up = True
        elif self.is_running:
            self._attempt(self._sample, AT_ONCE * fastest_ns)

    def _attempt(self, step: Callable[[Any], None], argument: object) -> None:
        from vyre_dialect.runtime.errors import VyreError, first_line

        try:
            step(argument)
        except (BadTimeError, VyreError) as error:
            self.timing.failure = first_line(error)

    def _warm_up(self, run: Run) -> None:
        self._warm_up_ns = _timed(run)

    def _sample(self, limit_ns: float) -> None:
        times = [_timed(self._run)]
        if min(self._warm_up_ns, times[0]) > limit_ns:
            self.timing.is_given_up = True
        while self.is_running and sum(times) < SAMPLE_NS and len(times) < _MOST_REPEATS:
            times.append(_timed(self._run))
        self.timing.samples.append(sum(times) / len(times))


def measure(runs: Sequence[Run], *, rounds: int = ROUNDS, races: bool = True) -> list[Timing]:
    """
    The timings of candidates by `rounds` samples each, fewer of those that are given up. The first
    never is, nor is anybody unless they race.
    """
    samplers = [Sampler(run) for run in runs]
    for sampler in samplers:
        sampler.warm_up()
    for number in range(rounds):
        for sampler in samplers if number % 2 == 0 else reversed(samplers):
            if sampler.is_running:
                sampler.sample()
        if races and number + 1 >= LEAST_ROUNDS:
            _give_up([sampler.timing for sampler in samplers])
    return [sampler.timing for sampler in samplers]


def _give_up(timings: Sequence[Timing]) -> None:
    limit = CLEARLY * min((timing.ns for timing in timings if timing.ns is not None), default=0.0)
    for timing in timings[1:]:
        if timing.samples and min(timing.samples) > limit:
            timing.is_given_up = True


def _timed(run: Run) -> int:
    if (time := run()) <= 0:
        raise BadTimeError(f"the device measured {time} ns")
    return time
