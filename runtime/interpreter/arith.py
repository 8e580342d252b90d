"""
What the ops of `arith` on integers and index compute.

Division by zero, the quotient of the smallest number and -1, and shifts by the width or more,
which `arith` leaves unspecified, give 0 (the sign, shifting right a signed number): NumPy's own
answers, but for the quotient. Of i1, that quotient is -1, into which 1 wraps around.
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
)
from xdsl.ir import Attribute, Operation

from vyre_dialect.runtime.interpreter.formats import (
    Array,
    IntegerFormat,
    dtype_of,
    integer_format,
    lanes_of,
    over_lanes,
)
from vyre_dialect.runtime.interpreter.machine import Binary, Computation, Compute, Unary

_HALF = 32
_LOW_HALF = (1 << _HALF) - 1


def unsigned(name: str) -> Computation:
    """A function of NumPy, by its name, of operands read as unsigned numbers."""
    return _of_unsigned(getattr(np, name))


def signed(name: str) -> Computation:
    """A function of NumPy, by its name, of operands read as signed numbers."""
    return _of_signed(getattr(np, name))


def _of_unsigned(function: Binary) -> Computation:
    def meaning(op: Operation) -> Binary:
        fmt = integer_format(op.operands[0].type)
        if fmt.fills_container and not fmt.is_index:
            return function
        unsigned, pack = fmt.unsigned, fmt.pack
        return lambda lhs, rhs: pack(function(unsigned(lhs), unsigned(rhs)))

    return meaning


def _of_signed(function: Binary) -> Computation:
    def meaning(op: Operation) -> Binary:
        fmt = integer_format(op.operands[0].type)
        if fmt.is_index:
            return function
        signed, pack = fmt.signed, fmt.pack
        return lambda lhs, rhs: pack(function(signed(lhs), signed(rhs)))

    return meaning


def _signed_division(function: Binary) -> Computation:
    def meaning(op: Operation) -> Compute:
        fmt = integer_format(op.operands[0].type)
        overflowing = None if fmt.width == 1 else fmt.minimum
        return _of_signed(_where_defined(function, overflowing))(op)

    return meaning


def _where_defined(divide: Binary, overflowing: int | None) -> Binary:
    """`divide`, with 0 for division by zero and for the number whose quotient by -1 overflows."""

    def apply(lhs: Array, rhs: Array) -> Array:
        if rhs.size == 1 and rhs.item() not in (0, -1):
            return divide(lhs, rhs)
        undefined = rhs == 0
        if overflowing is not None:
            undefined = undefined | (rhs == -1) & (lhs == overflowing)
        if not undefined.any():
            return divide(lhs, rhs)
        return np.where(undefined, 0, divide(lhs, np.where(undefined, 1, rhs)))

    return apply


def _truncating_quotient(lhs: Array, rhs: Array) -> Array:
    quotient = lhs // rhs
    if quotient.min(initial=0) >= 0:
        return quotient
    return quotient + ((quotient < 0) & (quotient * rhs != lhs))


def _ceiling_quotient(lhs: Array, rhs: Array) -> Array:
    quotient = lhs // rhs
    return quotient + (quotient * rhs != lhs)


def _signed_remainder(lhs: Array, rhs: Array) -> Array:
    return lhs - _truncating_quotient(lhs, rhs) * rhs


def _unsigned_ceiling_quotient(lhs: Array, rhs: Array) -> Array:
    return lhs // rhs + (lhs % rhs != 0)


def mului_extended(op: arith.MulUIExtendedOp) -> Compute:
    """The two halves of a product of unsigned numbers."""
    fmt = integer_format(op.lhs.type)

    def compute(lhs: Array, rhs: Array) -> tuple[Array, Array]:
        lhs, rhs = fmt.unsigned(lhs), fmt.unsigned(rhs)
        return fmt.pack(lhs * rhs), fmt.pack(_high_product(lhs, rhs, fmt))

    return compute


def mulsi_extended(op: arith.MulSIExtendedOp) -> Compute:
    """The two halves of a product of signed numbers."""
    fmt = integer_format(op.lhs.type)

    def compute(lhs: Array, rhs: Array) -> tuple[Array, Array]:
        negative_lhs, negative_rhs = fmt.signed(lhs) < 0, fmt.signed(rhs) < 0
        lhs, rhs = fmt.unsigned(lhs), fmt.unsigned(rhs)
        high = _high_product(lhs, rhs, fmt)
        high = high - np.where(negative_lhs, rhs, 0) - np.where(negative_rhs, lhs, 0)
        return fmt.pack(lhs * rhs), fmt.pack(high)

    return compute


def _high_product(lhs: Array, rhs: Array, fmt: IntegerFormat) -> Array:
    """The bits of the product above the width, of unsigned numbers."""
    lhs, rhs = lhs.astype(np.uint64), rhs.astype(np.uint64)
    if fmt.width <= _HALF:
        return ((lhs * rhs) >> fmt.width).astype(fmt.unsigned_dtype)
    low_lhs, high_lhs = lhs & _LOW_HALF, lhs >> _HALF
    low_rhs, high_rhs = rhs & _LOW_HALF, rhs >> _HALF
    middle = high_lhs * low_rhs + ((low_lhs * low_rhs) >> _HALF)
    cross = low_lhs * high_rhs + (middle & _LOW_HALF)
    high = high_lhs * high_rhs + (middle >> _HALF) + (cross >> _HALF)
    if fmt.fills_container:
        return high
    return (high << (64 - fmt.width)) | ((lhs * rhs) >> fmt.width)


def addui_extended(op: arith.AddUIExtendedOp) -> Compute:
    """A sum of unsigned numbers, and whether it has wrapped around."""
    fmt = integer_format(op.lhs.type)

    def compute(lhs: Array, rhs: Array) -> tuple[Array, Array]:
        lhs, rhs = fmt.unsigned(lhs), fmt.unsigned(rhs)
        total = lhs + rhs
        overflow = total < lhs if fmt.fills_container else total > fmt.mask
        return fmt.pack(total), overflow

    return compute


_COMPARISONS: tuple[tuple[str, Binary], ...] = (
    ("unsigned", np.equal),
    ("unsigned", np.not_equal),
    ("signed", np.less),
    ("signed", np.less_equal),
    ("signed", np.greater),
    ("signed", np.greater_equal),
    ("unsigned", np.less),
    ("unsigned", np.less_equal),
    ("unsigned", np.greater),
    ("unsigned", np.greater_equal),
)
"""How each predicate of `arith.cmpi` reads its operands, and what it asks of them."""


def cmpi(op: arith.CmpiOp) -> Binary:
    """Whether a predicate holds of two integers."""
    return comparison(op.predicate.value.data, op.lhs.type)


def comparison(predicate: int, type: Attribute) -> Binary:
    """What a predicate of `arith.cmpi` asks of integers, or lanes of integers, of a type."""
    fmt = integer_format(type)
    reading, function = _COMPARISONS[predicate]
    if reading == ("signed" if fmt.is_index else "unsigned"):
        return function
    view = fmt.signed if reading == "signed" else fmt.unsigned
    return lambda lhs, rhs: function(view(lhs), view(rhs))


def select(op: arith.SelectOp) -> Compute:
    """One of two values."""
    rank = len(lanes_of(op.lhs.type)) - len(lanes_of(op.cond.type))

    def compute(condition: Array, lhs: Array, rhs: Array) -> Array:
        if condition.size == 1:
            return lhs if condition.item() else rhs
        return np.where(over_lanes(condition, rank), lhs, rhs)

    return compute


def constant(op: arith.ConstantOp) -> Compute:
    """The same value for all."""
    values = constant_lanes(op)[np.newaxis]
    return lambda: values


def constant_lanes(op: arith.ConstantOp) -> Array:
    """The value of a constant, in the shape of its lanes."""
    type, value = op.result.type, op.value
    if isinstance(value, IntegerAttr):
        return integer_format(type).constant(value.value.data)
    if isinstance(value, FloatAttr):
        return np.array(value.value.data, dtype=dtype_of(type))
    assert isinstance(value, DenseIntOrFPElementsAttr)
    return dense_elements(value).reshape(lanes_of(type))


def dense_elements(value: DenseIntOrFPElementsAttr) -> Array:
    """The elements of a dense attribute, flat."""
    type = value.get_element_type()
    numbers = list(value.get_values())
    if not isinstance(type, IntegerType | IndexType):
        return np.array(numbers, dtype=dtype_of(type))
    fmt = integer_format(type)
    masked = [int(number) & fmt.mask for number in numbers]  # pyright: ignore[reportArgumentType]
    return fmt.pack(np.array(masked, dtype=fmt.unsigned_dtype))


def extend_unsigned(op: Operation) -> Unary:
    """The operand as a wider integer, with zeros above."""
    source = integer_format(op.operands[0].type)
    target = integer_format(op.results[0].type)
    return lambda values: target.pack(source.unsigned(values).astype(target.unsigned_dtype))


def extend_signed(op: Operation) -> Unary:
    """The operand as a wider integer, with its sign above, or the low bits of it."""
    source = integer_format(op.operands[0].type)
    target = integer_format(op.results[0].type)
    return lambda values: target.pack(source.signed(values).astype(target.signed_dtype))


def index_cast(op: arith.IndexCastOp) -> Unary:
    """An index for a signed integer, or the low bits of an index."""
    source, target = integer_format(op.input.type), integer_format(op.result.type)
    if source.width == target.width:
        return lambda values: values.view(target.dtype)
    return extend_signed(op)


divsi = _signed_division(_truncating_quotient)
floordivsi = _signed_division(np.floor_divide)
ceildivsi = _signed_division(_ceiling_quotient)
remsi = _signed_division(_signed_remainder)
ceildivui = _of_unsigned(_unsigned_ceiling_quotient)
