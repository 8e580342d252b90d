"""The ranges of what ops compute with, before any of them is rewritten."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation

from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.value_ranges import Range


class KnownOperands:
    """
    The ranges of the operands of ops as they were before any op was rewritten, which stay true
    while ops are replaced by others that compute the same; of an op that is not known yet, and
    inherits them from none, as they are when they are first asked for.
    """

    def __init__(self, ops: Iterable[Operation], integers: Integers):
        self.integers = integers
        self._ranges: dict[Operation, Sequence[Range]] = {op: integers.ranges_of(op) for op in ops}

    def of(self, op: Operation) -> Sequence[Range]:
        """The ranges of the operands of an op."""
        if op not in self._ranges:
            self._ranges[op] = self.integers.ranges_of(op)
        return self._ranges[op]

    def inherit(self, op: Operation, replaced: Operation) -> None:
        """Note that an op computes with the same numbers as the one that it replaces."""
        self._ranges[op] = self.of(replaced)

    def are_non_negative(self, op: Operation) -> bool:
        """Whether `op` computes with indices that are not negative."""
        is_of_index = isinstance(op.operands[0].type, IndexType)
        return is_of_index and all(operand.is_non_negative for operand in self.of(op))
