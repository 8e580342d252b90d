"""Files side by side in one buffer, so that one run decodes and scans them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vyre_dialect.runtime.scanning.arrays import Bytes, Offsets
from vyre_dialect.runtime.scanning.chain import Stage

_ALIGNMENT = 4096
"""That of pages: devices of the host then work on the memory as it is."""
_SMALLEST = 1 << 12
_STEP = 1 << 20


@dataclass(frozen=True)
class Packed:
    """The digits of files, each from a multiple of the stage's granule on."""

    buffer: Bytes
    begins: Offsets
    """Where each file begins in what is decoded."""
    ends: Offsets
    """Where it ends there; what is between two files is none of theirs."""


def aligned(size: int) -> Bytes:
    """Memory of so many bytes with any contents, which devices of the host need not copy."""
    memory = np.empty(size + _ALIGNMENT, np.uint8)
    begin = -memory.ctypes.data % _ALIGNMENT
    return memory[begin : begin + size]


class Packer:
    """Packs files into memory that it keeps; what it gives holds until the next ones."""

    def __init__(self) -> None:
        self._memory = aligned(_SMALLEST)

    def pack(self, stage: Stage, files: Sequence[Bytes]) -> Packed:
        """The digits of `files` for one run of `stage`."""
        sizes = np.array([each.size for each in files], np.int64)
        places = np.concatenate([[0], np.cumsum(-(-sizes // stage.granule) * stage.granule)])
        begins = np.array([stage.decoded_length(int(place)) for place in places[:-1]], np.int64)
        lengths = np.array([stage.decoded_length(int(size)) for size in sizes], np.int64)
        if len(files) == 1 and _is_ready(stage, files[0]):
            return Packed(files[0], begins, lengths)
        buffer = self._take(_size_class(int(places[-1])))
        following = [*places[1:-1], buffer.size]
        for file, place, end in zip(files, places[:-1], following, strict=True):
            buffer[place : place + file.size] = file
            buffer[place + file.size : end] = stage.zero
        return Packed(buffer, begins, begins + lengths)

    def _take(self, size: int) -> Bytes:
        if self._memory.size < size:
            self._memory = aligned(size)
        return self._memory[:size]


def _is_ready(stage: Stage, file: Bytes) -> bool:
    """Whether a file is worth no copy: it is large, and lies as devices want it."""
    is_whole = stage.encoding is None or file.size % stage.encoding.group == 0
    return is_whole and file.size >= _STEP and file.ctypes.data % _ALIGNMENT == 0


def _size_class(size: int) -> int:
    """A size for which runs are alike: a power of two, or of more than 1 MiB a multiple of that."""
    if size > _STEP:
        return -(-size // _STEP) * _STEP
    return max(_SMALLEST, 1 << max(size - 1, 0).bit_length())
