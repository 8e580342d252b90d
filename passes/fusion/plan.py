"""
Plans one fusion: which arms share tiles, through which windows of which handoffs.

A plan is only ever returned after `legality` has proved it; otherwise planning raises Refused.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, TypeAlias

import islpy as isl
from xdsl.dialects import arith

from vyre_dialect.ops.program import BufferOp, RegionOp
from vyre_dialect.passes.access_relations import Access, AccessKind, ArmAccesses
from vyre_dialect.passes.fusion.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.legality import (
    is_repeated,
    may_run_beyond,
    require_coverage,
    require_every_effect,
    require_harmless_repetition,
    require_order,
)
from vyre_dialect.passes.fusion.refusal import Reason, Refused
from vyre_dialect.passes.fusion.tiles import (
    Share,
    TileSpace,
    Window,
    fit_window,
    needed_share,
    residues,
    slope_of,
    union_of,
)
from vyre_dialect.types import MemorySpace, element_bytes

DEFAULT_BUDGET = 16384
"""Bytes of workgroup memory for all promoted buffers of an arm together."""
PRIVATE_BUDGET = 1024
"""Bytes of private memory for all promoted buffers of an invocation together."""
PRIVATE_BYTES = 64
"""What `auto` keeps in private values per invocation at the most."""
PRIVATE_COPIES = 4
"""How many producer invocations `auto` repeats per consumer invocation at the most."""
PRIVATE_REDUNDANCY = 2
"""How often `auto` lets an element be decoded, on average."""
PRIVATE_REPEATED_OPS = 64
"""How many ops of the producer `auto` repeats per consumer invocation at the most."""

MOST_ROOM = 2
"""How many times its extent a window may grow to."""
ROUNDING = 16
"""Elements by multiples of which windows grow."""

Strategy: TypeAlias = Literal["auto", "workgroup", "private"]


@dataclass(frozen=True)
class Options:
    """How to fuse. `tile` is the elements of the handoff per tile, 0 for the planner's choice."""

    strategy: Strategy = "auto"
    budget: int = DEFAULT_BUDGET
    tile: int = 0


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

    @property
    def arms(self) -> list[RegionOp]:
        return [self.producer.arm.arm, *(share.arm.arm for share in self.consumers)]

    @property
    def is_exact(self) -> bool:
        """Whether there are just as many tiles as the one consumer has shares."""
        return self.producer_tiles is None and len(self.consumers) == 1


@dataclass(frozen=True, eq=False)
class Group:
    """A producer, the consumers of its handoffs, and those handoffs."""

    producer: ArmAccesses
    consumers: list[ArmAccesses]
    handoffs: list[BufferOp]


def plan(analysis: ProgramAnalysis, group: Group, options: Options) -> Plan:
    """
    The best legal plan for `group` under `options`.

    Raises Refused with the reason that matters most: the one of the first strategy tried.
    """
    for handoff in group.handoffs:
        for consumer in group.consumers:
            require_coverage(analysis, handoff, group.producer, consumer)
    planner = Planner(analysis, group, options)
    if options.strategy == "private":
        return planner.private()
    if options.strategy == "workgroup":
        return planner.workgroup()
    try:
        found = planner.private(most_bytes=PRIVATE_BYTES)
        if planner.is_cheap(found):
            return found
    except Refused:
        pass
    return planner.workgroup()


def require_budget(total: int, space: MemorySpace, options: Options) -> None:
    """Raise Refused if `total` bytes of tiles are more than a workgroup or invocation may have."""
    budget = options.budget
    if space == MemorySpace.PRIVATE:
        budget = min(budget, PRIVATE_BUDGET)
    if total > budget:
        raise Refused(
            Reason.OVER_BUDGET, f"tiles of {total} bytes exceed the budget of {budget} bytes"
        )


