"""
Where runs begin in Parquet's hybrid of runs and packed values. See `Encodings.md` of
apache/parquet-format.

Each run says how long it is, so that the next one is found only after it. But pages do not depend
on each other: they are walked side by side, a run of each at a time, and with it all that follow
with the same header, as most writers make them; where few are found so, one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from vyre_dialect.columns.parquet.errors import ParquetError
from vyre_dialect.columns.parquet.runs import Array, Bytes, FileBytes, PageRuns, Runs

WIDEST = 32
_GROUP = 8
"""Values that take as many bytes as each has bits."""
_MANY = 16
"""Runs a step from which on one of NumPy takes less time than one of Python for each."""
_LONGEST_HEADER = 5
_REACH = 64
"""Runs with one header that are looked for at first."""


def hybrid_runs(
    data: Array, pages: Sequence[FileBytes], widths: Sequence[int], counts: Sequence[int]
) -> PageRuns:
    """
    The runs of the first values of each page of a file, which has some bytes: values of so many
    bits, as many as `counts` says. Raises ParquetError where there are fewer values.
    """
    walk = _Walk.begun(data, pages, widths, counts)
    walk.go_side_by_side()
    for page in np.flatnonzero(walk.left).tolist():
        walk.go_alone(page)
    return walk.found()


class _Headers(NamedTuple):
    """What a run of each of some pages says of itself."""

    first: Array
    """The place of its first byte behind the header."""
    is_packed: Array
    length: Array
    """Of values."""
    size: Array
    """Of bytes."""


@dataclass
class _Walk:
    """How far each page has been walked, and what was found."""

    data: Array
    """All bytes of the file."""
    pages: Sequence[FileBytes]
    ends: Array
    widths: Array
    places: Array
    left: Array
    """Values that are still to come."""
    reach: Array
    """How many runs with one header are looked for: twice as many as there were."""
    numbers: list[Array] = field(default_factory=list[Array])
    """Of runs: the page, and what `Runs` has."""

    @staticmethod
    def begun(
        data: Array, pages: Sequence[FileBytes], widths: Sequence[int], counts: Sequence[int]
    ) -> _Walk:
        """At the beginning of each page."""
        for width in widths:
            if not 0 <= width <= WIDEST:
                raise ParquetError(f"expected codes of up to {WIDEST} bits, got {width}")
        begins = np.array([page.begin for page in pages], np.int64)
        ends = begins + np.array([len(page.data) for page in pages], np.int64)
        left = np.array(counts, np.int64)
        reach = np.full(len(pages), _REACH)
        return _Walk(data, pages, ends, np.array(widths, np.int64), begins, left, reach)

    def go_side_by_side(self) -> None:
        """Take runs of each page at a time, until few are found at once."""
        active, found = np.flatnonzero(self.left), _MANY
        while len(active) and found >= _MANY:
            found = self._step(active)
            active = active[self.left[active] > 0]

    def _step(self, active: Array) -> int:
        """Take a run of each page, and the equal ones behind it; gives how many that were."""
        self._require(self.places[active] < self.ends[active])
        headers = self._headers(active)
        width, is_packed = self.widths[active], headers.is_packed
        taken = np.minimum(headers.length, self.left[active])
        # Writers may leave out what nobody reads of the last group.
        needed = np.where(is_packed, taken * width + 7 >> 3, headers.size)
        inside = headers.first + needed <= self.ends[active]
        self._require((headers.length > 0) & inside)
        stride = headers.first + headers.size - self.places[active]
        repeats, which, number = self._equal_ones(active, headers, stride)
        starts = (headers.first[which] + number * stride[which]) * 8
        bases = np.where(is_packed, 0, self._little_endian(headers.first, width + 7 >> 3))
        bits = np.where(is_packed, width, 0)[which]
        columns = (active[which], taken[which], np.where(bits, starts, 0), bits, bases[which])
        self.numbers.append(np.stack(columns))
        self.places[active] += repeats * stride
        self.left[active] -= repeats * taken
        self.reach[active] = 2 * repeats
        return len(which)

    def _equal_ones(
        self, active: Array, headers: _Headers, stride: Array
    ) -> tuple[Array, Array, Array]:
        """
        How many packed runs with the same header follow one another in each page, at least one; and
        of all of these runs, the page's place in `active`, and the number among those of the page.
        Writers begin a new run after so many values, whatever comes.
        """
        places, left = self.places[active], self.left[active]
        most = np.minimum(left // headers.length, (self.ends[active] - places) // stride)
        most = np.minimum(most, self.reach[active])
        is_short = headers.first == places + 1
        most = np.where(headers.is_packed & is_short, np.maximum(most, 1), 1)
        which, number = _counted(most)
        header = self._bytes(places[which] + number * stride[which])
        repeats = most.copy()
        np.minimum.at(
            repeats, which, np.where(header == header[number == 0][which], most[which], number)
        )
        is_equal = number < repeats[which]
        return repeats, which[is_equal], number[is_equal]

    def _headers(self, active: Array) -> _Headers:
        """The headers where pages have been walked to: numbers, seven bits to a byte."""
        places, width = self.places[active], self.widths[active]
        byte = self._bytes(places)
        header, goes_on, size = byte & 0x7F, byte > 0x7F, 1
        ends = places + 1
        while goes_on.any() and size < _LONGEST_HEADER:
            byte = np.where(goes_on, self._bytes(places + size), 0)
            header |= (byte & 0x7F) << 7 * size
            ends, goes_on, size = ends + goes_on, byte > 0x7F, size + 1
        self._require(~goes_on)
        is_packed, groups = header & 1 == 1, header >> 1
        length = np.where(is_packed, _GROUP * groups, groups)
        return _Headers(
            ends, is_packed, length, np.where(is_packed, groups * width, width + 7 >> 3)
        )

    def _bytes(self, places: Array) -> Array:
        """Bytes of the file; of what is behind its end, which is checked later, any."""
        return self.data[np.minimum(places, len(self.data) - 1)].astype(np.int64)

    def _little_endian(self, places: Array, sizes: Array) -> Array:
        """Numbers of so many bytes."""
        value = np.zeros(len(places), np.int64)
        for byte in range(int(sizes.max())):
            value |= np.where(byte < sizes, self._bytes(places + byte), 0) << 8 * byte
        return value

    def _require(self, is_right: Array) -> None:
        if not is_right.all():
            raise _bad_run()

    def go_alone(self, page: int) -> None:
        """Take all runs that are left of a page."""
        begin, data = self.pages[page]
        width, left = int(self.widths[page]), int(self.left[page])
        place, numbers = int(self.places[page]) - begin, list[int]()
        while left:
            place, header = _header(data, place)
            is_packed, groups = header & 1, header >> 1
            taken = min(_GROUP * groups if is_packed else groups, left)
            size = groups * width if is_packed else width + 7 >> 3
            if not groups or place + (taken * width + 7 >> 3 if is_packed else size) > len(data):
                raise _bad_run()
            if is_packed:
                numbers += page, taken, 8 * (begin + place) if width else 0, width, 0
            else:
                base = int.from_bytes(data[place : place + size], "little")
                numbers += page, taken, 0, 0, base
            left -= taken
            place += size
        self.numbers.append(np.array(numbers, np.int64).reshape(-1, 5).T)
        self.left[page] = 0

    def found(self) -> PageRuns:
        """What was found, by pages."""
        none = np.zeros((5, 0), np.int64)
        page, *numbers = np.concatenate([none, *self.numbers], axis=1)
        order = np.argsort(page, kind="stable")
        return PageRuns(Runs(*(each[order] for each in numbers)), page[order])


def _counted(counts: Array) -> tuple[Array, Array]:
    """The place of each count as often as it says, and the numbers from 0 up to each count."""
    which = np.repeat(np.arange(len(counts)), counts)
    return which, np.arange(len(which)) - (np.cumsum(counts) - counts)[which]


def _header(data: Bytes, place: int) -> tuple[int, int]:
    """Where a header ends, and the number in it."""
    value = 0
    for size, byte in enumerate(data[place : place + _LONGEST_HEADER]):
        value |= (byte & 0x7F) << 7 * size
        if byte < 0x80:
            return place + size + 1, value
    raise _bad_run()


def _bad_run() -> ParquetError:
    return ParquetError("expected runs of all values in a page, got one of none or the page's end")
