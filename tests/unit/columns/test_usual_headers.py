"""Headers of the usual form say what the reader of all headers reads, and others are left to it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tables import pa

from vyre_dialect.columns.extras import extra
from vyre_dialect.columns.parquet.thrift import CompactReader, Struct
from vyre_dialect.columns.parquet.usual_headers import usual_header

NUMBERS = st.integers(0, (1 << 31) - 1)
STATISTICS = 5


def varint(number: int) -> bytes:
    return bytes([number & 0x7F | 0x80]) + varint(number >> 7) if number > 0x7F else bytes([number])


def field(value: int) -> bytes:
    return b"\x15" + varint(value << 1)


@st.composite
def headers(draw: st.DrawFn) -> bytes:
    """Headers of pages of numbers, with statistics of several versions or without."""
    sizes = b"".join(field(draw(NUMBERS)) for _ in range(2))
    page = b"".join(field(draw(st.one_of(st.integers(0, 9), NUMBERS))) for _ in range(4))
    width = draw(st.sampled_from([0, 1, 2, 4, 8]))
    bound = bytes([width]) + draw(st.binary(min_size=width, max_size=width))
    nulls = b"\x16" + varint(draw(st.integers(0, (1 << 62) - 1)) << 1)
    both = b"\x18" + bound + b"\x18" + bound
    of_version = [
        b"",
        b"\x1c" + both + b"\x00",
        b"\x1c" + both + nulls + b"\x28" + bound + b"\x18" + bound + b"\x11\x12" + b"\x00",
        b"\x1c\x36" + nulls[1:] + b"\x00",
    ]
    return b"\x15\x00" + sizes + b"\x2c" + page + draw(st.sampled_from(of_version)) + b"\x00\x00"


def assert_as_read(data: bytes, position: int) -> bool:
    """That a header which is matched is one that can be read, and says so; whether it was."""
    found = usual_header(memoryview(data), position)
    if found is None:
        return False
    reader = CompactReader(data, "a header")
    reader.position = position
    read: Struct = reader.struct()
    read[5].pop(STATISTICS, None)
    assert (found.fields, found.end) == (read, reader.position)
    return True


@given(headers(), st.binary(max_size=5), st.binary(max_size=5))
def test_headers_are_those_that_are_read(header: bytes, front: bytes, behind: bytes) -> None:
    assert assert_as_read(front + header + behind, len(front))


@given(headers(), st.integers(0, 60), st.integers(0, 255), st.integers(0, 60))
def test_damaged_headers_are_read_alike_or_left(
    header: bytes, place: int, byte: int, length: int
) -> None:
    changed = bytearray(header)
    changed[place % len(changed)] = byte
    assert_as_read(bytes(changed), 0)
    assert usual_header(header[: min(length, len(header) - 1)], 0) is None


@pytest.mark.parametrize("type", [pa.int32(), pa.int64(), pa.float64(), pa.date32()])
def test_pages_of_numbers_by_pyarrow_have_usual_headers(type: object) -> None:
    sink = pa.BufferOutputStream()
    table = pa.table({"n": pa.array([1, 2, None, 4] * 100, pa.int32()).cast(type)})
    extra("pyarrow.parquet").write_table(table, sink, compression="none", use_dictionary=False)
    data = sink.getvalue().to_pybytes()
    assert assert_as_read(data, len(b"PAR1"))
