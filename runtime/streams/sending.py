"""
Sends what lies in memory of the host to a device that has its own.

Threads copy it, in small parts, to pinned memory that is used over and over, and from which the
device copies by itself. That memory stays in the caches of the processor: what is sent is read from
memory once, and written nowhere else there. Memory that is pinned for all of it would be written to
and read again, three times the traffic, by which threads are held up that copy to it.
"""

from __future__ import annotations

import os
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from vyre_dialect.runtime.interpreter.arrays import Array

if TYPE_CHECKING:
    import pyopencl as cl

    from vyre_dialect.runtime.opencl.session import Session


class Sizes(NamedTuple):
    """How many threads copy, and how much at once."""

    threads: int = 8
    part_bytes: int = 4 << 20
    """All parts together are to stay in caches."""
    parts: int = 2
    """For each thread: it fills one while the device copies the others."""


class _Part:
    """Pinned memory, and the queue that sends it."""

    def __init__(self, session: Session, size: int):
        import pyopencl as cl

        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.ALLOC_HOST_PTR
        self._pinned = cl.Buffer(session.context, flags, size)
        self._queue = cl.CommandQueue(session.context, session.device.handle)
        modes = cast("cl.map_flags", cl.map_flags.READ | cl.map_flags.WRITE)
        self._host, _ = cl.enqueue_map_buffer(
            self._queue, self._pinned, modes, 0, (size,), np.dtype(np.uint8)
        )
        self._sent: cl.Event | None = None

    def send(self, contents: Array, target: cl.Buffer, offset: int) -> cl.Event:
        """Let `contents` go to `target`, of which the memory may be used again at once."""
        import pyopencl as cl

        if self._sent is not None:
            self._sent.wait()
        host = self._host[: contents.size]
        np.copyto(host, contents)
        self._sent = cl.enqueue_copy(
            self._queue, target, host, dst_offset=offset, is_blocking=False
        )
        self._queue.flush()
        return self._sent


@dataclass(frozen=True)
class Sending:
    """Something on its way to a device."""

    _parts: list[Future[cl.Event]]

    def events(self) -> list[cl.Event]:
        """What comes when all of it is there; waits until its memory may be used again."""
        return [part.result() for part in self._parts]


class Sender:
    """Sends one thing after the other, by threads of its own; parts are pinned as they come up."""

    def __init__(self, session: Session, sizes: Sizes | None = None):
        self._session = session
        self._sizes = sizes or Sizes()
        threads = min(self._sizes.threads, os.cpu_count() or 1)
        self._threads = ThreadPoolExecutor(threads)
        self._free: SimpleQueue[_Part | None] = SimpleQueue()
        """Those used the longest ago come first; None stands for one that is still to be made."""
        for _ in range(threads * self._sizes.parts):
            self._free.put(None)

    def send(self, contents: Array, target: cl.Buffer) -> Sending:
        """Begin to send bytes, which must not change until their events can be had."""
        size = self._sizes.part_bytes
        begins = range(0, contents.size, size)
        return Sending(
            [
                self._threads.submit(self._send, contents[begin : begin + size], target, begin)
                for begin in begins
            ]
        )

    def _send(self, contents: Array, target: cl.Buffer, offset: int) -> cl.Event:
        part = self._free.get()
        try:
            part = part or _Part(self._session, self._sizes.part_bytes)
            return part.send(contents, target, offset)
        finally:
            self._free.put(part)
