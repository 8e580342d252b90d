"""Which values of an arm can be computed once for a whole workgroup."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue

from vyre_dialect.analysis.forward_analysis import Counter, ForwardAnalysis, Merged, Rule, origin_of
from vyre_dialect.ir.effects import states_effects
from vyre_dialect.ir.interfaces import Id, accesses_of, ids_of, is_convergent
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import BufferType, MemorySpace
from vyre_dialect.ops.program import RegionOp


class Sharing(ForwardAnalysis[SSAValue, bool]):
    """
    Decides for values of an arm whether one computation serves all invocations of a workgroup.

    It does where nothing depends on the place in the workgroup and nothing is written. Loads are
    done once, too, of what no invocation writes between the same two barriers: one may have
    written what it loads, and the others load without need.
    """

    start = True

    def __init__(self, arm: RegionOp, together: AbstractSet[Operation]):
        super().__init__()
        self._arm = arm
        self._together = together
        """What a workgroup does together, and what stands around that."""
        self._written = dict[Operation, AbstractSet[SSAValue]]()
        """The buffers that are written in the piece of each op."""

    def is_shared(self, value: SSAValue) -> bool:
        """Whether one computation of `value` serves a workgroup."""
        return self.fact(value)

    def rule(self, node: SSAValue) -> Rule[SSAValue, bool]:
        """Shared if all that it comes from is."""
        sources = self._sources(node)
        return Rule((), lambda _: False) if sources is None else Rule(sources, all)

    def _sources(self, value: SSAValue) -> Sequence[SSAValue] | None:
        """What `value` depends on, or None where each invocation has its own."""
        if not self._arm.body.is_ancestor(value.owner):
            return ()
        op = value.owner.parent_op() if isinstance(value, BlockArgument) else value.owner
        assert isinstance(op, Operation)
        if op in self._together:
            return _merged(value)
        if not isinstance(value, OpResult) or not all(map(_serves_all, ops_inside(op))):
            return None
        return None if self._reads_what_is_written(op) else free_operands(op)

    def _reads_what_is_written(self, op: Operation) -> bool:
        read = [access.buffer for inner in ops_inside(op) for access in accesses_of(inner)]
        return bool(read) and not self._written_beside(op).isdisjoint(read)

    def _written_beside(self, op: Operation) -> AbstractSet[SSAValue]:
        """The buffers that are written between the same two barriers."""
        while (parent := op.parent_op()) is not self._arm and parent not in self._together:
            assert parent is not None
            op = parent
        if op not in self._written:
            self._look_at_pieces(op.parent)
        return self._written[op]

    def _look_at_pieces(self, block: Block | None) -> None:
        assert block is not None
        written = set[SSAValue]()
        for op in block.ops:
            if op in self._together:
                written = set[SSAValue]()
            self._written[op] = written
            accesses = (access for inner in ops_inside(op) for access in accesses_of(inner))
            written.update(access.buffer for access in accesses if access.writes)


def _merged(value: SSAValue) -> Sequence[SSAValue] | None:
    match origin_of(value):
        case Merged(sources, steering):
            return (*steering, *sources)
        case Counter(begin, end, step):
            return (begin, end, step)
        case _:
            return None


def _serves_all(op: Operation) -> bool:
    """Whether an op, given the same operands, does the same for all invocations, and only once."""
    ids = ids_of(op)
    if ids is None or not ids <= {Id.WORKGROUP} or is_convergent(type(op)):
        return False
    return states_effects(op) and not any(
        access.writes or space_of(access.buffer) == MemorySpace.PRIVATE
        for access in accesses_of(op)
    )


def space_of(buffer: SSAValue) -> MemorySpace:
    """Where a buffer lives."""
    assert isinstance(buffer.type, BufferType)
    return buffer.type.space


def free_operands(root: Operation | Region) -> list[SSAValue]:
    """What an op or region, and what stands in it, uses of what is defined outside, each once."""
    operands = (operand for inner in ops_inside(root) for operand in inner.operands)
    return [value for value in dict.fromkeys(operands) if not root.is_ancestor(value.owner)]
