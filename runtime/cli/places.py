"""What a command writes is no file that it reads, and none that it writes already."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from vyre_dialect.runtime.cli.arguments import PLACE
from vyre_dialect.runtime.cli.inputs import is_made, means_many
from vyre_dialect.runtime.errors import UsageError, VyreError
from vyre_dialect.runtime.paths import STANDARD_STREAM, file_path

if TYPE_CHECKING:
    from vyre_dialect.runtime.program.input_files import InputFile

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
_STANDARD_INPUT = Path("/dev/stdin")
"""Which may be a file, as by `< FILE`."""


@dataclass(frozen=True)
class _File:
    """A file that an argument names."""

    argument: str
    path: Path
    buffer: str | None = None
    """Of an input, and of an output that is given as `NAME=PATH`."""
    own: Path | None = None
    """Of an output, the file that the buffer was read from, and may be written to."""
    is_of_many: bool = False
    """Whether an output is named after one of many files."""

    def may_replace(self, other: _File) -> bool:
        """Whether nothing is lost where both are one file."""
        if (self.argument, other.argument) == _REPLACED:
            return True
        if self.argument == other.argument:  # told apart by the command: two buffers
            return True
        return self.own is not None and (self.buffer, self.own) == (other.buffer, other.path)


def check_places(arguments: argparse.Namespace) -> None:
    """Raise a UsageError where a file is to be written that is read, or that is written already."""
    read = list(_read(arguments))
    _check(read, _written(arguments, read))
    _check_dump(arguments)


def check_places_of_files(
    arguments: argparse.Namespace, many: str, places: Mapping[InputFile, Mapping[str, Path]]
) -> None:
    """
    Raise a UsageError where the outputs of one of the files that the input `many` stands for are to
    be written where something is read, or written already.
    """
    from vyre_dialect.runtime.program.input_files import local_files

    read = list(_read(arguments))
    written = [file for file in _written(arguments, read) if file.argument != "output"]
    for file, outputs in places.items():
        own = next((Path(each.name) for each in local_files(file.name)), None)
        if own is not None:
            read.append(_File("input", own, many))
        for name, path in outputs.items():
            replaced = own if name == many else None
            written.append(_File("output", path, name, replaced, is_of_many=True))
    _check(read, written)


def placed(path: Path, file: InputFile) -> Path:
    """
    Where the output of one of many files goes, which is a file whatever the name of that one.
    Raises a UsageError where that name makes none.
    """
    if PLACE not in path.name:
        return path
    name = path.name.replace(PLACE, file.stem)
    if name in ("", ".", ".."):
        raise UsageError(f"argument --output: '{path}' is no file with the name of '{file.name}'")
    return file_path(os.path.join(path.parent, name))


def _check(read: Iterable[_File], written: Iterable[_File]) -> None:
    """Raise a UsageError for the first file whose writing loses something."""
    from vyre_dialect.whole_files import place_of

    taken = dict[tuple[object, ...], list[_File]]()
    for file in read:
        taken.setdefault(place_of(file.path), []).append(file)
    for file in written:
        if not _is_replaced(file.path):
            continue
        others = taken.setdefault(place_of(file.path), [])
        lost = next((other for other in others if not file.may_replace(other)), None)
        if lost is not None:
            raise UsageError(f"argument {_option(file.argument)}: {_what_is_lost(file, lost)}")
        others.append(file)


def _is_replaced(path: Path) -> bool:
    """Whether a file takes the place of what is there, or is written over as an open one is."""
    from vyre_dialect.whole_files import replaced

    try:
        return replaced(path) is not None or path.is_file()
    except OSError as error:
        raise VyreError(f"cannot write '{path}': {error.strerror or error}") from error


def _what_is_lost(file: _File, lost: _File) -> str:
    if lost.argument == "input" and file.buffer is not None and not file.is_of_many:
        return (
            f"{file.buffer}={file.path} would replace the input of '{lost.buffer}': only the "
            "buffer that is read from a file may be written to it"
        )
    what = _READ.get(lost.argument) or f"what {_option(lost.argument)} writes"
    return f"'{file.path}' is {what}, too"


def _check_dump(arguments: argparse.Namespace) -> None:
    """Raise a UsageError where a file is to be written into the folder of a dump."""
    if (folder := getattr(arguments, "dump", None)) is None:
        return
    from vyre_dialect.whole_files import real_path

    dump = real_path(folder)
    for file in _written(arguments, ()):
        if real_path(file.path.parent) == dump:
            raise UsageError(
                f"argument {_option(file.argument)}: '{file.path}' is in the folder of --dump"
            )


def _read(arguments: argparse.Namespace) -> Iterator[_File]:
    """The files that are read, with each that a pattern stands for."""
    for name in _READ:
        given: object = getattr(arguments, name, None)
        if given is not None and not isinstance(given, list):
            yield _File(name, _STANDARD_INPUT if _is_stream(given) else Path(str(given)))
    for buffer, text in _named(arguments, "input"):
        if text == STANDARD_STREAM:
            yield _File("input", _STANDARD_INPUT, buffer)
        elif not is_made(text):
            # Here, since commands that read no input start without NumPy.
            from vyre_dialect.runtime.program.input_files import local_files

            yield from (_File("input", Path(each.name), buffer) for each in local_files(text))


def _written(arguments: argparse.Namespace, read: Iterable[_File]) -> Iterator[_File]:
    """The files that are written, but for those that are named after each of many."""
    for name in _WRITTEN:
        given: object = getattr(arguments, name, None)
        if isinstance(given, list):
            yield from _buffers(arguments, read)
        elif given is not None and not _is_stream(given):
            yield _File(name, Path(str(given)))


def _buffers(arguments: argparse.Namespace, read: Iterable[_File]) -> Iterator[_File]:
    """The files of `--output NAME=PATH`, but for those that are named after each of many."""
    is_merged = bool(getattr(arguments, "merge", False))
    has_many = not is_merged and any(means_many(text) for _, text in _named(arguments, "input"))
    own = dict[str, set[Path]]()
    for file in read:
        if file.buffer is not None:
            own.setdefault(file.buffer, set()).add(file.path)
    for buffer, text in _named(arguments, "output"):
        path, from_files = file_path(text), own.get(buffer, set())
        if text == STANDARD_STREAM or (has_many and PLACE in path.name):
            continue
        is_own = len(from_files) == 1 and not is_merged
        yield _File("output", path, buffer, next(iter(from_files)) if is_own else None)


def _named(arguments: argparse.Namespace, argument: str) -> Iterator[tuple[str, str]]:
    """What is given for buffers by an argument of the form `NAME=PATH`."""
    given: object = getattr(arguments, argument, None)
    for each in cast(list[str], given) if isinstance(given, list) else ():
        name, _, text = each.partition("=")
        if text:
            yield name, text


def _is_stream(given: object) -> bool:
    """Whether an argument is a standard stream; those that are texts take none."""
    return isinstance(given, Path) and str(given) == STANDARD_STREAM


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
