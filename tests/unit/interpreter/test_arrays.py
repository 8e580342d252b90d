"""Arrays and files stand for buffers with the right type, size and contents."""

import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    VectorType,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute
from xdsl.parser import Parser

from vyre_dialect.ir.types import DYNAMIC, Access, BufferType
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.runtime.errors import OutOfMemoryError, VyreError
from vyre_dialect.runtime.interpreter.arrays import (
    array_shape,
    as_elements,
    element_dtype,
    element_size,
    fill_value,
    open_input,
    table_contents,
)


def buffer_type(element: Attribute, count: int = DYNAMIC) -> BufferType:
    return BufferType(count, element)


@pytest.mark.parametrize(
    ("element", "dtype"),
    [
        (i1, "uint8"),
        (i8, "uint8"),
        (i16, "int16"),
        (i32, "int32"),
        (i64, "int64"),
        (f16, "float16"),
        (bf16, "uint16"),
        (f32, "float32"),
        (f64, "float64"),
        (VectorType(i32, [4]), "int32"),
    ],
)
def test_element_types(element: Attribute, dtype: str) -> None:
    assert element_dtype(buffer_type(element)) == np.dtype(dtype)


def test_a_type_that_numpy_lacks_is_refused() -> None:
    from xdsl.dialects.builtin import IntegerType

    with pytest.raises(VyreError, match="expected elements of a type that NumPy has, got i24"):
        element_dtype(buffer_type(IntegerType(24)))


def test_vectors_are_one_more_axis() -> None:
    type = buffer_type(VectorType(i32, [4]))
    assert element_size(type) == 16
    assert array_shape(type, 5) == (5, 4)


def test_bytes_become_elements_without_a_copy() -> None:
    contents = np.arange(16, dtype=np.uint8)
    elements = as_elements("a", buffer_type(i32), contents)
    assert elements.dtype == np.int32
    assert elements.shape == (4,)
    assert np.shares_memory(elements, contents)


def test_what_does_not_fit_the_memory_of_the_machine_is_refused() -> None:
    contents = np.broadcast_to(np.zeros(1, np.uint8), (1 << 60,))
    with pytest.raises(OutOfMemoryError, match="input 'b' does not fit the memory of this machine"):
        as_elements("b", buffer_type(i8), contents)


def test_strided_arrays_are_made_contiguous() -> None:
    contents = np.arange(8, dtype=np.int32)[::2]
    assert as_elements("a", buffer_type(i32), contents).tolist() == [0, 2, 4, 6]


@pytest.mark.parametrize(
    ("type", "data", "message"),
    [
        (buffer_type(i32, 4), 12, r"input 'a' expected 16 bytes \(4 elements of i32\), got 12"),
        (buffer_type(i32), 5, r"input 'a' expected a multiple of 4 bytes .* got 5"),
    ],
)
def test_wrong_sizes_are_refused(type: BufferType, data: int, message: str) -> None:
    with pytest.raises(VyreError, match=message):
        as_elements("a", type, np.zeros(data, np.uint8))


def test_items_of_another_size_are_refused() -> None:
    with pytest.raises(VyreError, match="expected bytes or elements of i32, got an array of int64"):
        as_elements("a", buffer_type(i32), np.zeros(4, np.int64))


@pytest.mark.parametrize(
    ("element", "dtype"),
    [(i32, np.float32), (i16, np.float16), (f32, np.int32), (f32, np.float64)],
)
def test_numbers_are_not_taken_for_others(element: Attribute, dtype: type[Any]) -> None:
    given = np.ones(8, dtype)
    with pytest.raises(VyreError, match=r"convert it with \.astype\(np\."):
        as_elements("a", buffer_type(element), given)


