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
from vyre_dialect.passes.loop.refusal import RefusedError
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


def verify_ops(arm: RegionOp, limit: int) -> None:
    """Raise RefusedError where a workgroup is too large, or an op cannot be run lane by lane."""
    if (lanes := prod(arm.workgroup)) > limit:
        raise RefusedError(
            Reason.TOO_MANY, f"workgroups have {lanes} invocations, more than {limit}"
        )
    for op in ops_inside(arm.body):
        _verify_op(op)


def _verify_op(op: Operation) -> None:
    ids = ids_of(op)
    if ids is None:
        raise RefusedError(Reason.UNKNOWN_OP, f"'{op.name}' does not say which ids it depends on")
    if not states_effects(op):
        raise RefusedError(Reason.UNKNOWN_OP, f"'{op.name}' does not say what it touches")
    if depends_on_subgroups(ids):
        raise RefusedError(Reason.SUBGROUPS, f"'{op.name}' depends on subgroups")
    if ids & _OF_LANES and not isinstance(op, InvocationIdOp | LocalIdOp):
        raise RefusedError(Reason.OWN_ID, f"'{op.name}' knows by itself which invocation runs it")
    is_convergent_op, orders = is_convergent(type(op)), isinstance(op, OrdersMemoryInterface)
    is_barrier = is_convergent_op and orders and not op.results
    if isinstance(op, AsyncCopyOp):
        _verify_copy(op)
    elif (is_convergent_op or orders) and not is_barrier:
        raise RefusedError(Reason.DONE_TOGETHER, f"'{op.name}' is neither a barrier nor a copy")


def _verify_copy(op: AsyncCopyOp) -> None:
    for use in op.token.uses:
        if not isinstance(use.operation, AsyncWaitOp):
            raise RefusedError(
                Reason.ASYNC_COPY,
                f"'{use.operation.name}' has the token of a copy, which only "
                f"'{AsyncWaitOp.name}' waits for",
            )


def verify_together(op: Operation, divergence: DivergenceAnalysis) -> None:
    """Raise RefusedError unless what a workgroup does together can be done by one invocation."""
    if op.regions and not isinstance(op, STRUCTURES):
        raise RefusedError(
            Reason.CONTROL_FLOW,
            f"'{op.name}' around what a workgroup does together is neither a branch nor an "
            f"'{scf.ForOp.name}'",
        )
    if all(map(divergence.is_shared, _given(op))):
        return
    raise RefusedError(
        Reason.DIVERGENT, f"'{op.name}' depends on what each invocation computes by itself"
    )
