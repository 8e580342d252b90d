"""Which values of an arm can be computed once for a whole workgroup."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from xdsl.ir import BlockArgument, Operation, OpResult, Region, SSAValue

from vyre_dialect.effects import states_effects
from vyre_dialect.forward_analysis import Counter, ForwardAnalysis, Merged, Rule, origin_of
from vyre_dialect.interfaces import Id, accesses_of, ids_of, is_convergent
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.traversal import ops_inside
from vyre_dialect.types import BufferType, MemorySpace


class Sharing(ForwardAnalysis[SSAValue, bool]):
    """
    Decides for values of an arm whether one computation serves all invocations of a workgroup.

    It does where nothing depends on the place in the workgroup and nothing is written. Loads are
    done once, too: where all invocations load an element, none of them writes it up to the next
    barrier, or there would be a race.
    """

    start = True

    def __init__(self, arm: RegionOp, together: AbstractSet[Operation]):
        super().__init__()
        self._arm = arm
        self._together = together
        """What a workgroup does together, and what stands around that."""

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
        return free_operands(op)


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
