"""Arguments on passes: which ones run, what is changed about them, and who looks on."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vyre_dialect.runtime.errors import UsageError
from vyre_dialect.runtime.paths import file_path

if TYPE_CHECKING:
    # argparse has no public name for it.
    from argparse import _ArgumentGroup  # pyright: ignore[reportPrivateUsage]

    from xdsl.passes import ModulePass

    from vyre_dialect.passes.schedule.instrumentation import Edits
    from vyre_dialect.passes.schedule.optimize import OptimizePass
    from vyre_dialect.runtime.program.observers import Observer, PassTimings
    from vyre_dialect.runtime.program.passes import Passes

SCHEDULING = ("profile", "schedule", "options", "hints", "previous", "report")
"""The arguments of a schedule, of which a command may take some."""


def add_pass_arguments(parser: argparse.ArgumentParser) -> None:
    """All that a user may say about the passes that a program is compiled by."""
    parser.add_argument(
        "-p",
        "--pipeline",
        metavar="PIPELINE",
        help="the passes to run, as xdsl-opt takes them, in place of a schedule",
    )
    add_schedule_arguments(parser.add_argument_group("schedule"))
    _add_edit_arguments(
        parser.add_argument_group(
            "passes", "STAGE is a pass, or a phase of a schedule: expand, arms, outline, kernels"
        )
    )
    _add_observer_arguments(parser.add_argument_group("looking on"))


def add_schedule_arguments(group: _ArgumentGroup) -> None:
    """What a user may say about the schedule that a program is compiled by."""
    add_materializing_arguments(group)
    group.add_argument(
        "--hints", metavar="FILE", help="hot-path telemetry, by which passes are selected"
    )
    group.add_argument(
        "--previous", metavar="FILE", help="the report of an earlier run, to select passes by"
    )
    group.add_argument("--report", metavar="FILE", help="where to write what each pass did")


def add_materializing_arguments(group: _ArgumentGroup) -> None:
    """What a user may say about the passes of a schedule and their options."""
    group.add_argument(
        "--profile",
        choices=("release", "dataflow", "megakernel"),
        help="what to compile for (release); dataflow keeps each arm a kernel of its own",
    )
    group.add_argument(
        "--schedule", metavar="FILE", help="the vyre.schedule to compile by, in place of all passes"
    )
    group.add_argument(
        "--options",
        metavar="PASSES",
        help="options of passes, in place of the schedule's, written like a pipeline: "
        "vyre-coarsen{items=4}",
    )


def _add_edit_arguments(group: _ArgumentGroup) -> None:
    group.add_argument("--no-fuse", action="store_true", help="leave out the passes that fuse arms")
    group.add_argument(
        "--skip", action="append", default=[], metavar="PASS", help="leave a pass out"
    )
    for place in ("before", "after"):
        group.add_argument(
            f"--{place}",
            action="append",
            default=[],
            metavar="STAGE=PASSES",
            help=f"run passes, written like a pipeline, {place} the first run of STAGE",
        )
    for place in ("before", "after"):
        group.add_argument(
            f"--stop-{place}", metavar="STAGE", help=f"end {place} the first run of STAGE"
        )


def _add_observer_arguments(group: _ArgumentGroup) -> None:
    for place in ("before", "after"):
        group.add_argument(
            f"--print-ir-{place}",
            action="append",
            default=[],
            metavar="PASS",
            help=f"print the IR {place} each run of PASS to standard error",
        )
        group.add_argument(
            f"--print-ir-{place}-all",
            action="store_true",
            help=f"print the IR {place} each pass to standard error",
        )
    group.add_argument(
        "--dump",
        type=file_path,
        metavar="DIR",
        help="keep the IR after each pass, and the kernels, in a new or empty folder",
    )
    group.add_argument(
        "-v", "--verbose", action="store_true", help="say on standard error what each pass took"
    )


@dataclass(frozen=True)
class PassArguments:
    """The passes that the arguments of a command ask for."""

    passes: Passes
    timings: PassTimings | None

    def report(self) -> None:
        """Say on standard error what each pass took, where that was asked for."""
        if self.timings is None:
            return
        from vyre_dialect.runtime.cli.terminal import print_table

        total = sum(self.timings.ns.values())
        rows = [
            (name, str(self.timings.runs[name]), f"{ns / 1e6:.1f}", f"{100 * ns / total:.0f}")
            for name, ns in self.timings.ns.most_common()
        ]
        with redirect_stdout(sys.stderr):
            print_table(f"passes: {total / 1e6:.1f} ms", ("pass", "runs", "ms", "%"), rows)


def pass_arguments(arguments: argparse.Namespace) -> PassArguments:
    """
    What `arguments` say about passes. Raises a UsageError for what makes no sense, and a VyreError
    for a folder that cannot be written.
    """
    from vyre_dialect.runtime.program.observers import PassTimings
    from vyre_dialect.runtime.program.passes import Passes

    pipeline: str | None = arguments.pipeline
    optimize = optimization(arguments, pipeline)
    edits = _edits(arguments, pipeline)
    timings = PassTimings() if arguments.verbose else None
    observers = [*_observers(arguments), *([] if timings is None else [timings])]
    return PassArguments(Passes(pipeline, optimize, edits, tuple(observers)), timings)


def optimization(arguments: argparse.Namespace, pipeline: str | None = None) -> OptimizePass | None:
    """
    The schedule that is asked for, None for none; a `pipeline` stands against any of it. Raises a
    UsageError for both, and for options that are not written like a pipeline.
    """
    asked = {name: getattr(arguments, name, None) for name in SCHEDULING}
    given = {name: value for name, value in asked.items() if value is not None}
    if not given:
        return None
    if pipeline is not None:
        option = next(iter(given))
        raise UsageError(f"argument --{option}: not allowed with argument -p/--pipeline")

    from vyre_dialect.passes.schedule.optimize import OptimizePass

    _check_options(given.get("options"))
    return OptimizePass(**given)


def _check_options(text: str | None) -> None:
    from vyre_dialect.passes.schedule.options import MalformedPipelineError, parse_specs

    try:
        parse_specs(text or "")
    except MalformedPipelineError as error:
        message = f"argument --options: malformed options '{text}': {error}"
        raise UsageError(message) from error


def _edits(arguments: argparse.Namespace, pipeline: str | None) -> Edits:
    from vyre_dialect.passes.schedule.instrumentation import Edits

    left_out = set[str](arguments.skip)
    for name in left_out:
        _check_stage("--skip", name, phases=False)
    for option in ("stop_before", "stop_after"):
        if (stage := getattr(arguments, option)) is not None:
            _check_stage(f"--{option.replace('_', '-')}", stage, phases=pipeline is None)
    if arguments.no_fuse:
        left_out |= _fusing()
    return Edits(
        before=_insertions("--before", arguments.before, pipeline),
        after=_insertions("--after", arguments.after, pipeline),
        left_out=frozenset(left_out),
        stop_before=arguments.stop_before,
        stop_after=arguments.stop_after,
    )


def _fusing() -> frozenset[str]:
    from vyre_dialect.ir.scheduling import Family
    from vyre_dialect.passes.schedule.registry import passes_of

    return passes_of(Family.FUSION)


def _insertions(
    option: str, texts: Sequence[str], pipeline: str | None
) -> Mapping[str, tuple[ModulePass, ...]]:
    """The passes that are asked for at each stage, in the order of the arguments."""
    insertions: dict[str, tuple[ModulePass, ...]] = {}
    for text in texts:
        stage, separator, passes = text.partition("=")
        if not (stage and separator and passes):
            raise UsageError(f"argument {option}: expected STAGE=PASSES, got '{text}'")
        _check_stage(option, stage, phases=pipeline is None)
        insertions[stage] = (*insertions.get(stage, ()), *_parsed(passes))
    return insertions


def _parsed(pipeline: str) -> tuple[ModulePass, ...]:
    from vyre_dialect.runtime.program.pipelines import parse_pipeline

    return parse_pipeline(pipeline).passes


def _check_stage(option: str, stage: str, *, phases: bool) -> None:
    """Raise a UsageError for what is neither a pass nor, in a schedule, a phase."""
    from vyre_dialect.passes.schedule.instrumentation import PHASES
    from vyre_dialect.runtime.program.pipelines import check_pass_name

    if stage not in PHASES:
        check_pass_name(stage, option)
    elif not phases:
        raise UsageError(
            f"argument {option}: expected a pass, got the phase '{stage}' of schedules"
        )


def _observers(arguments: argparse.Namespace) -> list[Observer]:
    from vyre_dialect.runtime.program.observers import IRDump, IRPrinter

    before = None if arguments.print_ir_before_all else arguments.print_ir_before
    after = None if arguments.print_ir_after_all else arguments.print_ir_after
    for option, names in (("before", before), ("after", after)):
        for name in names or ():
            _check_stage(f"--print-ir-{option}", name, phases=False)
    observers: list[Observer] = []
    if before != [] or after != []:
        observers.append(IRPrinter(before, after))
    if arguments.dump is not None:
        observers.append(IRDump(arguments.dump))
    return observers
