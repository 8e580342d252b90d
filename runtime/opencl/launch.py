"""The kernels of a program on one device, and how the launches of its host plan pass to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from vyre_dialect.ir.types import MAX_COUNT
from vyre_dialect.lowering.opencl.printed import ArgumentKind, PrintedArgument, PrintedKernel
from vyre_dialect.ops.kernel import LaunchOp
from vyre_dialect.runtime.errors import DeviceError, VyreError
from vyre_dialect.runtime.interpreter.host_plan import Sizing, compile_extents
from vyre_dialect.runtime.interpreter.machine import Compiler, Frame, Key
from vyre_dialect.runtime.opencl.buffer_pool import PooledBuffer
from vyre_dialect.runtime.opencl.device_run import DeviceRun
from vyre_dialect.runtime.opencl.flight import Command, Memory, RunInFlight
from vyre_dialect.runtime.opencl.timings import Arm
from vyre_dialect.runtime.progress import no_progress

if TYPE_CHECKING:
    import pyopencl as cl

    from vyre_dialect.runtime.opencl.devices import Device
    from vyre_dialect.runtime.opencl.transfers import Handle

KernelArgument: TypeAlias = "Handle | int | None"
"""None stands for a buffer that is yet to be filled in."""


Buffers: TypeAlias = Sequence[tuple[int, Key]]
"""The arguments of a kernel that are buffers, each with its position."""

_MOST_WORKGROUPS = {"Portable Computing Language": 2**32 - 1}
"""Of a launch, by platform: beyond, PoCL ends the process."""

_typing = Lock()
"""pyopencl writes code for a kernel's types; threads that name theirs at once take one name."""


class Kernel:
    """A kernel that has been built for a device."""

    def __init__(self, printed: PrintedKernel, handle: cl.Kernel, most_workgroups: int | None):
        self.printed = printed
        self.workgroup = printed.workgroup
        self.most_workgroups = most_workgroups
        # The handle holds arguments until others are set.
        self._handle = handle
        self._lock = Lock()
        self._set: list[KernelArgument] | None = None
        self._held: dict[int, Handle | None] = {}
        """The buffers among them, by position, as far as they are of a pool, which reuses them."""

    @staticmethod
    def of(program: cl.Program, printed: PrintedKernel, device: Device) -> Kernel:
        """The kernel of `program` that was built from `printed`.

        Raises a DeviceError where the device cannot run workgroups of its size.
        """
        import pyopencl as cl

        handle = cl.Kernel(program, printed.name)
        if (size := prod(printed.workgroup)) > (most := _most_invocations(handle, device)):
            raise DeviceError(
                f"the program does not fit {device.info.label}: '{printed.name}' expected "
                f"workgroups of {size} invocations, got at most {most} for this kernel"
            )
        # Without types, pyopencl takes 10 µs to find out how to pass a number.
        types = _argument_types(printed)
        with _typing:
            handle.set_arg_types(types)  # pyright: ignore[reportUnknownMemberType]
        return Kernel(printed, handle, _MOST_WORKGROUPS.get(device.info.platform))

    def launch(
        self,
        total: Sequence[int],
        numbers: list[KernelArgument],
        buffers: Buffers,
    ) -> Command:
        """
        What launches `total` invocations along three axes on the arguments `numbers`, but for the
        `buffers`, which each run has.
        """
        from pyopencl import enqueue_nd_range_kernel as enqueue

        doing, kernel, lock = f"running {self.printed.generator}", self._handle, self._lock
        held = self._held
        axes = _axes_in_use(total)
        total, workgroup = tuple(total[:axes]), self.workgroup[:axes]

        def command(run: RunInFlight) -> None:
            if run.progress is not no_progress:
                run.progress(doing, None)
            memory = run.memory
            with lock:
                if self._set is not numbers:
                    self._set_all(numbers, buffers, memory)
                for position, key in buffers:
                    handle = (lies := memory[key]).handle
                    if handle is not held[position]:
                        kernel.set_arg(position, handle)
                        held[position] = handle if isinstance(lies, PooledBuffer) else None
                run.events.append(enqueue(run.queue, kernel, total, workgroup))

        return command

    def _set_all(
        self, numbers: list[KernelArgument], buffers: Buffers, memory: Mapping[Key, Memory]
    ) -> None:
        arguments = numbers.copy()
        for position, key in buffers:
            arguments[position] = memory[key].handle
            self._held[position] = None
        self._set = None  # until all is set
        self._handle.set_args(*arguments)
        self._set = numbers


