"""Arguments that several commands take."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from vyre_dialect.runtime.errors import UsageError

if TYPE_CHECKING:
    # argparse has no public name for it.
    from argparse import _SubParsersAction  # pyright: ignore[reportPrivateUsage]

    from vyre_dialect.passes.schedule.optimize import OptimizePass

Subparsers: TypeAlias = "_SubParsersAction[argparse.ArgumentParser]"
"""What commands add their parsers to."""


def add_pipeline_argument(parser: argparse.ArgumentParser) -> None:
    """`-p PIPELINE`, as `xdsl-opt` takes it."""
    parser.add_argument(
        "-p",
        "--pipeline",
        metavar="PIPELINE",
        help="the passes to run, as xdsl-opt takes them, in place of a schedule",
    )


def add_schedule_arguments(parser: argparse.ArgumentParser) -> None:
    """What the schedule is that a program is compiled by, and by what its passes are selected."""
    parser.add_argument(
        "--profile",
        choices=("release", "dataflow", "megakernel"),
        help="what to compile for (release); dataflow keeps each arm a kernel of its own",
    )
    parser.add_argument(
        "--schedule", metavar="FILE", help="the vyre.schedule to compile by, in place of all passes"
    )
    parser.add_argument(
        "--hints", metavar="FILE", help="hot-path telemetry, by which passes are selected"
    )
    parser.add_argument(
        "--previous", metavar="FILE", help="the report of an earlier run, to select passes by"
    )
    parser.add_argument("--report", metavar="FILE", help="where to write what each pass did")


def optimization(
    arguments: argparse.Namespace, *, pipeline: str | None = None
) -> OptimizePass | None:
    """What these arguments ask for, None for nothing; a `pipeline` stands against any of them."""
    from vyre_dialect.passes.schedule.optimize import OptimizePass

    names = ("profile", "schedule", "hints", "previous", "report")
    given = {name: value for name in names if (value := getattr(arguments, name)) is not None}
    if not given:
        return None
    if pipeline is not None:
        option = next(iter(given))
        raise UsageError(f"argument --{option}: not allowed with argument -p/--pipeline")
    return OptimizePass(**given)


def add_program_arguments(parser: argparse.ArgumentParser) -> None:
    """`FILE`, and `--program NAME` for one that holds several programs."""
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="a module with a vyre.program, or -"
    )
    parser.add_argument(
        "--program", metavar="NAME", help="which program, where the module has several"
    )


def positive_integer(text: str) -> int:
    """An argument that counts something."""
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected a positive integer, got '{text}'")
    return value


def named_values(option: str, texts: Sequence[str]) -> dict[str, str]:
    """The values of an option of the form `NAME=PATH`, each name given once."""
    values = dict[str, str]()
    for text in texts:
        name, separator, value = text.partition("=")
        if not (name and separator and value):
            raise UsageError(f"argument {option}: expected NAME=PATH, got '{text}'")
        if name in values:
            raise UsageError(f"argument {option}: buffer '{name}' is given twice")
        values[name] = value
    return values
