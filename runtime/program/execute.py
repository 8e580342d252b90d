"""Runs a program from its file or module: the short way in for Python and the command line.

from vyre_dialect.runtime.program.execute import run_file
run = run_file("count.mlir", {"encoded": array})
print(run.outputs["count"], run.arms)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from time import perf_counter_ns

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.opencl.devices import Device, choose_device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.program.arrays import Array, Bytes
from vyre_dialect.runtime.program.compilation import (
    apply_pipeline,
    compile_module,
    load_module,
    make_context,
    optimize_module,
)
from vyre_dialect.runtime.program.inputs import ProgramInputs, check_outputs, remaining_inputs
from vyre_dialect.runtime.program.pipelines import REFERENCE
from vyre_dialect.runtime.program.programs import find_program, select_program
from vyre_dialect.runtime.program.reference import interpret_program
from vyre_dialect.runtime.program.results import REFERENCE_DEVICE, RunResult, median_run
from vyre_dialect.runtime.program.traps import explained_traps
from vyre_dialect.runtime.progress import Progress, no_progress
from vyre_dialect.runtime.tuning.recording import keep_times as keep
from vyre_dialect.runtime.tuning.tuned import Mode, tuned


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
    keep_times: bool = False,
    tuner: Mode = Mode.OFF,
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
        keep_times=keep_times,
        tuner=tuner,
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
    repeat: int = 1,
    keep_times: bool = False,
    tuner: Mode = Mode.OFF,
    context: Context | None = None,
    progress: Progress = no_progress,
) -> RunResult:
    """Compile the program of `module` and run it `repeat` times, with the median of the times.

    `device` is one of `list_devices`, or what `choose_device` takes, or `reference` for the
    interpreter. `optimize` chooses the schedule to compile by, `pipeline` a plain list of passes in
    its place. With `keep_times`, the times of all runs go into the hot-path table of the device.
    `tuner` says whether what was decided by tuning is taken, or decided first; with a `pipeline`,
    nothing is. Raises a VyreError for what a user can mend.
    """
    context = context or make_context()
    inputs = bound_inputs(module, inputs, context)
    with explained_traps(find_program(module), inputs):
        if device == REFERENCE_DEVICE:
            return _interpret(module, inputs, pipeline, optimize, repeat, context)
        chosen = device if isinstance(device, Device) else choose_device(device)
        begin = perf_counter_ns()
        source = module
        if pipeline is None:
            module, optimize = tuned(module, chosen, inputs, context, optimize, tuner)
        compiled = compile_module(
            module, pipeline=pipeline, optimize=optimize, context=context, device=chosen.info
        )
        executor = Executor(compiled, chosen, progress=progress)
        compile_ns = perf_counter_ns() - begin
        runs = _launch(executor, inputs, repeat, progress)
    if keep_times:
        keep(chosen.info, find_program(source), compiled, runs)
    return median_run(runs, compile_ns)


def _interpret(
    module: ModuleOp,
    inputs: Mapping[str, Array],
    pipeline: str | None,
    optimize: OptimizePass | None,
    repeat: int,
    context: Context,
) -> RunResult:
    begin = perf_counter_ns()
    interpreted = module.clone()
    if optimize is not None and pipeline is None:
        optimize_module(interpreted, optimize, context)
    else:
        apply_pipeline(interpreted, REFERENCE if pipeline is None else pipeline, context)
    inputs = remaining_inputs(find_program(interpreted), inputs)
    compile_ns = perf_counter_ns() - begin
    runs = [interpret_program(interpreted, inputs) for _ in range(repeat)]
    return median_run(runs, compile_ns)


def _launch(
    executor: Executor, inputs: Mapping[str, Array], repeat: int, progress: Progress
) -> list[RunResult]:
    compiled = executor.compiled
    inputs = remaining_inputs(compiled.program, inputs)
    runs = list[RunResult]()
    for number in range(repeat):
        progress(f"running '{compiled.name}'", number / repeat)
        runs.append(executor.run(inputs))
    return runs


def bound_inputs(
    module: ModuleOp, inputs: Mapping[str, Array | Bytes], context: Context
) -> dict[str, Array]:
    """The inputs of the program as the user wrote it, so that passes do not change what it takes.

    Library ops give buffers their sizes, so they are expanded first.
    """
    ProgramInputs(find_program(module)).verify_names(inputs)
    expanded = module.clone()
    apply_pipeline(expanded, REFERENCE, context)
    return ProgramInputs(find_program(expanded)).bind(inputs)
