"""
Folders in which vyre keeps, between processes, what it can make again.

What a device runs may come from here, so nothing is taken that another user could have written: the
cache, a folder in it and each file in that belong to this user or to root, and no one else may
write to them. Only folders and regular files count, no links to them. Files are written beside
their place and renamed, so that no process sees half of one. One that holds more than anything that
is kept is damaged, and never read. What goes wrong here never ends a run: it is told once.
"""

from __future__ import annotations

import contextlib
import os
import time
import warnings
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from errno import EFBIG, EPERM
from pathlib import Path
from secrets import token_hex
from stat import S_ISLNK, S_ISREG, S_IWOTH

NO_CACHE = "VYRE_NO_CACHE"
"""The variable that turns all caches off."""

_OWN = 0o700
_OTHERS_MAY_WRITE = 0o022
_OPENED_SAFELY = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_told = set[str]()


class UntrustedError(OSError):
    """A file or folder that vyre may not have written; `strerror` says why, and what to do."""

    def __init__(self, path: Path, reason: str):
        super().__init__(EPERM, reason, str(path))


def cache_folder() -> Path:
    """Where vyre keeps what it can make again: `$XDG_CACHE_HOME/vyre`, else `~/.cache/vyre`.

    Raises an OSError when there is no home folder. The folder itself may not exist yet.
    """
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (base if base.is_absolute() else _home() / ".cache") / "vyre"


def _home() -> Path:
    try:
        return Path.home().absolute()
    except RuntimeError as error:
        raise FileNotFoundError("this user has no home folder") from error


def tell_once(place: Path | str, error: OSError) -> None:
    """Warn why nothing is kept at `place`, once per process for each reason."""
    reason = error.strerror or str(error)
    if reason in _told:
        return
    _told.add(reason)
    if isinstance(error, UntrustedError):
        warnings.warn(f"'{error.filename}' is not used: {reason}", stacklevel=3)
    else:
        warnings.warn(f"cannot keep '{place}': {reason}", stacklevel=3)


_NO_FILE = "it is no regular file: remove it"


@dataclass(frozen=True)
class CacheFolder:
    """A folder of files that are kept; it need not exist yet. Methods raise OSError."""

    path: Path
    most_bytes: int = 256 << 20
    """What a file holds at most; a larger one is neither written nor read."""

    @classmethod
    def of_user(cls, name: str) -> CacheFolder | None:
        """
        The folder called `name` in the cache of this user. None where `VYRE_NO_CACHE` is set, or
        where there is no home folder, which is told.
        """
        if os.environ.get(NO_CACHE):
            return None
        try:
            return cls(cache_folder() / name)
        except OSError as error:
            tell_once(name, error)
            return None

    @contextmanager
    def opened(self) -> Generator[int]:
        """
        A descriptor of the folder, which is made, for this user alone, where there is none.

        Raises UntrustedError where another user may have written to it, or to the cache that it is
        a folder of.
        """
        with ExitStack() as opened:
            above: int | None = None
            for path in self._of_this_user():  # nothing is made in what is not trusted
                _make(path)
                above = _opened(path, above)
                opened.callback(os.close, above)
                _check_trusted(os.fstat(above), path)
            assert above is not None
            yield above

    def _of_this_user(self) -> tuple[Path, ...]:
        """This folder, and before it the cache that it is in, if it is: who has that has both."""
        with contextlib.suppress(OSError):
            if self.path.parent == cache_folder():
                return (self.path.parent, self.path)
        return (self.path,)

    def check_entries(self, folder: int) -> None:
        """
        Raise UntrustedError where what lies in the folder, which `folder` is open for, is not this
        user's or root's, or anybody may write to it; for what something else reads from there.
        """
        with os.scandir(folder) as entries:
            found = [(entry.name, _status(entry)) for entry in entries]
        for name, status in found:
            if status is not None:
                mask = 0 if S_ISLNK(status.st_mode) else S_IWOTH  # links have no permissions
                _check_trusted(status, self.path / name, mask)

    def read(self, name: str) -> bytes | None:
        """
        What the file called `name` holds; None where there is none, or, which is told, where it is
        too large to be one that was written here.

        Raises UntrustedError where another user may have written it, or where it is no file.
        """
        with contextlib.suppress(FileNotFoundError), self.opened() as folder:
            descriptor = os.open(name, os.O_RDONLY | _OPENED_SAFELY, dir_fd=folder)
            try:
                return self._contents(descriptor, self.path / name)
            finally:
                os.close(descriptor)
        return None

    def _contents(self, descriptor: int, path: Path) -> bytes | None:
        status = os.fstat(descriptor)
        _check_regular(status, path)
        if status.st_size > self.most_bytes:
            tell_once(path, UntrustedError(path, f"it holds more than {self.most_bytes >> 20} MiB"))
            return None
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(status.st_size)  # no more, though it may become longer meanwhile

    def write(self, name: str, data: bytes, *, temporary: str | None = None) -> None:
        """
        Put `data` in the place of the file called `name`.

        Until it is whole it is called `temporary`, a name that nobody else uses meanwhile.
        """
        if len(data) > self.most_bytes:
            raise OSError(EFBIG, os.strerror(EFBIG))
        temporary = temporary or f".{name}.{token_hex(8)}"
        with self.opened() as folder:
            _unlink(temporary, folder)  # of a process that was killed
            try:
                _write_new(temporary, folder, data)
                os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException as error:
                with contextlib.suppress(OSError):
                    os.unlink(temporary, dir_fd=folder)
                if isinstance(error, IsADirectoryError):
                    raise UntrustedError(self.path / name, _NO_FILE) from error
                raise

    def remove(self, name: str) -> None:
        """Remove the file called `name`, if there is one."""
        with contextlib.suppress(FileNotFoundError), self.opened() as folder:
            os.unlink(name, dir_fd=folder)

    def keep_newest(self, most: int) -> None:
        """Remove the oldest regular files where there are more than `most`."""
        with self.opened() as folder:
            files = sorted(_regular_files(folder))
            for _, name in files[: max(0, len(files) - most)]:
                _unlink(name, folder)

    def remove_abandoned(self, prefix: str, seconds: float) -> None:
        """
        Remove empty files of this user whose names begin with `prefix` and that nobody has written
        to for so many seconds.
        """
        before = time.time() - seconds
        with self.opened() as folder:
            with os.scandir(folder) as entries:
                found = [entry for entry in entries if entry.name.startswith(prefix)]
                abandoned = [entry.name for entry in found if _is_abandoned(entry, before)]
            for name in abandoned:
                _unlink(name, folder)


