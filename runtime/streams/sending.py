"""
Sends what lies in memory of the host to a device that has its own.

Threads copy it, in small parts, to pinned memory that is used over and over, and from which the
device copies by itself. That memory stays in the caches of the processor: what is sent is read from
memory once, and written nowhere else there. Memory that is pinned for all of it would be written to
and read again, three times the traffic, by which threads are held up that copy to it.
"""

from __future__ import annotations

import os
from collections import deque
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
    """How many threads copy, and how much at once; measured on an NVIDIA H200 with 16 cores."""

    threads: int = 12
    """At most, and no more than three of four cores, as others have to do, too; devices that share
    an input share them: with 12 for each of two H100s, both got less than one alone."""
    part_bytes: int = 8 << 20
    parts: int = 2
    """For each thread: it fills one while the device copies the others."""


class _Part:
    """Pinned memory that a device copies from."""

    def __init__(self, session: Session, queue: cl.CommandQueue, size: int):
        import pyopencl as cl

        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.ALLOC_HOST_PTR
        self._pinned = cl.Buffer(session.context, flags, size)
        self._queue = queue
        modes = cast("cl.map_flags", cl.map_flags.READ | cl.map_flags.WRITE)
        self._host, _ = cl.enqueue_map_buffer(
            queue, self._pinned, modes, 0, (size,), np.dtype(np.uint8)
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


class _Lane:
    """What one thread sends by: a queue, and parts in turn."""

    def __init__(self, session: Session, sizes: Sizes):
        import pyopencl as cl

        self._size = sizes.part_bytes
        queue = cl.CommandQueue(session.context, session.device.handle)
        self._parts = deque(_Part(session, queue, sizes.part_bytes) for _ in range(sizes.parts))

    def send(self, contents: Array, target: cl.Buffer, offset: int) -> cl.Event:
        """As a part sends, of any size but 0; the event comes when all of it is there."""
        event = None
        for begin in range(0, contents.size, self._size):
            part = contents[begin : begin + self._size]
            event = self._parts[0].send(part, target, offset + begin)
            self._parts.rotate(-1)
        assert event is not None
        return event


@dataclass(frozen=True)
class Sending:
    """Something on its way to a device."""

    _stripes: list[Future[cl.Event]]

    def events(self) -> list[cl.Event]:
        """What comes when all of it is there; waits until its memory may be used again."""
        return [stripe.result() for stripe in self._stripes]


class Sender:
    """
    Sends one thing after the other, each in stripes: as many as there are threads, so that few
    events are waited for.
    """

    def __init__(self, session: Session, sizes: Sizes | None = None):
        self._session = session
        self._sizes = sizes or Sizes()
        cores = os.cpu_count() or 1
        self._count = max(1, min(self._sizes.threads, cores * 3 // 4))
        self._threads = ThreadPoolExecutor(self._count)
        self._free: SimpleQueue[_Lane | None] = SimpleQueue()
        """For each thread one, and None for one that is still to be made."""
        for _ in range(self._count):
            self._free.put(None)

    def send(self, contents: Array, target: cl.Buffer) -> Sending:
        """Begin to send bytes, which must not change until their events can be had."""
        parts = -(-contents.size // self._sizes.part_bytes)
        size = max(1, -(-parts // self._count)) * self._sizes.part_bytes
        return Sending(
            [
                self._threads.submit(self._send, contents[begin : begin + size], target, begin)
                for begin in range(0, contents.size, size)
            ]
        )

    def _send(self, contents: Array, target: cl.Buffer, offset: int) -> cl.Event:
        lane = self._free.get()
        try:
            lane = lane or _Lane(self._session, self._sizes)
            return lane.send(contents, target, offset)
        finally:
            self._free.put(lane)
