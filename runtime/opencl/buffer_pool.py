"""Device memory that runs take and give back, so that repeated ones do not pay for fresh memory."""

from __future__ import annotations

from collections import deque
from threading import Lock
from typing import TYPE_CHECKING

from vyre_dialect.runtime.errors import RoomError

if TYPE_CHECKING:
    import pyopencl as cl

    from vyre_dialect.runtime.opencl.devices import DeviceInfo

IDLE_SHARE = 4
"""Idle buffers of a pool take up to this fraction of the device's memory: one part in four."""


class PooledBuffer:
    """Memory of a device that goes back to its pool when nothing refers to it any more."""

    __slots__ = ("_idle", "handle", "size")

    def __init__(self, idle: deque[cl.Buffer], handle: cl.Buffer, size: int):
        self._idle = idle
        self.handle = handle
        self.size = size
        """In bytes."""

    def __del__(self) -> None:
        self._idle.append(self.handle)


class BufferPool:
    """
    The buffers of one in-order queue, by their exact size: in a larger one, no checker could see
    an access beyond the end.

    Whoever takes a buffer that is still in use by commands of an earlier owner gets it behind them.
    """

    def __init__(self, context: cl.Context, info: DeviceInfo):
        self._context = context
        self._info = info
        self._lock = Lock()
        # Garbage collection may give a buffer back while the lock is held, so that takes no lock.
        self._idle: dict[int, deque[cl.Buffer]] = {}
        self._allocated_bytes = 0
        self.allocations = 0
        """How many buffers were ever allocated."""

    @property
    def idle_bytes(self) -> int:
        """Bytes that nobody uses just now."""
        return sum(size * len(buffers) for size, buffers in self._idle.items())

    def take(self, size: int, name: str) -> PooledBuffer:
        """A buffer of `size` bytes with any contents.

        Raises a RoomError that calls it `name` where the device has no room for it.
        """
        with self._lock:
            idle = self._idle.get(size)
            if not idle:
                return self._allocate(size, name)
            return PooledBuffer(idle, idle.pop(), size)

    def _allocate(self, size: int, name: str) -> PooledBuffer:
        import pyopencl as cl

        info = self._info
        if size > info.max_alloc_bytes:
            raise self._does_not_fit(name, size, f"one buffer may have {info.max_alloc_bytes}")
        self._make_room(size)
        total = self._allocated_bytes + size
        if total > info.global_mem_bytes:
            reason = f"{total} bytes in all, it has {info.global_mem_bytes}"
            raise self._does_not_fit(name, size, reason)
        try:
            handle = cl.Buffer(self._context, cl.mem_flags.READ_WRITE, size)
        except cl.Error as error:
            raise self._does_not_fit(name, size, str(error)) from error
        self._allocated_bytes = total
        self.allocations += 1
        return PooledBuffer(self._idle.setdefault(size, deque()), handle, size)

    def _make_room(self, size: int) -> None:
        """Release idle buffers, the largest first, while they are too many for `size` more."""
        memory = self._info.global_mem_bytes
        idle_bytes = self.idle_bytes
        for each, buffers in sorted(self._idle.items(), reverse=True):
            while buffers and (
                idle_bytes > memory // IDLE_SHARE or self._allocated_bytes + size > memory
            ):
                buffers.pop().release()  # also where a kernel still has it as an argument
                idle_bytes -= each
                self._allocated_bytes -= each

    def _does_not_fit(self, name: str, size: int, reason: str) -> RoomError:
        return RoomError(
            f"the program does not fit {self._info.label}: buffer '{name}' needs {size} bytes; "
            f"{reason}"
        )
