"""How the pages of a column, from one chunk or several, become what a program decodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import IntegerType, i8, i32

from vyre_dialect.columns.parquet.decoders import (
    Coded,
    Decoder,
    Differences,
    PackedRuns,
    Plain,
    Spaced,
    Split,
)
from vyre_dialect.columns.parquet.deltas import delta_runs
from vyre_dialect.columns.parquet.errors import NotCoveredError, ParquetError
from vyre_dialect.columns.parquet.hybrid import hybrid_runs
from vyre_dialect.columns.parquet.pages import DataPage, DictionaryPage, Encoding, pages_of
from vyre_dialect.columns.parquet.physical import BOOLEAN, Numbers
from vyre_dialect.columns.parquet.runs import Array, Bytes, Runs, ones, require_bits
from vyre_dialect.ir.element_types import element_type_of

_MOST_CODES = 1 << 31
_SIZE = 4
"""Bytes in which lengths are written."""


class Chunk(NamedTuple):
    """The bytes of a column in a row group."""

    data: bytes
    rows: int


class Assembled(NamedTuple):
    """A column, as a program decodes it."""

    values: Decoder
    validity: Decoder | None
    """Of i8."""
    dictionary: list[str] | list[bytes] | None


class _Kind(Enum):
    """Encodings that are read alike."""

    PLAIN = (Encoding.PLAIN,)
    CODES = (Encoding.PLAIN_DICTIONARY, Encoding.RLE_DICTIONARY)
    RUNS = (Encoding.RLE,)
    DIFFERENCES = (Encoding.DELTA_BINARY_PACKED,)
    SPLIT = (Encoding.BYTE_STREAM_SPLIT,)


@dataclass(frozen=True)
class _Part:
    """What one page has."""

    body: Bytes
    present: int
    """How many values are there."""
    encoding: Encoding
    chunk: int
    """The number of the chunk, by which it has a dictionary."""


@dataclass
class _Column:
    """What all pages have."""

    pages: list[DataPage]
    bodies: list[Bytes]
    chunks: list[int]
    """The number of the chunk of each page, by which it has a dictionary."""
    levels: list[Bytes]
    """Of each page, unless no value can be missing."""
    dictionaries: list[Bytes | None]
    counts: list[int]
    """How many values dictionaries have, if there is one."""


def assemble(
    chunks: Sequence[Chunk],
    physical: str,
    numbers: Numbers | None,
    *,
    optional: bool,
    text: bool,
) -> Assembled:
    """
    What a program decodes a column from, of a physical type that is covered; values may be missing
    if they are `optional`; bytes that are no numbers are `text` or nothing in particular.

    Raises ParquetError where chunks are damaged, and NotCoveredError where they are written in a
    way that is not read here.
    """
    column = _Column([], [], [], [], [], [])
    for chunk in chunks:
        _read(column, chunk, optional)
    rows = [page.rows for page in column.pages]
    level_runs = hybrid_runs(column.levels, [1] * len(column.levels), rows if optional else [])
    present = rows
    if optional:
        present = [ones(*each) for each in zip(column.levels, level_runs, strict=True)]
    parts = _parts(column, present)
    dictionary = None
    if numbers is not None:
        values = _numbers(column, parts, numbers)
    elif physical == BOOLEAN:
        values = _booleans(parts)
    else:
        values, dictionary = _texts(column, parts, text)
    if present == rows:
        return Assembled(values, None, dictionary)
    levels = PackedRuns.joined(column.levels, level_runs, i32)
    validity = PackedRuns(levels.data, levels.runs, i8)
    return Assembled(Spaced(values, levels), validity, dictionary)


def _parts(column: _Column, present: Sequence[int]) -> list[_Part]:
    """The pages that have values."""
    each = zip(column.bodies, present, column.pages, column.chunks, strict=True)
    return [_Part(body, count, page.encoding, chunk) for body, count, page, chunk in each if count]


def _read(column: _Column, chunk: Chunk, optional: bool) -> None:
    pages, data = pages_of(chunk.data, chunk.rows, optional=optional), memoryview(chunk.data)
    _read_dictionary(column, data, pages.dictionary)
    for page in pages.data:
        column.pages.append(page)
        column.bodies.append(data[page.values.begin : page.values.end])
        column.chunks.append(len(column.dictionaries) - 1)
        if page.levels is not None:
            column.levels.append(data[page.levels.begin : page.levels.end])


def _read_dictionary(column: _Column, data: memoryview, page: DictionaryPage | None) -> None:
    column.dictionaries.append(None if page is None else data[page.values.begin : page.values.end])
    column.counts.append(0 if page is None else page.count)


def _kinds(parts: Sequence[_Part], *, covered: Sequence[set[_Kind]]) -> set[_Kind]:
    """How pages are written. Raises NotCoveredError for what is not among some of those."""
    encodings = {part.encoding for part in parts}
    kinds = {kind for kind in _Kind if encodings & {*kind.value}}
    known = {encoding for kind in kinds for encoding in kind.value}
    if encodings - known or not any(kinds <= each for each in covered):
        names = " and ".join(sorted(encoding.name for encoding in encodings))
        raise NotCoveredError(f"its pages are written as {names}")
    return kinds


def _booleans(parts: Sequence[_Part]) -> Decoder:
    """Bits, packed or in runs."""
    _kinds(parts, covered=[{_Kind.PLAIN, _Kind.RUNS}])
    in_runs = [part for part in parts if part.encoding != Encoding.PLAIN]
    bodies = [_taken(part.body[_SIZE:], _size(part.body)) for part in in_runs]
    runs = hybrid_runs(bodies, [1] * len(bodies), [part.present for part in in_runs])
    for each in runs:
        require_bits(each)
    of_runs = zip(bodies, runs, strict=True)
    read = [_bits(part) if part.encoding == Encoding.PLAIN else next(of_runs) for part in parts]
    return PackedRuns.joined([body for body, _ in read], [each for _, each in read], i8)


def _bits(part: _Part) -> tuple[Bytes, Runs]:
    """Booleans one after the other, as a run."""
    return _taken(part.body, part.present + 7 >> 3), Runs.of([part.present, 0, 1, 0])


def _numbers(column: _Column, parts: Sequence[_Part], numbers: Numbers) -> Decoder:
    kinds = _kinds(parts, covered=_covered(numbers))
    if _Kind.CODES in kinds:
        return _coded_numbers(column, parts, numbers)
    if _Kind.DIFFERENCES in kinds:
        return _differences(parts, numbers.dtype)
    if _Kind.SPLIT in kinds:
        return _split(parts, numbers.dtype)
    return Plain(_joined([numbers.read(part.body, part.present) for part in parts], numbers.dtype))


def _covered(numbers: Numbers) -> list[set[_Kind]]:
    """How pages of numbers may be written."""
    covered = [{_Kind.PLAIN, _Kind.CODES}]
    if numbers.is_big_endian:
        return covered
    return [*covered, {_Kind.SPLIT}, *([{_Kind.DIFFERENCES}] if numbers.dtype.kind == "i" else [])]


def _differences(parts: Sequence[_Part], dtype: np.dtype[np.generic]) -> Decoder:
    type = IntegerType(8 * dtype.itemsize)
    runs = [delta_runs(part.body, 8 * dtype.itemsize, part.present) for part in parts]
    ends = np.cumsum([part.present for part in parts])
    return Differences(PackedRuns.joined([part.body for part in parts], runs, type), ends)


def _split(parts: Sequence[_Part], dtype: np.dtype[np.generic]) -> Decoder:
    size = dtype.itemsize
    for part in parts:
        if len(part.body) != part.present * size:
            raise ParquetError(
                f"expected {part.present * size} bytes in a page, got {len(part.body)}"
            )
    streams = [np.frombuffer(part.body, np.uint8).reshape(size, -1) for part in parts]
    return Split(np.concatenate(streams, axis=1).ravel(), element_type_of(dtype))


def _coded_numbers(column: _Column, parts: Sequence[_Part], numbers: Numbers) -> Decoder:
    """
    Dictionaries one after the other, and behind them the values of plain pages, which writers
    change to once a dictionary is too long: codes of these are the numbers from 0 up, packed once.
    """
    counts = column.counts
    tables = [
        numbers.read(body or b"", count)
        for body, count in zip(column.dictionaries, counts, strict=True)
    ]
    place, plain = sum(counts), list[Array]()
    firsts = np.cumsum([0, *counts]).tolist()
    coded = _codes(column, [part for part in parts if part.encoding != Encoding.PLAIN])
    bodies, runs, limits = list[Bytes | None](), list[Runs](), list[int]()
    for part in parts:
        if part.encoding == Encoding.PLAIN:
            plain.append(numbers.read(part.body, part.present))
            bodies.append(None)
            runs.append(Runs.of([part.present, 0, 32, place]))
            limits.append(_MOST_CODES)
            place += part.present
            continue
        body, of_part = next(coded)
        bodies.append(body)
        runs.append(of_part.above(firsts[part.chunk]))
        limits.append(counts[part.chunk])
    if place > _MOST_CODES:
        raise NotCoveredError(f"its dictionaries have {place} values")
    # Where codes are of one dictionary, and of nothing besides, the decoder checks them.
    is_one = not plain and sum(count > 0 for count in counts) == 1
    counting = np.arange(max(map(len, plain), default=0), dtype="<i4").tobytes()
    codes = PackedRuns.joined(bodies, runs, i32, None if is_one else limits, counting)
    return Coded(codes, _joined([*tables, *plain], numbers.dtype))


def _codes(column: _Column, parts: Sequence[_Part]) -> Iterator[tuple[Bytes, Runs]]:
    """The codes of each page, checked as far as they stand in headers."""
    widths = [_taken(part.body, 1)[0] for part in parts]
    bodies = [part.body[1:] for part in parts]
    all_runs = hybrid_runs(bodies, widths, [part.present for part in parts])
    for part, runs in zip(parts, all_runs, strict=True):
        if column.dictionaries[part.chunk] is None:
            raise ParquetError("expected a dictionary in front of pages of codes, got none")
        if runs.greatest_base >= max(column.counts[part.chunk], 1):
            raise ParquetError(
                f"expected codes below {column.counts[part.chunk]}, got {runs.greatest_base}"
            )
    return zip(bodies, all_runs, strict=True)


def _texts(
    column: _Column, parts: Sequence[_Part], text: bool
) -> tuple[Decoder, list[str] | list[bytes]]:
    """Codes of texts, where those of all dictionaries are told apart."""
    _kinds(parts, covered=[{_Kind.CODES}])
    places, table = dict[bytes, int](), list[int]()
    for body, count in zip(column.dictionaries, column.counts, strict=True):
        for each in _texts_of(bytes(body or b""), count):
            table.append(places.setdefault(each, len(places)))
    firsts = np.cumsum([0, *column.counts]).tolist()
    read = [*_codes(column, parts)]
    codes = PackedRuns.joined(
        [body for body, _ in read],
        [runs.above(firsts[part.chunk]) for part, (_, runs) in zip(parts, read, strict=True)],
        i32,
        [column.counts[part.chunk] for part in parts],
    )
    dictionary = _decoded(list(places)) if text else list(places)
    if table == list(range(len(table))):
        return codes, dictionary
    return Coded(codes, np.array(table, np.int32)), dictionary


def _texts_of(body: bytes, count: int) -> list[bytes]:
    """Texts with their lengths in front."""
    texts, place = list[bytes](), 0
    for _ in range(count):
        begin = place + _SIZE
        place = begin + int.from_bytes(body[place:begin], "little")
        if place > len(body):
            raise ParquetError(f"expected {count} texts in a dictionary, got {len(texts)}")
        texts.append(body[begin:place])
    return texts


def _decoded(texts: Sequence[bytes]) -> list[str]:
    try:
        return [each.decode() for each in texts]
    except UnicodeDecodeError as error:
        raise ParquetError(f"expected strings of UTF-8 in a dictionary: {error}") from None


def _joined(parts: Sequence[Array], dtype: np.dtype[np.generic]) -> Array:
    return np.concatenate([np.zeros(0, dtype), *parts])


def _size(body: Bytes) -> int:
    return int.from_bytes(_taken(body, _SIZE), "little")


def _taken(body: Bytes, size: int) -> Bytes:
    if size > len(body):
        raise ParquetError(f"expected {size} bytes of values in a page, got {len(body)}")
    return body[:size]
