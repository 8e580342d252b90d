"""The forms of a program on a device, with what earlier runs of it have decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.interpreter.inputs import remaining_inputs
from vyre_dialect.runtime.interpreter.programs import find_program
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import compile_module
from vyre_dialect.runtime.program.compiled_program import CompiledProgram
from vyre_dialect.runtime.program.decision import Decision
from vyre_dialect.runtime.progress import Progress, no_progress
from vyre_dialect.runtime.tuning.configuration import Choices, Configurations, is_written
from vyre_dialect.runtime.tuning.decisions import DecisionFile
from vyre_dialect.runtime.tuning.trial import Form, Forms, Inputs, Trial, TrialExecutor, byte_count
from vyre_dialect.runtime.tuning.tuned import decided_before, key_of


@dataclass(frozen=True)
class KeptForms(Forms):
    """The forms of the program of `module`; what is decided stands beside what tuning decides."""

    module: ModuleOp
    session: Session
    optimize: OptimizePass | None
    context: Context
    are_asked_again: bool = False
    """Whether to measure, whatever was decided before."""

    @cached_property
    def _configurations(self) -> Configurations:
        return Configurations.of(self.module, self.session.device.info, self.optimize)

    def decided(self, inputs: Inputs) -> CompiledProgram | None:
        if self.are_asked_again or not DecisionFile.exists_for(self.session.device.info):
            return None
        decision = decided_before(self._configurations, self._key(inputs), self.session.device.info)
        return None if decision is None else self._compiled(decision.choices)

    def unfused(self) -> CompiledProgram:
        return self._compiled(self._configurations.unfused)

    def keep(self, trial: Trial, inputs: Inputs) -> Decision:
        fused, unfused = (trial.timings[form].ns for form in Form)
        assert fused is not None and unfused is not None
        default, name = self._configurations.default, find_program(self.module).sym_name.data
        chosen, ns = default, fused
        if trial.faster == Form.UNFUSED:
            chosen, ns = self._configurations.unfused, unfused
        now = datetime.now(UTC).replace(microsecond=0)
        decision = Decision(name, chosen, default, ns, fused, trial.noise, len(Form), now)
        if (kept := DecisionFile.of(self.session.device.info)) is not None:
            kept.put(self._key(inputs), decision)
        return decision

    def _key(self, inputs: Inputs) -> str:
        sizes = {name: byte_count(given) for name, given in inputs.items()}
        return key_of(self._configurations, self.session.device.info, sizes)

    def _compiled(self, choices: Choices) -> CompiledProgram:
        module, optimize = self._configurations.apply(choices)
        device = self.session.device.info
        return compile_module(module, optimize=optimize, context=self.context, device=device)


def trial_of(
    compiled: CompiledProgram,
    module: ModuleOp,
    session: Session,
    optimize: OptimizePass | None,
    context: Context,
    progress: Progress = no_progress,
) -> TrialExecutor | None:
    """
    What runs the program of `module` in the faster of its forms, `compiled` being the default; None
    where that has nothing fused, or a given schedule says which passes run.
    """
    if not compiled.is_fused or is_written(module, optimize):
        return None
    return TrialExecutor(compiled, session, KeptForms(module, session, optimize, context), progress)


def measured_forms(
    module: ModuleOp,
    session: Session,
    optimize: OptimizePass | None,
    context: Context,
    inputs: Mapping[str, Array],
    progress: Progress = no_progress,
) -> Trial | None:
    """
    What the forms of the program of `module` take on `inputs`, however brief that is; kept as the
    decision on it. None where it has one form. Raises what compiling it and running it does.
    """
    device = session.device.info
    compiled = compile_module(module, optimize=optimize, context=context, device=device)
    if not compiled.is_fused or is_written(module, optimize):
        return None
    forms = KeptForms(module, session, optimize, context, are_asked_again=True)
    executor = TrialExecutor(compiled, session, forms, progress, brief_ns=0)
    return executor.settle(remaining_inputs(compiled.program, inputs))