def _is_abandoned(entry: os.DirEntry[str], before: float) -> bool:
    status = _status(entry)
    if status is None or not S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
        return False
    return status.st_size == 0 and status.st_mtime < before


def _opened(path: Path, above: int | None) -> int:
    """A descriptor of a folder, which is no link, in the one that `above` is open for."""
    try:
        name = path if above is None else path.name
        return os.open(name, os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=above)
    except OSError as error:
        if path.is_symlink():
            raise UntrustedError(path, "it is a link: remove it") from error
        raise


def _write_new(name: str, folder: int, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _OPENED_SAFELY
    with os.fdopen(os.open(name, flags, 0o600, dir_fd=folder), "wb") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(data)


def _regular_files(folder: int) -> list[tuple[int, str]]:
    """When each regular file of a folder was written, and its name."""
    with os.scandir(folder) as entries:
        found = [(_status(entry), entry.name) for entry in entries]
    known = [(status, name) for status, name in found if status is not None]
    return [(status.st_mtime_ns, name) for status, name in known if S_ISREG(status.st_mode)]


def _status(entry: os.DirEntry[str]) -> os.stat_result | None:
    """What is known of a file, unless another process has just removed it."""
    try:
        return entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None


def _unlink(name: str, folder: int) -> None:
    """Remove a file, unless it is not there, as where another process was faster."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)


def _make(path: Path) -> None:
    """Make a folder, and those above it, for this user alone."""
    if path.is_dir():
        return
    _make(path.parent)
    with contextlib.suppress(FileExistsError):  # by another process, or no folder: opening it tells
        path.mkdir(mode=_OWN)
        if path.lstat().st_mode & _OWN != _OWN:  # one that is of no use would stay for ever
            path.chmod(_OWN)


def _check_regular(status: os.stat_result, path: Path) -> None:
    if not S_ISREG(status.st_mode):
        raise UntrustedError(path, _NO_FILE)
    _check_trusted(status, path)


def _check_trusted(status: os.stat_result, path: Path, mask: int = _OTHERS_MAY_WRITE) -> None:
    if status.st_uid not in (0, os.geteuid()):
        raise UntrustedError(path, f"it belongs to another user ({status.st_uid}): remove it")
    if status.st_mode & mask:
        raise UntrustedError(path, "other users may write to it, and may have: remove it")
