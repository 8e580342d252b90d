"""Devices that are not there."""

from __future__ import annotations

from vyre_dialect.runtime.opencl.devices import DeviceInfo


def small_device(local_mem_bytes: int, *, has_own_local_mem: bool = True) -> DeviceInfo:
    """A GPU called 'small' with so much workgroup memory."""
    return DeviceInfo(
        name="small",
        platform="test",
        vendor="test",
        driver="1",
        version="OpenCL 1.2",
        kind="gpu",
        simulator=False,
        compute_units=1,
        local_mem_bytes=local_mem_bytes,
        has_own_local_mem=has_own_local_mem,
        max_workgroup_size=64,
        max_work_item_sizes=(64, 1, 1),
        max_alloc_bytes=1 << 20,
        global_mem_bytes=1 << 20,
        extensions=frozenset(),
    )
