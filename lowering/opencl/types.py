"""The C type that holds each type of the IR."""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.dialects.builtin import (
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    VectorType,
)
from xdsl.ir import Attribute
from xdsl.utils.exceptions import DiagnosticException

from vyre_dialect.ir.types import CLANG_LANES, VECTOR_LANES

_UNSIGNED = {8: "uchar", 16: "ushort", 32: "uint", 64: "ulong"}
_SIGNED = {8: "char", 16: "short", 32: "int", 64: "long"}
_FLOATS = {16: "half", 32: "float", 64: "double"}
_WIDTHS = {
    name: width for table in (_UNSIGNED, _SIGNED, _FLOATS) for width, name in table.items()
} | {"bool": 1}
EXTENSIONS = {"half": "cl_khr_fp16", "double": "cl_khr_fp64"}
"""The extension that a type needs."""


@dataclass(frozen=True, slots=True)
class CType:
    """A scalar or vector type of OpenCL C."""

    base: str
    lanes: int = 1

    def __str__(self) -> str:
        if self.is_extended:
            return f"vyre_{self.short_name}"
        return self.base if self.lanes == 1 else f"{self.base}{self.lanes}"

    @property
    def width(self) -> int:
        """Bits of one lane."""
        return _WIDTHS[self.base]

    @property
    def lane_bytes(self) -> int:
        """Bytes of one lane."""
        return max(1, self.width // 8)

    @property
    def bytes(self) -> int:
        """Bytes that the value takes in a buffer, where lanes are packed."""
        return self.lane_bytes * self.lanes

    @property
    def is_float(self) -> bool:
        """Whether the lanes are floating-point numbers."""
        return self.base in _FLOATS.values()

    @property
    def is_bool(self) -> bool:
        """Whether the lanes are truth values."""
        return self.base == "bool"

    @property
    def is_vector(self) -> bool:
        """Whether there is more than one lane."""
        return self.lanes > 1

    @property
    def is_wide(self) -> bool:
        """Whether there are more lanes than GPUs take at once, for which functions are cheap."""
        return self.lanes > 4

    @property
    def is_extended(self) -> bool:
        """Whether it is a type of Clang, with more lanes than OpenCL has."""
        return self.lanes in CLANG_LANES

    @property
    def is_small(self) -> bool:
        """Whether C promotes the scalar to int in every operation."""
        return not self.is_vector and not self.is_float and self.width < 32

    @property
    def scalar(self) -> CType:
        """The type of one lane."""
        return replace(self, lanes=1)

    def with_lanes(self, lanes: int) -> CType:
        """The type of as many lanes."""
        return replace(self, lanes=lanes)

    @property
    def signed(self) -> CType:
        """The type of the same size whose lanes are signed."""
        return self if self.is_bool else replace(self, base=_SIGNED[self.width])

    @property
    def unsigned(self) -> CType:
        """The type of the same size whose lanes are unsigned."""
        return self if self.is_bool else replace(self, base=_UNSIGNED[self.width])

    @property
    def is_signed(self) -> bool:
        """Whether the lanes are signed integers."""
        return self.base in _SIGNED.values()

    @property
    def short_name(self) -> str:
        """The type as the names of functions spell it: `u8`, `f32x4`."""
        letter = "f" if self.is_float else "i" if self.is_signed else "u"
        suffix = f"x{self.lanes}" if self.is_vector else ""
        return f"bool{suffix}" if self.is_bool else f"{letter}{self.width}{suffix}"


BOOL = CType("bool")
INDEX = CType("long")
UCHAR = CType("uchar")
ULONG = CType("ulong")


def c_type(type: Attribute) -> CType:
    """
    The C type of values of `type`: unsigned for integers, `long` for index, `bool` for i1.

    Lanes of i1 are held in `uchar` lanes that are 0 or 1. Raises DiagnosticException for a type
    without a form in OpenCL C.
    """
    if isinstance(type, VectorType):
        return _vector_type(type)
    match type:
        case IndexType():
            return INDEX
        case IntegerType() if type.width.data == 1:
            return BOOL
        case IntegerType() if type.width.data in _UNSIGNED:
            return CType(_UNSIGNED[type.width.data])
        case Float16Type() | Float32Type() | Float64Type():
            return CType(_FLOATS[type.bitwidth])
        case _:
            raise DiagnosticException(
                f"type '{type}' has no OpenCL form: expected index, i1, i8, i16, i32, i64, f16, "
                "f32, f64 or a vector of these"
            )


def _vector_type(type: VectorType) -> CType:
    shape = type.get_shape()
    lanes = shape[0] if len(shape) == 1 else 0
    known = VECTOR_LANES
    if isinstance(type.element_type, IntegerType):
        known += CLANG_LANES
    if lanes not in known or type.get_num_scalable_dims():
        raise DiagnosticException(
            f"type '{type}' has no OpenCL form: expected vectors of 1, 2, 3, 4, 8 or 16 lanes, "
            "into which 'vyre-split-vectors' splits those of one axis"
        )
    lane = c_type(type.element_type)
    if lane.is_bool and lanes > 1:
        lane = UCHAR
    return lane.with_lanes(lanes)


def storage_type(type: Attribute) -> CType:
    """The C type of an element of a buffer: as `c_type`, with one byte for an i1."""
    found = c_type(type)
    return UCHAR if found.is_bool else found
