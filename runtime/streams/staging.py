"""
Memory that pieces come through: a ring of slots, of which one is filled while another is worked on.

A device of the host works on a slot itself. Another device has memory of its own for each: what
lies in memory of the host is sent there in parts, and what a pipe is read into is pinned, so that a
queue of its own copies one piece while kernels run on another.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.opencl.flight import Contents
from vyre_dialect.runtime.opencl.session import ArrayForm, DeviceArray, Session
from vyre_dialect.runtime.opencl.waiting import interruptible
from vyre_dialect.runtime.streams.sending import Sender, Sizes
from vyre_dialect.runtime.streams.sizes import PIECE_BYTES, SENT_BYTES, SENT_SHARE

if TYPE_CHECKING:
    import pyopencl as cl

_ALIGNMENT = 4096


def aligned(count: int, dtype: np.dtype[Any]) -> Array:
    """Memory of the host on which a device of the host can work without a copy."""
    size = count * dtype.itemsize
    raw = np.empty(size + _ALIGNMENT, np.uint8)
    begin = -raw.ctypes.data % _ALIGNMENT
    return raw[begin : begin + size].view(dtype)


class Slot:
    """Memory for a piece of one input, on which a device of the host works itself."""

    def __init__(self, host: Array):
        self.host = host
        """What a pipe is read into."""

    def send(self, contents: Array) -> None:
        """Begin to let the device have `contents`, which may lie in the slot."""
        self._contents = contents

    def taken(self) -> Contents:
        """What was sent, once it is there."""
        return self._contents


class DeviceSlot(Slot, ABC):
    """Memory of a device that has its own."""

    def __init__(self, session: Session, host: Array, size: int):
        super().__init__(host)
        self.session = session
        self._memory = session.pool.take(max(1, size), "piece")

    def send(self, contents: Array) -> None:
        super().send(contents)
        self._send(contents.reshape(-1).view(np.uint8), self._memory.handle)

    def taken(self) -> Contents:
        import pyopencl as cl

        if events := self._events():
            # A driver that waits for other queues as it enqueues would keep Python from all threads
            # meanwhile, also from those that send the next piece.
            interruptible(lambda: cl.wait_for_events(events))
        form = ArrayForm(self.session, self._contents.dtype, self._contents.shape)
        return DeviceArray(self._memory, form)

    @abstractmethod
    def _send(self, contents: Array, memory: cl.Buffer) -> None:
        """Begin to copy bytes to the memory."""

    @abstractmethod
    def _events(self) -> list[cl.Event]:
        """What comes when they are there."""


class SentSlot(DeviceSlot):
    """For pieces that lie in memory of the host, which are sent in parts."""

    def __init__(self, session: Session, sender: Sender, size: int):
        super().__init__(session, np.empty(0), size)
        self.size = size
        """In bytes."""
        self._sender = sender

    def _send(self, contents: Array, memory: cl.Buffer) -> None:
        self._sending = self._sender.send(contents, memory)

    def _events(self) -> list[cl.Event]:
        return self._sending.events()


class PinnedSlot(DeviceSlot):
    """For pieces that are read into pinned memory, which the device copies by itself."""

    def __init__(self, session: Session, queue: cl.CommandQueue, size: int, dtype: np.dtype[Any]):
        import pyopencl as cl

        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.ALLOC_HOST_PTR
        self._queue = queue
        self._pinned = cl.Buffer(session.context, flags, max(1, size))
        modes = cast("cl.map_flags", cl.map_flags.READ | cl.map_flags.WRITE)
        mapped, _ = cl.enqueue_map_buffer(
            queue, self._pinned, modes, 0, (size,), np.dtype(np.uint8)
        )
        super().__init__(session, mapped.view(dtype), size)
        self._sent: list[cl.Event] = []

    def _send(self, contents: Array, memory: cl.Buffer) -> None:
        import pyopencl as cl

        if not contents.size:
            return
        self._sent = [cl.enqueue_copy(self._queue, memory, contents, is_blocking=False)]
        self._queue.flush()

    def _events(self) -> list[cl.Event]:
        return self._sent


class Staging:
    """Makes the slots that a device needs."""

    def __init__(self, session: Session, sizes: Sizes | None = None):
        self._session = session
        self._sizes = sizes
        self.is_of_host = session.device.info.kind == "cpu"
        """Whether the device works on memory of the host."""

    @property
    def most_bytes(self) -> int:
        """How large a piece helps the device."""
        if self.is_of_host:
            return PIECE_BYTES
        return min(SENT_BYTES, self._session.device.info.global_mem_bytes // SENT_SHARE)

    @cached_property
    def _queue(self) -> cl.CommandQueue:
        import pyopencl as cl

        return cl.CommandQueue(self._session.context, self._session.device.handle)

    @cached_property
    def _sender(self) -> Sender:
        return Sender(self._session, self._sizes)

    def to_read(self, count: int, dtype: np.dtype[Any]) -> Slot:
        """For `count` items of a pipe. Raises a DeviceError where the device has no room for it."""
        if self.is_of_host:
            return Slot(aligned(count, dtype))
        return PinnedSlot(self._session, self._queue, count * dtype.itemsize, dtype)

    def to_send(self, size: int) -> SentSlot:
        """
        For pieces of so many bytes in memory of the host, of a device with its own. Raises a
        DeviceError where that has no room for it.
        """
        return SentSlot(self._session, self._sender, size)
