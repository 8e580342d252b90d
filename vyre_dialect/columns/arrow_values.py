"""
The values of Arrow's arrays as NumPy's, and back: dates as days, timestamps as they count, decimals
without the point.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vyre_dialect.columns.errors import QueryError
from vyre_dialect.columns.extras import ArrowArray, ArrowType, extra
from vyre_dialect.columns.packing import Array

_I64_DIGITS = 18
"""Decimal digits that any integer of 64 bits holds."""


class Values(NamedTuple):
    """An array without Arrow."""

    elements: Array
    """Signed integers of 64 bits or floats, codes for strings; unspecified where there is none."""
    valid: Array | None
    """Whether there is a value, if one is missing."""
    dictionary: list[str] | None
    """What codes stand for, in ascending order."""
    type: ArrowType
    """What they are, of those that are told apart here."""


def values_of(name: str, array: ArrowArray) -> Values:
    """
    The values of an array. Raises a QueryError, which calls it `name`, where they are of a type
    that no query knows, or do not fit 64 bits.
    """
    pa = extra("pyarrow")

    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
        if isinstance(array, pa.ChunkedArray):  # of no chunks, or of more than an array may have
            array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    type = plain_type(name, array.type)
    valid = np.asarray(array.is_valid()) if array.null_count else None
    if pa.types.is_string(type):
        codes, dictionary = _codes(array)
        return Values(codes, valid, dictionary, type)
    if pa.types.is_decimal128(type):
        return Values(_unscaled(name, array.cast(type), valid), valid, None, type)
    return Values(_elements(name, array, type), valid, None, type)


def plain_type(name: str, type: ArrowType) -> ArrowType:
    """The type by which queries know one of Arrow's. Raises a QueryError where there is none."""
    pa = extra("pyarrow")

    types = pa.types
    if types.is_dictionary(type):
        return plain_type(name, type.value_type)
    if types.is_string(type) or types.is_large_string(type) or types.is_string_view(type):
        return pa.string()
    if types.is_decimal(type) and type.precision <= pa.decimal128(38).precision:
        return pa.decimal128(type.precision, type.scale)
    if types.is_date(type):
        return pa.date32()
    if types.is_float16(type):
        return pa.float32()
    if types.is_integer(type) or types.is_floating(type) or types.is_boolean(type):
        return type
    if types.is_timestamp(type) and type.tz is None:
        return type
    raise QueryError(
        f"column '{name}' is of {type}: queries know integers, decimals of up to 38 digits, "
        "floats, booleans, dates, timestamps without a zone and strings; leave it out, or cast it"
    )


def is_plain(type: ArrowType) -> bool:
    """Whether queries know a type by another."""
    try:
        plain_type("", type)
    except QueryError:
        return False
    return True


def _elements(name: str, array: ArrowArray, type: ArrowType) -> Array:
    """Integers of 64 bits, or floats."""
    pa = extra("pyarrow")

    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if pa.types.is_boolean(type):
        array = array.cast(pa.uint8())
    array = array.cast(type) if pa.types.is_date(type) or pa.types.is_floating(type) else array
    if pa.types.is_date(type):
        array = array.cast(pa.int32())
    if pa.types.is_timestamp(type):
        array = array.cast(pa.int64())
    if array.null_count:
        array = array.fill_null(0)
    elements = array.to_numpy(zero_copy_only=False)
    if elements.dtype == np.uint64 and elements.size and elements.max() >= 1 << 63:
        raise QueryError(
            f"column '{name}' has {elements.max()}, and queries compute with signed integers of 64 "
            "bits: cast it to a float or a decimal that fits"
        )
    return elements if elements.dtype.kind == "f" else elements.astype(np.int64)


def _unscaled(name: str, array: ArrowArray, valid: Array | None) -> Array:
    """What decimals are as integers."""
    if not len(array):
        return np.zeros(0, np.int64)
    words = np.frombuffer(array.buffers()[1], np.int64).reshape(-1, 2)
    words = words[array.offset : array.offset + len(array)]
    low, high = words[:, 0], words[:, 1]
    if valid is not None:
        low, high = np.where(valid, low, 0), np.where(valid, high, 0)
    if not np.array_equal(high, low >> 63):
        raise QueryError(
            f"column '{name}' has decimals of more than {_I64_DIGITS} digits, and queries hold "
            "no more: cast it to fewer"
        )
    return np.ascontiguousarray(low)


def _codes(array: ArrowArray) -> tuple[Array, list[str]]:
    """Places in the sorted values, 0 for what is missing, and these."""
    pa = extra("pyarrow")
    pc = extra("pyarrow.compute")

    encoded = array if pa.types.is_dictionary(array.type) else pc.dictionary_encode(array)
    given: list[str | None] = encoded.dictionary.to_pylist()
    values = sorted({each for each in given if each is not None})
    places = {each: place for place, each in enumerate(values)}
    ranks = np.array([0 if each is None else places[each] for each in given] or [0], np.int64)
    return ranks[encoded.indices.fill_null(0).to_numpy(zero_copy_only=False)], values


def array_of(
    elements: Array,
    valid: Array | None,
    type: ArrowType,
    dictionary: ArrowArray | None = None,
) -> ArrowArray:
    """Arrow's array of elements as a program holds them, by what they stand for."""
    pa = extra("pyarrow")

    missing = None if valid is None else ~valid.astype(bool)
    if dictionary is not None:
        codes = pa.array(elements.astype(np.int64), pa.int64(), mask=missing)
        return dictionary.take(codes)
    if pa.types.is_decimal128(type):
        return _decimals(elements.astype(np.int64), missing, type)
    if pa.types.is_boolean(type):
        return pa.array(elements.astype(bool), type, mask=missing)
    if pa.types.is_date(type):
        return pa.array(elements.astype(np.int32), pa.int32(), mask=missing).cast(type)
    if pa.types.is_timestamp(type):
        return pa.array(elements.astype(np.int64), pa.int64(), mask=missing).cast(type)
    return pa.array(elements.astype(type.to_pandas_dtype()), type, mask=missing)


def _decimals(elements: Array, missing: Array | None, type: ArrowType) -> ArrowArray:
    pa = extra("pyarrow")

    words = np.stack([elements, elements >> 63], axis=1)
    bits = None if missing is None else pa.py_buffer(np.packbits(~missing, bitorder="little"))
    return pa.Array.from_buffers(type, len(elements), [bits, pa.py_buffer(words)])
