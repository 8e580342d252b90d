"""What a command writes is no file that it reads, and none that it writes already."""

from __future__ import annotations

import argparse
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

from vyre_dialect.runtime.cli.inputs import is_made
from vyre_dialect.runtime.errors import UsageError, VyreError

_READ: Mapping[str, str] = {
    "file": "the program",
    "schedule": "the schedule",
    "hints": "the telemetry",
    "previous": "the earlier report",
    "input": "an input",
}
"""The arguments whose files are read, and what these are."""
_WRITTEN = ("report", "output", "trace", "memory_plot", "plot")
_REPLACED = ("report", "previous")
"""What has been read by the time that it is written, whole, as a report again."""


def check_places(arguments: argparse.Namespace) -> None:
    """Raise a UsageError where a file is to be written that is read, or that is written already."""
    taken = list(_paths(arguments, _READ))
    of_buffers = isinstance(getattr(arguments, "output", None), list)
    for name, path in _paths(arguments, _WRITTEN):
        # Two of one argument are told apart by the command, buffers and inputs below.
        apart = {name, "input"} if name == "output" and of_buffers else {name}
        others = [each for each in taken if each[0] not in apart and (name, each[0]) != _REPLACED]
        if (other := _replacing(path, others)) is not None:
            what = _READ.get(other) or f"what {_option(other)} writes"
            raise UsageError(f"argument {_option(name)}: '{path}' is {what}, too")
        taken.append((name, path))
    _check_replaced_inputs(arguments)
    _check_dump(arguments)


def _check_replaced_inputs(arguments: argparse.Namespace) -> None:
    """Raise a UsageError where a buffer is to replace the file of another one, or one of many."""
    inputs = list(_input_paths(arguments))
    is_of_many = bool(getattr(arguments, "merge", False))
    for name, path in _named_paths(arguments, "output"):
        others = [(other, place) for other, place in inputs if other != name or is_of_many]
        if (other := _replacing(path, others)) is not None:
            raise UsageError(
                f"argument --output: {name}={path} would replace the input of '{other}': only the "
                "buffer that is read from a file may be written to it"
            )


def _replacing(path: Path, others: Sequence[tuple[str, Path]]) -> str | None:
    """The name of the first of `others` that writing to `path` replaces; None where it is none."""
    from vyre_dialect.whole_files import replacing

    try:
        return replacing(path, others)
    except OSError as error:
        raise VyreError(f"cannot write '{path}': {error.strerror or error}") from error


def _named_texts(arguments: argparse.Namespace, argument: str) -> Iterator[tuple[str, str]]:
    """What is given for buffers by an argument of the form `NAME=PATH`, but for `-`."""
    given: object = getattr(arguments, argument, None)
    for each in cast(list[str], given) if isinstance(given, list) else ():
        name, equals, text = each.partition("=")
        if equals and text not in ("", "-"):
            yield name, text


def _named_paths(arguments: argparse.Namespace, argument: str) -> Iterator[tuple[str, Path]]:
    """The buffers and files of an argument that is given as `NAME=PATH`."""
    return ((name, Path(text)) for name, text in _named_texts(arguments, argument))


def _input_paths(arguments: argparse.Namespace) -> Iterator[tuple[str, Path]]:
    """The buffers and files of `--input`, with each file that a pattern stands for."""
    from vyre_dialect.runtime.program.input_files import files_of, is_remote

    for name, text in _named_texts(arguments, "input"):
        if not is_remote(text) and not is_made(text):
            yield from ((name, Path(file.name)) for file in files_of(text))


def _check_dump(arguments: argparse.Namespace) -> None:
    """Raise a UsageError where a file is to be written into the folder of a dump."""
    if (folder := getattr(arguments, "dump", None)) is None:
        return
    dump = os.path.realpath(folder)
    for name, path in _paths(arguments, _WRITTEN):
        if os.path.realpath(path.parent) == dump:
            raise UsageError(f"argument {_option(name)}: '{path}' is in the folder of --dump")


def _paths(arguments: argparse.Namespace, names: Collection[str]) -> Iterator[tuple[str, Path]]:
    """The files that are given for the arguments of these names, `PATH` or several `NAME=PATH`."""
    for name in names:
        given: object = getattr(arguments, name, None)
        if name == "input":
            yield from ((name, path) for _, path in _input_paths(arguments))
        elif isinstance(given, list):
            yield from ((name, path) for _, path in _named_paths(arguments, name))
        elif given not in (None, "", "-"):
            yield name, Path(str(given))


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
