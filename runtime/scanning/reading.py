"""
Files as they are read: whole, and never more than there was when they were opened. What is met in a
folder is opened only if it is a regular file; what is named may also be a pipe or a device.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial

import numpy as np

from vyre_dialect.runtime.scanning.arrays import Bytes
from vyre_dialect.runtime.scanning.errors import too_large, unreadable
from vyre_dialect.runtime.scanning.folders import open_regular
from vyre_dialect.runtime.scanning.packing import aligned

STANDARD_INPUT = "-"
_CHUNK = 1 << 20
_LARGE = 1 << 20
"""Files of so many bytes are read to memory that devices of the host work on as it is."""


def read_met(name: str, most: int, folder: int) -> Bytes:
    """
    A regular file of up to `most` bytes that was met in a folder, of which a descriptor is given.

    Raises a FileError for anything else, as a link.
    """
    with _opened(partial(open_regular, name, folder)) as descriptor:
        return _read_known(descriptor, os.fstat(descriptor).st_size, most)


def read_named(path: str, most: int) -> Bytes:
    """A file, pipe or device that somebody has named; `-` is standard input."""
    if path == STANDARD_INPUT:
        return np.frombuffer(_read_on(0, most), np.uint8)
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY
    with _opened(partial(os.open, path, flags)) as descriptor:
        return _read_any(descriptor, most)


def read_named_file(path: str, most: int) -> Bytes:
    """As `read_named`, never waiting for a pipe. Raises a FileError for what is no regular file."""
    with _opened(partial(open_regular, path, follows=True)) as descriptor:
        return _read_any(descriptor, most)


def _read_any(descriptor: int, most: int) -> Bytes:
    """A file of no size may have contents all the same, as those of `/proc` do."""
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode) and status.st_size:
        return _read_known(descriptor, status.st_size, most)
    return np.frombuffer(_read_on(descriptor, most), np.uint8)


@contextmanager
def _opened(opener: Callable[[], int]) -> Generator[int]:
    try:
        descriptor = opener()
    except (OSError, ValueError) as error:
        raise unreadable(error) from error
    try:
        yield descriptor
    except OSError as error:
        raise unreadable(error) from error
    finally:
        os.close(descriptor)


def _read_known(descriptor: int, size: int, most: int) -> Bytes:
    """What there is of `size` bytes: the file may have become shorter."""
    if size > most:
        raise too_large(size, most)
    if size < _LARGE:
        return np.frombuffer(_read_on(descriptor, size, is_cut=True), np.uint8)
    memory, filled = aligned(size), 0
    while filled < size and (count := os.readv(descriptor, [memory[filled:].data])):
        filled += count
    return memory[:filled]


def _read_on(descriptor: int, most: int, *, is_cut: bool = False) -> bytes:
    """All that comes; of more than `most` bytes, so many if it `is_cut`, or else an error."""
    parts, left = list[bytes](), most if is_cut else most + 1
    while left and (part := os.read(descriptor, min(left, _CHUNK))):
        parts.append(part)
        left -= len(part)
    if not is_cut and not left:
        raise too_large(None, most)
    return b"".join(parts)
