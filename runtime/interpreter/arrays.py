"""The NumPy arrays and files that stand for a program's buffers on the host.

Signless integers of one byte are unsigned here, as bytes are; wider ones are signed, as MLIR prints
them. A vector element is one more axis. An `i1` takes one byte.
"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    VectorType,
    i1,
)
from xdsl.ir import Attribute

from vyre_dialect.ir.types import BufferType, element_bytes, lane_count, scalar_type
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.runtime.errors import OutOfMemoryError, VyreError, first_line
from vyre_dialect.runtime.paths import STANDARD_STREAM

Array: TypeAlias = NDArray[Any]

_NPY, _ZIP = b"\x93NUMPY", b"PK"
"""What files of NumPy start with: of one array, and of several."""

Bytes: TypeAlias = bytes | bytearray
"""What stands for an array of bytes."""

_FLOATS: dict[type[Attribute], str] = {
    Float16Type: "<f2",
    Float32Type: "<f4",
    Float64Type: "<f8",
    BFloat16Type: "<u2",  # NumPy has no such type: the bits
}


def element_dtype(type: BufferType) -> np.dtype[Any]:
    """The type of one lane of an element; a VyreError where NumPy has none."""
    scalar = scalar_type(type.element_type)
    if isinstance(scalar, IntegerType):
        size = element_bytes(scalar)
        if size in (1, 2, 4, 8):
            return np.dtype("<u1" if size == 1 else f"<i{size}")
    elif (name := _FLOATS.get(scalar.__class__)) is not None:
        return np.dtype(name)
    raise VyreError(f"expected elements of a type that NumPy has, got {type.element_type}")


def element_size(type: BufferType) -> int:
    """Bytes in one element."""
    return element_dtype(type).itemsize * lane_count(type.element_type)


def array_shape(type: BufferType, count: int) -> tuple[int, ...]:
    """The shape of an array of `count` elements."""
    if not isinstance(type.element_type, VectorType):
        return (count,)
    return (count, lane_count(type.element_type))


def as_elements(name: str, type: BufferType, contents: Array | Bytes) -> Array:
    """What the host supplies for a buffer, flat and typed as its elements; no copy where possible.

    An array of bytes stands for elements of any type; else the items must be numbers like those of
    a lane. Raises a VyreError for an array that does not fit.
    """
    contents = _as_array(name, contents)
    count = element_count(name, type, contents.dtype, contents.nbytes)
    try:
        data = np.ascontiguousarray(little_endian(contents)).reshape(-1)
    except MemoryError as error:
        raise OutOfMemoryError(f"input '{name}' does not fit the memory of this machine") from error
    return data.view(element_dtype(type)).reshape(array_shape(type, count))


def _as_array(name: str, contents: object) -> Array:
    if isinstance(contents, bytes | bytearray):
        return np.frombuffer(contents, np.uint8)
    if isinstance(contents, np.ndarray):
        return contents
    raise VyreError(
        f"input '{name}' expected bytes or an array of NumPy, got {type(contents).__name__}"
    )


def little_endian(array: Array) -> Array:
    """The same numbers with the bytes in the order that buffers have."""
    return array.astype(array.dtype.newbyteorder("<"), copy=False)


def element_count(name: str, type: BufferType, dtype: np.dtype[Any], bytes_: int) -> int:
    """How many elements of a buffer an array is that the host supplies for it.

    Raises a VyreError for items or a number of bytes that do not fit.
    """
    if not _fits(dtype, element_dtype(type)):
        raise VyreError(
            f"input '{name}' expected bytes or elements of {type.element_type}, got an array of "
            f"{dtype}: convert it with .astype(np.{element_dtype(type).name})"
        )
    size, count = element_size(type), type.static_count
    if count is not None and bytes_ != count * size:
        raise VyreError(
            f"input '{name}' expected {count * size} bytes ({count} elements of "
            f"{type.element_type}), got {bytes_}"
        )
    if bytes_ % size:
        raise VyreError(
            f"input '{name}' expected a multiple of {size} bytes (elements of "
            f"{type.element_type}), got {bytes_}"
        )
    return bytes_ // size


def _fits(given: np.dtype[Any], lane: np.dtype[Any]) -> bool:
    """Whether items are bytes, or numbers as a lane holds them, whatever their sign and order."""
    if given.kind == "f":
        return given == lane.newbyteorder(given.byteorder)
    return given.kind in "biu" and (
        given.itemsize == 1 or (lane.kind != "f" and given.itemsize == lane.itemsize)
    )


def open_input(path: Path) -> Array:
    """The contents of a file, mapped into memory and not read before they are needed.

    A `.npy` file is an array, any other file its bytes; `-` is standard input.
    """
    try:
        if str(path) == STANDARD_STREAM:
            return np.frombuffer(sys.stdin.buffer.read(), np.uint8)
        return _open_array(path) if path.suffix == ".npy" else _open_bytes(path)
    except OSError as error:
        raise VyreError(f"cannot read '{path}': {error.strerror or error}") from error
    except (ValueError, EOFError) as error:
        raise VyreError(f"cannot read '{path}': {error}") from error


def _open_bytes(path: Path) -> Array:
    if path.is_file() and path.stat().st_size:
        with contextlib.suppress(OSError):  # files of /sys cannot be mapped
            return np.memmap(path, np.uint8, mode="r")
    # Pipes have no size, nor have files of /proc; a missing file or a folder fails here.
    return np.frombuffer(path.read_bytes(), np.uint8)


def _open_array(path: Path) -> Array:
    with path.open("rb") as file:
        start = file.read(len(_NPY))
    if start.startswith(_ZIP):
        raise ValueError("expected one array, got an archive of several")
    if start != _NPY:
        raise ValueError("expected an array of NumPy, as in a .npy file")
    try:
        with np.errstate(over="ignore"):  # of sizes that no file has, which is an error below
            return np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError:
        raise
    except Exception as error:  # NumPy evaluates the header, and raises what comes up
        raise ValueError(f"malformed array: {first_line(error)}") from error


def fill_value(buffer: BufferOp) -> Array:
    """The value, as an array of one lane, that elements have which the host does not supply."""
    value = np.zeros(1, element_dtype(buffer.type))
    if isinstance(buffer.fill, IntegerAttr):
        bits = buffer.fill.value.data & ((1 << 8 * value.itemsize) - 1)
        value.view(f"<u{value.itemsize}")[0] = bits
    elif isinstance(buffer.fill, FloatAttr):
        value[0] = buffer.fill.value.data
    return value


def table_contents(contents: DenseIntOrFPElementsAttr, type: BufferType) -> Array:
    """The compile-time contents of a buffer."""
    dtype = element_dtype(type)
    values = np.array(contents.get_values())
    assert type.static_count is not None
    if dtype.kind == "f":
        table = values.astype(dtype)
    elif type.element_type == i1:
        table = (values != 0).astype(dtype)  # as an attribute, true is -1
    else:
        table = values.astype(np.int64).astype(dtype)
    return table.reshape(array_shape(type, type.static_count))
