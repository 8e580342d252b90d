"""Constants as text."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import replace

from vyre_dialect.lowering.opencl.expressions import Expression, Form, Precedence, cast
from vyre_dialect.lowering.opencl.types import INDEX, UCHAR, CType

_INT_MAX = 2**31 - 1
_FLOAT_FORMATS = {"half": "<e", "float": "<f", "double": "<d"}
_FLOAT_BITS = {"half": "<H", "float": "<I", "double": "<Q"}
_SMALLEST_HEX = 10
"""From here on, bitwise operators show hexadecimal constants."""
_ALWAYS_HEX = 10**6
"""From here on, unsigned constants are hexadecimal everywhere."""


def literal(value: int | float, type: CType) -> Expression:
    """The constant `value` of a scalar type. Integers of any sign are taken modulo the type."""
    if type.is_float:
        return _float_literal(float(value), type)
    if type.is_bool:
        text = "true" if int(value) & 1 else "false"
        return Expression(text, type, form=Form.PROMOTED, constant=int(value) & 1)
    if type.is_signed:
        return _signed_literal(int(value), type)
    return _unsigned_literal(int(value) & (2**type.width - 1), type, hexadecimal=False)


def _unsigned_literal(value: int, type: CType, *, hexadecimal: bool) -> Expression:
    suffix = {32: "u", 64: "ul"}.get(type.width, "")
    if (hexadecimal and value >= _SMALLEST_HEX) or value >= _ALWAYS_HEX:
        digits = 2 if value < 2**8 else 4 if value < 2**16 else 8 if value < 2**32 else 16
        text = f"0x{value:0{digits}x}{suffix}"
    else:
        text = f"{value}{suffix}"
    form = Form.PROMOTED if type.is_small else Form.EXACT
    return Expression(text, type, form=form, constant=value)


def _signed_literal(value: int, type: CType) -> Expression:
    value = (value + 2 ** (type.width - 1)) % 2**type.width - 2 ** (type.width - 1)
    if value == -(2 ** (type.width - 1)) and type.width >= 32:
        suffix = "L" if type.width == 64 else ""
        text = f"-{-value - 1}{suffix} - 1"
        return Expression(text, type, Precedence.ADDITIVE, constant=value)
    precedence = Precedence.UNARY if value < 0 else Precedence.PRIMARY
    if type == INDEX and abs(value) <= _INT_MAX:
        return Expression(str(value), type, precedence, Form.PROMOTED, constant=value)
    suffix = "L" if type.width == 64 else ""
    form = Form.PROMOTED if type.is_small else Form.EXACT
    return Expression(f"{value}{suffix}", type, precedence, form, constant=value)


def hexadecimal(operand: Expression) -> Expression:
    """A constant as bitwise operators like it; anything else as it is."""
    value = operand.constant
    if operand.splat is not None:
        return vector_literal([hexadecimal(operand.splat)] * operand.type.lanes, operand.type)
    if not isinstance(value, int) or operand.type.is_bool or operand.type.is_vector:
        return operand
    if not operand.type.is_signed:
        return _unsigned_literal(value, operand.type, hexadecimal=True)
    if value < _SMALLEST_HEX or operand.precedence != Precedence.PRIMARY:
        return operand
    return replace(operand, text=operand.text.replace(str(value), hex(value)))


def signed_literal(operand: Expression) -> Expression | None:
    """A constant read as a signed number of its width, or None for anything else."""
    if not isinstance(operand.constant, int) or operand.type.is_vector or operand.type.is_bool:
        return None
    return _signed_literal(operand.constant, operand.type.signed)


def _float_literal(value: float, type: CType) -> Expression:
    (bits,) = struct.unpack(_FLOAT_BITS[type.base], struct.pack(_FLOAT_FORMATS[type.base], value))
    if math.isnan(value):
        suffix = {"float": "u", "double": "ul"}.get(type.base, "")
        integer = f"{hex(bits)}{suffix}"
        text = f"as_{type}({integer})" if suffix else f"as_{type}((ushort){integer})"
        return Expression(text, type, constant=value)
    sign = "-" if math.copysign(1.0, value) < 0 else ""
    digits = "INFINITY" if math.isinf(value) else _shortest(abs(value), type)
    precedence = Precedence.UNARY if sign else Precedence.PRIMARY
    if type.base == "float":
        return Expression(sign + digits, type, precedence, constant=value)
    if type.base == "double" and not math.isinf(value):
        return Expression(sign + digits, type, precedence, constant=value)
    return Expression(f"({type}){sign}{digits}", type, Precedence.UNARY, constant=value)


def _shortest(value: float, type: CType) -> str:
    """The shortest decimal text that stands for exactly this value of the type."""
    if type.base == "double":
        return repr(value)
    layout = _FLOAT_FORMATS[type.base]
    packed = struct.pack(layout, value)
    texts = (f"{value:.{digits}g}" for digits in range(1, 18))
    return f"{_with_point(next(text for text in texts if _packs_to(text, layout, packed)))}f"


def _packs_to(text: str, layout: str, packed: bytes) -> bool:
    try:
        return struct.pack(layout, float(text)) == packed
    except OverflowError:
        return False


def _with_point(text: str) -> str:
    return text if "." in text or "e" in text else f"{text}.0"


def vector_literal(lanes: Sequence[Expression], type: CType) -> Expression:
    """`(uint4)(a, b, c, d)`, or `(uint4)(a)` when every lane is the same."""
    if type.scalar == UCHAR:
        # C makes a bool that is cast to a vector 0 or -1.
        lanes = [cast(lane, UCHAR) if lane.type.is_bool else lane for lane in lanes]
    first = lanes[0]
    same = all(lane.text == first.text for lane in lanes)
    shown = [first] if same else lanes
    text = f"({type})({', '.join(_as_lane(lane) for lane in shown)})"
    reads = any(lane.reads_memory for lane in lanes)
    variables = frozenset[str]().union(*(lane.variables for lane in lanes))
    return Expression(
        text,
        type,
        Precedence.UNARY,
        reads_memory=reads,
        variables=variables,
        splat=first if same else None,
    )


def _as_lane(lane: Expression) -> str:
    converts = lane.implicit is not None and not lane.implicit.type.is_bool
    return lane.converted if converts else lane.text
