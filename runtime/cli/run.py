"""`vyre run`: compile a program, run it on a device, and show its results and timings."""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Mapping
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

from vyre_dialect.runtime.cli.arguments import (
    Subparsers,
    add_device_arguments,
    add_program_arguments,
    add_timeout_argument,
    named_values,
    positive_integer,
    positive_number,
)
from vyre_dialect.runtime.cli.described import Description, described
from vyre_dialect.runtime.cli.inputs import add_input_argument, named_inputs
from vyre_dialect.runtime.cli.lines import print_line
from vyre_dialect.runtime.cli.pass_arguments import add_pass_arguments, pass_arguments
from vyre_dialect.runtime.cli.run_files import many_input, run_files
from vyre_dialect.runtime.cli.scheduler import add_scheduler_argument, run_on_scheduler
from vyre_dialect.runtime.cli.stream import InPieces, add_stream_arguments, merged, streamed
from vyre_dialect.runtime.errors import (
    OutOfMemoryError,
    TimeLimitError,
    UsageError,
    VyreError,
    on_one_line,
)
from vyre_dialect.runtime.paths import file_path

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

    from vyre_dialect.runtime.interpreter.arrays import Array
    from vyre_dialect.runtime.opencl.results import ArmTiming, RunResult
    from vyre_dialect.runtime.program.passes import Passes
    from vyre_dialect.runtime.progress import Progress
    from vyre_dialect.runtime.tuning.feedback import ResizePolicy


