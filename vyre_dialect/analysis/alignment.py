"""
How powers of two that divide integers follow through ops.

Wrapping around keeps such a divisor, so that nothing needs to be known about overflow. Source:
the congruences of Granger, "Static analysis of arithmetical congruences", restricted to zero
modulo a power of two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, SSAValue

from vyre_dialect.analysis.value_ranges import bit_width
from vyre_dialect.ir.implementations import Implementations, Registry
from vyre_dialect.ir.types import BufferType
from vyre_dialect.ops.buf_len import BufLenOp

OF_ZERO = 2**63
"""The divisor of zero, which every power of two divides."""

DivisorTransfer: TypeAlias = Callable[[Any, Sequence[int]], int]
"""From an op of one result and the divisors of its operands to that of the result."""

TRANSFERS = Registry[DivisorTransfer]("vyre.divisors", ["vyre_dialect.analysis.alignment:DIVISORS"])
"""What is known about the results of ops; those of an op that is not in it may be odd."""


def power_of_two_divisor(number: int) -> int:
    """The largest power of two that divides `number`."""
    return min(number & -number, OF_ZERO) if number else OF_ZERO


DIVISORS = Implementations[DivisorTransfer]()
"""The ops of vyre, and those of `arith` on integers."""


@DIVISORS.impl(arith.ConstantOp)
def _constant(op: arith.ConstantOp, _: Sequence[int]) -> int:
    number = _number(op.result)
    return 1 if number is None else power_of_two_divisor(number)


@DIVISORS.impl(BufLenOp)
def _length(op: BufLenOp, _: Sequence[int]) -> int:
    assert isinstance(op.buffer.type, BufferType)
    count = op.buffer.type.static_count
    return 1 if count is None else power_of_two_divisor(count)


@DIVISORS.impl(arith.IndexCastOp, arith.ExtUIOp, arith.ExtSIOp, arith.TruncIOp)
def _same_low_bits(_op: Operation, operands: Sequence[int]) -> int:
    return operands[0]


@DIVISORS.impl(arith.SelectOp)
def _select(_op: arith.SelectOp, operands: Sequence[int]) -> int:
    return min(operands[1:])


@DIVISORS.impl(
    arith.AddiOp,
    arith.SubiOp,
    arith.OrIOp,
    arith.XOrIOp,
    arith.MinSIOp,
    arith.MaxSIOp,
    arith.MinUIOp,
    arith.MaxUIOp,
)
def _common(_op: Operation, operands: Sequence[int]) -> int:
    return min(operands)


@DIVISORS.impl(arith.AndIOp)
def _and(_op: arith.AndIOp, operands: Sequence[int]) -> int:
    return max(operands)


@DIVISORS.impl(arith.MuliOp)
def _product(_op: arith.MuliOp, operands: Sequence[int]) -> int:
    return min(operands[0] * operands[1], OF_ZERO)


@DIVISORS.impl(arith.ShLIOp)
def _shift_left(op: arith.ShLIOp, operands: Sequence[int]) -> int:
    amount = _amount(op)
    return 1 if amount is None else min(operands[0] << amount, OF_ZERO)


@DIVISORS.impl(arith.ShRUIOp, arith.ShRSIOp)
def _shift_right(op: arith.ShRUIOp | arith.ShRSIOp, operands: Sequence[int]) -> int:
    amount = _amount(op)
    return 1 if amount is None else _exact_quotient(operands[0], 1 << amount)


@DIVISORS.impl(
    arith.DivUIOp, arith.DivSIOp, arith.FloorDivSIOp, arith.CeilDivSIOp, arith.CeilDivUIOp
)
def _quotient(op: Any, operands: Sequence[int]) -> int:
    by = _number(op.rhs)
    return 1 if by is None else _exact_quotient(operands[0], by)


@DIVISORS.impl(arith.RemUIOp, arith.RemSIOp)
def _remainder(op: Any, operands: Sequence[int]) -> int:
    by = _number(op.rhs)
    return min(operands[0], power_of_two_divisor(by)) if by else 1


def _exact_quotient(divisor: int, by: int) -> int:
    exact = by > 0 and by & (by - 1) == 0 and divisor >= by
    return divisor // by if exact else 1


def _amount(op: arith.ShLIOp | arith.ShRUIOp | arith.ShRSIOp) -> int | None:
    """The number by which `op` shifts, if it is a constant by which shifts are defined."""
    amount = _number(op.rhs)
    return amount if amount is not None and 0 <= amount < bit_width(op.lhs.type) else None


def _number(value: SSAValue) -> int | None:
    op = value.owner
    if not isinstance(op, arith.ConstantOp) or not isinstance(op.value, IntegerAttr):
        return None
    return op.value.value.data
