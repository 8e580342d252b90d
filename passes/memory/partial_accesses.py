"""What is left of accesses of private memory that are known to be outside of it, or partly."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from vyre_dialect.analysis.integers import Integers
from vyre_dialect.builder import Value, constant
from vyre_dialect.ir.types import element_bytes, lane_count, scalar_type
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.memory import LoadOp, StoreOp
from vyre_dialect.passes.rewriting.rewriters import building


def cut_partial_accesses(
    buffer: BufferOp, users: Sequence[Operation], integers: Integers, rewriter: PatternRewriter
) -> None:
    """
    Replace loads and stores at known places that are not all inside of a buffer by those of the
    elements that are: what is stored outside is dropped, and zeros are loaded from there.
    """
    size = buffer.type.static_count
    for op in users:
        if size is None or not isinstance(op, LoadOp | StoreOp) or not _has_lanes(op, buffer):
            continue
        index = integers.range_at(op.index, op.parent)
        lanes = range(lane_count(op.value.type))
        if index.low != index.high:
            continue
        inside = [lane for lane in lanes if 0 <= index.low + lane < size]
        if len(inside) < len(lanes):
            _cut(op, index.low, inside, rewriter)


def _has_lanes(op: LoadOp | StoreOp, buffer: BufferOp) -> bool:
    """Whether each lane is an element of the buffer."""
    own = element_bytes(scalar_type(op.value.type))
    return own is not None and own == element_bytes(buffer.type.element_type)


def _cut(
    op: LoadOp | StoreOp, index: int, inside: Sequence[int], rewriter: PatternRewriter
) -> None:
    type = op.value.type
    with building(rewriter, InsertPoint.before(op)):
        places = {lane: constant(index + lane).ssa for lane in inside}
        if isinstance(op, StoreOp):
            for lane, place in places.items():
                StoreOp(Value(op.value).lane(lane).ssa, op.buffer, place)
            rewriter.erase(op)
            return
        loaded = constant(0, type)
        for lane, place in places.items():
            one = LoadOp(op.buffer, place, scalar_type(type)).value
            loaded = loaded.with_lane(lane, Value(one))
    rewriter.replace(op, [], [loaded.ssa])
