"""
A small file that several processes read and change, and that is whole at any instant.

Whoever changes it holds a lock, which the system takes back from a process that dies, and puts a
new file in place of the old one. What cannot be understood is kept beside it.
"""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from blake3 import blake3

from vyre_dialect.runtime.opencl.loader import cache_folder

LOCK_SECONDS = 10.0
"""How long a process waits for others; each holds the lock for milliseconds."""


def kept_folder(name: str) -> Path | None:
    """The folder called `name` where this user keeps such files; None where nothing is kept."""
    if os.environ.get("VYRE_NO_CACHE"):
        return None
    try:
        return cache_folder() / name
    except OSError:
        return None


@dataclass(frozen=True)
class KeptFile:
    """The file `path`, which need not exist yet, nor its folder."""

    path: Path

    def read(self) -> bytes | None:
        """What it holds; None where there is none. Raises OSError where it cannot be read."""
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            return None

    def change(self, update: Callable[[bytes | None], bytes | None]) -> bool:
        """
        Put `update` of what it holds in its place; None stands for no file, before and after.

        Where it cannot be written, that is a warning and the result False: what is kept here can
        be found out again.
        """
        from filelock import FileLock

        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{self.path}.lock", timeout=LOCK_SECONDS):
                self._replace(update(self.read()))
        except (OSError, NotImplementedError) as error:  # a Timeout of the lock is an OSError
            warnings.warn(f"cannot keep '{self.path}': {error}", stacklevel=2)
            return False
        return True

    def set_aside(self, data: bytes) -> Path:
        """Keep `data`, which made no sense, beside the file, once however often it is found."""
        digest = blake3(data).hexdigest()[:12]
        aside = self.path.with_name(f"{self.path.stem}.rejected-{digest}{self.path.suffix}")
        if not aside.exists():
            _write(aside, data)
        return aside

    def _replace(self, data: bytes | None) -> None:
        """The lock is held, so nobody else uses the temporary name; one left behind is reused."""
        if data is None:
            with contextlib.suppress(FileNotFoundError):
                self.path.unlink()
            return
        _write(self.path, data)


def _write(path: Path, data: bytes) -> None:
    temporary = path.with_name(f"{path.name}.new")
    temporary.write_bytes(data)
    os.replace(temporary, path)
