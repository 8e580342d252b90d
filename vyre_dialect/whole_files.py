"""
Files that are read as text, and files that are written all or not at all: beside the old one first,
and then put in its place.

A link is followed to its file. What is no file, as a pipe or a device, is opened and written to.
"""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from stat import S_ISREG
from typing import IO, TypeAlias

Writer: TypeAlias = Callable[[IO[bytes]], object]
"""Writes the contents of one destination."""

_MASK = os.umask(0)
"""What new files are not permitted; asked for once, as asking sets it for all threads."""
os.umask(_MASK)
_MOST_LINKS = 40


class UnreadableError(Exception):
    """Why there is no text, in a few words."""


def read_text(source: Path | IO[bytes]) -> str:
    """The text of a file, or of the rest of a stream. Raises UnreadableError."""
    try:
        if isinstance(source, Path):
            return source.read_text(encoding="utf-8")
        return source.read().decode()
    except OSError as error:
        raise UnreadableError(error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise UnreadableError(f"it is no text ({error.reason})") from error


def write_whole(path: Path, write: Writer) -> None:
    """Let `write` write what `path` names. Raises OSError, and then a file has not changed."""
    target = replaced(path)
    if target is None:
        with path.open("wb") as file:
            write(file)
        return
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    temporary = stage(target, write)
    try:
        os.replace(temporary, target)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def replaced(path: Path) -> Path | None:
    """The file, there or not, that writing to `path` replaces; None where it is opened."""
    target = _followed(path)
    try:
        return target if S_ISREG(target.lstat().st_mode) else None
    except FileNotFoundError:
        return target


def replacing(path: Path, others: Iterable[tuple[str, Path]]) -> str | None:
    """The name of the first of `others` that writing to `path` replaces; None where it is none."""
    if replaced(path) is None:
        return None
    place = place_of(path)
    return next((name for name, other in others if place_of(other) == place), None)


def place_of(path: Path) -> tuple[object, ...]:
    """What two paths have in common that lead to one place."""
    try:
        status = path.stat()
    except OSError:
        return (real_path(path),)
    return (status.st_dev, status.st_ino)


def real_path(path: Path) -> str:
    """Where the links of `path` lead; `path` where the current folder was removed."""
    try:
        return os.path.realpath(path)
    except OSError:
        return str(path)


def stage(path: Path, write: Writer) -> Path:
    """Write to a new file beside `path`, where it can be renamed from."""
    with staging(path) as (place, file):
        write(file)
    return place


@contextmanager
def staging(path: Path) -> Generator[tuple[Path, IO[bytes]]]:
    """A new file beside `path`, where it can be renamed from; on an error it goes."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name[:100]}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield Path(name), file
            # By the descriptor: others who may write to the folder may make the name a link.
            os.fchmod(file.fileno(), _mode(path))
            _keep_owner(file.fileno(), path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _followed(path: Path) -> Path:
    """
    Where the links of `path` lead. Those of /proc, which name open files, are left as they are:
    what they lead to may have no name.
    """
    for _ in range(_MOST_LINKS):
        if not path.is_symlink() or os.path.realpath(path.parent).startswith("/proc/"):
            return path
        path = path.parent / os.readlink(path)
    path.stat()  # raises: too many links
    return path


def _mode(path: Path) -> int:
    """The permissions of the file that is replaced, or those that a new one gets."""
    try:
        return path.stat().st_mode & 0o777
    except OSError:
        return 0o666 & ~_MASK


def _keep_owner(descriptor: int, path: Path) -> None:
    """Give a file the owner of the one that it replaces, as far as this user may."""
    with contextlib.suppress(OSError):
        status = path.stat()
        os.fchown(descriptor, status.st_uid, status.st_gid)
