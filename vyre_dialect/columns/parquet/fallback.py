"""Columns that pyarrow has decoded, as a program takes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from vyre_dialect.columns.extras import ArrowArray, ArrowType
from vyre_dialect.columns.parquet.arrow import arrow
from vyre_dialect.columns.parquet.assembly import Assembled
from vyre_dialect.columns.parquet.decoders import Plain
from vyre_dialect.columns.parquet.errors import ParquetError
from vyre_dialect.columns.parquet.physical import I32_DIGITS, I64_DIGITS, plain_type
from vyre_dialect.columns.parquet.runs import Array


def assemble_values(given: ArrowArray) -> tuple[Assembled, ArrowType]:
    """
    The values of an array, and what they stand for.
    Raises ParquetError for a type of which no buffer has elements.
    """
    pa = arrow()

    array = pa.concat_arrays(given.chunks) if given.num_chunks else pa.array([], given.type)
    type = plain_type(array.type)
    validity = None
    if array.null_count:
        validity = Plain(np.asarray(array.is_valid().cast(pa.uint8())).astype(np.int8))
    types = pa.types
    if types.is_string(type) or types.is_binary(type) or types.is_fixed_size_binary(type):
        codes, dictionary = _codes(array)
        return Assembled(Plain(codes), validity, dictionary), type
    if types.is_decimal(type):
        return Assembled(Plain(_unscaled(array, type)), validity, None), type
    if types.is_date64(type):
        array, type = array.cast(pa.date32()), pa.date32()
    return Assembled(Plain(_elements(array, type)), validity, None), type


def _elements(array: ArrowArray, type: ArrowType) -> Array:
    pa = arrow()

    types = pa.types
    if types.is_null(type):
        return np.zeros(len(array), np.int32)
    dtype = _dtype(type)
    if types.is_dictionary(array.type):
        array = array.cast(type)
    if types.is_temporal(type):
        array = array.cast(pa.int32() if dtype.itemsize == 4 else pa.int64())
    if types.is_boolean(type):
        array = array.cast(pa.uint8())
    if array.null_count:
        array = array.fill_null(0)
    elements = array.to_numpy(zero_copy_only=False)
    if elements.dtype == np.uint64:
        return elements.view(np.int64)
    return np.ascontiguousarray(elements.astype(dtype, copy=False))


def _dtype(type: ArrowType) -> np.dtype[Any]:
    pa = arrow()

    types = pa.types
    if types.is_boolean(type):
        return np.dtype(np.int8)
    if types.is_float16(type) or types.is_float32(type):
        return np.dtype(np.float32)
    if types.is_float64(type):
        return np.dtype(np.float64)
    is_short = types.is_date32(type) or types.is_time32(type)
    if is_short or (types.is_integer(type) and type.bit_width <= 32 and not types.is_uint32(type)):
        return np.dtype(np.int32)
    if types.is_integer(type) or types.is_temporal(type):
        return np.dtype(np.int64)
    raise ParquetError(
        f"it has values of {type}; expected integers, floats, booleans, decimals, dates, times or "
        "texts: leave it out"
    )


def _unscaled(array: ArrowArray, type: ArrowType) -> Array:
    """Decimals without their points."""
    pa = arrow()

    dtype = np.int32 if type.precision <= I32_DIGITS else np.int64
    if not len(array):
        return np.zeros(0, dtype)
    try:
        array = array.cast(pa.decimal128(min(type.precision, I64_DIGITS), type.scale))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise ParquetError(
            f"it has a value of {type} of more than {I64_DIGITS} digits: write the file with "
            "fewer, or with floats"
        ) from error
    if array.null_count:
        array = array.fill_null(0)
    words: Array = np.frombuffer(array.buffers()[1], np.int64)[::2]
    return words[array.offset : array.offset + len(array)].astype(dtype)


def _codes(array: ArrowArray) -> tuple[Array, list[Any]]:
    pa = arrow()
    pc = arrow("pyarrow.compute")

    encoded = array if pa.types.is_dictionary(array.type) else pc.dictionary_encode(array)
    codes = encoded.indices.fill_null(0).to_numpy(zero_copy_only=False)
    return codes.astype(np.int32), encoded.dictionary.to_pylist()
