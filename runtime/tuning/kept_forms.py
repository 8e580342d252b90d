"""The forms of a program on a device, with what earlier runs of it have decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.ir.scheduling import Family
from vyre_dialect.passes.loop.vectorize import VectorizePass
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.passes.schedule.registry import passes_of
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.interpreter.inputs import remaining_inputs
from vyre_dialect.runtime.interpreter.programs import find_program
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import compile_module
from vyre_dialect.runtime.program.compiled_program import CompiledProgram
from vyre_dialect.runtime.program.decision import Decision
from vyre_dialect.runtime.progress import Progress, no_progress
from vyre_dialect.runtime.tuning.configuration import Choices, Configurations, is_written
from vyre_dialect.runtime.tuning.decisions import DecisionFile, byte_count
from vyre_dialect.runtime.tuning.trial import Form, Forms, Inputs, Trial, TrialExecutor
from vyre_dialect.runtime.tuning.tuned import decided_before, key_of

LANES = 8
"""
Invocations that a vectorized form takes at once: over the gate, the fastest of 4, 8 and 16 on an
NVIDIA H200 (benchmarks/results/forms-nvidia-h200.json).
"""


@dataclass(frozen=True)
class KeptForms(Forms):
    """The forms of the program of `module`; what is decided stands beside what tuning decides."""

    module: ModuleOp
    session: Session
    optimize: OptimizePass | None
    context: Context
    is_fused: bool
    """Whether something is fused by default."""
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

    def others(self) -> list[Form]:
        default = self._configurations.default
        differs = {
            Form.UNFUSED: self.is_fused,
            Form.VECTORIZED: default.get(VectorizePass.name) is False,
        }
        return [form for form, is_other in differs.items() if is_other]

    def compiled(self, form: Form) -> CompiledProgram:
        return self._compiled(self._choices(form))

    def _choices(self, form: Form) -> Choices:
        default, name = self._configurations.default, VectorizePass.name
        if form == Form.UNFUSED:
            return default | dict.fromkeys(passes_of(Family.FUSION) & default.keys(), False)
        if form == Form.VECTORIZED:
            return default | {name: True, f"{name}.lanes": LANES, f"{name}.vectors": False}
        return default

    def keep(self, trial: Trial, inputs: Inputs) -> Decision:
        default_ns, ns = (trial.timings[form].ns for form in (Form.DEFAULT, trial.fastest))
        assert default_ns is not None and ns is not None
        decision = Decision(
            find_program(self.module).sym_name.data,
            self._choices(trial.fastest),
            self._configurations.default,
            *(ns, default_ns, trial.noise, len(trial.timings)),
            datetime.now(UTC).replace(microsecond=0),
        )
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
    What runs the program of `module` in the fastest of its forms, `compiled` being the default;
    None where a given schedule says which passes run.
    """
    if is_written(module, optimize):
        return None
    forms = KeptForms(module, session, optimize, context, compiled.is_fused)
    return TrialExecutor(compiled, session, forms, progress)


def measured_forms(
    module: ModuleOp,
    session: Session,
    optimize: OptimizePass | None,
    context: Context,
    inputs: Mapping[str, Array],
) -> Trial | None:
    """
    What the forms of the program of `module` take on `inputs`, however brief that is; kept as the
    decision on it. None where it has one form. Raises what compiling it and running it does.
    """
    if is_written(module, optimize):
        return None
    device = session.device.info
    compiled = compile_module(module, optimize=optimize, context=context, device=device)
    forms = KeptForms(module, session, optimize, context, compiled.is_fused, are_asked_again=True)
    executor = TrialExecutor(compiled, session, forms, brief_ns=0)
    executor.settle(remaining_inputs(compiled.program, inputs))
    return None if executor.decision is None else executor.trial
