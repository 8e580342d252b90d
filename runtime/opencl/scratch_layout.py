"""Where the scratch buffers of a run lie in memory that they share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from vyre_dialect.runtime.interpreter.machine import Derived, Key
from vyre_dialect.runtime.opencl.buffer_pool import PooledBuffer

if TYPE_CHECKING:
    import pyopencl as cl


@dataclass(frozen=True)
class ScratchSlice:
    """What one buffer has for its live range of an allocation that it shares."""

    handle: cl.Buffer
    size: int
    """In bytes."""
    block: PooledBuffer
    """The allocation, kept as long as the slice."""


class Place(NamedTuple):
    """Where a buffer lies."""

    block: int
    """Which of the shared allocations."""
    offset: int | None
    """Its first byte there; None where the allocation cannot be cut, and it has the whole."""


@dataclass(frozen=True)
class ScratchLayout:
    """Where the buffers of a run lie."""

    places: Mapping[Key, Place]
    """Buffers that are not listed have memory of their own."""
    blocks: tuple[int, ...]
    """The sizes of the shared allocations, in bytes."""
    lower_bound: int
    """The most bytes that are alive in them at once."""


APART = ScratchLayout({}, (), 0)
"""Every buffer in memory of its own."""


def block_key(number: int) -> Key:
    """The key of a shared allocation among the memory of a run."""
    return Derived("block", number)
