"""Numbers that are all lanes of a vector combined, however the lanes were paired."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import vector
from xdsl.dialects.builtin import VectorType
from xdsl.ir import Operation, SSAValue

from vyre_dialect.ir.types import lane_count

MOST_LANES = 64
"""Lanes of the vectors that are looked for."""


def reduced_vector(value: SSAValue, combination: type[Operation]) -> SSAValue | None:
    """
    The vector all of whose lanes, each once, `value` combines by ops of one class that are
    associative and commutative; None if it is not known to be that of any.
    """
    leaves = _leaves(value, combination)
    taken = [each.owner for each in leaves if isinstance(each.owner, vector.ExtractOp)]
    sources = {each.vector for each in taken}
    if len(sources) != 1 or len(taken) < len(leaves):
        return None
    (source,) = sources
    if not _are_all([lane for each in taken for lane in taken_lanes(each)], source):
        return None
    while (wider := _halved(source, combination)) is not None:
        source = wider
    return source


def _leaves(value: SSAValue, combination: type[Operation]) -> list[SSAValue]:
    """What a tree of ops of one class combines; nothing if that is more than lanes of a vector."""
    leaves, pending = list[SSAValue](), [value]
    while pending and len(leaves) + len(pending) <= MOST_LANES:
        each = pending.pop()
        if isinstance(each.owner, combination):
            pending += each.owner.operands
        else:
            leaves.append(each)
    return [] if pending else leaves


def taken_lanes(op: vector.ExtractOp) -> Sequence[int]:
    """The lane that is taken, if that is a number, of a vector of one axis."""
    type, lanes = op.vector.type, op.static_position.get_values()
    assert isinstance(type, VectorType)
    return () if op.dynamic_position or len(type.get_shape()) != 1 else lanes


def _halved(value: SSAValue, combination: type[Operation]) -> SSAValue | None:
    """The vector of whose lanes, each once, an op of a class combines one half with the other."""
    owner = value.owner
    if not isinstance(owner, combination):
        return None
    halves = [operand.owner for operand in owner.operands]
    shuffles = [each for each in halves if isinstance(each, vector.ShuffleOp)]
    if len(shuffles) != len(halves):
        return None
    source = shuffles[0].v1
    lanes = [lane for each in shuffles for lane in each.mask.get_values()]
    if any(each.v1 is not source for each in shuffles) or not _are_all(lanes, source):
        return None
    return source


def _are_all(lanes: Sequence[int], of: SSAValue) -> bool:
    """Whether lanes are all those of a vector, each once."""
    return sorted(lanes) == list(range(lane_count(of.type)))
