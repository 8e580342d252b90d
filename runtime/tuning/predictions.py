"""What the forms of a program are to take on a device, as its model says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import compile_module
from vyre_dialect.runtime.program.compiled_program import CompiledProgram
from vyre_dialect.runtime.program.program_work import counts_of, program_work
from vyre_dialect.runtime.tuning.configuration import is_written
from vyre_dialect.runtime.tuning.device_model import DeviceModel, Prediction
from vyre_dialect.runtime.tuning.device_model_file import model_of
from vyre_dialect.runtime.tuning.kept_forms import KeptForms
from vyre_dialect.runtime.tuning.trial import Form


@dataclass(frozen=True)
class Predictions:
    """What forms are to take, the default first."""

    model: DeviceModel
    """What says so."""
    forms: Mapping[Form, Prediction]


def predicted_forms(
    module: ModuleOp,
    session: Session,
    optimize: OptimizePass | None,
    context: Context,
    inputs: Mapping[str, Array],
) -> Predictions:
    """
    What the forms of the program of `module` are to take on inputs of these sizes; the only one,
    where a given schedule says which passes run. Raises what compiling does.
    """
    device = session.device.info
    model = model_of(device)
    default = compile_module(module, optimize=optimize, context=context, device=device)
    compiled = {Form.DEFAULT: default}
    if not is_written(module, optimize):
        forms = KeptForms(module, session, optimize, context, default.is_fused)
        compiled |= {form: forms.compiled(form) for form in forms.others()}
    return Predictions(
        model, {form: predicted(model, each, inputs) for form, each in compiled.items()}
    )


def predicted(
    model: DeviceModel, compiled: CompiledProgram, inputs: Mapping[str, Array]
) -> Prediction:
    """What a program that was just compiled is to take on inputs of these sizes."""
    return model.predict(program_work(compiled.program, counts_of(compiled.program, inputs)))
