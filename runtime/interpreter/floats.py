"""
What the ops of `arith` on floats compute: in the op's own type, rounded to nearest, ties to
even. Conversions to integers, unspecified out of range, saturate there and make 0 of NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Operation

from vyre_dialect.ir.types import scalar_type
from vyre_dialect.ops.lanes import ConvertLanesOp
from vyre_dialect.runtime.interpreter.formats import (
    Array,
    UnsupportedError,
    dtype_of,
    integer_format,
)
from vyre_dialect.runtime.interpreter.machine import Binary, Compute, Unary, elementwise

Predicate: TypeAlias = Callable[[Array, Array], Any]


def maximum(lhs: Array, rhs: Array) -> Array:
    """The larger, NaN if either is; -0 is less than +0."""
    zeros = (lhs == 0) & (rhs == 0)
    return np.where(zeros, lhs + rhs, np.maximum(lhs, rhs))


def minimum(lhs: Array, rhs: Array) -> Array:
    """The smaller, NaN if either is; -0 is less than +0."""
    return -maximum(-lhs, -rhs)


def _of_numbers(extremum: Binary) -> Binary:
    """The other operand where one is NaN."""

    def compute(lhs: Array, rhs: Array) -> Array:
        return np.where(np.isnan(lhs), rhs, np.where(np.isnan(rhs), lhs, extremum(lhs, rhs)))

    return compute


maximum_number = _of_numbers(maximum)
minimum_number = _of_numbers(minimum)


def _unordered(lhs: Array, rhs: Array) -> Any:
    return np.isnan(lhs) | np.isnan(rhs)


def _or_unordered(predicate: Predicate) -> Predicate:
    return lambda lhs, rhs: predicate(lhs, rhs) | _unordered(lhs, rhs)


def _always(answer: bool) -> Predicate:
    return lambda lhs, rhs: np.full(np.broadcast_shapes(lhs.shape, rhs.shape), answer)


def _equal_or_unordered(lhs: Array, rhs: Array) -> Any:
    return (lhs == rhs) | _unordered(lhs, rhs)


_COMPARISONS: tuple[Predicate, ...] = (
    _always(False),
    np.equal,
    np.greater,
    np.greater_equal,
    np.less,
    np.less_equal,
    lambda lhs, rhs: ~_equal_or_unordered(lhs, rhs),
    lambda lhs, rhs: ~_unordered(lhs, rhs),
    _equal_or_unordered,
    _or_unordered(np.greater),
    _or_unordered(np.greater_equal),
    _or_unordered(np.less),
    _or_unordered(np.less_equal),
    np.not_equal,
    _unordered,
    _always(True),
)
"""The predicates of `arith.cmpf`, from `false` over the ordered and unordered ones to `true`."""


def comparison(predicate: int) -> Predicate:
    """Whether a predicate holds of two floating point numbers, by its number in `arith.cmpf`."""
    return _COMPARISONS[predicate]


def cmpf(op: arith.CmpfOp) -> Compute:
    """Whether a predicate holds of two floating point numbers."""
    return comparison(op.predicate.value.data)


def resize(op: Operation) -> Unary:
    """The same number, rounded, in another type."""
    dtype = dtype_of(op.results[0].type)
    return lambda values: values.astype(dtype)


def sitofp(op: arith.SIToFPOp | ConvertLanesOp) -> Unary:
    """A signed integer as a floating point number."""
    fmt, dtype = integer_format(op.input.type), dtype_of(op.result.type)
    return lambda values: fmt.signed(values).astype(dtype)


def uitofp(op: arith.UIToFPOp | ConvertLanesOp) -> Unary:
    """An unsigned integer as a floating point number."""
    fmt, dtype = integer_format(op.input.type), dtype_of(op.result.type)
    return lambda values: fmt.unsigned(values).astype(dtype)


def fptosi(op: arith.FPToSIOp | ConvertLanesOp) -> Unary:
    """The nearest signed integer towards zero."""
    fmt = integer_format(op.result.type)
    return _saturating(op, fmt.minimum, fmt.mask >> 1, fmt.signed_dtype)


def fptoui(op: arith.FPToUIOp | ConvertLanesOp) -> Unary:
    """The nearest unsigned integer towards zero."""
    fmt = integer_format(op.result.type)
    return _saturating(op, 0, fmt.mask, fmt.unsigned_dtype)


def _saturating(op: Operation, minimum: int, maximum: int, dtype: np.dtype[Any]) -> Unary:
    fmt = integer_format(op.results[0].type)

    def compute(values: Array) -> Array:
        values = np.trunc(values.astype(np.float64))
        low, high = values <= minimum, values >= maximum
        inside = np.where(low | high | np.isnan(values), 0, values).astype(dtype)
        numbers = np.where(low, dtype.type(minimum), np.where(high, dtype.type(maximum), inside))
        return fmt.pack(numbers)

    return compute


def bitcast(op: arith.BitcastOp) -> Unary:
    """The same bits as another type."""
    source, target = scalar_type(op.input.type), scalar_type(op.result.type)
    if source == target:
        return lambda values: values
    if not isinstance(source, IntegerType | IndexType) or not isinstance(
        target, IntegerType | IndexType
    ):
        return _reinterpret(op)
    from_format, to_format = integer_format(source), integer_format(target)
    return lambda values: to_format.pack(
        from_format.unsigned(values).astype(to_format.unsigned_dtype)
    )


def _reinterpret(op: arith.BitcastOp) -> Unary:
    source, target = dtype_of(op.input.type), dtype_of(op.result.type)
    if source.itemsize != target.itemsize:
        raise UnsupportedError(
            f"'{op.name}' expected types of one size, got {op.input.type} and {op.result.type}"
        )
    return lambda values: values.view(target)


maximumf = elementwise(maximum)
minimumf = elementwise(minimum)
maxnumf = elementwise(maximum_number)
minnumf = elementwise(minimum_number)
