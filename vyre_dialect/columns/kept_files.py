"""
Files of Parquet that a process has read lately, with what their footers and the headers of their
pages say, which takes longer to read than to keep; values are not kept.
"""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from threading import Lock
from time import time_ns
from typing import NamedTuple

from vyre_dialect.columns.parquet import ParquetFile

_MOST = 16
"""Files; the one that was asked for the longest time ago goes first."""
_MOST_BYTES = 1 << 30
"""Of what is kept of all files but the one that is asked for."""
_SETTLED_NS = 2 * 10**9
"""
How long a file has not been written to before it is kept: one that changes twice within a tick of
the file system's clock looks the same.
"""


class _Version(NamedTuple):
    """What tells a file from another one, and from what it was before."""

    path: Path
    in_place: bool
    device: int
    inode: int
    size: int
    written_ns: int


class KeptFiles:
    """Files by their paths, opened again where they have changed."""

    def __init__(self) -> None:
        self._known = OrderedDict[_Version, ParquetFile]()
        self._lock = Lock()

    def open(self, path: Path, *, most_in_place: int) -> ParquetFile:
        """
        The file, to be read in place if it has up to so many bytes. Raises ParquetError where there
        is none.
        """
        version = _version_of(path, most_in_place)
        self._make_room(version)
        if (known := self._find(version)) is not None:
            return known
        file = ParquetFile(path, in_place=version is not None and version.in_place)
        if version is not None and time_ns() - version.written_ns > _SETTLED_NS:
            self._put(version, file)
        return file

    def clear(self) -> None:
        """Keep none of them any longer."""
        with self._lock:
            self._known.clear()

    def _find(self, version: _Version | None) -> ParquetFile | None:
        with self._lock:
            if version is None or version not in self._known:
                return None
            self._known.move_to_end(version)
            return self._known[version]

    def _put(self, version: _Version, file: ParquetFile) -> None:
        with self._lock:
            for other in [each for each in self._known if each.path == version.path]:
                del self._known[other]
            self._known[version] = file
            while len(self._known) > _MOST:
                self._known.popitem(last=False)

    def _make_room(self, wanted: _Version | None) -> None:
        """Keep less of other files, where all together take more than their share of memory."""
        with self._lock:
            others = [each for each in self._known.items() if each[0] != wanted]
            excess = sum(file.kept_bytes for _, file in others) - _MOST_BYTES
            for version, file in others:
                if excess <= 0:
                    break
                del self._known[version]
                excess -= file.kept_bytes


KEPT_FILES = KeptFiles()
"""Those of this process."""


def _version_of(path: Path, most_in_place: int) -> _Version | None:
    try:
        found = path.stat()
    except OSError:
        return None  # what opens it says why
    own = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
    return _Version(path.absolute(), found.st_size <= most_in_place, *own)
