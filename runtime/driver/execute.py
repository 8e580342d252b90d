"""Runs a program from its file or module: the short way in for Python and the command line.

from vyre_dialect.runtime.driver.execute import run_file
run = run_file("count.mlir", {"encoded": array})
print(run.outputs["count"], run.arms)

What compiles takes longer to load than a compiled program takes to run, so it is not loaded before
it is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from time import perf_counter_ns
from typing import TYPE_CHECKING, NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.passes.schedule.instrumentation import Edits
from vyre_dialect.runtime.driver.job import BuiltProgram, Job
from vyre_dialect.runtime.driver.program_cache import NOTHING_KEPT, ProgramCache
from vyre_dialect.runtime.interpreter.arrays import Array, Bytes
from vyre_dialect.runtime.interpreter.inputs import ProgramInputs, check_outputs, remaining_inputs
from vyre_dialect.runtime.interpreter.programs import find_program, select_program
from vyre_dialect.runtime.interpreter.traps import explained_traps
from vyre_dialect.runtime.opencl.devices import Device, choose_device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.results import REFERENCE_DEVICE, RunResult, median_run
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.loading import load_module, make_context
from vyre_dialect.runtime.program.observers import Observer
from vyre_dialect.runtime.program.passes import Passes
from vyre_dialect.runtime.program.rooms import explained_rooms
from vyre_dialect.runtime.progress import Progress, no_progress
from vyre_dialect.runtime.tuning.mode import Mode
from vyre_dialect.runtime.tuning.recording import keep_times as keep
from vyre_dialect.runtime.warned import counted_warnings

if TYPE_CHECKING:
    from vyre_dialect.ops.program import ProgramOp
    from vyre_dialect.passes.schedule.optimize import OptimizePass
    from vyre_dialect.runtime.tuning.feedback import ResizePolicy
    from vyre_dialect.runtime.tuning.live import LiveExecutor
    from vyre_dialect.runtime.tuning.trial import TrialExecutor


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

    As `run_module`, which says what `repeat` (a number of runs) and `timeout` (in seconds) are
    for, and `outputs` must be live out. Raises what `load_program` and `run_module` do.
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
    measure: bool = False,
    context: Context | None = None,
    progress: Progress = no_progress,
    programs: ProgramCache = NOTHING_KEPT,
) -> RunResult:
    """Compile the program of `module` and run it `repeat` times, with the median of the times.

    `device` is one of `list_devices`, or what `choose_device` takes, or `reference` for the
    interpreter. `optimize` chooses the schedule to compile by, `pipeline` a plain list of passes in
    its place, as `compile_module` does, which takes `edits` and `observers`, too. With
    `keep_times`, the times of all runs go into the hot-path table of the device. `tuner` says
    whether what was decided by tuning is taken, or decided first; nothing is with a `pipeline` or
    with `edits`. With `measure`, a program that is to run several times first runs in several
    forms by turns, unfused for one, unless a decision is taken, and the fastest is kept. By
    `resize`, if neither is given, workgroups follow what the runs say; the times are then those of
    the runs with the last size. A program that `programs` holds is not compiled again. Raises a
    VyreError for what a user can mend, and a TimeLimitError for a run that takes longer than
    `timeout` seconds.
    """
    context = context or make_context()
    passes, source = Passes(pipeline, optimize, edits or Edits(), observers), find_program(module)
    ProgramInputs.of(source).verify_names(inputs)
    with explained_traps(source, inputs), explained_rooms(lambda: expanded(module, context)):
        if device == REFERENCE_DEVICE:
            from vyre_dialect.runtime.driver.reference import interpret_module

            return interpret_module(module, inputs, passes, repeat, context, timeout)
        chosen = device if isinstance(device, Device) else choose_device(device)
        begin = perf_counter_ns()
        is_measured = measure and repeat > 1
        job = Job(module, chosen, inputs, passes, tuner, context, progress, timeout, is_measured)
        session = Session(chosen, timeout)
        forms = _forms(job, session, resize, programs)
        bound = forms.built.inputs.bind(inputs)
        executor = forms.executor(session, progress)
        compile_ns = perf_counter_ns() - begin
        if forms.trial is not None:
            forms.trial.settle(remaining_inputs(forms.built.compiled.program, bound))
        runs = _runs(executor, bound, repeat, progress)
    if keep_times:
        keep(chosen.info, source, executor.compiled, runs)
    return forms.said_of(median_run(runs, compile_ns))


class _Forms(NamedTuple):
    """A program as it was built, and what runs it in other forms as runs repeat."""

    built: BuiltProgram
    live: LiveExecutor | None = None
    """In workgroups whose size follows what earlier runs say."""
    trial: TrialExecutor | None = None
    """In several forms by turns, before the first run."""

    def executor(
        self, session: Session, progress: Progress
    ) -> Executor | TrialExecutor | LiveExecutor:
        """What runs the program."""
        return self.live or self.trial or Executor(self.built.compiled, session, progress=progress)

    def said_of(self, run: RunResult) -> RunResult:
        """A run with how its program was built."""
        built, decision = self.built, None if self.trial is None else self.trial.decision
        return run._replace(
            decision=decision if built.decision is None else built.decision.decision,
            tuning_ns=built.tuning_ns,
            workgroup_size=None if self.live is None else self.live.workgroup_size,
            policy=built.compiled.policy,
            is_kept=built.compiled.is_kept,
        )


def _forms(
    job: Job, session: Session, resize: ResizePolicy | None, programs: ProgramCache
) -> _Forms:
    """Build a program, with the forms that it is to be run in."""
    passes = job.passes
    if resize is not None and passes.are_scheduled:
        from vyre_dialect.runtime.driver.building import build_live

        return _Forms(*build_live(job, session, resize))
    built = built_program(job, programs)
    if not job.is_measured or not passes.are_scheduled or built.decision is not None:
        return _Forms(built)
    from vyre_dialect.runtime.tuning.kept_forms import trial_of

    trial = trial_of(
        *(built.compiled, job.module, session, passes.optimize, job.context, job.progress)
    )
    return _Forms(built, trial=trial)


def built_program(job: Job, programs: ProgramCache = NOTHING_KEPT) -> BuiltProgram:
    """A program that was kept or is built now."""
    key = programs.key(job)
    if key is not None and (known := programs.get(key, job)) is not None:
        return known
    from vyre_dialect.runtime.driver.building import build

    if key is None:
        return build(job)
    with counted_warnings() as warned:
        built = build(job)
    # Warnings, and what was decided meanwhile, are not passed over the next time.
    if not warned and programs.key(job) == key:
        programs.put(key, built, job)
    return built


def expanded(module: ModuleOp, context: Context) -> ProgramOp:
    """As `expanded_program`, with what compiles loaded when it is needed."""
    from vyre_dialect.runtime.driver.building import expanded_program

    return expanded_program(module, context)


def _runs(
    executor: Executor | TrialExecutor | LiveExecutor,
    inputs: Mapping[str, Array],
    repeat: int,
    progress: Progress,
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
