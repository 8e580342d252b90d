"""What the kernels of a program need of a device."""

from __future__ import annotations

from math import prod

from vyre_dialect.ir.types import Axis
from vyre_dialect.runtime.errors import DeviceError
from vyre_dialect.runtime.opencl.devices import Requirements
from vyre_dialect.runtime.program.compiled_program import CompiledProgram
from vyre_dialect.runtime.program.device_info import DeviceInfo


def requirements(compiled: CompiledProgram) -> Requirements:
    """What every kernel of a program needs together."""
    kernels = compiled.kernels.values()
    return Requirements(
        local_mem_bytes=max((kernel.tile_bytes for kernel in kernels), default=0),
        private_mem_bytes=max(
            (kernel.private_bytes * prod(kernel.workgroup) for kernel in kernels), default=0
        ),
        workgroup_size=max((prod(kernel.workgroup) for kernel in kernels), default=1),
        extensions=compiled.printed.extensions,
    )


def check_fits(compiled: CompiledProgram, device: DeviceInfo) -> None:
    """Raise a DeviceError for a program that asks more of a device than it has."""
    problem = requirements(compiled).unmet_by(device)
    for name, kernel in compiled.kernels.items():
        sizes = zip(Axis, kernel.workgroup, device.max_work_item_sizes, strict=False)
        for axis, size, limit in sizes:
            if size > limit:
                problem = f"'{name}' expected workgroups of {size} along {axis}, got {limit}"
    if problem is not None:
        raise DeviceError(f"the program does not fit {device.label}: {problem}")
