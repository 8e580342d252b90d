"""Plans where the scratch buffers of a run lie in the memory that they share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from vyre_dialect.passes.memory.packing.instance import Instance, LiveRange
from vyre_dialect.passes.memory.packing.slots import share_slots
from vyre_dialect.passes.memory.scratch_reuse import live_ranges_of, packed
from vyre_dialect.runtime.interpreter.host_plan import Declaration, HostPlan, Sizing
from vyre_dialect.runtime.interpreter.size_bounds import counts_of
from vyre_dialect.runtime.opencl.scratch_layout import APART, Place, ScratchLayout
from vyre_dialect.runtime.program.device_info import DeviceInfo

Shared: TypeAlias = "tuple[Mapping[Declaration, Place], tuple[int, ...]]"
"""Where buffers lie, and the sizes of the allocations that they share."""


@dataclass(frozen=True)
class ArenaPlanner:
    """Plans for one program on one device, whose buffers begin at multiples of `alignment`."""

    plan: HostPlan[Any]
    info: DeviceInfo
    alignment: int

    def layout(self, sizing: Sizing, absent: frozenset[str]) -> ScratchLayout:
        """As `ScratchLayouts.layout` has it, for a program with buffers that may share."""
        counts = counts_of(self.plan, sizing)
        shared = [
            each
            for each in self.plan.recyclable
            if each.name not in absent and each.key in counts and counts[each.key].high
        ]
        sizes = {each: counts[each.key].high * each.element_size for each in shared}
        least = sum(counts[each.key].low * each.element_size for each in shared)
        places, blocks = self._arena(sizes) if self.info.has_sub_buffers else self._slots(sizes)
        if sum(blocks) >= least or max(blocks) > self.info.max_alloc_bytes:
            return APART
        by_key = {each.key: place for each, place in places.items()}
        return ScratchLayout(by_key, blocks, Instance(self._live_ranges(sizes)).lower_bound)

    def _arena(self, sizes: Mapping[Declaration, int]) -> Shared:
        offsets, size = self._stated(sizes) or self._planned(sizes)
        return {each: Place(0, offset) for each, offset in offsets.items()}, (size,)

    def _stated(
        self, sizes: Mapping[Declaration, int]
    ) -> tuple[dict[Declaration, int], int] | None:
        """What the IR says, if it says so of every buffer and suits the device."""
        offsets = dict[Declaration, int]()
        for each in sizes:
            stated = each.op.arena_offset
            if stated is None or stated.value.data % self.alignment:
                return None
            offsets[each] = stated.value.data
        return offsets, max((offsets[each] + sizes[each] for each in sizes), default=0)

    def _planned(self, sizes: Mapping[Declaration, int]) -> tuple[dict[Declaration, int], int]:
        by_op = {each.op: size for each, size in sizes.items()}
        packing = packed(self.plan.program, by_op, self.alignment)
        return dict(zip(sizes, packing.offsets, strict=True)), packing.peak

    def _slots(self, sizes: Mapping[Declaration, int]) -> Shared:
        slots = share_slots(self._live_ranges(sizes))
        places = [Place(slot, None) for slot in slots.slot_of]
        return dict(zip(sizes, places, strict=True)), tuple(slots.sizes)

    def _live_ranges(self, sizes: Mapping[Declaration, int]) -> list[LiveRange]:
        return live_ranges_of(self.plan.program, {each.op: size for each, size in sizes.items()})
