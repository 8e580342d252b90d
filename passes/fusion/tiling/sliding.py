"""
Which producers of a plan slide: where one invocation does consecutive tiles in a loop, they run
only those of their invocations that the tile before did not.

Producers that do not slide run the whole of their share for each tile, as without a loop. Source
of the method: Halide's sliding windows (Ragan-Kelley et al., PLDI 2013).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from vyre_dialect.analysis.access_relations import AccessRelation
from vyre_dialect.analysis.isl import isl
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.intervals import Interval, Stage
from vyre_dialect.passes.fusion.tiling.legality import visible
from vyre_dialect.passes.fusion.tiling.plan import Plan, Slide, Sliding
from vyre_dialect.passes.fusion.tiling.refusal import Reason, Refusal


def with_slides(analysis: ProgramAnalysis, plan: Plan) -> Plan:
    """
    A plan with the producers that slide, where an invocation may do several tiles in registers;
    of those that do not, though they share invocations from tile to tile, why not.
    """
    if plan.request.steps == 1:
        return plan
    found = dict[RegionOp, Slide | Refusal]()
    for stage in plan.stages:
        if not stage.is_producer:
            continue
        proof = _Proof(analysis, plan, found)
        slide = analysis.ask(lambda proof=proof, stage=stage: proof.slide(stage))
        if slide is not None:
            found[stage.arm.arm] = slide
    return replace(
        plan,
        slides={arm: slide for arm, slide in found.items() if isinstance(slide, Slide)},
        recomputed={
            handoff: refusal
            for arm, refusal in found.items()
            if isinstance(refusal, Refusal)
            for handoff in plan.filled[arm]
        },
    )


@dataclass(frozen=True)
class _Proof:
    analysis: ProgramAnalysis
    plan: Plan
    found: Mapping[RegionOp, Slide | Refusal]
    """What became of the producers before."""

    def slide(self, stage: Stage) -> Slide | Refusal | None:
        """How a producer slides, why it does not, or None where tiles share no invocation."""
        name, share = stage.arm.arm.generator.data, stage.share
        if abs(share.pace.per_tile) >= share.extent:
            return None
        if any(not each.arm.is_data_parallel for each in self.plan.stages):
            return _refusal("an arm keeps its own workgroups, each of which does one tile")
        new = self._step(share)
        if new is None or new < 0:
            return _refusal(
                f"the invocations of '{name}' do not move on by a constant number per tile"
            )
        overlap = share.extent - new
        tiles = dict[BufferOp, Sliding]()
        for handoff in self.plan.filled[stage.arm.arm]:
            sliding = self._sliding(stage, handoff)
            if isinstance(sliding, Refusal):
                return sliding
            tiles[handoff] = sliding
        return self._met_by_others(stage) or self._fed_late(stage, overlap) or Slide(overlap, tiles)

    def _step(self, interval: Interval) -> int | None:
        """By how much an interval moves from each tile to the next, if that is a constant."""
        tiles = self.analysis.tiles
        next_tile = self.analysis.symbols.relation("{ T[w] -> T[v] : v = w + 1 and w >= 0 }")
        bounds = tiles.residues(
            next_tile.apply_range(isl.Map.from_pw_aff(interval.base)), interval.base
        )
        return bounds[0] if bounds is not None and bounds[0] == bounds[1] else None

    def _sliding(self, stage: Stage, handoff: BufferOp) -> Sliding | Refusal:
        """
        How a tile moves on. It must hold all that its producers write, as these do not run again
        for what lies past its end; what lies in front of it, no later tile has.
        """
        footprint, name = self.plan.footprints[handoff], handoff.sym_name.data
        step = self._step(footprint)
        if step is None or step < 0:
            return _refusal(f"tiles of '@{name}' do not move on by a constant number of elements")
        written = stage.spread.apply_range(stage.arm.reach(stage.arm.writes_to(handoff)))
        bounds = self.analysis.tiles.residues(written, footprint.base)
        if bounds is None or bounds[1] >= footprint.extent:
            return _refusal(f"a tile of '@{name}' holds less than its producers write")
        return Sliding(step, max(bounds[1] + 1, 0), footprint.extent)

    def _met_by_others(self, stage: Stage) -> Refusal | None:
        """
        The refusal if the order of a producer and another arm matters, other than by tiles: what
        a producer does in front of the loop, it does before all that others do in the loop.
        """
        for buffer in visible(stage.arm, self.plan.footprints):
            for other in self.plan.stages:
                if other is not stage and _conflict(stage.arm.to(buffer), other.arm.to(buffer)):
                    return _refusal(f"another arm touches '@{buffer.sym_name.data}', too")
        return None

    def _fed_late(self, stage: Stage, overlap: int) -> Refusal | None:
        """
        The refusal if what runs of a producer in front of the loop reads what is written in the
        loop only. Where tiles neither begin nor end, it reads what the tile before has as well.
        """
        for handoff in self.plan.footprints:
            if not (reads := stage.arm.reads_of(handoff)):
                continue
            source = next(each for each in self.plan.stages if handoff in self._filled_by(each))
            feeding = self.found.get(source.arm.arm)
            name = handoff.sym_name.data
            if not isinstance(feeding, Slide):
                return _refusal(f"the producer of '@{name}', which it reads, does not slide")
            read = _first(stage.share, overlap).intersect_range(stage.arm.invocations)
            read = read.apply_range(stage.arm.touched(reads)).intersect_domain(self._existing)
            late = _from(source.share, feeding.overlap)
            late = late.apply_range(source.arm.reach(source.arm.writes_to(handoff)))
            if not self.analysis.symbols.restricted(read.intersect(late)).is_empty():
                return _refusal(f"its first tile reads more of '@{name}' than tiles share")
        return None

    def _filled_by(self, stage: Stage) -> Sequence[BufferOp]:
        return self.plan.filled.get(stage.arm.arm, ())

    @property
    def _existing(self) -> isl.Set:
        return isl.Set.read_from_str(self.analysis.context, "{ T[w] : w >= 0 }")


def _first(share: Interval, count: int) -> isl.Map:
    """The relation from each tile to the first invocations of a share."""
    return Interval(share.symbols, share.base, count, share.pace).invocations


def _from(share: Interval, start: int) -> isl.Map:
    """The relation from each tile to the invocations of a share but for the first ones."""
    return share.invocations.subtract(_first(share, start))


def _conflict(some: list[AccessRelation], others: list[AccessRelation]) -> bool:
    return any(
        (one.writes or other.writes) and not one.access.commutes_with(other.access)
        for one in some
        for other in others
    )


def _refusal(detail: str) -> Refusal:
    return Refusal(Reason.NO_SLIDING, detail)
