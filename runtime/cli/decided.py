"""What was decided by tuning, as commands take it and tell of it."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from vyre_dialect.runtime.cli.lines import print_line

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

    from vyre_dialect.runtime.interpreter.arrays import Array
    from vyre_dialect.runtime.opencl.devices import Device
    from vyre_dialect.runtime.program.decision import Decision
    from vyre_dialect.runtime.program.passes import Passes


def as_decided(
    module: ModuleOp,
    passes: Passes,
    device: Device,
    inputs: Mapping[str, Array],
    context: Context,
) -> tuple[ModuleOp, Passes, Decision | None]:
    """
    The program and the passes that `vyre run` takes for `inputs` on `device`, unless it tunes
    first. Without needed inputs this is unknown; a warning says so where it matters.
    """
    from vyre_dialect.runtime.driver.building import bound_inputs
    from vyre_dialect.runtime.errors import UsageError
    from vyre_dialect.runtime.tuning.decisions import DecisionFile
    from vyre_dialect.runtime.tuning.kept_forms import by_prediction
    from vyre_dialect.runtime.tuning.mode import Mode
    from vyre_dialect.runtime.tuning.tuned import tuned

    mode = Mode.from_environment()
    if mode == Mode.OFF or passes.pipeline is not None or passes.edits:
        return module, passes, None
    if not inputs and not DecisionFile.exists_for(device.info):
        return module, passes, None
    try:
        bound = bound_inputs(module, inputs, context)
    except UsageError:
        if inputs:
            raise
        _warn_of_decisions(module, device)
        return module, passes, None
    decided = tuned(module, device, bound, context, passes.optimize, Mode.CACHED)
    if decided.decision is None:
        sizes = {name: each.nbytes for name, each in bound.items()}
        module, optimize = by_prediction(module, device.info, passes.optimize, context, sizes)
        return module, replace(passes, optimize=optimize), None
    tell(decided.decision)
    return decided.module, replace(passes, optimize=decided.optimize), decided.decision


def tell(decision: Decision | None, tuning_ns: int | None = None) -> None:
    """
    Say on standard error what a program is compiled with other than by default, and, where that
    was decided just now, how long it took.
    """
    from vyre_dialect.ir.tuning import changes_text

    if decision is not None and tuning_ns is not None:
        print_line(
            f"vyre: note: tuned '{decision.program}': {tuning_ns / 1e9:.1f} s for "
            f"{decision.evaluations} candidates, kept for later runs",
            file=sys.stderr,
        )

    if decision is not None and (changes := changes_text(decision.choices, decision.default)):
        when = f"{decision.when:%Y-%m-%d}"
        said = f"vyre: note: '{decision.program}' as measured on {when}: {changes}"
        print_line(said, file=sys.stderr)


def as_json(decision: Decision | None) -> dict[str, object] | None:
    """A decision as commands that take it print it for machines."""
    from vyre_dialect.ir.tuning import changed

    if decision is None:
        return None
    changes = changed(decision.choices, decision.default)
    return {"when": decision.when.isoformat(), "choices": changes}


def _warn_of_decisions(module: ModuleOp, device: Device) -> None:
    from vyre_dialect.ir.tuning import changed
    from vyre_dialect.runtime.interpreter.programs import find_program
    from vyre_dialect.runtime.tuning.decisions import DecisionFile

    kept = DecisionFile.of(device.info)
    program = find_program(module).sym_name.data
    others = () if kept is None else tuple(kept.all().values())
    if any(each.program == program and changed(each.choices, each.default) for each in others):
        message = (
            f"a program '{program}' is tuned for inputs of some sizes: name yours with --input to "
            "see the program that 'vyre run' takes"
        )
        warnings.warn(message, stacklevel=3)
