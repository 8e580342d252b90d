"""From a file of MLIR to kernels: reading, passes, OpenCL C."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException, ParseError

from vyre_dialect.ir.devices import PROPERTIES, properties_texts
from vyre_dialect.ir.python_lines import place_of, said_by
from vyre_dialect.ir.scheduling import Family
from vyre_dialect.ir.verification import failing_op
from vyre_dialect.lowering.opencl.printed import PrintedModule
from vyre_dialect.lowering.opencl.scope import Options
from vyre_dialect.lowering.opencl.target import print_module
from vyre_dialect.ops.schedule import ScheduleOp
from vyre_dialect.passes.program.drop_claims import DropClaimsPass
from vyre_dialect.passes.schedule.admission import NotAdmittedError
from vyre_dialect.passes.schedule.instrumentation import Edits, Instrumentation
from vyre_dialect.passes.schedule.optimize import MissingPassError, Optimized, OptimizePass
from vyre_dialect.passes.schedule.registry import passes_of
from vyre_dialect.runtime.errors import UsageError, VyreError, first_line
from vyre_dialect.runtime.interpreter.programs import find_program
from vyre_dialect.runtime.interpreter.scratch_marks import verify_marks
from vyre_dialect.runtime.program.compiled_program import CompiledProgram
from vyre_dialect.runtime.program.device_info import DeviceInfo
from vyre_dialect.runtime.program.garbage import collected_rarely
from vyre_dialect.runtime.program.loading import (
    load_module,
    make_context,
    name_of,
    parse_module,
    read_text,
)
from vyre_dialect.runtime.program.observers import Observer
from vyre_dialect.runtime.program.passes import Passes
from vyre_dialect.runtime.program.pipelines import parse_pipeline

__all__ = [
    "CompiledProgram",
    "apply_pipeline",
    "check_edits",
    "compile_module",
    "emit_opencl",
    "for_device",
    "has_own_schedule",
    "load_module",
    "lower_module",
    "make_context",
    "name_of",
    "optimize_module",
    "parse_module",
    "read_text",
    "schedule_for",
]
"""All that leads from a file to kernels; what only reads is in `loading`."""

_INT64_ATOMICS = {"cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics"}


def apply_pipeline(
    module: ModuleOp,
    pipeline: str,
    context: Context,
    instrumentation: Instrumentation | None = None,
) -> None:
    """
    Run the passes that `pipeline` names over `module`, in place, with edits and observers.

    Raises a VyreError for a pass that is not known or that fails, which names the pass.
    """
    instrumentation = instrumentation or Instrumentation()
    for own in parse_pipeline(pipeline).passes:
        if instrumentation.is_stopped:
            break
        for module_pass in instrumentation.steps(own):
            _apply(module_pass, module, context, instrumentation)
    _verify(module, f"after '{pipeline}'")


def _apply(
    module_pass: ModulePass, module: ModuleOp, context: Context, instrumentation: Instrumentation
) -> None:
    with (
        one_line_errors(f"pass '{module_pass.name}'"),
        instrumentation.observed(module_pass, module),
    ):
        if isinstance(module_pass, OptimizePass):
            module_pass.run(context, module, instrumentation)
            return
        with _named_errors(f"pass '{module_pass.name}'"):
            module_pass.apply(context, module)


def optimize_module(
    module: ModuleOp,
    optimize: OptimizePass,
    context: Context,
    instrumentation: Instrumentation | None = None,
) -> Optimized:
    """
    Compile `module` by a schedule, in place; gives what was decided and done.

    Raises a VyreError for a schedule that cannot be used and for a pass that fails.
    """
    with one_line_errors(f"pass '{optimize.name}'"):
        optimized = optimize.run(context, module, instrumentation)
    _verify(module, f"after '{optimize.name}'")
    return optimized


def schedule_for(
    module: ModuleOp, optimize: OptimizePass, context: Context, device: DeviceInfo | None = None
) -> ScheduleOp:
    """The schedule that `compile_module` compiles `module` by, before anything is decided."""
    with one_line_errors(f"pass '{optimize.name}'"):
        return for_device(optimize, device).take_schedule(context, module.clone())


def emit_opencl(module: ModuleOp, extensions: Iterable[str] = ()) -> PrintedModule:
    """The kernels of `module` as OpenCL C for a device with `extensions`."""
    options = Options(int64_atomics=frozenset(extensions) >= _INT64_ATOMICS)
    with one_line_errors("target 'vyre-opencl'"):
        return print_module(module, options)


class Lowered(NamedTuple):
    """What passes make of a module, and how they were chosen."""

    module: ModuleOp
    policy: str | None
    """The policy that the schedule was made by; None for none, and for a plain list of passes."""
    is_fused: bool = False
    """Whether a pass of the schedule has fused arms."""


def lower_module(
    module: ModuleOp, passes: Passes, context: Context, device: DeviceInfo | None = None
) -> Lowered:
    """
    What `passes` make of a copy of `module`, whose claims are dropped. Raises what
    `compile_module` does.
    """
    lowered, instrumentation = module.clone(), Instrumentation(passes.edits, passes.observers)
    DropClaimsPass().apply(context, lowered)
    policy, is_fused = None, False
    if passes.pipeline is None:
        optimize = for_device(passes.optimize or OptimizePass(), device)
        optimized = optimize_module(lowered, optimize, context, instrumentation)
        policy, fusing = optimized.policy, passes_of(Family.FUSION)
        is_fused = any(run.changed and run.name in fusing for run in optimized.report.runs)
        for observer in passes.observers:
            observer.optimized(optimized)
    else:
        apply_pipeline(lowered, passes.pipeline, context, instrumentation)
    check_edits(instrumentation)
    return Lowered(lowered, policy, is_fused)


def compile_module(
    module: ModuleOp,
    *,
    pipeline: str | None = None,
    optimize: OptimizePass | None = None,
    edits: Edits | None = None,
    observers: Sequence[Observer] = (),
    context: Context | None = None,
    device: DeviceInfo | None = None,
) -> CompiledProgram:
    """Compile the program of `module` for `device`, or for any device of OpenCL 1.2.

    The module is left as it is, and what it claims is not believed. It is compiled by a schedule,
    which `optimize` chooses, unless `pipeline` names the passes; `edits` inserts passes, leaves
    some out and stops, and `observers` are told of each. Raises a VyreError where a pass or the
    target refuses the program, and a UsageError for a pipeline or edits that make no sense.
    """
    context = context or make_context()
    passes = Passes(pipeline, optimize, edits or Edits(), observers)
    with collected_rarely():
        lowered = lower_module(module, passes, context, device)
        printed = emit_opencl(lowered.module, () if device is None else device.extensions)
    for observer in observers:
        observer.kernels(printed.text)
    program = find_program(lowered.module)
    verify_marks(program)
    return CompiledProgram(program, printed, lowered.policy, lowered.is_fused)


def check_edits(instrumentation: Instrumentation) -> None:
    """Raise a UsageError where a stage was not reached, so that passes did not run as asked."""
    if missed := instrumentation.missed:
        names = ", ".join(f"'{name}'" for name in missed)
        ran = ", ".join(f"'{name}'" for name in dict.fromkeys(instrumentation.ran))
        raise UsageError(f"the passes never come to {names}; those that ran are {ran or 'none'}")


def for_device(optimize: OptimizePass, device: DeviceInfo | None) -> OptimizePass:
    """`optimize` for `device`, whose policy gives the options of passes."""
    if device is None:
        return optimize
    known = {name: getattr(device, name) for name in PROPERTIES}
    return replace(optimize, device=properties_texts(known))


def has_own_schedule(module: ModuleOp) -> bool:
    """Whether `module` says by which passes its programs are compiled."""
    return any(isinstance(op, ScheduleOp) for op in module.ops)


@contextmanager
def one_line_errors(place: str) -> Generator[None]:
    """Raises what xDSL raises about a user's input as a VyreError of one line that says where."""
    try:
        yield
    except ParseError as error:
        message = " ".join(error.msg.split())
        raise VyreError(f"{error.span.get_location()}: {message}") from error
    except NotAdmittedError as error:
        raise VyreError(first_line(error)) from error
    except DiagnosticException as error:
        message = first_line(error)
        name = place.partition(" ")[2]
        # Many passes name themselves, and a schedule the pass of it that failed.
        named = (bool(name) and message.startswith(name)) or message.startswith("pass '")
        refused = VyreError(message if named else f"{place}: {message}")
        refused.detail = error.detail if isinstance(error, MissingPassError) else None
        raise refused from error
    except RecursionError as error:
        raise VyreError(f"{place}: ops are nested too deeply") from error


@contextmanager
def _named_errors(place: str) -> Generator[None]:
    """
    Turn whatever a pass or a verifier of any package raises into one line that says where: xDSL's
    raise ValueError, AssertionError and more on what they were not made for.
    """
    try:
        with one_line_errors(place):
            yield
    except VyreError:
        raise
    except Exception as error:
        raise VyreError(f"{place}: {said_by(error)}") from error


def _verify(module: ModuleOp, place: str) -> None:
    """Raise a VyreError that names an op that does not verify, and the line that it is of."""
    try:
        module.verify()
    except RecursionError as error:
        raise VyreError(f"{place}: {first_line(error)}") from error
    except Exception as error:  # xDSL's verifiers raise more than VerifyException
        op, said = failing_op(module, error), said_by(error)
        named = said if op.name in said else f"'{op.name}': {said}"
        line = place_of(op.location)
        where = "" if line is None else f" ({line})"
        raise VyreError(f"{place}: {named}{where}") from error
