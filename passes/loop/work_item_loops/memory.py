"""Memory of a workgroup and of its invocations, once one invocation has all of it."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet

from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from vyre_dialect.builder import Buffer, Value
from vyre_dialect.ir.interfaces import (
    IN_BOUNDS,
    PROVEN,
    AccessKind,
    BufferAccess,
    HasAccessesInterface,
    accesses_of,
)
from vyre_dialect.ir.types import AtomicKind, BufferType, MemorySpace
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.memory import AtomicCASOp, AtomicRMWOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.rewriting.host_side import unique_name
from vyre_dialect.passes.rewriting.rewriters import building

_ATOMICS = AtomicRMWOp | AtomicCASOp


def declare_private(
    arm: RegionOp, name: str, count: int, type: Attribute, rewriter: PatternRewriter
) -> BufferOp:
    """A private buffer in front of an arm."""
    buffer = BufferOp(
        unique_name(arm.program, name),
        BufferType(count, type, memory_space=MemorySpace.PRIVATE),
    )
    return rewriter.insert(buffer, InsertPoint.before(arm))


# Tiles of a workgroup.


def make_tiles_private(arm: RegionOp, rewriter: PatternRewriter) -> None:
    """
    Let private buffers take the place of an arm's workgroup buffers, but for those that an op
    touches which is not known to work on private memory.
    """
    users = dict[BufferOp, dict[Operation, None]]()
    for op, buffer in arm.accesses():
        if buffer.type.space == MemorySpace.WORKGROUP:
            users.setdefault(buffer, {})[op] = None
    for buffer, ops in users.items():
        if all(_can_move(op, buffer.buffer) for op in ops):
            _make_private(arm, buffer, ops, rewriter)


def _can_move(op: Operation, buffer: SSAValue) -> bool:
    if isinstance(op, BufLenOp | _ATOMICS):
        return True
    accesses = [access for access in accesses_of(op) if access.buffer is buffer]
    return bool(accesses) and all(_can_redirect(op, access) for access in accesses)


def _can_redirect(op: Operation, access: BufferAccess) -> bool:
    assert isinstance(op, HasAccessesInterface)
    is_plain = access.kind != AccessKind.UPDATE and isinstance(access.index, SSAValue)
    return is_plain and op.can_redirect(access)


def _make_private(
    arm: RegionOp, buffer: BufferOp, ops: dict[Operation, None], rewriter: PatternRewriter
) -> None:
    type, name = buffer.type, buffer.sym_name
    tile = BufferOp(
        unique_name(arm.program, name.data),
        BufferType(type.count, type.element_type, type.access, MemorySpace.PRIVATE),
    )
    tile.attributes |= buffer.attributes
    tile.location = buffer.location
    rewriter.insert(tile, InsertPoint.after(buffer))
    for op in ops:
        _move(op, buffer.buffer, tile.buffer, rewriter)
    if buffer.buffer.first_use is None:
        rewriter.erase(buffer)
        tile.sym_name = name


def _move(op: Operation, buffer: SSAValue, tile: SSAValue, rewriter: PatternRewriter) -> None:
    """Let an op do to `tile` what it did to `buffer`."""
    if isinstance(op, AtomicRMWOp):
        _replace_atomic(op, Buffer(tile), lambda old: _updated(op, old), rewriter)
    elif isinstance(op, AtomicCASOp):
        _replace_atomic(op, Buffer(tile), lambda old: _exchanged(op, old), rewriter)
    elif isinstance(op, HasAccessesInterface):
        for access in [each for each in op.get_accesses() if each.buffer is buffer]:
            assert isinstance(access.index, SSAValue)
            _redirect(op, access, tile, access.index, PROVEN, rewriter)
    else:
        op.operands = [tile if operand is buffer else operand for operand in op.operands]
        rewriter.notify_op_modified(op)


def _redirect(
    op: HasAccessesInterface,
    access: BufferAccess,
    buffer: SSAValue,
    index: SSAValue,
    still_proven: AbstractSet[str],
    rewriter: PatternRewriter,
) -> None:
    """Redirect an access to a place of which some of what is proven still holds."""
    proven = {name: op.properties[name] for name in still_proven & op.properties.keys()}
    op.redirect(access, buffer, index)
    op.properties |= proven
    rewriter.notify_op_modified(op)


def _updated(op: AtomicRMWOp, old: Value) -> Value:
    if op.kind.data == AtomicKind.ASSIGN:
        return Value(op.value)
    return Value(op.combine(old.ssa, op.value))


def _exchanged(op: AtomicCASOp, old: Value) -> Value:
    return old.eq(op.expected).select(op.desired, old)


def _replace_atomic(
    op: _ATOMICS, tile: Buffer, update: Callable[[Value], Value], rewriter: PatternRewriter
) -> None:
    """Load, change and store an element of private memory."""
    index, in_bounds = op.index, IN_BOUNDS in op.properties
    with building(rewriter, InsertPoint.before(op)):
        old = tile.load(index, in_bounds=in_bounds)
        tile.store(update(old), index, in_bounds=in_bounds)
    old.ssa.name_hint = op.old.name_hint
    rewriter.replace(op, [], [old.ssa])


# Private memory of each lane.


class LaneCopies:
    """A copy for each lane of private buffers that hold something while other lanes run."""

    def __init__(
        self, arm: RegionOp, buffers: list[BufferOp], lanes: int, rewriter: PatternRewriter
    ):
        self._rewriter = rewriter
        self._copies = dict[SSAValue, Buffer]()
        for buffer in buffers:
            type, name = buffer.type, f"{buffer.sym_name.data}_of_lanes"
            count = (type.static_count or 0) * lanes
            copies = declare_private(arm, name, count, type.element_type, rewriter)
            self._copies[buffer.buffer] = Buffer(copies.buffer)

    def take_accesses(self, block: Block, lane: Value) -> None:
        """Let what stands in `block` go to the copy of `lane`; it lies inside, as it did before."""
        if not self._copies:
            return
        for op in [each for each in block.walk() if accesses_of(each)]:
            assert isinstance(op, HasAccessesInterface)
            for access in [each for each in op.get_accesses() if each.buffer in self._copies]:
                self._redirect(op, access, lane)

    def _redirect(self, op: HasAccessesInterface, access: BufferAccess, lane: Value) -> None:
        assert isinstance(access.index, SSAValue) and isinstance(access.buffer.type, BufferType)
        count = access.buffer.type.static_count or 0
        with building(self._rewriter, InsertPoint.before(op)):
            place = lane * count + access.index
        _redirect(
            op,
            access,
            self._copies[access.buffer].ssa,
            place.ssa,
            frozenset({IN_BOUNDS}),
            self._rewriter,
        )
