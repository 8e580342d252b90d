"""
Arithmetic on ranges: from those of two numbers to that of what is computed of them, exactly.

What is divided by zero is 0, as the ops have it. Source: Moore, "Interval Analysis".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product as pairs
from typing import TypeAlias

from xdsl.ir import Operation

from vyre_dialect.analysis.value_ranges import UNKNOWN, Range, RangeTransfer, bit_width

Binary: TypeAlias = Callable[[Range, Range], Range]
"""From the ranges of two numbers to that of what is computed of them."""


def at_corners(function: Callable[..., int], *operands: Range) -> Range:
    """The range of a function that is monotonic in each operand, whose ends have its extrema."""
    values = [function(*ends) for ends in pairs(*((each.low, each.high) for each in operands))]
    return Range(min(values), max(values))


def _corners(function: Callable[[int, int], int]) -> Binary:
    return lambda left, right: at_corners(function, left, right)


def by_positive(function: Binary) -> Binary:
    """Of a divisor that is known not to be negative; what is divided by zero is 0."""

    def transfer(left: Range, right: Range) -> Range:
        if right.low < 0:
            return UNKNOWN
        if right.low > 0:
            return function(left, right)
        return function(left, Range(1, max(right.high, 1))).join(Range(0, 0))

    return transfer


# Sums, products and extrema.


def total(left: Range, right: Range) -> Range:
    """Of sums."""
    return Range(left.low + right.low, left.high + right.high)


def difference(left: Range, right: Range) -> Range:
    """Of differences."""
    return Range(left.low - right.high, left.high - right.low)


def minimum(left: Range, right: Range) -> Range:
    """Of the smaller of both."""
    return Range(min(left.low, right.low), min(left.high, right.high))


def maximum(left: Range, right: Range) -> Range:
    """Of the larger of both."""
    return Range(max(left.low, right.low), max(left.high, right.high))


product = _corners(lambda a, b: a * b)

# Quotients and remainders.


def _truncated(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _remainder(left: Range, right: Range) -> Range:
    largest = min(right.high - 1, max(abs(left.low), abs(left.high)))
    return Range(0 if left.is_non_negative else -largest, largest)


quotient = by_positive(_corners(_truncated))
floor_quotient = by_positive(_corners(lambda a, b: a // b))
ceiling_quotient = by_positive(_corners(lambda a, b: -(-a // b)))
remainder = by_positive(_remainder)

# Bits.


def bitwise_and(left: Range, right: Range) -> Range:
    """Of the bits that both have, one of which is known not to be negative."""
    if left.is_non_negative and right.is_non_negative:
        return Range(0, min(left.high, right.high))
    for one in (left, right):
        if one.is_non_negative:
            return Range(0, one.high)
    return UNKNOWN


def bitwise_or(left: Range, right: Range) -> Range:
    """Of the bits that either has, and of those that one has, of numbers that are not negative."""
    bits = max(left.high.bit_length(), right.high.bit_length())
    return Range(0, 2**bits - 1)


shifted_left = _corners(lambda a, b: a << b)
shifted_right = _corners(lambda a, b: a >> b)

# What ops do.


def of_operands(function: Binary) -> RangeTransfer:
    """A transfer that asks nothing of the op but the ranges of its two operands."""
    return lambda _, operands: function(operands[0], operands[1])


def shift(inner: RangeTransfer) -> RangeTransfer:
    """A shift, which is unknown by the width or more: OpenCL C takes such amounts modulo it."""

    def transfer(op: Operation, operands: Sequence[Range]) -> Range:
        defined = operands[1].within(Range(0, bit_width(op.results[0].type) - 1))
        return inner(op, operands) if defined else UNKNOWN

    return transfer
