"""
Footprints: the elements of each handoff that a tile reads, and the invocations that fill them.

Both are intervals that move along with the tiles, fitted around what isl says is reached.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from vyre_dialect.analysis.access_relations import ArmAccesses
from vyre_dialect.analysis.isl import isl
from vyre_dialect.analysis.quasi_affine import constant_of, modulo
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.cost import Limits, bytes_of
from vyre_dialect.passes.fusion.tiling.counterexamples import scattered_writers
from vyre_dialect.passes.fusion.tiling.intervals import (
    Interval,
    Pace,
    Stage,
    TileSpace,
    slope_of,
)
from vyre_dialect.passes.fusion.tiling.options import Home
from vyre_dialect.passes.fusion.tiling.plan import Draft
from vyre_dialect.passes.fusion.tiling.refusal import Reason, Refusal
from vyre_dialect.passes.fusion.tiling.request import Request

MOST_ROOM = 2
"""How many times its extent a footprint may grow to."""
MOST_ROOM_TO_SLIDE = 4
"""The same where it may slide, for which it must hold all of what it begins and ends in."""
ROUNDING = 16
"""Elements by multiples of which footprints grow."""
VECTOR = 4
"""Elements of the vectors that footprints are accessed in, for the most part."""


def read_footprint(
    analysis: ProgramAnalysis, handoff: BufferOp, consumers: Iterable[Stage]
) -> tuple[Interval, bool] | Refusal:
    """
    The elements of `handoff` that a tile of all its consumers reads, and whether that is so only
    of invocations that exist: an index clamped to an edge moves with those alone.
    """
    tiles = analysis.tiles
    readers = [each for each in consumers if each.arm.reads_of(handoff)]
    reads = [(each, each.arm.reads_of(handoff)) for each in readers]
    reached = _union(each.spread.apply_range(each.arm.reach(some)) for each, some in reads)
    if analysis.symbols.restricted(reached).is_empty():
        return tiles.interval(tiles.constant(0), 1, Pace(Fraction(0))), False
    first = readers[0]
    if (slope := slope_of(first.arm.reads_of(handoff))) is not None:
        pace = slope.elements_at(first.share.pace)
        if (footprint := tiles.fit(reached, pace)) is not None:
            return footprint, False
        happens = _union(each.runs.apply_range(each.arm.touched(some)) for each, some in reads)
        if (footprint := tiles.fit(happens, pace)) is not None:
            return footprint, True
    return without_constant_extent(handoff, first)


def without_constant_extent(handoff: BufferOp, consumer: Stage) -> Refusal:
    """The refusal of a handoff of which tiles read more here and less there."""
    return Refusal(
        Reason.CROSS_WORKGROUP,
        f"what a tile reads of '@{handoff.sym_name.data}' has no constant extent",
        consumer=consumer.arm.arm,
    )


def filling_share(
    analysis: ProgramAnalysis, arm: ArmAccesses, footprints: Mapping[BufferOp, Interval]
) -> Interval | Refusal:
    """The invocations of a producer that write into a tile's footprints."""
    handoff, footprint = next(iter(footprints.items()))
    slope = slope_of(arm.writes_to(handoff))
    if slope is not None and slope.per_invocation:
        writers = _union(
            each.elements.apply_range(arm.reach(arm.writes_to(handoff)).reverse())
            for handoff, each in footprints.items()
        )
        share = analysis.tiles.fit(writers, slope.invocations_at(footprint.pace))
        if share is not None:
            return share
    return scattered_writers(analysis, arm, footprints)


def roomy_footprints(
    tiles: TileSpace, draft: Draft, stages: Iterable[Stage]
) -> Mapping[BufferOp, Interval]:
    """The footprints grown to hold all that producers write, if that may be: no guards then."""
    request = draft.request
    roomy = {
        handoff: _holding_writes(tiles, handoff, draft.footprints[handoff], stage, request)
        for stage in stages
        for handoff in draft.filled.get(stage.arm.arm, ())
    }
    room = bytes_of(roomy) - bytes_of(draft.footprints)
    if not room:
        return roomy
    if request.options.over_budget(draft.held_bytes + room, request.home) is not None:
        return draft.footprints
    if not request.only_if_cheap or request.home is not Home.REGISTERS:
        return roomy
    limits = Limits.of(request.options.local_memory)
    for handoffs in draft.filled.values():
        handed_on = {handoff: roomy[handoff] for handoff in handoffs}
        if limits.too_many_bytes(handed_on, request.consumers) is not None:
            return draft.footprints
    return roomy


def _holding_writes(
    tiles: TileSpace, handoff: BufferOp, footprint: Interval, producer: Stage, request: Request
) -> Interval:
    arm, most = producer.arm, MOST_ROOM if request.steps == 1 else MOST_ROOM_TO_SLIDE
    written = producer.spread.apply_range(arm.reach(arm.writes_to(handoff)))
    bounds = tiles.residues(written, footprint.base)
    if bounds is None or _holds(footprint, bounds):
        return footprint
    # Rounded, so that vectors are as aligned in a tile as in its buffer, and zeros are words.
    beyond = 0 if request.home is Home.REGISTERS else _beyond_multiple(footprint)
    below = -((beyond + min(bounds[0], 0)) // ROUNDING) * ROUNDING + beyond
    extent = -(-(max(footprint.extent, bounds[1] + 1) + below) // ROUNDING) * ROUNDING
    if extent > most * footprint.extent:
        return footprint
    base = footprint.base - tiles.constant(below) if below else footprint.base
    return tiles.interval(base, extent, footprint.pace)


def _beyond_multiple(footprint: Interval) -> int:
    """How far behind a multiple of `ROUNDING` a footprint begins, if that is known; or else 0."""
    return constant_of(modulo(footprint.base, ROUNDING)) or 0


def _holds(footprint: Interval, bounds: tuple[int, int]) -> bool:
    """Whether a footprint holds positions as it is, in whole vectors."""
    is_inside = bounds[0] >= 0 and bounds[1] < footprint.extent
    return is_inside and footprint.extent % VECTOR == 0


def _union(relations: Iterable[isl.Map]) -> isl.Map:
    first, *others = relations
    for relation in others:
        first = first.union(relation)
    return first
