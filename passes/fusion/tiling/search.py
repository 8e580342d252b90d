"""Which tiles to ask for: the first request whose plan is proved legal, or the best of several."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from vyre_dialect.analysis.access_relations import ArmAccesses
from vyre_dialect.ir.types import MemorySpace, element_bytes
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.cost import Limits
from vyre_dialect.passes.fusion.tiling.growth import grown
from vyre_dialect.passes.fusion.tiling.options import Options
from vyre_dialect.passes.fusion.tiling.plan import Plan
from vyre_dialect.passes.fusion.tiling.refusal import Reason, Refusal
from vyre_dialect.passes.fusion.tiling.request import (
    Handoff,
    Request,
    handoff_of,
    matching_share,
    share_of_tile,
    share_of_workgroup,
    shares_of,
)
from vyre_dialect.passes.fusion.tiling.sliding import with_slides

CACHE_TILE_BYTES = 8192
"""Bytes of a handoff in a tile that one core decodes and scans, in its cache."""
CACHE_BUDGET = 4 * CACHE_TILE_BYTES
"""Bytes of all such tiles together, as much as the smallest of today's caches of a core hold."""
MOST_REPETITION = 2
"""How often invocations of a producer may run on average before tiles grow."""
FEWEST_LANES = 16
"""A workgroup does not shrink below this only to let more arms share its tile."""


def private_plan(analysis: ProgramAnalysis, buffer: BufferOp, options: Options) -> Plan | Refusal:
    """A plan with a tile per invocation of the consumers of `buffer`, in private values."""
    handoff = handoff_of(analysis, buffer)
    if isinstance(handoff, Refusal):
        return handoff
    search = _Search(analysis, handoff, options)
    plan = search.private(only_if_cheap=options.strategy == "auto")
    return plan if isinstance(plan, Refusal) else with_slides(analysis, plan)


def workgroup_plan(analysis: ProgramAnalysis, buffer: BufferOp, options: Options) -> Plan | Refusal:
    """A plan with a tile per workgroup of the consumers of `buffer`, in workgroup memory."""
    handoff = handoff_of(analysis, buffer)
    if isinstance(handoff, Refusal):
        return handoff
    return _Search(analysis, handoff, options).workgroup()


def cached_plan(analysis: ProgramAnalysis, buffer: BufferOp, options: Options) -> Plan | Refusal:
    """A plan with a tile for many invocations of the consumers, which one invocation does."""
    handoff = handoff_of(analysis, buffer)
    if isinstance(handoff, Refusal):
        return handoff
    options = replace(options, private_budget=CACHE_BUDGET, steps=1)
    return _Search(analysis, handoff, options).cached()