def test_files_are_mapped(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(b"abc")
    contents = open_input(path)
    assert isinstance(contents, np.memmap)
    assert contents.tobytes() == b"abc"


def test_empty_files_are_empty(tmp_path: Path) -> None:
    path = tmp_path / "empty"
    path.touch()
    assert open_input(path).size == 0


def test_files_that_have_contents_but_no_size_are_read() -> None:
    status = Path("/proc/self/status")
    assert status.stat().st_size == 0
    assert b"Name:" in open_input(status).tobytes()


def test_array_files_are_arrays(tmp_path: Path) -> None:
    path = tmp_path / "data.npy"
    np.save(path, np.arange(6, dtype=np.int32).reshape(2, 3))
    contents = open_input(path)
    assert contents.dtype == np.int32
    assert contents.shape == (2, 3)


def test_pipes_are_read(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.write(writer, b"abc")
    os.close(writer)
    try:
        assert open_input(Path(f"/dev/fd/{reader}")).tobytes() == b"abc"
    finally:
        os.close(reader)


NO_ARRAYS = ["broken.npy", "empty.npy", "archive.npy"]


@pytest.mark.parametrize("name", ["missing", ".", "missing.npy", *NO_ARRAYS])
def test_unreadable_files_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "broken.npy").write_bytes(b"no array")
    (tmp_path / "empty.npy").write_bytes(b"")
    with (tmp_path / "archive.npy").open("wb") as file:
        np.savez(file, np.zeros(3))
    with pytest.raises(VyreError, match=r"cannot read '.*'"):
        open_input(tmp_path / name)


HEADERS = [
    "{'descr': '<i4', 'fortran_order': False, 'shape': (4,(,",
    "{'descr': '<i4', 'fortran_order': False, 'shape': (%s,)}" % ("9" * 26),
    "{'descr': '<i4', 'fortran_order': False, 'shape': (%s,)}" % ("9" * 5000),
    "{'descr': '<i4', 'fortran_order': False, 'shape': (%s,)}" % (2**63 - 1),
    "{'descr': '<i4', 'fortran_order': False, 'shape': (%s, 4)}" % 2**62,
    "{'descr': '<i4', 'fortran_order': False, 'shape': (True,)}",
    "{'descr': '<i4', 'fortran_order': False, 'shape': (-1,)}",
    "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}",
    "{'descr': '<i4', 'fortran_order': False, 'shape': (99999,)}",
    "(" * 9000,
    "-" * 9000 + "1",
    "\xff\xfe\0{",
    "",
]


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("version", [b"\x01\x00", b"\x03\x00", b"\x09\x09"])
def test_malformed_headers_are_refused(tmp_path: Path, header: str, version: bytes) -> None:
    text = header.encode("latin1") + b"\n"
    length = len(text).to_bytes(2 if version[0] == 1 else 4, "little")
    (tmp_path / "a.npy").write_bytes(b"\x93NUMPY" + version + length + text + bytes(64))
    with (
        warnings.catch_warnings(record=True) as warned,
        pytest.raises(VyreError, match=r"cannot read '.*a.npy': malformed array: .") as raised,
    ):
        open_input(tmp_path / "a.npy")
    assert "\n" not in str(raised.value)
    assert not warned


@pytest.mark.parametrize("start", [b"PK\x03\x04xxxx", b"PK", b"\x80\x04N.", b"\x93NUMP", b""])
def test_what_is_no_array_is_not_read_as_one(tmp_path: Path, start: bytes) -> None:
    (tmp_path / "a.npy").write_bytes(start + b"x" * 64)
    with pytest.raises(VyreError, match=r"cannot read '.*a.npy': expected (one|an) array"):
        open_input(tmp_path / "a.npy")


@pytest.mark.parametrize("dtype", [">i4", ">u4", ">f4"])
def test_numbers_in_network_order_keep_their_value(tmp_path: Path, dtype: str) -> None:
    numbers = np.array([1, 2, 1000], dtype)
    np.save(tmp_path / "numbers.npy", numbers)
    element = f32 if dtype == ">f4" else i32
    for given in (numbers, open_input(tmp_path / "numbers.npy")):
        elements = as_elements("a", buffer_type(element, 3), given)
        assert elements.tolist() == [1, 2, 1000]


@pytest.mark.parametrize(
    "contents",
    [
        np.array([None], object),
        np.array(["a"]),
        np.zeros(1, np.dtype([("a", "<i4")])),
        np.zeros(1, "datetime64[s]"),
    ],
)
def test_arrays_of_no_numbers_are_refused(contents: NDArray[Any]) -> None:
    with pytest.raises(VyreError, match="input 'a' expected bytes or elements of"):
        as_elements("a", buffer_type(i64 if contents.itemsize == 8 else i32, 1), contents)


def declared(element: Attribute, fill: IntegerAttr | FloatAttr | None) -> BufferOp:
    return BufferOp("a", buffer_type(element, 4), fill=fill)


@pytest.mark.parametrize(
    ("buffer", "expected"),
    [
        (declared(i32, None), np.zeros(1, np.int32)),
        (declared(i32, IntegerAttr(-1, i32)), np.array([-1], np.int32)),
        (declared(i8, IntegerAttr(-1, i8)), np.array([255], np.uint8)),
        (declared(f32, FloatAttr(1.5, f32)), np.array([1.5], np.float32)),
    ],
)
def test_fills(buffer: BufferOp, expected: NDArray[Any]) -> None:
    value = fill_value(buffer)
    assert value.dtype == expected.dtype
    np.testing.assert_array_equal(value, expected)


@pytest.mark.parametrize(
    ("contents", "expected"),
    [
        ("dense<[1, -1, 127, -128]> : vector<4xi8>", [1, 255, 127, 128]),
        ("dense<[1, -1, 2, 3]> : vector<4xi32>", [1, -1, 2, 3]),
        ("dense<[0.5, 1.0, 2.0, -1.0]> : vector<4xf32>", [0.5, 1.0, 2.0, -1.0]),
        ("dense<7> : vector<4xi16>", [7, 7, 7, 7]),
    ],
)
def test_tables(contents: str, expected: list[Any]) -> None:
    attribute = Parser(Context(), contents).parse_attribute()
    assert isinstance(attribute, DenseIntOrFPElementsAttr)
    type = BufferType(4, attribute.get_element_type(), Access.READ_ONLY)
    table = table_contents(attribute, type)
    assert table.dtype == element_dtype(type)
    assert table.tolist() == expected
