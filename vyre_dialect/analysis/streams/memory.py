"""Accesses of a piece: to elements that are cut along, and to what pieces hand on to each other."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from vyre_dialect.analysis.streams.drift import Drift, drift, fixed, is_bounded
from vyre_dialect.analysis.streams.evaluation import (
    BufferFacts,
    Evaluation,
    Extent,
    described,
)
from vyre_dialect.analysis.value_ranges import Range
from vyre_dialect.ir.interfaces import BufferAccess, HasAccessesInterface
from vyre_dialect.ops.buffer import BufferOp


def access(ev: Evaluation, op: HasAccessesInterface) -> None:
    """Evaluate an op that touches elements; refuses one that a piece would not do alike."""
    places = dict[int, BufferAccess]()
    causes = list[Operation]()
    for number, each in enumerate(op.get_accesses()):
        if each.writes:
            ev.require_sure(op)
        causes.extend(_sorted_out(ev, op, number, each, places))
    for operand in range(len(op.operands)):
        if operand not in places and (cause := ev.as_data(op, operand)) is not None:
            causes.append(cause)
    for operand, each in places.items():
        causes.extend(_cut(ev, op, operand, each))
    if causes and any(each.writes for each in op.get_accesses()):
        ev.refuse(op, f"takes what {described(causes[0])}")
    for result in op.results:
        ev.known[result] = fixed(ev.range_of(result), causes[0] if causes else None)


def _sorted_out(
    ev: Evaluation,
    op: HasAccessesInterface,
    number: int,
    access: BufferAccess,
    places: dict[int, BufferAccess],
) -> list[Operation]:
    """Note an access to what is cut by its operand; what one to other buffers makes unknown."""
    facts = _facts(ev, access)
    if facts is None:
        return []
    if not facts.moves:
        return _kept(ev, op, number, access, facts)
    if (operand := _operand(op, access)) is None:
        ev.refuse(op, f"does not say by an index where it touches '@{_name(access)}'")
        return []
    places[operand] = access
    return []


def _facts(ev: Evaluation, access: BufferAccess) -> BufferFacts | None:
    """What is known of a global buffer; None of memory that lives as long as a workgroup."""
    owner = access.buffer.owner
    return ev.buffers.get(owner) if isinstance(owner, BufferOp) else None


def _operand(op: HasAccessesInterface, access: BufferAccess) -> int | None:
    """The operand that says where an access begins, if one does: the one behind the buffer."""
    for place, (buffer, index) in enumerate(zip(op.operands, op.operands[1:], strict=False), 1):
        if buffer is access.buffer and index is access.index:
            return place
    return None


def _name(access: BufferAccess) -> str:
    owner = access.buffer.owner
    assert isinstance(owner, BufferOp)
    return owner.sym_name.data


def _kept(
    ev: Evaluation,
    op: HasAccessesInterface,
    number: int,
    access: BufferAccess,
    facts: BufferFacts,
) -> list[Operation]:
    """An access to a buffer of which there is one for all pieces; what it makes unknown."""
    if access.writes:
        ev.scope.effects.kept.append((op, number))
        return []
    return [op] if facts.kept and not ev.scope.is_complete else []


def _cut(
    ev: Evaluation, op: HasAccessesInterface, operand: int, access: BufferAccess
) -> list[Operation]:
    """An access to a buffer that is cut; what it makes unknown."""
    owner = access.buffer.owner
    assert isinstance(owner, BufferOp)
    facts, index = ev.buffers[owner], ev.of(op.operands[operand])
    count = _count(ev, access)
    unit, name = facts.length.begin, owner.sym_name.data
    if count is None:
        ev.refuse(op, f"does not say how many elements of '@{name}' it touches")
        return []
    if access.writes:
        is_at_place = (index.begin, index.end, index.cause) == (unit, 0, None)
        if not is_at_place or index.wraps or not is_bounded(index.rest):
            ev.refuse(op, *_misplaced(index, unit, name, "writes"))
            return []
        _note_write(ev, owner, index, count)
    if not access.reads:
        return []
    if _is_in_reach(ev, index, count, facts):
        return []
    if ev.scope.arm is None or index.cause is not None:
        return [index.cause or op]
    ev.refuse(op, *_misplaced(index, unit, name, "reads"))
    return []


def _count(ev: Evaluation, access: BufferAccess) -> int | None:
    """The most elements that an access covers, where there is a most."""
    count = access.count
    if isinstance(count, SSAValue) and is_bounded(range_ := ev.of(count).rest):
        return range_.high
    return count if isinstance(count, int) else None


def _note_write(ev: Evaluation, buffer: BufferOp, index: Drift, count: int) -> None:
    ev.scope.effects.writes.append(Extent(buffer, index.rest.low, index.rest.high + count - 1))


def _is_in_reach(ev: Evaluation, index: Drift, count: int, facts: BufferFacts) -> bool:
    """Whether an element is the same in a piece, far enough from the ends that were cut."""
    unit, piece, bounds = facts.length.begin, ev.piece, ev.scope.bounds
    is_placed = index.begin == unit or piece.begins
    if not is_placed or index.wraps or index.cause is not None:
        return False
    if index.end and not piece.ends:
        return False
    if not piece.begins and not bounds.at_least(index, unit * facts.before):
        return False
    if piece.ends:
        return True
    last = index.plus(fixed(Range(count - 1, count - 1)))
    valid = drift(unit, unit, Range(-unit * facts.after, -unit * facts.after))
    return all(bounds.at_least(end.plus(last, -1), 1) for end in (valid, facts.length))


def _misplaced(index: Drift, unit: int, name: str, does: str) -> tuple[str, str]:
    """Why an access does not follow a piece, and an example of two places."""
    if index.cause is not None:
        return f"{does} '@{name}' at an index that {described(index.cause)}", ""
    if index.is_fixed:
        return (
            f"{does} '@{name}' at an index that does not depend on the invocation",
            f"in a piece from element {unit} on, element {max(index.rest.low, 0)} is element "
            f"{unit + max(index.rest.low, 0)} of all",
        )
    if index.begin != unit and not index.end:
        return (
            f"{does} '@{name}' {index.begin} elements further for each unit of the input, which "
            f"is {unit} elements of it",
            f"in the second unit it {does} element {index.begin + max(index.rest.low, 0)}, which "
            f"is not in the second unit of '@{name}'",
        )
    if index.end:
        return f"{does} '@{name}' from its end on", "the end of a piece is not the end of all"
    return f"{does} '@{name}' as far away as its data say", ""
