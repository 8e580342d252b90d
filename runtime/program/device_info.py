"""What is known about a device that programs are compiled for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

DeviceKind = Literal["cpu", "gpu", "accelerator"]


@dataclass(frozen=True)
class DeviceInfo:
    """What is known about a device before anything runs on it."""

    name: str
    platform: str
    vendor: str
    driver: str
    """Version of the driver."""

    version: str
    """Version of OpenCL, as the device words it."""

    kind: DeviceKind
    simulator: bool
    """Made for checking kernels, not for running them; never chosen unasked."""

    compute_units: int
    """How many workgroups run at once: cores of a CPU, multiprocessors of a GPU."""

    local_mem_bytes: int
    has_own_local_mem: bool
    """Whether workgroup memory is memory of its own, not a part of global memory as on CPUs."""

    max_workgroup_size: int
    max_work_item_sizes: tuple[int, ...]
    max_alloc_bytes: int
    global_mem_bytes: int
    extensions: frozenset[str]
    has_sub_buffers: bool = True
    """Whether parts of one allocation may be buffers of their own."""

    vector_lanes: int = 16
    """The most lanes that vectors of integers have; more than OpenCL's 16 are types of Clang."""

    private_mem_bytes: int | None = None
    """What private memory a workgroup may take, where a driver that has more ends the process."""

    @property
    def label(self) -> str:
        """Device and platform, as messages name them."""
        return f"{self.name} ({self.platform})"
