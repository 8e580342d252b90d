"""Runs of Parquet's hybrid are found in many pages at once, and in few."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from vyre_dialect.columns.parquet.errors import ParquetError
from vyre_dialect.columns.parquet.hybrid import hybrid_runs
from vyre_dialect.columns.parquet.runs import Runs, ones

PAGES = [1, 15, 16, 60]
"""Of one after the other, and side by side."""


def varint(number: int) -> bytes:
    return bytes([number & 0x7F | 0x80]) + varint(number >> 7) if number > 0x7F else bytes([number])


def drawn_page(random: np.random.Generator, width: int) -> tuple[bytes, list[int]]:
    """A page as its specification says, and its values; the last group may lack bytes."""
    page, values = b"", list[int]()
    for _ in range(random.integers(0, 30)):
        if random.integers(2):
            length = int(random.choice([1, 5, 63, 64, 300, 20_000]))
            value = int(random.integers(0, 1 << width))
            page += varint(length << 1) + value.to_bytes(width + 7 >> 3, "little")
            values += [value] * length
        else:
            groups = int(random.choice([1, 2, 63, 64, 200]))
            packed = random.integers(0, 1 << width, 8 * groups).tolist()
            bits = sum(value << width * place for place, value in enumerate(packed))
            page += varint(groups << 1 | 1) + bits.to_bytes(groups * width, "little")
            values += packed
    return page, values


def unpacked(page: bytes, runs: Runs) -> list[int]:
    """The values that runs say are in a page."""
    bits, values = int.from_bytes(page, "little"), list[int]()
    columns = (runs.lengths, runs.starts, runs.bits, runs.bases)
    for length, start, width, base in zip(*(each.tolist() for each in columns), strict=True):
        mask = (1 << width) - 1
        part = bits >> start & (1 << length * width) - 1
        values += [base + (part >> width * place & mask) for place in range(length)]
    return values


@pytest.mark.parametrize("count", PAGES)
def test_runs_hold_what_was_written(count: int) -> None:
    random = np.random.default_rng(count)
    widths = random.choice([0, 1, 2, 7, 8, 9, 17, 32], count).tolist()
    drawn = [drawn_page(random, width) for width in widths]
    pages, counts = [page for page, _ in drawn], [len(values) for _, values in drawn]
    found = hybrid_runs(pages, widths, counts)
    assert len(found) == count
    for (page, values), runs in zip(drawn, found, strict=True):
        assert unpacked(page, runs) == values


@pytest.mark.parametrize("count", PAGES)
def test_no_more_values_are_found_than_there_are_said_to_be(count: int) -> None:
    random = np.random.default_rng(count)
    drawn = [drawn_page(random, 3) for _ in range(count)]
    counts = [int(random.integers(0, len(values) + 1)) for _, values in drawn]
    found = hybrid_runs([page for page, _ in drawn], [3] * count, counts)
    assert [each.count for each in found] == counts
    for (page, values), runs, most in zip(drawn, found, counts, strict=True):
        assert unpacked(page, runs) == values[:most]


BAD: dict[str, tuple[bytes, int]] = {
    "nothing": (b"", 1),
    "a run of none": (b"\x00\x01", 1),
    "groups of none": (b"\x01", 1),
    "a value that is cut off": (b"\x08", 4),
    "groups that are cut off": (b"\x05\xff\xff\xff", 16),
    "a header that is cut off": (b"\x80\x80", 1),
    "a header without an end": (b"\xff" * 9, 1),
    "too few": (b"\x08\x01", 5),
}


@pytest.mark.parametrize("count", PAGES)
@pytest.mark.parametrize("name", BAD)
def test_pages_that_end_too_early_are_errors(name: str, count: int) -> None:
    page, most = BAD[name]
    good = [b"\x0a\x01"] * (count - 1)
    with pytest.raises(ParquetError, match="expected runs of all values in a page"):
        hybrid_runs([*good, page], [2] * count, [5] * (count - 1) + [most])


def test_values_that_nobody_reads_may_lack_bytes() -> None:
    (runs,) = hybrid_runs([b"\x03\xff\x01"], [2], [5])
    assert unpacked(b"\x03\xff\x01", runs) == [3, 3, 3, 3, 1]


@pytest.mark.parametrize("width", [-1, 33, 255])
def test_codes_of_no_width_are_errors(width: int) -> None:
    with pytest.raises(ParquetError, match=f"expected codes of up to 32 bits, got {width}"):
        hybrid_runs([b"\x02\x00"], [width], [1])


@pytest.mark.parametrize("seed", range(20))
def test_ones_are_counted(seed: int) -> None:
    page, values = drawn_page(np.random.default_rng(seed), 1)
    for count in {0, 1, len(values) // 2, len(values)} & {*range(len(values) + 1)}:
        (runs,) = hybrid_runs([page], [1], [count])
        assert ones(page, runs) == sum(values[:count])


def test_levels_of_more_than_one_are_errors() -> None:
    page: Sequence[bytes] = [b"\x08\x03"]
    (runs,) = hybrid_runs(page, [1], [4])
    with pytest.raises(ParquetError, match="levels and booleans of 0 or 1, got 3"):
        ones(page[0], runs)
