"""What can make a value of an arm differ: nothing, the invocation, the iteration, or memory."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from xdsl.ir import Operation, SSAValue
from xdsl.traits import is_speculatable

from vyre_dialect.analysis.forward_analysis import (
    Computed,
    Counter,
    ForwardAnalysis,
    Merged,
    Rule,
    origin_of,
)
from vyre_dialect.ir.interfaces import (
    HasAccessesInterface,
    HasInvocationsInterface,
    Id,
    ids_of,
    is_convergent,
)


class Variance(IntEnum):
    """How much a value differs, each case including those before it."""

    WORKGROUP = 0
    """The same in all that a workgroup does."""
    INVOCATION = 1
    """The same in all that an invocation does."""
    ITERATION = 2
    """Decided by ids and loop counters, whatever memory holds."""
    DATA = 3
    """Anything."""


class Variances(ForwardAnalysis[SSAValue, Variance]):
    """
    The variance of the values of one arm or kernel. What varies less than by iteration is
    computed by ops without regions or effects, so that it can be computed anywhere in the arm.
    """

    start = Variance.WORKGROUP

    def __init__(self, arm: HasInvocationsInterface):
        super().__init__()
        self._arm = arm

    def of(self, value: SSAValue | int | None) -> Variance:
        """What can make `value` differ; None is a value that nobody knows."""
        if value is None:
            return Variance.DATA
        return Variance.WORKGROUP if isinstance(value, int) else self.fact(value)

    def rule(self, node: SSAValue) -> Rule[SSAValue, Variance]:
        """At least what its op says, and what it is computed from."""
        if not self._is_inside(node):
            return _join((), Variance.WORKGROUP)
        match origin_of(node):
            case Computed(op):
                return _join(op.operands, _own_variance(op))
            case Counter(begin, end, step):
                return _join((begin, end, step), Variance.ITERATION)
            case Merged(sources, steering):
                return _join((*steering, *sources), Variance.ITERATION)
            case _:
                return _join((), Variance.DATA)

    def computed_again(self, value: SSAValue) -> SSAValue:
        """`value`, which no iteration changes, computed at the current place."""
        if not self._is_inside(value):
            return value
        copies = dict[SSAValue, SSAValue]()
        for op in self._computation(value):
            op.clone(value_mapper=copies)
        return copies[value]

    def _computation(self, value: SSAValue) -> list[Operation]:
        """The ops of the arm that compute `value`, operands first."""
        order, seen = list[Operation](), set[Operation]()
        pending = [(value.owner, False)]
        while pending:
            op, has_operands = pending.pop()
            assert isinstance(op, Operation)
            if has_operands:
                order.append(op)
            elif op not in seen:
                seen.add(op)
                pending.append((op, True))
                inside = filter(self._is_inside, op.operands)
                pending.extend((operand.owner, False) for operand in inside)
        return order

    def _is_inside(self, value: SSAValue) -> bool:
        """Whether the arm computes it, rather than sees it or is given it."""
        is_given = value.owner is self._arm.body.block
        return not is_given and self._arm.body.is_ancestor(value.owner)


def _join(sources: Sequence[SSAValue], own: Variance) -> Rule[SSAValue, Variance]:
    return Rule(sources, lambda facts: max((own, *facts)))


def _own_variance(op: Operation) -> Variance:
    ids = ids_of(op)
    if ids is None or isinstance(op, HasAccessesInterface) or is_convergent(type(op)):
        return Variance.DATA
    if not is_speculatable(op):
        return Variance.ITERATION  # to be computed only where it stands
    return Variance.WORKGROUP if ids <= {Id.WORKGROUP} else Variance.INVOCATION
