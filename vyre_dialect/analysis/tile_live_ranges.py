"""When workgroup buffers of a kernel are alive, so that others may have their bytes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Self

from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import Pure

from vyre_dialect.analysis.live_ranges import BufferLiveRange, point_of, program_points
from vyre_dialect.analysis.manager import Analysis, AnalysisManager
from vyre_dialect.ir.interfaces import OrdersMemoryInterface
from vyre_dialect.ir.traversal import last_op_of
from vyre_dialect.ir.types import MemorySpace, TokenType
from vyre_dialect.ops.buffer import BufferOp

TILE_ALIGNMENT = 128
"""Bytes: what the widest type of OpenCL C asks for."""


class TileLiveRanges(Analysis):
    """
    When each workgroup buffer of a kernel is alive, by the points of ops in its body.

    A buffer is alive from the first op that touches it to the barrier after the last: only from
    there on no invocation has it still to do with. A barrier within a loop or a branch counts for
    nothing, as a workgroup may not come to it, and what a loop touches is alive over all of it.
    """

    def __init__(self, block: Block):
        points = program_points(block)
        barriers = [point for op, point in points.items() if _orders_tiles(op)]
        self._of_tiles = dict[BufferOp, BufferLiveRange]()
        for op in block.ops:
            if isinstance(op, BufferOp) and op.type.space == MemorySpace.WORKGROUP:
                touching = sorted(point_of(user, points) for user in _users(op.buffer, block))
                self._of_tiles[op] = _live_range(touching, barriers, len(points))

    @classmethod
    def of_scope(cls, scope: Operation, facts: AnalysisManager) -> Self:
        """The workgroup buffers of a kernel."""
        return cls(scope.regions[0].block)

    def of(self, tile: BufferOp) -> BufferLiveRange:
        """When a workgroup buffer of the kernel is alive."""
        return self._of_tiles[tile]


def _live_range(touching: list[int], barriers: list[int], end: int) -> BufferLiveRange:
    if not touching:
        return BufferLiveRange(0, 0, None)
    following = bisect_right(barriers, touching[-1])
    return BufferLiveRange(
        touching[0], barriers[following] if following < len(barriers) else end, None
    )


def _orders_tiles(op: Operation) -> bool:
    if not isinstance(op, OrdersMemoryInterface) or op.operands:
        return False  # what waits for the copy that it is given waits for no invocation
    return MemorySpace.WORKGROUP in op.ordered_spaces


def _users(buffer: SSAValue, block: Block) -> Iterator[Operation]:
    """What touches a buffer; a copy does until it has been waited for."""
    for use in buffer.uses:
        user = use.operation
        if user.has_trait(Pure):
            continue
        yield user
        tokens = (result for result in user.results if isinstance(result.type, TokenType))
        for wait in (use.operation for token in tokens for use in token.uses):
            # A token that goes elsewhere may be waited for at any time.
            yield wait if isinstance(wait, OrdersMemoryInterface) else last_op_of(block)
