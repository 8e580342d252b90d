"""Which integer arithmetic never wraps around, by the ranges of what it computes with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.arith import IntegerOverflowAttr, IntegerOverflowFlag
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Block, Operation, SSAValue

from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.value_ranges import RANGE, Range, bit_width, full_range, signed_numbers
from vyre_dialect.ir.proofs import states_proof
from vyre_dialect.ir.types import WITHIN_WIDTH


def proven_flags(op: Operation, operands: Sequence[Range]) -> Iterator[IntegerOverflowFlag]:
    """The flags that are true of an op of one result, whose operands are in these ranges."""
    exact = _exact(op, operands)
    if exact is None:
        return
    for flag, numbers in _numbers(bit_width(op.results[0].type)).items():
        if exact.within(numbers) and all(operand.within(numbers) for operand in operands):
            yield flag


def conditional_proofs(
    ops: Sequence[Operation], block: Block | None, integers: Integers
) -> set[Operation]:
    """
    Of the ops that compute something from what is seen in `block`, in order, those that say of
    themselves what may hold only under the conditions around them.
    """
    found, ranges = set[Operation](), dict[SSAValue, Range]()
    for op in ops:
        operands = [ranges.get(each) or integers.range_at(each, block) for each in op.operands]
        exact = _exact(op, operands)
        for result in op.results:
            full = full_range(result.type)
            ranges[result] = exact if exact is not None and exact.within(full) else full
        if states_proof(op) and not _are_true(op, operands):
            found.add(op)
    return found


def _are_true(op: Operation, operands: Sequence[Range]) -> bool:
    """Whether what `op` says of itself are overflow flags that are true of these operands."""
    flags = op.properties.get("overflowFlags")
    if not isinstance(flags, IntegerOverflowAttr) or WITHIN_WIDTH in op.attributes:
        return False
    return set(flags.data) <= set(proven_flags(op, operands))


def _exact(op: Operation, operands: Sequence[Range]) -> Range | None:
    """The range of the exact result of an op of one integer, or None where it is not known."""
    if len(op.results) != 1 or not isinstance(op.results[0].type, IndexType | IntegerType):
        return None
    transfer = RANGE.of(type(op))
    return None if transfer is None else transfer(op, operands)


def _numbers(width: int) -> dict[IntegerOverflowFlag, Range]:
    """
    The signed and the unsigned numbers of an integer type. A range within them, of an index or
    of another integer, holds the same numbers under both readings of the bits or under its own.
    """
    return {
        IntegerOverflowFlag.NSW: signed_numbers(width),
        IntegerOverflowFlag.NUW: Range(0, 2**width - 1),
    }
