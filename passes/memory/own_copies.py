"""
Copies of a small buffer in workgroup memory, one for each invocation, which need no atomics; in
fewer bits than the buffer has, for as many iterations as these hold what is summed up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import i32
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.iterations import can_count, most_iterations, most_runs
from vyre_dialect.analysis.nesting import LOOPS
from vyre_dialect.analysis.stored_ranges import StoredRanges
from vyre_dialect.builder import Value, constant, for_, if_
from vyre_dialect.ir.constants import integer_of
from vyre_dialect.ir.interfaces import HasCombinerInterface, ops_around
from vyre_dialect.ir.types import BufferType, MemorySpace
from vyre_dialect.ops.memory import AtomicRMWOp, LoadOp, StoreOp
from vyre_dialect.passes.memory.reduction_copies import SharedCopies
from vyre_dialect.passes.rewriting.loop_parts import parts_of, run_over
from vyre_dialect.passes.rewriting.moving import take_out
from vyre_dialect.passes.rewriting.rewriters import building

FEW_BITS = i32
_TAKEN_APART = (arith.ExtUIOp, arith.TruncIOp, arith.ShRUIOp, arith.AndIOp)
MIN_TURNS = 1 << 14
"""Iterations whose sum the few bits must hold, so that copies are seldom flushed before the end."""


@dataclass(frozen=True)
class SmallSums:
    """That few bits hold what an invocation adds to each element in so many turns of a loop."""

    loop: scf.ForOp | None
    """It is that of the whole arm; None where it is all that the invocation adds."""
    turns: int

    @staticmethod
    def of(
        updates: Sequence[HasCombinerInterface], integers: Integers, stored: StoredRanges
    ) -> SmallSums | None:
        """What is known of all updates of a buffer, if few bits hold the sum of many turns."""
        if not all(map(adds, updates)):
            return None
        loop, *others = set(map(_outermost_loop, updates))
        if others or not isinstance(loop, scf.ForOp | None):
            return None
        total = sum(
            most_runs(op, integers, loop) * stored.of(op.operands[op.value_operand]).high
            for op in updates
        )
        turns = (2**FEW_BITS.width.data - 1) // max(total, 1)
        return SmallSums(loop, turns)._possible(integers)

    def _possible(self, integers: Integers) -> SmallSums | None:
        """The same, where the loop can be run in parts, if it has to be."""
        if self.loop is None:
            return self if self.turns else None
        if most_iterations(self.loop, integers) <= self.turns:
            return SmallSums(None, self.turns)
        step = integer_of(self.loop.step)
        if self.turns < MIN_TURNS or step is None:
            return None
        return self if can_count(self.loop, self.turns * step, integers) else None


def is_flush(op: HasCombinerInterface) -> bool:
    """Whether `op` updates by what it has of a copy, which then is set to nothing."""
    load = op.operands[op.value_operand].owner
    while isinstance(load, _TAKEN_APART):
        load = load.operands[0].owner
    if not isinstance(load, LoadOp) or not isinstance(load.buffer.type, BufferType):
        return False
    return load.buffer.type.space == MemorySpace.WORKGROUP and any(
        isinstance(use.operation, StoreOp)
        and use.operation.parent is load.parent
        and use.operation.buffer is load.buffer
        and integer_of(use.operation.value) == 0
        for use in load.index.uses
    )


def adds(op: HasCombinerInterface) -> bool:
    """Whether `op` adds to integers."""
    return isinstance(op, AtomicRMWOp) and op.combination is arith.AddiOp


def _outermost_loop(op: Operation) -> Operation | None:
    loops = [each for each in ops_around(op) if isinstance(each, LOOPS)]
    return loops[-1] if loops else None


class _Place(NamedTuple):
    """What an update finds in a copy."""

    at: Value
    before: Value


@dataclass
class OwnCopies(SharedCopies):
    """
    A small buffer of which each invocation of a workgroup has a copy in its memory. Nobody else
    updates that before the end, so that no update need be atomic.
    """

    small: SmallSums | None = None
    """What is known of the sums where copies have fewer bits than the buffer."""

    def load(self, op: HasCombinerInterface, lane: Value) -> _Place:
        """What the copy of a lane holds of what `op` updates."""
        index = self.of_copy(op, lane)
        before = self.cells.load(index, in_bounds=self.is_inside(op)).named(self.name)
        return _Place(index, before)

    def update_by(self, op: HasCombinerInterface, place: _Place) -> None:
        """Do to a copy what `op` does."""
        given = self._stored(Value(op.operands[op.value_operand]))
        value = self.combined(place.before, given).named(self.name)
        self.cells.store(value, place.at, in_bounds=self.is_inside(op))

    def flush_own(self, lane: Value) -> None:
        """Update each element by what the copy of a lane holds, and set that to nothing."""
        with for_(0, self.count, unroll=1) as elements:
            element = elements.counter.named("element")
            index = element * self.copies + lane
            held = self._loaded(self.cells.load(index, in_bounds=True)).named(self.name)
            self.flush_element(held, element)
            self.cells.store(self.nothing(), index, in_bounds=True)

    def end(self, lane: Value, size: int) -> None:
        """Update each element by what the copies hold, together with the others."""
        super().end(lane, size)
        for op in self.group.updates:
            self.rewriter.erase(op)

    def held(self, element: Value) -> Value:
        """The combination of what the copies of an element hold."""
        first = element * self.copies
        with for_(0, self.copies, carry=[self.neutral()], unroll=1) as copies:
            (held,) = copies.named(self.name)
            copy = self.copy_in_turn(copies.counter, element)
            other = self._loaded(self.cells.load(first + copy, in_bounds=True))
            copies.yields(self.combined(held, other))
        return copies.results[0]

    def nothing(self) -> Value:
        """What copies hold at first."""
        return self.neutral() if self.small is None else constant(0, FEW_BITS)

    def _stored(self, value: Value) -> Value:
        return value.to(self.cells.type.element_type)

    def _loaded(self, value: Value) -> Value:
        return value.to(self.group.value_type)


def take_own_updates(copies: Sequence[OwnCopies], lane: Value, rewriter: PatternRewriter) -> None:
    """
    Let updates load and store the copies of a lane. Of those in a block, the first of each buffer
    loads before any of them stores, if what it updates is known: a device may keep to the order of
    what it does in workgroup memory, and would wait for each load in turn.
    """
    owners: dict[Operation, OwnCopies] = {op: each for each in copies for op in each.group.updates}
    for block in dict.fromkeys(op.parent for op in owners):
        assert block is not None
        for together in _side_by_side(block, owners):
            _take_updates(together, owners, lane, rewriter)


def _side_by_side(
    block: Block, owners: Mapping[Operation, OwnCopies]
) -> list[list[HasCombinerInterface]]:
    """Updates of a block, those together between which there is none in a branch or loop."""
    found = [list[HasCombinerInterface]()]
    for op in block.ops:
        if op.regions:
            found.append([])
        elif op in owners:
            assert isinstance(op, HasCombinerInterface)
            found[-1].append(op)
    return found


def _take_updates(
    updates: Sequence[HasCombinerInterface],
    owners: Mapping[Operation, OwnCopies],
    lane: Value,
    rewriter: PatternRewriter,
) -> None:
    places, loaded = list[_Place](), set[int]()
    for op in updates:
        owner = owners[op]
        is_first = id(owner) not in loaded and _is_known_before(op, updates[0])
        with building(rewriter, InsertPoint.before(updates[0] if is_first else op)):
            places.append(owner.load(op, lane))
        loaded.add(id(owner))
    for op, place in zip(updates, places, strict=True):
        with building(rewriter, InsertPoint.before(op)):
            owners[op].update_by(op, place)
        take_out(op, rewriter)  # until the end asks how to update


def _is_known_before(op: HasCombinerInterface, other: Operation) -> bool:
    """Whether what `op` updates is known where another op of its block stands."""
    (access,) = op.get_accesses()
    definition = access.index.owner if isinstance(access.index, SSAValue) else None
    if not isinstance(definition, Operation) or definition.parent is not other.parent:
        return True
    return definition.is_before_in_block(other)


class HoldsSums(Protocol):
    """What holds the sums of a lane, in few bits if something is known of them."""

    @property
    def small(self) -> SmallSums | None:
        """What is known of sums in fewer bits than the buffer has."""
        ...

    def flush_own(self, lane: Value) -> None:
        """Update each element by what a lane holds in few bits, and set that to nothing."""
        ...


def flush_between_parts(
    copies: Sequence[HoldsSums], lane: Value, rewriter: PatternRewriter
) -> None:
    """Run loops in parts whose sums the copies hold, and flush those of a lane behind each."""
    loops = dict[scf.ForOp, list[HoldsSums]]()
    for each in copies:
        if each.small is not None and each.small.loop is not None:
            loops.setdefault(each.small.loop, []).append(each)
    for loop, summed in loops.items():
        turns = min(each.small.turns for each in summed if each.small is not None)
        _flush_between_parts(loop, turns, summed, lane, rewriter)


def _flush_between_parts(
    loop: scf.ForOp,
    turns: int,
    copies: Sequence[HoldsSums],
    lane: Value,
    rewriter: PatternRewriter,
) -> None:
    step = integer_of(loop.step)
    assert step is not None
    with building(rewriter, InsertPoint.before(loop)), parts_of(loop, turns * step) as part:
        inner = run_over(loop, part.bounds, part.carried)
        with if_(part.end < loop.ub):  # the end of the arm flushes the last part
            for each in copies:
                each.flush_own(lane)
        part.loop.yields(*inner)
    rewriter.replace(loop, [], [each.ssa for each in part.loop.results])
