"""
Plans one fusion: which arms share tiles, through which windows of which handoffs.

A plan is only ever returned after `legality` has proved it; otherwise planning raises Refused.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import islpy as isl

from vyre_dialect.ops.program import BufferOp, RegionOp
from vyre_dialect.passes.analysis.access_relations import ArmAccesses
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.cost import require_few_bytes, require_little_repetition
from vyre_dialect.passes.fusion.tiling.legality import (
    is_repeated,
    may_run_beyond,
    require_coverage,
    require_every_effect,
    require_harmless_repetition,
    require_no_uniform_reads,
    require_no_wide_collisions,
    require_order,
)
from vyre_dialect.passes.fusion.tiling.options import Options
from vyre_dialect.passes.fusion.tiling.refusal import Reason, Refused
from vyre_dialect.passes.fusion.tiling.tiles import Share, TileSpace, Window, slope_of
from vyre_dialect.passes.fusion.tiling.windows import WindowFitter, bytes_of
from vyre_dialect.types import MemorySpace


@dataclass(frozen=True, eq=False)
class Group:
    """A producer, the consumers of its handoffs, and those handoffs."""

    producer: ArmAccesses
    consumers: list[ArmAccesses]
    handoffs: list[BufferOp]


@dataclass(frozen=True, eq=False)
class Plan:
    """A fusion that is proved legal."""

    space: MemorySpace
    """Where the tiles live: workgroup memory, or private to an invocation."""
    workgroup_size: int
    producer: Share
    consumers: list[Share]
    windows: dict[BufferOp, Window]
    guards_producer: bool
    """Whether producer invocations that do not exist must be kept from running."""
    producer_tiles: isl.PwAff | None
    """Tiles that the producer's effects need; beyond them the consumers say how many."""
    overhangs: set[BufferOp]
    """Handoffs that are read outside their elements, where tiles must hold zeros."""
    colliding: set[BufferOp]
    """Handoffs outside of which stores would meet in a tile, unless they are guarded."""

    @property
    def arms(self) -> list[RegionOp]:
        """The arms that become one, in program order."""
        return [self.producer.arm.arm, *(share.arm.arm for share in self.consumers)]

    @property
    def is_exact(self) -> bool:
        """Whether there are just as many tiles as the one consumer has shares."""
        return self.producer_tiles is None and len(self.consumers) == 1


def plan(analysis: ProgramAnalysis, group: Group, options: Options) -> Plan:
    """
    The best legal plan for `group` under `options`.

    Raises Refused with the reason that matters most: the one of the strategy tried last.
    """
    for handoff in group.handoffs:
        for consumer in group.consumers:
            require_coverage(analysis, handoff, group.producer, consumer)
    planner = _Planner(analysis, group, options)
    if options.strategy == "private":
        return planner.private()
    if options.strategy == "workgroup" or options.tile:
        return planner.workgroup()
    try:
        return planner.private(only_if_cheap=True)
    except Refused:
        return planner.workgroup()


@dataclass(frozen=True)
class _Tiling:
    """Where tiles live, and how many invocations share one."""

    space: MemorySpace
    workgroup_size: int
    first_share: int
    """Invocations of the first consumer per tile."""
    only_if_cheap: bool = False


