"""Files, read and put together to batches that are each scanned at once, in the order of names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from vyre_dialect.runtime.scanning.arrays import Bytes
from vyre_dialect.runtime.scanning.errors import FileError, unreadable
from vyre_dialect.runtime.scanning.folders import Folders
from vyre_dialect.runtime.scanning.reading import read_met, read_named, read_named_file
from vyre_dialect.runtime.scanning.walk import Problem, Source

BATCH_BYTES = 8 << 20
"""What a batch has at least before it is scanned; it stays in caches."""
BATCH_FILES = 4096
_HEAD = 1 << 16
"""Bytes that tell binary files."""


class _Read(NamedTuple):
    """Something that was found, with the contents of a file."""

    item: Source | Problem
    contents: Bytes | None

    @property
    def size(self) -> int:
        return 0 if self.contents is None else self.contents.size


@dataclass
class Batch:
    """Files that are scanned at once, and what could not be read in between."""

    items: list[Source | Problem] = field(default_factory=list[Source | Problem])
    """All of them, in their order."""
    contents: list[Bytes] = field(default_factory=list[Bytes])
    """Of the sources."""
    size: int = 0
    """Bytes of all."""

    def add(self, read: _Read) -> None:
        """Put one more behind the others."""
        self.items.append(read.item)
        if read.contents is not None:
            self.contents.append(read.contents)
            self.size += read.contents.size

    @property
    def is_full(self) -> bool:
        """Whether it is worth a run."""
        return self.size >= BATCH_BYTES or len(self.items) >= BATCH_FILES


@dataclass(frozen=True)
class Reader:
    """Reads files of up to `most_bytes`."""

    most_bytes: int
    skips_binary: bool
    """Whether to pass over files in folders that have a zero byte near their beginning."""
    waits: bool = True
    """Whether to read pipes and devices that somebody has named, which may never end."""

    def batches(self, found: Iterable[Source | Problem]) -> Iterator[Batch]:
        """What was found, in batches; a large file is one by itself, and the last may be small."""
        batch = Batch()
        for read in self._all_read(found):
            if batch.items and read.size >= BATCH_BYTES:
                yield batch
                batch = Batch()
            batch.add(read)
            if batch.is_full:
                yield batch
                batch = Batch()
        if batch.items:
            yield batch

    def _all_read(self, found: Iterable[Source | Problem]) -> Iterator[_Read]:
        with Folders() as folders:
            for each in found:
                read = self._read(each, folders)
                if read is not None:
                    yield read

    def _read(self, found: Source | Problem, folders: Folders) -> _Read | None:
        """A file with its contents, or what is wrong with it; None for one that is passed over."""
        if isinstance(found, Problem):
            return _Read(found, None)
        try:
            contents = self._contents(found, folders)
        except FileError as error:
            return _Read(Problem(found.name, error), None)
        if self.skips_binary and not found.is_named and 0 in contents[:_HEAD].tobytes():
            return None
        return _Read(found, contents)

    def _contents(self, source: Source, folders: Folders) -> Bytes:
        """Raises a FileError."""
        if source.root is None:
            read = read_named if self.waits else read_named_file
            return read(source.name, self.most_bytes)
        folder, name = os.path.split(source.name)
        try:
            descriptor = folders.open(source.root, folder)
        except OSError as error:
            raise unreadable(error) from error
        return read_met(name, self.most_bytes, descriptor)
