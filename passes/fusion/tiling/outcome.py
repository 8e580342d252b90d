"""What came of the handoffs of a program: those that are in tiles, and why the others are not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import ProgramOp, RegionOp
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.handoffs import is_handoff
from vyre_dialect.passes.fusion.tiling.options import Options
from vyre_dialect.passes.fusion.tiling.refusal import Reason, Refusal, RefusedHandoff
from vyre_dialect.passes.fusion.tiling.summary import PlanSummary


@dataclass(frozen=True)
class Outcome:
    """What fusion did to one program: the handoffs that became tiles, and the refusals."""

    promoted: dict[str, int | None]
    """Name and former element count (None: known at run time) of each promoted handoff."""
    refusals: list[RefusedHandoff]
    recomputed: dict[str, Refusal] = field(default_factory=dict[str, Refusal])
    """Promoted handoffs whose producers do not slide, though asked to, and why."""
    plans: Sequence[PlanSummary] = ()
    """What was carried out, in the order in which it was."""


@dataclass
class Progress:
    """What patterns share: the facts about one program, and what they have found of its buffers."""

    program: ProgramOp
    facts: AnalysisManager
    options: Options
    promoted: dict[str, int | None] = field(default_factory=dict[str, "int | None"])
    recomputed: dict[str, Refusal] = field(default_factory=dict[str, Refusal])
    plans: list[PlanSummary] = field(default_factory=list[PlanSummary])
    _refusals: dict[BufferOp, dict[str, Refusal]] = field(
        default_factory=dict[BufferOp, dict[str, Refusal]]
    )
    """By the places where each handoff may not go, in the order in which they were tried."""

    @property
    def analysis(self) -> ProgramAnalysis:
        """What is known of the program as it is."""
        return self.facts.get(ProgramAnalysis, self.program)

    def is_open(self, place: str, handoff: BufferOp) -> bool:
        """Whether `handoff` is one that was not refused `place` in the program as it is."""
        if handoff.parent is not self.program.body.block:
            return False
        known = self._refusals.get(handoff, {})
        return place not in known and is_handoff(self.analysis, handoff)

    def refuse(self, place: str, handoff: BufferOp, refusal: Refusal) -> None:
        """Note why `handoff` does not go to `place`."""
        self._refusals.setdefault(handoff, {})[place] = refusal

    def promote(self, handoffs: Iterable[BufferOp], arms: Iterable[RegionOp]) -> None:
        """Note that `handoffs` become tiles, and that `arms` are about to change."""
        for handoff in handoffs:
            self.promoted[handoff.sym_name.data] = handoff.type.static_count
            self._refusals.pop(handoff, None)
        analysis = self.analysis
        for buffer in {each for arm in arms for each in analysis.touches(arm)}:
            self._refusals.pop(buffer, None)
        for handoff, refusals in list(self._refusals.items()):
            if any(each.reason == Reason.INTERVENING_ARM for each in refusals.values()):
                del self._refusals[handoff]

    def outcome(self) -> Outcome:
        """What became of all handoffs; refusals in the order of their producers."""
        analysis = self.analysis
        order = analysis.position
        refusals = [
            RefusedHandoff.of(handoff, analysis.users(handoff).arms, _told(refusals))
            for handoff, refusals in self._refusals.items()
        ]
        refusals.sort(key=lambda each: order(each.producer or each.handoff))
        return Outcome(self.promoted, refusals, self.recomputed, self.plans)


def _told(refusals: Mapping[str, Refusal]) -> Refusal:
    """
    What is told of a handoff that is refused all places: the reason of the last, and in words that
    of each that has another, or a cost. What would only be slow has its cause in the first.
    """
    kinds = list(refusals.values())
    first, last = kinds[0], kinds[-1]
    is_the_same = first.reason == last.reason and (
        first.detail == last.detail or last.reason not in _WITH_NUMBERS
    )
    if is_the_same or len(refusals) == 1:
        return last
    said = "; ".join(f"{place}: {each.detail}" for place, each in refusals.items())
    source = first if last.reason == Reason.UNPROFITABLE else last
    return replace(source, reason=last.reason, detail=said)


_WITH_NUMBERS = (Reason.OVER_BUDGET, Reason.UNPROFITABLE)
"""What is a matter of sizes, which are others for each place."""
