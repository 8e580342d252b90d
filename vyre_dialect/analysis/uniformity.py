"""Which values are the same in all invocations of a workgroup, and where control flow is."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from vyre_dialect.analysis.forward_analysis import (
    Computed,
    Counter,
    ForwardAnalysis,
    Given,
    Merged,
    Rule,
    origin_of,
    steering_of,
)
from vyre_dialect.ir.interfaces import (
    AccessKind,
    Convergent,
    HasInvocationsInterface,
    Id,
    UniformOperands,
    accesses_of,
    ids_of,
    ops_around,
)
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import BufferType, MemorySpace
from vyre_dialect.ir.verification import reject

_DIVERGENT = frozenset({Id.INVOCATION, Id.LOCAL, Id.SUBGROUP})


def verify_convergence(arm: HasInvocationsInterface) -> None:
    """
    Raise VerifyException unless the invocations of a workgroup reach each `Convergent` op of
    `arm` together, and give it the same operands where it asks for that.
    """
    analysis = Uniformity()
    for op in ops_inside(arm.body):
        if op.has_trait(Convergent):
            _verify_uniform_path(analysis, op)
        if op.has_trait(UniformOperands) and not all(map(analysis.is_uniform, op.operands)):
            reject(
                op,
                "expected operands that are the same in the whole workgroup, got one that "
                "differs between its invocations",
            )


def _verify_uniform_path(analysis: Uniformity, op: Operation) -> None:
    for parent in ops_around(op):
        if not analysis.takes_one_path(parent):
            reject(
                op,
                f"expected uniform control flow, got a '{parent.name}' that the invocations of a "
                "workgroup may take differently",
            )


class Uniformity(ForwardAnalysis[SSAValue, bool]):
    """
    Decides for values of one arm whether all invocations of a workgroup agree on them.

    Values in a cycle through a loop are uniform unless something divergent flows into the
    cycle (the optimistic fixpoint of Karrenberg and Hack, "Whole-function vectorization").
    What an op that is unknown here computes may differ; so may a load from private memory.
    """

    start = True

    def is_uniform(self, value: SSAValue) -> bool:
        """Whether all invocations of a workgroup that get to `value` compute the same."""
        return self.fact(value)

    def takes_one_path(self, op: Operation) -> bool:
        """Whether all invocations of a workgroup go through the regions of `op` alike."""
        steering = steering_of(op)
        return steering is not None and all(map(self.is_uniform, steering))

    def rule(self, node: SSAValue) -> Rule[SSAValue, bool]:
        """Uniform if all that it comes from is."""
        sources = _sources(node)
        return Rule((), lambda _: False) if sources is None else Rule(sources, all)


def _sources(value: SSAValue) -> Sequence[SSAValue] | None:
    """What `value` depends on, or None when it may differ between invocations by itself."""
    match origin_of(value):
        case Computed(op):
            return None if _differs_by_itself(op) else op.operands
        case Merged(sources, steering):
            return (*steering, *sources)
        case Counter(begin, end, step):
            return (begin, end, step)
        case Given():
            return ()
        case None:
            return None


def _differs_by_itself(op: Operation) -> bool:
    ids = ids_of(op)
    return ids is None or not ids.isdisjoint(_DIVERGENT) or _differs_in_memory(op)


def _differs_in_memory(op: Operation) -> bool:
    """Whether invocations may see different contents at one index."""
    return any(
        access.kind == AccessKind.UPDATE or _is_private(access.buffer) for access in accesses_of(op)
    )


def _is_private(value: SSAValue) -> bool:
    return isinstance(value.type, BufferType) and value.type.space == MemorySpace.PRIVATE
