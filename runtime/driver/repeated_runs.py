"""
Programs that run many times on one device, as on one file after the other: what is the same is
compiled once, and all runs share the memory of a session.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.ir.canonical_text import canonical_text
from vyre_dialect.runtime.driver.execute import built_program, expanded, run_module
from vyre_dialect.runtime.driver.job import BuiltProgram, Job
from vyre_dialect.runtime.driver.program_cache import NOTHING_KEPT, ProgramCache
from vyre_dialect.runtime.interpreter.arrays import Array, Bytes
from vyre_dialect.runtime.interpreter.inputs import ProgramInputs, remaining_inputs
from vyre_dialect.runtime.interpreter.programs import find_program
from vyre_dialect.runtime.interpreter.traps import explained_traps
from vyre_dialect.runtime.opencl.devices import Device, choose_device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.results import REFERENCE_DEVICE, RunResult
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.device_info import DeviceInfo
from vyre_dialect.runtime.program.loading import make_context
from vyre_dialect.runtime.program.passes import Passes
from vyre_dialect.runtime.program.rooms import explained_rooms
from vyre_dialect.runtime.tuning.mode import Mode

if TYPE_CHECKING:
    from vyre_dialect.runtime.tuning.decisions import KeptDecision

MOST_PROGRAMS = 64
"""That are held ready."""


class PreparedProgram:
    """A program, compiled, that takes one input after the other."""

    def __init__(self, module: ModuleOp, built: BuiltProgram, session: Session, context: Context):
        self._module, self._built, self._context = module, built, context
        self._executor = Executor(built.compiled, session)

    def run(self, inputs: Mapping[str, Array | Bytes]) -> RunResult:
        """Run it. Raises a VyreError for inputs that do not fit, or what it reports of them."""
        compiled = self._built.compiled
        traps = explained_traps(find_program(self._module), inputs)
        with traps, explained_rooms(lambda: expanded(self._module, self._context)):
            bound = self._built.inputs.bind(inputs)
            run = self._executor.run(remaining_inputs(compiled.program, bound))
        return run._replace(policy=compiled.policy, is_kept=compiled.is_kept)


class RepeatedRuns:
    """Runs programs on a device; `reference` is the interpreter, which prepares nothing."""

    def __init__(
        self,
        device: Device | str | None,
        passes: Passes | None = None,
        *,
        timeout: float | None = None,
        programs: ProgramCache = NOTHING_KEPT,
        context: Context | None = None,
        tuner: Mode = Mode.OFF,
    ):
        self._tuner = tuner
        self._passes, self._programs = passes or Passes(), programs
        self._timeout, self._context = timeout, context or make_context()
        self._session: Session | None = None
        if device != REFERENCE_DEVICE:
            chosen = device if isinstance(device, Device) else choose_device(device)
            self._session = Session(chosen, timeout)
        self._prepared = dict[str, PreparedProgram]()
        self.compilations = 0
        """How many programs were compiled, or read as they are kept."""

    @property
    def device(self) -> DeviceInfo | None:
        """What they run on; None for the interpreter."""
        return None if self._session is None else self._session.device.info

    def run(
        self, module: ModuleOp, inputs: Mapping[str, Array | Bytes], *, key: str | None = None
    ) -> RunResult:
        """
        Run the program of `module`, as `run_module` does. Who knows its text gives it as `key`, so
        that it is not printed each time.
        """
        if self._session is None:
            return self._interpreted(module, inputs)
        key = canonical_text(module) if key is None else key
        if key not in self._prepared:
            if len(self._prepared) >= MOST_PROGRAMS:
                self._prepared.clear()
            self._prepared[key] = self._prepare(module, inputs, self._session)
        return self._prepared[key].run(inputs)

    def tune(self, module: ModuleOp, inputs: Mapping[str, Array | Bytes]) -> KeptDecision | None:
        """What tuning decides on a program, now or before; None where there is no choice."""
        if self._session is None:
            return None
        job = Job(module, self._session.device, inputs, self._passes, Mode.ON, self._context)
        return built_program(job).decision

    def _prepare(
        self, module: ModuleOp, inputs: Mapping[str, Array | Bytes], session: Session
    ) -> PreparedProgram:
        ProgramInputs.of(find_program(module)).verify_names(inputs)
        job = Job(module, session.device, inputs, self._passes, self._tuner, self._context)
        self.compilations += 1
        built = built_program(job, self._programs)
        return PreparedProgram(module, built, session, self._context)

    def _interpreted(self, module: ModuleOp, inputs: Mapping[str, Array | Bytes]) -> RunResult:
        passes = self._passes
        return run_module(
            module,
            inputs,
            device=REFERENCE_DEVICE,
            pipeline=passes.pipeline,
            optimize=passes.optimize,
            edits=passes.edits,
            observers=passes.observers,
            timeout=self._timeout,
            context=self._context,
        )
