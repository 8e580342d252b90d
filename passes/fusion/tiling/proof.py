"""
The proof: what is asked of each stage of a plan, beside the stages that are proved already.

Where a question is met with no, its refusal says so; the answers are in `legality.py`, in
`past_the_end.py` and in `cost.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial

from vyre_dialect.ir.types import MemorySpace
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.cost import (
    Limits,
    too_much_overlap,
    too_much_redundancy,
)
from vyre_dialect.passes.fusion.tiling.footprints import filling_share, without_constant_extent
from vyre_dialect.passes.fusion.tiling.handoffs import refusal_between
from vyre_dialect.passes.fusion.tiling.intervals import Stage
from vyre_dialect.passes.fusion.tiling.legality import (
    is_repeated,
    left_out,
    noticed_when_repeated,
    torn_apart,
    unordered,
)
from vyre_dialect.passes.fusion.tiling.obligations import (
    Asked,
    Obligation,
    Question,
    because,
    prove,
)
from vyre_dialect.passes.fusion.tiling.options import Home
from vyre_dialect.passes.fusion.tiling.past_the_end import (
    collides_outside,
    may_run_beyond,
    unguardable,
)
from vyre_dialect.passes.fusion.tiling.plan import Candidate, Draft
from vyre_dialect.passes.fusion.tiling.refusal import Refusal
from vyre_dialect.passes.fusion.tiling.request import Request
from vyre_dialect.passes.fusion.tiling.tile_counts import existing_tiles


def joined(analysis: ProgramAnalysis, draft: Draft, candidate: Candidate) -> Draft | Refusal:
    """The draft with a candidate, once every question about it is met with yes."""
    sized = prove(_of_sizes(draft, candidate))
    if isinstance(sized, Refusal):
        return sized
    share = filling_share(analysis, candidate.arm, candidate.footprints)
    if isinstance(share, Refusal):
        return because(Question.IS_FILLED, share)
    stage = Stage(candidate.arm, share, is_producer=True)
    filled = Obligation(Question.IS_FILLED, stage.name)
    alone = prove(_of_share(analysis, draft, candidate, stage))
    if isinstance(alone, Refusal):
        return alone
    effect_tiles = (*draft.effect_tiles, *candidate.effect_tiles)
    stage = stage.within(existing_tiles(analysis.tiles, draft.request.sinks, effect_tiles))
    promoted = {**draft.footprints, **candidate.footprints}
    beside = prove(of_producer(analysis, draft, stage, promoted))
    if isinstance(beside, Refusal):
        return beside
    return draft.joined_by_producer(candidate, stage, (*sized, filled, *alone, *beside))


def of_sink(analysis: ProgramAnalysis, draft: Draft, sink: Stage) -> Iterator[Asked]:
    """What a sink must meet beside those that are there."""
    yield Asked(Question.STAYS_IN_TILE, sink.name, lambda: _misplaced(analysis, draft, sink, ()))


def of_producer(
    analysis: ProgramAnalysis, draft: Draft, stage: Stage, promoted: Collection[BufferOp]
) -> Iterator[Asked]:
    """What a producer must meet to run its share in each tile that exists."""
    yield Asked(Question.IS_COMPLETE, stage.name, lambda: left_out(analysis, stage, promoted))
    yield Asked(
        Question.STAYS_IN_TILE, stage.name, lambda: _misplaced(analysis, draft, stage, promoted)
    )
    yield Asked(Question.IS_REPEATABLE, stage.name, lambda: _repetition(analysis, stage, promoted))


def of_finished(analysis: ProgramAnalysis, draft: Draft, stage: Stage) -> Iterator[Asked]:
    """What a stage must meet again once all others are there, and with them all tiles."""
    if not stage.is_producer:
        yield Asked(
            Question.IS_UNDISTURBED,
            stage.name,
            lambda: refusal_between(analysis, stage.arm.arm, draft.last, draft.stages),
        )
    if not draft.effect_tiles:
        return
    if stage.is_producer:
        yield from of_producer(analysis, draft, stage, draft.footprints)
    for handoff in stage.arm.buffers():
        if handoff not in draft.clamped:
            continue
        yield Asked(
            Question.IS_SIZED,
            f"'@{handoff.sym_name.data}'",
            lambda handoff=handoff: _outgrown(analysis, draft, stage, handoff),
        )


def always_runs(analysis: ProgramAnalysis, stage: Stage) -> bool:
    """Whether the arm has the invocations of every tile that there is."""
    assert stage.tiles is not None
    needed = stage.spread.intersect_domain(stage.tiles).range()
    symbols, there = analysis.symbols, stage.arm.invocations
    return analysis.ask(lambda: symbols.is_within(needed, there)) is True


def is_guarded(
    analysis: ProgramAnalysis, draft: Draft, producer: Stage, promoted: Collection[BufferOp]
) -> bool:
    """Whether invocations of a producer that do not exist must be kept from running."""
    may_run = may_run_beyond(producer.arm, promoted, draft.touching.written())
    return not (may_run and analysis.tiles.is_never_negative(producer.share.base))


def _of_sizes(draft: Draft, candidate: Candidate) -> Iterator[Asked]:
    """What its footprints must meet, whichever invocations fill them."""
    request, footprints, arm = draft.request, candidate.footprints, candidate.arm
    name = f"'{arm.arm.generator.data}'"
    is_for_registers = request.home is Home.REGISTERS
    if request.only_if_cheap and not is_for_registers and not request.has_one_tile:
        for handoff, footprint in footprints.items():
            yield Asked(
                Question.IS_CHEAP,
                f"'@{handoff.sym_name.data}'",
                partial(too_much_overlap, handoff, footprint),
            )
    total = draft.bytes_with(arm, footprints)
    yield Asked(Question.FITS, name, lambda: request.options.over_budget(total, request.home))
    if request.only_if_cheap and is_for_registers:
        limits = Limits.of(request.options.local_memory)
        yield Asked(
            Question.IS_CHEAP, name, lambda: limits.too_many_bytes(footprints, request.consumers)
        )


def _of_share(
    analysis: ProgramAnalysis, draft: Draft, candidate: Candidate, stage: Stage
) -> Iterator[Asked]:
    """What the share that fills its footprints must meet, whatever the others do."""
    request = draft.request
    if not stage.arm.is_data_parallel:
        size = request.workgroup_size
        per_tile = 1 if request.space == MemorySpace.PRIVATE else size
        yield Asked(
            Question.OWNS_WORKGROUPS,
            stage.name,
            lambda: torn_apart(analysis, stage, size, per_tile),
        )
    if request.only_if_cheap:
        yield Asked(
            Question.IS_CHEAP, stage.name, lambda: _too_much_repeated(analysis, request, stage)
        )
    if request.space == MemorySpace.PRIVATE:
        return
    for handoff in candidate.footprints:
        yield Asked(
            Question.STAYS_APART,
            f"'@{handoff.sym_name.data}'",
            lambda handoff=handoff: _collision(analysis, draft, candidate, stage, handoff),
        )


def _too_much_repeated(analysis: ProgramAnalysis, request: Request, stage: Stage) -> Refusal | None:
    """The refusal if tiles do too much again of what others do."""
    if request.home is not Home.REGISTERS:
        return None if request.has_one_tile else too_much_redundancy(stage)
    limits, ops = Limits.of(request.options.local_memory), analysis.facts(stage.arm.arm).ops
    return limits.too_much_repetition(stage, ops, request.consumers, request.steps)


def _collision(
    analysis: ProgramAnalysis, draft: Draft, candidate: Candidate, stage: Stage, handoff: BufferOp
) -> Refusal | None:
    """The refusal if stores meet past the end of a handoff and cannot be guarded."""
    if not collides_outside(stage.arm, handoff, runs_beyond=True):
        return None
    runs_beyond = not is_guarded(analysis, draft, stage, candidate.footprints)
    if not runs_beyond and not collides_outside(stage.arm, handoff, runs_beyond=False):
        return None
    return unguardable(stage.arm, handoff)


def _misplaced(
    analysis: ProgramAnalysis, draft: Draft, stage: Stage, promoted: Collection[BufferOp]
) -> Refusal | None:
    """The refusal if dependences between `stage` and another cross tiles."""
    related = dict[int, Stage]()
    for buffer in stage.arm.buffers():
        if buffer not in promoted:
            conflicting = draft.touching.conflicting(stage, buffer)
            related |= {id(other): other for other in conflicting}
    for other in related.values():
        if other.arm is stage.arm:
            continue
        earlier, later = sorted((stage, other), key=lambda each: analysis.position(each.arm.arm))
        if (refusal := unordered(analysis, earlier, later, promoted)) is not None:
            return refusal
    return None


def _repetition(
    analysis: ProgramAnalysis, stage: Stage, promoted: Collection[BufferOp]
) -> Refusal | None:
    """The refusal if an invocation runs in two tiles, and that could be noticed."""
    refusal = noticed_when_repeated(stage, promoted)
    return refusal if refusal is not None and is_repeated(stage, analysis.symbols) else None


def _outgrown(
    analysis: ProgramAnalysis, draft: Draft, stage: Stage, handoff: BufferOp
) -> Refusal | None:
    """The refusal if tiles that effects have added read outside of a footprint."""
    reads = stage.arm.touched(stage.arm.reads_of(handoff))
    outside = stage.runs.apply_range(reads).subtract(draft.footprints[handoff].elements)
    if analysis.symbols.restricted(outside).is_empty():
        return None
    return without_constant_extent(handoff, stage)
