"""Which buffers are handoffs, and the structural conditions on them that need no proof."""

from __future__ import annotations

from collections.abc import Collection

from xdsl.dialects.builtin import ComplexType
from xdsl.ir import Operation

from vyre_dialect.analysis.access_relations import AccessRelation, ArmAccesses
from vyre_dialect.ir.interfaces import AccessKind, HasExpansionInterface
from vyre_dialect.ir.types import PROBE, Access, MemorySpace, element_bytes, scalar_type
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.kernel import LaunchOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.fusion.tiling.analysis import ArmFacts, ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.refusal import Reason, Refusal


def is_handoff(analysis: ProgramAnalysis, buffer: BufferOp) -> bool:
    """
    Whether `buffer` is a read-write global buffer that arms fill and read, or that nobody
    touches, or that several ops use of which some are no arms. What probes fill is for the host.
    """
    if buffer.type.space != MemorySpace.GLOBAL or buffer.type.access.data != Access.READ_WRITE:
        return False
    users = analysis.users(buffer)
    if users.others:
        return len(users.others) + len(users.arms) > 1
    if not users.arms:
        is_read = users.host_loads or users.probes
        return not is_read and buffer.live_out is None and not buffer.is_sized_by_host
    if PROBE in users.arms[0].attributes:
        return False
    return {AccessKind.READ, AccessKind.WRITE} <= users.kinds


def refusal_of(analysis: ProgramAnalysis, handoff: BufferOp) -> Refusal | None:
    """Why a buffer may not leave global memory, whatever its arms do with it."""
    users, type = analysis.users(handoff), handoff.type.element_type
    if handoff.live_out is not None:
        return Refusal(Reason.LIVE_OUT, "the host reads the buffer back")
    if users.others:
        return Refusal(
            Reason.UNKNOWN_USER,
            f"'{users.others[0].name}' uses it, which is no arm{_remedy(users.others[0])}",
            cause=users.others[0],
        )
    if element_bytes(type) is None:
        return Refusal(Reason.UNSIZED, f"elements of type {type} have no fixed size")
    if isinstance(scalar_type(type), ComplexType):
        return Refusal(
            Reason.UNSUPPORTED_ELEMENT, f"no constant is the zero of type {type} that tiles need"
        )
    if handoff.is_sized_by_host:
        return Refusal(Reason.UNSIZED, "only the host knows the element count")
    return None


def _remedy(user: Operation) -> str:
    """What to do about an op that is no arm, where there is something."""
    if isinstance(user, HasExpansionInterface):
        return ": run 'vyre-expand' before"
    return ": fuse before 'vyre-outline-kernels'" if isinstance(user, LaunchOp) else ""


def refusal_of_arm(facts: ArmFacts, *, is_producer: bool) -> Refusal | None:
    """Why an arm can be no part of another, whatever it accesses."""
    arm, name = facts.arm, facts.arm.generator.data
    if len(arm.domain) != 1:
        return Refusal(
            Reason.UNSUPPORTED_DOMAIN,
            f"'{name}' has {len(arm.domain)} axes",
            consumer=None if is_producer else arm,
        )
    if (refusal := refusal_of_ops(facts)) is not None:
        return refusal
    if facts.fixed is None or not facts.is_data_parallel:
        return None
    return Refusal(
        Reason.FIXED_ACCESS,
        f"'{facts.fixed.name}' depends on the invocation that runs it",
        consumer=arm,
        cause=facts.fixed,
    )


def refusal_of_ops(facts: ArmFacts) -> Refusal | None:
    """An op of an arm that does not say what it does."""
    for op, what in (
        (facts.unknown_effects, "does not say what it touches"),
        (facts.unknown_ids, "does not say which ids it depends on"),
    ):
        if op is not None:
            return Refusal(
                Reason.UNKNOWN_EFFECTS,
                f"'{op.name}' in '{facts.arm.generator.data}' {what}",
                consumer=facts.arm,
                cause=op,
            )
    return None


def refusal_of_role(
    accesses: ArmAccesses, handoff: BufferOp, *, is_producer: bool
) -> Refusal | None:
    """The producer only stores to the handoff, the others only load from it, all affinely."""
    for access in accesses.to(handoff):
        if (refusal := _refusal_of_access(accesses, access, is_producer=is_producer)) is not None:
            return refusal
    return None


def _refusal_of_access(
    accesses: ArmAccesses, access: AccessRelation, *, is_producer: bool
) -> Refusal | None:
    arm, name = accesses.arm, accesses.arm.generator.data
    if is_producer and access.kind == AccessKind.READ:
        writes = any(each.writes for each in accesses.to(access.buffer))
        return Refusal(
            Reason.REWRITTEN if writes else Reason.READS_INITIAL_CONTENTS,
            f"'{name}' reads the handoff before another arm wrote it",
        )
    if access.kind == AccessKind.UPDATE:
        return Refusal(
            Reason.REWRITTEN, f"'{name}' updates the handoff atomically", cause=access.op
        )
    if not is_producer and access.kind == AccessKind.WRITE:
        return Refusal(
            Reason.SEVERAL_PRODUCERS,
            f"'{name}' also writes the handoff",
            consumer=arm,
            cause=access.op,
        )
    if access.reach is None:
        return Refusal(
            Reason.NON_AFFINE,
            f"'{name}' touches elements that cannot be told in advance",
            consumer=None if is_producer else arm,
            cause=access.cause,
        )
    return refusal_of_redirect(access)


def refusal_of_redirect(access: AccessRelation) -> Refusal | None:
    """Why an access cannot go to a tile instead."""
    if access.can_redirect:
        return None
    return Refusal(
        Reason.FIXED_ACCESS,
        f"'{access.op.name}' cannot be told to access a tile instead",
        cause=access.op,
    )


def refusal_between(
    analysis: ProgramAnalysis,
    arm: RegionOp,
    last: RegionOp,
    group: Collection[RegionOp],
    answered: Collection[BufferOp] = (),
) -> Refusal | None:
    """
    What stands between `arm` and `last`, is not of the group, and touches what `arm` does. What
    the host reads of the buffers in `answered`, probes do.
    """
    begin, end = analysis.position(arm), analysis.position(last)
    for buffer, kinds in analysis.touches(arm).items():
        if not buffer.type.writable:
            continue
        users, is_written = analysis.users(buffer), AccessKind.WRITE in kinds
        for other in users.arms:
            between = begin < analysis.position(other) < end and other not in group
            if between and (is_written or AccessKind.WRITE in analysis.touches(other)[buffer]):
                return Refusal(
                    Reason.INTERVENING_ARM,
                    f"'{other.generator.data}' stands between and touches what "
                    f"'{arm.generator.data}' touches",
                    consumer=last,
                    cause=other,
                )
        is_awaited = is_written and buffer not in answered
        for read in (*users.host_loads, *users.probes) if is_awaited else ():
            if begin < analysis.position(read) < end:
                return Refusal(
                    Reason.HOST_READ,
                    f"the host reads what '{arm.generator.data}' writes between the arms",
                    consumer=last,
                    cause=read,
                )
        for user in users.others:
            if begin < analysis.position(user) < end:
                return Refusal(
                    Reason.INTERVENING_ARM,
                    f"'{user.name}' stands between and uses what '{arm.generator.data}' touches",
                    consumer=last,
                    cause=user,
                )
    return None
