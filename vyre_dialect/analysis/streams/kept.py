"""What pieces hand on to each other: buffers of which there is one for all of the input."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import TypeAlias

from xdsl.ir import SSAValue

from vyre_dialect.analysis.streams.evaluation import ArmEffects
from vyre_dialect.analysis.streams.plan import Turn
from vyre_dialect.analysis.streams.refusal import Refusal
from vyre_dialect.ir.effects import buffers_touched
from vyre_dialect.ir.interfaces import AccessKind, HasAccessesInterface
from vyre_dialect.ir.types import AtomicKind, MemorySpace
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.invocation import TrapOp
from vyre_dialect.ops.program import ProgramOp, RegionOp

_Update: TypeAlias = tuple[HasAccessesInterface, int]
"""An access: its op, and its place among those of the op."""


def kept_buffers(moving: Iterable[RegionOp], cut: AbstractSet[BufferOp]) -> set[BufferOp]:
    """Buffers that arms write that are cut, though they are not cut themselves."""
    kept = set[BufferOp]()
    for arm in moving:
        for value, kinds in buffers_touched(arm.body).items():
            if AccessKind.WRITE in kinds and (buffer := _global(value)) is not None:
                kept.add(buffer)
    return kept - cut


def turns_of(
    program: ProgramOp, moving: AbstractSet[RegionOp], kept: AbstractSet[BufferOp]
) -> dict[RegionOp, Turn] | Refusal:
    """
    Which pieces each arm runs on. An arm that is not cut, and works on what pieces hand on, runs on
    the first piece or on the last; refused where it would have to run between them.
    """
    turns, ended = dict[RegionOp, Turn](), set[BufferOp]()
    arms = list(program.arms())
    for place, arm in enumerate(arms):
        touched = _touched(arm)
        late = touched.keys() & ended
        if arm in moving:
            if late:
                return _between(arm, late)
            turns[arm] = Turn.EVERY
            continue
        shared = touched.keys() & kept
        behind = _all_touched(each for each in arms[place + 1 :] if each in moving)
        before = _all_touched(each for each in arms[:place] if each in moving)
        written = {buffer for buffer, kinds in touched.items() if AccessKind.WRITE in kinds}
        if not shared and not late:
            turns[arm] = Turn.EVERY
        elif not late and not shared & before and written <= kept:
            turns[arm] = Turn.FIRST
        elif not (shared | written) & behind:
            turns[arm] = Turn.LAST
            ended |= written
        else:
            return _between(arm, shared | late)
    return turns


def _between(arm: RegionOp, buffers: Collection[BufferOp]) -> Refusal:
    name = min(buffer.sym_name.data for buffer in buffers)
    return Refusal(
        arm, f"of '{arm.generator.data}' needs '@{name}', which is complete behind the last piece"
    )


def _global(value: SSAValue) -> BufferOp | None:
    owner = value.owner
    if not isinstance(owner, BufferOp) or owner.type.space != MemorySpace.GLOBAL:
        return None
    return owner


def _touched(arm: RegionOp) -> dict[BufferOp, frozenset[AccessKind]]:
    found = ((_global(value), kinds) for value, kinds in buffers_touched(arm.body).items())
    return {buffer: kinds for buffer, kinds in found if buffer is not None}


def _all_touched(arms: Iterable[RegionOp]) -> set[BufferOp]:
    return {buffer for arm in arms for buffer in _touched(arm)}


def merges_of(
    kept: AbstractSet[BufferOp],
    moving: AbstractSet[RegionOp],
    effects: Iterable[tuple[RegionOp, ArmEffects]],
) -> Mapping[BufferOp, str | None] | Refusal:
    """
    What pieces hand on, each buffer with how parts of it combine that were made apart, or None
    where each piece has to take it from the one before. What arms only report bad input in is not
    handed on. Refused for a buffer that several arms work on in an order.
    """
    updates = dict[BufferOp, dict[_Update, RegionOp]]()
    for arm, each in effects:
        for update in each.kept:
            updates.setdefault(_updated(update), {})[update] = arm
    merges = dict[BufferOp, str | None]()
    for buffer in sorted(kept & updates.keys(), key=lambda each: each.sym_name.data):
        if all(isinstance(op, TrapOp) for op, _ in updates[buffer]):
            continue
        merge = _merge(buffer, updates[buffer], moving)
        if isinstance(merge, Refusal):
            return merge
        merges[buffer] = merge
    return merges


def _updated(update: _Update) -> BufferOp:
    op, place = update
    owner = op.get_accesses()[place].buffer.owner
    assert isinstance(owner, BufferOp)
    return owner


def _merge(
    buffer: BufferOp, updates: Mapping[_Update, RegionOp], moving: AbstractSet[RegionOp]
) -> str | Refusal | None:
    """Each arm keeps an order of its own; arms that are not cut run before or behind all others."""
    ordered = {update: arm for update, arm in updates.items() if arm in moving}
    accesses = [op.get_accesses()[place] for op, place in ordered]
    first = accesses[0]
    if all(first.commutes_with(each) for each in accesses):
        is_apart = len(ordered) == len(updates) and isinstance(first.combiner, AtomicKind)
        return str(first.combiner) if is_apart else None
    if len(set(ordered.values())) > 1:
        op = next(op for op, place in ordered if not first.commutes_with(op.get_accesses()[place]))
        return Refusal(
            op, f"and others work on '@{buffer.sym_name.data}' in an order that pieces do not keep"
        )
    return None
