"""
How powers of two that divide integers follow through ops: from those of the operands to that of
the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, SSAValue

from vyre_dialect.analysis.divisors import OF_ZERO, power_of_two_divisor
from vyre_dialect.analysis.value_ranges import bit_width
from vyre_dialect.ir.types import BufferType
from vyre_dialect.ops.buf_len import BufLenOp


def constant(op: arith.ConstantOp, _: Sequence[int]) -> int:
    """What divides the number."""
    number = _number(op.result)
    return 1 if number is None else power_of_two_divisor(number)


def length(op: BufLenOp, _: Sequence[int]) -> int:
    """What divides the length that the type says."""
    assert isinstance(op.buffer.type, BufferType)
    count = op.buffer.type.static_count
    return 1 if count is None else power_of_two_divisor(count)


def same_low_bits(_op: Operation, operands: Sequence[int]) -> int:
    """What divides the operand, of which the low bits stay."""
    return operands[0]


def select(_op: arith.SelectOp, operands: Sequence[int]) -> int:
    """What divides both values."""
    return min(operands[1:])


def common(_op: Operation, operands: Sequence[int]) -> int:
    """What divides both operands."""
    return min(operands)


def andi(_op: arith.AndIOp, operands: Sequence[int]) -> int:
    """What divides either operand."""
    return max(operands)


def muli(_op: arith.MuliOp, operands: Sequence[int]) -> int:
    """The product of what divides the factors."""
    return min(operands[0] * operands[1], OF_ZERO)


def shift_left(op: arith.ShLIOp, operands: Sequence[int]) -> int:
    """A multiple by a power of two."""
    amount = _amount(op)
    return 1 if amount is None else min(operands[0] << amount, OF_ZERO)


def shift_right(op: arith.ShRUIOp | arith.ShRSIOp, operands: Sequence[int]) -> int:
    """What is left where only zeros are shifted out."""
    amount = _amount(op)
    return 1 if amount is None else _exact_quotient(operands[0], 1 << amount)


def quotient(op: Any, operands: Sequence[int]) -> int:
    """What is left where the division has no remainder."""
    by = _number(op.rhs)
    return 1 if by is None else _exact_quotient(operands[0], by)


def remainder(op: Any, operands: Sequence[int]) -> int:
    """What divides both operands."""
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
