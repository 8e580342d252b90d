"""Memory of a device, kept for whoever needs as much again."""

from dataclasses import replace

import pytest

from vyre_dialect.runtime.errors import DeviceError
from vyre_dialect.runtime.opencl.buffer_pool import BufferPool
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.session import Session


def pool(device: Device, memory: int = 1 << 20) -> BufferPool:
    info = replace(device.info, global_mem_bytes=memory, max_alloc_bytes=memory // 2)
    return Session(replace(device, info=info)).pool


def test_memory_is_taken_again_by_its_exact_size(device: Device) -> None:
    buffers = pool(device)
    first = buffers.take(1000, "a")
    handle = first.handle
    del first
    smaller = buffers.take(999, "b")
    assert smaller.handle != handle
    assert smaller.handle.size == 999
    assert buffers.take(1000, "c").handle == handle
    assert buffers.allocations == 2


def test_memory_in_use_is_nobody_elses(device: Device) -> None:
    buffers = pool(device)
    taken = [buffers.take(1000, "a") for _ in range(3)]
    assert len({buffer.handle.int_ptr for buffer in taken}) == 3


def test_idle_memory_has_a_limit(device: Device) -> None:
    buffers = pool(device, memory=16000)
    for size in range(100, 200):  # 14950 bytes in all
        buffers.take(size, "a")
        assert buffers.idle_bytes <= 1000 + size


def test_what_was_used_the_longest_ago_goes_first(device: Device) -> None:
    buffers = pool(device, memory=16000)
    taken = [buffers.take(size, "a") for size in (300, 301, 302, 900, 901)]
    while taken:
        taken.pop(0)
    buffers.take(300, "used again")
    assert buffers.idle_bytes == 300 + 301 + 302 + 900 + 901
    buffers.take(1, "b")  # until there are 1000 bytes, 301, 302, 900 and 901 go, in this order
    assert buffers.idle_bytes == 300 + 1
    allocations = buffers.allocations
    buffers.take(300, "a")
    assert buffers.allocations == allocations
    buffers.take(901, "c")
    assert buffers.allocations == allocations + 1


def test_runs_of_ever_other_sizes_keep_no_more_than_the_share(device: Device) -> None:
    buffers = pool(device, memory=1 << 20)
    for size in range(10_000, 10_400):
        taken = [buffers.take(size, "a"), buffers.take(2 * size, "b")]
        del taken
    assert buffers.idle_bytes <= (1 << 20) // 16 + 3 * 10_400
    assert len(buffers._shelves) <= 8


def test_idle_memory_makes_room(device: Device) -> None:
    buffers = pool(device, memory=4000)
    kept = buffers.take(1500, "a")
    buffers.take(900, "b")
    others = [buffers.take(1250, "c"), buffers.take(1250, "d")]
    assert buffers.idle_bytes == 0
    assert {kept.size, *(other.size for other in others)} == {1500, 1250}


def test_too_much_is_refused(device: Device) -> None:
    buffers = pool(device, memory=4000)
    with pytest.raises(DeviceError, match="'a' needs 2001 bytes; one buffer may have 2000"):
        buffers.take(2001, "a")
    kept = [buffers.take(2000, "a"), buffers.take(1500, "b")]
    with pytest.raises(DeviceError, match="'c' needs 501 bytes; 4001 bytes in all, it has 4000"):
        buffers.take(501, "c")
    kept.pop()
    assert buffers.take(501, "c").size == 501
