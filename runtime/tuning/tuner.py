"""
Finds the fastest choices by measuring: which candidates there are, whether they are right, what
they take, and whether that is more than noise.

Nothing here knows a device: a `Bench` builds candidates and lends the buffers they run on.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import TypeAlias

from vyre_dialect.ir.tuning import Choice
from vyre_dialect.runtime.tuning.measurement import LEAST_NOISE, Run, Sampler, Timing, measure
from vyre_dialect.runtime.tuning.search import Point, Search, Space

SIDE_BY_SIDE = 4
"""Candidates that are compared with one sample of the default."""
FINALISTS = 4
"""Candidates that are measured again, if they come within FINAL_SHARE of the fastest."""
FINAL_SHARE = 1.1
FINAL_ROUNDS = 6


class CandidateError(Exception):
    """A candidate cannot be built or run, or gives a wrong result; says which."""


class BusyError(Exception):
    """The device still runs a candidate that was dropped, so that no other can be measured."""


class Bench(ABC):
    """Builds candidates, and lets all of them run on the same buffers."""

    device_ns: int = 0
    """How long the device was busy with all that ever ran."""

    @abstractmethod
    def build(self, choices: Mapping[str, Choice]) -> tuple[str, Run]:
        """
        What tells the kernels of these choices from others, and what runs them, as yet unbuilt.

        Raises CandidateError where the choices do not go together or do not fit the device.
        """

    @abstractmethod
    def check(self, run: Run) -> int:
        """
        Run a candidate once, and give its time on the device; raises CandidateError unless it gives
        what the default gives.
        """

    @abstractmethod
    def move(self) -> None:
        """Let everything lie elsewhere in memory from now on."""


@dataclass
class Candidate:
    """Choices, and what became of them."""

    choices: Mapping[str, Choice]
    failure: str | None = None
    """Why it cannot be built or run, or that it is wrong; such a one never wins."""
    is_built: bool = False
    is_checked: bool = False
    ns: float | None = None
    ratio: float | None = None
    """Its time over that of the default, measured side by side."""
    same_as: Candidate | None = None
    """The earlier one that has the same kernels."""
    is_given_up: bool = False

    @property
    def verdict(self) -> str:
        """What became of it, in a word or two."""
        if self.failure is not None:
            return self.failure
        if self.same_as is not None:
            return "same kernels"
        if self.is_given_up or self.ratio is None:
            return "given up"
        return "faster" if self.ratio < 1 else "default" if self.ratio == 1 else "slower"


@dataclass(frozen=True)
class Limits:
    """When a tuner has seen enough."""

    evaluations: int = 200
    seconds: float = float("inf")
    seed: int = 0
    timeout: float | None = None
    """Seconds that a run of a candidate may take."""


@dataclass
class Outcome:
    """What was measured, the default first, and what to choose."""

    candidates: list[Candidate]
    choices: Mapping[str, Choice]
    ns: float
    default_ns: float
    noise: float
    device_ns: int
    """How long the device was busy."""
    finals: list[Candidate] = field(default_factory=list[Candidate])
    """The finalists as measured on fresh buffers, the default first."""

    @property
    def speedup(self) -> float:
        """How many times as fast as the default the choices are."""
        return self.default_ns / self.ns


Watcher: TypeAlias = Callable[[Candidate, int, int], None]
"""Told of a candidate that is done, the how manyth it is, and of how many."""


class Tuner:
    """One search for the best point of a space."""

    def __init__(
        self,
        space: Space,
        choices: Callable[[Point], Mapping[str, Choice]],
        bench: Bench,
        limits: Limits,
        watch: Watcher,
    ):
        self._choices, self._bench, self._limits, self._watch = choices, bench, limits, watch
        self._search = Search(space, max(1, limits.evaluations), limits.seed)
        self._default = Candidate(choices(space.first))
        self._default_run: Run
        self._default_ns: float
        """As it was sampled last."""
        self._reference: Sampler
        self._unmeasured = 0
        """How many candidates were measured since."""
        self._candidates = [self._default]
        self._by_choices = {_key(self._default): self._default}
        self._by_kernels: dict[str, Candidate] = {}
        self._runs: dict[int, Run] = {}
        """What runs the best candidates, by `id`."""
        self._begin_ns = bench.device_ns

    def tune(self) -> Outcome:
        """
        Measure candidates until that is enough. Raises CandidateError where the default fails:
        nothing can be compared with it.
        """
        end = monotonic() + self._limits.seconds
        self._start()
        while monotonic() < end and (point := self._search.ask()) is not None:
            self._try(point)
        return self._decide()

    def _start(self) -> None:
        kernels, run = self._bench.build(self._default.choices)
        self._default.is_built = True
        self._reference = Sampler(run)
        self._reference.warm_up(lambda: self._bench.check(run))
        self._default.is_checked = True
        self._sample_default()
        self._default.ns, self._default.ratio = self._default_ns, 1.0
        self._by_kernels[kernels] = self._default
        self._default_run = run
        self._watch(self._default, 1, self._search.evaluations)

    def _sample_default(self) -> None:
        """What candidates are compared with for a while."""
        self._reference.sample()
        timing, self._unmeasured = self._reference.timing, 0
        if timing.failure is not None:
            raise CandidateError(timing.failure)
        self._default_ns = timing.samples[-1]

    def _try(self, point: Point) -> None:
        """Find out about a point of the space, and tell the search."""
        candidate = Candidate(self._choices(point))
        known = self._by_choices.setdefault(_key(candidate), candidate)
        if known is not candidate:
            self._search.tell(point, _ratio(known))
            return
        if (run := self._prepare(candidate)) is not None:
            self._time(candidate, run)
        self._search.tell(point, _ratio(candidate))
        self._candidates.append(candidate)
        self._watch(candidate, len(self._candidates), self._search.evaluations)

    def _prepare(self, candidate: Candidate) -> Run | None:
        """What runs a candidate that has kernels of its own, if it can be built."""
        try:
            kernels, run = self._bench.build(candidate.choices)
        except CandidateError as error:
            candidate.failure = str(error)
            return None
        if (known := self._by_kernels.get(kernels)) is not None:
            candidate.same_as, candidate.failure = known, known.failure
            return None
        self._by_kernels[kernels] = candidate
        candidate.is_built = True
        return run

    def _time(self, candidate: Candidate, run: Run) -> None:
        """Check a candidate, by which it warms up, and take a sample next to one of the default."""
        sampler = Sampler(run)
        try:
            sampler.warm_up(lambda: self._bench.check(run))
        except CandidateError as error:
            candidate.failure = str(error)
            return
        candidate.is_checked = True
        if self._unmeasured >= SIDE_BY_SIDE:
            self._sample_default()
        self._unmeasured += 1
        best = min(each.ratio for each in self._candidates if each.ratio is not None)
        sampler.screen(best * self._default_ns)
        timing = sampler.timing
        candidate.failure, candidate.ns = timing.failure, timing.ns
        candidate.is_given_up = timing.is_given_up
        if timing.ns is not None:
            candidate.ratio = timing.ns / self._default_ns
            self._keep(candidate, run)

    def _keep(self, candidate: Candidate, run: Run) -> None:
        """Keep what runs the best candidates, and let the others go."""
        self._runs[id(candidate)] = run
        for each in self._ranked([*self._candidates, candidate])[FINALISTS:]:
            del self._runs[id(each)]

    def _ranked(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Those that can still be run, the fastest first."""
        return sorted((each for each in candidates if id(each) in self._runs), key=_rank)

    def _decide(self) -> Outcome:
        """
        Measure the finalists again, elsewhere in memory, the default first and last; where there
        are none, the default alone.
        """
        finalists = [each for each in self._ranked(self._candidates) if _rank(each) < 1]
        most = FINAL_SHARE * min(map(_rank, finalists), default=1.0)
        finalists = [each for each in finalists if _rank(each) <= most]
        timings = self._finals([self._runs[id(each)] for each in finalists])
        default_ns, noise = timings[0].ns, max(LEAST_NOISE, timings[0].noise)
        if default_ns is None:
            raise CandidateError(timings[0].failure or "nothing was measured")
        finals = [Candidate(self._default.choices, None, True, True, default_ns, 1.0)]
        for candidate, timing in zip(finalists, timings[1:], strict=True):
            ratio = None if timing.ns is None else timing.ns / default_ns
            finals.append(
                Candidate(
                    *(candidate.choices, timing.failure, True, True, timing.ns, ratio),
                    is_given_up=timing.is_given_up,
                )
            )
        best = min(finals, key=_rank)
        if best.ns is None or _rank(best) * (1 + noise) > 1:
            best = finals[0]
        assert best.ns is not None
        device_ns = self._bench.device_ns - self._begin_ns
        return Outcome(
            self._candidates, best.choices, best.ns, default_ns, noise, device_ns, finals
        )

    def _finals(self, finalists: Sequence[Run]) -> list[Timing]:
        """The timings of the default and of finalists."""
        if finalists:
            self._bench.move()
            return measure([self._default_run, *finalists], rounds=FINAL_ROUNDS)
        while self._reference.is_running and len(self._reference.timing.samples) < FINAL_ROUNDS:
            self._reference.sample()
        return [self._reference.timing]


def _key(candidate: Candidate) -> tuple[Choice, ...]:
    """What tells choices from others of the same space."""
    return tuple(candidate.choices.values())


def _ratio(candidate: Candidate) -> float | None:
    """What the search is told of a candidate."""
    if candidate.failure is not None:
        return None
    return candidate.ratio if candidate.same_as is None else candidate.same_as.ratio


def _rank(candidate: Candidate) -> float:
    if candidate.failure is not None or candidate.ratio is None:
        return float("inf")
    return candidate.ratio
