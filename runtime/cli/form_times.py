"""What the forms of a program are to take, and what they take, as `vyre explain` says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vyre_dialect.runtime.cli.lines import print_line

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

    from vyre_dialect.runtime.interpreter.arrays import Array, Bytes
    from vyre_dialect.runtime.opencl.devices import Device
    from vyre_dialect.runtime.program.passes import Passes
    from vyre_dialect.runtime.tuning.device_model import Prediction
    from vyre_dialect.runtime.tuning.predictions import Predictions
    from vyre_dialect.runtime.tuning.trial import Trial


@dataclass(frozen=True)
class FormTimes:
    """What is known of the times of forms."""

    predicted: Predictions | None
    """None without a device, or the sizes of inputs."""
    measured: Trial | None
    """None where nothing was measured, or there is one form."""
    is_measured: bool

    def as_json(self) -> dict[str, object]:
        """The same for machines: times of the device in ns, None for a form that failed."""
        return {
            "predicted": None if self.predicted is None else _predictions_as_json(self.predicted),
            "measured": None if self.measured is None else _trial_as_json(self.measured),
        }

    def show(self) -> None:
        """A line for what is predicted, and one for what is measured."""
        if self.predicted is not None:
            _show_predicted(self.predicted)
        if self.measured is not None:
            _show_measured(self.measured)
        elif self.is_measured:
            print_line("measured: nothing, the program has one form")


def times_of_forms(
    module: ModuleOp,
    passes: Passes,
    device: Device | None,
    inputs: Mapping[str, Array | Bytes],
    context: Context,
    *,
    measure: bool,
) -> FormTimes:
    """
    What the forms of a program are to take, as far as the sizes of its inputs are known, and, if
    that is asked for, what they take. Raises a UsageError where nothing can be measured.
    """
    if measure:
        _check_measurable(passes, device)
    if device is None or not passes.are_scheduled or not (inputs or measure):
        return FormTimes(None, None, is_measured=False)
    from vyre_dialect.runtime.driver.building import bound_inputs
    from vyre_dialect.runtime.opencl.session import Session
    from vyre_dialect.runtime.tuning.kept_forms import measured_forms
    from vyre_dialect.runtime.tuning.predictions import predicted_forms

    session, bound = Session(device), bound_inputs(module, inputs, context)
    sizes = {name: each.nbytes for name, each in bound.items()}
    predicted = predicted_forms(module, device.info, passes.optimize, context, sizes)
    measured = None
    if measure:
        measured = measured_forms(module, session, passes.optimize, context, bound)
    return FormTimes(predicted, measured, measure)


def _check_measurable(passes: Passes, device: Device | None) -> None:
    from vyre_dialect.runtime.errors import UsageError

    if not passes.are_scheduled:
        raise UsageError("argument --measure: not allowed with passes that are named or left out")
    if device is None:
        raise UsageError("argument --measure: the interpreter takes no times, name another device")


def _predictions_as_json(predicted: Predictions) -> dict[str, object]:
    forms = {str(form): _prediction_as_json(each) for form, each in predicted.forms.items()}
    model = predicted.model
    return {"forms": forms, "calibrated": model.is_calibrated, "error": model.error}


def _prediction_as_json(prediction: Prediction) -> dict[str, object]:
    return {
        "ns": prediction.ns,
        "most_ns": prediction.most_ns,
        "bound": str(prediction.bound),
        "roofline_share": prediction.roofline_share,
        "uncertain": prediction.is_uncertain,
        "open": prediction.is_open,
    }


def _trial_as_json(measured: Trial) -> dict[str, object]:
    times = {str(form): each.ns for form, each in measured.timings.items()}
    return {"ns": times, "noise": measured.noise, "kept": str(measured.fastest)}


def _show_predicted(predicted: Predictions) -> None:
    forms = (f"{form} {_prediction_text(each)}" for form, each in predicted.forms.items())
    model = predicted.model
    how = (
        f"wrong by {model.error:.0%} in the median"
        if model.is_calibrated
        else "as devices of this kind take; 'vyre devices --calibrate' measures this one"
    )
    print_line(f"predicted: {', '.join(forms)}: {how}")


def _prediction_text(prediction: Prediction) -> str:
    """A time with its bound, and how far it may be off where data decides much."""
    least, most = prediction.ns / 1e3, prediction.most_ns / 1e3
    bound = f"{prediction.bound}, {prediction.roofline_share:.0%} of the roofline"
    if prediction.is_open:
        return f"{least:.1f} µs or more, as data decides ({bound})"
    if prediction.is_uncertain:
        return f"{least:.1f} to {most:.1f} µs, as data decides ({bound})"
    return f"{least:.1f} µs ({bound})"


def _show_measured(measured: Trial) -> None:
    times = (
        f"{form} {each.failure or f'{(each.ns or 0) / 1e3:.1f} µs'}"
        for form, each in measured.timings.items()
    )
    chosen = f"it runs {measured.fastest}"
    print_line(f"measured: {', '.join(times)} (noise {measured.noise:.0%}): {chosen}")
