"""Which of the ops that words can do are done by words: where masks allow it, and it gains."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from xdsl.dialects import arith, vector
from xdsl.ir import Operation, SSAValue

from vyre_dialect.ops.lanes import SelectLanesOp
from vyre_dialect.ops.memory import LoadOp
from vyre_dialect.passes.rewriting.joint_ops import joint_ops
from vyre_dialect.passes.scalar.bytes_in_words.forms import (
    Form,
    Total,
    is_mask,
    number_in,
    repeated,
)

GAINS: Mapping[type[Operation], int] = {
    arith.AndIOp: 3,
    arith.OrIOp: 3,
    arith.XOrIOp: 3,
    arith.MuliOp: 3,
    arith.ShLIOp: 2,
    arith.ShRUIOp: 2,
    SelectLanesOp: 1,
}
"""Instructions that a word of four bytes spares; sums, differences and comparisons take as many."""
TOTAL_GAIN = 6
ASSEMBLY_COST = 6
"""
Of a word of bytes in registers of their own, in such instructions: `substitution_breaks` of the
gate, which gained 9 for two of them, took 1.13 times as long.
"""


class Choice:
    """The ops that are packed; leaving out one may leave out others."""

    def __init__(self, forms: Mapping[Operation, Form], totals: Mapping[Operation, Total]):
        self.forms, self.totals = dict(forms), dict(totals)
        self._total_by_part = {part: op for op in totals for part in totals[op].tree}

    def taken(self, op: Operation) -> Sequence[SSAValue]:
        """The vectors whose words an op takes."""
        return self.forms[op].operands if op in self.forms else [self.totals[op].lanes]

    def leave_out_masks(self) -> None:
        """Leave ops as they are whose masks something else makes, or reads."""
        pending = list(self._all())
        while pending:
            op = pending.pop()
            if not self._is_packed(op) or not self._is_apart(op):
                continue
            pending += [each.owner for each in self.taken(op) if isinstance(each.owner, Operation)]
            pending += [reader for each in op.results for reader in self._readers(each)]
            self._leave_out([op])

    def leave_out_losses(self, ops: Iterable[Operation]) -> None:
        """
        Leave ops as they are that hand on to each other where that costs more than it gains: bytes
        that are put together one by one, and not by a load. `ops` are all there are, in order.
        """
        assembled = self._assembled(ops)
        for joint in joint_ops(list(self._all()), self.taken):
            gain = sum(GAINS.get(type(op), 0) if op in self.forms else TOTAL_GAIN for op in joint)
            taken = {each for op in joint for each in self.taken(op)}
            if gain <= ASSEMBLY_COST * sum(each in assembled for each in taken):
                self._leave_out(joint)

    def _all(self) -> Iterator[Operation]:
        yield from self.forms
        yield from self.totals

    def _is_packed(self, op: Operation) -> bool:
        return op in self.forms or op in self.totals

    def _leave_out(self, ops: Iterable[Operation]) -> None:
        for op in ops:
            self.forms.pop(op, None)
            self.totals.pop(op, None)

    def _is_apart(self, op: Operation) -> bool:
        """Whether a mask that an op takes has no flags, or one that it makes is read as lanes."""
        if any(is_mask(each) and not self._has_flags(each) for each in self.taken(op)):
            return True
        return any(
            is_mask(result) and not all(self._is_packed(each) for each in self._readers(result))
            for result in op.results
        )

    def _has_flags(self, mask: SSAValue) -> bool:
        is_one = repeated(mask) is not None or number_in(mask) is not None
        return is_one or mask.owner in self.forms

    def _readers(self, value: SSAValue) -> Iterator[Operation]:
        """What reads a value: of what adds up lanes, the op that has their sum."""
        for use in value.uses:
            yield self._total_by_part.get(use.operation, use.operation)

    def _assembled(self, ops: Iterable[Operation]) -> AbstractSet[SSAValue]:
        """The vectors that are taken and put together of bytes in registers of their own."""
        taken = {each for op in self._all() for each in self.taken(op)}
        assembled = {each for each in taken if self._is_assembled(each)}
        for op in ops:
            if isinstance(op, vector.ShuffleOp) and any(
                each in assembled or self._is_assembled(each) for each in op.operands
            ):
                assembled.add(op.result)
        return assembled

    def _is_assembled(self, lanes: SSAValue) -> bool:
        """What branches and loops hand on is, as compilers for GPUs carry its bytes one by one."""
        whole = LoadOp | vector.BitcastOp | vector.BroadcastOp | vector.ShuffleOp | arith.ConstantOp
        return lanes.owner not in self.forms and not isinstance(lanes.owner, whole)
