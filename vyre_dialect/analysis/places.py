"""What is computed from ids, sizes and constants alone, whatever the data are."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, SSAValue

from vyre_dialect.ir.interfaces import accesses_of, arm_of


def places(ops: Iterable[Operation]) -> AbstractSet[SSAValue]:
    """
    The results of the ops of an arm, in their order, that no data decide: neither what is loaded
    nor which branch is taken. Between neighbours they differ by known numbers, or may.
    """
    found = set[SSAValue]()
    for op in ops:
        is_computed = all(_is_place(each, found) for each in op.operands)
        if is_computed and not op.regions and not accesses_of(op):
            found.update(op.results)
    return found


def _is_place(value: SSAValue, known: AbstractSet[SSAValue]) -> bool:
    """Whether no data decide a value: the counters of loops count, whose bounds are asked apart."""
    if isinstance(value.owner, Block):
        return isinstance(value.type, IndexType)
    return value in known or arm_of(value.owner) is None
