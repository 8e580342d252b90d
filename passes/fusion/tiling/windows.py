"""
Fits tiles to one group of arms: the window of each handoff that a tile holds, and the producer
invocations that fill it. Nothing here asks whether that is legal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import islpy as isl

from vyre_dialect.ops.program import BufferOp
from vyre_dialect.passes.analysis.access_relations import ArmAccesses
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.refusal import Reason, Refused
from vyre_dialect.passes.fusion.tiling.tiles import (
    Share,
    TileSpace,
    Window,
    fit_window,
    needed_share,
    residues,
    slope_of,
)
from vyre_dialect.types import element_bytes

MOST_ROOM = 2
"""How many times its extent a window may grow to."""
ROUNDING = 16
"""Elements by multiples of which windows grow."""


class WindowFitter:
    """Fits windows and shares to one producer and the handoffs that it fills."""

    def __init__(self, analysis: ProgramAnalysis, tiles: TileSpace, producer: ArmAccesses):
        self.ranges = analysis.symbols.ranges
        self.tiles = tiles
        self.producer = producer

    def read_by(self, handoff: BufferOp, consumers: Sequence[Share]) -> Window:
        """The elements of `handoff` that a tile of all consumers reads; raises Refused."""
        readers = [share for share in consumers if share.arm.reads_of(handoff)]
        first = readers[0]
        footprint = first.reached(first.arm.reads_of(handoff))
        for share in readers[1:]:
            footprint = footprint.union(share.reached(share.arm.reads_of(handoff)))
        if footprint.intersect_params(self.ranges()).is_empty():
            return Window(self.tiles.constant(0), 1)
        slope = slope_of(first.arm.reads_of(handoff))
        window = None
        if slope is not None:
            step = slope.per_invocation * first.count
            window = self._fit(footprint, step, slope.per_parameter)
        if window is None:
            raise Refused(
                Reason.CROSS_WORKGROUP,
                f"what a tile reads of '@{handoff.sym_name.data}' has no constant extent",
                consumer=first.arm.arm,
            )
        return window

    def _fit(
        self, footprint: isl.Map, step: Fraction, parameters: tuple[tuple[str, Fraction], ...]
    ) -> Window | None:
        if any(each.denominator != 1 for _, each in parameters):
            return None
        whole = [(name, int(each)) for name, each in parameters]
        return fit_window(self.tiles, footprint, step, whole)

    def filled_by(self, windows: Mapping[BufferOp, Window]) -> Share:
        """The producer invocations that write into a tile's windows; raises Refused."""
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
        return Share(self.producer, first.coalesce(), int(count.to_python()))

    def _needed(self, handoff: BufferOp, window: Window) -> Share:
        writes = self.producer.writes_to(handoff)
        share = needed_share(self.tiles, self.producer, writes, window)
        if share is None:
            raise Refused(
                Reason.CROSS_WORKGROUP,
                f"no constant number of invocations writes a tile of '@{handoff.sym_name.data}'",
            )
        return share

    def holding_writes(self, handoff: BufferOp, window: Window, producer: Share) -> Window:
        """
        The window grown, within reason, to hold all that the producer's share writes: then no
        store needs a guard.
        """
        written = producer.reached(producer.arm.writes_to(handoff))
        bounds = residues(self.tiles, written, window.base, 1)
        if bounds is None:
            return window
        # Rounded, so that reads stay as aligned as they were and zeros are written by words.
        below = -(min(bounds[0], 0) // ROUNDING) * ROUNDING
        extent = -(-max(window.extent, bounds[1] + 1) // ROUNDING) * ROUNDING + below
        if extent > MOST_ROOM * window.extent:
            return window
        return Window(window.base - self.tiles.constant(below), extent)

    def widened(self, handoff: BufferOp, window: Window) -> Window:
        """The window grown so that consecutive tiles leave no producer invocation out."""
        zero, one = (_at(window.base, tile) for tile in (0, 1))
        if zero is None or one is None or one <= zero:
            return window
        start = min(zero, self._first_written(handoff) or 0)
        extent = max(zero + window.extent, start + one - zero) - start
        return Window(window.base + self.tiles.constant(start - zero), extent)

    def _first_written(self, handoff: BufferOp) -> int | None:
        reach = self.producer.reach(self.producer.writes_to(handoff))
        low = reach.range().project_out_all_params().dim_min_val(0)
        return int(low.to_python()) if low.is_int() else None

    def tiles_to_run_all(self, handoff: BufferOp, window: Window) -> isl.PwAff | None:
        """How many tiles it takes until the producer's last invocation has run, or None."""
        zero, one = (_at(window.base, tile) for tile in (0, 1))
        slope = slope_of(self.producer.writes_to(handoff))
        if zero is None or one is None or one <= zero or slope is None:
            return None
        step = slope.per_invocation
        if step <= 0 or slope.per_parameter:
            return None
        first = self._first_written(handoff) or 0
        last = self.invocations(self.producer) - self.tiles.constant(1)
        moved = last * self.tiles.constant(step.numerator)
        reached = self.tiles.scaled(moved, step.denominator).floor()
        element = reached + self.tiles.constant(first - zero)
        tile = self.tiles.scaled(element, one - zero).floor()
        return (tile + self.tiles.constant(1)).coalesce()

    def invocations(self, arm: ArmAccesses) -> isl.PwAff:
        """How many invocations `arm` has, over tiles."""
        count = arm.arm.domain[0]
        if isinstance(count, int):
            return self.tiles.constant(count)
        function = arm.values.of(count)
        assert function is not None
        return self.tiles.parameters_only(function)


def bytes_of(windows: Mapping[BufferOp, Window]) -> int:
    """How many bytes all windows of a tile take."""
    return sum(
        window.extent * (element_bytes(handoff.type.element_type) or 0)
        for handoff, window in windows.items()
    )


def _at(function: isl.PwAff, tile: int) -> int | None:
    """The value at one tile, or None when it depends on parameters."""
    at = isl.Set.read_from_str(function.get_ctx(), f"{{ T[{tile}] }}")
    image = isl.Map.from_pw_aff(function).intersect_domain(at).range()
    if image.involves_dims(isl.dim_type.param, 0, image.dim(isl.dim_type.param)):
        return None
    return int(image.dim_min_val(0).to_python())
