"""What ops on integers do in fewer bits: the low bits of what they do in many."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue

from vyre_dialect.analysis.guards import PREDICATES, Comparison
from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.signed_ranges import SignedRanges
from vyre_dialect.analysis.value_ranges import Range, full_range, signed_numbers
from vyre_dialect.ir.constants import integer_of

_ByReading = Mapping["Reading", type[arith.SignlessIntegerBinaryOperation]]

LOW_BITS = (arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.AndIOp, arith.OrIOp, arith.XOrIOp)
"""Whose low bits follow from those of both operands."""
WIDER_THAN_BYTES = (arith.MuliOp, arith.DivUIOp, arith.RemUIOp)
"""Which vector units have for no bytes."""


class Reading(Enum):
    """How few bits are read, so that they are the number that has more."""

    UNSIGNED = auto()
    SIGNED = auto()


_SAME: Mapping[type[Operation], _ByReading] = {
    arith.MinUIOp: {Reading.UNSIGNED: arith.MinUIOp, Reading.SIGNED: arith.MinUIOp},
    arith.MaxUIOp: {Reading.UNSIGNED: arith.MaxUIOp, Reading.SIGNED: arith.MaxUIOp},
    arith.MinSIOp: {Reading.UNSIGNED: arith.MinUIOp, Reading.SIGNED: arith.MinSIOp},
    arith.MaxSIOp: {Reading.UNSIGNED: arith.MaxUIOp, Reading.SIGNED: arith.MaxSIOp},
    arith.DivUIOp: {Reading.UNSIGNED: arith.DivUIOp},
    arith.RemUIOp: {Reading.UNSIGNED: arith.RemUIOp},
    arith.ShRUIOp: {Reading.UNSIGNED: arith.ShRUIOp},
    arith.ShRSIOp: {Reading.UNSIGNED: arith.ShRUIOp, Reading.SIGNED: arith.ShRSIOp},
}
"""
What does the same to numbers that few bits hold, by how these are read. The order of unsigned
numbers stays as it is where the sign is what is cut off.
"""


@dataclass(frozen=True)
class Form:
    """What an op does in few bits."""

    compute: Callable[..., Operation]
    """Of all operands, those at `places` in so few bits."""
    places: Sequence[int] = (0, 1)
    takes_low_bits: bool = False
    """Whether it asks no more of these operands than their low bits."""


@dataclass(frozen=True)
class Width:
    """So many bits, and what is known of numbers that may fit into them."""

    bits: int
    integers: Integers
    signed: SignedRanges

    @property
    def type(self) -> IntegerType:
        """The integers that have these bits."""
        return IntegerType(self.bits)

    def is_exceeded_by(self, value: SSAValue) -> bool:
        """Whether a value is an integer of more bits."""
        return isinstance(value.type, IntegerType) and value.type.width.data > self.bits

    def reading(self, op: Operation, *values: SSAValue) -> Reading | None:
        """How values, which an op takes or makes, are read in these bits; None if not all fit."""
        unsigned, signed = full_range(self.type), signed_numbers(self.bits)
        if all(self.integers.range_at(each, op.parent).within(unsigned) for each in values):
            return Reading.UNSIGNED
        fit = all(self.signed.fact(each).within(signed) for each in values)
        return Reading.SIGNED if fit else None

    def form(self, op: Operation) -> Form | None:
        """What an op does in these bits, if what it takes allows it."""
        if self.bits == 8 and isinstance(op, WIDER_THAN_BYTES):
            return None
        match op:
            case arith.CmpiOp() if self.is_exceeded_by(op.lhs):
                return self._comparison(op)
            case _ if len(op.results) != 1 or not self.is_exceeded_by(op.results[0]):
                return None
            case arith.SelectOp():
                return Form(arith.SelectOp, (1, 2), takes_low_bits=True)
            case math.AbsIOp():
                return self._absolute(op)
            case arith.ShLIOp() if self._is_amount(op):
                return Form(arith.ShLIOp, takes_low_bits=True)
            case _ if isinstance(op, LOW_BITS):
                return Form(type(op), takes_low_bits=True)
            case _:
                return self._of_fitting(op)

    def _of_fitting(self, op: Operation) -> Form | None:
        """Of an op that computes with all bits of its operands."""
        same = _SAME.get(type(op))
        if same is None:
            return None
        if isinstance(op, arith.ShRUIOp | arith.ShRSIOp) and not self._is_amount(op):
            return None
        if isinstance(op, arith.DivUIOp | arith.RemUIOp) and not integer_of(op.rhs):
            return None
        reading = self.reading(op, *op.operands)
        narrow = None if reading is None else same.get(reading)
        return None if narrow is None else Form(narrow)

    def _comparison(self, op: arith.CmpiOp) -> Form | None:
        reading = self.reading(op, op.lhs, op.rhs)
        if reading is None:
            return None
        predicate = Comparison.of(op).predicate
        if reading == Reading.UNSIGNED and predicate[0] == "s":
            predicate = f"u{predicate[1:]}"
        number = PREDICATES.index(predicate)

        def compare(lhs: SSAValue, rhs: SSAValue) -> Operation:
            return arith.CmpiOp(lhs, rhs, number)

        return Form(compare)

    def _absolute(self, op: math.AbsIOp) -> Form | None:
        """Of a number whose opposite fits, too."""
        numbers = signed_numbers(self.bits)
        known = self.signed.fact(op.operand)
        fits = numbers.low < known.low and known.high <= numbers.high
        return Form(math.AbsIOp, (0,)) if fits else None

    def _is_amount(self, op: arith.ShLIOp | arith.ShRUIOp | arith.ShRSIOp) -> bool:
        """Whether these bits can be shifted by as much as an op does."""
        return self.integers.range_at(op.rhs, op.parent).within(Range(0, self.bits - 1))
