"""
Memory that pieces come through: a ring of slots, of which one is filled while another is worked on.

A device of the host works on a slot itself. Another device has a slot of its own beside it, and the
host's is pinned, so that a queue of its own copies one piece while kernels run on another.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.opencl.flight import Contents
from vyre_dialect.runtime.opencl.session import ArrayForm, DeviceArray, Session

if TYPE_CHECKING:
    import pyopencl as cl

_ALIGNMENT = 4096
_MOST_COPIERS = 16
"""Threads that copy to pinned memory at once: one of them is slower than the bus."""
_COPIED_AT_ONCE = 8 << 20


def aligned(count: int, dtype: np.dtype[Any]) -> Array:
    """Memory of the host on which a device of the host can work without a copy."""
    size = count * dtype.itemsize
    raw = np.empty(size + _ALIGNMENT, np.uint8)
    begin = -raw.ctypes.data % _ALIGNMENT
    return raw[begin : begin + size].view(dtype)


class Slot:
    """Memory for a piece of one input."""

    def __init__(self, host: Array):
        self.host = host

    def put(self, contents: Array) -> Contents:
        """Let the device have `contents`, which may lie in the slot."""
        return contents


class PinnedSlot(Slot):
    """Memory that the device copies from by itself, and memory of its own that it copies to."""

    def __init__(
        self,
        session: Session,
        queue: cl.CommandQueue,
        copiers: ThreadPoolExecutor,
        count: int,
        dtype: np.dtype[Any],
    ):
        import pyopencl as cl

        self._session, self._queue = session, queue
        self._size = max(1, count * dtype.itemsize)
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.ALLOC_HOST_PTR
        self._pinned = cl.Buffer(session.context, flags, self._size)
        modes = cast("cl.map_flags", cl.map_flags.READ | cl.map_flags.WRITE)
        mapped, _ = cl.enqueue_map_buffer(
            queue, self._pinned, modes, 0, (self._size,), np.dtype(np.uint8)
        )
        super().__init__(mapped[: count * dtype.itemsize].view(dtype))
        self._memory = session.pool.take(self._size, "piece")
        self._copiers = copiers

    def put(self, contents: Array) -> Contents:
        import pyopencl as cl

        source = contents.reshape(-1).view(np.uint8)
        pinned = self.host.reshape(-1).view(np.uint8)[: source.size]
        if not np.may_share_memory(source, pinned):
            self._copy(pinned, source)
        event = cl.enqueue_copy(self._queue, self._memory.handle, pinned, is_blocking=False)
        self._queue.flush()
        cl.enqueue_barrier(self._session.queue, wait_for=[event])
        return DeviceArray(self._memory, ArrayForm(self._session, contents.dtype, contents.shape))

    def _copy(self, target: Array, source: Array) -> None:
        begins = range(0, source.size, _COPIED_AT_ONCE)
        parts = [slice(begin, begin + _COPIED_AT_ONCE) for begin in begins]
        copies = [self._copiers.submit(np.copyto, target[part], source[part]) for part in parts]
        for copy in copies:
            copy.result()


class Staging:
    """Makes the slots that a device needs."""

    def __init__(self, session: Session):
        self._session = session
        self.is_of_host = session.device.info.kind == "cpu"
        """Whether the device works on memory of the host."""
        self._queue: cl.CommandQueue | None = None
        self._copiers = ThreadPoolExecutor(min(_MOST_COPIERS, os.cpu_count() or 1))

    def slot(self, count: int, dtype: np.dtype[Any]) -> Slot:
        """Memory for so many elements. Raises a DeviceError where the device has no room."""
        if self.is_of_host:
            return Slot(aligned(count, dtype))
        import pyopencl as cl

        if self._queue is None:
            self._queue = cl.CommandQueue(self._session.context, self._session.device.handle)
        return PinnedSlot(self._session, self._queue, self._copiers, count, dtype)
