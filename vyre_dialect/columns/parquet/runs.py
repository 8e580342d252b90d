"""Runs of packed integers, as `vyre.decode.bitunpack_runs` takes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vyre_dialect.columns.parquet.errors import ParquetError

Array: TypeAlias = NDArray[Any]
Bytes: TypeAlias = bytes | memoryview
"""A part of a chunk need not be copied."""


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
    def joined(runs: Sequence[Runs], bytes_before: Sequence[int]) -> Runs:
        """All of them one after the other, where so many bytes come to stand before each."""
        starts = [each.starts + 8 * n for each, n in zip(runs, bytes_before, strict=True)]
        none = np.zeros(0, np.int64)
        return Runs(
            np.concatenate([none, *(each.lengths for each in runs)]),
            np.concatenate([none, *starts]),
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

    def where(self, chosen: Array) -> Runs:
        """Those runs that are chosen."""
        columns = (self.lengths, self.starts, self.bits, self.bases)
        return Runs(*(each[chosen] for each in columns))

    def above(self, base: int) -> Runs:
        """The same with something added to each base."""
        return replace(self, bases=self.bases + base)


def require_bits(runs: Runs) -> None:
    """Raise ParquetError for a value of one bit that is more than 1."""
    if runs.greatest_base > 1:
        raise ParquetError(f"expected levels and booleans of 0 or 1, got {runs.greatest_base}")


def ones(data: Bytes, runs: Runs) -> int:
    """How many values of one bit are 1. Raises ParquetError for one that is more."""
    require_bits(runs)
    is_packed = runs.bits == 1
    repeated = int((runs.lengths * runs.bases).sum())
    if not is_packed.any():
        return repeated
    begin, length = runs.starts[is_packed] >> 3, runs.lengths[is_packed]
    padded = np.append(np.frombuffer(data, np.uint8), np.uint8(0))
    before = np.concatenate([[0], np.cumsum(np.bitwise_count(padded), dtype=np.int64)])
    whole = begin + (length >> 3)
    # Behind whole bytes, those bits of one more that are values.
    rest = np.bitwise_count(padded[whole] & (1 << (length & 7)) - 1)
    return repeated + int((before[whole] - before[begin]).sum()) + int(rest.sum(dtype=np.int64))
