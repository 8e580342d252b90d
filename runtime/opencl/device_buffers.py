"""The buffers of one program on one device: allocating, filling, copying in and out.

An in-order queue makes every copy see what was launched before it. Between runs of a program its
buffers are kept, so that a repetition does not pay for fresh memory.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from vyre_dialect.ops.program import BufferOp
from vyre_dialect.runtime.errors import DeviceError, VyreError
from vyre_dialect.runtime.program.arrays import (
    Array,
    array_shape,
    element_dtype,
    element_size,
    fill_value,
    table_contents,
)
from vyre_dialect.types import BufferType, Initial

if TYPE_CHECKING:
    import pyopencl as cl

    from vyre_dialect.runtime.opencl.devices import Device

Handle: TypeAlias = "cl.Buffer | cl.SVM[Any]"
Progress: TypeAlias = Callable[[str, float | None], None]
"""Told what is being done and, where that is known, which part of it has been done."""


def no_progress(doing: str, part: float | None) -> None:
    """Watch nothing."""
    del doing, part


CHUNK_BYTES = 64 << 20
"""Bytes copied at once to a device with memory of its own."""

# Kernels may rely on the alignment that OpenCL promises for its widest type.
_ALIGNMENT = 128


@dataclass(frozen=True)
class DeviceBuffer:
    """A buffer of the program as it is on the device."""

    type: BufferType
    count: int
    """Number of elements."""

    handle: Handle
    host: Array | None = None
    """The memory of the host that the device works on, kept alive for it."""

    @property
    def bytes(self) -> int:
        """Bytes of all elements."""
        return self.count * element_size(self.type)


@dataclass
class DeviceBuffers:
    """Makes buffers on one device, and keeps them for the next run."""

    device: Device
    context: cl.Context
    queue: cl.CommandQueue
    progress: Progress
    _kept: dict[str, tuple[int, cl.Buffer]] = field(default_factory=dict[str, Any])
    _tables: dict[str, DeviceBuffer] = field(default_factory=dict[str, DeviceBuffer])

    def make(self, buffer: BufferOp, count: int, contents: Array | None) -> DeviceBuffer:
        """The buffer with its initial contents: those given, its table, its fill, or none."""
        if buffer.contents is not None:
            return self._table(buffer)
        if contents is not None:
            return self._supplied(buffer, contents)
        made = self._fresh(buffer, count)
        if buffer.initial_contents == Initial.HOST:
            self._fill(buffer.sym_name.data, made, fill_value(buffer))
        return made

    def _table(self, buffer: BufferOp) -> DeviceBuffer:
        """A table, copied to the device the first time."""
        name = buffer.sym_name.data
        if (known := self._tables.get(name)) is not None:
            return known
        assert buffer.contents is not None
        table = table_contents(buffer.contents, buffer.type)
        made = self._fresh(buffer, len(table))
        self._upload(name, made.handle, table)
        self._tables[name] = made
        return made

    def _supplied(self, buffer: BufferOp, contents: Array) -> DeviceBuffer:
        shared = None if buffer.type.writable else self._share(contents)
        if shared is not None:
            return DeviceBuffer(buffer.type, len(contents), shared, contents)
        made = self._fresh(buffer, len(contents))
        self._upload(buffer.sym_name.data, made.handle, contents)
        return made

    def _share(self, contents: Array) -> Handle | None:
        """The host's own memory, where the device can work on it; the device only reads it."""
        import pyopencl as cl

        if self.device.info.kind != "cpu" or self.device.info.simulator or not contents.size:
            return None
        if contents.ctypes.data % _ALIGNMENT:
            return None
        if contents.nbytes > self.device.info.max_alloc_bytes:
            return self._share_beyond_limit(contents)
        flags = cl.mem_flags.READ_ONLY | cl.mem_flags.USE_HOST_PTR
        return cl.Buffer(self.context, flags, hostbuf=contents)

    def _share_beyond_limit(self, contents: Array) -> Handle | None:
        """More than a buffer may hold, by address; for devices that take any address."""
        import pyopencl as cl

        if not takes_any_address(self.device):
            return None
        # pyopencl takes only memory that may be written, though the kernel does not write to it.
        memory = (ctypes.c_uint8 * contents.nbytes).from_address(contents.ctypes.data)
        return cl.SVM(np.ctypeslib.as_array(memory))

    def _fresh(self, buffer: BufferOp, count: int) -> DeviceBuffer:
        """Memory of the device for `count` elements, that of the last run where it fits."""
        import pyopencl as cl

        name = buffer.sym_name.data
        size = max(1, count * element_size(buffer.type))
        kept = self._kept.get(name)
        if kept is None or kept[0] != size:
            self._kept.pop(name, None)
            self._check_fits(name, size)
            try:
                handle = cl.Buffer(self.context, cl.mem_flags.READ_WRITE, size)
            except cl.Error as error:
                raise self._does_not_fit(name, size, str(error)) from error
            self._kept[name] = kept = size, handle
        return DeviceBuffer(buffer.type, count, kept[1])

    def _check_fits(self, name: str, size: int) -> None:
        info = self.device.info
        if size > info.max_alloc_bytes:
            raise self._does_not_fit(name, size, f"one buffer may have {info.max_alloc_bytes}")
        total = size + sum(kept for kept, _ in self._kept.values())
        if total > info.global_mem_bytes:
            reason = f"{total} bytes in all, it has {info.global_mem_bytes}"
            raise self._does_not_fit(name, size, reason)

    def _does_not_fit(self, name: str, size: int, reason: str) -> DeviceError:
        label = self.device.info.label
        return DeviceError(
            f"the program does not fit {label}: buffer '{name}' needs {size} bytes; {reason}"
        )

    def _fill(self, name: str, made: DeviceBuffer, value: Array) -> None:
        import pyopencl as cl

        if not made.bytes or not isinstance(made.handle, cl.Buffer):
            return
        if self.device.info.simulator:  # Oclgrind takes filled memory for uninitialised
            self._upload(name, made.handle, np.resize(value, made.bytes // value.nbytes))
            return
        cl.enqueue_fill_buffer(self.queue, made.handle, value, 0, made.bytes)

    def _upload(self, name: str, handle: Handle, contents: Array) -> None:
        import pyopencl as cl

        data = contents.reshape(-1).view(np.uint8)
        for begin in range(0, data.size, CHUNK_BYTES):
            self.progress(f"copying '{name}' to the device", begin / data.size)
            chunk = data[begin : begin + CHUNK_BYTES]
            cl.enqueue_copy(self.queue, handle, chunk, dst_offset=begin)

    def read(self, name: str, made: DeviceBuffer, begin: int, end: int) -> Array:
        """The bytes from `begin` up to `end`, after everything launched so far."""
        import pyopencl as cl

        data = np.empty(end - begin, np.uint8)
        if made.host is not None:  # only read by the device
            data[:] = made.host.reshape(-1).view(np.uint8)[begin:end]
            return data
        for offset in range(0, data.size, CHUNK_BYTES):
            if offset:
                self.progress(f"copying '{name}' from the device", offset / data.size)
            chunk = data[offset : offset + CHUNK_BYTES]
            cl.enqueue_copy(self.queue, chunk, made.handle, src_offset=begin + offset)
        return data


def takes_any_address(device: Device) -> bool:
    """Whether kernels may work on any memory of the host, by address."""
    import pyopencl as cl

    try:
        capabilities = device.handle.svm_capabilities
    except (cl.Error, AttributeError):  # OpenCL 1.2
        return False
    return bool(capabilities & cl.device_svm_capabilities.FINE_GRAIN_SYSTEM)


def output_array(buffer: BufferOp, read: Callable[[int, int], Array], count: int) -> Array:
    """What the host gets of a live-out buffer: its elements, or the bytes of its output range."""
    size = element_size(buffer.type)
    if buffer.output_range is None:
        data = read(0, count * size)
        return data.view(element_dtype(buffer.type)).reshape(array_shape(buffer.type, count))
    begin, end = buffer.output_range.get_values()
    if end > count * size:
        raise VyreError(
            f"output '{buffer.sym_name.data}' expected a range within {count * size} bytes, "
            f"got [{begin}, {end})"
        )
    return read(begin, end)
