"""
Where runs begin in Parquet's hybrid of runs and packed values. See `Encodings.md` of
apache/parquet-format.

Each run says how long it is, so that the next one is found only after it. But pages do not depend
on each other: many are walked side by side, a run of each at a time; where few are left, one after
the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from vyre_dialect.columns.parquet.errors import ParquetError
from vyre_dialect.columns.parquet.runs import Array, Bytes, Runs

WIDEST = 32
_GROUP = 8
"""Values that take as many bytes as each has bits."""
_MANY = 16
"""Pages from which on a step of NumPy takes less time than one of Python for each."""
_LONGEST_HEADER = 5
_PADDING = bytes(_LONGEST_HEADER + WIDEST // 8)
"""Behind the last page, so that what is read before it is checked is there."""


def hybrid_runs(pages: Sequence[Bytes], widths: Sequence[int], counts: Sequence[int]) -> list[Runs]:
    """
    The runs of the first values of each page, of so many bits, as many as `counts` says; starts
    count from the beginning of the page. Raises ParquetError where there are fewer values.
    """
    walk = _Walk.begun(pages, widths, counts)
    walk.go_side_by_side()
    for page in np.flatnonzero(walk.left).tolist():
        walk.go_alone(page)
    return walk.runs()


@dataclass
class _Walk:
    """How far each page has been walked, and what was found."""

    pages: Sequence[Bytes]
    data: Array
    """All pages, one after the other."""
    begins: Array
    ends: Array
    widths: Array
    places: Array
    left: Array
    """Values that are still to come."""
    numbers: list[Array] = field(default_factory=list[Array])
    """Of runs: the page, and what `Runs` has."""

    @staticmethod
    def begun(pages: Sequence[Bytes], widths: Sequence[int], counts: Sequence[int]) -> _Walk:
        """At the beginning of each page."""
        for width in widths:
            if not 0 <= width <= WIDEST:
                raise ParquetError(f"expected codes of up to {WIDEST} bits, got {width}")
        ends = np.cumsum([0, *map(len, pages)])
        data = np.frombuffer(b"".join([*pages, _PADDING]), np.uint8)
        left = np.array(counts, np.int64)
        begins = ends[:-1]
        return _Walk(pages, data, begins, ends[1:], np.array(widths, np.int64), begins.copy(), left)

    def go_side_by_side(self) -> None:
        """Take a run of each page at a time, until few pages are left."""
        active = np.flatnonzero(self.left)
        while len(active) >= _MANY:
            self._step(active)
            active = active[self.left[active] > 0]

    def _step(self, active: Array) -> None:
        self._require(self.places[active] < self.ends[active])
        first, header = self._headers(self.places[active])
        width, is_packed, groups = self.widths[active], header & 1 == 1, header >> 1
        length = np.where(is_packed, _GROUP * groups, groups)
        size = np.where(is_packed, groups * width, width + 7 >> 3)
        taken = np.minimum(length, self.left[active])
        # Writers may leave out what nobody reads of the last group.
        needed = np.where(is_packed, taken * width + 7 >> 3, size)
        self._require((length > 0) & (first + needed <= self.ends[active]))
        start = np.where(is_packed, 8 * (first - self.begins[active]), 0)
        base = np.where(is_packed, 0, self._little_endian(first, width + 7 >> 3))
        bits = np.where(is_packed, width, 0)
        self.numbers.append(np.stack([active, taken, start, bits, base]))
        self.places[active] = first + size
        self.left[active] -= taken

    def _headers(self, places: Array) -> tuple[Array, Array]:
        """Where headers end, and the numbers in them, seven bits to a byte."""
        byte = self.data[places].astype(np.int64)
        header, goes_on, size = byte & 0x7F, byte > 0x7F, 1
        ends = places + 1
        while goes_on.any() and size < _LONGEST_HEADER:
            byte = np.where(goes_on, self.data[places + size].astype(np.int64), 0)
            header |= (byte & 0x7F) << 7 * size
            ends, goes_on, size = ends + goes_on, byte > 0x7F, size + 1
        self._require(~goes_on)
        return ends, header

    def _little_endian(self, places: Array, sizes: Array) -> Array:
        """Numbers of so many bytes."""
        value = np.zeros(len(places), np.int64)
        for byte in range(int(sizes.max())):
            value |= (
                np.where(byte < sizes, self.data[places + byte].astype(np.int64), 0) << 8 * byte
            )
        return value

    def _require(self, is_right: Array) -> None:
        if not is_right.all():
            raise _bad_run()

    def go_alone(self, page: int) -> None:
        """Take all runs that are left of a page."""
        data, width, left = self.pages[page], int(self.widths[page]), int(self.left[page])
        place, numbers = int(self.places[page] - self.begins[page]), list[int]()
        while left:
            place, header = _header(data, place)
            is_packed, groups = header & 1, header >> 1
            taken = min(_GROUP * groups if is_packed else groups, left)
            size = groups * width if is_packed else width + 7 >> 3
            if not groups or place + (taken * width + 7 >> 3 if is_packed else size) > len(data):
                raise _bad_run()
            if is_packed:
                numbers += page, taken, 8 * place, width, 0
            else:
                base = int.from_bytes(data[place : place + size], "little")
                numbers += page, taken, 0, 0, base
            left -= taken
            place += size
        self.numbers.append(np.array(numbers, np.int64).reshape(-1, 5).T)
        self.left[page] = 0

    def runs(self) -> list[Runs]:
        """What was found, by pages."""
        none = np.zeros((5, 0), np.int64)
        page, *numbers = np.concatenate([none, *self.numbers], axis=1)
        order = np.argsort(page, kind="stable")
        ends = np.cumsum(np.bincount(page, minlength=len(self.pages)))[:-1]
        columns = [np.split(each[order], ends) for each in numbers]
        return [Runs(*each) for each in zip(*columns, strict=True)][: len(self.pages)]


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
