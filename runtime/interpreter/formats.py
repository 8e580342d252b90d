"""How values are held: one NumPy array per SSA value, invocations first, then the lanes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import (
    ComplexType,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    VectorType,
)
from xdsl.ir import Attribute

from vyre_dialect.ir.types import TokenType, scalar_type
from vyre_dialect.runtime.errors import VyreError

Array: TypeAlias = NDArray[Any]
"""
A value in every invocation of a frame: shape `(invocations, *lanes)`, or `(1, *lanes)` when
all invocations agree. Integers are held unsigned, i1 as bool, index as int64.
"""

INDEX_BITS = 64
WIDEST_INTEGER = 64
_FLOATS: dict[type[Attribute], type[np.floating[Any]]] = {
    Float16Type: np.float16,
    Float32Type: np.float32,
    Float64Type: np.float64,
}
_COMPLEX = {np.dtype(np.float32): np.complex64, np.dtype(np.float64): np.complex128}


class UnsupportedError(VyreError):
    """The reference interpreter gives no meaning to an op or a type."""


@dataclass(frozen=True)
class IntegerFormat:
    """
    Integers of `width` bits in arrays, and their readings as signed and unsigned numbers.

    Widths between the machine's are kept zero-extended in the next wider one.
    """

    width: int
    is_index: bool = False

    @cached_property
    def container_bits(self) -> int:
        """Width of the machine integers that the numbers are computed in."""
        return max(8, 1 << (self.width - 1).bit_length())

    @cached_property
    def unsigned_dtype(self) -> np.dtype[Any]:
        """The container, read as unsigned."""
        return np.dtype(f"u{self.container_bits // 8}")

    @cached_property
    def signed_dtype(self) -> np.dtype[Any]:
        """The container, read as signed."""
        return np.dtype(f"i{self.container_bits // 8}")

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """What arrays of such integers have as dtype."""
        if self.is_index:
            return self.signed_dtype
        return np.dtype(np.bool_) if self.width == 1 else self.unsigned_dtype

    @cached_property
    def fills_container(self) -> bool:
        """Whether the integer takes all bits of its container."""
        return self.width == self.container_bits

    @cached_property
    def minimum(self) -> int:
        """The smallest signed number."""
        return -(1 << (self.width - 1))

    @cached_property
    def mask(self) -> int:
        """All bits set, which is also the largest unsigned number."""
        return (1 << self.width) - 1

    def unsigned(self, values: Array) -> Array:
        """The numbers read as unsigned."""
        return values if values.dtype == self.unsigned_dtype else values.view(self.unsigned_dtype)

    def signed(self, values: Array) -> Array:
        """The numbers read as signed, in two's complement."""
        if self.fills_container:
            return values if self.is_index else values.view(self.signed_dtype)
        unused = self.container_bits - self.width
        return (self.unsigned(values) << unused).view(self.signed_dtype) >> unused

    def pack(self, numbers: Array) -> Array:
        """Numbers of the container's size, of either sign, wrapped to `width` bits."""
        if numbers.dtype == self.dtype and self.fills_container:
            return numbers
        if self.fills_container:
            return numbers.view(self.dtype)
        return (numbers.view(self.unsigned_dtype) & self.mask).astype(self.dtype)

    def constant(self, value: int) -> Array:
        """A Python integer of either sign, wrapped to `width` bits, as a scalar array."""
        return self.pack(np.array(value & self.mask, dtype=self.unsigned_dtype))


@lru_cache
def _integer_format(width: int, is_index: bool) -> IntegerFormat:
    return IntegerFormat(width, is_index)


def integer_format(type: Attribute) -> IntegerFormat:
    """The format of an integer or index type, or of the lanes of a vector of them."""
    scalar = scalar_type(type)
    if isinstance(scalar, IndexType):
        return _integer_format(INDEX_BITS, True)
    if not isinstance(scalar, IntegerType) or scalar.width.data not in range(1, WIDEST_INTEGER + 1):
        raise UnsupportedError(
            f"the interpreter expected integers of 1 to {WIDEST_INTEGER} bits, got {type}"
        )
    return _integer_format(scalar.width.data, False)


def is_integer(type: Attribute) -> bool:
    """Whether `type` is an integer or index, or a vector of them."""
    return isinstance(scalar_type(type), IntegerType | IndexType)


def dtype_of(type: Attribute) -> np.dtype[Any]:
    """The dtype of one lane of `type`. Raises UnsupportedError for a type NumPy has not."""
    scalar = scalar_type(type)
    if isinstance(scalar, IntegerType | IndexType):
        return integer_format(scalar).dtype
    if isinstance(scalar, TokenType):
        return np.dtype(np.bool_)
    if isinstance(scalar, ComplexType):
        return _complex_dtype(scalar)
    for float_type, dtype in _FLOATS.items():
        if isinstance(scalar, float_type):
            return np.dtype(dtype)
    raise UnsupportedError(f"the interpreter does not support values of type {type}")


def _complex_dtype(type: ComplexType[Any]) -> np.dtype[Any]:
    part = dtype_of(type.element_type)
    if part not in _COMPLEX:
        raise UnsupportedError(f"the interpreter does not support values of type {type}")
    return np.dtype(_COMPLEX[part])


def lanes_of(type: Attribute) -> tuple[int, ...]:
    """The lane axes of an array of values of `type`: none for a scalar."""
    return tuple(type.get_shape()) if isinstance(type, VectorType) else ()


def over_lanes(scalars: Array, rank: int) -> Array:
    """Per-invocation scalars with `rank` axes of length one, to go with vectors."""
    return scalars.reshape(scalars.shape + (1,) * rank)


def spread(values: Array, invocations: int) -> Array:
    """The values with a row for each invocation, also when all agree."""
    return np.broadcast_to(values, (invocations, *values.shape[1:]))
