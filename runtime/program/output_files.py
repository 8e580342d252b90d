"""
Writes results where the user wants them, and loses nothing that was there.

Files are written all or not at all: each is replaced in one step, after the contents of all have
been written. A link is followed to its file. What is no file, as a pipe or a device, is opened and
written to, and `-` is standard output.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np

from vyre_dialect.runtime.errors import UsageError, VyreError
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.paths import STANDARD_STREAM
from vyre_dialect.whole_files import Writer, place_of, replaced, stage, staging


def check_writable(path: Path) -> None:
    """Raise a VyreError, before any work is done, where `path` could not be written."""
    if is_standard_output(path):
        return
    with _reported(path):
        target = _replaced(path)
    if path.is_dir():
        raise VyreError(f"cannot write '{path}': it is a folder")
    if path.exists() and not os.access(path, os.W_OK):
        raise VyreError(f"cannot write '{path}': it may not be written to")
    if target is not None:
        _check_folder(path, target.parent)


def _check_folder(path: Path, folder: Path) -> None:
    if not folder.is_dir():
        raise VyreError(f"cannot write '{path}': there is no folder '{folder}'")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise VyreError(f"cannot write '{path}': the folder '{folder}' may not be written to")


def check_destinations(paths: Iterable[Path]) -> None:
    """
    Raise a VyreError, before any work is done, where one of the paths could not be written, and a
    UsageError where two of them are one place.
    """
    places = set[tuple[object, ...]]()
    for path in paths:
        check_writable(path)
        if (place := _place(path)) in places:
            raise UsageError("argument --output: two buffers are to be written to one file")
        places.add(place)


def is_standard_output(path: Path) -> bool:
    """Whether writing to `path` is writing to standard output, under whatever name."""
    if str(path) == STANDARD_STREAM:
        return True
    try:
        return os.path.samestat(path.stat(), os.fstat(sys.stdout.fileno()))
    except (OSError, ValueError):  # nothing there, or a standard output that is no file
        return False


def write_arrays(outputs: Mapping[Path, Array]) -> None:
    """Write each array to its file: with a header to a `.npy` file, else its bytes."""
    write_files({path: _writer(path, array) for path, array in outputs.items()})


def _writer(path: Path, array: Array) -> Writer:
    if path.suffix == ".npy":
        return lambda file: np.save(file, array, allow_pickle=False)
    # Not `tofile`, which wants to seek.
    return lambda file: file.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)


def write_text(path: Path, text: str) -> None:
    """Write `text` to a file, as `write_files` does."""
    write_files({path: lambda file: file.write(text.encode())})


def write_files(writers: Mapping[Path, Writer]) -> None:
    """
    Let each function write what its path names; on an error no file has changed.

    Raises a VyreError, and a BrokenPipeError where the reader of a pipe goes away.
    """
    targets = {path: _replaced(path) for path in writers}
    replacing = {path: target for path, target in targets.items() if target is not None}
    temporaries = dict[Path, Path]()
    try:
        for path, target in replacing.items():
            temporaries[path] = _staged(path, target, writers[path])
        for path in [path for path in writers if path not in replacing]:
            _stream(path, writers[path])
        for path, temporary in temporaries.items():
            _replace(path, temporary, replacing[path])
    finally:
        for temporary in temporaries.values():
            temporary.unlink(missing_ok=True)


@contextmanager
def written_in_parts(path: Path) -> Generator[IO[bytes]]:
    """
    What `path` names, to be written part by part; a file is replaced when all has been written, and
    is left as it was on an error. Raises what `write_files` does.
    """
    target = _replaced(path)
    if target is None:
        with _opened(path) as file:
            yield file
        return
    with _reported(path), staging(target) as (temporary, file):
        yield file
    try:
        _replace(path, temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def _opened(path: Path) -> Generator[IO[bytes]]:
    with _reported(path):
        if is_standard_output(path):
            sys.stdout.flush()
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
            return
        with path.open("wb") as file:
            yield file


def _replaced(path: Path) -> Path | None:
    """The file, there or not, that writing to `path` replaces; None where it is opened."""
    with _reported(path):
        return None if is_standard_output(path) else replaced(path)


def _staged(path: Path, target: Path, write: Writer) -> Path:
    """A file beside `target` with what is to be there."""
    with _reported(path):
        return stage(target, write)


def _replace(path: Path, temporary: Path, target: Path) -> None:
    with _reported(path):
        os.replace(temporary, target)


def _place(path: Path) -> tuple[object, ...]:
    """What two paths have in common that lead to one place."""
    return (STANDARD_STREAM,) if is_standard_output(path) else place_of(path)


def _stream(path: Path, write: Writer) -> None:
    with _opened(path) as file:
        write(file)


@contextmanager
def _reported(path: Path) -> Generator[None]:
    try:
        yield
    except BrokenPipeError:  # whoever reads it has seen enough
        raise
    except OSError as error:
        raise VyreError(f"cannot write '{path}': {error.strerror or error}") from error
