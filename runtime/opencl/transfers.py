"""Copies between the memory of the host and that of a device, none of which blocks the host.

An in-order queue makes every copy see what was launched before it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.progress import Progress, no_progress

if TYPE_CHECKING:
    import pyopencl as cl

Handle: TypeAlias = "cl.Buffer | cl.SVM[Any]"

Wait: TypeAlias = "Callable[[cl.Event], None]"
"""Returns when an event has come."""

CHUNK_BYTES = 64 << 20
"""Bytes that are copied at once."""


class Upload:
    """Contents on their way to a device, which must not change before they are there.

    Of more than one chunk, all but the last are there when this has been made.
    """

    def __init__(
        self,
        queue: cl.CommandQueue,
        handle: Handle,
        contents: Array,
        wait: Wait,
        name: str,
        progress: Progress = no_progress,
    ):
        import pyopencl as cl

        self._wait = wait
        self._event: cl.Event | None = None
        data = contents.reshape(-1).view(np.uint8)
        for begin in range(0, data.size, CHUNK_BYTES):
            self.wait()
            progress(f"copying '{name}' to the device", begin / data.size)
            chunk = data[begin : begin + CHUNK_BYTES]
            self._event = cl.enqueue_copy(queue, handle, chunk, dst_offset=begin, is_blocking=False)

    def wait(self) -> None:
        """Return when the device has the contents."""
        if self._event is not None:
            self._wait(self._event)


class Download:
    """The bytes `[begin, end)` on their way from a device; a call waits for them."""

    def __init__(
        self,
        queue: cl.CommandQueue,
        handle: Handle,
        begin: int,
        end: int,
        wait: Wait,
        name: str = "",
        progress: Progress = no_progress,
    ):
        import pyopencl as cl

        self._wait = wait
        self._data = np.empty(end - begin, np.uint8)
        self._name = name
        self._progress = progress
        self._events = [
            cl.enqueue_copy(
                queue,
                self._data[offset : offset + CHUNK_BYTES],
                handle,
                src_offset=begin + offset,
                is_blocking=False,
            )
            for offset in range(0, self._data.size, CHUNK_BYTES)
        ]

    def __call__(self) -> Array:
        for number, event in enumerate(self._events):
            if number:
                part = number / len(self._events)
                self._progress(f"copying '{self._name}' from the device", part)
            self._wait(event)
        return self._data
