"""How the pages of a column, from one chunk or several, become what a program decodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import IntegerType, i8, i32

from vyre_dialect.columns.parquet.decoders import (
    Coded,
    Decoder,
    Differences,
    InPlace,
    PackedRuns,
    Plain,
    Spaced,
    Split,
)
from vyre_dialect.columns.parquet.deltas import delta_runs
from vyre_dialect.columns.parquet.errors import NotCoveredError, ParquetError
from vyre_dialect.columns.parquet.hybrid import hybrid_runs
from vyre_dialect.columns.parquet.pages import DataPage, DictionaryPage, Encoding, Pages, Span
from vyre_dialect.columns.parquet.physical import BOOLEAN, Numbers
from vyre_dialect.columns.parquet.runs import (
    Array,
    Bytes,
    FileBytes,
    PageRuns,
    Runs,
    Source,
    ones,
    require_bits,
)
from vyre_dialect.ir.element_types import element_type_of

_MOST_CODES = 1 << 31
_SIZE = 4
"""Bytes in which lengths are written."""


class Chunk(NamedTuple):
    """A column in a row group."""

    piece: FileBytes
    pages: Pages


class Assembled(NamedTuple):
    """A column, as a program decodes it."""

    values: Decoder
    validity: Decoder | None
    """Integers, of which 0 stands for no value: i8, or the levels of i32."""
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

    body: FileBytes
    present: int
    """How many values are there."""
    encoding: Encoding
    chunk: int
    """The number of the chunk, by which it has a dictionary."""


@dataclass
class _Column:
    """What all pages have."""

    source: Source
    pages: list[DataPage]
    bodies: list[FileBytes]
    chunks: list[int]
    """The number of the chunk of each page, by which it has a dictionary."""
    levels: list[FileBytes]
    """Of each page, unless no value can be missing."""
    dictionaries: list[FileBytes | None]
    counts: list[int]
    """How many values dictionaries have, if there is one."""


def assemble(
    source: Source,
    chunks: Sequence[Chunk],
    physical: str,
    numbers: Numbers | None,
    *,
    optional: bool,
    text: bool,
) -> Assembled:
    """
    What a program decodes a column of a file from, of a physical type that is covered; values may
    be missing if they are `optional`; bytes that are no numbers are `text` or nothing in
    particular.

    Raises ParquetError where chunks are damaged, and NotCoveredError where they are written in a
    way that is not read here.
    """
    column = _Column(source, [], [], [], [], [], [])
    for chunk in chunks:
        _read(column, chunk)
    rows = [page.rows for page in column.pages]
    ones_of = [1] * len(column.levels)
    level_runs = hybrid_runs(source.data, column.levels, ones_of, rows if optional else [])
    present = ones(source.data, level_runs, len(rows)) if optional else rows
    parts = _parts(column, present)
    dictionary = None
    if numbers is not None:
        values = _numbers(column, parts, numbers)
    elif physical == BOOLEAN:
        values = _booleans(column, parts)
    else:
        values, dictionary = _texts(column, parts, text)
    if present == rows:
        return Assembled(values, None, dictionary)
    levels = PackedRuns.of(source, column.levels, level_runs, i32)
    return Assembled(Spaced(values, levels), levels, dictionary)


def _parts(column: _Column, present: Sequence[int]) -> list[_Part]:
    """The pages that have values."""
    each = zip(column.bodies, present, column.pages, column.chunks, strict=True)
    return [_Part(body, count, page.encoding, chunk) for body, count, page, chunk in each if count]


def _read(column: _Column, chunk: Chunk) -> None:
    (begin, data), pages = chunk
    _read_dictionary(column, begin, data, pages.dictionary)
    for page in pages.data:
        column.pages.append(page)
        column.bodies.append(_piece(begin, data, page.values))
        column.chunks.append(len(column.dictionaries) - 1)
        if page.levels is not None:
            column.levels.append(_piece(begin, data, page.levels))


def _piece(begin: int, data: Bytes, span: Span) -> FileBytes:
    return FileBytes(begin + span.begin, data[span.begin : span.end])


def _read_dictionary(column: _Column, begin: int, data: Bytes, page: DictionaryPage | None) -> None:
    column.dictionaries.append(None if page is None else _piece(begin, data, page.values))
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


def _booleans(column: _Column, parts: Sequence[_Part]) -> Decoder:
    """Bits, packed or in runs."""
    _kinds(parts, covered=[{_Kind.PLAIN, _Kind.RUNS}])
    bodies = [_bits_of(part) for part in parts]
    packed, in_runs = _numbers_of(parts, Encoding.PLAIN), _numbers_of(parts, Encoding.RLE)
    found = _hybrid(column, bodies, [1] * len(parts), parts, in_runs)
    require_bits(found.runs)
    plain = [Runs.of([parts[at].present, 8 * bodies[at].begin, 1, 0]) for at in packed]
    all_runs = PageRuns.merged([found, PageRuns.of(plain).of_pages(packed)])
    return PackedRuns.of(column.source, bodies, all_runs, i8)


def _bits_of(part: _Part) -> FileBytes:
    """The bytes of booleans one after the other, or of their runs, behind their size."""
    if part.encoding == Encoding.PLAIN:
        return part.body.first(part.present + 7 >> 3)
    return part.body.behind(_SIZE).first(_size(part.body))


def _numbers_of(parts: Sequence[_Part], encoding: Encoding) -> list[int]:
    """Which pages are of an encoding."""
    return [number for number, part in enumerate(parts) if part.encoding == encoding]


def _hybrid(
    column: _Column,
    bodies: Sequence[FileBytes],
    widths: Sequence[int],
    parts: Sequence[_Part],
    chosen: Sequence[int],
) -> PageRuns:
    """The runs of some of the pages."""
    found = hybrid_runs(
        column.source.data,
        [bodies[number] for number in chosen],
        [widths[number] for number in chosen],
        [parts[number].present for number in chosen],
    )
    return found.of_pages(chosen)


def _numbers(column: _Column, parts: Sequence[_Part], numbers: Numbers) -> Decoder:
    kinds = _kinds(parts, covered=_covered(numbers))
    if column.source.in_place and kinds <= {_Kind.PLAIN, _Kind.CODES} and not numbers.is_big_endian:
        return _in_place(column, parts, numbers)
    if _Kind.CODES in kinds:
        return _coded_numbers(column, parts, numbers)
    if _Kind.DIFFERENCES in kinds:
        return _differences(column, parts, numbers.dtype)
    if _Kind.SPLIT in kinds:
        return _split(parts, numbers.dtype)
    return Plain(
        _joined([numbers.read(part.body.data, part.present) for part in parts], numbers.dtype)
    )


def _covered(numbers: Numbers) -> list[set[_Kind]]:
    """How pages of numbers may be written."""
    covered = [{_Kind.PLAIN, _Kind.CODES}]
    if numbers.is_big_endian:
        return covered
    return [*covered, {_Kind.SPLIT}, *([{_Kind.DIFFERENCES}] if numbers.dtype.kind == "i" else [])]


def _differences(column: _Column, parts: Sequence[_Part], dtype: np.dtype[np.generic]) -> Decoder:
    type = IntegerType(8 * dtype.itemsize)
    runs = [
        delta_runs(part.body.data, 8 * dtype.itemsize, part.present).moved(part.body.begin)
        for part in parts
    ]
    ends, bodies = np.cumsum([part.present for part in parts]), [part.body for part in parts]
    return Differences(PackedRuns.of(column.source, bodies, PageRuns.of(runs), type), ends)


def _split(parts: Sequence[_Part], dtype: np.dtype[np.generic]) -> Decoder:
    size = dtype.itemsize
    for part in parts:
        if len(part.body.data) != part.present * size:
            raise ParquetError(
                f"expected {part.present * size} bytes in a page, got {len(part.body.data)}"
            )
    streams = [np.frombuffer(part.body.data, np.uint8).reshape(size, -1) for part in parts]
    return Split(np.concatenate(streams, axis=1).ravel(), element_type_of(dtype))


def _coded_numbers(column: _Column, parts: Sequence[_Part], numbers: Numbers) -> Decoder:
    """
    Dictionaries one after the other, and behind them the values of plain pages, which writers
    change to once a dictionary is too long: codes of these are the numbers from 0 up, packed once.
    """
    counts = column.counts
    tables = [
        numbers.read(b"" if body is None else body.data, count)
        for body, count in zip(column.dictionaries, counts, strict=True)
    ]
    plain_pages = _numbers_of(parts, Encoding.PLAIN)
    plain = [numbers.read(parts[at].body.data, parts[at].present) for at in plain_pages]
    places = sum(counts) + np.cumsum([0, *map(len, plain)])
    if places[-1] > _MOST_CODES:
        raise NotCoveredError(f"its dictionaries have {places[-1]} values")
    bodies, coded = _codes(column, parts)
    limits = [counts[part.chunk] for part in parts]
    counted = list[Runs]()
    for at, place in zip(plain_pages, places.tolist(), strict=False):
        bodies[at], limits[at] = FileBytes(0, b""), _MOST_CODES
        counted.append(Runs.of([parts[at].present, 0, 32, place]))
    found = PageRuns.merged([coded, PageRuns.of(counted).of_pages(plain_pages)])
    # Where codes are of one dictionary, and of nothing besides, the decoder checks them.
    is_one = not plain and sum(count > 0 for count in counts) == 1
    counting = np.arange(max(map(len, plain), default=0), dtype="<i4").tobytes()
    bound = None if is_one else limits
    codes = PackedRuns.of(column.source, bodies, found, i32, bound, counting)
    return Coded(codes, _joined([*tables, *plain], numbers.dtype))


def _in_place(column: _Column, parts: Sequence[_Part], numbers: Numbers) -> Decoder:
    """Runs of codes, each with the place of its dictionary, and plain pages as runs that count."""
    for part in parts:
        if part.encoding == Encoding.PLAIN:
            numbers.read(part.body.data, part.present)
    places = [0 if each is None else each.begin for each in column.dictionaries]
    for each, count in zip(column.dictionaries, column.counts, strict=True):
        numbers.read(b"" if each is None else each.data, count)
    bodies, coded = _codes(column, parts)
    plain = _numbers_of(parts, Encoding.PLAIN)
    counted = [Runs.of([parts[at].present, 0, 0, 0]) for at in plain]
    found = PageRuns.merged([coded, PageRuns.of(counted).of_pages(plain)])
    runs, pages = found
    is_plain = np.array([part.encoding == Encoding.PLAIN for part in parts], bool)[pages]
    begins = np.array([part.body.begin for part in parts], np.int64)[pages]
    present = np.array([part.present for part in parts], np.int64)[pages]
    chunks = np.array([part.chunk for part in parts], np.int64)[pages]
    counts = np.array(column.counts, np.int64)
    # A run of one value is a dictionary of one, which begins there.
    code = runs.bases - np.where(is_plain, 0, (np.cumsum(counts) - counts)[chunks])
    tables = np.where(is_plain, begins, np.array(places, np.int64)[chunks] + numbers.size * code)
    return InPlace(
        PackedRuns.of(column.source, bodies, found, i32),
        is_plain.astype(np.int64),
        tables,
        np.where(is_plain, present, counts[chunks] - code),
        element_type_of(numbers.dtype),
    )


def _codes(column: _Column, parts: Sequence[_Part]) -> tuple[list[FileBytes], PageRuns]:
    """
    The bytes of each page, and the codes of those that are not plain, each above where its
    dictionary begins among all; checked as far as they stand in headers.
    """
    coded = [at for at, part in enumerate(parts) if part.encoding != Encoding.PLAIN]
    bodies, widths = [part.body for part in parts], [0] * len(parts)
    for at in coded:
        widths[at] = parts[at].body.first(1).data[0]
        bodies[at] = parts[at].body.behind(1)
        if column.dictionaries[parts[at].chunk] is None:
            raise ParquetError("expected a dictionary in front of pages of codes, got none")
    found = _hybrid(column, bodies, widths, parts, coded)
    chunks = np.array([part.chunk for part in parts], np.int64)[found.pages]
    limits = np.array(column.counts, np.int64)[chunks]
    is_bad = found.runs.bases >= np.maximum(limits, 1)
    if is_bad.any():
        first = int(is_bad.argmax())
        raise ParquetError(f"expected codes below {limits[first]}, got {found.runs.bases[first]}")
    firsts = np.cumsum([0, *column.counts])[chunks]
    return bodies, found._replace(runs=found.runs.above(firsts))


def _texts(
    column: _Column, parts: Sequence[_Part], text: bool
) -> tuple[Decoder, list[str] | list[bytes]]:
    """Codes of texts, where those of all dictionaries are told apart."""
    _kinds(parts, covered=[{_Kind.CODES}])
    places, table = dict[bytes, int](), list[int]()
    for body, count in zip(column.dictionaries, column.counts, strict=True):
        for each in _texts_of(b"" if body is None else bytes(body.data), count):
            table.append(places.setdefault(each, len(places)))
    bodies, found = _codes(column, parts)
    limits = [column.counts[part.chunk] for part in parts]
    codes = PackedRuns.of(column.source, bodies, found, i32, limits)
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


def _size(body: FileBytes) -> int:
    return int.from_bytes(body.first(_SIZE).data, "little")
