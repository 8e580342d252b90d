"""
Which form of a program is faster, fused or not, as the runs say that it makes anyway: the first
ones take both forms by turns.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from enum import IntEnum
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
from vyre_dialect.runtime.tuning.measurement import CLEARLY, LEAST_NOISE, LEAST_ROUNDS, Timing

BRIEF_NS = 20_000
"""Device time of a run that another form is not compiled for: it takes a second to compile."""


class Form(IntEnum):
    """How a program is compiled."""

    FUSED = 0
    """By default."""
    UNFUSED = 1
    """Without the passes that fuse."""


_WARM_UPS = (0, 2)
"""Runs that do not count, one for each form."""
_TURNS = (
    *(Form.FUSED, Form.FUSED, Form.UNFUSED),
    *(Form.UNFUSED, Form.FUSED, Form.FUSED, Form.UNFUSED) * 2,
)
"""The form of each run: after one that warms up, by turns, who is first changing."""


class Trial:
    """The first runs of a program: which form is next, and what they have said."""

    def __init__(self, brief_ns: int = BRIEF_NS) -> None:
        self.brief_ns = brief_ns
        self.timings = {form: Timing() for form in Form}
        self._runs = 0
        self._is_over = False

    @property
    def next(self) -> Form | None:
        """The form of the next run; None where enough is known."""
        return None if self._is_over else _TURNS[self._runs]

    def record(self, ns: int) -> None:
        """Take the device time of a run of the form that was next. One that is brief is no use."""
        form, number = _TURNS[self._runs], self._runs
        if form == Form.FUSED and number and ns < self.brief_ns:
            return
        self._runs += 1
        if number not in _WARM_UPS:
            self.timings[form].samples.append(ns)
        self._is_over = self._runs == len(_TURNS) or self._is_clear()

    def drop(self, form: Form, reason: str) -> None:
        """A form that does not run is not tried again."""
        self.timings[form].failure = reason
        self._is_over = True

    @property
    def is_measured(self) -> bool:
        """Whether both forms have run."""
        return all(each.ns is not None for each in self.timings.values())

    @property
    def noise(self) -> float:
        """By which share runs of the default differ."""
        return max(LEAST_NOISE, self.timings[Form.FUSED].noise)

    @property
    def faster(self) -> Form:
        """The faster form, the default within what is noise."""
        fused, unfused = (self.timings[form].ns for form in Form)
        if fused is None or unfused is None or unfused * (1 + self.noise) >= fused:
            return Form.FUSED
        return Form.UNFUSED

    def _is_clear(self) -> bool:
        """Whether each run of one form took clearly longer than any of the other."""
        samples = [each.samples for each in self.timings.values()]
        if min(map(len, samples)) < LEAST_ROUNDS:
            return False
        one, other = samples
        return min(one) > CLEARLY * max(other) or min(other) > CLEARLY * max(one)


MOST_RUNS = len(_TURNS)
"""After which a trial has ended, unless the runs are brief."""

Inputs: TypeAlias = Mapping[str, Contents | Bytes]


class Forms(ABC):
    """The forms of a program beside its default, and what is known of them."""

    @abstractmethod
    def decided(self, inputs: Inputs) -> CompiledProgram | None:
        """The form that was decided on for inputs of these sizes; None where nothing was."""

    @abstractmethod
    def unfused(self) -> CompiledProgram:
        """The form without the passes that fuse. Raises what `compile_module` does."""

    @abstractmethod
    def keep(self, trial: Trial, inputs: Inputs) -> Decision:
        """Keep what a trial says in which both forms ran, on inputs of the same sizes."""


class TrialExecutor:
    """
    An executor of the faster form of a program, once that is known; what it gives is the same.

    The other form is compiled once a run is long enough for it to matter, and dropped where it
    fails: it may need more memory. Raises what `Executor` does for the default form, `fused`.
    """

    def __init__(
        self,
        fused: CompiledProgram,
        session: Session,
        forms: Forms,
        progress: Progress = no_progress,
        *,
        brief_ns: int = BRIEF_NS,
    ):
        self.session = session
        self._forms, self._progress, self._brief_ns = forms, progress, brief_ns
        self._fused = self._executor = self._built(fused)
        self._unfused: Executor | None = None
        self._trial: Trial | None = Trial(brief_ns)
        self._sizes: Sequence[int] | None = None
        """Bytes of each input in the trial; None before the first run."""
        self.decision: Decision | None = None
        """What the runs have decided."""

    @property
    def is_settled(self) -> bool:
        """Whether all further runs are of one form."""
        return self._trial is None

    @property
    def compiled(self) -> CompiledProgram:
        """What the last run has run."""
        return self._executor.compiled

    def run(self, inputs: Inputs, *, resident: Collection[str] = ()) -> RunResult:
        """As `Executor.run`."""
        if self._trial is None:
            return self._executor.run(inputs, resident=resident)
        if (trial := self._trial_on(inputs)) is None:
            return self._executor.run(inputs, resident=resident)
        result = None
        if trial.next == Form.UNFUSED:
            result = self._run_unfused(trial, inputs, resident)
        if result is None:
            self._executor = self._fused
            result = self._fused.run(inputs, resident=resident)
        if trial.next is not None:
            trial.record(sum(arm.kernel_ns or 0 for arm in result.arms))
        if trial.next is None:
            self._decide(trial, inputs)
        return result

    def settle(self, inputs: Inputs) -> Trial | None:
        """
        Run until it is known which form is faster, unless the runs are brief; gives the trial, None
        where the form was decided on before.
        """
        trial = self._trial_on(inputs)
        for _ in range(MOST_RUNS):
            if not self.is_settled:
                self.run(inputs)
        return trial

    def _trial_on(self, inputs: Inputs) -> Trial | None:
        """The trial on inputs of these sizes; None, once settled, where the form was decided on."""
        sizes = tuple(map(byte_count, inputs.values()))
        if self._sizes is None and (decided := self._forms.decided(inputs)) is not None:
            self._trial, self._executor = None, self._built(decided)
        elif sizes != self._sizes:
            self._trial, self._sizes = Trial(self._brief_ns), sizes
        return self._trial

    def _built(self, compiled: CompiledProgram) -> Executor:
        return Executor(compiled, self.session, progress=self._progress)

    def _run_unfused(
        self, trial: Trial, inputs: Inputs, resident: Collection[str]
    ) -> RunResult | None:
        """A run of the other form; None where that cannot be built or run."""
        try:
            if self._unfused is None:
                self._unfused = self._built(self._forms.unfused())
            self._executor = self._unfused
            return self._unfused.run(inputs, resident=resident)
        except VyreError as error:
            trial.drop(Form.UNFUSED, first_line(error))
            return None

    def _decide(self, trial: Trial, inputs: Inputs) -> None:
        """Keep the faster form, and let the other go."""
        if trial.faster == Form.UNFUSED and self._unfused is not None:
            self._fused = self._unfused
        self._trial = self._unfused = None
        self._executor = self._fused
        if trial.is_measured:
            self.decision = self._forms.keep(trial, inputs)


def byte_count(given: Contents | Bytes) -> int:
    """Bytes that the host supplies for a buffer."""
    return len(given) if isinstance(given, bytes | bytearray) else int(given.nbytes)
