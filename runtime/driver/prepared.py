"""A program that has been built for a device, to be run again on other inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import perf_counter_ns

from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.runtime.driver.execute import built_program, expanded
from vyre_dialect.runtime.driver.job import BuiltProgram, Job
from vyre_dialect.runtime.driver.program_cache import ProgramCache
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.interpreter.inputs import ProgramInputs, remaining_inputs
from vyre_dialect.runtime.interpreter.programs import find_program
from vyre_dialect.runtime.interpreter.traps import explained_traps
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.results import RunResult
from vyre_dialect.runtime.program.loading import make_context
from vyre_dialect.runtime.program.passes import Passes
from vyre_dialect.runtime.program.rooms import explained_rooms
from vyre_dialect.runtime.tuning.mode import Mode


@dataclass(frozen=True)
class PreparedProgram:
    """A program and what runs it, from several threads at once, too."""

    module: ModuleOp
    built: BuiltProgram
    executor: Executor
    compile_ns: int
    """What it took to prepare it; 0 where it was prepared before."""

    @classmethod
    def of(
        cls, module: ModuleOp, inputs: Mapping[str, Array], device: Device, programs: ProgramCache
    ) -> PreparedProgram:
        """Look a program up or build it. Raises what `run_module` does before anything runs."""
        begin, context = perf_counter_ns(), make_context()
        ProgramInputs.of(find_program(module)).verify_names(inputs)
        with explained_rooms(lambda: expanded(module, context)):
            job = Job(module, device, inputs, Passes(), Mode.OFF, context)
            built = built_program(job, programs)
            executor = Executor(built.compiled, device)
        return cls(module, built, executor, perf_counter_ns() - begin)

    def run(self, inputs: Mapping[str, Array]) -> RunResult:
        """Run it once on inputs as the program takes them. Raises what `run_module` does."""
        compiled, context = self.built.compiled, make_context
        source = find_program(self.module)
        with (
            explained_traps(source, inputs),
            explained_rooms(lambda: expanded(self.module, context())),
        ):
            bound = self.built.inputs.bind(inputs)
            run = self.executor.run(remaining_inputs(compiled.program, bound))
        return run._replace(
            compile_ns=self.compile_ns, policy=compiled.policy, is_kept=compiled.is_kept
        )

    def again(self) -> PreparedProgram:
        """The same, which takes nothing to prepare any more."""
        return replace(self, compile_ns=0)
