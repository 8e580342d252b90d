"""
Plans the fusion of the arms that touch one handoff, and of those that lead to it.

The consumers of the handoff, the sinks, run equal shares of their invocations per tile. How many
that are decides the tiles of the whole chain, so that they are chosen together.
"""

from __future__ import annotations

from fractions import Fraction

from vyre_dialect.analysis.access_relations import ArmAccesses
from vyre_dialect.ir.types import MemorySpace, element_bytes
from vyre_dialect.ops.program import BufferOp
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.cost import Limits
from vyre_dialect.passes.fusion.tiling.group import Group, Plan
from vyre_dialect.passes.fusion.tiling.handoffs import (
    refusal_of,
    refusal_of_arm,
    refusal_of_role,
)
from vyre_dialect.passes.fusion.tiling.intervals import Stage, slope_of
from vyre_dialect.passes.fusion.tiling.legality import uncovered
from vyre_dialect.passes.fusion.tiling.options import Options, Tiling
from vyre_dialect.passes.fusion.tiling.refusal import Reason, Refusal

FEWEST_LANES = 16
"""A workgroup does not shrink below this only to let more arms share its tile."""


class Planner:
    """Plans the fusion of the arms that touch one handoff, and of those that lead to it."""

    def __init__(self, analysis: ProgramAnalysis, handoff: BufferOp, options: Options):
        self.analysis = analysis
        self.handoff = handoff
        self.options = options
        self.sinks: list[ArmAccesses] = []
        self._checked: dict[BufferOp, Refusal | None] = {}

    def private(self, *, only_if_cheap: bool) -> Plan | Refusal:
        """A tile per invocation of the sinks, in private values."""
        if (refusal := self._find_sinks()) is not None:
            return refusal
        cooperative = self._cooperative_sinks()
        if cooperative and len(self.sinks) > 1:
            return Refusal(
                Reason.MISMATCHED_TILES,
                "a cooperative consumer shares no invocations with another",
                consumer=cooperative[0].arm,
            )
        producer = self._producer()
        pinned = self.sinks[0] if cooperative or producer.is_data_parallel else producer
        size = pinned.arm.workgroup[0]
        is_global = self.options.local_memory == "global"
        is_for_cpu = only_if_cheap and is_global and self.options.steps == 1
        if cooperative or is_for_cpu:
            # One of a workgroup's own invocations does for itself alone, and a compiler for CPUs
            # was not seen to keep the values of several invocations.
            return self._grown(Tiling(MemorySpace.PRIVATE, size, 1, only_if_cheap))
        return self._regular(MemorySpace.PRIVATE, size, 1, only_if_cheap)

    def workgroup(self) -> Plan | Refusal:
        """A tile per workgroup, in workgroup memory."""
        if (refusal := self._find_sinks()) is not None:
            return refusal
        cooperative, first = self._cooperative_sinks(), self.sinks[0]
        if len(cooperative) > 1:
            return Refusal(
                Reason.MISMATCHED_TILES,
                "only one cooperative consumer can say how its workgroup is laid out",
                consumer=cooperative[1].arm,
            )
        if cooperative:
            return self._pinned(cooperative[0])
        if not (producer := self._producer()).is_data_parallel:
            return self._filled_by(producer)
        if self.options.tile:
            share = self._share_of_tile(first)
            if isinstance(share, Refusal):
                return share
            size = min(first.arm.workgroup[0], share)
            return self._grown(Tiling(MemorySpace.WORKGROUP, size, share))
        return self._largest_that_fits(first.arm.workgroup[0])

    def _producer(self) -> ArmAccesses:
        """The arm that fills the handoff."""
        accesses = self.analysis.accesses(self.analysis.users(self.handoff).arms[0])
        assert isinstance(accesses, ArmAccesses)
        return accesses

    def _find_sinks(self) -> Refusal | None:
        """Find the consumers of the handoff; the refusal if it cannot be handed on in tiles."""
        if (refusal := self.checked(self.handoff)) is not None:
            return refusal
        for arm in self.analysis.users(self.handoff).arms[1:]:
            accesses = self.analysis.accesses(arm)
            assert isinstance(accesses, ArmAccesses)
            self.sinks.append(accesses)
        return None

    def checked(self, handoff: BufferOp) -> Refusal | None:
        """The refusal with a handoff that no tiling would solve."""
        if handoff not in self._checked:
            refusal = self.analysis.ask(lambda: self._check(handoff))
            self._checked[handoff] = refusal
        return self._checked[handoff]

    def _check(self, handoff: BufferOp) -> Refusal | None:
        if (refusal := refusal_of(self.analysis, handoff)) is not None:
            return refusal
        arms = self.analysis.users(handoff).arms
        for arm in arms:
            is_producer = arm is arms[0]
            if (
                refusal := refusal_of_arm(self.analysis.facts(arm), is_producer=is_producer)
            ) is not None:
                return refusal
        known = list[ArmAccesses]()
        for arm in arms:
            accesses = self.analysis.accesses(arm)
            if isinstance(accesses, Refusal):
                return accesses
            refusal = refusal_of_role(accesses, handoff, is_producer=arm is arms[0])
            if refusal is not None:
                return refusal
            known.append(accesses)
        refusals = (uncovered(self.analysis, handoff, known[0], each) for each in known[1:])
        return next((refusal for refusal in refusals if refusal is not None), None)

    def _cooperative_sinks(self) -> list[ArmAccesses]:
        return [each for each in self.sinks if not each.is_data_parallel]

    def _grown(self, tiling: Tiling) -> Plan | Refusal:
        group = Group(self.analysis, self.options, self.checked, self.handoff, tiling)
        sinks = list[Stage]()
        for arm in self.sinks:
            share = self._matching_share(self.sinks[0], arm, tiling.first_share)
            if isinstance(share, Refusal):
                return share
            sinks.append(self.analysis.tiles.equal_shares(arm, share))
        refusal = group.begin(sinks)
        return group.grow() if refusal is None else refusal

    def _pinned(self, cooperative: ArmAccesses) -> Plan | Refusal:
        """The plan in the workgroups that a cooperative sink comes with."""
        size, first = cooperative.arm.workgroup[0], self.sinks[0]
        step = self._step(cooperative)
        if self.options.tile:
            if isinstance(step, Refusal):
                return step
            if self.options.tile != abs(size * step):
                return Refusal(
                    Reason.MISMATCHED_TILES,
                    f"workgroups of a cooperative consumer read {abs(size * step)} elements each, "
                    f"not the {self.options.tile} asked for",
                    consumer=cooperative.arm,
                )
        share = self._matching_share(cooperative, first, size)
        if isinstance(share, Refusal):
            return share
        return self._grown(Tiling(MemorySpace.WORKGROUP, size, share))

    def _filled_by(self, cooperative: ArmAccesses) -> Plan | Refusal:
        """The plan in the workgroups that a cooperative producer comes with."""
        size, step = cooperative.arm.workgroup[0], self._step(self.sinks[0])
        written = slope_of(cooperative.writes_to(self.handoff))
        if isinstance(step, Refusal):
            return step
        moved = Fraction(0) if written is None else size * written.per_invocation
        share = moved / step
        if share.denominator != 1 or share <= 0:
            return Refusal(
                Reason.COOPERATIVE_PRODUCER,
                f"workgroups of '{cooperative.arm.generator.data}' move on by {moved} elements, "
                f"invocations of '{self.sinks[0].arm.generator.data}' by {step}: no whole number "
                "of these reads what a workgroup writes",
                consumer=self.sinks[0].arm,
            )
        return self._grown(Tiling(MemorySpace.WORKGROUP, size, int(share)))

    def _largest_that_fits(self, size: int) -> Plan | Refusal:
        """The plan with the largest tiles, unless smaller ones let more arms share them."""
        best: Plan | None = None
        refused: Refusal | None = None
        while size and (best is None or (best.lacks_memory and size >= FEWEST_LANES)):
            found = self._of_size(size)
            size //= 2
            if isinstance(found, Plan):
                if best is None or len(found.footprints) > len(best.footprints):
                    best = found
                continue
            if refused is None or found.reason == Reason.OVER_BUDGET:
                refused = found
            if found.reason not in (Reason.OVER_BUDGET, Reason.MISMATCHED_TILES):
                break
        if best is not None:
            return best
        assert refused is not None
        return refused

    def _of_size(self, size: int) -> Plan | Refusal:
        """The plan for workgroups of a size."""
        return self._regular(MemorySpace.WORKGROUP, size, size)

    def _regular(
        self, space: MemorySpace, size: int, lanes: int, only_if_cheap: bool = False
    ) -> Plan | Refusal:
        """The plan for tiles of so many lanes, with footprints at regular places if they can be."""
        asked = self._grown(Tiling(space, size, lanes, only_if_cheap))
        if isinstance(asked, Refusal) and (not only_if_cheap or self._is_always_dear()):
            return asked
        is_free = not only_if_cheap or (isinstance(asked, Plan) and asked.is_cheap)
        found = asked if is_free else self._grown(Tiling(space, size, lanes))
        if isinstance(found, Plan) and (unit := found.denominator) > 1:
            for share in (lanes * unit, lanes // unit * unit):
                if not share:
                    continue
                regular = self._grown(Tiling(space, size, share, only_if_cheap))
                if isinstance(regular, Plan) and len(regular.footprints) >= len(found.footprints):
                    return regular
        return asked

    def _is_always_dear(self) -> bool:
        """Whether private values for several invocations of the first sink are never cheap."""
        step = self._step(self.sinks[0])
        size = element_bytes(self.handoff.type.element_type) or 0
        limits = Limits.of(self.options.local_memory)
        return isinstance(step, Fraction) and limits.are_too_far_apart(abs(step) * size)

    def _share_of_tile(self, consumer: ArmAccesses) -> int | Refusal:
        """How many invocations of `consumer` read one tile of the size that was asked for."""
        step = self._step(consumer)
        if isinstance(step, Refusal):
            return step
        share = abs(self.options.tile / step)
        if share.denominator == 1 and share:
            return int(share)
        return Refusal(
            Reason.MISMATCHED_TILES,
            f"a tile of {self.options.tile} elements is no whole number of invocations, "
            f"each of which reads {step} on average",
            consumer=consumer.arm,
        )

    def _matching_share(self, pinned: ArmAccesses, other: ArmAccesses, size: int) -> int | Refusal:
        """How many invocations of `other` read what `size` invocations of `pinned` read."""
        if pinned is other:
            return size
        steps = self._step(pinned), self._step(other)
        for step in steps:
            if isinstance(step, Refusal):
                return step
        pinned_step, other_step = steps
        assert isinstance(pinned_step, Fraction) and isinstance(other_step, Fraction)
        share = size * pinned_step / other_step
        if share.denominator == 1 and share > 0:
            return int(share)
        names = (f"'{each.arm.generator.data}'" for each in (pinned, other))
        return Refusal(
            Reason.MISMATCHED_TILES,
            _mismatch(size, *zip(names, (pinned_step, other_step), strict=True)),
            consumer=other.arm,
        )

    def _step(self, consumer: ArmAccesses) -> Fraction | Refusal:
        """By how many elements of the handoff the reads of one invocation lie apart."""
        slope = slope_of(consumer.reads_of(self.handoff))
        if slope is not None and slope.per_invocation:
            return slope.per_invocation
        return Refusal(
            Reason.CROSS_WORKGROUP,
            f"the reads of '@{self.handoff.sym_name.data}' do not move along with the invocations",
            consumer=consumer.arm,
        )


def _mismatch(size: int, pinned: tuple[str, Fraction], other: tuple[str, Fraction]) -> str:
    """Why no number of invocations reads what `size` of another arm do; arms by name and step."""
    (name, step), (other_name, other_step) = pinned, other
    if step * other_step < 0:
        forwards, backwards = (name, other_name) if step > 0 else (other_name, name)
        return f"{forwards} reads the handoff forwards and {backwards} backwards"
    share, count = size * step / other_step, "1 invocation" if size == 1 else f"{size} invocations"
    return (
        f"tiles of {count} of {name} cover {share} invocations of {other_name}, which is no whole "
        "number"
    )
