"""
A small file that several processes read and change, and that is whole at any instant.

Whoever changes it holds a lock, which the system takes back from a process that dies, and puts a
new file in place of the old one. What cannot be understood is kept beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from blake3 import blake3

from vyre_dialect.runtime.cache_folder import CacheFolder, tell_once

LOCK_SECONDS = 10.0
"""How long a process waits for others; each holds the lock for milliseconds."""

_MOST_BYTES = 16 << 20
"""What tables and decisions take at most; a file that holds more is replaced, never read."""


def kept_folder(name: str) -> Path | None:
    """The folder called `name` where this user keeps such files; None where nothing is kept."""
    folder = CacheFolder.of_user(name)
    return None if folder is None else folder.path


@dataclass(frozen=True)
class KeptFile:
    """The file `path`, which need not exist yet, nor its folder."""

    path: Path

    def read(self) -> bytes | None:
        """What it holds; None, with a warning where it cannot be read, where there is none."""
        try:
            return self._folder.read(self.path.name)
        except OSError as error:
            tell_once(self.path, error)
            return None

    def change(self, update: Callable[[bytes | None], bytes | None]) -> bool:
        """
        Put `update` of what it holds in its place; None stands for no file, before and after.

        Where it cannot be written, that is a warning and the result False: what is kept here can
        be found out again.
        """
        from filelock import FileLock

        try:
            lock = FileLock(f"{self.path}.lock", timeout=LOCK_SECONDS, mode=0o600)
            with self._folder.opened(), lock:
                self._replace(update(self._folder.read(self.path.name)))
        except NotImplementedError as error:  # a file system without locks
            tell_once(self.path, OSError(str(error)))
            return False
        except OSError as error:  # a Timeout of the lock, too
            tell_once(self.path, error)
            return False
        return True

    def set_aside(self, data: bytes) -> Path:
        """Keep `data`, which made no sense, beside the file, once however often it is found."""
        digest = blake3(data).hexdigest()[:12]
        aside = self.path.with_name(f"{self.path.stem}.rejected-{digest}{self.path.suffix}")
        if not aside.exists():
            self._folder.write(aside.name, data)
        return aside

    @property
    def _folder(self) -> CacheFolder:
        return CacheFolder(self.path.parent, _MOST_BYTES)

    def _replace(self, data: bytes | None) -> None:
        """The lock is held, so nobody else uses the temporary name; one left behind is reused."""
        if data is None:
            self._folder.remove(self.path.name)
        else:
            self._folder.write(self.path.name, data, temporary=f"{self.path.name}.new")
