"""
How good predictions are: what the programs of the gate take, next to what was said that they take.

    vyre devices --calibrate && python -m benchmarks.predictions --mib 48 --output predictions.json

Each program is compiled by default and unfused, several at once, and its work is counted; then
both forms run by turns on the same buffers. Times are those of events, and their medians are
compared with the predictions. The model is the one that `vyre devices --calibrate` has kept, which
knows none of these programs.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.gate.program import GateProgram
from benchmarks.gate.programs import PROGRAMS
from benchmarks.records import Row, microseconds, record, write
from vyre_dialect.passes.schedule.materialize_schedule import ProfileName
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.cli.arguments import positive_integer
from vyre_dialect.runtime.driver.kept_form import as_text, from_text
from vyre_dialect.runtime.errors import VyreError, first_line
from vyre_dialect.runtime.interpreter.inputs import ProgramInputs
from vyre_dialect.runtime.opencl.devices import choose_device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import compile_module, load_module, make_context
from vyre_dialect.runtime.program.device_info import DeviceInfo
from vyre_dialect.runtime.program.program_work import LaunchWork, counts_of, program_work
from vyre_dialect.runtime.tuning.device_model import DeviceModel, Prediction
from vyre_dialect.runtime.tuning.device_model_file import model_of

PACKAGES = ("xdsl", "pyopencl", "numpy")
PROFILES: Mapping[str, ProfileName | None] = {"default": None, "unfused": "dataflow"}
CLOSE = 0.05
"""Forms whose times differ by less have no order that could be predicted."""


@dataclass(frozen=True)
class Compiled:
    """A form of a program, as text by which another process runs it, and its work."""

    text: str
    launches: Sequence[LaunchWork]


def compiled_form(name: str, form: str, device: DeviceInfo, size: int) -> Compiled | str:
    """A form of a program for inputs of so many bytes; the reason where there is none."""
    program, context = PROGRAMS[name], make_context()
    module = load_module(program.path, context)
    optimize = OptimizePass(profile=PROFILES[form])
    try:
        found = compile_module(module, optimize=optimize, context=context, device=device)
        inputs = program.inputs(program.units(size))
        sizes = {name: each.nbytes for name, each in inputs.items()}
        work = program_work(found.program, counts_of(found.program, sizes))
        return Compiled(as_text(found, ProgramInputs.of(found.program), None), work)
    except VyreError as error:
        return first_line(error)


def parse_arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.predictions", description=__doc__)
    parser.add_argument("--device", help="as for 'vyre run'")
    parser.add_argument("--mib", type=positive_integer, default=48, help="input, in MiB")
    parser.add_argument("--rounds", type=positive_integer, default=9)
    parser.add_argument(
        "--jobs", type=positive_integer, default=os.cpu_count() or 1, help="compile so many at once"
    )
    parser.add_argument("--programs", nargs="+", choices=list(PROGRAMS), default=list(PROGRAMS))
    parser.add_argument("--output", type=Path, help="where to write the figures as JSON")
    return parser.parse_args(given)


def measure(arguments: argparse.Namespace) -> list[Row]:
    """Measure what is asked for, and show and record it as it comes."""
    session, size = Session(choose_device(arguments.device)), arguments.mib << 20
    model = model_of(session.device.info)
    asked = [(name, form) for name in arguments.programs for form in PROFILES]
    with ProcessPoolExecutor(min(arguments.jobs, len(asked))) as pool:
        begun = {
            each: pool.submit(compiled_form, *each, session.device.info, size) for each in asked
        }
        found = {each: future.result() for each, future in begun.items()}
    rows = list[Row]()
    for name in arguments.programs:
        forms = {form: found[name, form] for form in PROFILES}
        rows.append(_row(PROGRAMS[name], forms, session, model, arguments))
        print(_line(rows[-1]), flush=True)
        _record(arguments, model, rows)
    print(*(f"{key}={value}" for key, value in summary(rows).items()), flush=True)
    return rows


def _record(arguments: argparse.Namespace, model: DeviceModel, rows: Sequence[Row]) -> None:
    """Write what there is, so that what is stopped leaves what it has measured."""
    own = {
        "mib": arguments.mib,
        "rounds": arguments.rounds,
        "is_calibrated": model.is_calibrated,
        "error_of_calibration": model.error,
        "summary": summary(rows),
    }
    write(arguments.output, record(PACKAGES, rows) | own)


def _row(
    program: GateProgram,
    forms: Mapping[str, Compiled | str],
    session: Session,
    model: DeviceModel,
    arguments: argparse.Namespace,
) -> Row:
    """What the forms of a program take and were to take; where they do not run, the reason."""
    head: Row = {"program": program.name, "device": session.device.info.label}
    own = {form: each for form, each in forms.items() if isinstance(each, Compiled)}
    if len(own) < len(forms):
        return {**head, "failed": next(each for each in forms.values() if isinstance(each, str))}
    if own["default"].text == own["unfused"].text:
        del own["unfused"]
    try:
        times = _times(program, own, session, arguments)
    except VyreError as error:
        return {**head, "failed": first_line(error)}
    predictions = {form: model.predict(each.launches) for form, each in own.items()}
    rows = {
        form: _compared(times[form], predictions[form], own[form], arguments.output is not None)
        for form in own
    }
    measured = {form: median(each) for form, each in times.items()}
    predicted = {form: each.ns for form, each in predictions.items()}
    ratios = {"measured": _ratio(measured), "predicted": _ratio(predicted)}
    return {**head, **rows, "default_over_unfused": ratios}


def _ratio(forms: Mapping[str, float]) -> float | None:
    """The time of the default over that of the unfused form, if there are two."""
    if len(forms) < len(PROFILES):
        return None
    return round(forms["default"] / max(1.0, forms["unfused"]), 3)


def _compared(
    times: Sequence[int], prediction: Prediction, form: Compiled, with_work: bool
) -> dict[str, object]:
    found = {
        **microseconds(times),
        "least_us": round(min(times) / 1e3, 1),
        "predicted_us": round(prediction.ns / 1e3, 1),
        "error": round(prediction.ns / median(times) - 1, 3),
        "bound": str(prediction.bound),
        "uncertain": prediction.is_uncertain,
        "open": prediction.is_open,
    }
    return found | ({"launches": list(map(_work_as_json, form.launches))} if with_work else {})


def _work_as_json(launch: LaunchWork) -> dict[str, object]:
    return {"arm": launch.generator, "work": launch.likely.as_dict()}


def _times(
    program: GateProgram,
    forms: Mapping[str, Compiled],
    session: Session,
    arguments: argparse.Namespace,
) -> dict[str, list[int]]:
    """
    What each form takes in each round, in ns. Raises a VyreError where one does not run, or gives
    another answer than the other.
    """
    context = make_context()
    executors = {
        form: Executor(from_text(each.text, context)[0], session) for form, each in forms.items()
    }
    inputs = program.inputs(program.units(arguments.mib << 20))
    resident = {name: session.put(each) for name, each in inputs.items()}
    answers = {form: each.run(resident).outputs for form, each in executors.items()}
    first, *others = answers.values()
    if any(not np.array_equal(first[name], other[name]) for other in others for name in first):
        raise VyreError("the forms give different answers")
    times: dict[str, list[int]] = {form: [] for form in forms}
    for _ in range(arguments.rounds):
        for form, executor in executors.items():
            times[form].append(sum(arm.kernel_ns or 0 for arm in executor.run(resident).arms))
    return times


def _forms(row: Row) -> list[Mapping[str, object]]:
    found = (row.get(form) for form in PROFILES)
    return [form for form in found if isinstance(form, dict)]


def _orders(row: Row) -> tuple[float, float] | None:
    """How the forms of a row compare, as measured and as predicted, if there are two."""
    ratios: Any = row.get("default_over_unfused", {})
    if ratios.get("measured") is None:
        return None
    return float(ratios["measured"]), float(ratios["predicted"])


def summary(rows: Iterable[Row]) -> dict[str, object]:
    """How good predictions are, of those forms of which data does not decide how much is done."""
    every = list(rows)
    forms = [form for row in every for form in _forms(row) if not form["open"]]
    errors = [abs(float(str(form["error"]))) for form in forms]
    sure = [abs(float(str(form["error"]))) for form in forms if not form["uncertain"]]
    orders = [order for row in every if (order := _orders(row)) is not None]
    apart = [order for order in orders if abs(order[0] - 1) > CLOSE]
    right = [measured for measured, predicted in apart if (measured < 1) == (predicted < 1)]
    return {
        "programs": len(every),
        "forms": len(forms),
        "median_error": round(median(errors), 3) if errors else None,
        "median_error_of_sure": round(median(sure), 3) if sure else None,
        "pairs": len(orders),
        "pairs_apart": len(apart),
        "right_order_of_apart": round(len(right) / len(apart), 3) if apart else None,
        "failed": [row["program"] for row in every if "failed" in row],
    }


def _line(row: Row) -> str:
    if "failed" in row:
        return f"{row['program']}: {row['failed']}"
    shown = [
        f"{form} {each['us']} µs, predicted {each['predicted_us']} ({each['bound']}"
        f"{', uncertain' if each['uncertain'] else ''})"
        for form in PROFILES
        if isinstance(each := row.get(form), dict)
    ]
    return f"{row['program']}: {'; '.join(shown)}"


def main(given: Sequence[str] | None = None) -> None:
    """Run it from the command line, or with these arguments."""
    try:
        rows = measure(parse_arguments(given))
    except VyreError as error:
        sys.exit(f"benchmarks.predictions: error: {error}")
    sys.exit(any("failed" in row for row in rows))


if __name__ == "__main__":
    main()