class Planner:
    """Tries the ways to tile one group."""

    def __init__(self, analysis: ProgramAnalysis, group: Group, options: Options):
        self.analysis = analysis
        self.group = group
        self.options = options
        self.tiles = TileSpace(analysis.symbols)

    def private(self, most_bytes: int = PRIVATE_BUDGET) -> Plan:
        """A tile per consumer invocation, in private values that take `most_bytes`."""
        cooperative = [arm for arm in self.group.consumers if not arm.arm.is_data_parallel]
        if cooperative and len(self.group.consumers) > 1:
            raise Refused(
                Reason.MISMATCHED_TILES,
                "a cooperative consumer shares no invocations with another",
                consumer=cooperative[0].arm,
            )
        size = self.group.consumers[0].arm.workgroup[0]
        return self._with_shares(MemorySpace.PRIVATE, size, 1, most_bytes)

    def workgroup(self) -> Plan:
        """A tile per workgroup, in workgroup memory; the largest that fits the budget."""
        first = self.group.consumers[0]
        cooperative = [arm for arm in self.group.consumers if not arm.arm.is_data_parallel]
        if len(cooperative) > 1:
            raise Refused(
                Reason.MISMATCHED_TILES,
                "only one cooperative consumer can say how its workgroup is laid out",
                consumer=cooperative[1].arm,
            )
        if cooperative:
            size = cooperative[0].arm.workgroup[0]
            per_first = self._matching_share(cooperative[0], first, size)
            return self._with_shares(MemorySpace.WORKGROUP, size, per_first)
        if self.options.tile:
            per_first = self._share_of_tile(first)
            size = min(first.arm.workgroup[0], per_first)
            return self._with_shares(MemorySpace.WORKGROUP, size, per_first)
        return self._largest_that_fits(first)

    def is_cheap(self, plan: Plan) -> bool:
        """Whether private values cost so little that no tile in workgroup memory is worth it."""
        if _bytes_of(plan.windows) > PRIVATE_BYTES or plan.producer.count > PRIVATE_COPIES:
            return False
        return all(self._repeats_little(plan, handoff) for handoff in plan.windows)

    def _repeats_little(self, plan: Plan, handoff: BufferOp) -> bool:
        """Whether few elements, and few ops, are done by more than one invocation."""
        written = slope_of(_writes(self.group.producer, handoff))
        read = slope_of(_reads(plan.consumers[0].arm, handoff))
        if written is None or read is None or not read.per_invocation:
            return False
        redundancy = abs(written.per_invocation / read.per_invocation) * plan.producer.count
        if not 0 < redundancy <= PRIVATE_REDUNDANCY:
            return False
        ops = sum(not isinstance(op, arith.ConstantOp) for op in self.group.producer.arm.walk())
        repeated = (1 - 1 / redundancy) * plan.producer.count
        return repeated * ops <= PRIVATE_REPEATED_OPS

    def _largest_that_fits(self, first: ArmAccesses) -> Plan:
        size = first.arm.workgroup[0]
        refused: Refused | None = None
        while size:
            try:
                return self._with_shares(MemorySpace.WORKGROUP, size, size)
            except Refused as problem:
                if problem.reason not in (Reason.OVER_BUDGET, Reason.MISMATCHED_TILES):
                    raise
                refused = refused or problem
            size //= 2
        assert refused is not None
        raise refused

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
        slope = slope_of(_reads(consumer, handoff))
        if slope is None or not slope.per_invocation:
            raise Refused(
                Reason.CROSS_WORKGROUP,
                f"the reads of '@{handoff.sym_name.data}' do not move along with the invocations",
                consumer=consumer.arm,
            )
        return slope.per_invocation

    def _with_shares(
        self, space: MemorySpace, size: int, per_first: int, most_bytes: int | None = None
    ) -> Plan:
        consumers = [
            self.tiles.share(arm, self._share_like(arm, per_first)) for arm in self.group.consumers
        ]
        windows = {handoff: self._window(handoff, consumers) for handoff in self.group.handoffs}
        if most_bytes is not None and (held := _bytes_of(windows)) > most_bytes:
            raise Refused(
                Reason.OVER_BUDGET, f"tiles of {held} bytes exceed the budget of {most_bytes} bytes"
            )
        try:
            return self._with_windows(space, size, consumers, windows)
        except Refused as refused:
            if refused.reason != Reason.SIDE_EFFECTS:
                raise
            widened = {handoff: self._widened(handoff, windows[handoff]) for handoff in windows}
            try:
                return self._with_windows(space, size, consumers, widened, for_effects=True)
            except Refused:
                raise refused from None

    def _with_windows(
        self,
        space: MemorySpace,
        size: int,
        consumers: list[Share],
        windows: dict[BufferOp, Window],
        *,
        for_effects: bool = False,
    ) -> Plan:
        """The plan with these windows, with tiles for the effects of the producer if need be."""
        self._require_budget(space, windows, consumers)
        producer = self._producer(windows)
        producer_tiles = self._producer_tiles(producer, windows) if for_effects else None
        producer = replace(producer, tiles=self._all_tiles(consumers, producer_tiles))
        windows = self._roomy(space, producer, windows, consumers)
        found = Plan(
            space,
            size,
            producer,
            consumers,
            windows,
            self._guards(producer, windows),
            producer_tiles,
            self._overhangs(consumers),
        )
        self._prove(found)
        return found

    def _guards(self, producer: Share, windows: dict[BufferOp, Window]) -> bool:
        ranges = self.analysis.symbols.ranges()
        may_run = may_run_beyond(producer.arm, windows, ranges)
        return not (may_run and self.tiles.is_never_negative(producer.first))

    def _share_like(self, arm: ArmAccesses, per_first: int) -> int:
        first = self.group.consumers[0]
        return per_first if arm is first else self._matching_share(first, arm, per_first)

    def _window(self, handoff: BufferOp, consumers: list[Share]) -> Window:
        """The elements of `handoff` that a tile of all consumers reads."""
        readers = [share for share in consumers if _reads(share.arm, handoff)]
        footprint = union_of(
            share.spread.apply_range(access.reach)
            for share in readers
            for access in _reads(share.arm, handoff)
            if access.reach is not None
        )
        if footprint is not None and self._is_empty(footprint):
            return Window(self.tiles.constant(0), 1)
        slope = slope_of(_reads(readers[0].arm, handoff))
        window = None
        if slope is not None and footprint is not None:
            window = self._fit(
                footprint, slope.per_invocation * readers[0].count, slope.per_parameter
            )
        if window is None:
            raise Refused(
                Reason.CROSS_WORKGROUP,
                f"what a tile reads of '@{handoff.sym_name.data}' has no constant extent",
                consumer=readers[0].arm.arm,
            )
        return window

    def _is_empty(self, relation: isl.Map) -> bool:
        return relation.intersect_params(self.analysis.symbols.ranges()).is_empty()

    def _fit(
        self, footprint: isl.Map, step: Fraction, parameters: tuple[tuple[str, Fraction], ...]
    ) -> Window | None:
        if any(each.denominator != 1 for _, each in parameters):
            return None
        whole = [(name, int(each)) for name, each in parameters]
        return fit_window(self.tiles, footprint, step, whole)

    def _require_budget(
        self, space: MemorySpace, windows: dict[BufferOp, Window], consumers: list[Share]
    ) -> None:
        present = {
            buffer
            for share in consumers
            for _, buffer in share.arm.arm.accesses()
            if buffer.type.space == space
        }
        total = _bytes_of(windows) + sum(buffer.type.static_bytes or 0 for buffer in present)
        require_budget(total, space, self.options)

    def _roomy(
        self,
        space: MemorySpace,
        producer: Share,
        windows: dict[BufferOp, Window],
        consumers: list[Share],
    ) -> dict[BufferOp, Window]:
        """
        The windows grown to hold all that the producer's share writes, if the budget allows:
        then no store needs a guard.
        """
        roomy = {
            handoff: self._holding_writes(handoff, window, producer)
            for handoff, window in windows.items()
        }
        try:
            self._require_budget(space, roomy, consumers)
        except Refused:
            return windows
        return roomy

    def _holding_writes(self, handoff: BufferOp, window: Window, producer: Share) -> Window:
        written = union_of(
            producer.spread.apply_range(access.reach)
            for access in _writes(producer.arm, handoff)
            if access.reach is not None
        )
        bounds = None if written is None else residues(self.tiles, written, window.base, 1)
        if bounds is None:
            return window
        # Rounded, so that reads stay as aligned as they were and zeros are written by words.
        below = -(min(bounds[0], 0) // ROUNDING) * ROUNDING
        extent = -(-max(window.extent, bounds[1] + 1) // ROUNDING) * ROUNDING + below
        if extent > MOST_ROOM * window.extent:
            return window
        return Window(window.base - self.tiles.constant(below), extent)

    def _producer(self, windows: dict[BufferOp, Window]) -> Share:
        """What a tile runs of the producer: all that writes into its windows."""
        shares = [self._needed(handoff, window) for handoff, window in windows.items()]
        if len(shares) == 1:
            return shares[0]
        first, end = shares[0].first, shares[0].first + self.tiles.constant(shares[0].count)
        for share in shares[1:]:
            first = first.min(share.first)
            end = end.max(share.first + self.tiles.constant(share.count))
        count = (end - first).max_val()
        if not count.is_int():
            raise Refused(Reason.MISMATCHED_TILES, "the handoffs need different invocations")
        return Share(self.group.producer, first.coalesce(), int(count.to_python()))

    def _needed(self, handoff: BufferOp, window: Window) -> Share:
        writes = _writes(self.group.producer, handoff)
        share = needed_share(self.tiles, self.group.producer, writes, window)
        if share is None:
            raise Refused(
                Reason.CROSS_WORKGROUP,
                f"no constant number of invocations writes a tile of '@{handoff.sym_name.data}'",
            )
        return share

    def _widened(self, handoff: BufferOp, window: Window) -> Window:
        """The window grown so that consecutive tiles leave no producer invocation out."""
        zero, one = (_at(window.base, tile) for tile in (0, 1))
        if zero is None or one is None or one <= zero:
            return window
        start = min(zero, self._first_written(handoff) or 0)
        extent = max(zero + window.extent, start + one - zero) - start
        return Window(window.base + self.tiles.constant(start - zero), extent)

    def _first_written(self, handoff: BufferOp) -> int | None:
        reach = union_of(
            access.reach
            for access in _writes(self.group.producer, handoff)
            if access.reach is not None
        )
        if reach is None:
            return None
        low = reach.range().project_out_all_params().dim_min_val(0)
        return int(low.to_python()) if low.is_int() else None

    def _producer_tiles(self, producer: Share, windows: dict[BufferOp, Window]) -> isl.PwAff | None:
        handoff, window = next(iter(windows.items()))
        return self._last_tile(producer, handoff, window)

    def _tiles_of(self, arm: ArmAccesses, per_tile: int) -> isl.PwAff:
        invocations = self._invocations(arm)
        return self.tiles.scaled(invocations, per_tile).ceil()

    def _invocations(self, arm: ArmAccesses) -> isl.PwAff:
        count = arm.arm.domain[0]
        if isinstance(count, int):
            return self.tiles.constant(count)
        function = arm.values.of(count)
        assert function is not None
        return self.tiles.parameters_only(function)

    def _last_tile(self, producer: Share, handoff: BufferOp, window: Window) -> isl.PwAff | None:
        """One more than the tile that runs the producer's last invocation."""
        zero, one = (_at(window.base, tile) for tile in (0, 1))
        slope = slope_of(_writes(producer.arm, handoff))
        if zero is None or one is None or one <= zero or slope is None:
            return None
        step = slope.per_invocation
        if step <= 0 or slope.per_parameter:
            return None
        first = self._first_written(handoff) or 0
        last = self._invocations(producer.arm) - self.tiles.constant(1)
        moved = last * self.tiles.constant(step.numerator)
        reached = self.tiles.scaled(moved, step.denominator).floor()
        element = reached + self.tiles.constant(first - zero)
        tile = self.tiles.scaled(element, one - zero).floor()
        return (tile + self.tiles.constant(1)).coalesce()

    def _overhangs(self, consumers: list[Share]) -> set[BufferOp]:
        return {
            handoff
            for handoff in self.group.handoffs
            for share in consumers
            for access in _reads(share.arm, handoff)
            if not access.stays_inside(self.analysis.symbols.ranges())
        }

    def _prove(self, plan: Plan) -> None:
        promoted = list(plan.windows)
        ranges = self.analysis.symbols.ranges()
        phases = [plan.producer, *plan.consumers]
        for place, later in enumerate(phases):
            for earlier in phases[:place]:
                require_order(self.analysis, earlier, later, promoted)
        if is_repeated(plan.producer, ranges):
            require_harmless_repetition(plan.producer, promoted)
        require_every_effect(self.analysis, plan.producer, promoted)

    def _all_tiles(self, consumers: list[Share], producer_tiles: isl.PwAff | None) -> isl.Set:
        tile = self.tiles.tile()
        counts = [self._tiles_of(share.arm, share.count) for share in consumers]
        if producer_tiles is not None:
            counts.append(producer_tiles)
        within = tile.lt_set(counts[0])
        for count in counts[1:]:
            within = within.union(tile.lt_set(count))
        return within.intersect(tile.ge_set(self.tiles.constant(0)))


def _bytes_of(windows: dict[BufferOp, Window]) -> int:
    return sum(
        window.extent * (element_bytes(handoff.type.element_type) or 0)
        for handoff, window in windows.items()
    )


def _reads(arm: ArmAccesses, handoff: BufferOp) -> list[Access]:
    return [access for access in arm.to(handoff) if access.kind == AccessKind.READ]


def _writes(arm: ArmAccesses, handoff: BufferOp) -> list[Access]:
    return [access for access in arm.to(handoff) if access.kind == AccessKind.WRITE]


def _at(function: isl.PwAff, tile: int) -> int | None:
    """The value at one tile, or None when it depends on parameters."""
    at = isl.Set.read_from_str(function.get_ctx(), f"{{ T[{tile}] }}")
    image = isl.Map.from_pw_aff(function).intersect_domain(at).range()
    if image.involves_dims(isl.dim_type.param, 0, image.dim(isl.dim_type.param)):
        return None
    return int(image.dim_min_val(0).to_python())
