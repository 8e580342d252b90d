"""The kernels of a program on one device, and how the launches of its host plan pass to them."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from vyre_dialect.ops.kernel import KernelOp, LaunchOp
from vyre_dialect.runtime.errors import DeviceError
from vyre_dialect.runtime.interpreter.host_plan import Sizing, compile_extents
from vyre_dialect.runtime.interpreter.machine import Compiler, Frame, Key
from vyre_dialect.runtime.opencl.device_run import DeviceRun, Launched
from vyre_dialect.types import BufferType

if TYPE_CHECKING:
    import pyopencl as cl

    from vyre_dialect.runtime.opencl.devices import Device
    from vyre_dialect.runtime.opencl.transfers import Handle

KernelArgument: TypeAlias = "Handle | int | None"
"""None stands for a buffer that is yet to be filled in."""


@dataclass(frozen=True)
class Kernel:
    """A kernel that has been built for a device."""

    op: KernelOp
    handle: cl.Kernel
    workgroup: tuple[int, int, int]
    # A kernel holds its arguments from when they are set until it is enqueued.
    _lock: Lock = field(default_factory=Lock)

    @staticmethod
    def of(program: cl.Program, op: KernelOp, device: Device) -> Kernel:
        """The kernel of `program` that `op` has become.

        Raises a DeviceError where the device cannot run workgroups of its size.
        """
        import pyopencl as cl

        handle = cl.Kernel(program, op.sym_name.data)
        most = handle.get_work_group_info(cl.kernel_work_group_info.WORK_GROUP_SIZE, device.handle)
        workgroup = op.workgroup
        if (size := prod(workgroup)) > most:
            raise DeviceError(
                f"the program does not fit {device.info.label}: '{op.sym_name.data}' expected "
                f"workgroups of {size} invocations, got at most {most} for this kernel"
            )
        # Without types, pyopencl takes 10 µs to find out how to pass a number.
        handle.set_arg_types(_argument_types(op))  # pyright: ignore[reportUnknownMemberType]
        return Kernel(op, handle, workgroup)

    def enqueue(
        self,
        queue: cl.CommandQueue,
        total: tuple[int, int, int],
        arguments: list[KernelArgument],
    ) -> cl.Event:
        """Launch `total` invocations along three axes."""
        with self._lock:
            return self.handle(queue, total, self.workgroup, *arguments)


class _Resolved(NamedTuple):
    """A launch with its numbers, which only lacks the buffers of a run."""

    sizing: Sizing
    total: tuple[int, int, int]
    """Invocations along three axes."""
    numbers: list[KernelArgument]
    """The arguments but for the buffers."""
    moved: int
    """Bytes that the kernel may read and write."""


class Launch:
    """A step of a host plan: a kernel, started on what the host has computed."""

    def __init__(self, kernel: Kernel, op: LaunchOp, compiler: Compiler, is_sized: bool):
        self._kernel = kernel
        self._generator = kernel.op.generator.data
        self._doing = f"running {self._generator}"
        self._grid = compile_extents(self._generator, op.workgroups, compiler)
        self._passed = _passed(op, kernel.op, compiler)
        self._buffers = _buffer_positions(self._passed)
        self._is_sized = is_sized
        self._last: _Resolved | None = None

    def __call__(self, run: DeviceRun, frame: Frame) -> None:
        run.progress(self._doing, None)
        resolved = self._last
        if resolved is None or resolved.sizing is not run.sizing or not self._is_sized:
            resolved = self._last = self._resolve(run, frame)
        event = None if 0 in resolved.total else self._enqueue(run, resolved)
        run.launched.append(Launched(self._generator, resolved.moved, event))

    def _resolve(self, run: DeviceRun, frame: Frame) -> _Resolved:
        numbers, moved = _numbers(self._passed, run, frame)
        x, y, z = (
            n * size for n, size in zip(self._grid(frame), self._kernel.workgroup, strict=True)
        )
        return _Resolved(run.sizing, (x, y, z), numbers, moved)

    def _enqueue(self, run: DeviceRun, resolved: _Resolved) -> cl.Event:
        arguments = resolved.numbers.copy()
        for position, key in self._buffers:
            arguments[position] = run.storages[key].memory.handle
        return self._kernel.enqueue(run.session.queue, resolved.total, arguments)


class _Passed(NamedTuple):
    """What a launch passes for one argument of its kernel: a buffer, or what the host computes."""

    key: Key
    is_buffer: bool
    touches: int
    """How often a byte of the buffer counts: for being read, and once more for being written."""


def _passed(op: LaunchOp, kernel: KernelOp, compiler: Compiler) -> list[_Passed]:
    values = zip(op.arguments, kernel.argument_accesses(), strict=True)
    return [
        _Passed(compiler.key(value), isinstance(value.type, BufferType), len(kinds))
        for value, kinds in values
    ]


def _argument_types(kernel: KernelOp) -> list[type[np.int64] | None]:
    """The types of the arguments as the printer declares them; None stands for a buffer."""
    arguments = kernel.body.block.args
    return [None if isinstance(each.type, BufferType) else np.int64 for each in arguments]


def _buffer_positions(passed: list[_Passed]) -> list[tuple[int, Key]]:
    """The buffers among the arguments, each with its position."""
    return [(place, argument.key) for place, argument in enumerate(passed) if argument.is_buffer]


def _numbers(
    passed: list[_Passed], run: DeviceRun, frame: Frame
) -> tuple[list[KernelArgument], int]:
    """The arguments but for the buffers, and the bytes that the kernel may read and write."""
    numbers = list[KernelArgument]()
    moved = 0
    for key, is_buffer, touches in passed:
        if is_buffer:
            moved += run.storages[key].nbytes * touches
        numbers.append(None if is_buffer else int(frame.get(key).item()))
    return numbers, moved
