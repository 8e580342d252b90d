"""Finds OpenCL devices and chooses one, by name or capability and never by index."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, get_args

from vyre_dialect.ir.types import CLANG_LANES, VECTOR_LANES
from vyre_dialect.runtime.errors import DeviceError, first_line
from vyre_dialect.runtime.opencl.current_folder import outside_current_folder
from vyre_dialect.runtime.opencl.device import Device
from vyre_dialect.runtime.opencl.kernel_build import build_kernels
from vyre_dialect.runtime.opencl.kernel_cache import KernelCache
from vyre_dialect.runtime.opencl.loader import missing_runtime_advice, prepare_opencl
from vyre_dialect.runtime.opencl.thread_stack import thread_stack_bytes
from vyre_dialect.runtime.program.device_info import DeviceInfo, DeviceKind

if TYPE_CHECKING:
    import numpy as np
    import pyopencl as cl
    from numpy.typing import NDArray

# Parts of platform names, lower case.
_SIMULATORS = ("oclgrind", "simulator", "fpga emulation")
_KIND_RANK: dict[DeviceKind, int] = {"gpu": 0, "cpu": 1, "accelerator": 2}

# Measured on the same kernels: Intel's runtime starts a kernel in 3 µs where PoCL takes 9 to 43 µs
# and is up to twice as fast on tiled kernels; where PoCL is ahead it is by less than a fifth.
_PREFERRED_CPU_PLATFORM = "intel"

# Platforms whose driver 580.159.04 was seen to crash the process on an H200, not every time, when
# sub-buffers are released, also after all work on them has ended.
_BROKEN_SUB_BUFFERS = frozenset({"NVIDIA CUDA"})

# PoCL 3.1 keeps the private buffers of a workgroup on the stack of one thread, and does not look
# whether they fit.
_PRIVATE_ON_STACKS = frozenset({"Portable Computing Language"})

# CPU runtimes that compile by Clang, and so know its vector types.
_CLANG_FOR_CPUS = frozenset({"Intel(R) OpenCL", "Portable Computing Language"})

ALL_DEVICES = "all"
"""What stands for all devices among names."""

_PROBE_SIZE = 64
_PROBE_SOURCE = """
__kernel void probe(__global const uint *in, __global uint *out)
{
    uint i = (uint)get_global_id(0);
    out[i] = in[i] * 3u + i;
}
"""


@dataclass(frozen=True)
class Requirements:
    """What a program needs of a device."""

    local_mem_bytes: int = 0
    private_mem_bytes: int = 0
    """Of all invocations of a workgroup."""
    workgroup_size: int = 1
    extensions: frozenset[str] = frozenset()

    def unmet_by(self, info: DeviceInfo) -> str | None:
        """The first need that the device does not meet, or None."""
        if info.local_mem_bytes < self.local_mem_bytes:
            return (
                f"expected at least {self.local_mem_bytes} bytes of workgroup memory,"
                f" got {info.local_mem_bytes}"
            )
        most = info.private_mem_bytes
        if most is not None and most < self.private_mem_bytes:
            return (
                f"expected at least {self.private_mem_bytes} bytes of private memory for a"
                f" workgroup, got {most}"
            )
        if info.max_workgroup_size < self.workgroup_size:
            return (
                f"expected workgroups of at least {self.workgroup_size} invocations,"
                f" got {info.max_workgroup_size}"
            )
        if missing := sorted(self.extensions - info.extensions):
            return f"expected extension {missing[0]}, which it does not have"
        return None


@dataclass(frozen=True)
class DeviceChoice:
    """One device, and why it is or is not the one that would be used."""

    info: DeviceInfo
    problem: str | None
    """Why it does not work, or None when it does."""

    chosen: bool
    reason: str


# Finding devices.


def list_devices() -> list[Device]:
    """
    Every device of every platform, simulators included, most preferred first.

    Raises a DeviceError where pyopencl is not installed.
    """
    return sorted(_all_devices(), key=_rank)


@cache
def _all_devices() -> tuple[Device, ...]:
    if find_spec("pyopencl") is None:
        raise DeviceError(
            "pyopencl is not installed, so there are no devices: 'pip install pyopencl', or take "
            "the interpreter, device 'reference'"
        )
    prepare_opencl()
    import pyopencl as cl

    try:
        handles = outside_current_folder(_all_handles)
    except cl.Error:  # what the loader says when no runtime is installed
        return ()
    return tuple(Device(handle, _read_info(handle)) for handle in handles)


def _all_handles() -> list[cl.Device]:
    import pyopencl as cl

    return [handle for platform in cl.get_platforms() for handle in _devices_of(platform)]


def _devices_of(platform: cl.Platform) -> list[cl.Device]:
    import pyopencl as cl

    try:
        return platform.get_devices()
    except cl.Error:  # a driver without its hardware
        return []


def _read_info(handle: cl.Device) -> DeviceInfo:
    platform = handle.platform.name.strip()
    name = handle.name.strip()
    return DeviceInfo(
        name=name,
        platform=platform,
        vendor=handle.vendor.strip(),
        driver=handle.driver_version.strip(),
        version=handle.version.strip(),
        kind=_kind_of(handle),
        simulator=any(word in f"{platform} {name}".lower() for word in _SIMULATORS),
        compute_units=handle.max_compute_units,
        local_mem_bytes=handle.local_mem_size,
        has_own_local_mem=_has_own_local_mem(handle),
        max_workgroup_size=handle.max_work_group_size,
        max_work_item_sizes=tuple(handle.max_work_item_sizes),
        max_alloc_bytes=handle.max_mem_alloc_size,
        global_mem_bytes=handle.global_mem_size,
        extensions=frozenset(handle.extensions.split()),
        has_sub_buffers=platform not in _BROKEN_SUB_BUFFERS,
        vector_lanes=_vector_lanes(handle),
        private_mem_bytes=_usable_stack() if platform in _PRIVATE_ON_STACKS else None,
    )


def _vector_lanes(handle: cl.Device) -> int:
    is_of_clang = handle.platform.name.strip() in _CLANG_FOR_CPUS and _kind_of(handle) == "cpu"
    return max(CLANG_LANES if is_of_clang else VECTOR_LANES)


def _usable_stack() -> int:
    """What buffers may take of the stack of a thread, the rest of which frames need."""
    return thread_stack_bytes() * 3 // 4


def _has_own_local_mem(handle: cl.Device) -> bool:
    import pyopencl as cl

    return handle.local_mem_type == cl.device_local_mem_type.LOCAL


def _kind_of(handle: cl.Device) -> DeviceKind:
    import pyopencl as cl

    if handle.type & cl.device_type.GPU:
        return "gpu"
    if handle.type & cl.device_type.CPU:
        return "cpu"
    return "accelerator"


def _rank(device: Device) -> tuple[bool, int, bool, int, str, str]:
    """Sorts real devices before simulators, then by kind, platform and size."""
    info = device.info
    return (
        info.simulator,
        _KIND_RANK[info.kind],
        info.kind == "cpu" and _PREFERRED_CPU_PLATFORM not in info.platform.lower(),
        -info.compute_units,
        info.platform,
        info.name,
    )


# Trying devices out.


def working(device: Device) -> str | None:
    """None when a trivial kernel builds and runs with the right answer, else the reason.

    A runtime may list a device that it cannot build anything for. The answer is kept for the
    process.
    """
    return _probe(device)


@cache
def _probe(device: Device) -> str | None:
    import numpy as np
    import pyopencl as cl

    numbers = np.arange(_PROBE_SIZE, dtype=np.uint32)
    result = np.zeros_like(numbers)
    try:
        _run_probe(device, numbers, result)
    except (cl.Error, DeviceError, RuntimeError, OSError) as error:
        return first_line(error)
    if not np.array_equal(result, numbers * 4):
        return "a trivial kernel gives a wrong answer"
    return None


def _run_probe(device: Device, numbers: NDArray[np.uint32], result: NDArray[np.uint32]) -> None:
    import pyopencl as cl

    context, queue = create_context_and_queue(device)
    flags = cl.mem_flags
    source = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=numbers)
    target = cl.Buffer(context, flags.WRITE_ONLY, size=result.nbytes)
    cache = KernelCache.default()
    program = build_kernels(context, device, _PROBE_SOURCE, cache=cache, apart=False)
    kernel = cl.Kernel(program, "probe")
    kernel(queue, (_PROBE_SIZE,), None, source, target)
    cl.enqueue_copy(queue, result, target)
    queue.finish()


# Choosing a device.


def choose_device(name: str | None = None, *, require: Requirements | None = None) -> Device:
    """The device to use: the most preferred one that matches, meets `require` and works.

    `name` is part of the device's name, its platform's or its version text, in either case, or a
    kind (`cpu`, `gpu`, `accelerator`). Without it, a GPU comes before a CPU, and a simulator is
    never chosen.
    """
    needs = require or Requirements()
    candidates = _candidates(name)
    problems: list[str] = []
    for device in candidates:
        problem = needs.unmet_by(device.info) or working(device)
        if problem is None:
            return device
        problems.append(f"{device.info.label}: {problem}")
    raise DeviceError(_no_device_message(name, problems))


def choose_devices(names: str) -> list[Device]:
    """
    Several devices: `all` that work, but for simulators, or those of names as `choose_device` takes
    them, with commas between them. Raises a DeviceError for a name of none, and where none works.
    """
    if names != ALL_DEVICES:
        return list(dict.fromkeys(map(choose_device, names.split(","))))
    real = [device for device in list_devices() if not device.info.simulator]
    return [device for device in real if working(device) is None] or [choose_device()]


def _candidates(name: str | None) -> list[Device]:
    devices = list_devices()
    if name is None:
        return [device for device in devices if not device.info.simulator]
    matches = [device for device in devices if _matches(device.info, name)]
    if matches:
        return matches
    raise DeviceError(_unknown_device_message(name, devices))


def _matches(info: DeviceInfo, name: str) -> bool:
    wanted = name.strip().lower()
    if wanted in get_args(DeviceKind):
        return info.kind == wanted and not info.simulator
    names = (info.name, info.platform, info.version)
    return bool(wanted) and any(wanted in text.lower() for text in names)


def _unknown_device_message(name: str, devices: Iterable[Device]) -> str:
    known = ", ".join(device.info.label for device in devices) or "no device at all"
    if (kind := name.strip().lower()) in get_args(DeviceKind):
        return f"unknown device '{kind}': this machine has none of this kind, but {known}"
    return (
        f"unknown device '{name}': expected a kind (cpu, gpu, accelerator) or part of a name,"
        f" and this machine has {known}"
    )


def _no_device_message(name: str | None, problems: list[str]) -> str:
    if problems:
        wanted = "no device" if name is None else f"no device that matches '{name}'"
        return f"{wanted} can be used: {'; '.join(problems)}"
    return f"no OpenCL device found: {missing_runtime_advice()}"


def explain_choice(
    name: str | None = None, *, require: Requirements | None = None
) -> list[DeviceChoice]:
    """Every device, tried out, with the reason why it would or would not be used."""
    needs = require or Requirements()
    choices: list[DeviceChoice] = []
    taken: DeviceInfo | None = None
    for device in list_devices():
        problem = working(device)
        refusal = _refusal(device, name, needs, problem)
        chosen = refusal is None and taken is None
        reason = refusal or (_merit(device.info, name) if taken is None else _runner_up(taken))
        choices.append(DeviceChoice(device.info, problem, chosen, reason))
        taken = device.info if chosen else taken
    return choices


def _refusal(
    device: Device, name: str | None, needs: Requirements, problem: str | None
) -> str | None:
    """Why the device cannot be the one, or None when it could."""
    if name is not None and not _matches(device.info, name):
        return f"does not match '{name}'"
    if name is None and device.info.simulator:
        return "a simulator is used only when asked for by name"
    if problem is not None:
        return f"does not work: {problem}"
    return needs.unmet_by(device.info)


def _merit(info: DeviceInfo, name: str | None) -> str:
    if name is not None:
        return f"the first working device that matches '{name}'"
    if info.kind == "cpu" and _PREFERRED_CPU_PLATFORM in info.platform.lower():
        return "the CPU runtime with the fastest launches, and no GPU works here"
    return f"the first working {info.kind} in order of preference (gpu, cpu, accelerator)"


def _runner_up(taken: DeviceInfo) -> str:
    return f"works, but {taken.label} is preferred"


# Using a device.


def create_context_and_queue(device: Device) -> tuple[cl.Context, cl.CommandQueue]:
    """A context of this one device and an in-order queue that times every command."""
    import pyopencl as cl

    context = _new_context(device)
    properties = cl.command_queue_properties.PROFILING_ENABLE
    return context, cl.CommandQueue(context, device.handle, properties=properties)


def _new_context(device: Device) -> cl.Context:
    import pyopencl as cl

    if device.info.simulator:  # Oclgrind keeps what it checks with for the thread that made it
        return cl.Context([device.handle])
    return outside_current_folder(lambda: cl.Context([device.handle]))
