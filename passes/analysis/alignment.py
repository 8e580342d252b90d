"""
Powers of two that divide an integer, whatever the invocation and the iteration.

Wrapping around keeps such a divisor, so that nothing needs to be known about overflow. Source:
the congruences of Granger, "Static analysis of arithmetical congruences", restricted to zero
modulo a power of two.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from vyre_dialect.ops.program import BufLenOp
from vyre_dialect.passes.analysis.value_ranges import bit_width
from vyre_dialect.types import BufferType

OF_ZERO = 2**63
"""The divisor of zero, which every power of two divides."""


def power_of_two_divisor(number: int) -> int:
    """The largest power of two that divides `number`."""
    return min(number & -number, OF_ZERO) if number else OF_ZERO


@dataclass
class Divisors:
    """The largest power of two known to divide each value."""

    _known: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])

    def of(self, value: SSAValue) -> int:
        """A power of two that divides `value`, an index or an integer."""
        if value not in self._known:
            # What a cycle of the search comes back to is divisible by one only.
            self._known[value] = 1
            self._known[value] = self._compute(value)
        return self._known[value]

    def _compute(self, value: SSAValue) -> int:
        if isinstance(value, BlockArgument):
            return self._of_counter(value)
        assert isinstance(value, OpResult)
        op = value.op
        if isinstance(op, arith.ConstantOp):
            return self._of_constant(op)
        if isinstance(op, BufLenOp):
            return _of_length(op)
        if (transfer := _BINARY.get(type(op))) is not None:
            return transfer(*(self.of(operand) for operand in op.operands))
        if type(op) in _BY_CONSTANT:
            return self._by_constant(op)
        return min((self.of(source) for source in _alternatives(op, value)), default=1)

    def _of_counter(self, argument: BlockArgument) -> int:
        loop = argument.block.parent_op()
        if not isinstance(loop, scf.ForOp) or argument.index != 0:
            return 1
        return min(self.of(loop.lb), self.of(loop.step))

    def _of_constant(self, op: arith.ConstantOp) -> int:
        if not isinstance(op.value, IntegerAttr):
            return 1
        return power_of_two_divisor(op.value.value.data)

    def _by_constant(self, op: Operation) -> int:
        left, right = op.operands
        amount = right.owner
        if not isinstance(amount, arith.ConstantOp) or not isinstance(amount.value, IntegerAttr):
            return 1
        number = amount.value.value.data
        if isinstance(op, _SHIFTS) and not 0 <= number < bit_width(left.type):
            return 1
        return _BY_CONSTANT[type(op)](self.of(left), number)


def _of_length(op: BufLenOp) -> int:
    assert isinstance(op.buffer.type, BufferType)
    count = op.buffer.type.static_count
    return 1 if count is None else power_of_two_divisor(count)


def _alternatives(op: Operation, value: OpResult) -> list[SSAValue]:
    """The values of which `value` is one; none when that is not known."""
    match op:
        case arith.SelectOp():
            return [op.lhs, op.rhs]
        case arith.IndexCastOp() | arith.ExtUIOp() | arith.ExtSIOp() | arith.TruncIOp():
            return [op.input]
        case scf.IfOp():
            blocks = (op.true_region.block, op.false_region.block)
            return [last.operands[value.index] for b in blocks if (last := b.last_op) is not None]
        case _:
            return []


def _shifted_left(divisor: int, amount: int) -> int:
    return min(divisor << amount, OF_ZERO)


def _divided(divisor: int, by: int) -> int:
    exact = by > 0 and by & (by - 1) == 0 and divisor >= by
    return divisor // by if exact else 1


def _shifted_right(divisor: int, amount: int) -> int:
    return _divided(divisor, 1 << amount)


def _remainder(divisor: int, by: int) -> int:
    return min(divisor, power_of_two_divisor(by)) if by else 1


_BINARY: dict[type[Operation], Callable[[int, int], int]] = {
    arith.AddiOp: min,
    arith.SubiOp: min,
    arith.MuliOp: lambda left, right: min(left * right, OF_ZERO),
    arith.AndIOp: max,
    arith.OrIOp: min,
    arith.XOrIOp: min,
    arith.MinSIOp: min,
    arith.MaxSIOp: min,
    arith.MinUIOp: min,
    arith.MaxUIOp: min,
}

_SHIFTS = (arith.ShLIOp, arith.ShRUIOp, arith.ShRSIOp)

_BY_CONSTANT: dict[type[Operation], Callable[[int, int], int]] = {
    arith.ShLIOp: _shifted_left,
    arith.ShRUIOp: _shifted_right,
    arith.ShRSIOp: _shifted_right,
    arith.DivUIOp: _divided,
    arith.DivSIOp: _divided,
    arith.FloorDivSIOp: _divided,
    arith.CeilDivSIOp: _divided,
    arith.CeilDivUIOp: _divided,
    arith.RemUIOp: _remainder,
    arith.RemSIOp: _remainder,
}
