"""Runs compiled programs on an OpenCL device."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from time import perf_counter_ns
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from vyre_dialect.interfaces import AccessKind
from vyre_dialect.ops.kernel import KernelOp, LaunchOp
from vyre_dialect.ops.program import BufferOp
from vyre_dialect.runtime.errors import DeviceError, VyreError
from vyre_dialect.runtime.opencl.device_buffers import (
    DeviceBuffer,
    DeviceBuffers,
    Progress,
    no_progress,
    output_array,
)
from vyre_dialect.runtime.opencl.devices import Device, create_context_and_queue
from vyre_dialect.runtime.opencl.kernel_build import build_kernels
from vyre_dialect.runtime.opencl.kernel_cache import KernelCache
from vyre_dialect.runtime.program.arrays import Array, element_size
from vyre_dialect.runtime.program.compilation import CompiledProgram
from vyre_dialect.runtime.program.host import HostEvaluator
from vyre_dialect.runtime.program.inputs import bind_inputs, check_supplied_count
from vyre_dialect.runtime.program.launch_facts import check_fits
from vyre_dialect.runtime.program.results import ArmTiming, RunResult
from vyre_dialect.runtime.program.traps import trap_messages, verify_no_trap

if TYPE_CHECKING:
    import pyopencl as cl

    from vyre_dialect.runtime.opencl.device_buffers import Handle

KernelArgument: TypeAlias = "Handle | np.int64"


@dataclass(frozen=True)
class _Kernel:
    """A kernel ready to be launched."""

    op: KernelOp
    handle: cl.Kernel
    touches: list[frozenset[AccessKind]]
    """Whether it reads and writes each of its arguments."""


class Executor:
    """A program, built for one device, that runs any number of times.

    Raises a DeviceError when the program does not fit the device, and its BuildError when the
    device refuses the kernels.
    """

    def __init__(
        self,
        compiled: CompiledProgram,
        device: Device,
        *,
        cache: KernelCache | None = None,
        context_and_queue: tuple[cl.Context, cl.CommandQueue] | None = None,
        progress: Progress = no_progress,
    ):
        check_fits(compiled, device.info)
        self.compiled = compiled
        self.device = device
        self.context, self.queue = context_and_queue or create_context_and_queue(device)
        self._progress = progress
        self._traps = trap_messages(compiled.program)
        self._buffers = DeviceBuffers(device, self.context, self.queue, progress)
        self._kernels = self._build(cache or KernelCache.default())

    def _build(self, cache: KernelCache) -> dict[str, _Kernel]:
        import pyopencl as cl

        kernels = self.compiled.kernels
        if not kernels:
            return {}
        self._progress(f"building the kernels for {self.device.info.label}", None)
        # A checker is to see every access that is written down; besides, Oclgrind's search for
        # uninitialised reads crashes on some optimised code.
        options = ("-cl-opt-disable",) if self.device.info.simulator else ()
        if _rounds_correctly(self.device):
            options += ("-cl-fp32-correctly-rounded-divide-sqrt",)
        source = self.compiled.source
        program = build_kernels(self.context, self.device, source, options, cache)
        return {
            name: _Kernel(op, self._checked(op, cl.Kernel(program, name)), op.argument_accesses())
            for name, op in kernels.items()
        }

    def _checked(self, op: KernelOp, kernel: cl.Kernel) -> cl.Kernel:
        """The kernel, if the device can run workgroups of its size."""
        import pyopencl as cl

        most = kernel.get_work_group_info(
            cl.kernel_work_group_info.WORK_GROUP_SIZE, self.device.handle
        )
        if (size := prod(op.workgroup)) > most:
            raise DeviceError(
                f"the program does not fit {self.device.info.label}: '{op.sym_name.data}' expected "
                f"workgroups of {size} invocations, got at most {most} for this kernel"
            )
        return kernel

    def run(self, inputs: Mapping[str, Array]) -> RunResult:
        """Run the program on `inputs`, by buffer name; arrays of the host are never written to.

        Raises a TrapError when a kernel reports bad input, and another VyreError when an input is
        missing or of the wrong size, or when the device cannot hold the buffers.
        """
        start = perf_counter_ns()
        execution = _Execution(self, bind_inputs(self.compiled.program, inputs))
        with self._device_errors():
            execution.run()
            execution.verify_no_traps(self._traps)
            outputs = execution.outputs()
            arms = execution.timings()
        total = perf_counter_ns() - start
        return RunResult(self.compiled.name, self.device.info.label, arms, outputs, total)

    def kernel(self, launch: LaunchOp) -> _Kernel:
        """What a launch launches."""
        return self._kernels[launch.kernel.string_value()]

    @property
    def buffers(self) -> DeviceBuffers:
        """Where the buffers of runs come from."""
        return self._buffers

    def report(self, doing: str, part: float | None = None) -> None:
        """Tell whoever watches what is being done."""
        self._progress(doing, part)

    @contextmanager
    def _device_errors(self) -> Generator[None]:
        import pyopencl as cl

        try:
            yield
        except cl.MemoryError as error:
            raise DeviceError(
                f"the program does not fit {self.device.info.label}: {error}"
            ) from error
        except cl.Error as error:
            raise DeviceError(f"{self.device.info.label} failed: {error}") from error


class _Execution:
    """One run: the buffers of the program as they come to be, and what was launched."""

    def __init__(self, executor: Executor, inputs: Mapping[str, Array]):
        self.executor = executor
        self.inputs = inputs
        self._host = HostEvaluator(length=self._length, read=self._read_elements)
        self._made: dict[BufferOp, DeviceBuffer] = {}
        self._launched: list[tuple[_Kernel, int, cl.Event | None]] = []

    def run(self) -> None:
        """Evaluate the host code and launch the kernels, in program order."""
        for op in self.executor.compiled.program.body.block.ops:
            if isinstance(op, LaunchOp):
                self._launch(op)
                continue
            if isinstance(op, BufferOp):
                self._declare(op)
            self._host.evaluate(op)

    def _declare(self, op: BufferOp) -> None:
        count = op.type.static_count if op.size is None else self._host.value(op.size)
        name = op.sym_name.data
        contents = self.inputs.get(name)
        if contents is not None:
            check_supplied_count(op, count, contents)
            count = len(contents)
        if count is None or count < 0:
            raise VyreError(f"buffer '{name}' expected a size of 0 or more, got {count}")
        self._made[op] = self.executor.buffers.make(op, count, contents)

    def _length(self, op: BufferOp) -> int:
        return self._made[op].count

    def _read_elements(self, op: BufferOp, first: int, count: int) -> Array:
        size = element_size(op.type)
        return self._read(op, first * size, (first + count) * size)

    def _read(self, op: BufferOp, begin: int, end: int) -> Array:
        return self.executor.buffers.read(op.sym_name.data, self._made[op], begin, end)

    def _launch(self, launch: LaunchOp) -> None:
        kernel = self.executor.kernel(launch)
        self.executor.report(f"running {kernel.op.generator.data}")
        grid = self._host.sizes(launch.workgroups)
        moved = self._set_arguments(kernel, launch)
        event = self._enqueue(kernel, grid) if all(grid) else None
        self._launched.append((kernel, moved, event))

    def _set_arguments(self, kernel: _Kernel, launch: LaunchOp) -> int:
        """Pass each argument; returns the bytes that the kernel may read and write."""
        values = list[KernelArgument]()
        moved = 0
        for argument, kinds in zip(launch.arguments, kernel.touches, strict=True):
            if not isinstance(argument.owner, BufferOp):
                values.append(np.int64(self._host.value(argument)))
                continue
            made = self._made[argument.owner]
            moved += made.bytes * len(kinds)
            values.append(made.handle)
        for position, value in enumerate(values):
            kernel.handle.set_arg(position, value)
        return moved

    def _enqueue(self, kernel: _Kernel, grid: tuple[int, int, int]) -> cl.Event:
        import pyopencl as cl

        size = kernel.op.workgroup
        total = tuple(groups * items for groups, items in zip(grid, size, strict=True))
        event = cl.enqueue_nd_range_kernel(self.executor.queue, kernel.handle, total, size)
        self.executor.queue.flush()
        return event

    def verify_no_traps(self, traps: Mapping[BufferOp, list[str]]) -> None:
        """Raise a TrapError when an error was reported in one of the buffers `traps`."""
        for buffer, messages in traps.items():
            if self._length(buffer):
                first = int.from_bytes(self._read_elements(buffer, 0, 1).tobytes(), "little")
                verify_no_trap(self.executor.compiled.program, buffer, messages, first)

    def outputs(self) -> dict[str, Array]:
        """The live-out buffers."""
        return {
            op.sym_name.data: self._output(op)
            for op in self.executor.compiled.program.buffers()
            if op.live_out is not None
        }

    def _output(self, op: BufferOp) -> Array:
        return output_array(op, lambda begin, end: self._read(op, begin, end), self._length(op))

    def timings(self) -> tuple[ArmTiming, ...]:
        """The time of each launch, after the last has ended."""
        self.executor.queue.finish()
        return tuple(
            ArmTiming(kernel.op.generator.data, _duration(event), moved)
            for kernel, moved, event in self._launched
        )


def _rounds_correctly(device: Device) -> bool:
    """Whether the device can divide f32 and take their roots as IEEE 754 asks for."""
    import pyopencl as cl

    config = device.handle.single_fp_config
    return bool(config & cl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT)


def _duration(event: cl.Event | None) -> int:
    return 0 if event is None else event.profile.end - event.profile.start
