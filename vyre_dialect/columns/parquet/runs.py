"""Runs of packed integers, as `vyre.decode.bitunpack_runs` takes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vyre_dialect.columns.parquet.errors import ParquetError

Array: TypeAlias = NDArray[Any]
Bytes: TypeAlias = bytes | memoryview
"""A part of a chunk need not be copied."""


class Source(NamedTuple):
    """The bytes of a file, or of a part of it."""

    data: Array
    in_place: bool
    """Whether programs read them where they lie, with all that stands in between."""


class FileBytes(NamedTuple):
    """Some bytes of a file, and the place in it where they begin."""

    begin: int
    data: Bytes

    def behind(self, size: int) -> FileBytes:
        """Those behind so many."""
        return FileBytes(self.begin + size, self.data[size:])

    def first(self, size: int) -> FileBytes:
        """The first ones. Raises ParquetError where there are fewer."""
        if size > len(self.data):
            raise ParquetError(f"expected {size} bytes of values in a page, got {len(self.data)}")
        return FileBytes(self.begin, self.data[:size])


@dataclass(frozen=True)
class Runs:
    """Runs of packed integers, by a number for each; one of 0 bits repeats its base."""

    lengths: Array
    starts: Array
    """Bits, from the beginning of the bytes."""
    bits: Array
    bases: Array

    @staticmethod
    def of(numbers: Sequence[int] | Array) -> Runs:
        """Runs of which each is four numbers, in this order."""
        table = np.asarray(numbers, np.int64).reshape(-1, 4)
        return Runs(*np.ascontiguousarray(table.T))

    @staticmethod
    def joined(runs: Sequence[Runs]) -> Runs:
        """All of them one after the other."""
        none = np.zeros(0, np.int64)
        return Runs(
            np.concatenate([none, *(each.lengths for each in runs)]),
            np.concatenate([none, *(each.starts for each in runs)]),
            np.concatenate([none, *(each.bits for each in runs)]),
            np.concatenate([none, *(each.bases for each in runs)]),
        )

    @property
    def count(self) -> int:
        """How many values there are."""
        return int(self.lengths.sum())

    @property
    def greatest_base(self) -> int:
        """The greatest value of those that are repeated, and 0."""
        return int(self.bases.max(initial=0))

    def moved(self, bytes_before: int | Array) -> Runs:
        """The same where so many bytes come to stand before each; of 0 bits, runs stand nowhere."""
        return replace(self, starts=np.where(self.bits > 0, self.starts + 8 * bytes_before, 0))

    def where(self, chosen: Array) -> Runs:
        """Those runs that are chosen."""
        columns = (self.lengths, self.starts, self.bits, self.bases)
        return Runs(*(each[chosen] for each in columns))

    def above(self, base: int | Array) -> Runs:
        """The same with something added to each base."""
        return replace(self, bases=self.bases + base)


class PageRuns(NamedTuple):
    """The runs of several pages, whose starts count from the beginning of the file."""

    runs: Runs
    pages: Array
    """The number of the page of each run, none below the one before it."""

    @staticmethod
    def of(runs: Sequence[Runs]) -> PageRuns:
        """Those of each page."""
        return PageRuns(
            Runs.joined(runs), np.repeat(np.arange(len(runs)), [len(each.bits) for each in runs])
        )

    @staticmethod
    def merged(parts: Sequence[PageRuns]) -> PageRuns:
        """Those of several parts, where no page has runs in two."""
        pages = np.concatenate([np.zeros(0, np.int64), *(each.pages for each in parts)])
        order = np.argsort(pages, kind="stable")
        return PageRuns(Runs.joined([each.runs for each in parts]).where(order), pages[order])

    def of_pages(self, numbers: Sequence[int]) -> PageRuns:
        """The same where pages have other numbers, which ascend."""
        return self._replace(pages=np.asarray(numbers, np.int64)[self.pages])


def require_bits(runs: Runs) -> None:
    """Raise ParquetError for a value of one bit that is more than 1."""
    if runs.greatest_base > 1:
        raise ParquetError(f"expected levels and booleans of 0 or 1, got {runs.greatest_base}")


def ones(data: Array, found: PageRuns, count: int) -> list[int]:
    """
    How many values of one bit are 1 in each of `count` pages of some bytes, which are those of the
    file. Raises ParquetError for a value that is more.
    """
    runs, pages = found
    require_bits(runs)
    numbers = np.where(runs.bits == 1, 0, runs.lengths * runs.bases)
    for run in np.flatnonzero(runs.bits == 1).tolist():
        numbers[run] = _ones_of(data, int(runs.starts[run]) >> 3, int(runs.lengths[run]))
    totals = np.zeros(count, np.int64)
    np.add.at(totals, pages, numbers)
    return totals.tolist()


def _ones_of(data: Array, begin: int, length: int) -> int:
    """The ones among so many bits from a byte on."""
    whole = begin + (length >> 3)
    found = int(np.bitwise_count(data[begin:whole]).sum(dtype=np.int64))
    # Behind whole bytes, those bits of one more that are values.
    rest = int(data[whole]) & (1 << (length & 7)) - 1 if length & 7 else 0
    return found + rest.bit_count()
