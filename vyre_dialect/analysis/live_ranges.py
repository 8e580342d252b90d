"""Over which ops of a program buffers are alive, and what must hold where they share an arena."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException


@dataclass(frozen=True)
class BufferLiveRange:
    """A buffer is alive over the ops `[begin, end)` of its program, by program points."""

    begin: int
    end: int
    last: Operation | None
    """The op that touches it last."""

    @property
    def is_empty(self) -> bool:
        """Whether the buffer is never touched: it needs no place in an arena."""
        return self.begin == self.end


def program_points(block: Block) -> Mapping[Operation, int]:
    """The program point of each op of a block."""
    return {op: point for point, op in enumerate(block.ops)}


def live_range_of(
    buffer: SSAValue, points: Mapping[Operation, int], *, is_given: bool
) -> BufferLiveRange:
    """
    The live range of a global buffer declared among the ops of `points`.

    One with contents from the start lives from its declaration, another from the first op that
    touches it. An arm counts as a whole, and to ask for a length is not to touch.
    """
    declaration = buffer.owner
    assert isinstance(declaration, Operation)
    declared = points[declaration]
    users = (use.operation for use in buffer.uses if not use.operation.has_trait(Pure))
    touching = [_around(user, points) for user in users]
    if not touching:
        return BufferLiveRange(declared, declared + is_given, None)
    last = max(touching, key=points.__getitem__)
    begin = declared if is_given else min(map(points.__getitem__, touching))
    return BufferLiveRange(begin, points[last] + 1, last)


def point_of(op: Operation, points: Mapping[Operation, int]) -> int:
    """The point of the op among those of `points` that `op` is, or stands in."""
    return points[_around(op, points)]


def _around(op: Operation, points: Mapping[Operation, int]) -> Operation:
    """The op among those of `points` that `op` is, or stands in."""
    while op not in points:
        parent = op.parent_op()
        assert parent is not None
        op = parent
    return op


@dataclass(frozen=True)
class Placement:
    """A buffer at a place in an arena: `size` bytes from `offset` on."""

    name: str
    live_range: BufferLiveRange
    offset: int
    size: int

    @property
    def end(self) -> int:
        """The byte after its last."""
        return self.offset + self.size


def verify_placements(
    placements: Sequence[Placement], arena_bytes: int, program: Operation
) -> None:
    """Raise VerifyException where buffers alive at once share bytes, or one leaves the arena."""
    alive = list[Placement]()
    for each in sorted(placements, key=lambda each: each.live_range.begin):
        if each.end > arena_bytes:
            raise VerifyException(
                f"'{program.name}' expected an arena of at least {each.end} bytes for "
                f"'@{each.name}', got {arena_bytes}"
            )
        if each.live_range.is_empty:
            continue
        alive = [other for other in alive if other.live_range.end > each.live_range.begin]
        for other in alive:
            _verify_apart(other, each, program)
        alive.append(each)


def _verify_apart(earlier: Placement, later: Placement, program: Operation) -> None:
    begin, end = max(earlier.offset, later.offset), min(earlier.end, later.end)
    if begin >= end:
        return
    first = list(program.regions[0].block.ops)[later.live_range.begin]
    raise VerifyException(
        f"'{program.name}' expected buffers that live at once apart, got '@{earlier.name}' and "
        f"'@{later.name}' both at bytes [{begin}, {end}) of the arena in {_name(first)}"
    )


def _name(op: Operation) -> str:
    name = op.properties.get("generator") or op.properties.get("kernel")
    return f"'{op.name}'" if name is None else f"'{op.name}' {name}"
