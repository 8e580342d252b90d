"""What the forms of a program are to take on a device, as its model says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.program.compilation import compile_module
from vyre_dialect.runtime.program.device_info import DeviceInfo
from vyre_dialect.runtime.tuning.configuration import is_written
from vyre_dialect.runtime.tuning.device_model import DeviceModel, Prediction
from vyre_dialect.runtime.tuning.device_model_file import model_of
from vyre_dialect.runtime.tuning.kept_forms import KeptForms, predicted
from vyre_dialect.runtime.tuning.trial import Form


@dataclass(frozen=True)
class Predictions:
    """What forms are to take, the default first."""

    model: DeviceModel
    """What says so."""
    forms: Mapping[Form, Prediction]


def predicted_forms(
    module: ModuleOp,
    device: DeviceInfo,
    optimize: OptimizePass | None,
    context: Context,
    sizes: Mapping[str, int],
) -> Predictions:
    """
    What the forms of the program of `module` are to take on inputs of so many bytes; the only one,
    where a given schedule says which passes run. Raises what compiling does.
    """
    model = model_of(device)
    default = compile_module(module, optimize=optimize, context=context, device=device)
    compiled = {Form.DEFAULT: default}
    if not is_written(module, optimize):
        forms = KeptForms(module, device, optimize, context, default.is_fused)
        compiled |= {form: forms.compiled(form) for form in forms.others()}
    return Predictions(
        model, {form: predicted(model, each, sizes) for form, each in compiled.items()}
    )
