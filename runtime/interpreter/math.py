"""What the ops of `math` compute: NumPy's functions, in the op's own type."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation

from vyre_dialect.runtime.interpreter.formats import Array, integer_format
from vyre_dialect.runtime.interpreter.machine import Compute, Unary, elementwise


def _round_half_away(values: Array) -> Array:
    whole = np.trunc(values)
    return whole + np.copysign((abs(values - whole) >= 0.5).astype(values.dtype), values)


def _reciprocal_square_root(values: Array) -> Array:
    return (1 / np.sqrt(values)).astype(values.dtype)


_exact_erf: Any = np.frompyfunc(math.erf, 1, 1)


def _error_function(values: Array) -> Array:
    return _exact_erf(values.astype(np.float64)).astype(values.dtype)


def fused_multiply_add(a: Array, b: Array, c: Array) -> Array:
    """`a * b + c`, rounded once."""
    if a.dtype == np.float64:
        return _exact_fma(a, b, c)
    return _fma_in_double(a.astype(np.float64), b.astype(np.float64), c).astype(a.dtype)


def _fma_in_double(a: NDArray[Any], b: NDArray[Any], c: Array) -> Array:
    """
    The sum rounded to odd, which a second rounding cannot spoil (Boldo and Melquiond,
    "Emulation of FMA and correctly rounded sums"). The product of narrow floats is exact.
    """
    product = a * b
    total = product + c
    back = total - product
    error = (product - (total - back)) + (c - back)
    is_even = (total.view(np.int64) & 1) == 0
    towards = np.where(error > 0, np.inf, -np.inf)
    inexact = np.isfinite(total) & (error != 0) & is_even
    return np.where(inexact, np.nextafter(total, towards), total)


def _fma_of_doubles(a: float, b: float, c: float) -> float:
    simple = a * b + c
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
        return simple
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if not exact:
        return simple
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


_exact_fma_objects: Any = np.frompyfunc(_fma_of_doubles, 3, 1)


def _exact_fma(a: Array, b: Array, c: Array) -> Array:
    return _exact_fma_objects(a, b, c).astype(np.float64)


def absi(op: Operation) -> Unary:
    """The magnitude of a signed integer."""
    fmt = integer_format(op.operands[0].type)
    return lambda values: fmt.pack(np.abs(fmt.signed(values)))


def ctpop(op: Operation) -> Compute:
    """How many bits are set."""
    fmt = integer_format(op.operands[0].type)

    def compute(values: Array) -> Array:
        count = np.bitwise_count(fmt.unsigned(values))
        return fmt.pack(count.astype(fmt.unsigned_dtype))

    return compute


def cttz(op: Operation) -> Compute:
    """How many zeros the lowest bits are."""
    fmt = integer_format(op.operands[0].type)
    one = fmt.unsigned_dtype.type(1)

    def compute(values: Array) -> Array:
        unsigned = fmt.unsigned(values)
        below_lowest = ~unsigned & (unsigned - one)
        count = np.minimum(np.bitwise_count(below_lowest), fmt.width)
        return fmt.pack(count.astype(fmt.unsigned_dtype))

    return compute


def ctlz(op: Operation) -> Compute:
    """How many zeros the highest bits are."""
    fmt = integer_format(op.operands[0].type)

    def compute(values: Array) -> Array:
        smeared = fmt.unsigned(values)
        shift = 1
        while shift < fmt.width:
            smeared = smeared | (smeared >> shift)
            shift *= 2
        count = fmt.width - np.bitwise_count(smeared)
        return fmt.pack(count.astype(fmt.unsigned_dtype))

    return compute


def ipowi(op: Operation) -> Compute:
    """An integer to the power of an integer."""
    fmt = integer_format(op.operands[0].type)
    # Of NumPy's own type: a number of Python's is an int64 where no array tells another.
    zero, one, minus_one = (np.array(each, fmt.unsigned_dtype) for each in (0, 1, fmt.mask))

    def compute(base: Array, exponent: Array) -> Array:
        negative = fmt.signed(exponent) < 0
        base, exponent = fmt.unsigned(base), fmt.unsigned(exponent)
        odd = (exponent & 1).astype(bool)
        of_minus_one = np.where(odd, minus_one, one)
        others = np.where(base == minus_one, of_minus_one, zero)
        reciprocal = np.where(base == one, one, others)
        power = _power(base, np.where(negative, 0, exponent), fmt.width)
        return fmt.pack(np.where(negative, reciprocal, power).astype(base.dtype))

    return compute


def _power(base: Array, exponent: Array, width: int) -> Array:
    """By repeated squaring, modulo the size of the container."""
    result = np.ones(np.broadcast_shapes(base.shape, exponent.shape), base.dtype)
    for bit in range(width):
        taken = ((exponent >> bit) & 1).astype(bool)
        result = np.where(taken, result * base, result)
        base = base * base
    return result


def fpowi(op: Operation) -> Compute:
    """A floating point number to the power of an integer."""
    fmt = integer_format(op.operands[1].type)

    def compute(base: Array, exponent: Array) -> Array:
        wide = np.power(base.astype(np.float64), fmt.signed(exponent).astype(np.float64))
        return wide.astype(base.dtype)

    return compute


erf = elementwise(_error_function)
fma = elementwise(fused_multiply_add)
round_half_away = elementwise(_round_half_away)
rsqrt = elementwise(_reciprocal_square_root)
