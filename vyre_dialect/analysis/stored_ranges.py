"""
Which numbers integers can be that come out of private memory: those that are stored there.

Memory that nothing has written holds any number, so that this proves no access to be in bounds.
What is summed up from such memory is any number, too, and may be taken for one in the range.
"""

from __future__ import annotations

from functools import reduce

from xdsl.ir import Attribute, Operation, SSAValue

from vyre_dialect.analysis.integers import MAX_HEIGHT, Integers, block_of, transferred
from vyre_dialect.analysis.value_ranges import Range, full_range
from vyre_dialect.ir.types import Initial, is_private, scalar_type
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.memory import LoadOp, StoreOp


class StoredRanges:
    """Ranges of integers, as if each load of private memory came behind a store to it."""

    def __init__(self, integers: Integers):
        self._integers = integers
        self._known: dict[SSAValue, Range] = {}

    def of(self, value: SSAValue, height: int = MAX_HEIGHT) -> Range:
        """The range of an integer, or of the lanes of a vector, by so many ops at the most."""
        if value not in self._known:
            self._known[value] = self._integers.range_at(value, block_of(value))
            if height:
                self._known[value] = self._known[value].meet(self._computed(value, height - 1))
        return self._known[value]

    def _computed(self, value: SSAValue, height: int) -> Range:
        full, op = full_range(value.type), value.owner
        if isinstance(op, LoadOp):
            return self._loaded(op, height) or full
        if not isinstance(op, Operation) or op.regions:
            return full
        exact = transferred(op, [self.of(operand, height) for operand in op.operands])
        return exact if exact is not None and exact.within(full) else full

    def _loaded(self, load: LoadOp, height: int) -> Range | None:
        """The range of all that is stored to the private memory that an op loads."""
        buffer = load.buffer.owner
        if not isinstance(buffer, BufferOp) or not is_private(buffer.type):
            return None
        if buffer.initial_contents != Initial.UNDEFINED:
            return None
        users = [use.operation for use in buffer.buffer.uses]
        stored = [each.value for each in users if isinstance(each, StoreOp)]
        if not all(_is_of_elements(each, buffer.type.element_type) for each in users):
            return None
        return reduce(Range.join, (self.of(each, height) for each in stored), _OUTSIDE)


_OUTSIDE = Range(0, 0)
"""What a load outside of a buffer yields."""


def _is_of_elements(op: Operation, element: Attribute) -> bool:
    """Whether an op loads or stores whole elements, not what other memory they are made of."""
    match op:
        case LoadOp():
            return scalar_type(op.value.type) == element
        case StoreOp():
            return scalar_type(op.value.type) == element
        case _:
            return False
