"""
Promotion of a handoff that only one arm touches: what its workgroups, or its invocations, hand
to themselves need not leave them.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.builder import ImplicitBuilder
from xdsl.ir import Block, Operation
from xdsl.rewriter import Rewriter

from vyre_dialect.builder import barrier, constant, invocation_id, local_id, workgroup_id
from vyre_dialect.interfaces import AccessKind
from vyre_dialect.ops.invocation import BarrierOp
from vyre_dialect.ops.program import BufferOp, RegionOp
from vyre_dialect.passes.analysis.access_relations import AccessRelation, ArmAccesses
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.counterexamples import unordered_read
from vyre_dialect.passes.fusion.tiling.legality import require_no_wide_collisions
from vyre_dialect.passes.fusion.tiling.options import Options
from vyre_dialect.passes.fusion.tiling.promotion import Promotion, detached
from vyre_dialect.passes.fusion.tiling.refusal import Reason, Refused
from vyre_dialect.passes.fusion.tiling.tiles import (
    Share,
    TileSpace,
    Window,
    fit_window,
    slope_of,
)
from vyre_dialect.types import BufferType, MemorySpace, element_bytes


def in_arm_promotion(
    analysis: ProgramAnalysis, handoff: BufferOp, arm: RegionOp | None, options: Options
) -> Callable[[], None]:
    """
    What moves `handoff`, which no arm but `arm` touches, out of global memory; raises Refused.

    Nothing is to be proved of a buffer that no arm touches at all.
    """
    if arm is None:
        _require_room_for_untouched(analysis, handoff, options)
        return lambda: _promote_untouched(handoff)
    promotion = _InArm(analysis, handoff, arm, options)
    window = promotion.proved_window()
    return lambda: promotion.apply(window)


def _require_room_for_untouched(
    analysis: ProgramAnalysis, handoff: BufferOp, options: Options
) -> None:
    size = handoff.type.static_bytes
    if size is None:
        raise Refused(Reason.UNSIZED, "only a static count can be kept in workgroup memory")
    others = sum(
        buffer.type.static_bytes or 0
        for buffer in analysis.program.buffers()
        if buffer.type.space == MemorySpace.WORKGROUP and not analysis.users(buffer).arms
    )
    options.require_budget(size + others, MemorySpace.WORKGROUP)


def _promote_untouched(handoff: BufferOp) -> None:
    type = BufferType(
        handoff.type.count,
        handoff.type.element_type,
        handoff.type.access,
        MemorySpace.WORKGROUP,
    )
    tile = BufferOp(handoff.sym_name.data, type)
    tile.attributes.update(handoff.attributes)
    tile.location = handoff.location
    Rewriter.replace_op(handoff, tile)


class _InArm:
    def __init__(
        self, analysis: ProgramAnalysis, handoff: BufferOp, arm: RegionOp, options: Options
    ):
        self.analysis = analysis
        self.handoff = handoff
        self.arm = arm
        self.options = options
        self.accesses: ArmAccesses = analysis.accesses(arm)
        self.tiles = TileSpace(analysis.symbols)
        self.is_private = arm.is_data_parallel
        size = 1 if self.is_private else arm.workgroup[0]
        self.share: Share = self.tiles.share(self.accesses, size)
        self.order = {op: place for place, op in enumerate(arm.body.walk())}

    def proved_window(self) -> Window:
        """The window of the tiles, once everything is proved."""
        self._require_simple()
        for read in self.accesses.reads_of(self.handoff):
            self._require_written_before(read)
        if len(self._overhanging()) > 1 and not self._is_whole_buffer():
            raise Refused(
                Reason.NOT_COVERED, "what is stored past the end would be read from the tile"
            )
        self._colliding()
        window = self._window()
        self.options.require_budget(self._bytes(window), self.space)
        return window

    @property
    def space(self) -> MemorySpace:
        return MemorySpace.PRIVATE if self.is_private else MemorySpace.WORKGROUP

    def apply(self, window: Window) -> None:
        """Replace the handoff by tiles."""
        windows = {self.handoff: window}
        promotion = Promotion(self.analysis, windows, self.space, self._colliding())
        prelude = Block()
        with ImplicitBuilder(prelude):
            tile = invocation_id() if self.is_private else workgroup_id()
            promotion.compute_bases(tile.named("tile"))
            if self._overhanging() and not self._is_whole_buffer():
                lane = constant(0) if self.is_private else local_id().named("lane")
                promotion.zero_outside(self.handoff, lane, self.share.count)
                if not self.is_private:
                    barrier()
        for access in self.accesses.to(self.handoff):
            promotion.redirect(access, access.op, self.share.spread)
        body = self.arm.body.block
        first = body.first_op
        assert first is not None
        body.insert_ops_before(detached(prelude), first)
        promotion.erase_handoffs()
        self._order_tiles()
        self.analysis.replaced([self.arm], self.arm)

    def _order_tiles(self) -> None:
        """Let the barriers that ordered the handoff order its tile, too."""
        for op in self.arm.body.walk():
            if isinstance(op, BarrierOp) and _orders_global(op):
                op.memory_space = None

    def _require_simple(self) -> None:
        if len(self.arm.domain) != 1:
            raise Refused(
                Reason.UNSUPPORTED_DOMAIN,
                f"'{self.arm.generator.data}' has {len(self.arm.domain)} axes",
            )
        for access in self.accesses.to(self.handoff):
            if access.kind == AccessKind.UPDATE:
                raise Refused(
                    Reason.READS_INITIAL_CONTENTS,
                    f"'{self.arm.generator.data}' updates the handoff atomically",
                    cause=access.op,
                )
            if access.reach is None or (access.writes and not access.exact):
                raise Refused(
                    Reason.NON_AFFINE,
                    f"'{self.arm.generator.data}' touches elements that cannot be told in advance",
                    cause=access.cause,
                )

    def _require_written_before(self, read: AccessRelation) -> None:
        """
        Every element that an invocation reads was written before, by itself, or by its
        workgroup on the other side of a barrier.
        """
        assert read.touched is not None
        writes = [
            access
            for access in self.accesses.writes_to(self.handoff)
            if self._precedes(access.op, read.op)
        ]
        left = read.touched.subtract(self.accesses.touched(writes))
        left = left.intersect_params(self.analysis.symbols.ranges())
        if left.is_empty():
            return
        ordered = [write for write in writes if self._barrier_between(write.op, read.op)]
        shared = self.share.runs.apply_range(self.accesses.touched(ordered))
        missing = self.share.runs.apply_range(left).subtract(shared)
        if not missing.is_empty():
            writes = self.accesses.writes_to(self.handoff)
            raise unordered_read(self.analysis, self.share, read, left, missing, writes)

    def _precedes(self, write: Operation, read: Operation) -> bool:
        """Whether the write stands before the read, and no loop leads back between them."""
        if self.order[write] > self.order[read]:
            return False
        return _loops_around(write).isdisjoint(_loops_around(read))

    def _barrier_between(self, write: Operation, read: Operation) -> bool:
        return any(
            isinstance(op, BarrierOp)
            and _orders_global(op)
            and self.order[write] < self.order[op] < self.order[read]
            for op in self.arm.body.block.ops
        )

    def _window(self) -> Window:
        count = self.handoff.type.static_count
        if count is not None and self._is_whole_buffer():
            return Window(self.tiles.constant(0), count)
        reads = self.accesses.reads_of(self.handoff)
        slope = slope_of(reads)
        window = None
        if slope is not None and not slope.per_parameter:
            step = slope.per_invocation * self.share.count
            window = fit_window(self.tiles, self.share.reached(reads), step, ())
        if window is None:
            raise Refused(
                Reason.CROSS_WORKGROUP,
                f"what a tile reads of '@{self.handoff.sym_name.data}' has no constant extent",
            )
        return window

    def _bytes(self, window: Window) -> int:
        """Bytes that the arm keeps in the tiles' memory space, the new tile included."""
        present = {buffer for _, buffer in self.arm.accesses() if buffer.type.space == self.space}
        element = element_bytes(self.handoff.type.element_type) or 0
        return window.extent * element + sum(buffer.type.static_bytes or 0 for buffer in present)

    def _colliding(self) -> set[BufferOp]:
        if self.is_private or self._is_whole_buffer():
            return set()
        return require_no_wide_collisions(self.accesses, [self.handoff], runs_beyond=False)

    def _is_whole_buffer(self) -> bool:
        """Whether the tile of the one workgroup is just as long as the handoff."""
        one_workgroup = not self.is_private and self.arm.domain[0] == self.arm.workgroup[0]
        return one_workgroup and self.handoff.type.static_count is not None

    def _overhanging(self) -> set[AccessKind]:
        """Which kinds of access may lie outside the handoff."""
        ranges = self.analysis.symbols.ranges()
        return {
            access.kind
            for access in self.accesses.to(self.handoff)
            if not access.stays_inside(ranges)
        }


def _orders_global(barrier: BarrierOp) -> bool:
    return barrier.memory_space is None or barrier.memory_space.data == MemorySpace.GLOBAL


def _loops_around(op: Operation) -> set[Operation]:
    """The ops with regions around `op` that may run their regions more than once."""
    found = set[Operation]()
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, RegionOp):
        if parent.name in ("scf.for", "scf.while"):
            found.add(parent)
        parent = parent.parent_op()
    return found
