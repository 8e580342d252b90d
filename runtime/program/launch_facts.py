"""What the kernels of a program need of a device, and what they read and write."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod

from xdsl.ir import SSAValue
from xdsl.traits import MemoryEffectKind

from vyre_dialect.effects import effects_of
from vyre_dialect.ops.kernel import KernelOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.runtime.errors import DeviceError
from vyre_dialect.runtime.opencl.devices import DeviceInfo, Requirements
from vyre_dialect.runtime.program.compilation import CompiledProgram
from vyre_dialect.types import Axis, MemorySpace

_EXTENSION = re.compile(r"^#pragma OPENCL EXTENSION (\w+) : enable", re.MULTILINE)


@dataclass(frozen=True)
class BufferUse:
    """What an arm or a kernel does to one buffer."""

    reads: bool
    writes: bool


def buffer_uses(code: RegionOp | KernelOp) -> dict[SSAValue, BufferUse]:
    """What an arm or a kernel does to each buffer that it touches."""
    touched = {
        (effect.kind, effect.value)
        for op in code.body.walk()
        if not op.regions
        for effect in effects_of(op) or ()
    }
    return {
        value: BufferUse(
            (MemoryEffectKind.READ, value) in touched, (MemoryEffectKind.WRITE, value) in touched
        )
        for _, value in touched
        if isinstance(value, SSAValue)
    }


def argument_uses(kernel: KernelOp) -> list[BufferUse]:
    """What `kernel` does to each of its arguments."""
    uses = buffer_uses(kernel)
    return [uses.get(argument, BufferUse(False, False)) for argument in kernel.body.block.args]


def requirements(compiled: CompiledProgram) -> Requirements:
    """What every kernel of a program needs together."""
    kernels = compiled.kernels.values()
    return Requirements(
        local_mem_bytes=max(map(_local_bytes, kernels), default=0),
        workgroup_size=max((prod(kernel.workgroup) for kernel in kernels), default=1),
        extensions=frozenset(_EXTENSION.findall(compiled.source)),
    )


def _local_bytes(kernel: KernelOp) -> int:
    return sum(
        buffer.type.static_bytes or 0
        for buffer in kernel.buffers()
        if buffer.type.space == MemorySpace.WORKGROUP
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
