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

from vyre_dialect.runtime.tuning.measurement import Run, Timing, measure
from vyre_dialect.runtime.tuning.search import BATCH, Point, Search, Space
from vyre_dialect.tuning import Choice

FINALISTS = 3
FINAL_ROUNDS = 9
LEAST_NOISE = 0.02
"""Differences up to this share are noise, however steady the device seems."""


class CandidateError(Exception):
    """A candidate cannot be built or run, or gives a wrong result; says which."""


class Bench(ABC):
    """Builds candidates, and lets all of them run on the same buffers."""

    @abstractmethod
    def build(self, choices: Mapping[str, Choice]) -> tuple[str, Run]:
        """
        What tells the kernels of these choices from others, and what runs them, as yet unbuilt.

        Raises CandidateError where the choices do not go together or do not fit the device.
        """

    @abstractmethod
    def check(self, run: Run) -> None:
        """Run a candidate once; raises CandidateError unless it gives what the default gives."""

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
        self._candidates = [self._default]
        self._by_kernels: dict[str, Candidate] = {}
        self._runs: dict[int, Run] = {}
        """What runs the best candidates, by `id`."""
        self._device_ns = 0

    def tune(self) -> Outcome:
        """
        Measure candidates until that is enough. Raises CandidateError where the default fails:
        nothing can be compared with it.
        """
        end = monotonic() + self._limits.seconds
        self._start()
        while monotonic() < end and (batch := self._search.ask(BATCH)):
            self._measure_batch(batch)
        return self._decide()

    def _start(self) -> None:
        kernels, run = self._bench.build(self._default.choices)
        self._bench.check(run)
        self._default.is_built = self._default.is_checked = True
        (timing,) = self._race([run])
        if timing.ns is None:
            raise CandidateError(timing.failure or "nothing was measured")
        self._default.ns, self._default.ratio = timing.ns, 1.0
        self._by_kernels[kernels] = self._default
        self._default_run = run
        self._watch(self._default, 1, self._search.evaluations)

    def _measure_batch(self, batch: Sequence[Point]) -> None:
        candidates = [(point, Candidate(self._choices(point))) for point in batch]
        runs = dict[int, Run]()
        for _, candidate in candidates:
            run = self._prepare(candidate)
            if run is not None:
                runs[id(candidate)] = run
        measured = [candidate for _, candidate in candidates if id(candidate) in runs]
        if measured:
            self._time(measured, runs)
        for point, candidate in candidates:
            self._search.tell(point, _ratio(candidate))
            if candidate.choices != self._default.choices:
                self._candidates.append(candidate)
                self._watch(candidate, len(self._candidates), self._search.evaluations)

    def _prepare(self, candidate: Candidate) -> Run | None:
        """What runs a candidate that is right and has kernels of its own."""
        try:
            kernels, run = self._bench.build(candidate.choices)
            if (known := self._by_kernels.get(kernels)) is not None:
                candidate.same_as, candidate.failure = known, known.failure
                return None
            self._by_kernels[kernels] = candidate
            candidate.is_built = True
            self._bench.check(run)
        except CandidateError as error:
            candidate.failure = str(error)
            return None
        candidate.is_checked = True
        return run

    def _time(self, candidates: Sequence[Candidate], runs: Mapping[int, Run]) -> None:
        best = min(each.ratio or 1.0 for each in self._candidates)
        assert self._default.ns is not None
        default, *timings = self._race(
            [self._default_run, *(runs[id(each)] for each in candidates)],
            incumbent_ns=best * self._default.ns,
        )
        for candidate, timing in zip(candidates, timings, strict=True):
            candidate.failure, candidate.ns = timing.failure, timing.ns
            candidate.is_given_up = timing.is_given_up
            if timing.ns is not None and default.ns is not None:
                candidate.ratio = timing.ns / default.ns
                self._keep(candidate, runs[id(candidate)])

    def _keep(self, candidate: Candidate, run: Run) -> None:
        """Keep what runs the best candidates, and let the others go."""
        self._runs[id(candidate)] = run
        measured = [*self._candidates, candidate]
        ranked = sorted((each for each in measured if id(each) in self._runs), key=_rank)
        for each in ranked[FINALISTS + BATCH :]:
            del self._runs[id(each)]

    def _decide(self) -> Outcome:
        """Measure the finalists again, elsewhere in memory, the default first and last."""
        ranked = sorted((each for each in self._candidates if id(each) in self._runs), key=_rank)
        finalists = [each for each in ranked if (each.ratio or 1) < 1][:FINALISTS]
        self._bench.move()
        runs = [self._default_run, *(self._runs[id(each)] for each in finalists)]
        timings = measure([*runs, self._default_run], rounds=FINAL_ROUNDS, races=False)
        self._device_ns += sum(timing.device_ns for timing in timings)
        first, *others, last = timings
        if first.ns is None or last.ns is None:
            raise CandidateError(first.failure or last.failure or "nothing was measured")
        default_ns = (first.ns + last.ns) / 2
        noise = max(LEAST_NOISE, first.noise, abs(first.ns - last.ns) / default_ns)
        finals = [Candidate(self._default.choices, None, True, True, default_ns, 1.0)]
        for candidate, timing in zip(finalists, others, strict=True):
            ratio = None if timing.ns is None else timing.ns / default_ns
            finals.append(
                Candidate(candidate.choices, timing.failure, True, True, timing.ns, ratio)
            )
        best = min(finals, key=_rank)
        if best.ns is None or _rank(best) * (1 + noise) > 1:
            best = finals[0]
        assert best.ns is not None
        return Outcome(
            self._candidates, best.choices, best.ns, default_ns, noise, self._device_ns, finals
        )

    def _race(self, runs: Sequence[Run], incumbent_ns: float | None = None) -> list[Timing]:
        timings = measure(runs, incumbent_ns=incumbent_ns)
        self._device_ns += sum(timing.device_ns for timing in timings)
        return timings


def _ratio(candidate: Candidate) -> float | None:
    """What the search is told of a candidate."""
    if candidate.failure is not None:
        return None
    return candidate.ratio if candidate.same_as is None else candidate.same_as.ratio


def _rank(candidate: Candidate) -> float:
    if candidate.failure is not None or candidate.ratio is None:
        return float("inf")
    return candidate.ratio
