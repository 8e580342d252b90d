"""
Folders below one that somebody has named, opened one part of their path after the other: a link
that is put in the place of one, at any time, is not followed.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType

_MOST_HELD = 64
_OUTER_HELD = 16
"""Of more folders in each other, so many of the outer ones stay open, and the inner ones."""
_MOST_BYTES = 4096
"""A longer path is no use to anybody: no call takes it."""
_FOLDER = os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY
_PLACE = getattr(os, "O_PATH", os.O_RDONLY) | os.O_CLOEXEC | os.O_DIRECTORY
"""Of folders that need not be listed, and so need not be readable."""
_FILE = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY


def open_regular(path: str, folder: int | None = None, *, follows: bool = False) -> int:
    """
    A descriptor of a regular file, of a path from a folder; whether it `follows` a link is said.

    Raises an OSError for anything else: no pipe and no device is waited for or opened, but for one
    that is put there meanwhile, which is closed again.
    """
    status = os.stat(path, dir_fd=folder, follow_symlinks=follows)
    if not stat.S_ISREG(status.st_mode):
        raise _no_regular_file()
    descriptor = os.open(path, _FILE | (0 if follows else os.O_NOFOLLOW), dir_fd=folder)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _no_regular_file()
    return descriptor


def _no_regular_file() -> OSError:
    return OSError(errno.EINVAL, "it is no regular file")


@contextmanager
def place(path: str, folder: int | None = None) -> Generator[int]:
    """A folder to look into by names; no link, where it is in another one. Raises an OSError."""
    descriptor = os.open(path, _PLACE | (0 if folder is None else os.O_NOFOLLOW), dir_fd=folder)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@dataclass
class Folders:
    """Opens folders; those around the last one stay open, so that one beside it takes one step."""

    _root: str | None = None
    _last: tuple[str, str] | None = None
    """What the innermost one of those that are open was asked for by."""
    _held: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    """Paths that end in a slash, each below the one before, with their descriptors."""

    def __enter__(self) -> Folders:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all of them; they may be asked for again."""
        self._last = None
        self._drop_to(0)

    def open(self, root: str, path: str) -> int:
        """
        The descriptor of a folder, until the next one is asked for: `root`, which somebody has
        named, or one below it, whose path begins with `root`. Raises an OSError.
        """
        if (root, path) != self._last:
            self._last = None
            self._go_to(root, path)
            self._last = root, path
        return self._held[-1][1]

    def _go_to(self, root: str, path: str) -> None:
        if len(os.fsencode(path)) > _MOST_BYTES:
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
        if root != self._root:
            self.close()
            self._root = root
        wanted = os.path.join(path, "")
        while self._held and not wanted.startswith(self._held[-1][0]):
            self._drop_to(len(self._held) - 1)
        if not self._held:
            self._held.append((os.path.join(root, ""), os.open(root, _FOLDER)))
        for part in wanted[len(self._held[-1][0]) :].split("/")[:-1]:
            self._step(part)

    def _step(self, part: str) -> None:
        around, parent = self._held[-1]
        descriptor = os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=parent)
        if len(self._held) == _MOST_HELD:
            os.close(self._held.pop(_OUTER_HELD)[1])
        self._held.append((f"{around}{part}/", descriptor))

    def _drop_to(self, count: int) -> None:
        while len(self._held) > count:
            os.close(self._held.pop()[1])
