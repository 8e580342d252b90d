"""What a command writes is no file that it reads, and none that it writes already."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import cast

from vyre_dialect.runtime.errors import UsageError

_READ: Mapping[str, str] = {
    "file": "the program",
    "schedule": "the schedule",
    "hints": "the telemetry",
    "previous": "the earlier report",
    "input": "an input",
}
"""The arguments whose files are read, and what these are."""
_WRITTEN = ("report", "output", "memory_plot", "plot")
_REPLACED = {("report", "previous"), ("output", "input")}
"""What has been read by the time that it is written, whole, as a report or a buffer again."""


def check_places(arguments: argparse.Namespace) -> None:
    """Raise a UsageError where a file is to be written that is read, or that is written already."""
    from vyre_dialect.whole_files import place_of, replaced

    taken = defaultdict[tuple[object, ...], list[str]](list)
    for name, path in _paths(arguments, _READ):
        taken[place_of(path)].append(name)
    for name, path in _paths(arguments, _WRITTEN):
        place = place_of(path)
        # Two of one argument are told apart by the command.
        others = [each for each in taken[place] if each != name and (name, each) not in _REPLACED]
        if others and replaced(path) is not None:
            what = _READ.get(others[0]) or f"what {_option(others[0])} writes"
            raise UsageError(f"argument {_option(name)}: '{path}' is {what}, too")
        taken[place].append(name)
    _check_dump(arguments)


def _check_dump(arguments: argparse.Namespace) -> None:
    """Raise a UsageError where a file is to be written into the folder of a dump."""
    if (folder := getattr(arguments, "dump", None)) is None:
        return
    dump = Path(folder).resolve()
    for name, path in _paths(arguments, _WRITTEN):
        if path.parent.resolve() == dump:
            raise UsageError(f"argument {_option(name)}: '{path}' is in the folder of --dump")


def _paths(arguments: argparse.Namespace, names: Collection[str]) -> Iterator[tuple[str, Path]]:
    """The files that are given for the arguments of these names, `PATH` or several `NAME=PATH`."""
    for name in names:
        given: object = getattr(arguments, name, None)
        if isinstance(given, list):
            texts = [each.partition("=")[2] for each in cast(list[str], given)]
        else:
            texts = [str(given or "")]
        yield from ((name, Path(text)) for text in texts if text not in ("", "-"))


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
