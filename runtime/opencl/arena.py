"""
The memory of the scratch buffers of a run: where each lies, for the sizes that the run has.

They share one arena, of which each has a part. The offsets of a program whose sizes are static
stand in its IR; those of others come from the same live ranges and the same planner, once for each
combination of sizes. On a device without sub-buffers they share whole allocations instead.
"""

from __future__ import annotations

from typing import Any

from vyre_dialect.runtime.interpreter.host_plan import MOST_SIZINGS, HostPlan, Sizing
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.scratch_layout import APART, ScratchLayout


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
        sharing = [each for each in self._plan.recyclable if each.name not in absent]
        if len(sharing) < 2 or self._info.simulator:
            return APART
        key = (sizing, absent)
        if key not in self._known:
            from vyre_dialect.runtime.opencl.arena_plan import ArenaPlanner  # loads a planner

            if len(self._known) >= MOST_SIZINGS:
                self._known.clear()
            planner = ArenaPlanner(self._plan, self._info, self._alignment)
            self._known[key] = planner.layout(sizing, absent)
        return self._known[key]
