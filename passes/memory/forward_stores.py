"""`vyre-forward-stores`: store-to-load forwarding, and dead store elimination."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from vyre_dialect.analysis.alias_analysis import AliasAnalysis, Key, MemoryLocation
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.ir.effects import is_effect_free, states_effects
from vyre_dialect.ir.interfaces import (
    AccessKind,
    HasInvocationsInterface,
    OrdersMemoryInterface,
    accesses_of,
    arms_in,
    ops_around,
)
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import is_private
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.memory import LoadOp, StoreOp
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import rewriter_of

MOST_LOCATIONS = 32
"""Locations of a buffer that are kept in mind, so that the pass stays linear; the oldest goes."""
MOST_IN_LOOP = 16
"""Locations of a buffer in a loop that are told apart; more may be anywhere."""


@dataclass
class _Known:
    """What is known of one buffer at a point of a block."""

    locations: AliasAnalysis
    rewriter: PatternRewriter
    stored: dict[Key, MemoryLocation] = field(default_factory=dict[Key, MemoryLocation])
    """The locations that hold what was stored there, if they are inside of the buffer."""
    unread: dict[MemoryLocation, None] = field(default_factory=dict[MemoryLocation, None])
    """Those stored to and not read since."""
    around: frozenset[MemoryLocation] = frozenset()
    """Those among the unread that were stored to before the branch that this is about."""
    overwritten: set[MemoryLocation] = field(default_factory=set[MemoryLocation])
    """Those of them that the branch overwrites before anybody reads them."""

    def within(self) -> _Known:
        """What is known at the start of a branch."""
        unread = dict(self.unread)
        return _Known(self.locations, self.rewriter, dict(self.stored), unread, frozenset(unread))

    def read(self, location: MemoryLocation | None = None) -> None:
        """Somebody reads a location, or any."""
        for each in list(self.unread):
            if location is None or self.locations.may_alias(location, each):
                del self.unread[each]

    def write(self, location: MemoryLocation | None = None) -> None:
        """Somebody writes a location, or any."""
        for key, each in list(self.stored.items()):
            if location is None or self.locations.may_alias(location, each):
                del self.stored[key]

    def store(self, location: MemoryLocation) -> None:
        """The op of a location stores to it: what it overwrites unseen need not be stored."""
        for each in list(self.unread):
            if each.key == location.key or self.locations.covers(location, each):
                self.drop(each)
        self.write(location)
        self.stored[location.key] = location
        self.unread[location] = None
        self._forget_oldest()

    def drop(self, location: MemoryLocation) -> None:
        """What was stored to an unread location is overwritten: here, if it was stored here."""
        del self.unread[location]
        if location in self.around:
            self.overwritten.add(location)
        else:
            self.rewriter.erase(location.op)

    def holder(self, location: MemoryLocation) -> MemoryLocation | None:
        """The location, among those that hold what was stored there, that is the same."""
        if (same := self.stored.get(location.key)) is not None:
            return same
        alike = (e for e in self.stored.values() if e.key.is_like(location.key))
        return next((each for each in alike if self.locations.covers(each, location)), None)

    def join(self, branches: Sequence[_Known]) -> None:
        """One of some branches, which began with what is known here, has run."""
        for location in list(self.unread):
            if all(location in branch.overwritten for branch in branches):
                self.drop(location)
            elif any(branch.has_read(location) for branch in branches):
                del self.unread[location]
        for branch in branches:
            self.unread |= {each: None for each in branch.unread if each not in branch.around}
        for key, location in list(self.stored.items()):
            if any(branch.stored.get(key) is not location for branch in branches):
                del self.stored[key]
        self._forget_oldest()

    def has_read(self, location: MemoryLocation) -> bool:
        """Whether a location that was unread before the branch may be read in it."""
        return location not in self.unread and location not in self.overwritten

    def _forget_oldest(self) -> None:
        while len(self.stored) > MOST_LOCATIONS:
            del self.stored[next(iter(self.stored))]
        while len(self.unread) > MOST_LOCATIONS:
            del self.unread[next(iter(self.unread))]


_State = dict[SSAValue, _Known]
"""What is known at a point, by buffer."""


@dataclass
class _Summary:
    """What an op does to memory, or a loop with all that stands in it, in any iteration."""

    read: dict[SSAValue, list[MemoryLocation | None]] = field(
        default_factory=dict[SSAValue, "list[MemoryLocation | None]"]
    )
    """Locations by buffer; None for anywhere."""
    written: dict[SSAValue, list[MemoryLocation | None]] = field(
        default_factory=dict[SSAValue, "list[MemoryLocation | None]"]
    )
    orders: bool = False
    """Other invocations may see what was stored, and store themselves, without a race."""
    is_known: bool = True

    def add(self, op: Operation) -> None:
        """Take in what an op does by itself."""
        if isinstance(op, OrdersMemoryInterface):
            self.orders = True
        elif not states_effects(op):
            self.is_known = False
        location = MemoryLocation.of(op) if isinstance(op, LoadOp | StoreOp) else None
        for access in accesses_of(op):
            if access.reads:
                _add(self.read.setdefault(access.buffer, []), location)
            if access.writes:
                _add(self.written.setdefault(access.buffer, []), location)

    def apply(self, state: _State) -> None:
        """Forget what is no longer so after it."""
        if not self.is_known:
            state.clear()
        for buffer in list(state):
            if self.orders and not is_private(buffer.type):
                del state[buffer]
                continue
            for location in self.read.get(buffer, ()):
                state[buffer].read(location)
            for location in self.written.get(buffer, ()):
                state[buffer].write(location)


def _add(locations: list[MemoryLocation | None], location: MemoryLocation | None) -> None:
    if location is None or len(locations) == MOST_IN_LOOP:
        locations[:] = [None]
    elif locations != [None]:
        locations.append(location)


class _Forwarding:
    """One walk over the body of an arm or a kernel, which keeps in mind what was stored."""

    def __init__(
        self, arm: HasInvocationsInterface, locations: AliasAnalysis, rewriter: PatternRewriter
    ):
        self._body, self._aliases, self._rewriter = arm.body, locations, rewriter
        self._loops: dict[Operation, _Summary] = {}
        self._updated = set[SSAValue]()

    def run(self) -> None:
        """Forward stored values to loads, and erase dead stores."""
        for op in ops_inside(self._body):
            if is_effect_free(type(op)):
                continue
            updates = (each for each in accesses_of(op) if each.kind == AccessKind.UPDATE)
            self._updated.update(access.buffer for access in updates)
            for around in (op, *ops_around(op)):
                if around.regions and not _is_branch(around):
                    self._loops.setdefault(around, _Summary()).add(op)
        self._block(self._body.block, {})

    def _block(self, block: Block, state: _State) -> None:
        for op in block.ops:
            if isinstance(op, LoadOp):
                self._load(op, state)
            elif isinstance(op, StoreOp):
                self._store(op, state)
            elif _is_branch(op):
                self._branch(op.regions, state)
            elif op.regions:
                self._loop(op, state)
            elif not is_effect_free(type(op)):
                summary = _Summary()
                summary.add(op)
                summary.apply(state)

    def _at(self, buffer: SSAValue, state: _State) -> _Known:
        return state.setdefault(buffer, _Known(self._aliases, self._rewriter))

    def _load(self, op: LoadOp, state: _State) -> None:
        here, location = self._at(op.buffer, state), MemoryLocation.of(op)
        holder = here.holder(location)
        if holder is None or (holder.op.in_bounds is None and op.in_bounds is None):
            here.read(location)
            return
        assert isinstance(holder.op, StoreOp)
        self._rewriter.replace(op, [], [holder.op.value])

    def _store(self, op: StoreOp, state: _State) -> None:
        if op.buffer not in self._updated:
            self._at(op.buffer, state).store(MemoryLocation.of(op))

    def _branch(self, regions: Iterable[Region], state: _State) -> None:
        """Go through regions of which one runs; one without a block does nothing."""
        ends = list[_State]()
        for region in regions:
            inner = {buffer: known.within() for buffer, known in state.items()}
            for block in region.blocks:
                self._block(block, inner)
            ends.append(inner)
        for buffer in dict.fromkeys(buffer for each in (state, *ends) for buffer in each):
            known = [end.get(buffer) or _Known(self._aliases, self._rewriter) for end in ends]
            self._at(buffer, state).join(known)

    def _loop(self, op: Operation, state: _State) -> None:
        """Go through an op whose regions run any number of times, with what holds each time."""
        self._loops[op].apply(state)
        for region in op.regions:
            for block in region.blocks:
                inner = {
                    buffer: _Known(self._aliases, self._rewriter, dict(known.stored))
                    for buffer, known in state.items()
                }
                self._block(block, inner)


def _is_branch(op: Operation) -> bool:
    """Whether exactly one region of an op runs, once."""
    return isinstance(op, scf.IfOp | scf.IndexSwitchOp)


def _drop_unread(module: ModuleOp, rewriter: PatternRewriter) -> None:
    """Erase private buffers that are stored to only, with the stores."""
    for op in ops_inside(module):
        if not isinstance(op, BufferOp) or not is_private(op.buffer.type):
            continue
        uses = [use.operation for use in op.buffer.uses]
        if all(isinstance(user, StoreOp) and user.value is not op.buffer for user in uses):
            for user in uses:
                rewriter.erase(user)
            rewriter.erase(op)


@dataclass(frozen=True)
class ForwardStoresPass(RewritePass):
    """
    Uses the value that an invocation has stored to a location in place of a load of it, and drops
    stores that are overwritten, or in private memory, before they are read.

    Locations are compared by the access relations of the arm or kernel, whose ids, loop counters
    and guards tell which are the same and which have no element in common. Between the two, nothing
    may write a location that may be the same; for memory that others share nothing may be ordered,
    either, or what they wrote would be missed. Buffers with atomics stay. A location that may be
    outside of its buffer is not forwarded: it reads as zero.
    """

    name = "vyre-forward-stores"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.KERNELS,
        Family.MEMORY,
        requires=("vyre-prove-accesses",),
        invalidates=("canonicalize", "vyre-cse"),
    )

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        rewriter = rewriter_of(module, facts)
        # All of them before anything changes, which would make arms of a program ask again.
        arms = [(arm, AliasAnalysis.of(arm, facts)) for arm in arms_in(module)]
        for arm, locations in arms:
            _Forwarding(arm, locations, rewriter).run()
        _drop_unread(module, rewriter)
        return rewriter.has_done_action
