"""Which buffers are handoffs, and the structural conditions on them that need no proof."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from xdsl.dialects.builtin import ComplexType
from xdsl.ir import Operation

from vyre_dialect.analysis.access_relations import AccessRelation, ArmAccesses
from vyre_dialect.ir.interfaces import AccessKind, HasExpansionInterface
from vyre_dialect.ir.python_lines import place_of
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
            unknown_elements(access, name),
            consumer=None if is_producer else arm,
            cause=access.cause,
        )
    return refusal_of_redirect(access)


def unknown_elements(access: AccessRelation, arm: str) -> str:
    """What is unknown of an access of an arm, and where it is; what makes it so is the cause."""
    place = None if access.cause is access.op else place_of(access.op.location)
    where = "" if place is None else f", in {place}"
    return f"'{arm}' touches elements that cannot be told in advance{where}"


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
    span = _Span(analysis, arm, last)
    for buffer, kinds in analysis.touches(arm).items():
        if not buffer.type.writable:
            continue
        is_written = AccessKind.WRITE in kinds
        refusal = (
            span.refusal_of_arms(buffer, group, is_written=is_written)
            or (span.refusal_of_host(buffer) if is_written and buffer not in answered else None)
            or span.refusal_of_others(buffer)
        )
        if refusal is not None:
            return refusal
    return None


class _Span(NamedTuple):
    """What stands between two arms, of which the first touches a buffer."""

    analysis: ProgramAnalysis
    arm: RegionOp
    last: RegionOp

    def refusal_of_arms(
        self, buffer: BufferOp, group: Collection[RegionOp], *, is_written: bool
    ) -> Refusal | None:
        """An arm there that touches the buffer, too, where either writes it."""
        for other in self.analysis.users(buffer).arms:
            if other in group or not self._has(other):
                continue
            if is_written or AccessKind.WRITE in self.analysis.touches(other)[buffer]:
                return self._refusal(
                    Reason.INTERVENING_ARM,
                    f"'{other.generator.data}' stands between and touches what "
                    f"'{self.arm.generator.data}' touches",
                    other,
                )
        return None

    def refusal_of_host(self, buffer: BufferOp) -> Refusal | None:
        """A place there where the host reads what the arm writes."""
        users = self.analysis.users(buffer)
        for read in filter(self._has, (*users.host_loads, *users.probes)):
            return self._refusal(
                Reason.HOST_READ,
                f"the host reads what '{self.arm.generator.data}' writes between the arms",
                read,
            )
        return None

    def refusal_of_others(self, buffer: BufferOp) -> Refusal | None:
        """An op there that uses the buffer and is no arm."""
        for user in filter(self._has, self.analysis.users(buffer).others):
            return self._refusal(
                Reason.INTERVENING_ARM,
                f"'{user.name}' stands between and uses what '{self.arm.generator.data}' touches",
                user,
            )
        return None

    def _has(self, op: Operation) -> bool:
        position = self.analysis.position
        return position(self.arm) < position(op) < position(self.last)

    def _refusal(self, reason: Reason, detail: str, cause: Operation) -> Refusal:
        return Refusal(reason, detail, consumer=self.last, cause=cause)
