"""Runs a program from its file or module: the short way in for Python and the command line.

from vyre_dialect.runtime.program.execute import run_file
run = run_file("count.mlir", {"encoded": array})
print(run.outputs["count"], run.arms)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter_ns
from typing import TYPE_CHECKING

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.passes.schedule.course import Edits
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.errors import TimeLimitError
from vyre_dialect.runtime.opencl.devices import Device, choose_device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.opencl.waiting import interruptible
from vyre_dialect.runtime.program.arrays import Array, Bytes
from vyre_dialect.runtime.program.compilation import (
    Passes,
    apply_pipeline,
    compile_module,
    load_module,
    make_context,
)
from vyre_dialect.runtime.program.inputs import ProgramInputs, check_outputs, remaining_inputs
from vyre_dialect.runtime.program.observers import Observer
from vyre_dialect.runtime.program.parts import explained_rooms
from vyre_dialect.runtime.program.pipelines import REFERENCE
from vyre_dialect.runtime.program.programs import find_program, select_program
from vyre_dialect.runtime.program.reference import interpret_program
from vyre_dialect.runtime.program.results import REFERENCE_DEVICE, RunResult, median_run
from vyre_dialect.runtime.program.traps import explained_traps
from vyre_dialect.runtime.progress import Progress, no_progress
from vyre_dialect.runtime.tuning.feedback import ResizePolicy
from vyre_dialect.runtime.tuning.mode import Mode
from vyre_dialect.runtime.tuning.recording import keep_times as keep
from vyre_dialect.runtime.tuning.tuned import tuned

if TYPE_CHECKING:
    from vyre_dialect.runtime.tuning.live import LiveExecutor


def run_file(
    path: Path | str,
    inputs: Mapping[str, Array | Bytes],
    *,
    program: str | None = None,
    outputs: Iterable[str] = (),
    device: Device | str | None = None,
    pipeline: str | None = None,
    optimize: OptimizePass | None = None,
    repeat: int = 1,
    timeout: float | None = None,
    keep_times: bool = False,
    tuner: Mode = Mode.OFF,
    resize: ResizePolicy | None = None,
    progress: Progress = no_progress,
) -> RunResult:
    """Run the program in the file `path`, the one called `program` where it holds several.

    As `run_module`, and `outputs` must be live out.
    """
    context = make_context()
    module = load_program(path, context, program, outputs)
    return run_module(
        module,
        inputs,
        device=device,
        pipeline=pipeline,
        optimize=optimize,
        repeat=repeat,
        timeout=timeout,
        keep_times=keep_times,
        tuner=tuner,
        resize=resize,
        context=context,
        progress=progress,
    )


def load_program(
    path: Path | str, context: Context, program: str | None = None, outputs: Iterable[str] = ()
) -> ModuleOp:
    """
    The module of the file `path` with the program to run, of which `outputs` must be live out.

    Raises a VyreError as `load_module`, and a UsageError for an unknown program or output.
    """
    module = select_program(load_module(Path(path), context), program)
    check_outputs(find_program(module), outputs)
    return module


def run_module(
    module: ModuleOp,
    inputs: Mapping[str, Array | Bytes],
    *,
    device: Device | str | None = None,
    pipeline: str | None = None,
    optimize: OptimizePass | None = None,
    edits: Edits | None = None,
    observers: Sequence[Observer] = (),
    repeat: int = 1,
    timeout: float | None = None,
    keep_times: bool = False,
    tuner: Mode = Mode.OFF,
    resize: ResizePolicy | None = None,
    context: Context | None = None,
    progress: Progress = no_progress,
) -> RunResult:
    """Compile the program of `module` and run it `repeat` times, with the median of the times.

    `device` is one of `list_devices`, or what `choose_device` takes, or `reference` for the
    interpreter. `optimize` chooses the schedule to compile by, `pipeline` a plain list of passes in
    its place, as `compile_module` does, which takes `edits` and `observers`, too. With
    `keep_times`, the times of all runs go into the hot-path table of the device. `tuner` says
    whether what was decided by tuning is taken, or decided first; nothing is with a `pipeline` or
    with `edits`. By `resize`, if neither is given, workgroups follow what the runs say; the times
    are then those of the runs with the last size. Raises a VyreError for what a user can mend, and
    a TimeLimitError for a run that takes longer than `timeout` seconds.
    """
    context = context or make_context()
    arms = _arms(module, inputs, context)
    inputs = ProgramInputs(arms).bind(inputs)
    with explained_traps(find_program(module), inputs), explained_rooms(arms):
        if device == REFERENCE_DEVICE:
            passes = Passes(
                _interpreted(pipeline, optimize, edits), optimize, edits or Edits(), observers
            )
            return _interpret(module, inputs, passes, repeat, context, timeout)
        chosen = device if isinstance(device, Device) else choose_device(device)
        begin = perf_counter_ns()
        source, decision, tuning_ns, live = module, None, None, None
        if pipeline is None and not edits:
            module, optimize, decision, tuning_ns = tuned(
                module, chosen, inputs, context, optimize, tuner, progress, timeout
            )
        session = Session(chosen, timeout)
        if resize is not None and pipeline is None and not edits:
            from vyre_dialect.runtime.tuning.live import LiveExecutor  # takes a while to load

            executor = live = LiveExecutor(
                module,
                session,
                resize,
                optimize=optimize,
                observers=observers,
                context=context,
                progress=progress,
            )
        else:
            compiled = compile_module(
                module,
                pipeline=pipeline,
                optimize=optimize,
                edits=edits,
                observers=observers,
                context=context,
                device=chosen.info,
            )
            executor = Executor(compiled, session, progress=progress)
        compile_ns = perf_counter_ns() - begin
        runs = _runs(executor, inputs, repeat, progress)
    if keep_times:
        keep(chosen.info, find_program(source), executor.compiled, runs)
    size = None if live is None else live.workgroup_size
    return median_run(runs, compile_ns)._replace(
        decision=decision, tuning_ns=tuning_ns, workgroup_size=size
    )


def _interpreted(
    pipeline: str | None, optimize: OptimizePass | None, edits: Edits | None
) -> str | None:
    """The pipeline to interpret after: only what arms need, unless there are wishes."""
    return REFERENCE if pipeline is None and optimize is None and not edits else pipeline


def _interpret(
    module: ModuleOp,
    inputs: Mapping[str, Array],
    passes: Passes,
    repeat: int,
    context: Context,
    timeout: float | None,
) -> RunResult:
    begin = perf_counter_ns()
    lowered = passes.lower(module, context)
    inputs = remaining_inputs(find_program(lowered), inputs)
    compile_ns = perf_counter_ns() - begin
    interpreted = partial(interpret_program, lowered, inputs)
    try:
        runs = [interruptible(interpreted, timeout) for _ in range(repeat)]
    except TimeoutError as error:
        raise TimeLimitError(f"the interpretation took longer than {timeout:g} s") from error
    return median_run(runs, compile_ns)


def _runs(
    executor: Executor | LiveExecutor, inputs: Mapping[str, Array], repeat: int, progress: Progress
) -> list[RunResult]:
    """Those of several runs that have run the same as the last."""
    inputs = remaining_inputs(executor.compiled.program, inputs)
    runs = list[RunResult]()
    for number in range(repeat):
        progress(f"running '{executor.compiled.name}'", number / repeat)
        before, run = executor.compiled, executor.run(inputs)
        if executor.compiled is not before:
            runs.clear()
        runs.append(run)
    return runs


def bound_inputs(
    module: ModuleOp, inputs: Mapping[str, Array | Bytes], context: Context
) -> dict[str, Array]:
    """The inputs of the program as the user wrote it."""
    return ProgramInputs(_arms(module, inputs, context)).bind(inputs)


def _arms(module: ModuleOp, inputs: Mapping[str, Array | Bytes], context: Context) -> ProgramOp:
    """The program as the user wrote it, so that passes do not change what it takes.

    Library ops give buffers their sizes, so they are expanded first.
    """
    ProgramInputs(find_program(module)).verify_names(inputs)
    expanded = module.clone()
    apply_pipeline(expanded, REFERENCE, context)
    return find_program(expanded)