def add_parser(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "run", help="run a program", description=__doc__, allow_abbrev=False
    )
    add_program_arguments(parser)
    add_input_argument(parser, takes_many=True)
    parser.add_argument(
        "--output",
        action="append",
        default=[],
        metavar="NAME=PATH",
        help="where to write a live-out buffer: as bytes, as an array to a .npy file, or to - for "
        "standard output; {} is the name of each of many files",
    )
    add_device_arguments(parser)
    parser.add_argument(
        "--repeat",
        type=positive_integer,
        default=1,
        metavar="N",
        help="run N times and show the median of each time",
    )
    add_timeout_argument(parser)
    add_stream_arguments(parser)
    add_scheduler_argument(parser)
    parser.add_argument(
        "--merge",
        action="store_true",
        help="run on many files as on one with all of them, one after the other, in pieces",
    )
    parser.add_argument(
        "--trace",
        type=file_path,
        metavar="OUT.json",
        help="where to write when each arm ran, as trace events, which Perfetto shows",
    )
    parser.add_argument(
        "--tune",
        action="store_true",
        help="before, find the fastest form of the program for its input, unless that is known",
    )
    parser.add_argument(
        "--no-measure",
        action="store_true",
        help="with --repeat: do not run the program in several forms before, by turns, to keep the "
        "fastest",
    )
    parser.add_argument(
        "--resize",
        type=positive_number,
        metavar="GB/S",
        help="while runs repeat: larger workgroups as long as arms move fewer bytes than that, "
        "smaller ones where the device idles",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="before, look for races, undefined reads and accesses outside of buffers, by "
        "interpretation: slow",
    )
    add_pass_arguments(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    """Carry the subcommand out; gives the exit status."""
    from vyre_dialect.runtime.cli.decided import tell

    asked = pass_arguments(arguments)
    _verify_tuning(arguments, asked.passes)
    inputs = named_inputs(arguments)
    outputs = {
        name: file_path(path) for name, path in named_values("--output", arguments.output).items()
    }
    many = many_input(inputs)
    if arguments.merge and many is None:
        raise UsageError("argument --merge: expected an input of many files, as 'NAME=*.b64'")
    if many is not None and not arguments.merge:
        _verify_each_file(arguments)
        status = run_files(arguments, asked.passes, inputs, outputs, many, _print_of_file)
        asked.report()
        return status
    run, descriptions = _run_once(arguments, asked.passes, inputs, outputs, many)
    asked.report()
    tell(run.decision, run.tuning_ns)
    _show(arguments, run, descriptions, outputs)
    return 0


def _verify_each_file(arguments: argparse.Namespace) -> None:
    """Raise a UsageError for options that many files by themselves do not take."""
    if arguments.devices is not None:
        raise UsageError("argument --devices: expected one input, or many files with --merge")
    if arguments.trace is not None:
        raise UsageError("argument --trace: expected one run, got an input of many files")


def _run_once(
    arguments: argparse.Namespace,
    passes: Passes,
    inputs: Mapping[str, str],
    outputs: Mapping[str, Path],
    many: str | None,
) -> tuple[RunResult, Mapping[str, Description]]:
    """Compile and run the program, and write what it gives; the run, and what outputs are."""
    from vyre_dialect.runtime.cli.terminal import progress_bar
    from vyre_dialect.runtime.driver.execute import load_program
    from vyre_dialect.runtime.program.loading import make_context
    from vyre_dialect.runtime.program.output_files import check_destinations, write_arrays

    trace: Path | None = arguments.trace
    check_destinations([*outputs.values(), *([] if trace is None else [trace])])
    with progress_bar() as progress:
        progress(f"compiling '{arguments.file}'", None)
        context = make_context()
        module = load_program(arguments.file, context, arguments.program, outputs)
        task = arguments, module, inputs, outputs, passes, context, progress
        in_pieces = _in_pieces(*task) if many is None else merged(*task, many)
        contents = in_pieces.contents
        if arguments.check:
            progress(f"checking '{arguments.file}'", None)
            _check(module, contents, context, arguments.timeout)
        try:
            run = in_pieces.run or _run_whole(
                arguments, passes, module, contents, context, progress
            )
        except OutOfMemoryError as error:
            in_pieces = in_pieces.where_larger(error)
            run = in_pieces.run
            assert run is not None
        kept = {name: path for name, path in outputs.items() if name in run.outputs}
        write_arrays({path: run.outputs[name] for name, path in kept.items()})
        if trace is not None:
            _write_trace(trace, run)
    own = {name: described([array]) for name, array in run.outputs.items()}
    return run, dict(in_pieces.descriptions) | own


def _show(
    arguments: argparse.Namespace,
    run: RunResult,
    descriptions: Mapping[str, Description],
    outputs: Mapping[str, Path],
) -> None:
    """Print a run, beside what is written to standard output."""
    from vyre_dialect.runtime.cli.terminal import print_json
    from vyre_dialect.runtime.program.output_files import is_standard_output

    if not descriptions:
        warnings.warn(
            f"'{run.program}' has no result: none of its buffers is 'live_out'", stacklevel=2
        )
    # What is to be read by another program is not to be mixed with a report for people.
    mixed = any(map(is_standard_output, outputs.values()))
    with redirect_stdout(sys.stderr if mixed else sys.stdout):
        if arguments.json:
            print_json(as_json(run) | {"outputs": descriptions})
        else:
            _print(run, descriptions)


def _in_pieces(
    arguments: argparse.Namespace,
    module: ModuleOp,
    inputs: Mapping[str, str],
    outputs: Mapping[str, Path],
    passes: Passes,
    context: Context,
    progress: Progress,
) -> InPieces:
    """Run on many machines, or on pieces, where that is asked for; else read the inputs."""
    if arguments.scheduler is not None:
        return run_on_scheduler(arguments, module, inputs, passes, context, progress)
    return streamed(arguments, module, inputs, outputs, passes, context, progress)


def _verify_tuning(arguments: argparse.Namespace, passes: Passes) -> None:
    """Raise a UsageError for options that ask for times of what has none, or no schedule."""
    from vyre_dialect.runtime.opencl.results import REFERENCE_DEVICE

    by_name = passes.pipeline is not None or bool(passes.edits)
    for option in (name for name in ("tune", "resize") if getattr(arguments, name)):
        if by_name:
            raise UsageError(
                f"argument --{option}: not allowed with passes that are named or left out"
            )
        if arguments.device == REFERENCE_DEVICE:
            raise UsageError(
                f"argument --{option}: the interpreter takes no times, name another device"
            )


def _run_whole(
    arguments: argparse.Namespace,
    passes: Passes,
    module: ModuleOp,
    contents: Mapping[str, Array],
    context: Context,
    progress: Progress,
) -> RunResult:
    """Run a program on all of its input at once."""
    from vyre_dialect.runtime.driver.execute import run_module
    from vyre_dialect.runtime.driver.program_cache import ProgramCache
    from vyre_dialect.runtime.tuning.mode import Mode

    tuner = Mode.ON if arguments.tune else Mode.from_environment()
    return run_module(
        module,
        contents,
        device=arguments.device,
        pipeline=passes.pipeline,
        optimize=passes.optimize,
        edits=passes.edits,
        observers=passes.observers,
        repeat=arguments.repeat,
        timeout=arguments.timeout,
        keep_times=True,
        tuner=tuner,
        resize=_resize_policy(arguments.resize),
        measure=tuner != Mode.OFF and not arguments.no_measure,
        context=context,
        progress=progress,
        programs=ProgramCache.default(),
    )


def _write_trace(path: Path, run: RunResult) -> None:
    from vyre_dialect.runtime.program.output_files import write_text
    from vyre_dialect.runtime.report.trace import trace_of

    write_text(path, trace_of(run))


def _resize_policy(gigabytes_per_second: float | None) -> ResizePolicy | None:
    if gigabytes_per_second is None:
        return None
    from vyre_dialect.runtime.tuning.feedback import policy_for

    return policy_for(gigabytes_per_second)


def _check(
    module: ModuleOp, inputs: Mapping[str, Array], context: Context, timeout: float | None
) -> None:
    """
    Say what the checkers find; raise a VyreError where that is an error, and where they take longer
    than `timeout` seconds.
    """
    from vyre_dialect.runtime.opencl.waiting import interruptible
    from vyre_dialect.runtime.program.checking import check_module

    try:
        findings = interruptible(lambda: check_module(module, inputs, context), timeout)
    except TimeoutError as error:
        raise TimeLimitError(f"the check took longer than {timeout:g} s") from error
    for finding in findings:
        print_line(finding, file=sys.stderr)
    if errors := sum(finding.is_error for finding in findings):
        raise VyreError(f"the check found {errors} error{'s' * (errors > 1)}; nothing was run")


def as_json(run: RunResult) -> dict[str, object]:
    """A run as the command prints it for machines."""
    from vyre_dialect.runtime.cli.decided import as_json as decision_as_json

    return {
        "program": run.program,
        "device": run.device,
        "policy": run.policy,
        "arms": [
            {
                "generator": arm.generator,
                "kernel_ns": arm.kernel_ns,
                "spread_ns": arm.spread_ns,
                "bytes": arm.bytes,
            }
            for arm in run.arms
        ],
        "outputs": {name: described([array]) for name, array in run.outputs.items()},
        "repeats": run.repeats,
        "total_ns": run.total_ns,
        "peak_scratch_bytes": None if run.scratch is None else run.scratch.peak,
        "unplanned_scratch_bytes": None if run.scratch is None else run.scratch.apart,
        "lower_bound_scratch_bytes": None if run.scratch is None else run.scratch.lower_bound,
        "spread_ns": run.spread_ns,
        "compile_ns": run.compile_ns,
        "compiled": "cached" if run.is_kept else "now",
        "decision": decision_as_json(run.decision),
        "tuning_ns": run.tuning_ns,
        "workgroup_size": run.workgroup_size,
    }


def _print(run: RunResult, descriptions: Mapping[str, Description]) -> None:
    from vyre_dialect.runtime.cli.terminal import print_table

    columns = ["arm", "µs", "bytes", "GB/s"]
    rows = [_timing_row(arm) for arm in run.arms]
    if run.repeats > 1:
        columns.insert(2, "spread µs")
        for arm, row in zip(run.arms, rows, strict=True):
            row.insert(2, _spread(arm))
    policy = "" if run.policy is None else f", policy {run.policy}"
    print_table(f"{run.program} on {run.device}{policy}", columns, rows)
    times = "" if run.repeats == 1 else f", median of {run.repeats} runs"
    print(f"total {run.total_ns / 1e6:.3f} ms{times}")
    if run.workgroup_size:
        print(f"workgroups of {run.workgroup_size}, by what earlier runs have said")
    for name, description in descriptions.items():
        print_line(f"{name} = {_as_text(description)}")


def _print_of_file(name: str, run: RunResult, *, is_json: bool) -> None:
    """The results of one file of many, on a line that begins with its name or as an object."""
    if is_json:
        print(json.dumps({"file": name} | as_json(run)))
        return
    for output, array in run.outputs.items():
        print_line(f"{on_one_line(name)}: {output} = {_as_text(described([array]))}")


def _timing_row(arm: ArmTiming) -> list[str]:
    if not arm.kernel_ns:
        return [arm.generator, "-", str(arm.bytes), "-"]
    rate = f"{arm.bytes / arm.kernel_ns:.2f}"
    return [arm.generator, f"{arm.kernel_ns / 1e3:.1f}", str(arm.bytes), rate]


def _spread(arm: ArmTiming) -> str:
    """The shortest and the longest time of several runs."""
    if arm.spread_ns is None:
        return "-"
    shortest, longest = arm.spread_ns
    return f"{shortest / 1e3:.1f}–{longest / 1e3:.1f}"


def _as_text(description: Description) -> str:
    if not isinstance(description, dict):
        return str(description)
    return ", ".join(f"{key} {value}" for key, value in description.items())