def _most_invocations(kernel: cl.Kernel, device: Device) -> int:
    """How many invocations a workgroup of a kernel may have."""
    import pyopencl as cl

    if "NVIDIA" in device.info.platform:  # says 256 of every kernel, and launches 1024
        return device.info.max_workgroup_size
    info = cl.kernel_work_group_info.WORK_GROUP_SIZE
    most: int = kernel.get_work_group_info(info, device.handle)
    return most


def _axes_in_use(total: Sequence[int]) -> int:
    """Intel's runtime takes 4 µs longer for 2048 workgroups along three axes than along one."""
    axes = len(total)
    while axes > 1 and total[axes - 1] == 1:
        axes -= 1
    return axes


class _Resolved(NamedTuple):
    """A launch for one sizing of a run."""

    sizing: Sizing
    arm: Arm
    command: Command


class Launch:
    """A step of a host plan: a kernel, started on what the host has computed."""

    def __init__(self, kernel: Kernel, op: LaunchOp, compiler: Compiler, is_sized: bool):
        self._kernel = kernel
        self._generator = kernel.printed.generator
        self._grid = compile_extents(op.workgroups, compiler)
        self._passed = _passed(op, kernel.printed, compiler)
        self._buffers = _buffer_positions(self._passed)
        self._is_sized = is_sized
        self._last: _Resolved | None = None

    def __call__(self, run: DeviceRun, frame: Frame) -> None:
        resolved = self._last
        if resolved is None or resolved.sizing is not run.sizing or not self._is_sized:
            resolved = self._last = self._resolve(run, frame)
        run.arms.append(resolved.arm)
        if resolved.arm.is_launched:
            run.do(resolved.command)

    def _resolve(self, run: DeviceRun, frame: Frame) -> _Resolved:
        numbers, moved = _numbers(self._passed, run, frame)
        grid = self._grid(frame)
        total = [n * size for n, size in zip(grid, self._kernel.workgroup, strict=True)]
        if max(total) > MAX_COUNT:
            raise VyreError(
                f'arm "{self._generator}" expected at most {MAX_COUNT} invocations along an axis, '
                f"got {max(total)}"
            )
        most, workgroups = self._kernel.most_workgroups, prod(grid)
        if most is not None and workgroups > most:
            raise DeviceError(
                f'arm "{self._generator}" expected at most {most} workgroups, got {workgroups}'
            )
        command = self._kernel.launch(total, numbers, self._buffers)
        return _Resolved(run.sizing, Arm(self._generator, moved, 0 not in total), command)


class _Passed(NamedTuple):
    """What a launch passes for one argument of its kernel: a buffer, or what the host computes."""

    key: Key
    is_buffer: bool
    touches: int
    """How often a byte of the buffer counts: for being read, and once more for being written."""


def _passed(op: LaunchOp, kernel: PrintedKernel, compiler: Compiler) -> list[_Passed]:
    return [
        _Passed(compiler.key(value), _is_buffer(argument), len(argument.accesses))
        for value, argument in zip(op.arguments, kernel.arguments, strict=True)
    ]


def _argument_types(kernel: PrintedKernel) -> list[type[np.int64] | None]:
    """The types of the arguments as the printer declares them; None stands for a buffer."""
    return [None if _is_buffer(each) else np.int64 for each in kernel.arguments]


def _is_buffer(argument: PrintedArgument) -> bool:
    return argument.kind == ArgumentKind.BUFFER


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
