"""Which choices a program is compiled with: those that were decided on, or decided now."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter_ns
from typing import NamedTuple

from blake3 import blake3
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.ir.canonical_text import canonical_text
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.errors import TimeLimitError, VyreError
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.interpreter.programs import find_program
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.decision import Decision
from vyre_dialect.runtime.program.device_info import DeviceInfo
from vyre_dialect.runtime.progress import Progress, no_progress
from vyre_dialect.runtime.tuning.configuration import Configurations
from vyre_dialect.runtime.tuning.decisions import DecisionFile, KeptDecision, decision_key
from vyre_dialect.runtime.tuning.device_bench import DeviceBench
from vyre_dialect.runtime.tuning.hot_programs import is_tuned_first
from vyre_dialect.runtime.tuning.mode import Mode, seconds_to_tune
from vyre_dialect.runtime.tuning.tuner import (
    BusyError,
    Candidate,
    CandidateError,
    Limits,
    Outcome,
    Tuner,
    Watcher,
)


@dataclass(frozen=True)
class Tuning:
    """A program on a device with inputs of given sizes: what its decision is kept under."""

    configurations: Configurations
    device: Device
    inputs: Mapping[str, Array]
    context: Context

    @classmethod
    def of(
        cls,
        module: ModuleOp,
        device: Device,
        inputs: Mapping[str, Array],
        context: Context,
        optimize: OptimizePass | None = None,
    ) -> Tuning:
        """The tuning of the program of `module`."""
        return cls(Configurations.of(module, device.info, optimize), device, inputs, context)

    @property
    def key(self) -> str:
        """What a decision on it depends on, in one word."""
        sizes = {name: given.nbytes for name, given in self.inputs.items()}
        return key_of(self.configurations, self.device.info, sizes)

    def cached(self) -> Decision | None:
        """What was decided before and is still possible; None, with a warning, if it is not."""
        return decided_before(self.configurations, self.key, self.device.info)

    def tune(self, limits: Limits, watch: Watcher) -> Outcome:
        """
        Find the best choices and keep them. Raises a VyreError where the default does not run, and
        a TimeLimitError where a candidate takes so long that no other can follow.
        """
        session = Session(self.device, limits.timeout)
        bench = DeviceBench(self.configurations, session, self.inputs, self.context)
        space, choices = self.configurations.space, self.configurations.choices
        try:
            outcome = Tuner(space, choices, bench, limits, watch).tune()
        except CandidateError as error:
            raise VyreError(f"cannot tune what does not run as it is: {error}") from error
        except BusyError as error:
            raise TimeLimitError(str(error)) from error
        if (kept := DecisionFile.of(self.device.info)) is not None:
            kept.put(self.key, self.decision(outcome))
        return outcome

    def decision(self, outcome: Outcome) -> Decision:
        """What a tuning has decided, as it is kept."""
        return Decision(
            find_program(self.configurations.module).sym_name.data,
            outcome.choices,
            self.configurations.default,
            outcome.ns,
            outcome.default_ns,
            outcome.noise,
            len(outcome.candidates),
            datetime.now(UTC).replace(microsecond=0),
        )


def key_of(configurations: Configurations, device: DeviceInfo, sizes: Mapping[str, int]) -> str:
    """What a decision depends on, in one word; `sizes` are the bytes of each input by its name."""
    program = find_program(configurations.module)
    input_bytes = [sizes.get(buffer.sym_name.data) for buffer in program.buffers()]
    live = [buffer.type for buffer in program.buffers() if buffer.live_out is not None]
    output_bytes = sum(type.static_bytes or 0 for type in live)
    text = canonical_text(configurations.module, symbols=False)
    return decision_key(text, _options(configurations.optimize), device, input_bytes, output_bytes)


def _options(optimize: OptimizePass) -> str:
    """The schedule. Telemetry does not count: each run adds to it."""
    optimize = replace(optimize, report=None, hints=None, previous=None)
    text = str(optimize.pipeline_pass_spec())
    if optimize.schedule is not None and (path := Path(optimize.schedule)).is_file():
        text += f" {blake3(path.read_bytes()).hexdigest()}"
    return text


def decided_before(configurations: Configurations, key: str, device: DeviceInfo) -> Decision | None:
    """What was decided before and is still possible; None, with a warning, if it is not."""
    kept = DecisionFile.of(device)
    decision = None if kept is None else kept.get(key)
    if decision is None or configurations.are_legal(decision.choices):
        return decision
    message = f"the decision on '{decision.program}' is not possible here: tune it again"
    warnings.warn(message, stacklevel=2)
    return None


class Tuned(NamedTuple):
    """A program, and the schedule to compile it by."""

    module: ModuleOp
    optimize: OptimizePass | None
    kept: KeptDecision | None = None
    """What both were chosen by; None for the default."""
    tuning_ns: int | None = None
    """Wall-clock time that it took to decide now; None for what was decided before."""

    @property
    def decision(self) -> Decision | None:
        """That decision without its key."""
        return None if self.kept is None else self.kept.decision


def tuned(
    module: ModuleOp,
    device: Device,
    inputs: Mapping[str, Array],
    context: Context,
    optimize: OptimizePass | None,
    mode: Mode,
    progress: Progress = no_progress,
    timeout: float | None = None,
) -> Tuned:
    """The program as it is to be compiled, with what was, or is now, decided."""
    tunes = is_tuned_first(mode, module, device)
    if mode == Mode.OFF or not (tunes or DecisionFile.exists_for(device.info)):
        return Tuned(module, optimize)
    tuning = Tuning.of(module, device, inputs, context, optimize)
    decision = tuning.cached()
    tuning_ns = None
    if decision is None and tunes:
        begin = perf_counter_ns()
        limits = Limits(seconds=seconds_to_tune(), timeout=timeout)
        decision = tuning.decision(tuning.tune(limits, _telling(progress)))
        tuning_ns = perf_counter_ns() - begin
    if decision is None:
        return Tuned(module, optimize)
    kept = KeptDecision(tuning.key, decision)
    return Tuned(*tuning.configurations.apply(decision.choices), kept, tuning_ns)


def _telling(progress: Progress) -> Watcher:
    def watch(candidate: Candidate, number: int, count: int) -> None:
        del candidate
        progress(f"tuning: {number} of {count} candidates", number / max(1, count))

    return watch
