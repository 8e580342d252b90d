"""What a producer would fill if it joined a draft, as far as the arms around it let it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from vyre_dialect.analysis.access_relations import ArmAccesses
from vyre_dialect.ir.types import MemorySpace
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.footprints import read_footprint
from vyre_dialect.passes.fusion.tiling.handoffs import is_handoff, refusal_between
from vyre_dialect.passes.fusion.tiling.intervals import Interval, TileSpace
from vyre_dialect.passes.fusion.tiling.legality import read_together
from vyre_dialect.passes.fusion.tiling.obligations import Obligation, Question, because
from vyre_dialect.passes.fusion.tiling.plan import Candidate, Draft
from vyre_dialect.passes.fusion.tiling.probes import Probe, overwritten_before, probes_for
from vyre_dialect.passes.fusion.tiling.refusal import Reason, Refusal
from vyre_dialect.passes.fusion.tiling.request import untileable
from vyre_dialect.passes.fusion.tiling.tile_counts import tiles_to_run_all, without_gaps


def candidate_for(analysis: ProgramAnalysis, draft: Draft, arm: RegionOp) -> Candidate | Refusal:
    """The handoffs of `arm` that tiles may hold, with their footprints and probes."""
    handed_on = _handed_on(analysis, draft, arm)
    if isinstance(handed_on, Refusal):
        return handed_on
    probes = tuple(probe for found in handed_on.values() for probe in found)
    if (refusal := _disturbed(analysis, draft, arm, handed_on, probes)) is not None:
        return because(Question.IS_UNDISTURBED, refusal)
    footprints, clamped = dict[BufferOp, Interval](), set[BufferOp]()
    for handoff in handed_on:
        consumers = [draft.stages[each] for each in analysis.users(handoff).arms[1:]]
        found = read_footprint(analysis, handoff, consumers)
        if isinstance(found, Refusal):
            return because(Question.IS_SIZED, found)
        footprints[handoff], is_clamped = found
        clamped |= {handoff} if is_clamped else set()
    accesses = analysis.accesses(arm)
    assert isinstance(accesses, ArmAccesses)
    met = (
        Obligation(Question.IS_UNDISTURBED, f"'{arm.generator.data}'"),
        *_met_by(handed_on, Question.IS_COVERED),
        *_met_by(handed_on, Question.IS_SIZED),
    )
    return Candidate(accesses, footprints, frozenset(clamped), probes, met=met)


def with_all_effects(tiles: TileSpace, candidate: Candidate) -> Candidate:
    """The same with footprints that leave no gap between tiles, so that every effect happens."""
    arm = candidate.arm
    widened = {
        handoff: without_gaps(tiles, arm, handoff, footprint)
        for handoff, footprint in candidate.footprints.items()
    }
    handoff, footprint = next(iter(widened.items()))
    needed = tiles_to_run_all(tiles, arm, handoff, footprint)
    effect_tiles = () if needed is None else (needed,)
    return replace(candidate, footprints=widened, effect_tiles=effect_tiles)


def _met_by(handoffs: Iterable[BufferOp], question: Question) -> Iterable[Obligation]:
    return (Obligation(question, f"'@{handoff.sym_name.data}'") for handoff in handoffs)


def _handed_on(
    analysis: ProgramAnalysis, draft: Draft, arm: RegionOp
) -> Mapping[BufferOp, tuple[Probe, ...]] | Refusal:
    """What `arm` may hand to the stages alone, all in tiles, each with its probes."""
    found, told = dict[BufferOp, tuple[Probe, ...]](), None
    for buffer in sorted(analysis.touches(arm), key=analysis.position):
        if not _is_handed_on(analysis, draft, arm, buffer):
            continue
        probes = _fit(analysis, draft, buffer)
        if not isinstance(probes, Refusal):
            found[buffer] = probes
        elif told is None or buffer is draft.request.handoff:
            told = probes
    if found:
        return found
    return told or Refusal(Reason.UNKNOWN_USER, "other arms use what it hands on")


def _is_handed_on(analysis: ProgramAnalysis, draft: Draft, arm: RegionOp, buffer: BufferOp) -> bool:
    if not is_handoff(analysis, buffer):
        return False
    producer, *consumers = analysis.users(buffer).arms
    is_read_by_stages = all(each in draft.stages for each in consumers)
    return producer is arm and bool(consumers) and is_read_by_stages


def _fit(analysis: ProgramAnalysis, draft: Draft, handoff: BufferOp) -> tuple[Probe, ...] | Refusal:
    """The probes with which a handoff can be in tiles."""
    if (refusal := untileable(analysis, handoff)) is not None:
        return refusal
    is_auto = draft.request.options.strategy == "auto"
    probes = probes_for(analysis, handoff, draft.probes, only_if_cheap=is_auto)
    if isinstance(probes, Refusal):
        return because(Question.IS_DONE_FOR_THE_HOST, probes)
    for arm in draft.cooperative if draft.request.space == MemorySpace.PRIVATE else ():
        if (refusal := read_together(analysis, arm, [handoff])) is not None:
            return because(Question.IS_UNIFORM, refusal)
    return probes


def _disturbed(
    analysis: ProgramAnalysis,
    draft: Draft,
    arm: RegionOp,
    handoffs: Collection[BufferOp],
    probes: Collection[Probe],
) -> Refusal | None:
    """What `arm` must not be moved past, or what the probes must not be moved in front of."""
    return refusal_between(analysis, arm, draft.last, draft.stages, handoffs) or overwritten_before(
        analysis,
        (*draft.probes, *probes),
        (*draft.stages, arm),
        {*draft.footprints, *handoffs},
    )
