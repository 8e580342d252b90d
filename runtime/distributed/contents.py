"""What buffers of a shard hold: a range of a file that a worker reads, or bytes that travel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np

from vyre_dialect.ir.types import BufferType
from vyre_dialect.runtime.interpreter.arrays import (
    Array,
    Bytes,
    as_elements,
    element_count,
    little_endian,
    open_input,
)
from vyre_dialect.runtime.program.input_files import InputFile


@dataclass(frozen=True)
class FileRange:
    """Bytes of a file that all workers see under one name."""

    file: InputFile
    begin: int
    size: int

    def part(self, begin: int, end: int) -> FileRange:
        """The bytes from `begin` to before `end`."""
        return replace(self, begin=self.begin + begin, size=end - begin)

    def read(self) -> Array:
        """The bytes. Raises a VyreError where the file cannot be read, or has become shorter."""
        return self.file.read_range(self.begin, self.size)


@dataclass(frozen=True)
class InMemory:
    """Bytes that are sent along."""

    data: Array

    @property
    def size(self) -> int:
        """How many."""
        return self.data.size

    def part(self, begin: int, end: int) -> InMemory:
        """The bytes from `begin` to before `end`."""
        return InMemory(self.data[begin:end])

    def read(self) -> Array:
        """The bytes."""
        return self.data


Contents: TypeAlias = FileRange | InMemory


def contents_of(name: str, type: BufferType, given: InputFile | Array | Bytes) -> Contents:
    """
    What the buffer `name` holds. A file is not read here, but for the header of a `.npy` file.
    Raises a VyreError for what does not fit the buffer.
    """
    if not isinstance(given, InputFile):
        return InMemory(as_elements(name, type, given).reshape(-1).view(np.uint8))
    dtype, found = _file_contents(given)
    element_count(name, type, dtype, found.size)
    return found


def _file_contents(file: InputFile) -> tuple[np.dtype[np.generic], Contents]:
    bytes_ = np.dtype(np.uint8)
    if file.is_remote:
        return bytes_, FileRange(file, 0, file.size())
    shared = InputFile(str(Path(file.name).absolute()))
    if Path(file.name).suffix != ".npy":
        return bytes_, FileRange(shared, 0, file.size())
    array = open_input(Path(file.name))
    lies_in_order = array.flags.c_contiguous and array.dtype == array.dtype.newbyteorder("<")
    if isinstance(array, np.memmap) and lies_in_order:
        return array.dtype, FileRange(shared, array.offset, array.nbytes)
    in_order = np.ascontiguousarray(little_endian(array)).reshape(-1)
    return array.dtype, InMemory(in_order.view(np.uint8))
