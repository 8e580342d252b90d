"""How many tiles there are: as many as the sinks have shares, and as producers' effects need."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import ceil

from vyre_dialect.analysis.access_relations import ArmAccesses
from vyre_dialect.analysis.isl import isl
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.passes.fusion.tiling.intervals import Interval, Stage, TileSpace, slope_of


def existing_tiles(
    tiles: TileSpace, sinks: Iterable[Stage], effect_tiles: Iterable[isl.PwAff]
) -> isl.Set:
    """The tiles that exist."""
    counts = [tiles.scaled(_invocations(tiles, s.arm), s.share.extent).ceil() for s in sinks]
    tile = tiles.tile()
    within = [tile.lt_set(count) for count in (*counts, *effect_tiles)]
    total = within[0]
    for some in within[1:]:
        total = total.union(some)
    return total.intersect(tile.ge_set(tiles.constant(0))).coalesce()


def without_gaps(
    tiles: TileSpace, arm: ArmAccesses, handoff: BufferOp, footprint: Interval
) -> Interval:
    """The footprint grown so that consecutive tiles leave no invocation of a producer out."""
    begin, step = _begin(footprint), footprint.pace.per_tile
    if begin is None or step <= 0:
        return footprint
    start = min(begin, _first_written(arm, handoff) or 0)
    extent = max(begin + footprint.extent, start + ceil(step)) - start
    base = footprint.base + tiles.constant(start - begin)
    return tiles.interval(base, extent, footprint.pace)


def tiles_to_run_all(
    tiles: TileSpace, arm: ArmAccesses, handoff: BufferOp, footprint: Interval
) -> isl.PwAff | None:
    """How many tiles it takes until the producer's last invocation has run, or None."""
    begin, step = _begin(footprint), footprint.pace.per_tile
    slope = slope_of(arm.writes_to(handoff))
    if begin is None or step <= 0 or slope is None:
        return None
    if slope.per_invocation <= 0 or slope.per_parameter:
        return None
    first = _first_written(arm, handoff) or 0
    last = _invocations(tiles, arm) - tiles.constant(1)
    ratio = slope.per_invocation / step
    offset = ceil(Fraction(max(first - begin, 0)) / step)
    reached = tiles.scaled(last * tiles.constant(ratio.numerator), ratio.denominator)
    return (reached.floor() + tiles.constant(offset + 1)).coalesce()


def _begin(footprint: Interval) -> int | None:
    """Where the footprint of tile 0 begins, or None when it depends on parameters."""
    if footprint.pace.per_parameter:
        return None
    at = isl.Set.read_from_str(footprint.symbols.context, "{ T[0] }")
    image = isl.Map.from_pw_aff(footprint.base).intersect_domain(at).range()
    return int(image.dim_min_val(0).to_python())


def _first_written(arm: ArmAccesses, handoff: BufferOp) -> int | None:
    reach = arm.reach(arm.writes_to(handoff))
    low = reach.range().project_out_all_params().dim_min_val(0)
    return int(low.to_python()) if low.is_int() else None


def _invocations(tiles: TileSpace, arm: ArmAccesses) -> isl.PwAff:
    """How many invocations `arm` has, over tiles."""
    count = arm.arm.domain[0]
    if isinstance(count, int):
        return tiles.constant(count)
    function = arm.values.of(count)
    assert function is not None
    return tiles.parameters_only(function)
