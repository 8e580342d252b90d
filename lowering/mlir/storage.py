"""Buffers as memrefs of one axis, whose elements are numbers."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType
from xdsl.ir import Attribute
from xdsl.utils.exceptions import DiagnosticException

from vyre_dialect.ir.types import BufferType, lane_count, scalar_type


@dataclass(frozen=True)
class Storage:
    """
    A buffer as a kernel knows it. Lanes of vectors are elements of their own; an `i1` takes a
    byte, and an `index` 64 bits.
    """

    name: str
    memref: str
    """The type."""
    scalar: str
    """The type of its elements."""
    lanes: int
    """How many of these an element of the buffer is."""
    length: str | None
    """The SSA value of the element count of the buffer; None where it is static."""
    count: int | None
    """The element count of the buffer, where it is static."""


def stored_scalar(type: Attribute) -> str:
    """How a number is kept in memory. Raises DiagnosticException where MLIR's memrefs cannot."""
    scalar = scalar_type(type)
    if isinstance(scalar, IndexType):
        return "i64"
    if isinstance(scalar, IntegerType):
        return "i8" if scalar.width.data == 1 else str(scalar)
    if isinstance(scalar, AnyFloat):
        return str(scalar)
    raise DiagnosticException(f"a buffer of '{type}' has no form in MLIR's gpu dialect")


def memref_of(type: BufferType, space: str = "") -> str:
    """The memref that a buffer is."""
    scalar, lanes = stored_scalar(type.element_type), lane_count(type.element_type)
    count = "?" if type.static_count is None else str(type.static_count * lanes)
    return f"memref<{count}x{scalar}{', ' + space if space else ''}>"


def storage_of(type: BufferType, name: str, length: str | None, space: str = "") -> Storage:
    """How a kernel knows a buffer of a type."""
    element = type.element_type
    scalar, lanes = stored_scalar(element), lane_count(element)
    return Storage(name, memref_of(type, space), scalar, lanes, length, type.static_count)
