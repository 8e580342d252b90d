"""Device memory that runs take and give back, so that repeated ones do not pay for fresh memory."""

from __future__ import annotations

from collections import deque
from threading import Lock
from typing import TYPE_CHECKING

from vyre_dialect.runtime.errors import OutOfMemoryError

if TYPE_CHECKING:
    import pyopencl as cl

    from vyre_dialect.runtime.program.device_info import DeviceInfo

IDLE_SHARE = 16
"""
When a buffer has to be made, idle ones may take this fraction of the device's memory, one part in
16; of more, those go that were used the longest ago.
"""


class _Shelf(deque["tuple[int, cl.Buffer]"]):
    """The idle buffers of a size, each behind the number of its return, the last one at the end."""

    made: int = 0
    """How many buffers of the size there are, with those in use."""


class PooledBuffer:
    """Memory of a device that goes back to its pool when nothing refers to it any more."""

    __slots__ = ("_pool", "_shelf", "handle", "size")

    def __init__(self, pool: BufferPool, shelf: _Shelf, handle: cl.Buffer, size: int):
        self._pool = pool
        self._shelf = shelf
        self.handle = handle
        self.size = size
        """In bytes."""

    def __del__(self) -> None:
        # Garbage collection may do so while the lock of the pool is held, so this takes no lock.
        self._pool.returns += 1
        self._shelf.append((self._pool.returns, self.handle))


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
        self._shelves: dict[int, _Shelf] = {}
        """By the size of their buffers."""
        self._allocated_bytes = 0
        self.allocations = 0
        """How many buffers were ever allocated."""
        self.returns = 0
        """How many were given back, more or less: threads that do so at once may count one."""

    @property
    def idle_bytes(self) -> int:
        """Bytes that are not in use."""
        return sum(size * len(shelf) for size, shelf in list(self._shelves.items()))

    def take(self, size: int, name: str) -> PooledBuffer:
        """A buffer of `size` bytes with any contents.

        Raises an OutOfMemoryError that calls it `name` where the device has no room for it.
        """
        with self._lock:
            shelf = self._shelves.get(size)
            if not shelf:
                return self._allocate(size, name)
            return PooledBuffer(self, shelf, shelf.pop()[1], size)

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
        shelf = self._shelves.setdefault(size, _Shelf())
        shelf.made += 1
        return PooledBuffer(self, shelf, handle, size)

    def _make_room(self, size: int) -> None:
        """Release idle buffers, longest unused first, while they are too many for `size` more."""
        memory, idle_bytes = self._info.global_mem_bytes, self.idle_bytes
        idle = [(number, each) for each, shelf in self._shelves.items() for number, _ in [*shelf]]
        for _, each in sorted(idle):
            is_too_much = self._allocated_bytes + size > memory
            if idle_bytes <= memory // IDLE_SHARE and not is_too_much:
                return
            self._release_oldest(each)
            idle_bytes -= each

    def _release_oldest(self, size: int) -> None:
        shelf = self._shelves[size]
        shelf.popleft()[1].release()  # also where a kernel still has it as an argument
        shelf.made -= 1
        if not shelf.made:
            del self._shelves[size]
        self._allocated_bytes -= size

    def _does_not_fit(self, name: str, size: int, reason: str) -> OutOfMemoryError:
        return OutOfMemoryError(
            f"the program does not fit {self._info.label}: buffer '{name}' needs {size} bytes; "
            f"{reason}"
        )
