"""What keeps a workgroup from becoming one invocation, found before anything is changed."""

from __future__ import annotations

from collections.abc import KeysView, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from math import prod
from typing import Self

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from vyre_dialect.analysis.divergence import DivergenceAnalysis, convergent_ops
from vyre_dialect.analysis.forward_analysis import Computed, Merged, origin_of, steering_of
from vyre_dialect.analysis.manager import Analysis, AnalysisManager
from vyre_dialect.ir.cooperation import depends_on_subgroups
from vyre_dialect.ir.effects import states_effects
from vyre_dialect.ir.interfaces import (
    Id,
    OrdersMemoryInterface,
    ids_of,
    is_convergent,
)
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ops.invocation import AsyncCopyOp, AsyncWaitOp, InvocationIdOp, LocalIdOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.loop.refusal import Refusal, first_of
from vyre_dialect.passes.loop.work_item_loops.refusal import Reason

STRUCTURES = (scf.ForOp, scf.IfOp, scf.IndexSwitchOp)
"""What may stand around what a workgroup does together."""
_OF_LANES = frozenset({Id.INVOCATION, Id.LOCAL})


@dataclass(frozen=True)
class JointExecution(Analysis):
    """
    What a workgroup does together, and what stands around that, in order; and what it shares then.
    It also goes together through branches and loops that decide on that, so that one invocation
    decides, whatever else each of them computes there.
    """

    together: KeysView[Operation]
    divergence: DivergenceAnalysis

    @classmethod
    def of_scope(cls, scope: Operation, facts: AnalysisManager) -> Self:
        """The workgroups of an arm."""
        assert isinstance(scope, RegionOp)
        found = convergent_ops(scope)
        while True:
            together = dict.fromkeys(op for op in ops_inside(scope.body) if op in found).keys()
            divergence = DivergenceAnalysis(scope, together)
            deciding = set[Operation]()
            for op in together:
                deciding |= _structures_behind(_given(op), together, divergence)
            if not deciding:
                return cls(together, divergence)
            found |= deciding


def _structures_behind(
    values: Sequence[SSAValue], together: AbstractSet[Operation], divergence: DivergenceAnalysis
) -> set[Operation]:
    """The branches and loops that compute what `values` need and invocations do not share yet."""
    found, seen, pending = set[Operation](), set[SSAValue](), list(values)
    while pending:
        value = pending.pop()
        if value in seen or divergence.is_shared(value):
            continue
        seen.add(value)
        match origin_of(value):
            case Computed(op):
                pending.extend(op.operands)
            case Merged(sources, steering):
                op = value.owner.parent_op() if isinstance(value.owner, Block) else value.owner
                if isinstance(op, STRUCTURES) and op not in together:
                    found.add(op)
                pending.extend((*steering, *sources) if op in together else ())
            case _:
                pass
    return found


def _given(op: Operation) -> Sequence[SSAValue]:
    """What an op that a workgroup does together takes, or is steered by."""
    if isinstance(op, AsyncWaitOp):
        return ()
    return (steering_of(op) or ()) if op.regions else op.operands


def refusal_of(arm: RegionOp, limit: int) -> Refusal | None:
    """Why an arm's workgroups are too large, or which op cannot be run lane by lane."""
    if (lanes := prod(arm.workgroup)) > limit:
        return Refusal(Reason.TOO_MANY, f"workgroups have {lanes} invocations, more than {limit}")
    return first_of(_refusal_of_op(op) for op in ops_inside(arm.body))


def _refusal_of_op(op: Operation) -> Refusal | None:
    ids = ids_of(op)
    if ids is None:
        return Refusal(Reason.UNKNOWN_OP, f"'{op.name}' does not say which ids it depends on")
    if not states_effects(op):
        return Refusal(Reason.UNKNOWN_OP, f"'{op.name}' does not say what it touches")
    if depends_on_subgroups(ids):
        return Refusal(Reason.SUBGROUPS, f"'{op.name}' depends on subgroups")
    if ids & _OF_LANES and not isinstance(op, InvocationIdOp | LocalIdOp):
        return Refusal(Reason.OWN_ID, f"'{op.name}' knows by itself which invocation runs it")
    if isinstance(op, AsyncCopyOp):
        return _refusal_of_copy(op)
    is_convergent_op, orders = is_convergent(type(op)), isinstance(op, OrdersMemoryInterface)
    is_barrier = is_convergent_op and orders and not op.results
    if (is_convergent_op or orders) and not is_barrier:
        return Refusal(Reason.DONE_TOGETHER, f"'{op.name}' is neither a barrier nor a copy")
    return None


def _refusal_of_copy(op: AsyncCopyOp) -> Refusal | None:
    users = (use.operation for use in op.token.uses)
    other = next((user for user in users if not isinstance(user, AsyncWaitOp)), None)
    if other is None:
        return None
    return Refusal(
        Reason.ASYNC_COPY,
        f"'{other.name}' has the token of a copy, which only '{AsyncWaitOp.name}' waits for",
    )


def refusal_of_joint(op: Operation, divergence: DivergenceAnalysis) -> Refusal | None:
    """Why what a workgroup does together cannot be done by one invocation."""
    if op.regions and not isinstance(op, STRUCTURES):
        return Refusal(
            Reason.CONTROL_FLOW,
            f"'{op.name}' around what a workgroup does together is neither a branch nor an "
            f"'{scf.ForOp.name}'",
        )
    if all(map(divergence.is_shared, _given(op))):
        return None
    return Refusal(
        Reason.DIVERGENT, f"'{op.name}' depends on what each invocation computes by itself"
    )
