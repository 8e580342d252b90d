"""Writes results to files, all of them or none."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np

from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.program.arrays import Array


def check_writable(path: Path) -> None:
    """Raise a VyreError, before any work is done, where `path` could not be written."""
    if path.is_dir():
        raise VyreError(f"cannot write '{path}': it is a folder")
    folder = path.parent
    if not folder.is_dir():
        raise VyreError(f"cannot write '{path}': there is no folder '{folder}'")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise VyreError(f"cannot write '{path}': the folder '{folder}' may not be written to")


def write_arrays(outputs: Mapping[Path, Array]) -> None:
    """Write each array to its file: with a header to a `.npy` file, else its bytes.

    Existing files are replaced in one step each, after all of the contents have been written.
    """
    writers = {path: _writer(path, array) for path, array in outputs.items()}
    write_files(writers)


def _writer(path: Path, array: Array) -> Callable[[IO[bytes]], object]:
    if path.suffix == ".npy":
        return lambda file: np.save(file, array, allow_pickle=False)
    return lambda file: array.tofile(file)


def write_files(writers: Mapping[Path, Callable[[IO[bytes]], object]]) -> None:
    """Let each function write the file that its path names; on an error no file has changed."""
    staged = dict[Path, Path]()
    try:
        for path, write in writers.items():
            with _reported(path):
                staged[path] = _stage(path, write)
        for path, temporary in staged.items():
            with _reported(path):
                os.replace(temporary, path)
    finally:
        for temporary in staged.values():
            temporary.unlink(missing_ok=True)


def _stage(path: Path, write: Callable[[IO[bytes]], object]) -> Path:
    """Write to a new file beside `path`, where it can be renamed from."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            write(file)
        os.chmod(name, _mode(path))
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
    return Path(name)


def _mode(path: Path) -> int:
    """The permissions of the file that is replaced, or those that a new one gets."""
    try:
        return path.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


@contextmanager
def _reported(path: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise VyreError(f"cannot write '{path}': {error.strerror or error}") from error
