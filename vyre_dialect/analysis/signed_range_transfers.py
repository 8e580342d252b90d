"""
How ranges of numbers that are read as signed ones follow through ops: from those of the operands
to that of the exact result.

An index is read so anyway: what its ranges follow by, holds of other integers, too. Results are not
wrapped around, and UNKNOWN where nothing is known.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, math

from vyre_dialect.analysis.interval_arithmetic import (
    bitwise_and,
    ceiling_quotient,
    floor_quotient,
    maximum,
    minimum,
    of_operands,
    quotient,
    remainder,
    shift,
    shifted_right,
)
from vyre_dialect.analysis.range_transfers import addi as addi
from vyre_dialect.analysis.range_transfers import bit_count as bit_count
from vyre_dialect.analysis.range_transfers import ceildivui as ceildivui
from vyre_dialect.analysis.range_transfers import divui as divui
from vyre_dialect.analysis.range_transfers import maxui as maxui
from vyre_dialect.analysis.range_transfers import minui as minui
from vyre_dialect.analysis.range_transfers import muli as muli
from vyre_dialect.analysis.range_transfers import remui as remui
from vyre_dialect.analysis.range_transfers import same_number as same_number
from vyre_dialect.analysis.range_transfers import select as select
from vyre_dialect.analysis.range_transfers import shli as shli
from vyre_dialect.analysis.range_transfers import shrui as shrui
from vyre_dialect.analysis.range_transfers import subi as subi
from vyre_dialect.analysis.value_ranges import UNKNOWN, Range, full_range, full_signed_range
from vyre_dialect.ir.constants import integer_of

# Constants and conversions.


def constant(op: arith.ConstantOp, _: Sequence[Range]) -> Range:
    """One number, whichever way it is written."""
    number, full = integer_of(op.result), full_signed_range(op.result.type)
    if number is None:
        return UNKNOWN
    number = (number - full.low) % (full.high - full.low + 1) + full.low
    return Range(number, number)


def extui(op: arith.ExtUIOp, operands: Sequence[Range]) -> Range:
    """The number read as an unsigned one."""
    return operands[0] if operands[0].is_non_negative else full_range(op.input.type)


def absi(_op: math.AbsIOp, operands: Sequence[Range]) -> Range:
    """The number without its sign."""
    (operand,) = operands
    low, high = operand.low, operand.high
    least = 0 if low <= 0 <= high else min(abs(low), abs(high))
    return Range(least, max(abs(low), abs(high)))


# Bits.


def andi(_op: arith.AndIOp, operands: Sequence[Range]) -> Range:
    """Not more than either, and no more bits than both."""
    return _and(*operands)


def ori(_op: arith.OrIOp, operands: Sequence[Range]) -> Range:
    """What is left of all bits without those that neither has."""
    return _complement(_and(*map(_complement, operands)))


def xori(_op: arith.XOrIOp, operands: Sequence[Range]) -> Range:
    """No more bits than both."""
    bound = 1 << _bits(*operands)
    signs = {end < 0 for each in operands for end in (each.low, each.high)}
    return Range(0 if len(signs) == 1 else -bound, bound - 1)


def _and(left: Range, right: Range) -> Range:
    if left.is_non_negative or right.is_non_negative:
        return bitwise_and(left, right)
    return Range(-1 << _bits(left, right), max(left.high, right.high))


def _complement(operand: Range) -> Range:
    return Range(~operand.high, ~operand.low)


def _bits(*operands: Range) -> int:
    """How many bits some numbers have, apart from their signs."""
    return max(max(end, ~end).bit_length() for each in operands for end in (each.low, each.high))


# Quotients, places and extrema of signed numbers.
divsi = of_operands(quotient)
floordivsi = of_operands(floor_quotient)
ceildivsi = of_operands(ceiling_quotient)
remsi = of_operands(remainder)
shrsi = shift(of_operands(shifted_right))
minsi = of_operands(minimum)
maxsi = of_operands(maximum)
