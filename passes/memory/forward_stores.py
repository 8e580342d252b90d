"""`vyre-forward-stores`: loads of what was just stored, and stores that nobody sees, go."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from vyre_dialect.effects import is_effect_free, states_effects
from vyre_dialect.interfaces import (
    AccessKind,
    HasAccessesInterface,
    HasInvocationsInterface,
    OrdersMemoryInterface,
    accesses_of,
)
from vyre_dialect.ops.memory import LoadOp, StoreOp
from vyre_dialect.ops.program import BufferOp
from vyre_dialect.scheduling import Family, PassMetadata, Phase
from vyre_dialect.types import BufferType, MemorySpace
from vyre_dialect.values import integer_of

MOST_PLACES = 32
"""Places of a buffer that are kept in mind, so that the pass stays linear; the oldest goes."""


@dataclass(frozen=True)
class _Place:
    """A run of elements: `[base + offset, base + offset + count)`, with one base per SSA value."""

    base: SSAValue | None
    offset: int
    count: int
    type: Attribute

    @staticmethod
    def of(op: LoadOp | StoreOp) -> _Place:
        """The elements that an op accesses."""
        base, offset = _split(op.index)
        return _Place(base, offset, op.elements, op.value.type)

    def may_meet(self, other: _Place) -> bool:
        """Whether both may have an element in common: sums wrap around, but far apart."""
        if self.base is not other.base:
            return True
        first, second = sorted((self, other), key=lambda each: each.offset)
        return second.offset < first.offset + first.count


def _split(index: SSAValue) -> tuple[SSAValue | None, int]:
    """An index as a value and a constant; no value for a constant."""
    op = index.owner
    if (constant := _constant(index)) is not None:
        return None, constant
    if isinstance(op, arith.AddiOp) and (constant := _constant(op.rhs)) is not None:
        return op.lhs, constant
    return index, 0


def _constant(value: SSAValue) -> int | None:
    number = integer_of(value)
    return None if number is None or abs(number) >= 2**62 else number


@dataclass
class _Known:
    """What is known of one buffer at a point of a block."""

    stored: dict[_Place, StoreOp] = field(default_factory=dict[_Place, StoreOp])
    """The stores whose values places hold, if they are inside of the buffer."""
    unread: dict[_Place, StoreOp] = field(default_factory=dict[_Place, StoreOp])
    """The stores of this block of which nobody has seen the results yet."""

    def read(self, place: _Place | None = None) -> None:
        """Somebody reads a place, or any."""
        for each in [e for e in self.unread if place is None or e.may_meet(place)]:
            del self.unread[each]

    def write(self, place: _Place | None = None) -> None:
        """Somebody writes a place, or any."""
        for each in [e for e in self.stored if place is None or e.may_meet(place)]:
            del self.stored[each]

    def store(self, place: _Place, op: StoreOp) -> None:
        """The op stores to a place."""
        for kept in (self.stored, self.unread):
            kept[place] = op
            if len(kept) > MOST_PLACES:
                del kept[next(iter(kept))]


@dataclass(frozen=True)
class _Summary:
    """What an op does to memory, with all that stands in its regions."""

    read: frozenset[SSAValue] = frozenset()
    written: frozenset[SSAValue] = frozenset()
    orders: bool = False
    """Other invocations may see what was stored, and store themselves, without a race."""
    is_known: bool = True

    def join(self, other: _Summary) -> _Summary:
        """What both do."""
        if other is _NOTHING:
            return self
        return _Summary(
            self.read | other.read,
            self.written | other.written,
            self.orders or other.orders,
            self.is_known and other.is_known,
        )


_NOTHING = _Summary()


def _own_summary(op: Operation) -> _Summary:
    """What an op does by itself."""
    if is_effect_free(type(op)):
        return _NOTHING
    if isinstance(op, HasAccessesInterface):
        accesses = op.get_accesses()
        return _Summary(
            frozenset(access.buffer for access in accesses if access.reads),
            frozenset(access.buffer for access in accesses if access.writes),
        )
    if isinstance(op, OrdersMemoryInterface):
        return _Summary(orders=True)
    return _Summary(is_known=states_effects(op))


class _Forwarding:
    """One walk over the body of an arm or a kernel, which keeps in mind what was stored."""

    def __init__(self, arm: HasInvocationsInterface):
        self._body = arm.body
        self._summaries: dict[Operation, _Summary] = {}
        self._updated = set[SSAValue]()

    def run(self) -> None:
        """Forward what is stored, and erase stores that nobody sees."""
        for op in self._body.walk(region_first=True):
            summary = _own_summary(op)
            for child in (c for region in op.regions for b in region.blocks for c in b.ops):
                summary = summary.join(self._summaries[child])
            self._summaries[op] = summary
            updates = (each for each in accesses_of(op) if each.kind == AccessKind.UPDATE)
            self._updated.update(access.buffer for access in updates)
        self._block(self._body.block, {})

    def _block(self, block: Block, known: dict[SSAValue, _Known]) -> None:
        for op in block.ops:
            if isinstance(op, LoadOp):
                self._load(op, known)
            elif isinstance(op, StoreOp):
                self._store(op, known)
            elif op.regions:
                self._nested(op, known)
            else:
                _note(self._summaries[op], known)

    def _load(self, op: LoadOp, known: dict[SSAValue, _Known]) -> None:
        here, place = known.setdefault(op.buffer, _Known()), _Place.of(op)
        store = here.stored.get(place)
        if store is None or (store.in_bounds is None and op.in_bounds is None):
            here.read(place)
            return
        store.value.name_hint = store.value.name_hint or op.value.name_hint
        op.value.replace_all_uses_with(store.value)
        Rewriter.erase_op(op)

    def _store(self, op: StoreOp, known: dict[SSAValue, _Known]) -> None:
        here, place = known.setdefault(op.buffer, _Known()), _Place.of(op)
        if op.buffer in self._updated:
            return
        if (unseen := here.unread.pop(place, None)) is not None:
            Rewriter.erase_op(unseen)
        here.write(place)
        here.store(place, op)

    def _nested(self, op: Operation, known: dict[SSAValue, _Known]) -> None:
        summary = self._summaries[op]
        before = replace(summary, written=frozenset()) if _runs_once(op) else summary
        _note(before, known)  # what an earlier iteration did, for the first op of the next
        for region in op.regions:
            for block in region.blocks:
                inner = {buffer: _Known(dict(each.stored)) for buffer, each in known.items()}
                self._block(block, inner)
        _note(summary, known)


def _runs_once(op: Operation) -> bool:
    return isinstance(op, scf.IfOp | scf.IndexSwitchOp)


def _note(summary: _Summary, known: dict[SSAValue, _Known]) -> None:
    """Forget what is no longer so after an op."""
    if not summary.is_known:
        known.clear()
    for buffer in list(known):
        if summary.orders and not _is_private(buffer):
            del known[buffer]
            continue
        if buffer in summary.read:
            known[buffer].read()
        if buffer in summary.written:
            known[buffer].write()


def _is_private(buffer: SSAValue) -> bool:
    return isinstance(buffer.type, BufferType) and buffer.type.space == MemorySpace.PRIVATE


def _drop_unread(module: ModuleOp) -> None:
    """Erase private buffers that are stored to only, with the stores."""
    for op in list(module.walk()):
        if not isinstance(op, BufferOp) or not _is_private(op.buffer):
            continue
        uses = [use.operation for use in op.buffer.uses]
        if all(isinstance(user, StoreOp) and user.value is not op.buffer for user in uses):
            for user in uses:
                Rewriter.erase_op(user)
            Rewriter.erase_op(op)


@dataclass(frozen=True)
class ForwardStoresPass(ModulePass):
    """
    Uses the value that an invocation has stored to a place in place of a load of it, and drops
    stores that are overwritten, or in private memory, before anybody reads them.

    Between the two, nothing may write a place that may be the same; for memory that others share
    nothing may be ordered, either, or what they wrote would be missed. Buffers with atomics stay.
    A place that may be outside of its buffer is not forwarded: it reads as zero.
    """

    name = "vyre-forward-stores"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.KERNELS,
        Family.MEMORY,
        requires=("vyre-prove-accesses",),
        invalidates=("canonicalize", "vyre-cse"),
    )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for arm in list(op.walk()):
            if isinstance(arm, HasInvocationsInterface):
                _Forwarding(arm).run()
        _drop_unread(op)
