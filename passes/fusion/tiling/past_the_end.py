"""
What happens past the end of a handoff, where its stores are dropped: in a tile, they may meet; and
past the last invocation of a producer, where more of them may run if that changes no result.
"""

from __future__ import annotations

from collections.abc import Collection

from xdsl.dialects import arith, scf
from xdsl.ir import Operation, SSAValue

from vyre_dialect.analysis.access_relations import AccessRelation, ArmAccesses
from vyre_dialect.analysis.isl import isl
from vyre_dialect.analysis.symbols import Symbols
from vyre_dialect.ir.effects import is_total
from vyre_dialect.ir.interfaces import (
    FUNCTIONAL_DIALECTS,
    AccessKind,
    HasAccessesInterface,
    is_convergent,
)
from vyre_dialect.ir.proofs import states_proof
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import Initial
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.passes.fusion.tiling.refusal import Reason, Refusal


def collides_outside(producer: ArmAccesses, handoff: BufferOp, *, runs_beyond: bool) -> bool:
    """
    Whether stores of several invocations meet past the end of `handoff`: dropped as they are,
    they would race in a tile.
    """
    if not (writes := producer.writes_to(handoff)):
        return False
    outside = producer.reach(writes).subtract_range(writes[0].elements)
    if not runs_beyond:
        outside = outside.intersect_domain(producer.invocations)
    return not outside.is_injective()


def unguardable(producer: ArmAccesses, handoff: BufferOp) -> Refusal | None:
    """The refusal if stores past the end of `handoff` meet, and one covers many elements."""
    wide = [write.op for write in producer.writes_to(handoff) if not _can_be_guarded(write)]
    if not wide:
        return None
    return Refusal(
        Reason.COLLIDING_STORES,
        f"stores past the end of '@{handoff.sym_name.data}' meet in a tile",
        cause=wide[0],
    )


def _can_be_guarded(write: AccessRelation) -> bool:
    return write.access.count == 1 and not write.op.results


def may_run_beyond(
    arm: ArmAccesses, promoted: Collection[BufferOp], written: Collection[BufferOp]
) -> bool:
    """
    Whether invocations past the arm's last may run, too, as that changes no result: all that
    they do is to write into tiles what lies past the end of the handoffs, and to read what is
    defined and stays as it is. `written` is what the arms write that run beside it.
    """
    if arm.values.relies_on_bounds or not all(map(_is_total, ops_inside(arm.arm.body))):
        return False
    beyond = arm.values.space.ids_as_invocations().subtract(arm.invocations)
    for access in arm.accesses:
        if access.writes and (access.kind != AccessKind.WRITE or access.buffer not in promoted):
            return False
        if not access.writes and access.buffer in promoted:
            return False  # past the end, that tile is not filled
        if _is_stable(access, written):
            continue
        if not _reaches_nothing(access, beyond, arm.symbols):
            return False
    return True


def _is_stable(access: AccessRelation, written: Collection[BufferOp]) -> bool:
    """Whether every element of what is read is defined from the start, and never written."""
    buffer = access.buffer
    is_kept = not access.writes and buffer not in written
    return is_kept and buffer.initial_contents == Initial.HOST


def _reaches_nothing(access: AccessRelation, invocations: isl.Set, symbols: Symbols) -> bool:
    """Whether these invocations, if they ran, would touch no element of the buffer."""
    if access.reach is None:
        return False
    reached = access.reach.intersect_domain(invocations).range().intersect(access.elements)
    return symbols.restricted(reached).is_empty()


def _is_total(op: Operation) -> bool:
    """Whether an op ends, and touches no memory that is not its own, for any invocation id."""
    if states_proof(op):
        return False  # of invocations that exist
    if op.regions and isinstance(op, scf.ForOp):
        return all(_is_from_outside(bound) for bound in (op.lb, op.ub, op.step))
    if op.regions and isinstance(op, scf.WhileOp):
        return False
    if op.dialect_name() in FUNCTIONAL_DIALECTS or isinstance(op, HasAccessesInterface):
        return not is_convergent(type(op))
    return is_total(op)


def _is_from_outside(value: SSAValue) -> bool:
    """Whether a value is a constant, or one that the host computed."""
    owner = value.owner
    if isinstance(owner, arith.ConstantOp):
        return True
    return isinstance(owner, Operation) and isinstance(owner.parent_op(), ProgramOp)
