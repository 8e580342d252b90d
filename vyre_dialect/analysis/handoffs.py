"""The buffers that arms hand to each other, and the arms that do so."""

from __future__ import annotations

from xdsl.ir import SSAValue

from vyre_dialect.ir.interfaces import buffers_of
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import Access
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import ProgramOp, RegionOp


def is_intermediate(buffer: SSAValue) -> bool:
    """Whether a buffer is one that arms hand to each other."""
    declared = buffer.owner
    if not isinstance(declared, BufferOp) or declared.live_out is not None:
        return False
    return declared.type.access.data == Access.READ_WRITE


def joint_arms(program: ProgramOp) -> list[list[RegionOp]]:
    """The arms of a program, those together that hand buffers to each other."""
    groups = list[tuple[list[RegionOp], set[SSAValue]]]()
    for arm in program.arms():
        touched = {buffer for op in ops_inside(arm.body) for buffer in buffers_of(op)}
        handed = {buffer for buffer in touched if is_intermediate(buffer)}
        joined = [group for group in groups if not group[1].isdisjoint(handed)]
        groups = [group for group in groups if group not in joined]
        arms = [each for others, _ in joined for each in others]
        groups.append(([*arms, arm], handed.union(*(buffers for _, buffers in joined))))
    return [arms for arms, _ in groups]
