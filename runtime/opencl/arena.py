"""
The memory of the scratch buffers of a run: where each lies, for the sizes that the run has.

They share one arena, of which each has a part. The offsets of a program whose sizes are static
stand in its IR; those of others come from the same lives and the same planner, once for each
combination of sizes. On a device without sub-buffers they share whole allocations instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from vyre_dialect.passes.memory.packing.instance import Instance, Life
from vyre_dialect.passes.memory.packing.slots import share_slots
from vyre_dialect.passes.memory.scratch_reuse import lives_of, packed
from vyre_dialect.runtime.interpreter.host_plan import (
    MOST_SIZINGS,
    Declaration,
    HostPlan,
    Sizing,
)
from vyre_dialect.runtime.interpreter.machine import Derived, Key
from vyre_dialect.runtime.interpreter.size_bounds import counts_of
from vyre_dialect.runtime.opencl.buffer_pool import PooledBuffer
from vyre_dialect.runtime.opencl.devices import Device

if TYPE_CHECKING:
    import pyopencl as cl


@dataclass(frozen=True)
class ScratchSlice:
    """What one buffer has for its life of an allocation that it shares."""

    handle: cl.Buffer
    size: int
    """In bytes."""
    block: PooledBuffer
    """The allocation, kept as long as the slice."""


class Place(NamedTuple):
    """Where a buffer lies."""

    block: int
    """Which of the shared allocations."""
    offset: int | None
    """Its first byte there; None where the allocation cannot be cut, and it has the whole."""


Shared: TypeAlias = "tuple[Mapping[Declaration, Place], tuple[int, ...]]"
"""Where buffers lie, and the sizes of the allocations that they share."""


@dataclass(frozen=True)
class ScratchLayout:
    """Where the buffers of a run lie."""

    places: Mapping[Key, Place]
    """Buffers that are not listed have memory of their own."""
    blocks: tuple[int, ...]
    """The sizes of the shared allocations, in bytes."""
    lower_bound: int
    """The most bytes that are alive in them at once."""


APART = ScratchLayout({}, (), 0)
"""Every buffer in memory of its own."""


def block_key(number: int) -> Key:
    """The key of a shared allocation among the memory of a run."""
    return Derived("block", number)


class ScratchLayouts:
    """The layouts of one program on one device, by the sizes of its inputs."""

    def __init__(self, plan: HostPlan[Any], device: Device):
        self._plan = plan
        self._info = device.info
        self._alignment = max(1, int(device.handle.mem_base_addr_align) // 8)
        self._known: dict[tuple[Sizing, frozenset[str]], ScratchLayout] = {}

    def layout(self, sizing: Sizing, absent: frozenset[str]) -> ScratchLayout:
        """
        The layout for some sizes, without the buffers `absent`, which have memory already. Where
        sharing saves nothing, or takes more than one allocation may have, there is none. A checker
        gets none: it would not see an access that leaves its buffer for the next.
        """
        if not self._plan.recyclable or self._info.simulator:
            return APART
        key = (sizing, absent)
        if key not in self._known:
            if len(self._known) >= MOST_SIZINGS:
                self._known.clear()
            self._known[key] = self._layout(sizing, absent)
        return self._known[key]

    def _layout(self, sizing: Sizing, absent: frozenset[str]) -> ScratchLayout:
        counts = counts_of(self._plan, sizing)
        shared = [
            each
            for each in self._plan.recyclable
            if each.name not in absent and each.key in counts and counts[each.key].high
        ]
        sizes = {each: counts[each.key].high * each.element_size for each in shared}
        least = sum(counts[each.key].low * each.element_size for each in shared)
        places, blocks = self._arena(sizes) if self._info.has_sub_buffers else self._slots(sizes)
        if sum(blocks) >= least or max(blocks) > self._info.max_alloc_bytes:
            return APART
        by_key = {each.key: place for each, place in places.items()}
        return ScratchLayout(by_key, blocks, Instance(self._lives(sizes)).lower_bound)

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
            if stated is None or stated.value.data % self._alignment:
                return None
            offsets[each] = stated.value.data
        return offsets, max((offsets[each] + sizes[each] for each in sizes), default=0)

    def _planned(self, sizes: Mapping[Declaration, int]) -> tuple[dict[Declaration, int], int]:
        by_op = {each.op: size for each, size in sizes.items()}
        packing = packed(self._plan.program, by_op, self._alignment)
        return dict(zip(sizes, packing.offsets, strict=True)), packing.peak

    def _slots(self, sizes: Mapping[Declaration, int]) -> Shared:
        slots = share_slots(self._lives(sizes))
        places = [Place(slot, None) for slot in slots.slot_of]
        return dict(zip(sizes, places, strict=True)), tuple(slots.sizes)

    def _lives(self, sizes: Mapping[Declaration, int]) -> list[Life]:
        return lives_of(self._plan.program, {each.op: size for each, size in sizes.items()})
