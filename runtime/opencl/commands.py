"""
What a run does with the memory of its buffers. Commands hold nothing of a run, so that others may
do them again.
"""

from __future__ import annotations

import numpy as np

from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.interpreter.machine import Key
from vyre_dialect.runtime.interpreter.storage import POISON
from vyre_dialect.runtime.opencl.buffer_pool import PooledBuffer
from vyre_dialect.runtime.opencl.flight import Command, Memory, RunInFlight
from vyre_dialect.runtime.opencl.scratch_layout import Place, ScratchSlice, block_key
from vyre_dialect.runtime.opencl.session import DeviceArray
from vyre_dialect.runtime.opencl.shared_memory import SharedMemory, shared_memory


def use(key: Key, memory: Memory) -> Command:
    """Let a buffer be memory that all runs share."""

    def command(run: RunInFlight) -> None:
        run.memory[key] = memory

    return command


def cut(key: Key, place: Place, size: int) -> Command:
    """Cut the memory of a buffer from an allocation that it shares."""
    shared = block_key(place.block)

    def command(run: RunInFlight) -> None:
        block = run.memory[shared]
        assert isinstance(block, PooledBuffer)
        handle = block.handle
        if place.offset is not None:
            handle = handle.get_sub_region(place.offset, size)
        run.memory[key] = ScratchSlice(handle, size, block)

    return command


def fill(key: Key, value: Array, size: int) -> Command:
    """Write a value over and over."""
    import pyopencl as cl

    def command(run: RunInFlight) -> None:
        cl.enqueue_fill_buffer(run.queue, _own(run, key).handle, value, 0, size)

    return command


def poison(key: Key) -> Command:
    """Overwrite a dead buffer, so that reading it would be noticed."""
    import pyopencl as cl

    value = np.full(1, POISON, np.uint8)

    def command(run: RunInFlight) -> None:
        memory = _own(run, key)
        cl.enqueue_fill_buffer(run.queue, memory.handle, value, 0, memory.size)

    return command


def send(key: Key, name: str, contents: Array) -> Command:
    """Copy contents to the device that every run has."""
    return lambda run: run.send(name, _own(run, key).handle, contents)


def send_input(key: Key, name: str) -> Command:
    """Copy to the device what the host supplies."""
    return lambda run: run.send(name, _own(run, key).handle, _supplied(run, name))


def share_input(key: Key, name: str) -> Command:
    """Let a buffer be the host's own memory where the device can work on that, or else a copy."""

    def command(run: RunInFlight) -> None:
        contents = _supplied(run, name)
        memory = shared_memory(run.session, contents)
        if memory is None:
            memory = run.session.pool.take(max(1, contents.nbytes), name)
            run.send(name, memory.handle, contents)
        run.memory[key] = memory

    return command


def copy_input(key: Key, name: str) -> Command:
    """Copy an array of the device, so that kernels may write to the copy."""
    import pyopencl as cl

    def command(run: RunInFlight) -> None:
        source = run.inputs[name]
        assert isinstance(source, DeviceArray)
        if size := source.nbytes:
            handle = _own(run, key).handle
            cl.enqueue_copy(run.queue, handle, source.buffer.handle, byte_count=size)

    return command


def _supplied(run: RunInFlight, name: str) -> Array:
    contents = run.inputs[name]
    assert not isinstance(contents, DeviceArray)
    return contents


def _own(run: RunInFlight, key: Key) -> PooledBuffer | ScratchSlice:
    """The memory of a buffer that this run alone works on."""
    memory = run.memory[key]
    assert not isinstance(memory, SharedMemory)
    return memory
