"""What keeps a workgroup from becoming one invocation, found before anything is changed."""

from __future__ import annotations

from collections.abc import KeysView
from math import prod

from xdsl.dialects import scf
from xdsl.ir import Operation

from vyre_dialect.effects import states_effects
from vyre_dialect.forward_analysis import steering_of
from vyre_dialect.interfaces import (
    Id,
    OrdersMemoryInterface,
    ids_of,
    is_convergent,
    ops_around,
)
from vyre_dialect.ops.invocation import AsyncCopyOp, AsyncWaitOp, InvocationIdOp, LocalIdOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.loop.serializing.refusal import Reason, RefusedError
from vyre_dialect.passes.loop.serializing.sharing import Sharing
from vyre_dialect.traversal import ops_inside

STRUCTURES = (scf.ForOp, scf.IfOp, scf.IndexSwitchOp)
"""What may stand around what a workgroup does together."""
_OF_LANES = frozenset({Id.INVOCATION, Id.LOCAL})


def together_in(arm: RegionOp) -> KeysView[Operation]:
    """What a workgroup does together, and what stands around that, in order."""
    found = set[Operation]()
    for op in ops_inside(arm.body):
        if is_convergent(type(op)):
            found.update((op, *ops_around(op)))
    return dict.fromkeys(op for op in ops_inside(arm.body) if op in found).keys()


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
    if Id.SUBGROUP in ids:
        raise RefusedError(Reason.SUBGROUPS, f"'{op.name}' depends on subgroups")
    if ids & _OF_LANES and not isinstance(op, InvocationIdOp | LocalIdOp):
        raise RefusedError(Reason.OWN_ID, f"'{op.name}' knows by itself which invocation runs it")
    if isinstance(op, AsyncCopyOp):
        _verify_copy(op)
    elif is_convergent(type(op)) and (not isinstance(op, OrdersMemoryInterface) or op.results):
        raise RefusedError(Reason.DONE_TOGETHER, f"'{op.name}' is neither a barrier nor a copy")


def _verify_copy(op: AsyncCopyOp) -> None:
    for use in op.token.uses:
        if not isinstance(use.operation, AsyncWaitOp):
            raise RefusedError(
                Reason.ASYNC_COPY,
                f"'{use.operation.name}' has the token of a copy, which only "
                f"'{AsyncWaitOp.name}' waits for",
            )


def verify_together(op: Operation, sharing: Sharing) -> None:
    """Raise RefusedError unless what a workgroup does together can be done by one invocation."""
    if op.regions and not isinstance(op, STRUCTURES):
        raise RefusedError(
            Reason.CONTROL_FLOW,
            f"'{op.name}' around what a workgroup does together is neither a branch nor an "
            f"'{scf.ForOp.name}'",
        )
    given = (steering_of(op) or ()) if op.regions else op.operands
    if isinstance(op, AsyncWaitOp) or all(map(sharing.is_shared, given)):
        return
    raise RefusedError(
        Reason.DIVERGENT,
        f"'{op.name}' depends on what each invocation computes on the way of its effects",
    )
