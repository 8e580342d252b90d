"""Where the input comes from that is cut: what lies in memory or in a file, or a pipe."""

from __future__ import annotations

import contextlib
import mmap
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import IO, Any, Protocol, cast

import numpy as np

from vyre_dialect.ir.types import BufferType
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.interpreter.arrays import Array, as_elements
from vyre_dialect.runtime.program.input_files import InputFile

PAGE = mmap.PAGESIZE
PIPE_BYTES = 1 << 20
"""What a pipe may hold: with 64 KiB, as usual, whoever writes and reads waits 16 times as often."""


class Readable(Protocol):
    """A binary file, which its type in the standard library does not say how to read into."""

    def readinto(self, buffer: memoryview, /) -> int | None: ...


class Source(ABC):
    """Elements that are read once, in order."""

    elements: int | None = None
    """How many there are, where that is known beforehand."""

    @abstractmethod
    def fill(self, target: Array) -> int:
        """Read into `target` until that is full; how many elements there were."""


class PipeSource(Source):
    """
    Elements of a file that can only be read on and on; `head` was read of it before.

    Raises a VyreError where it ends within an element.
    """

    def __init__(self, name: str, file: IO[bytes], head: bytes = b""):
        self._name = name
        self._file = file
        self._head = memoryview(head)
        _widen(file)

    def fill(self, target: Array) -> int:
        data = target.reshape(-1).view(np.uint8).data
        done = min(len(self._head), len(data))
        data[:done] = self._head[:done]
        self._head = self._head[done:]
        while done < len(data):
            try:
                read = cast(Readable, self._file).readinto(data[done:])
            except OSError as error:
                raise VyreError(f"cannot read '{self._name}': {error.strerror or error}") from error
            if not read:
                break
            done += read
        size = target[:1].nbytes
        if done % size:
            raise VyreError(
                f"input '{self._name}' expected a multiple of {size} bytes, and ended "
                f"{done % size} bytes behind one"
            )
        return done // size


def _widen(file: IO[bytes]) -> None:
    """Let a pipe hold more, where it is one, the system is Linux, and the user may."""
    with contextlib.suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(file.fileno(), fcntl.F_SETPIPE_SZ, PIPE_BYTES)


class FilesSource(Source):
    """
    The elements of many files, one file after the other, of a buffer called `name`.

    Raises a VyreError that names a file that cannot be read, or has no whole number of elements.
    """

    def __init__(self, name: str, type: BufferType, files: Iterable[InputFile]):
        self._name, self._type = name, type
        self._files = iter(files)
        self._left: Array = np.empty(0, np.uint8)
        """Bytes of the file that was opened last."""

    def fill(self, target: Array) -> int:
        data, done = target.reshape(-1).view(np.uint8), 0
        while done < data.size:
            if not self._left.size and not self._open_next():
                break
            part = self._left[: data.size - done]
            data[done : done + part.size] = part
            self._left = self._left[part.size :]
            done += part.size
        return done // target[:1].nbytes

    def _open_next(self) -> bool:
        """Whether there was another file, which may be empty."""
        if (file := next(self._files, None)) is None:
            return False
        try:
            contents = as_elements(self._name, self._type, file.read())
        except VyreError as error:
            raise VyreError(f"{file.name}: {error}") from error
        self._left = contents.reshape(-1).view(np.uint8)
        return True


class MappedSource(Source):
    """Elements that lie in memory, or in a file that is mapped there."""

    def __init__(self, contents: Array):
        self.contents = contents
        self.elements = len(contents)
        self._map, self._offset = _mapping_of(contents)

    def fill(self, target: Array) -> int:
        raise AssertionError("what lies in memory is taken as it lies")

    def fetch(self, part: slice) -> Array:
        """A part, read from the file by now."""
        found = self.contents[part]
        if self._map is not None and found.size:
            self._advise(part.start or 0, found)
            found.reshape(-1).view(np.uint8)[::PAGE].max()
        return found

    def _advise(self, first: int, part: Array) -> None:
        """Let all of a part be read at once, rather than page by page."""
        begin = (self._offset + first * self.contents[:1].nbytes) // PAGE * PAGE
        with contextlib.suppress(OSError, ValueError):
            self._map.madvise(mmap.MADV_WILLNEED, begin, part.nbytes)

    def release(self, end: int) -> None:
        """Let go of the memory of what lies before the element `end`, which a file has still."""
        if self._map is None or not self.contents.size:
            return
        size = self.contents[:1].nbytes
        bytes_ = (self._offset + end * size) // PAGE * PAGE
        if bytes_ > 0:
            with contextlib.suppress(OSError, ValueError):
                self._map.madvise(mmap.MADV_DONTNEED, 0, bytes_)


def _mapping_of(contents: Array) -> tuple[Any, int]:
    """The file that an array lies in, mapped to be read, and the byte at which it begins there."""
    base: Any = contents
    while isinstance(base, np.ndarray) and not isinstance(base, np.memmap):
        base = base.base
    mapped = getattr(base, "_mmap", None)
    if not isinstance(mapped, mmap.mmap) or contents.flags.writeable:
        return None, 0
    whole = np.frombuffer(mapped, np.uint8)
    return mapped, contents.ctypes.data - whole.ctypes.data
