"""Runs of Parquet's hybrid are found in many pages at once, and in few."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from vyre_dialect.columns.parquet import hybrid
from vyre_dialect.columns.parquet.errors import ParquetError
from vyre_dialect.columns.parquet.hybrid import _Walk, hybrid_runs  # pyright: ignore[reportPrivateUsage]
from vyre_dialect.columns.parquet.runs import FileBytes, PageRuns, Runs, ones


def found(
    pages: Sequence[bytes], widths: Sequence[int], counts: Sequence[int]
) -> tuple[NDArray[np.uint8], PageRuns]:
    """The bytes of a file that has these pages, and their runs."""
    ends = np.cumsum([3, *map(len, pages)])
    data = np.frombuffer(b"\xff" * 3 + b"".join(pages) + b"\xff", np.uint8)
    pieces = [FileBytes(*each) for each in zip(ends.tolist(), map(memoryview, pages), strict=False)]
    return data, hybrid_runs(data, pieces, widths, counts)


def of_pages(all_runs: PageRuns, count: int) -> list[Runs]:
    """Those of each page."""
    return [all_runs.runs.where(all_runs.pages == page) for page in range(count)]


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


def unpacked(data: NDArray[np.uint8], runs: Runs) -> list[int]:
    """The values that runs say are in a file."""
    bits, values = int.from_bytes(data.tobytes(), "little"), list[int]()
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
    data, runs = found(pages, widths, counts)
    for (_, values), each in zip(drawn, of_pages(runs, count), strict=True):
        assert unpacked(data, each) == values


@pytest.mark.parametrize("count", PAGES)
def test_no_more_values_are_found_than_there_are_said_to_be(count: int) -> None:
    random = np.random.default_rng(count)
    drawn = [drawn_page(random, 3) for _ in range(count)]
    counts = [int(random.integers(0, len(values) + 1)) for _, values in drawn]
    data, runs = found([page for page, _ in drawn], [3] * count, counts)
    by_page = of_pages(runs, count)
    assert [each.count for each in by_page] == counts
    for (_, values), each, most in zip(drawn, by_page, counts, strict=True):
        assert unpacked(data, each) == values[:most]


@pytest.mark.parametrize("count", [1, 3])
def test_runs_with_equal_headers_are_found_in_few_steps(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(count)
    values = random.integers(0, 1 << 5, 504 * 100 + 7).tolist()
    page = b""
    for begin in range(0, len(values), 504):
        part = values[begin : begin + 504]
        bits = sum(value << 5 * place for place, value in enumerate(part))
        groups = len(part) + 7 >> 3
        page += varint(groups << 1 | 1) + bits.to_bytes(groups * 5, "little")
    alone = counted(monkeypatch, _Walk, "go_alone")
    steps = counted(monkeypatch, _Walk, "_step")
    data, runs = found([page] * count, [5] * count, [len(values)] * count)
    assert [unpacked(data, each) for each in of_pages(runs, count)] == [values] * count
    assert (steps(), alone()) == (3, 0)


def test_no_more_equal_headers_are_looked_for_than_twice_as_many_as_there_were(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page, values = b"", list[int]()
    for number in range(300):
        page += varint(1 << 1 | 1) + bytes([number % 256]) + varint(8 << 1) + b"\1"
        values += [number % 256 >> bit & 1 for bit in range(8)] + [1] * 8
    looked_for, counts_of = list[int](), hybrid._counted

    def counted(counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        looked_for.append(int(counts.sum()))
        return counts_of(counts)

    monkeypatch.setattr(hybrid, "_counted", counted)
    data, runs = found([page] * 20, [1] * 20, [len(values)] * 20)
    assert [unpacked(data, each) for each in of_pages(runs, 20)] == [values] * 20
    assert sum(looked_for) < 20 * (64 + 2 * 600)


def counted(monkeypatch: pytest.MonkeyPatch, owner: type, name: str) -> Callable[[], int]:
    """How often a method has been called so far."""
    calls, method = list[None](), getattr(owner, name)

    def call(*arguments: object) -> object:
        calls.append(None)
        return method(*arguments)

    monkeypatch.setattr(owner, name, call)
    return lambda: len(calls)


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
        found([*good, page], [2] * count, [5] * (count - 1) + [most])


def test_values_that_nobody_reads_may_lack_bytes() -> None:
    data, (runs, _) = found([b"\x03\xff\x01"], [2], [5])
    assert unpacked(data, runs) == [3, 3, 3, 3, 1]


@pytest.mark.parametrize("width", [-1, 33, 255])
def test_codes_of_no_width_are_errors(width: int) -> None:
    with pytest.raises(ParquetError, match=f"expected codes of up to 32 bits, got {width}"):
        found([b"\x02\x00"], [width], [1])


@pytest.mark.parametrize("seed", range(20))
def test_ones_are_counted(seed: int) -> None:
    page, values = drawn_page(np.random.default_rng(seed), 1)
    for count in {0, 1, len(values) // 2, len(values)} & {*range(len(values) + 1)}:
        data, runs = found([page, page], [1, 1], [count, len(values)])
        assert ones(data, runs, 2) == [sum(values[:count]), sum(values)]


def test_levels_of_more_than_one_are_errors() -> None:
    data, runs = found([b"\x08\x03"], [1], [4])
    with pytest.raises(ParquetError, match="levels and booleans of 0 or 1, got 3"):
        ones(data, runs, 1)
