"""The forms that the gate compares: the default, unfused, and the best that the tuner finds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from benchmarks.gate.program import GateProgram, Inputs
from vyre_dialect.ir.tuning import changed
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import compile_module, load_module, make_context
from vyre_dialect.runtime.program.compiled_program import CompiledProgram
from vyre_dialect.runtime.program.pipelines import UNFUSED as PLAIN
from vyre_dialect.runtime.progress import Progress
from vyre_dialect.runtime.tuning.configuration import Configurations
from vyre_dialect.runtime.tuning.device_bench import DeviceBench
from vyre_dialect.runtime.tuning.tuner import Candidate, Limits, Tuner

DEFAULT, UNFUSED, TUNED = "default", "unfused", "tuned"


@dataclass(frozen=True)
class Tuned:
    """What the tuner chose, and from how many candidates."""

    executor: Executor
    choices: Mapping[str, object]
    """Those that are not the default's."""
    candidates: int
    failures: Mapping[str, int]
    """How many candidates were wrong or did not run, by what was said of them."""


class Forms:
    """Compiles a program for the device of a session."""

    def __init__(self, program: GateProgram, session: Session):
        self._session, self._context = session, make_context()
        self._module = load_module(program.path, self._context)

    def default(self) -> Executor:
        """What `vyre run` takes, where nothing was tuned."""
        return self._built(self._module, None)

    def unfused(self) -> Executor:
        """The same without the passes that fuse."""
        return self._built(self._module, OptimizePass(profile="dataflow"))

    def plain(self) -> CompiledProgram:
        """A kernel of each arm as it is written, which no pass has made faster."""
        info = self._session.device.info
        return compile_module(self._module, pipeline=PLAIN, context=self._context, device=info)

    def with_options(self, options: str) -> Executor:
        """The default with these options of passes, as `vyre run --options` takes them."""
        return self._built(self._module, OptimizePass(options=options))

    def tuned(self, inputs: Inputs, seconds: float, progress: Progress) -> Tuned:
        """
        What the tuner finds on these inputs in so many seconds, kept nowhere. Raises a
        CandidateError or a BusyError where it cannot go on.
        """

        def watch(candidate: Candidate, number: int, count: int) -> None:
            del candidate
            progress(f"tuning: {number} of {count} candidates", number / max(1, count))

        configurations = Configurations.of(self._module, self._session.device.info)
        bench = DeviceBench(configurations, self._session, inputs, self._context)
        limits = Limits(seconds=seconds)
        tuner = Tuner(configurations.space, configurations.choices, bench, limits, watch)
        outcome = tuner.tune()
        executor = self._built(*configurations.apply(outcome.choices))
        chosen = changed(outcome.choices, configurations.default)
        failures = Counter(each.failure for each in outcome.candidates if each.failure is not None)
        return Tuned(executor, chosen, len(outcome.candidates), failures)

    def _built(self, module: ModuleOp, optimize: OptimizePass | None) -> Executor:
        info, context = self._session.device.info, self._context
        compiled = compile_module(module, optimize=optimize, context=context, device=info)
        return Executor(compiled, self._session)
