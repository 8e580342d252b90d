"""Which buffers are handoffs, and the structural conditions on them that need no proof."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ComplexType
from xdsl.ir import Operation

from vyre_dialect.interfaces import AccessKind
from vyre_dialect.ops.memory import LoadOp
from vyre_dialect.ops.program import BufferOp, BufLenOp, RegionOp
from vyre_dialect.passes.analysis.access_relations import ArmAccesses
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis, Users
from vyre_dialect.passes.fusion.tiling.legality import conflict
from vyre_dialect.passes.fusion.tiling.plan import Group
from vyre_dialect.passes.fusion.tiling.refusal import Reason, Refused
from vyre_dialect.types import Access, MemorySpace, element_bytes, scalar_type


@dataclass(frozen=True, eq=False)
class Candidate:
    """A buffer that one arm may hand to others."""

    handoff: BufferOp

    def require_handoff(self, analysis: ProgramAnalysis) -> Users:
        """Who touches the buffer; raises Refused unless it may leave global memory at all."""
        handoff = self.handoff
        users = analysis.users(handoff)
        if handoff.live_out is not None:
            raise Refused(Reason.LIVE_OUT, "the host reads the buffer back")
        if users.host_loads:
            raise Refused(
                Reason.HOST_READ,
                "the host reads an element between the arms",
                cause=users.host_loads[0],
            )
        if users.others:
            raise Refused(
                Reason.UNKNOWN_USER,
                f"'{users.others[0].name}' uses it, which is no arm; expand library ops, and fuse "
                "before arms become kernels",
                cause=users.others[0],
            )
        if element_bytes(handoff.type.element_type) is None:
            raise Refused(
                Reason.UNSIZED, f"elements of type {handoff.type.element_type} have no fixed size"
            )
        if isinstance(scalar_type(handoff.type.element_type), ComplexType):
            raise Refused(
                Reason.UNSUPPORTED_ELEMENT,
                f"no constant is the zero of type {handoff.type.element_type} that tiles need",
            )
        if handoff.type.static_count is None and handoff.size is None:
            raise Refused(Reason.UNSIZED, "only the host knows the element count")
        return users

    def handoffs(self, analysis: ProgramAnalysis) -> list[BufferOp]:
        """The buffer, and those that go from its producer to some of its consumers too."""
        arms = analysis.users(self.handoff).arms
        if len(arms) < 2:
            return [self.handoff]
        others = [
            buffer
            for buffer in analysis.accesses(arms[0]).buffers()
            if buffer is not self.handoff
            and analysis.is_used_only_in(buffer, arms)
            and _goes_along(analysis, buffer, arms)
        ]
        return [self.handoff, *others]

    def group(self, analysis: ProgramAnalysis) -> Group:
        """The arms to fuse; raises Refused where their structure forbids it."""
        arms = analysis.users(self.handoff).arms
        producer, consumers = arms[0], arms[1:]
        handoffs = self.handoffs(analysis)
        _require_roles(analysis, self.handoff, arms)
        for arm in arms:
            if len(arm.domain) != 1:
                raise Refused(
                    Reason.UNSUPPORTED_DOMAIN,
                    f"'{arm.generator.data}' has {len(arm.domain)} axes",
                    consumer=arm,
                )
        if not producer.is_data_parallel:
            raise Refused(
                Reason.COOPERATIVE_PRODUCER,
                f"'{producer.generator.data}' depends on its own workgroups",
            )
        _require_nothing_between(analysis, arms)
        return Group(
            analysis.accesses(producer), [analysis.accesses(arm) for arm in consumers], handoffs
        )


def candidates(analysis: ProgramAnalysis) -> list[Candidate]:
    """
    The buffers that are handed on inside the program, in the order of their producers; those
    that no arm touches come last.
    """
    found = [buffer for buffer in analysis.program.buffers() if _is_candidate(analysis, buffer)]
    last = len(analysis.program.body.block.ops)

    def producer(buffer: BufferOp) -> int:
        arms = analysis.users(buffer).arms
        return analysis.position(arms[0]) if arms else last

    return [Candidate(buffer) for buffer in sorted(found, key=producer)]


def _is_candidate(analysis: ProgramAnalysis, buffer: BufferOp) -> bool:
    """Whether `buffer` is a handoff, or may be one for all that isl can tell."""
    if not _may_be_handed_on(buffer):
        return False
    for arm in analysis.users(buffer).arms:
        analysis.analyse(arm)
    try:
        return is_handoff(analysis, buffer)
    except Refused:
        return True


def _may_be_handed_on(buffer: BufferOp) -> bool:
    return buffer.type.space == MemorySpace.GLOBAL and (
        buffer.type.access.data == Access.READ_WRITE
    )


def is_handoff(analysis: ProgramAnalysis, buffer: BufferOp) -> bool:
    """
    Whether `buffer` is a read-write global buffer that arms fill, or that nobody touches, or
    that several ops use of which some are no arms.
    """
    if not _may_be_handed_on(buffer):
        return False
    users = analysis.users(buffer)
    if users.others:
        return len(users.others) + len(users.arms) > 1
    if not users.arms:
        return not users.host_loads and buffer.live_out is None and not _host_sized(buffer)
    accesses = [access for arm in users.arms for access in analysis.accesses(arm).to(buffer)]
    kinds = {access.kind for access in accesses}
    return AccessKind.READ in kinds and AccessKind.WRITE in kinds


def _host_sized(buffer: BufferOp) -> bool:
    return buffer.type.static_count is None and buffer.size is None


def _goes_along(analysis: ProgramAnalysis, buffer: BufferOp, arms: list[RegionOp]) -> bool:
    """Whether `buffer`, too, goes from the first of `arms` to some of the others."""
    users = analysis.users(buffer).arms
    if users[0] is not arms[0] or len(users) < 2 or not is_handoff(analysis, buffer):
        return False
    try:
        Candidate(buffer).require_handoff(analysis)
        _require_roles(analysis, buffer, arms)
    except Refused:
        return False
    return True


def _require_roles(analysis: ProgramAnalysis, handoff: BufferOp, arms: list[RegionOp]) -> None:
    for arm in arms:
        _require_role(analysis.accesses(arm), handoff, is_producer=arm is arms[0])


def _require_role(accesses: ArmAccesses, handoff: BufferOp, *, is_producer: bool) -> None:
    """The first arm only stores to the handoff, the others only load from it, all affinely."""
    for access in accesses.to(handoff):
        if is_producer and access.kind == AccessKind.READ:
            _refuse_first_reader(accesses, handoff)
        if access.kind == AccessKind.UPDATE:
            raise Refused(
                Reason.REWRITTEN,
                f"'{accesses.arm.generator.data}' updates the handoff atomically",
                cause=access.op,
            )
        if not is_producer and access.kind == AccessKind.WRITE:
            raise Refused(
                Reason.SEVERAL_PRODUCERS,
                f"'{accesses.arm.generator.data}' also writes the handoff",
                consumer=accesses.arm,
                cause=access.op,
            )
        if access.reach is None or (is_producer and not access.exact):
            raise Refused(
                Reason.NON_AFFINE,
                f"'{accesses.arm.generator.data}' touches elements that cannot be told in advance",
                consumer=None if is_producer else accesses.arm,
                cause=access.cause,
            )


def _refuse_first_reader(accesses: ArmAccesses, handoff: BufferOp) -> None:
    writes = any(access.writes for access in accesses.to(handoff))
    raise Refused(
        Reason.REWRITTEN if writes else Reason.READS_INITIAL_CONTENTS,
        f"'{accesses.arm.generator.data}' reads the handoff before another arm wrote it",
    )


def _require_nothing_between(analysis: ProgramAnalysis, arms: list[RegionOp]) -> None:
    """Other arms between the first and the last of `arms` must not touch what they touch."""
    for op in analysis.between(arms[0], arms[-1]):
        if op in arms:
            continue
        if not isinstance(op, RegionOp):
            _require_not_read(analysis, op, arms)
            _require_not_used(analysis, op, arms)
            continue
        other = analysis.accesses(op)
        for arm in arms:
            if analysis.position(arm) < analysis.position(op) and conflict(
                analysis.accesses(arm), other
            ):
                raise Refused(
                    Reason.INTERVENING_ARM,
                    f"'{op.generator.data}' stands between and touches what "
                    f"'{arm.generator.data}' touches",
                    consumer=arms[-1],
                    cause=op,
                )


def _require_not_read(analysis: ProgramAnalysis, op: Operation, arms: list[RegionOp]) -> None:
    """What the host reads between the arms must not be what one of them writes before."""
    for load in op.walk():
        if not isinstance(load, LoadOp):
            continue
        for arm in arms:
            writes = any(
                access.writes and access.buffer is load.buffer.owner
                for access in analysis.accesses(arm).accesses
            )
            if writes and analysis.position(arm) < analysis.position(op):
                raise Refused(
                    Reason.HOST_READ,
                    f"the host reads what '{arm.generator.data}' writes between the arms",
                    consumer=arms[-1],
                    cause=load,
                )


def _require_not_used(analysis: ProgramAnalysis, op: Operation, arms: list[RegionOp]) -> None:
    """No op but arms and loads uses, between the arms, what one of them touches before."""
    for user in op.walk():
        used = _modifiable_buffers(user)
        for arm in arms:
            touched = used.intersection(analysis.accesses(arm).buffers())
            if touched and analysis.position(arm) < analysis.position(op):
                raise Refused(
                    Reason.INTERVENING_ARM,
                    f"'{user.name}' stands between and uses what '{arm.generator.data}' touches",
                    consumer=arms[-1],
                    cause=user,
                )


def _modifiable_buffers(op: Operation) -> set[BufferOp]:
    """The buffers that `op` may touch and that somebody may write."""
    if isinstance(op, LoadOp | BufLenOp):
        return set()
    owners = (operand.owner for operand in op.operands)
    return {
        owner
        for owner in owners
        if isinstance(owner, BufferOp) and owner.type.access.data != Access.READ_ONLY
    }
