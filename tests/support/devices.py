"""Devices that are not there, and machines that have no others than `pip` brings."""

from __future__ import annotations

from pathlib import Path

from vyre_dialect.runtime.opencl.loader import VENDORS_VARIABLE, _find_intel_runtime
from vyre_dialect.runtime.program.device_info import DeviceInfo


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


def only_from_pip(folder: Path) -> dict[str, str]:
    """The variables with which a process finds no OpenCL runtime but the one that `pip` brings.

    `folder` must exist. Nothing is hidden where `pip` brings none, as on other processors.
    """
    runtime = _find_intel_runtime()
    if runtime is None:
        return {}
    (folder / "pip.icd").write_text(f"{runtime}\n")
    return {VENDORS_VARIABLE: str(folder), "LD_LIBRARY_PATH": str(runtime.parent)}
