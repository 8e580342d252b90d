"""Headers of Parquet are read within their bytes, whatever they claim."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vyre_dialect.columns.parquet.deltas import delta_runs
from vyre_dialect.columns.parquet.errors import NotCoveredError, ParquetError
from vyre_dialect.columns.parquet.footer import footer_length, read_footer
from vyre_dialect.columns.parquet.pages import Encoding, pages_of
from vyre_dialect.columns.parquet.thrift import CompactReader

TRUE, I32, BINARY, LIST, MAP, STRUCT = 1, 5, 8, 9, 11, 12
BIT_PACKED = 4


def varint(number: int) -> bytes:
    return bytes([number & 0x7F | 0x80]) + varint(number >> 7) if number > 0x7F else bytes([number])


def zigzag(number: int) -> bytes:
    return varint(number << 1 if number >= 0 else (-number << 1) - 1)


def structure(**fields: tuple[int, bytes]) -> bytes:
    """A structure of fields by their numbers, as `_5`, each a type and a value."""
    encoded, last = b"", 0
    for name, (kind, value) in fields.items():
        number = int(name[1:])
        encoded += bytes([number - last << 4 | kind]) + value
        last = number
    return encoded + b"\0"


def number(value: int) -> tuple[int, bytes]:
    return I32, zigzag(value)


def read(data: bytes) -> dict[int, object]:
    return CompactReader(data, "a header").struct()


@given(st.integers(-(1 << 63), (1 << 63) - 1), st.binary(max_size=9))
def test_fields_are_read_by_their_numbers(value: int, text: bytes) -> None:
    data = structure(
        _1=number(value),
        _3=(BINARY, varint(len(text)) + text),
        _6=(STRUCT, structure(_5=(TRUE, b""))),
        _7=(LIST, bytes([2 << 4 | I32]) + zigzag(7) + zigzag(-8)),
        _8=(MAP, b"\x01" + bytes([I32 << 4 | TRUE]) + zigzag(9) + b"\x01"),
    )
    assert read(data) == {1: value, 3: text, 6: {5: True}, 7: [7, -8], 8: [(9, True)]}


@given(st.binary(max_size=60))
def test_any_bytes_are_a_structure_or_an_error_of_one_line(data: bytes) -> None:
    reader, message = CompactReader(data, "a header"), ""
    try:
        reader.struct()
    except ParquetError as error:
        message = str(error)
    assert "\n" not in message
    assert reader.position <= len(data)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "expected more of a header, got the end of its bytes"),
        (b"\x15" + b"\xff" * 11, "expected numbers of at most 10 bytes in a header, got more"),
        (b"\x1c" * 5000, "expected a header nested at most 16 deep, got more"),
        (b"\x19" * 5000, "expected a header nested at most 16 deep, got more"),
        (b"\x1b" + b"\x01\xbb" * 5000, "expected a header nested at most 16 deep, got more"),
        (b"\x18\xff\xff\xff\x7f", "expected 268435455 more bytes or elements of a header, got 0"),
        (b"\x19\xf5\xff\xff\xff\x7f", "expected 268435455 more bytes or elements of a header"),
        (b"\x1f", "expected fields of known types in a header, got type 15"),
    ],
)
def test_what_headers_claim_is_checked(data: bytes, message: str) -> None:
    with pytest.raises(ParquetError, match=message):
        read(data)


def data_page(rows: int, encoding: int, body: bytes, size: int | None = None) -> bytes:
    """A page of version 1, whose levels are runs."""
    own = structure(_1=number(rows), _2=number(encoding), _3=number(3), _4=number(3))
    size = len(body) if size is None else size
    header = structure(_1=number(0), _2=number(size), _3=number(size), _5=(STRUCT, own))
    return header + body


def dictionary_page(count: int, body: bytes) -> bytes:
    own = structure(_1=number(count), _2=number(0))
    size = number(len(body))
    return structure(_1=number(2), _2=size, _3=size, _7=(STRUCT, own)) + body


def index_page(body: bytes) -> bytes:
    return structure(_1=number(1), _2=number(len(body)), _3=number(len(body))) + body


def test_pages_follow_one_another() -> None:
    parts = [dictionary_page(1, bytes(4)), data_page(3, 8, b"\0\6"), index_page(b"--")]
    chunk = b"".join([*parts, data_page(2, 0, bytes(8)), b"not looked at"])
    pages = pages_of(chunk, 5, optional=False)
    assert pages.dictionary is not None
    assert (pages.dictionary.count, pages.dictionary.values.size) == (1, 4)
    assert [each.rows for each in pages.data] == [3, 2]
    assert [each.encoding for each in pages.data] == [Encoding.RLE_DICTIONARY, Encoding.PLAIN]
    assert [each.values.size for each in pages.data] == [2, 8]


def test_levels_stand_in_front_of_values() -> None:
    levels = b"\x02\x00\x00\x00\x06\x01"
    (page,) = pages_of(data_page(3, 0, levels + bytes(12)), 3, optional=True).data
    assert page.levels is not None
    assert (page.levels.size, page.values.size) == (2, 12)


BAD_PAGES: dict[str, tuple[bytes, str]] = {
    "too few": (data_page(3, 0, bytes(12)), "expected more of the headers of pages"),
    "too many": (data_page(9, 0, bytes(36)), "expected pages of 5 rows, got 9"),
    "outside": (data_page(5, 0, b"", 20), "expected a page of at most 0 bytes, got 20"),
    "of a size below 0": (data_page(5, 0, b"", -1), "expected a size of a page from 0"),
    "of rows below 0": (data_page(-5, 0, b""), "expected a number of values of a page from 0"),
    "unknown": (data_page(5, 77, b""), "expected a known encoding of a page, got 77"),
    "two dictionaries": (dictionary_page(0, b"") * 2, "expected one dictionary, in front"),
    "a late dictionary": (data_page(1, 0, b"") + dictionary_page(0, b""), "expected one dictiona"),
    "without a header": (structure(_1=number(0), _3=number(0)), "expected what a page of data is"),
}


@pytest.mark.parametrize("name", BAD_PAGES)
def test_pages_that_cannot_be_are_errors(name: str) -> None:
    chunk, message = BAD_PAGES[name]
    with pytest.raises(ParquetError, match=message):
        pages_of(chunk, 5, optional=False)


def test_levels_outside_of_their_page_are_errors() -> None:
    with pytest.raises(ParquetError, match="expected levels in 8 bytes of a page, got 5 bytes"):
        pages_of(data_page(5, 0, b"\x05\0\0\0" + bytes(4)), 5, optional=True)


def test_levels_of_old_writers_are_left_to_pyarrow() -> None:
    own = structure(_1=number(1), _2=number(0), _3=number(BIT_PACKED), _4=number(BIT_PACKED))
    header = structure(_1=number(0), _2=number(0), _3=number(0), _5=(STRUCT, own))
    with pytest.raises(NotCoveredError, match="BIT_PACKED"):
        pages_of(header, 1, optional=True)


def differences(values: list[int], block: int = 128, parts: int = 4) -> bytes:
    """A page of DELTA_BINARY_PACKED, with values of its own width in each part."""
    page = varint(block) + varint(parts) + varint(len(values)) + zigzag(values[0] if values else 0)
    deltas = np.diff(values).tolist()
    for start in range(0, len(deltas), block):
        of_block = deltas[start : start + block]
        least, size = min(of_block), block // parts
        split = [of_block[each : each + size] for each in range(0, len(of_block), size)]
        widths = [max(each - least for each in part).bit_length() for part in split]
        page += zigzag(least) + bytes(widths) + b"\xff" * (parts - len(widths))
        for part, width in zip(split, widths, strict=True):
            bits = sum(each - least << width * place for place, each in enumerate(part))
            page += bits.to_bytes(size * width // 8, "little")
    return page


@given(st.lists(st.integers(-(1 << 40), 1 << 40), max_size=300), st.sampled_from([1, 2, 4]))
def test_differences_are_runs(values: list[int], parts: int) -> None:
    page = differences(values, parts=parts)
    runs = delta_runs(page, 64, len(values))
    bits, total, found = int.from_bytes(page, "little"), 0, list[int]()
    columns = (runs.lengths, runs.starts, runs.bits, runs.bases)
    for length, start, width, base in zip(*(each.tolist() for each in columns), strict=True):
        for place in range(length):
            total += base + (bits >> start + width * place & (1 << width) - 1)
            found.append(total)
    assert found == values


BAD_DIFFERENCES: dict[str, Callable[[], bytes]] = {
    "expected 3 values in a page of differences, got 2": lambda: differences([1, 2]),
    "expected blocks of 128 values, got 100": lambda: b"\x64\x04\x03\x00",
    "expected blocks of up to 65536 parts, got 0": lambda: b"\x80\x01\x00\x03\x00",
    "expected blocks of 128 values, got 1099511627776 in 4 parts": lambda: (
        varint(1 << 40) + b"\x04\x03\x00\x00\x01\x00\x00\x00" + bytes(99)
    ),
    "expected parts of 32 values, got 16": lambda: b"\x80\x01\x08\x03\x00",
    "expected more of a page of differences": lambda: differences([1, 2, 9])[:5],
    "expected differences of 32 bits in a page, got 33": lambda: (
        b"\x80\x01\x04\x03\x00\x00\x21\0\0\0" + bytes(132)
    ),
    "expected differences of 32 bits in a page, got 9": lambda: (
        b"\x80\x01\x04\x03\x00\x00\x09\0\0\0\xff"
    ),
}


@pytest.mark.parametrize("message", BAD_DIFFERENCES)
def test_differences_that_cannot_be_are_errors(message: str) -> None:
    with pytest.raises(ParquetError, match=message):
        delta_runs(BAD_DIFFERENCES[message](), 32, 3)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "expected row groups as a list, got None"),
        ({"_4": (LIST, b"\x0c")}, "expected a schema as a list, got None"),
        ({"_2": (LIST, b"\x0c"), "_4": (LIST, b"\x0c")}, "expected more than 0 elements"),
        (
            {"_2": (LIST, b"\x1c" + structure(_5=number(-1))), "_4": (LIST, b"\x0c")},
            "expected up to 1 columns in one, got -1",
        ),
        (
            {"_2": (LIST, b"\x1c" + structure(_5=number(1))), "_4": (LIST, b"\x0c")},
            "expected more than 1 elements in a schema",
        ),
    ],
)
def test_footers_that_cannot_be_are_errors(
    fields: dict[str, tuple[int, bytes]], message: str
) -> None:
    with pytest.raises(ParquetError, match=message):
        read_footer(structure(**fields))


@pytest.mark.parametrize("tail", [b"", b"PAR1", b"\0\0\0\0PAR2", b"\0" * 8])
def test_other_files_are_errors(tail: bytes) -> None:
    with pytest.raises(ParquetError, match="expected a file of Parquet, which ends with PAR1"):
        footer_length(tail)
