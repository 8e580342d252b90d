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
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.interpreter.inputs import remaining_inputs
from vyre_dialect.runtime.interpreter.programs import find_program
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import compile_module
from vyre_dialect.runtime.program.compiled_program import CompiledProgram
from vyre_dialect.runtime.program.decision import Decision
from vyre_dialect.runtime.program.device_info import DeviceInfo
from vyre_dialect.runtime.program.program_work import counts_of, program_work
from vyre_dialect.runtime.progress import Progress, no_progress
from vyre_dialect.runtime.tuning.configuration import Choices, Configurations, is_written
from vyre_dialect.runtime.tuning.decisions import DecisionFile, byte_count
from vyre_dialect.runtime.tuning.device_model import DeviceModel, Prediction
from vyre_dialect.runtime.tuning.device_model_file import model_of
from vyre_dialect.runtime.tuning.trial import Form, Forms, Inputs, Trial, TrialExecutor
from vyre_dialect.runtime.tuning.tuned import decided_before, key_of

HOPELESS = 2.0
"""How many times what the best form is predicted to take a form takes that is not tried."""
LANES = 8
"""
Invocations that a vectorized form takes at once: over the gate, the fastest of 4, 8 and 16 on an
NVIDIA H200 (benchmarks/results/forms-nvidia-h200.json).
"""


@dataclass(frozen=True)
class KeptForms(Forms):
    """The forms of the program of `module`; what is decided stands beside what tuning decides."""

    module: ModuleOp
    device: DeviceInfo
    optimize: OptimizePass | None
    context: Context
    is_fused: bool
    """Whether something is fused by default."""
    are_asked_again: bool = False
    """Whether to measure, whatever was decided before."""

    @cached_property
    def _configurations(self) -> Configurations:
        return Configurations.of(self.module, self.device, self.optimize)

    def decided(self, inputs: Inputs) -> CompiledProgram | None:
        if self.are_asked_again or not DecisionFile.exists_for(self.device):
            return None
        decision = decided_before(self._configurations, self._key(inputs), self.device)
        return None if decision is None else self._compiled(decision.choices)

    def others(self) -> list[Form]:
        default, name = self._configurations.default, VectorizePass.name
        differs = {
            Form.UNFUSED: self.is_fused,
            Form.VECTORIZED: default.get(name) is False or bool(default.get(f"{name}.strict")),
        }
        return [form for form, is_other in differs.items() if is_other]

    def promising(self, inputs: Inputs) -> list[Form]:
        others, model = self.others(), model_of(self.device)
        if not others or not model.is_calibrated:
            return others
        sizes = {name: byte_count(given) for name, given in inputs.items()}
        times = {form: self._predicted(model, form, sizes) for form in (Form.DEFAULT, *others)}
        known = {form: each for form, each in times.items() if each is not None}
        kept = [form for form in others if not is_hopeless(known, form, model)]
        return sorted(kept, key=lambda form: known[form].ns if form in known else 0.0)

    def _predicted(
        self, model: DeviceModel, form: Form, sizes: Mapping[str, int]
    ) -> Prediction | None:
        """What a form is to take; None where it cannot be compiled, as a trial will say."""
        try:
            return predicted(model, self.compiled(form), sizes)
        except VyreError:
            return None

    def compiled(self, form: Form) -> CompiledProgram:
        if form not in self._forms:
            self._forms[form] = self._compiled(self._choices(form))
        return self._forms[form]

    @cached_property
    def _forms(self) -> dict[Form, CompiledProgram]:
        """Those that were compiled."""
        return {}

    def _choices(self, form: Form) -> Choices:
        default, name = self._configurations.default, VectorizePass.name
        if form == Form.UNFUSED:
            return default | dict.fromkeys(passes_of(Family.FUSION) & default.keys(), False)
        if form == Form.VECTORIZED:
            lanes = {"lanes": LANES, "vectors": False, "strict": False}
            return default | {name: True} | {f"{name}.{key}": lanes[key] for key in lanes}
        return default

    def applied(self, form: Form) -> tuple[ModuleOp, OptimizePass]:
        """The program and the schedule that a form is compiled from."""
        return self._configurations.apply(self._choices(form))

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
        if (kept := DecisionFile.of(self.device)) is not None:
            kept.put(self._key(inputs), decision)
        return decision

    def _key(self, inputs: Inputs) -> str:
        sizes = {name: byte_count(given) for name, given in inputs.items()}
        return key_of(self._configurations, self.device, sizes)

    def _compiled(self, choices: Choices) -> CompiledProgram:
        module, optimize = self._configurations.apply(choices)
        return compile_module(module, optimize=optimize, context=self.context, device=self.device)


def predicted(
    model: DeviceModel, compiled: CompiledProgram, sizes: Mapping[str, int]
) -> Prediction:
    """What a program that was just compiled is to take on inputs of so many bytes."""
    return model.predict(program_work(compiled.program, counts_of(compiled.program, sizes)))


def by_prediction(
    module: ModuleOp,
    device: DeviceInfo,
    optimize: OptimizePass | None,
    context: Context,
    sizes: Mapping[str, int],
) -> tuple[ModuleOp, OptimizePass | None]:
    """
    The program and the schedule to compile, where nothing was measured, for inputs of so many
    bytes: unfused, where the device is calibrated and fused is predicted to be slower by more than
    predictions are wrong; else as given. Raises what compiling does.
    """
    model = model_of(device)
    if not model.is_calibrated or is_written(module, optimize):
        return module, optimize
    fused = compile_module(module, optimize=optimize, context=context, device=device)
    if not fused.is_fused:
        return module, optimize
    forms = KeptForms(module, device, optimize, context, is_fused=True)
    unfused = predicted(model, forms.compiled(Form.UNFUSED), sizes)
    if not model.is_slower(predicted(model, fused, sizes), unfused):
        return module, optimize
    return forms.applied(Form.UNFUSED)


def is_hopeless(known: Mapping[Form, Prediction], form: Form, model: DeviceModel) -> bool:
    """Whether a form is predicted to take so much longer than another that it is not tried."""
    if (own := known.get(form)) is None:
        return False
    return any(model.is_slower(own, other, HOPELESS) for other in known.values())


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
    forms = KeptForms(module, session.device.info, optimize, context, compiled.is_fused)
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
    forms = KeptForms(module, device, optimize, context, compiled.is_fused, are_asked_again=True)
    executor = TrialExecutor(compiled, session, forms, brief_ns=0)
    executor.settle(remaining_inputs(compiled.program, inputs))
    return None if executor.decision is None else executor.trial
