"""What is sent to a device in parts arrives whole, and its memory may be used again at once."""

from __future__ import annotations

import numpy as np
import pyopencl as cl
import pytest

from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.streams.sending import Sender, Sizes


@pytest.mark.parametrize("size", [0, 1, 999, 1000, 1001, 50_321])
def test_all_bytes_arrive_behind_their_events(device: Device, size: int):
    session = Session(device)
    sender = Sender(session, Sizes(threads=3, part_bytes=1000, parts=2))
    random = np.random.default_rng(size)
    first, second = (random.integers(0, 256, size).astype(np.uint8) for _ in range(2))
    targets = [cl.Buffer(session.context, cl.mem_flags.READ_WRITE, max(1, size)) for _ in range(2)]
    contents = first.copy()
    sendings = [sender.send(contents, targets[0]), sender.send(second, targets[1])]
    events = sendings[0].events()
    contents[:] = 0  # which nobody may see
    events += sendings[1].events()
    assert len(events) <= 2 * 3, "one for each stripe"
    assert bool(events) == bool(size)
    if events:
        cl.enqueue_barrier(session.queue, wait_for=events)
    for target, expected in zip(targets, (first, second), strict=True):
        found = np.empty_like(expected)
        if size:
            cl.enqueue_copy(session.queue, found, target)
        np.testing.assert_array_equal(found, expected)


def test_pinned_memory_is_used_again(device: Device):
    session = Session(device)
    made = list[int]()
    allocate = cl.Buffer

    class Counted(cl.Buffer):
        def __init__(self, *given: object, **more: object):
            made.append(1)
            super().__init__(*given, **more)  # pyright: ignore[reportArgumentType]

    target = allocate(session.context, cl.mem_flags.READ_WRITE, 100_000)
    sender = Sender(session, Sizes(threads=2, part_bytes=1000, parts=2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cl, "Buffer", Counted)
        for _ in range(3):
            sender.send(np.ones(100_000, np.uint8), target).events()
    assert 1 <= len(made) <= 4
