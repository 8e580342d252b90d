"""
The pages of a column chunk: what their headers say, checked against the bytes that there are.

See `src/main/thrift/parquet.thrift` of apache/parquet-format.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from vyre_dialect.columns.parquet.errors import NotCoveredError, ParquetError
from vyre_dialect.columns.parquet.runs import Bytes
from vyre_dialect.columns.parquet.thrift import CompactReader, Struct, required, structure
from vyre_dialect.columns.parquet.usual_headers import usual_header

_MOST_VALUES = (1 << 31) - 1


class Encoding(IntEnum):
    """How the values of a page are written."""

    PLAIN = 0
    PLAIN_DICTIONARY = 2
    RLE = 3
    BIT_PACKED = 4
    DELTA_BINARY_PACKED = 5
    DELTA_LENGTH_BYTE_ARRAY = 6
    DELTA_BYTE_ARRAY = 7
    RLE_DICTIONARY = 8
    BYTE_STREAM_SPLIT = 9


_ENCODINGS = {each.value: each for each in Encoding}


class _PageType(IntEnum):
    DATA = 0
    DICTIONARY = 2
    DATA_V2 = 3


@dataclass(frozen=True)
class Span:
    """Bytes of a chunk, from the first up to the one behind the last."""

    begin: int
    end: int

    @property
    def size(self) -> int:
        """How many bytes."""
        return self.end - self.begin


@dataclass(frozen=True)
class DictionaryPage:
    """The values that codes stand for, one after the other as `PLAIN` has them."""

    count: int
    values: Span


@dataclass(frozen=True)
class DataPage:
    """Some rows of a column."""

    rows: int
    encoding: Encoding
    levels: Span | None
    """Definition levels, one bit each as runs; None where all rows have a value."""
    values: Span


@dataclass(frozen=True)
class Pages:
    """All pages of a chunk."""

    dictionary: DictionaryPage | None
    data: tuple[DataPage, ...]


def pages_of(chunk: Bytes, rows: int, *, optional: bool) -> Pages:
    """
    The pages of so many rows, of which values may be missing where they are `optional`.

    Raises ParquetError where the chunk cannot have them, NotCoveredError where this does not know
    how to read them. Pages of other types, as indexes, are passed over.
    """
    reader, dictionary, data, seen = (
        CompactReader(chunk, "the headers of pages"),
        None,
        list[DataPage](),
        0,
    )
    while seen < rows:
        header = _header(reader)
        body = _body(header, reader.position, len(chunk))
        reader.position = body.end
        kind = required(header, 1, int, "the type of a page")
        if kind == _PageType.DICTIONARY:
            if dictionary is not None or data:
                raise ParquetError("expected one dictionary, in front of all other pages")
            dictionary = _dictionary(header, body)
        elif kind in (_PageType.DATA, _PageType.DATA_V2):
            page = _data if kind == _PageType.DATA else _data_v2
            data.append(page(chunk, header, body, optional))
            seen += data[-1].rows
    if seen > rows:
        raise ParquetError(f"expected pages of {rows} rows, got {seen}")
    return Pages(dictionary, tuple(data))


def _header(reader: CompactReader) -> Struct:
    """The next header, which the reader is behind then."""
    usual = usual_header(reader.data, reader.position)
    if usual is None:
        return reader.struct()
    reader.position = usual.end
    return usual.fields


def _count(struct: Struct, number: int, what: str) -> int:
    value = required(struct, number, int, f"{what} of a page")
    if not 0 <= value <= _MOST_VALUES:
        raise ParquetError(f"expected {what} of a page from 0 to {_MOST_VALUES}, got {value}")
    return value


def _body(header: Struct, begin: int, end: int) -> Span:
    size = _count(header, 3, "a size")
    if size > end - begin:
        raise ParquetError(f"expected a page of at most {end - begin} bytes, got {size}")
    return Span(begin, begin + size)


def _encoding(struct: Struct, number: int) -> Encoding:
    value = required(struct, number, int, "the encoding of a page")
    if value not in _ENCODINGS:
        raise ParquetError(f"expected a known encoding of a page, got {value}")
    return _ENCODINGS[value]


def _dictionary(header: Struct, body: Span) -> DictionaryPage:
    fields = structure(header.get(7), "what a dictionary is")
    encoding = _encoding(fields, 2)
    if encoding not in (Encoding.PLAIN, Encoding.PLAIN_DICTIONARY):
        raise ParquetError(f"expected a plain dictionary, got one of {encoding.name}")
    return DictionaryPage(_count(fields, 1, "a number of values"), body)


def _data(chunk: Bytes, header: Struct, body: Span, optional: bool) -> DataPage:
    fields = structure(header.get(5), "what a page of data is")
    rows, encoding = _count(fields, 1, "a number of values"), _encoding(fields, 2)
    if not optional:
        return DataPage(rows, encoding, None, body)
    levels = _encoding(fields, 3)
    if levels == Encoding.BIT_PACKED:
        raise NotCoveredError("levels are written as BIT_PACKED")
    if levels != Encoding.RLE:
        raise ParquetError(f"expected levels of RLE, got {levels.name}")
    begin = body.begin + 4
    size = int.from_bytes(chunk[body.begin : begin], "little")
    if begin > body.end or size > body.end - begin:
        raise ParquetError(f"expected levels in {body.size} bytes of a page, got {size} bytes more")
    return DataPage(rows, encoding, Span(begin, begin + size), Span(begin + size, body.end))


def _data_v2(chunk: Bytes, header: Struct, body: Span, optional: bool) -> DataPage:
    fields = structure(header.get(8), "what a page of data is")
    rows, encoding = _count(fields, 1, "a number of values"), _encoding(fields, 4)
    levels, repeated = _count(fields, 5, "a size of levels"), _count(fields, 6, "a size of levels")
    if repeated or levels > body.size or (levels and not optional):
        raise ParquetError(
            f"expected a page of {body.size} bytes without levels that it cannot have, "
            f"got {repeated} and {levels} bytes of them"
        )
    begin = body.begin
    span = Span(begin, begin + levels) if optional else None
    return DataPage(rows, encoding, span, Span(begin + levels, body.end))
