"""Whether pieces may run apart from each other, as on many machines, or which op forbids it."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from vyre_dialect.analysis.streams.plan import ArmPlan, StreamPlan
from vyre_dialect.analysis.streams.refusal import Refusal
from vyre_dialect.ir.interfaces import BufferAccess, HasAccessesInterface
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import AtomicKind
from vyre_dialect.ops.buffer import BufferOp


def forbids_apart(plan: StreamPlan) -> Refusal | None:
    """
    The op by which a piece needs what the one before hands on; None where every buffer that pieces
    hand on is combined of parts that were made apart.
    """
    for buffer, combiner in plan.kept.items():
        if combiner is None:
            return _ordered(plan, buffer)
    return None


def _ordered(plan: StreamPlan, buffer: BufferOp) -> Refusal:
    updates = list(_updates(plan, buffer))
    in_order = (op for op, arm, access in updates if not _is_apart(arm, access))
    op = next(in_order, updates[-1][0])
    return Refusal(
        op,
        f"works on '@{buffer.sym_name.data}' in an order: a piece takes it from the one before, so "
        "that pieces cannot run at once",
    )


def _updates(
    plan: StreamPlan, buffer: BufferOp
) -> Iterator[tuple[Operation, ArmPlan, BufferAccess]]:
    """What writes a buffer, with how its arm is cut."""
    for arm, cut in plan.arms.items():
        for op in ops_inside(arm.body):
            if not isinstance(op, HasAccessesInterface):
                continue
            for access in op.get_accesses():
                if access.writes and access.buffer is buffer.buffer:
                    yield op, cut, access


def _is_apart(arm: ArmPlan, access: BufferAccess) -> bool:
    return arm.axis is not None and isinstance(access.combiner, AtomicKind)
