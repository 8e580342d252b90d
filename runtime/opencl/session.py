"""What executors on one device may share: its context, its queue, and what lies in its memory."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from vyre_dialect.runtime.interpreter.arrays import Array, little_endian
from vyre_dialect.runtime.opencl.buffer_pool import BufferPool, PooledBuffer
from vyre_dialect.runtime.opencl.devices import Device, create_context_and_queue
from vyre_dialect.runtime.opencl.transfers import Download, Upload
from vyre_dialect.runtime.opencl.waiting import interruptible

if TYPE_CHECKING:
    import pyopencl as cl


class ArrayForm(NamedTuple):
    """What arrays in the memory of a device have in common that are treated alike."""

    session: Session
    dtype: np.dtype[Any]
    shape: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.dtype.itemsize * prod(self.shape)


class DeviceArray:
    """
    An array in the memory of a device, made by `Session.put` or left there by a run.

    Runs of the same session take it as an input without a copy, and never write to it.
    """

    __slots__ = ("buffer", "form")

    def __init__(self, buffer: PooledBuffer, form: ArrayForm):
        self.buffer = buffer
        self.form = form

    @property
    def session(self) -> Session:
        """Whose memory it is in."""
        return self.form.session

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the items."""
        return self.form.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The items along each axis."""
        return self.form.shape

    @property
    def nbytes(self) -> int:
        """Bytes of all items."""
        return self.form.nbytes

    def get(self) -> Array:
        """The contents, after everything launched so far."""
        read = Download(self.session.queue, self.buffer.handle, 0, self.nbytes, wait_for)
        return read().view(self.dtype).reshape(self.shape)


class Session:
    """
    A context of one device with an in-order queue that times every command.

    Runs that take longer than `seconds` are given up.
    """

    def __init__(self, device: Device, seconds: float | None = None):
        self.device = device
        self.seconds = seconds
        self.context, self.queue = create_context_and_queue(device)
        self.pool = BufferPool(self.context, device.info)

    def put(self, array: Array) -> DeviceArray:
        """A copy of `array` in the memory of the device.

        Raises a DeviceError where that has no room for it.
        """
        contents = np.ascontiguousarray(little_endian(array))
        buffer = self.pool.take(max(1, contents.nbytes), "array")
        Upload(self.queue, buffer.handle, contents, wait_for, "array").wait()
        return DeviceArray(buffer, ArrayForm(self, contents.dtype, array.shape))


def wait_for(event: cl.Event) -> None:
    """Return when `event` has come, unless the host is interrupted."""
    interruptible(event.wait)
