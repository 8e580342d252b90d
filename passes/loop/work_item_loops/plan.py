"""
How the body of an arm falls apart at what its workgroup does together, and what is needed across.

A *lane* is an invocation of the workgroup. A *piece* is what stands between two cuts: one loop over
the lanes runs it. Cuts are barriers and copies, what stands around them or decides on that, and
*sweeps*: loops in which the lanes take turns, which are one loop without them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from math import prod

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from vyre_dialect.analysis.divergence import DivergenceAnalysis
from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.ir.constants import integer_of
from vyre_dialect.ir.effects import is_effect_free
from vyre_dialect.ir.interfaces import IN_BOUNDS, HasAccessesInterface, accesses_of, ops_around
from vyre_dialect.ir.traversal import free_operands, ops_inside
from vyre_dialect.ir.types import EACH_ITEM, Axis, MemorySpace, element_bytes, is_private
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.invocation import IdOp, InvocationIdOp, LocalIdOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.loop.refusal import Refusal, first_of
from vyre_dialect.passes.loop.work_item_loops.legality import (
    JointExecution,
    refusal_of,
    refusal_of_joint,
)
from vyre_dialect.passes.loop.work_item_loops.refusal import Reason

MAX_RECOMPUTED_OPS = 8
"""What so many ops compute of ids is computed again behind a cut; other values are kept."""


@dataclass(frozen=True, eq=False)
class Slot:
    """Where a value of each lane is kept while others run."""

    type: Attribute
    name: str

    @property
    def element_type(self) -> Attribute:
        """The type in memory."""
        return i64 if isinstance(self.type, IndexType) else self.type


@dataclass(frozen=True)
class Sweep:
    """A loop that begins at the lane, and goes on by the number of lanes."""

    loop: scf.ForOp
    offset: SSAValue | None
    """What is added to the lane where it begins."""


@dataclass(frozen=True)
class Plan:
    """What becomes of the ops and values of an arm."""

    arm: RegionOp
    together: AbstractSet[Operation]
    """What a workgroup does together, and what stands around that."""
    divergence: DivergenceAnalysis
    sweeps: Mapping[Operation, Sweep]
    slots: Mapping[SSAValue, Slot]
    """Where values are kept that differ between lanes and are needed in several pieces."""
    copied: Sequence[BufferOp]
    """Private buffers of which each lane needs its own."""

    @property
    def lanes(self) -> int:
        """Invocations of a workgroup."""
        return prod(self.arm.workgroup)

    def is_cut(self, op: Operation) -> bool:
        """Whether lanes wait for each other at `op`."""
        return op in self.together or op in self.sweeps

    def is_shared(self, op: Operation) -> bool:
        """Whether `op` is done once for a workgroup."""
        return bool(op.results) and self.divergence.is_shared(op.results[0])


def plan_for(arm: RegionOp, limit: int, facts: AnalysisManager) -> Plan | Refusal:
    """
    What becomes of an arm, which is left as it is, or why its workgroups, of up to `limit`
    invocations, cannot become one each.
    """
    if (refusal := refusal_of(arm, limit)) is not None:
        return refusal
    joint, integers = facts.get(JointExecution, arm), facts.get(Integers, arm)
    together, divergence = joint.together, joint.divergence
    if (refusal := first_of(refusal_of_joint(op, divergence) for op in together)) is not None:
        return refusal
    sweeps = _Sweeps(arm, divergence, integers).among(_ops_of(arm, together))
    pieces = _pieces(arm, together, sweeps)
    values = _Values(divergence, pieces, together)
    for op in pieces:
        values.keep_merged(op)
    for op in pieces:
        if op not in together and op not in sweeps:
            values.keep_crossing(op)
    copies = _Copies(arm, pieces, together, integers)
    if refusal := first_of(map(_refusal_of_slot, values.slots.values())) or copies.refusal():
        return refusal
    return Plan(arm, together, divergence, sweeps, values.slots, list(copies.lasting))


def _blocks(arm: RegionOp, together: AbstractSet[Operation]) -> Iterator[Block]:
    """The blocks that a workgroup runs together, each after that around it."""
    for owner in (arm, *together):
        for region in owner.regions:
            yield from region.blocks


def _ops_of(arm: RegionOp, together: AbstractSet[Operation]) -> Iterator[Operation]:
    return (op for block in _blocks(arm, together) for op in block.ops)


def _pieces(
    arm: RegionOp, together: AbstractSet[Operation], sweeps: Mapping[Operation, Sweep]
) -> dict[Operation, int]:
    """The number of the piece of each op; a cut has that of the piece in front of it."""
    pieces, number = dict[Operation, int](), 0
    for block in _blocks(arm, together):
        number += 1
        for op in block.ops:
            pieces[op] = number
            number += op in together or op in sweeps
    return pieces


def _in_pieces(op: Operation, pieces: Mapping[Operation, int]) -> Operation:
    """The op that has a number, which `op` stands in or is."""
    while op not in pieces:
        parent = op.parent_op()
        assert parent is not None
        op = parent
    return op


@dataclass
class _Sweeps:
    """Finds loops in which lanes take turns, and whose bodies need nothing of them but that."""

    arm: RegionOp
    divergence: DivergenceAnalysis
    integers: Integers

    def among(self, ops: Iterator[Operation]) -> dict[Operation, Sweep]:
        """The sweeps among `ops`."""
        if prod(self.arm.workgroup[1:]) > 1:
            return {}
        found = (self._sweep(op) for op in ops if isinstance(op, scf.ForOp))
        return {sweep.loop: sweep for sweep in found if sweep is not None}

    def _sweep(self, loop: scf.ForOp) -> Sweep | None:
        if loop.iter_args or integer_of(loop.step) != self.arm.workgroup[0]:
            return None
        if not self.divergence.is_shared(loop.ub) or any(map(_is_of_lane, ops_inside(loop.body))):
            return None
        if not all(map(self.divergence.is_shared, free_operands(loop.body))):
            return None
        return self._beginning_at(loop, loop.lb)

    def _beginning_at(self, loop: scf.ForOp, value: SSAValue) -> Sweep | None:
        """The sweep that begins at `value`, if that is the lane and what all lanes share."""
        if _is_lane(value):
            return Sweep(loop, None)
        if not isinstance(value.owner, arith.AddiOp) or self.integers.may_overflow(value.owner):
            return None
        for lane, offset in (value.owner.operands, reversed(value.owner.operands)):
            if _is_lane(lane) and self.divergence.is_shared(offset):
                return Sweep(loop, offset)
        return None


def _is_lane(value: SSAValue) -> bool:
    return isinstance(value.owner, LocalIdOp) and value.owner.axis.data == Axis.X


def _is_of_lane(op: Operation) -> bool:
    """Whether an op does by itself what only one lane does."""
    accesses = accesses_of(op)
    touches_own = any(is_private(access.buffer.type) for access in accesses)
    return touches_own or isinstance(op, LocalIdOp | InvocationIdOp)


class _Values:
    """Finds where values of lanes are kept."""

    def __init__(
        self,
        divergence: DivergenceAnalysis,
        pieces: Mapping[Operation, int],
        together: AbstractSet[Operation],
    ):
        self.slots = dict[SSAValue, Slot]()
        self._divergence = divergence
        self._pieces = pieces
        self._together = together

    def keep_merged(self, op: Operation) -> None:
        """Keep what comes out of a branch or loop that the workgroup goes through together."""
        if op not in self._together or not op.regions:
            return
        for number, result in enumerate(op.results):
            carried = op.body.block.args[1 + number] if isinstance(op, scf.ForOp) else result
            if self._divergence.is_shared(carried) and self._divergence.is_shared(result):
                continue
            slot = self._new_slot(result if result.name_hint else carried)
            self.slots[result] = self.slots[carried] = slot

    def keep_crossing(self, op: Operation) -> None:
        """Keep what an op of a lane computes, if another piece needs it, and it is not cheap."""
        for result in op.results:
            if self._divergence.is_shared(result) or not self._is_crossing(op, result):
                continue
            if not self._is_recomputed(result):
                self.slots[result] = self._new_slot(result)

    def _new_slot(self, value: SSAValue) -> Slot:
        return Slot(value.type, value.name_hint or "value")

    def _is_crossing(self, op: Operation, result: SSAValue) -> bool:
        users = (_in_pieces(use.operation, self._pieces) for use in result.uses)
        return any(self._pieces[user] != self._pieces[op] for user in users)

    def _is_recomputed(self, value: SSAValue) -> bool:
        """Whether few ops compute `value` of what all pieces know."""
        pending, seen, left = [value], set[Operation](), MAX_RECOMPUTED_OPS
        while pending:
            each = pending.pop()
            if self._divergence.is_shared(each) or each in self.slots or each.owner in seen:
                continue
            op = each.owner
            if isinstance(op, Block) or op.regions or not is_effect_free(type(op)):
                return False
            seen.add(op)
            left -= not isinstance(op, IdOp)
            if left < 0:
                return False
            pending.extend(op.operands)
        return True


def _refusal_of_slot(slot: Slot) -> Refusal | None:
    if element_bytes(slot.element_type) is not None:
        return None
    return Refusal(Reason.VALUE_TYPE, f"no buffer holds a {slot.type}, which is needed later on")


@dataclass
class _Copies:
    """Finds the private buffers that hold something of a lane while others run."""

    arm: RegionOp
    pieces: Mapping[Operation, int]
    together: AbstractSet[Operation]
    integers: Integers

    def refusal(self) -> Refusal | None:
        """Why lanes cannot have buffers of their own."""
        return first_of(
            _refusal_of_access(op, buffer, self.integers)
            for buffer, ops in self.lasting.items()
            for op in ops
        )

    @cached_property
    def lasting(self) -> dict[BufferOp, list[Operation]]:
        """The buffers of which each lane needs its own, and what accesses them."""
        users = dict[BufferOp, list[Operation]]()
        for op, buffer in self.arm.accesses():
            if buffer.type.space == MemorySpace.PRIVATE and accesses_of(op):
                users.setdefault(buffer, []).append(op)
        return {buffer: ops for buffer, ops in users.items() if not self._is_of_piece(ops)}

    def _is_of_piece(self, ops: Sequence[Operation]) -> bool:
        """Whether what a lane stores is never needed after another lane has run."""
        places = {self.pieces[_in_pieces(op, self.pieces)] for op in ops}
        around = (op for op in ops_around(ops[0]) if op in self.together)
        loop = next((op for op in around if isinstance(op, scf.ForOp)), None)
        return len(places) == 1 and (loop is None or EACH_ITEM in loop.attributes)


def _refusal_of_access(op: Operation, buffer: BufferOp, integers: Integers) -> Refusal | None:
    """Why an op cannot go to a copy of a buffer, or might not stay inside of it."""
    assert isinstance(op, HasAccessesInterface)
    for access in op.get_accesses():
        if access.buffer is not buffer.buffer:
            continue
        index, count = access.index, access.count
        if not isinstance(index, SSAValue) or not op.can_redirect(access):
            return _outlives(op, buffer, "cannot be told to go to a copy of it")
        if IN_BOUNDS in op.properties:
            continue
        place = integers.range_at(index, op.parent)
        end = (buffer.type.static_count or 0) - (count if isinstance(count, int) else place.high)
        if not isinstance(count, int) or place.low < 0 or place.high > end:
            return _outlives(op, buffer, "may lie outside of it")
    return None


def _outlives(op: Operation, buffer: BufferOp, why: str) -> Refusal:
    name = buffer.sym_name.data
    return Refusal(
        Reason.PRIVATE_MEMORY, f"'@{name}' lives across a barrier, and a '{op.name}' {why}"
    )
