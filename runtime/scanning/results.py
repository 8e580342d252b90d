"""What a scan gives: of each file its matches, or why it could not be scanned, in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np

from vyre_dialect.runtime.scanning.arrays import Offsets
from vyre_dialect.runtime.scanning.batches import Batch
from vyre_dialect.runtime.scanning.errors import FileError
from vyre_dialect.runtime.scanning.scanner import Found, Matches
from vyre_dialect.runtime.scanning.walk import Problem, Source

_NEWLINE = ord("\n")


class Match(NamedTuple):
    """One occurrence of a literal."""

    decoded: int
    """Where it begins in what was decoded."""
    encoded: int
    """Where its first digit stands in the file."""
    literal: int
    """The number of the literal."""
    line: int
    """The number of the line that it begins in, from 1."""
    line_begin: int
    line_end: int
    """Where that line begins and ends in what was decoded, without its end of line."""


@dataclass(frozen=True)
class FileMatches:
    """What was found in a file."""

    source: Source
    found: Matches

    @property
    def count(self) -> int:
        """How many occurrences there are."""
        return len(self.found.decoded)

    @property
    def line_count(self) -> int:
        """How many lines there are in which one begins."""
        return int(np.unique(self._lines).size)

    @cached_property
    def _line_ends(self) -> Offsets:
        return np.flatnonzero(self.found.text == _NEWLINE)

    @cached_property
    def _lines(self) -> Offsets:
        """The line of each occurrence, from 0; a newline belongs to the line that it ends."""
        return np.searchsorted(self._line_ends, self.found.decoded)

    def matches(self) -> Iterator[Match]:
        """The occurrences, in the order in which they begin."""
        bounds = np.concatenate([[-1], self._line_ends, [self.found.text.size]])
        columns = (
            *(self.found.decoded, self.found.encoded, self.found.which, self._lines + 1),
            *(bounds[self._lines] + 1, bounds[self._lines + 1]),
        )
        for row in zip(*(column.tolist() for column in columns), strict=True):
            yield Match(*row)


Result: TypeAlias = FileMatches | Problem


def results_of(batch: Batch, found: Sequence[Found]) -> Iterator[Result]:
    """What was found in each file of a batch, with what could not be scanned."""
    in_order = iter(found)
    for item in batch.items:
        if isinstance(item, Problem):
            yield item
            continue
        of_file = next(in_order)
        if isinstance(of_file, FileError):
            yield Problem(item.name, of_file)
        else:
            yield FileMatches(item, of_file)
