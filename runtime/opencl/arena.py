"""
One arena for the scratch buffers of a run: where each lies, for the sizes that the run has.

The offsets of a program whose sizes are static stand in its IR; those of others come from the same
lives and the same planner, once for each combination of sizes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vyre_dialect.passes.memory.scratch_reuse import packed
from vyre_dialect.runtime.interpreter.host_plan import (
    MOST_SIZINGS,
    Declaration,
    HostPlan,
    Sizing,
)
from vyre_dialect.runtime.interpreter.machine import Key
from vyre_dialect.runtime.opencl.buffer_pool import PooledBuffer
from vyre_dialect.runtime.opencl.devices import Device

if TYPE_CHECKING:
    import pyopencl as cl


@dataclass(frozen=True)
class ArenaSlice:
    """A part of an arena that one buffer has for its life."""

    handle: cl.Buffer
    size: int
    """In bytes."""
    arena: PooledBuffer
    """Kept as long as the slice."""


@dataclass(frozen=True)
class ArenaLayout:
    """Where the buffers of a run lie in its arena."""

    offsets: Mapping[Key, int]
    """In bytes; buffers that are not listed have memory of their own."""
    size: int
    """Of the arena, in bytes."""


APART = ArenaLayout({}, 0)
"""Every buffer in memory of its own."""

NO_SUB_BUFFERS = ("NVIDIA CUDA",)
"""
Platforms without arenas: driver 580.159.04 was seen to crash the process on an H200, not every
time, when sub-buffers of an arena are released, also after all work on it has ended.
"""


class Arenas:
    """The layouts of one program on one device, by the sizes of its inputs."""

    def __init__(self, plan: HostPlan[Any], device: Device):
        self._plan = plan
        self._device = device
        self._alignment = max(1, int(device.handle.mem_base_addr_align) // 8)
        self._known: dict[tuple[Sizing, frozenset[str]], ArenaLayout] = {}

    def layout(self, sizing: Sizing, absent: frozenset[str]) -> ArenaLayout:
        """
        The layout for some sizes, without the buffers `absent`, which have memory already. Where an
        arena saves nothing, or does not fit one allocation, there is none. A checker gets none: it
        would not see an access that leaves its buffer for the next.
        """
        info = self._device.info
        if not self._plan.recyclable or info.simulator or info.platform in NO_SUB_BUFFERS:
            return APART
        key = (sizing, absent)
        if key not in self._known:
            if len(self._known) >= MOST_SIZINGS:
                self._known.clear()
            self._known[key] = self._layout(sizing, absent)
        return self._known[key]

    def _layout(self, sizing: Sizing, absent: frozenset[str]) -> ArenaLayout:
        sizes = {
            each: sizing.counts[each.key] * each.element_size
            for each in self._plan.recyclable
            if each.name not in absent and sizing.counts.get(each.key)
        }
        offsets, size = self._stated(sizes) or self._planned(sizes)
        if size >= sum(sizes.values()) or size > self._device.info.max_alloc_bytes:
            return APART
        return ArenaLayout({each.key: offset for each, offset in offsets.items()}, size)

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
