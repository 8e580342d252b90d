"""
Many files as the inputs of one program: those that match a pattern, as `logs/*.b64`, and what a URL
stands for, as `s3://bucket/*.b64` or `memory://name`, by fsspec.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from vyre_dialect.runtime.errors import UsageError, VyreError, first_line
from vyre_dialect.runtime.interpreter.arrays import Array, open_input
from vyre_dialect.runtime.paths import file_path

_URL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.\-]*(::[^:]+)*://")
_LOCAL_URL = re.compile("(file|local)://")
"""Of what lies on this machine."""


@dataclass(frozen=True)
class InputFile:
    """A file, or what stands at a URL."""

    name: str

    @property
    def is_remote(self) -> bool:
        """Whether fsspec reads it."""
        return is_remote(self.name)

    @property
    def stem(self) -> str:
        """The last part of its name, without the last suffix."""
        return Path(self.name.rpartition("://")[2]).stem

    def read(self) -> Array:
        """Its contents. Raises a VyreError where it cannot be read."""
        if not self.is_remote:
            return open_input(file_path(self.name))
        with _told(self.name):
            return np.frombuffer(_fsspec().open(self.name, "rb").open().read(), np.uint8)

    def size(self) -> int:
        """How many bytes it has. Raises a VyreError where it cannot be read."""
        with _told(self.name):
            if not self.is_remote:
                return Path(self.name).stat().st_size
            system, path = _fsspec().core.url_to_fs(self.name)
            return system.size(path)

    def read_range(self, begin: int, size: int) -> Array:
        """So many bytes from `begin` on. Raises a VyreError where they cannot be read."""
        with _told(self.name), self._opened() as file:
            file.seek(begin)
            data = np.frombuffer(file.read(size), np.uint8)
        if data.size < size:
            raise VyreError(
                f"cannot read '{self.name}': expected {size} bytes from byte {begin} on, got "
                f"{data.size}: is it the same file on every machine?"
            )
        return data

    def _opened(self) -> Any:
        if not self.is_remote:
            return Path(self.name).open("rb")
        return _fsspec().open(self.name, "rb")


def is_remote(text: str) -> bool:
    """Whether `text` is a URL."""
    return _URL.match(text) is not None


def is_many(text: str) -> bool:
    """Whether `text` is no file but a pattern or a URL."""
    return is_remote(text) or (glob.has_magic(text) and not _is_one(text))


def _is_one(text: str) -> bool:
    """Whether there is a file of such a name, and none of another that it is a pattern for."""
    return Path(text).is_file() and all(name == text for name in glob.iglob(text, recursive=True))


def files_of(text: str) -> list[InputFile]:
    """
    The file `text`, or those that it stands for, in the order of names.

    Raises a VyreError where a pattern stands for none.
    """
    if not is_many(text):
        return [InputFile(text)]
    names = _remote(text) if is_remote(text) else _matching(text)
    files = [InputFile(name) for name in names if is_remote(name) or Path(name).is_file()]
    if not files:
        raise VyreError(f"cannot read '{text}': no file has such a name")
    return files


def local_files(text: str) -> list[InputFile]:
    """
    The files of this machine that `text` stands for, none of most URLs.

    Raises a VyreError where a pattern stands for none.
    """
    if not is_remote(text):
        return files_of(text)
    place = _LOCAL_URL.sub("", text.rpartition("::")[2], count=1)  # as fsspec follows a chain
    if is_remote(place):
        return []
    return [InputFile(name) for name in _matching(os.path.abspath(os.path.expanduser(place)))]


def _matching(pattern: str) -> list[str]:
    """The names that a pattern stands for, in order; none of them is that of standard input."""
    names = sorted(glob.glob(pattern, recursive=True))
    return [name if name != "-" else "./-" for name in names]


def _remote(text: str) -> list[str]:
    if not glob.has_magic(text):
        return [text]
    with _told(text):
        system, path = _fsspec().core.url_to_fs(text)
        return [system.unstrip_protocol(each) for each in sorted(system.glob(path))]


@contextmanager
def local_paths(files: list[InputFile]) -> Generator[list[Path]]:
    """Files in which each can be read by its path, for as long as this lasts."""
    with TemporaryDirectory(prefix="vyre-") as folder:
        yield [_local(file, Path(folder) / str(n)) for n, file in enumerate(files)]


def _local(file: InputFile, place: Path) -> Path:
    if not file.is_remote:
        return file_path(file.name)
    place.write_bytes(file.read().data)
    return place


def _fsspec() -> Any:
    try:
        return import_module("fsspec")
    except ModuleNotFoundError as error:
        raise UsageError(
            "URLs need fsspec, which is not installed: pip install 'vyre[files]'"
        ) from error


@contextmanager
def _told(name: str) -> Generator[None]:
    """Raise whatever a file system of any package raises as a VyreError."""
    try:
        yield
    except VyreError:
        raise
    except Exception as error:
        raise VyreError(f"cannot read '{name}': {first_line(error)}") from error
