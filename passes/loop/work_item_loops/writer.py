"""Writes the body in which one invocation does what its workgroup did."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from vyre_dialect.builder import Buffer, Value, constant, for_, invocation_id
from vyre_dialect.ir.interfaces import accesses_of
from vyre_dialect.ir.traversal import free_operands, ops_inside
from vyre_dialect.ir.types import UNROLL, Axis
from vyre_dialect.ops.invocation import (
    AsyncCopyOp,
    AsyncWaitOp,
    BarrierOp,
    InvocationIdOp,
    LocalIdOp,
    WorkgroupIdOp,
)
from vyre_dialect.passes.loop.work_item_loops.memory import LaneCopies, declare_private
from vyre_dialect.passes.loop.work_item_loops.plan import Plan, Slot, Sweep
from vyre_dialect.passes.rewriting.copying import copied
from vyre_dialect.passes.rewriting.invocation_body import looped, replace_ids

STAYS = IntegerAttr(1, i64)
"""As a factor to unroll by: written out, the loops over lanes of a tile would be long code."""
_Move = tuple[SSAValue, Slot]
"""A value of the arm that each lane puts into a slot."""


@dataclass(frozen=True)
class _Lane:
    """The lane that a loop runs, in its body."""

    body: Block
    number: Value
    local: Mapping[Axis, Value]
    invocation: Mapping[Axis, Value]


class Writer:
    """Writes an arm by its plan; the arm itself is left as it is."""

    def __init__(self, plan: Plan, rewriter: PatternRewriter):
        self._plan = plan
        self._rewriter = rewriter
        self._values = dict[SSAValue, SSAValue]()
        """What values of the arm are at the current place; those of lanes are set in each piece."""
        self._cells = {slot: self._declare(slot) for slot in dict.fromkeys(plan.slots.values())}
        self._copies = LaneCopies(plan.arm, list(plan.copied), plan.lanes, rewriter)
        self._first = dict[Axis, Value]()
        """The invocation ids of the first lane."""

    def _declare(self, slot: Slot) -> Buffer:
        plan, name = self._plan, f"{slot.name}_of_lanes"
        type = slot.element_type
        return Buffer(declare_private(plan.arm, name, plan.lanes, type, self._rewriter).buffer)

    def _put(self, op: Operation, block: Block) -> None:
        """Put an op to the end of a block."""
        self._rewriter.insert(op, InsertPoint.at_end(block))

    def write(self, body: Block) -> None:
        """Write the arm to the end of `body`, whose invocations are workgroups."""
        groups = dict[Axis, Value]()
        with ImplicitBuilder(body):
            for axis, size in zip(Axis, self._plan.arm.workgroup, strict=True):
                group = groups[axis] = invocation_id(axis).named("group")
                self._first[axis] = group if size == 1 else (group * size).named("first")
        self._write_block(self._plan.arm.body.block, body, ())
        for axis, group in groups.items():
            replace_ids(body, WorkgroupIdOp, axis, group, self._rewriter)

    def _write_block(self, block: Block, target: Block, last: Sequence[_Move]) -> None:
        """Write what stands in a block that the workgroup runs together, and `last` moves."""
        piece = list[Operation]()
        for op in block.ops:
            if isinstance(op, scf.YieldOp):
                break
            if self._plan.is_cut(op):
                self._write_piece(piece, target, self._moves_in(op))
                piece = []
                self._write_cut(op, target)
            elif self._plan.is_shared(op):
                self._put(copied(op, self._values), target)
            else:
                piece.append(op)
        self._write_piece(piece, target, last)

    # What a workgroup does together.

    def _write_cut(self, op: Operation, target: Block) -> None:
        match op:
            case BarrierOp() | AsyncWaitOp():
                return
            case AsyncCopyOp():
                self._write_copy(op, target)
            case scf.ForOp() if op in self._plan.sweeps:
                self._write_sweep(self._plan.sweeps[op], target)
            case scf.ForOp():
                self._write_loop(op, target)
            case scf.IfOp() | scf.IndexSwitchOp():
                self._write_branches(op, target)
            case _:
                self._put(copied(op, self._values), target)

    def _write_copy(self, op: AsyncCopyOp, target: Block) -> None:
        source, destination = Buffer(op.source), Buffer(op.destination)
        begin, end, count = (
            Value(self._now(value)) for value in (op.source_index, op.destination_index, op.count)
        )
        with ImplicitBuilder(target), for_(0, count) as elements:
            offset = elements.counter.named("offset")
            destination[end + offset] = source[begin + offset]

    def _write_sweep(self, sweep: Sweep, target: Block) -> None:
        """Run the iterations of all lanes one after the other."""
        op, counter = sweep.loop, sweep.loop.body.block.args[0]
        with ImplicitBuilder(target):
            begin = constant(0) if sweep.offset is None else Value(self._now(sweep.offset))
            step = constant(1)
        body = Block(arg_types=[counter.type])
        self._values[counter] = body.args[0]
        body.args[0].name_hint = counter.name_hint
        for inner in op.body.block.ops:
            self._put(copied(inner, self._values), body)
        new = scf.ForOp(begin.ssa, self._now(op.ub), step.ssa, [], body)
        new.attributes[UNROLL] = STAYS
        self._add(new, op, target)

    def _write_loop(self, op: scf.ForOp, target: Block) -> None:
        counter, *carried = op.body.block.args
        shared = [number for number, each in enumerate(carried) if each not in self._plan.slots]
        arguments = [counter, *(carried[number] for number in shared)]
        body = Block(arg_types=[each.type for each in arguments])
        for old, new in zip(arguments, body.args, strict=True):
            self._values[old] = new
            new.name_hint = old.name_hint
        self._write_region(op.body, body, carried, shared)
        begin, end, step = (self._now(bound) for bound in (op.lb, op.ub, op.step))
        initial = [self._now(op.iter_args[number]) for number in shared]
        self._add(scf.ForOp(begin, end, step, initial, body), op, target, shared)

    def _write_branches(self, op: scf.IfOp | scf.IndexSwitchOp, target: Block) -> None:
        shared = [number for number, each in enumerate(op.results) if each not in self._plan.slots]
        regions = list[Region]()
        for region in op.regions:
            new = Region([Block() for _ in region.blocks])
            if region.blocks:
                self._write_region(region, new.block, op.results, shared)
            regions.append(new)
        types = [op.results[number].type for number in shared]
        if isinstance(op, scf.IfOp):
            then, otherwise = regions
            new = scf.IfOp(self._now(op.cond), types, then, otherwise)
        else:
            default, *cases = regions
            new = scf.IndexSwitchOp(self._now(op.arg), op.cases, default, cases, types)
        self._add(new, op, target, shared)

    def _write_region(
        self, region: Region, target: Block, merged: Sequence[SSAValue], shared: Sequence[int]
    ) -> None:
        """Write a region that yields what is `shared`, and moves the rest into slots."""
        yielded = region.block.last_op
        assert isinstance(yielded, scf.YieldOp)
        self._write_block(region.block, target, self._moves(yielded.operands, merged))
        self._put(scf.YieldOp(*(self._now(yielded.operands[number]) for number in shared)), target)

    def _add(
        self, new: Operation, old: Operation, target: Block, shared: Sequence[int] = ()
    ) -> None:
        """Put an op in the place of another one of whose results it has some."""
        new.attributes |= old.attributes
        new.location = old.location
        for number, result in zip(shared, new.results, strict=True):
            self._values[old.results[number]] = result
            result.name_hint = old.results[number].name_hint
        self._put(new, target)
        self._rewriter.notify_op_modified(new)

    def _now(self, value: SSAValue) -> SSAValue:
        """What a value of the arm, or of the program around it, is at the current place."""
        return self._values.get(value, value)

    # Moves.

    def _moves_in(self, op: Operation) -> list[_Move]:
        """What each lane puts into slots in front of a loop."""
        if not isinstance(op, scf.ForOp) or op in self._plan.sweeps:
            return []
        return self._moves(op.iter_args, op.body.block.args[1:])

    def _moves(self, values: Iterable[SSAValue], merged: Iterable[SSAValue]) -> list[_Move]:
        slots = self._plan.slots
        pairs = zip(values, merged, strict=True)
        return [
            (value, slots[target])
            for value, target in pairs
            if target in slots and slots.get(value) is not slots[target]
        ]

    # Pieces.

    def _write_piece(
        self, piece: Sequence[Operation], target: Block, moves: Sequence[_Move]
    ) -> None:
        """Write a loop over the lanes around what is needed of a piece, if anything is."""
        kept, needed = self._needed(piece, [value for value, _ in moves])
        if not kept and not moves:
            return
        with self._lanes(target) as lane:
            known = set[SSAValue](result for op in kept for result in op.results)
            for value in needed:
                self._know(value, lane, known)
            for op in kept:
                self._put(copied(op, self._values), lane.body)
            self._keep(lane, [*self._kept_of(kept), *moves])
            self._copies.take_accesses(lane.body, lane.number)
            for axis in Axis:
                replace_ids(lane.body, LocalIdOp, axis, lane.local[axis], self._rewriter)
                replace_ids(lane.body, InvocationIdOp, axis, lane.invocation[axis], self._rewriter)

    def _needed(
        self, piece: Sequence[Operation], moved: Iterable[SSAValue]
    ) -> tuple[list[Operation], list[SSAValue]]:
        """The ops of a piece that have to run in it, and the values that it needs."""
        kept, needed = list[Operation](), dict.fromkeys(moved)
        for op in reversed(piece):
            results = op.results
            if _does_something(op) or any(r in needed or r in self._plan.slots for r in results):
                kept.append(op)
                needed |= dict.fromkeys(free_operands(op))
        kept.reverse()
        return kept, list(needed)

    def _know(self, value: SSAValue, lane: _Lane, known: set[SSAValue]) -> None:
        """Have `value` at hand in the loop over lanes: loaded, or computed again."""
        if value in known or self._plan.divergence.is_shared(value):
            return
        known.add(value)
        if (slot := self._plan.slots.get(value)) is not None:
            with ImplicitBuilder(lane.body):
                kept = self._cells[slot].load(lane.number, in_bounds=True).to(slot.type)
            self._values[value] = kept.named(slot.name).ssa
            return
        op = value.owner
        assert isinstance(op, Operation)
        for operand in op.operands:
            self._know(operand, lane, known)
        self._put(copied(op, self._values), lane.body)

    def _kept_of(self, ops: Iterable[Operation]) -> Iterator[_Move]:
        """What ops compute that is needed in other pieces."""
        slots = self._plan.slots
        return ((value, slots[value]) for op in ops for value in op.results if value in slots)

    def _keep(self, lane: _Lane, moves: Iterable[_Move]) -> None:
        """Put values into slots, once all are known."""
        with ImplicitBuilder(lane.body):
            for value, slot in moves:
                kept = Value(self._now(value)).to(slot.element_type)
                self._cells[slot].store(kept, lane.number, in_bounds=True)

    @contextmanager
    def _lanes(self, target: Block) -> Generator[_Lane]:
        """Loops over the lanes at the end of a block, those next to each other innermost."""
        sizes = list(zip(Axis, self._plan.arm.workgroup, strict=True))
        local, body = dict[Axis, Value](), target
        with ExitStack() as loops:
            for axis, size in reversed(sizes):
                with ImplicitBuilder(body):
                    begin = constant(0)
                if size == 1:
                    local[axis] = begin
                    continue
                body, counter = loops.enter_context(_lane_loop(body, begin, size))
                local[axis] = counter.named("lane")
            with ImplicitBuilder(body):
                number = _number([(local[axis], size) for axis, size in sizes])
                invocation = {
                    axis: (self._first[axis] + local[axis]).named("i") for axis, _ in sizes
                }
            yield _Lane(body, number, local, invocation)


def _lane_loop(body: Block, begin: Value, size: int) -> AbstractContextManager[tuple[Block, Value]]:
    """A loop over lanes at the end of a block."""
    return looped(body, begin, size, 1, **{UNROLL: STAYS})


def _number(places: Sequence[tuple[Value, int]]) -> Value:
    """The number of a lane, of its places along the axes and their sizes."""
    places = [(place, size) for place, size in places if size > 1]
    (number, _), *others = reversed(places)
    for place, size in others:
        number = number * size + place
    return number


def _does_something(op: Operation) -> bool:
    """Whether an op changes memory, so that it has to run whoever needs its results."""
    return any(access.writes for inner in ops_inside(op) for access in accesses_of(inner))