@dataclass(frozen=True, eq=False)
class _Search:
    analysis: ProgramAnalysis
    handoff: Handoff
    options: Options

    def private(self, *, only_if_cheap: bool) -> Plan | Refusal:
        (first, *others), producer = self.handoff.consumers, self.handoff.producer
        cooperative = self.handoff.cooperative_consumers
        if cooperative and others:
            return Refusal(
                Reason.MISMATCHED_TILES,
                "a cooperative consumer shares no invocations with another",
                consumer=cooperative[0].arm,
            )
        pinned = first if cooperative or producer.is_data_parallel else producer
        size = pinned.arm.workgroup[0]
        is_global = self.options.local_memory == "global"
        is_for_cpu = only_if_cheap and is_global and self.options.steps == 1
        if cooperative or is_for_cpu:
            # One of a workgroup's own invocations does for itself alone, and a compiler for CPUs
            # was not seen to keep the values of several invocations.
            return self._plan(MemorySpace.PRIVATE, size, 1, only_if_cheap)
        return self._regular(MemorySpace.PRIVATE, size, 1, only_if_cheap)

    def workgroup(self) -> Plan | Refusal:
        cooperative, first = self.handoff.cooperative_consumers, self.handoff.consumers[0]
        if len(cooperative) > 1:
            return Refusal(
                Reason.MISMATCHED_TILES,
                "only one cooperative consumer can say how its workgroup is laid out",
                consumer=cooperative[1].arm,
            )
        if cooperative:
            return self._pinned(cooperative[0])
        if not self.handoff.producer.is_data_parallel:
            size = self.handoff.producer.arm.workgroup[0]
            return self._shared(size, share_of_workgroup(self.handoff))
        if not self.options.tile:
            return self._largest_that_fits(first.arm.workgroup[0])
        share = share_of_tile(self.handoff, first, self.options.tile)
        if isinstance(share, Refusal):
            return share
        return self._shared(min(first.arm.workgroup[0], share), share)

    def cached(self) -> Plan | Refusal:
        """
        The plan for tiles of an invocation that stay in the cache of its core. They are as large
        as `CACHE_TILE_BYTES` allow, or smaller, if that lets more arms share them.
        """
        arms = (self.handoff.producer, *self.handoff.consumers)
        cooperative = [each.arm for each in arms if not each.is_data_parallel]
        if cooperative:
            return Refusal(
                Reason.UNPROFITABLE,
                f"'{cooperative[0].generator.data}' keeps its workgroups, whose tiles were "
                "measured to cost more than they save where workgroup memory is ordinary memory",
            )
        first = self.handoff.consumers[0]
        step = self.handoff.step(first)
        if isinstance(step, Refusal):
            return step
        size, refused = element_bytes(self.handoff.buffer.type.element_type) or 1, None
        share = max(1, int(CACHE_TILE_BYTES // size / abs(step)))
        best: Plan | None = None
        while share and (best is None or best.lacks_memory):
            found = self._regular(MemorySpace.PRIVATE, first.arm.workgroup[0], share)
            share //= 2
            if isinstance(found, Refusal):
                refused = refused or found
                if found.reason != Reason.OVER_BUDGET:
                    break
            elif best is None or len(found.footprints) > len(best.footprints):
                best = found
        if best is not None:
            return best
        assert refused is not None
        return refused

    def _plan(
        self, space: MemorySpace, size: int, first_share: int, only_if_cheap: bool = False
    ) -> Plan | Refusal:
        """The plan for tiles of so many invocations of the first consumer."""
        sinks = shares_of(self.analysis, self.handoff, first_share)
        if isinstance(sinks, Refusal):
            return sinks
        buffer = self.handoff.buffer
        request = Request(buffer, self.options, space, size, sinks, only_if_cheap)
        return grown(self.analysis, request)

    def _shared(self, size: int, first_share: int | Refusal) -> Plan | Refusal:
        """The plan for such a share per workgroup."""
        if isinstance(first_share, Refusal):
            return first_share
        return self._plan(MemorySpace.WORKGROUP, size, first_share)

    def _pinned(self, cooperative: ArmAccesses) -> Plan | Refusal:
        """The plan in the workgroups that a cooperative consumer comes with."""
        size = cooperative.arm.workgroup[0]
        if (refusal := self._other_tile_asked(cooperative)) is not None:
            return refusal
        first = self.handoff.consumers[0]
        return self._shared(size, matching_share(self.handoff, cooperative, first, size))

    def _other_tile_asked(self, cooperative: ArmAccesses) -> Refusal | None:
        if not self.options.tile:
            return None
        step = self.handoff.step(cooperative)
        if isinstance(step, Refusal):
            return step
        read = abs(cooperative.arm.workgroup[0] * step)
        if self.options.tile == read:
            return None
        return Refusal(
            Reason.MISMATCHED_TILES,
            f"workgroups of a cooperative consumer read {read} elements each, "
            f"not the {self.options.tile} asked for",
            consumer=cooperative.arm,
        )

    def _largest_that_fits(self, size: int) -> Plan | Refusal:
        """The plan with the largest tiles, unless smaller ones let more arms share them."""
        best: Plan | None = None
        refused: Refusal | None = None
        while size and (best is None or (best.lacks_memory and size >= FEWEST_LANES)):
            found = self._unrepeated(self._regular(MemorySpace.WORKGROUP, size, size), size)
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

    def _unrepeated(self, found: Plan | Refusal, size: int) -> Plan | Refusal:
        """
        The plan, or that for as large a share of a workgroup as it takes for producers not to run
        again and again: those of blocks that are larger than the workgroup.
        """
        share = size
        while isinstance(found, Plan) and found.repetition > MOST_REPETITION:
            share *= 2
            larger = self._plan(MemorySpace.WORKGROUP, size, share)
            if not isinstance(larger, Plan) or len(larger.footprints) < len(found.footprints):
                break
            found = larger
        return found

    def _regular(
        self, space: MemorySpace, size: int, lanes: int, only_if_cheap: bool = False
    ) -> Plan | Refusal:
        """The plan for tiles of so many lanes, with footprints at regular places if they can be."""
        asked = self._plan(space, size, lanes, only_if_cheap)
        if isinstance(asked, Refusal) and (not only_if_cheap or self._is_always_dear()):
            return asked
        is_free = not only_if_cheap or (isinstance(asked, Plan) and asked.is_all_cheap)
        found = asked if is_free else self._plan(space, size, lanes)
        if not isinstance(found, Plan) or (unit := found.denominator) == 1:
            return asked
        for share in (lanes * unit, lanes // unit * unit):
            if not share:
                continue
            regular = self._plan(space, size, share, only_if_cheap)
            if isinstance(regular, Plan) and len(regular.footprints) >= len(found.footprints):
                return regular
        return asked

    def _is_always_dear(self) -> bool:
        """Whether private values for several invocations of the first sink are never cheap."""
        step = self.handoff.step(self.handoff.consumers[0])
        size = element_bytes(self.handoff.buffer.type.element_type) or 0
        limits = Limits.of(self.options.local_memory)
        return isinstance(step, Fraction) and limits.are_too_far_apart(abs(step) * size)