class _Planner:
    """Tries the ways to tile one group."""

    def __init__(self, analysis: ProgramAnalysis, group: Group, options: Options):
        self.analysis = analysis
        self.group = group
        self.options = options
        self.tiles = TileSpace(analysis.symbols)
        self.fitter = WindowFitter(analysis, self.tiles, group.producer)

    def private(self, *, only_if_cheap: bool = False) -> Plan:
        """A tile per consumer invocation, in private values."""
        cooperative = self._cooperative_consumers()
        if cooperative and len(self.group.consumers) > 1:
            raise Refused(
                Reason.MISMATCHED_TILES,
                "a cooperative consumer shares no invocations with another",
                consumer=cooperative[0].arm,
            )
        for consumer in cooperative:
            require_no_uniform_reads(consumer, self.group.handoffs)
        size = self.group.consumers[0].arm.workgroup[0]
        return self._planned(_Tiling(MemorySpace.PRIVATE, size, 1, only_if_cheap))

    def workgroup(self) -> Plan:
        """A tile per workgroup, in workgroup memory; the largest that fits the budget."""
        first = self.group.consumers[0]
        cooperative = self._cooperative_consumers()
        if len(cooperative) > 1:
            raise Refused(
                Reason.MISMATCHED_TILES,
                "only one cooperative consumer can say how its workgroup is laid out",
                consumer=cooperative[1].arm,
            )
        if cooperative:
            size = cooperative[0].arm.workgroup[0]
            self._require_tile_of(cooperative[0], size)
            share = self._matching_share(cooperative[0], first, size)
            return self._planned(_Tiling(MemorySpace.WORKGROUP, size, share))
        if self.options.tile:
            share = self._share_of_tile(first)
            size = min(first.arm.workgroup[0], share)
            return self._planned(_Tiling(MemorySpace.WORKGROUP, size, share))
        return self._largest_that_fits(first.arm.workgroup[0])

    def _cooperative_consumers(self) -> list[ArmAccesses]:
        return [each for each in self.group.consumers if not each.is_data_parallel]

    def _largest_that_fits(self, size: int) -> Plan:
        refused: Refused | None = None
        while size:
            try:
                return self._planned(_Tiling(MemorySpace.WORKGROUP, size, size))
            except Refused as problem:
                if problem.reason not in (Reason.OVER_BUDGET, Reason.MISMATCHED_TILES):
                    raise
                if refused is None or problem.reason == Reason.OVER_BUDGET:
                    refused = problem
            size //= 2
        assert refused is not None
        raise refused

    def _require_tile_of(self, consumer: ArmAccesses, size: int) -> None:
        """Raise Refused if another tile was asked for than what `consumer` comes with."""
        tile = abs(size * self._step(consumer, self.group.handoffs[0]))
        if self.options.tile not in (0, tile):
            raise Refused(
                Reason.MISMATCHED_TILES,
                f"workgroups of a cooperative consumer read {tile} elements each, not the "
                f"{self.options.tile} asked for",
                consumer=consumer.arm,
            )

    def _share_of_tile(self, consumer: ArmAccesses) -> int:
        """How many invocations of `consumer` read one tile of the size that was asked for."""
        handoff = self.group.handoffs[0]
        step = self._step(consumer, handoff)
        share = abs(self.options.tile / step) if step else Fraction(0)
        if share.denominator != 1 or not share:
            raise Refused(
                Reason.MISMATCHED_TILES,
                f"a tile of {self.options.tile} elements is no whole number of invocations, "
                f"each of which reads {step} on average",
                consumer=consumer.arm,
            )
        return int(share)

    def _matching_share(self, pinned: ArmAccesses, other: ArmAccesses, size: int) -> int:
        """How many invocations of `other` read what `size` invocations of `pinned` read."""
        if pinned is other:
            return size
        handoff = self.group.handoffs[0]
        share = size * self._step(pinned, handoff) / self._step(other, handoff)
        if share.denominator != 1 or share <= 0:
            raise Refused(
                Reason.MISMATCHED_TILES,
                f"{size} invocations of one consumer read what {share} of another read",
                consumer=other.arm,
            )
        return int(share)

    def _step(self, consumer: ArmAccesses, handoff: BufferOp) -> Fraction:
        """By how many elements of `handoff` the reads of one invocation lie apart."""
        slope = slope_of(consumer.reads_of(handoff))
        if slope is None or not slope.per_invocation:
            raise Refused(
                Reason.CROSS_WORKGROUP,
                f"the reads of '@{handoff.sym_name.data}' do not move along with the invocations",
                consumer=consumer.arm,
            )
        return slope.per_invocation

    def _planned(self, tiling: _Tiling) -> Plan:
        first = self.group.consumers[0]
        consumers = [
            self.tiles.share(arm, self._matching_share(first, arm, tiling.first_share))
            for arm in self.group.consumers
        ]
        windows = {
            handoff: self.fitter.read_by(handoff, consumers) for handoff in self.group.handoffs
        }
        try:
            return self._proved(tiling, consumers, windows)
        except Refused as refused:
            if refused.reason != Reason.SIDE_EFFECTS:
                raise
            return self._planned_for_effects(tiling, consumers, windows, refused)

    def _planned_for_effects(
        self,
        tiling: _Tiling,
        consumers: list[Share],
        windows: dict[BufferOp, Window],
        refused: Refused,
    ) -> Plan:
        """The plan whose tiles run every producer invocation; raises `refused` without one."""
        widened = {handoff: self.fitter.widened(handoff, windows[handoff]) for handoff in windows}
        try:
            return self._proved(tiling, consumers, widened, for_effects=True)
        except Refused:
            raise refused from None

    def _proved(
        self,
        tiling: _Tiling,
        consumers: list[Share],
        windows: dict[BufferOp, Window],
        *,
        for_effects: bool = False,
    ) -> Plan:
        """The plan with these windows, with tiles for the effects of the producer if need be."""
        self._require_budget(tiling.space, windows, consumers)
        if tiling.only_if_cheap:
            require_few_bytes(windows)
        producer = self.fitter.filled_by(windows)
        if tiling.only_if_cheap:
            require_little_repetition(producer, self.group.consumers[0], windows)
        handoff, window = next(iter(windows.items()))
        producer_tiles = self.fitter.tiles_to_run_all(handoff, window) if for_effects else None
        producer = replace(producer, tiles=self._all_tiles(consumers, producer_tiles))
        self._prove(producer, consumers)
        guards_producer = self._guards(producer)
        colliding = set[BufferOp]()
        if tiling.space == MemorySpace.WORKGROUP:
            colliding = require_no_wide_collisions(
                producer.arm, self.group.handoffs, runs_beyond=not guards_producer
            )
        windows = self._roomy(tiling, producer, windows, consumers)
        return Plan(
            tiling.space,
            tiling.workgroup_size,
            producer,
            consumers,
            windows,
            guards_producer,
            producer_tiles,
            self._overhangs(consumers),
            colliding,
        )

    def _prove(self, producer: Share, consumers: list[Share]) -> None:
        promoted = self.group.handoffs
        require_every_effect(self.analysis, producer, promoted)
        phases = [producer, *consumers]
        for place, later in enumerate(phases):
            for earlier in phases[:place]:
                require_order(self.analysis, earlier, later, promoted)
        if is_repeated(producer, self.analysis.symbols.ranges()):
            require_harmless_repetition(producer, promoted)

    def _guards(self, producer: Share) -> bool:
        ranges = self.analysis.symbols.ranges()
        may_run = may_run_beyond(producer.arm, self.group.handoffs, ranges)
        return not (may_run and self.tiles.is_never_negative(producer.first))

    def _require_budget(
        self, space: MemorySpace, windows: dict[BufferOp, Window], consumers: list[Share]
    ) -> None:
        present = {
            buffer
            for arm in (self.group.producer, *(share.arm for share in consumers))
            for buffer in arm.buffers()
            if buffer.type.space == space
        }
        total = bytes_of(windows) + sum(buffer.type.static_bytes or 0 for buffer in present)
        self.options.require_budget(total, space)

    def _roomy(
        self,
        tiling: _Tiling,
        producer: Share,
        windows: dict[BufferOp, Window],
        consumers: list[Share],
    ) -> dict[BufferOp, Window]:
        """The windows grown to hold all that the producer's share writes, if that may be."""
        roomy = {
            handoff: self.fitter.holding_writes(handoff, window, producer)
            for handoff, window in windows.items()
        }
        try:
            self._require_budget(tiling.space, roomy, consumers)
            if tiling.only_if_cheap:
                require_few_bytes(roomy)
        except Refused:
            return windows
        return roomy

    def _overhangs(self, consumers: list[Share]) -> set[BufferOp]:
        return {
            handoff
            for handoff in self.group.handoffs
            for share in consumers
            for access in share.arm.reads_of(handoff)
            if not access.stays_inside(self.analysis.symbols.ranges())
        }

    def _all_tiles(self, consumers: list[Share], producer_tiles: isl.PwAff | None) -> isl.Set:
        """The tiles that exist."""
        counts = [
            self.tiles.scaled(self.fitter.invocations(share.arm), share.count).ceil()
            for share in consumers
        ]
        if producer_tiles is not None:
            counts.append(producer_tiles)
        tile = self.tiles.tile()
        within = tile.lt_set(counts[0])
        for count in counts[1:]:
            within = within.union(tile.lt_set(count))
        return within.intersect(tile.ge_set(self.tiles.constant(0)))
