"""`vyre run` on many files: the program is compiled once, and each file has its own results."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from vyre_dialect.runtime.cli.arguments import PLACE
from vyre_dialect.runtime.cli.inputs import means_many, read_inputs
from vyre_dialect.runtime.cli.places import check_places_of_files, placed
from vyre_dialect.runtime.cli.scheduler import run_files_on_scheduler
from vyre_dialect.runtime.errors import UsageError, VyreError, on_one_line

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from vyre_dialect.runtime.interpreter.arrays import Array
    from vyre_dialect.runtime.opencl.results import RunResult
    from vyre_dialect.runtime.program.input_files import InputFile
    from vyre_dialect.runtime.program.passes import Passes


class Show(Protocol):
    """Prints the results of a file."""

    def __call__(self, name: str, run: RunResult, *, is_json: bool) -> None: ...


_OF_ONE_RUN = ("check", "tune", "resize", "memory_plot")
"""Arguments that are about one run."""


def many_input(inputs: Mapping[str, str]) -> str | None:
    """
    The name of the input that stands for many files, if one does.

    Raises a UsageError where several do.
    """
    many = [name for name, given in inputs.items() if means_many(given)]
    if len(many) > 1:
        names = " and ".join(f"'{name}'" for name in many)
        raise UsageError(f"argument --input: expected one pattern or URL, got those of {names}")
    return many[0] if many else None


def run_files(
    arguments: argparse.Namespace,
    passes: Passes,
    inputs: Mapping[str, str],
    outputs: Mapping[str, Path],
    many: str,
    show: Show,
) -> int:
    """
    Run the program once for each file that the input `many` stands for, and `show` its results;
    gives the exit status, which is that of an error if one file has one.
    """
    from vyre_dialect.runtime.driver.execute import load_program
    from vyre_dialect.runtime.program.input_files import files_of
    from vyre_dialect.runtime.program.loading import make_context
    from vyre_dialect.runtime.program.output_files import write_arrays

    _check_arguments(arguments)
    files = files_of(inputs[many])
    places = _places(files, outputs)
    check_places_of_files(arguments, many, places)
    context = make_context()
    module = load_program(arguments.file, context, arguments.program, outputs)
    others = read_inputs({name: given for name, given in inputs.items() if name != many})
    runs = _run_each if arguments.scheduler is None else run_files_on_scheduler
    status = 0
    for file, run in zip(files, runs(arguments, module, files, many, others, passes), strict=True):
        try:
            if isinstance(run, VyreError):
                raise run
            write_arrays({path: run.outputs[name] for name, path in places[file].items()})
            show(file.name, run, is_json=arguments.json)
        except UsageError:
            raise
        except VyreError as error:
            if error.exit_status != 1:
                raise
            status = error.exit_status
            print(on_one_line(f"vyre: error: {file.name}: {error}"), file=sys.stderr)
    return status


def _run_each(
    arguments: argparse.Namespace,
    module: ModuleOp,
    files: Sequence[InputFile],
    many: str,
    others: Mapping[str, Array],
    passes: Passes,
) -> Iterator[RunResult | VyreError]:
    """The run on each file, or why there is none."""
    from vyre_dialect.runtime.driver.program_cache import ProgramCache
    from vyre_dialect.runtime.driver.repeated_runs import RepeatedRuns

    runs = RepeatedRuns(
        arguments.device, passes, timeout=arguments.timeout, programs=ProgramCache.default()
    )
    for file in files:
        try:
            yield runs.run(module, {**others, many: file.read()})
        except VyreError as error:
            yield error


def _check_arguments(arguments: argparse.Namespace) -> None:
    for name in _OF_ONE_RUN:
        if getattr(arguments, name, None):
            option = name.replace("_", "-")
            raise UsageError(f"argument --{option}: not allowed with an input of many files")
    if arguments.repeat > 1:
        raise UsageError("argument --repeat: not allowed with an input of many files")


def _places(
    files: Sequence[InputFile], outputs: Mapping[str, Path]
) -> dict[InputFile, dict[str, Path]]:
    """Where the outputs of each file go. Raises a UsageError where two would go to one place."""
    from vyre_dialect.runtime.program.output_files import check_destinations

    for name, path in outputs.items():
        if PLACE not in path.name and len(files) > 1:
            raise UsageError(
                f"argument --output: {name}={path}: expected '{PLACE}' in its name, for the name "
                f"of each of {len(files)} files"
            )
    places = {file: {name: placed(path, file) for name, path in outputs.items()} for file in files}
    check_destinations(path for each in places.values() for path in each.values())
    return places
