"""
Which form of a program is fastest, as the runs say that it makes anyway: the first ones take the
forms by turns.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import TypeAlias

from vyre_dialect.runtime.errors import VyreError, first_line
from vyre_dialect.runtime.interpreter.arrays import Bytes
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.flight import Contents
from vyre_dialect.runtime.opencl.results import RunResult
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compiled_program import CompiledProgram
from vyre_dialect.runtime.program.decision import Decision
from vyre_dialect.runtime.progress import Progress, no_progress
from vyre_dialect.runtime.tuning.decisions import byte_count
from vyre_dialect.runtime.tuning.measurement import CLEARLY, LEAST_NOISE, LEAST_ROUNDS, Timing

BRIEF_NS = 20_000
"""Device time of a run for which no other form is compiled: that takes a second."""
ROUNDS = 4
"""Runs of each form that count, unless it is clear before which is fastest."""


class Form(StrEnum):
    """How a program is compiled."""

    DEFAULT = "default"
    UNFUSED = "unfused"
    """Without the passes that fuse."""
    VECTORIZED = "vectorized"
    """Neighbouring invocations as lanes, where the policy does without."""


class Trial:
    """The first runs of the forms of a program, in rounds that begin with another form each."""

    def __init__(self, others: Sequence[Form]):
        self.timings = {form: Timing() for form in (Form.DEFAULT, *others)}
        self._turns = deque(self.timings)
        self._are_warm = False
        self._rounds = 0

    @property
    def next(self) -> Form | None:
        """The form of the next run; None where enough is known."""
        return self._turns[0] if self._turns else None

    def record(self, ns: int) -> None:
        """Take the device time of a run of the form that was next. The first one warms it up."""
        form = self._turns.popleft()
        if self._are_warm:
            self.timings[form].samples.append(ns)
        self._continue()

    def drop(self, reason: str) -> None:
        """Do without the form that was next, which does not run."""
        self.timings[self._turns.popleft()].failure = reason
        self._continue()

    @property
    def noise(self) -> float:
        """By which share runs of the default differ."""
        return max(LEAST_NOISE, self.timings[Form.DEFAULT].noise)

    @property
    def fastest(self) -> Form:
        """The fastest form, the default within what is noise."""
        times = {form: each.ns for form, each in self.timings.items() if each.ns is not None}
        best = min(times, key=times.__getitem__, default=Form.DEFAULT)
        if best == Form.DEFAULT or times[best] * (1 + self.noise) >= times[Form.DEFAULT]:
            return Form.DEFAULT
        return best

    def _continue(self) -> None:
        """Begin with another round when one has ended, as long as several forms may be fastest."""
        if self._turns:
            return
        self._are_warm = True
        if self._rounds >= LEAST_ROUNDS:
            self._give_up()
        running = [form for form, each in self.timings.items() if _is_running(each)]
        if len(running) < 2 or self._rounds == ROUNDS:
            return
        self._rounds += 1
        self._turns.extend(running if self._rounds % 2 else reversed(running))

    def _give_up(self) -> None:
        """Leave out the forms of which each run took clearly longer than any of another."""
        limit = CLEARLY * min(max(each.samples) for each in self.timings.values() if each.samples)
        for each in self.timings.values():
            each.is_given_up |= bool(each.samples) and min(each.samples) > limit


def _is_running(timing: Timing) -> bool:
    return timing.failure is None and not timing.is_given_up


Inputs: TypeAlias = Mapping[str, Contents | Bytes]


class Forms(ABC):
    """The forms of a program beside its default, and what is known of them."""

    @abstractmethod
    def others(self) -> Sequence[Form]:
        """Those that may be faster than the default."""

    @abstractmethod
    def promising(self, inputs: Inputs) -> Sequence[Form]:
        """Those of them that may be on inputs of these sizes, the one to be tried first first."""

    @abstractmethod
    def compiled(self, form: Form) -> CompiledProgram:
        """The program in a form. Raises what `compile_module` does."""

    @abstractmethod
    def decided(self, inputs: Inputs) -> CompiledProgram | None:
        """What was decided on for inputs of these sizes; None where nothing was."""

    @abstractmethod
    def keep(self, trial: Trial, inputs: Inputs) -> Decision:
        """Keep what a trial says in which several forms ran, on inputs of the same sizes."""


class TrialExecutor:
    """
    An executor of the fastest form of a program, once that is known; what it gives is the same.

    Other forms are compiled once a run takes at least `brief_ns` on the device, and dropped where
    they fail: they may need more memory. Raises what `Executor` does for the default form.
    """

    def __init__(
        self,
        default: CompiledProgram,
        session: Session,
        forms: Forms,
        progress: Progress = no_progress,
        *,
        brief_ns: int = BRIEF_NS,
    ):
        self.session = session
        self.is_settled = False
        """Whether all further runs are of one form."""
        self.decision: Decision | None = None
        """What the runs have decided."""
        self.trial: Trial | None = None
        """What the runs say that have begun to take several forms by turns."""
        self._forms, self._progress, self._brief_ns = forms, progress, brief_ns
        self._executor = self._built(default)
        self._executors = {Form.DEFAULT: self._executor}
        self._sizes: Sequence[int] | None = None
        """Bytes of each input of the runs that are compared."""
        self._runs = 0
        """How many there were."""

    @property
    def compiled(self) -> CompiledProgram:
        """What the last run has run."""
        return self._executor.compiled

    def run(self, inputs: Inputs, *, resident: Collection[str] = ()) -> RunResult:
        """As `Executor.run`."""
        if not self.is_settled:
            self._compare_runs_on(inputs)
        if self.is_settled:
            return self._executor.run(inputs, resident=resident)
        result = self._run_next(inputs, resident)
        self._record(result, inputs)
        return result

    def settle(self, inputs: Inputs) -> None:
        """Run until it is known which form is fastest, unless the runs are brief."""
        for _ in range(2 + len(Form) * (1 + ROUNDS)):
            if not self.is_settled:
                self.run(inputs)

    def _compare_runs_on(self, inputs: Inputs) -> None:
        """Begin anew for inputs of other sizes; nothing is left to do where it was decided."""
        sizes = tuple(map(byte_count, inputs.values()))
        if self._sizes is None and (decided := self._forms.decided(inputs)) is not None:
            self._executor, self.is_settled = self._built(decided), True
        elif sizes != self._sizes:
            self._sizes, self._runs, self.trial = sizes, 0, None

    def _run_next(self, inputs: Inputs, resident: Collection[str]) -> RunResult:
        """A run of the next form that runs; the default runs, or nothing does."""
        trial = self.trial
        while trial is not None and trial.next not in (None, Form.DEFAULT):
            try:
                self._executor = self._executor_of(trial.next)
                return self._executor.run(inputs, resident=resident)
            except VyreError as error:
                trial.drop(first_line(error))
        self._executor = self._executors[Form.DEFAULT]
        return self._executor.run(inputs, resident=resident)

    def _executor_of(self, form: Form) -> Executor:
        """What runs a form. Raises a VyreError where that is no form of its own."""
        if form not in self._executors:
            compiled = self._forms.compiled(form)
            if any(compiled.source == each.compiled.source for each in self._executors.values()):
                raise VyreError("has the kernels of another form")
            self._executors[form] = self._built(compiled)
        return self._executors[form]

    def _record(self, result: RunResult, inputs: Inputs) -> None:
        """Take what a run says; decide when enough is known."""
        ns = sum(arm.kernel_ns or 0 for arm in result.arms)
        self._runs += 1
        if self.trial is not None and self.trial.next is not None:
            self.trial.record(ns)
        elif self.trial is None and self._runs > 1 and ns >= self._brief_ns:
            self.trial = Trial(self._forms.promising(inputs))
        if self.trial is not None and (len(self.trial.timings) == 1 or self.trial.next is None):
            self._decide(self.trial, inputs)

    def _decide(self, trial: Trial, inputs: Inputs) -> None:
        """Keep the fastest form, and let the others go."""
        self._executor, self.is_settled = self._executors[trial.fastest], True
        self._executors = {}
        if sum(each.ns is not None for each in trial.timings.values()) > 1:
            self.decision = self._forms.keep(trial, inputs)

    def _built(self, compiled: CompiledProgram) -> Executor:
        return Executor(compiled, self.session, progress=self._progress)
