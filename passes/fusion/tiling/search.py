"""Which tiles to ask for: the first request whose plan is proved legal, or the best of several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import NamedTuple

from vyre_dialect.analysis.access_relations import ArmAccesses
from vyre_dialect.ir.types import element_bytes
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.passes.fusion.tiling.analysis import ProgramAnalysis
from vyre_dialect.passes.fusion.tiling.cost import MOST_REDUNDANCY, Limits
from vyre_dialect.passes.fusion.tiling.growth import grown
from vyre_dialect.passes.fusion.tiling.options import Home, Options
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

TILES_IN_CACHE = 4
"""A tile in a cache takes this part of the budget at first, and leaves the rest to others."""
SHRINKS_IN_CACHE = 8
"""
It does not become smaller than this part of that: loops over fewer elements are mostly their own
begin and end, and what tiles have in common is done again for each.
"""
FEWEST_LANES = 16
"""A workgroup does not shrink below this only to let more arms share its tile."""
TILE_OF_WORKGROUP = 2048
"""
Elements of a tile of a workgroup at first: barriers, and what tiles have in common, cost a larger
one no more. One element for each invocation was 1.3 to 5 times as slow where that paid at all
(benchmarks/results/tiles-nvidia-h200.json).
"""
FEWEST_TILES = 64
"""Where it is known how many there are, so many are left for the units of a device."""
MOST_DOUBLINGS = 6
"""How often tiles of workgroups grow for producers of larger blocks: 64 times as large at most."""
HELPED_BY_SMALLER = (Reason.OVER_BUDGET, Reason.MISMATCHED_TILES)
"""Reasons that smaller tiles may not have."""


def plan_in(
    home: Home, analysis: ProgramAnalysis, buffer: BufferOp, options: Options
) -> Plan | Refusal:
    """
    A plan with tiles of `buffer` in such a home: a tile per invocation of its consumers, per
    workgroup of them, or for many of their invocations, all of which one invocation does.
    """
    handoff = handoff_of(analysis, buffer)
    if isinstance(handoff, Refusal):
        return handoff
    search = _Search(analysis, handoff, options, home)
    match home:
        case Home.REGISTERS:
            plan = search.of_invocations()
        case Home.CACHE:
            plan = search.of_cores()
        case Home.WORKGROUP:
            plan = search.of_workgroups()
    return plan if isinstance(plan, Refusal) else with_slides(analysis, plan)


class _Layout(NamedTuple):
    """A tile of a workgroup."""

    share: int
    """Invocations of the first consumer that it has."""
    size: int
    """Invocations of the workgroup that does them."""


@dataclass(frozen=True, eq=False)
class _Search:
    analysis: ProgramAnalysis
    handoff: Handoff
    options: Options
    home: Home

    @property
    def only_if_cheap(self) -> bool:
        """Whether to take what is too dear for a refusal, as nobody asks for this home."""
        return self.options.strategy == "auto"

    def of_invocations(self) -> Plan | Refusal:
        """The plan for tiles of an invocation of the first consumer, or of a few."""
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
        is_for_cpu = self.only_if_cheap and is_global and self.options.steps == 1
        if cooperative or is_for_cpu:
            # One of a workgroup's own invocations does for itself alone, and a compiler for CPUs
            # was not seen to keep the values of several invocations.
            return self._plan(size, 1)
        return self._regular(size, 1)

    def of_cores(self) -> Plan | Refusal:
        """
        The plan for tiles of an invocation that stay in the cache of its core. The first is as
        large as leaves room for others, or smaller, if that lets more arms share them.
        """
        arms = (self.handoff.producer, *self.handoff.consumers)
        cooperative = [each.arm for each in arms if not each.is_data_parallel]
        if cooperative:
            return Refusal(
                Reason.UNPROFITABLE,
                f"'{cooperative[0].generator.data}' keeps its workgroups, whose tiles were "
                "measured to cost more than they save where workgroup memory is ordinary memory",
            )
        step = self.handoff.step(self.handoff.consumers[0])
        if isinstance(step, Refusal):
            return step
        size = element_bytes(self.handoff.buffer.type.element_type) or 1
        tile = self.options.cache_budget // TILES_IN_CACHE
        share = max(1, int(tile // size / abs(step)))
        floor = max(1, share // SHRINKS_IN_CACHE)
        layouts = (_Layout(share, 1) for share in _halved(share, floor))
        return _largest(layouts, lambda tile: self._regular(tile.size, tile.share), floor)

    def of_workgroups(self) -> Plan | Refusal:
        """The plan for tiles of a workgroup."""
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
        size = first.arm.workgroup[0]
        if not self.options.tile:
            return _largest(self._layouts(first, size), self._unrepeated, FEWEST_LANES)
        share = share_of_tile(self.handoff, first, self.options.tile)
        if isinstance(share, Refusal):
            return share
        return self._shared(min(size, share), share)

    def _plan(self, size: int, first_share: int, *, at_any_cost: bool = False) -> Plan | Refusal:
        """The plan for tiles of so many invocations of the first consumer."""
        sinks = shares_of(self.analysis, self.handoff, first_share)
        if isinstance(sinks, Refusal):
            return sinks
        only_if_cheap = self.only_if_cheap and not at_any_cost
        request = Request(self.handoff.buffer, self.options, self.home, size, sinks, only_if_cheap)
        return grown(self.analysis, request)

    def _shared(self, size: int, first_share: int | Refusal) -> Plan | Refusal:
        """The plan for such a share per workgroup."""
        if isinstance(first_share, Refusal):
            return first_share
        return self._plan(size, first_share)

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

    def _layouts(self, consumer: ArmAccesses, size: int) -> Iterator[_Layout]:
        """Tiles that a workgroup takes several rounds for, one round, and those of smaller ones."""
        step, count, share = self.handoff.step(consumer), consumer.arm.domain[0], size
        limit = count // FEWEST_TILES if isinstance(count, int) else inf
        while isinstance(step, Fraction) and 0 < share * abs(step) < TILE_OF_WORKGROUP:
            if 2 * share > limit:
                break
            share *= 2
        yield from (_Layout(each, size) for each in _halved(share, size))
        yield from (_Layout(fewer, fewer) for fewer in _halved(size // 2, 1))

    def _unrepeated(self, layout: _Layout) -> Plan | Refusal:
        """
        The plan for such tiles of a workgroup, or for as large ones as it takes for producers not
        to run again and again: those of blocks that are larger than the workgroup.
        """
        share, size = layout
        found = self._regular(size, share)
        for doubling in range(1, 1 + MOST_DOUBLINGS):
            if not _repeats(found):
                break
            larger = self._plan(size, share << doubling)
            if isinstance(larger, Plan):
                found = larger if isinstance(found, Refusal) else _with_more_tiles(larger, found)
            elif larger.reason != Reason.UNPROFITABLE:
                break
        return found

    def _regular(self, size: int, lanes: int) -> Plan | Refusal:
        """The plan for tiles of so many lanes, with footprints at regular places if they can be."""
        asked = self._plan(size, lanes)
        may_be_cheaper = self.only_if_cheap and self.home is Home.REGISTERS
        if isinstance(asked, Refusal) and not (may_be_cheaper and self._are_close()):
            return asked
        is_final = isinstance(asked, Plan) and (not may_be_cheaper or asked.is_all_cheap)
        found = asked if is_final else self._plan(size, lanes, at_any_cost=True)
        if not isinstance(found, Plan) or (unit := found.denominator) == 1:
            return asked
        for share in (lanes * unit, lanes // unit * unit):
            if not share:
                continue
            regular = self._plan(size, share)
            if isinstance(regular, Plan) and len(regular.footprints) >= len(found.footprints):
                return regular
        return asked

    def _are_close(self) -> bool:
        """Whether private values for several invocations of the first sink may be cheap."""
        step = self.handoff.step(self.handoff.consumers[0])
        size = element_bytes(self.handoff.buffer.type.element_type) or 0
        limits = Limits.of(self.options.local_memory)
        return not (isinstance(step, Fraction) and limits.are_too_far_apart(abs(step) * size))


def _repeats(found: Plan | Refusal) -> bool:
    """Whether larger tiles may repeat less."""
    if isinstance(found, Refusal):
        return found.reason == Reason.UNPROFITABLE
    return found.repetition > MOST_REDUNDANCY


def _halved(share: int, least: int) -> Iterator[int]:
    """`share`, half of it, and so on down to `least`."""
    while share >= least:
        yield share
        share //= 2


def _largest(
    layouts: Iterable[_Layout], plan_for: Callable[[_Layout], Plan | Refusal], floor: int
) -> Plan | Refusal:
    """
    The plan for the first of some layouts that has one, or for a later one of a share of `floor` at
    the least that lets more arms share tiles.
    """
    best: Plan | None = None
    refused: Refusal | None = None
    for layout in layouts:
        if best is not None and (layout.share < floor or not best.lacks_memory):
            break
        found = plan_for(layout)
        if isinstance(found, Plan):
            best = found if best is None else _with_more_tiles(best, found)
            continue
        if refused is None or found.reason == Reason.OVER_BUDGET:
            refused = found
        if found.reason not in HELPED_BY_SMALLER:
            break
    if best is not None:
        return best
    assert refused is not None
    return refused


def _with_more_tiles(first: Plan, second: Plan) -> Plan:
    """The plan that keeps more handoffs in tiles; the first if both keep as many."""
    return second if len(second.footprints) > len(first.footprints) else first
