"""What ops on integers do in fewer bits: the low bits of what they do in many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, TypeAlias

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Block, Operation, SSAValue

from vyre_dialect.analysis.value_ranges import Range, full_range, signed_numbers
from vyre_dialect.ir.meaning import Facet


class Reading(Enum):
    """How few bits are read, so that they are the number that has more."""

    UNSIGNED = auto()
    SIGNED = auto()


@dataclass(frozen=True)
class Form:
    """What an op does in few bits."""

    compute: Callable[..., SSAValue]
    """
    Of all operands, those at `places` in so few bits: as many low bits of the result, or all of one
    that has no more.
    """
    places: Sequence[int] = (0, 1)
    takes_low_bits: bool = False
    """Whether it asks no more of these operands than their low bits."""
    steps: int = 1
    """How many ops on so few bits vector units take for it."""
    wide_steps: int = 1
    """How many they take for the op itself."""


@dataclass(frozen=True)
class Width:
    """So many bits, and what is known of numbers that may fit into them."""

    bits: int
    unsigned: Callable[[SSAValue, Block | None], Range]
    """The range of an integer in a block, as `Integers` have it."""
    signed: Callable[[SSAValue], Range]
    """The range of an integer read as a signed number."""

    @property
    def type(self) -> IntegerType:
        """The integers that have these bits."""
        return IntegerType(self.bits)

    @property
    def is_of_bytes(self) -> bool:
        """Whether they are bytes, which vector units neither multiply nor divide nor shift."""
        return self.bits == 8

    def is_exceeded_by(self, value: SSAValue) -> bool:
        """Whether a value is an integer of more bits."""
        return isinstance(value.type, IntegerType) and value.type.width.data > self.bits

    def places(self, op: Operation) -> Sequence[int]:
        """Which operands of an op are integers of more bits."""
        return [i for i, operand in enumerate(op.operands) if self.is_exceeded_by(operand)]

    def reading(self, op: Operation, *values: SSAValue) -> Reading | None:
        """How values, which an op takes or makes, are read in these bits; None if not all fit."""
        unsigned, signed = full_range(self.type), signed_numbers(self.bits)
        if all(self.unsigned(each, op.parent).within(unsigned) for each in values):
            return Reading.UNSIGNED
        return Reading.SIGNED if all(self.signed(each).within(signed) for each in values) else None

    def form(self, op: Operation) -> Form | None:
        """What an op does in these bits, if what it takes allows it."""
        if len(op.results) != 1 or not self.places(op):
            return None
        narrow = NARROW.of(type(op))
        return None if narrow is None else narrow(self, op)


Narrow: TypeAlias = Callable[[Width, Any], Form | None]
"""What an op of one result, and of an operand of more bits, does in these; None if it may not."""

NARROW = Facet[Narrow]("narrow", "vyre_dialect.passes.scalar.narrowing.by_definition:narrow")
"""What ops do in few bits; one that does not say it is left as it is."""
