"""From a request to a plan: producers join the sinks, the last ones first, until none can."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from heapq import heappop, heappush

from vyre_dialect.ir.types import MemorySpace
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.candidates import candidate_for, with_all_effects
from vyre_dialect.passes.fusion.tiling.footprints import roomy_footprints
from vyre_dialect.passes.fusion.tiling.handoffs import is_handoff
from vyre_dialect.passes.fusion.tiling.intervals import Stage
from vyre_dialect.passes.fusion.tiling.obligations import prove
from vyre_dialect.passes.fusion.tiling.past_the_end import collides_outside
from vyre_dialect.passes.fusion.tiling.plan import Draft, Plan
from vyre_dialect.passes.fusion.tiling.proof import (
    always_runs,
    is_guarded,
    joined,
    of_finished,
    of_sink,
)
from vyre_dialect.passes.fusion.tiling.refusal import Reason, Refusal
from vyre_dialect.passes.fusion.tiling.request import Request
from vyre_dialect.passes.fusion.tiling.tile_counts import existing_tiles


def grown(analysis: ProgramAnalysis, request: Request) -> Plan | Refusal:
    """The plan for a request, with all producers that can join; the refusal if its own cannot."""
    draft = _of_sinks(analysis, request)
    if isinstance(draft, Refusal):
        return draft
    required = analysis.producer(request.handoff)
    waiting = list[tuple[float, RegionOp]]()
    seen = set[RegionOp](draft.stages)
    _queue_producers(analysis, draft.stages, waiting, seen)
    while waiting:
        _, arm = heappop(waiting)
        found = analysis.ask(lambda draft=draft, arm=arm: _joined(analysis, draft, arm))
        if isinstance(found, Draft):
            draft = found
            _queue_producers(analysis, [arm], waiting, seen)
            continue
        refusals = (found,) if isinstance(found, Refusal) else found
        if arm is required:
            return refusals[0]
        draft = replace(draft, refused=(*draft.refused, *refusals))
    return analysis.ask(lambda: _finished(analysis, draft))


def _of_sinks(analysis: ProgramAnalysis, request: Request) -> Draft | Refusal:
    """The draft of the sinks alone; the refusal if they cannot share tiles."""
    draft = Draft(request)
    for sink in request.sinks:
        met = analysis.ask(lambda draft=draft, sink=sink: prove(of_sink(analysis, draft, sink)))
        if isinstance(met, Refusal):
            return met
        draft = draft.joined_by_sink(sink, met)
    return draft


def _queue_producers(
    analysis: ProgramAnalysis,
    arms: Iterable[RegionOp],
    waiting: list[tuple[float, RegionOp]],
    seen: set[RegionOp],
) -> None:
    """Let the producers of what `arms` touch wait for their turn, the last ones first."""
    for arm in arms:
        for buffer in analysis.touches(arm):
            producer = analysis.producer(buffer) if is_handoff(analysis, buffer) else None
            if producer is None or producer in seen:
                continue
            seen.add(producer)
            heappush(waiting, (-analysis.position(producer), producer))


def _joined(analysis: ProgramAnalysis, draft: Draft, arm: RegionOp) -> Draft | tuple[Refusal, ...]:
    """The draft with `arm`, or why not: of the first way to join, then of others."""
    candidate = candidate_for(analysis, draft, arm)
    if isinstance(candidate, Refusal):
        return (candidate,)
    found = joined(analysis, draft, candidate)
    if isinstance(found, Draft):
        return found
    if found.reason != Reason.SIDE_EFFECTS:
        return (found,)
    widened = joined(analysis, draft, with_all_effects(analysis.tiles, candidate))
    return widened if isinstance(widened, Draft) else (found, widened)


def _finished(analysis: ProgramAnalysis, draft: Draft) -> Plan | Refusal:
    """The plan, once every stage is proved to run in all of the tiles that there are then."""
    stages = _final_stages(analysis, draft)
    met = prove(asked for stage in stages for asked in of_finished(analysis, draft, stage))
    if isinstance(met, Refusal):
        return met
    return Plan(
        draft.request,
        stages,
        roomy_footprints(analysis.tiles, draft, stages),
        draft.filled,
        draft.effect_tiles,
        _overhangs(analysis, draft, stages),
        _colliding(draft, stages),
        draft.probes,
        (*draft.met, *met),
        draft.refused,
    )


def _final_stages(analysis: ProgramAnalysis, draft: Draft) -> tuple[Stage, ...]:
    """The stages in program order, in all tiles, and guarded where need be."""
    tiles = existing_tiles(analysis.tiles, draft.request.sinks, draft.effect_tiles)
    stages = [draft.stages[arm] for arm in sorted(draft.stages, key=analysis.position)]
    is_private = draft.request.space == MemorySpace.PRIVATE
    # Of whole workgroups with private tiles, some invocations have a tile that does not exist.
    runs_more = is_private and not all(stage.arm.is_data_parallel for stage in stages)
    return tuple(
        _final_stage(analysis, draft, stage.within(tiles), runs_more=runs_more) for stage in stages
    )


def _final_stage(
    analysis: ProgramAnalysis, draft: Draft, stage: Stage, *, runs_more: bool
) -> Stage:
    """A stage that knows whether to ask which of its invocations exist."""
    guarded = not stage.is_producer or is_guarded(analysis, draft, stage, draft.footprints)
    is_known = not runs_more if stage.arm.is_data_parallel else stage.is_producer
    is_asked = is_known and (guarded or not stage.arm.is_data_parallel)
    return replace(stage, is_guarded=guarded, always_runs=is_asked and always_runs(analysis, stage))


def _colliding(draft: Draft, stages: Iterable[Stage]) -> frozenset[BufferOp]:
    """The handoffs outside of which stores would meet in a tile of a workgroup."""
    if draft.request.space == MemorySpace.PRIVATE:
        return frozenset()
    return frozenset(
        handoff
        for stage in stages
        for handoff in draft.filled.get(stage.arm.arm, ())
        if collides_outside(stage.arm, handoff, runs_beyond=not stage.is_guarded)
    )


def _overhangs(
    analysis: ProgramAnalysis, draft: Draft, stages: Iterable[Stage]
) -> frozenset[BufferOp]:
    """The handoffs that are read outside their elements."""
    return frozenset(
        access.buffer
        for stage in stages
        for access in stage.arm.accesses
        if access.buffer in draft.footprints
        and not access.writes
        and not access.stays_inside(analysis.symbols)
    )
