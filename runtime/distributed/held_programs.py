"""Programs that a worker has compiled, and the one session that runs them."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock

from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.runtime.driver.program_cache import ProgramCache
from vyre_dialect.runtime.driver.repeated_runs import MOST_PROGRAMS, RepeatedRuns
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.opencl.results import RunResult
from vyre_dialect.runtime.program.device_info import DeviceInfo
from vyre_dialect.runtime.program.loading import make_context, parse_module
from vyre_dialect.runtime.program.passes import Passes
from vyre_dialect.runtime.tuning.decisions import KeptDecision
from vyre_dialect.runtime.tuning.mode import Mode


class HeldPrograms:
    """Runs programs by their text, one run at a time; each is compiled when it comes first."""

    def __init__(
        self,
        device: str | None,
        passes: Passes | None = None,
        timeout: float | None = None,
        tuner: Mode = Mode.OFF,
    ):
        """`device` is what `choose_device` takes, or `reference`. Raises a DeviceError."""
        self._context, self._lock = make_context(), Lock()
        self._runs = RepeatedRuns(
            device,
            passes,
            timeout=timeout,
            tuner=tuner,
            programs=ProgramCache.default(),
            context=self._context,
        )
        self._modules = dict[str, ModuleOp]()

    def run(self, text: str, inputs: Mapping[str, Array]) -> RunResult:
        """Run the program that stands in `text`. Raises what `run_module` does."""
        with self._lock:
            return self._runs.run(self._module(text), inputs, key=text)

    def tune(self, text: str, inputs: Mapping[str, Array]) -> KeptDecision | None:
        """The fastest form of the program that stands in `text`; None where it has but one."""
        with self._lock:
            return self._runs.tune(self._module(text), inputs)

    @property
    def compilations(self) -> int:
        """How many programs were compiled, or read as they are kept."""
        return self._runs.compilations

    @property
    def device(self) -> DeviceInfo | None:
        """What they run on; None for the interpreter."""
        return self._runs.device

    def _module(self, text: str) -> ModuleOp:
        if text not in self._modules:
            if len(self._modules) >= MOST_PROGRAMS:
                self._modules.clear()
            self._modules[text] = parse_module(text, self._context, "<shard>")
        return self._modules[text]
