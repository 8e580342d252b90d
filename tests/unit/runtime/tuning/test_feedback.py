"""The resize policy grows, shrinks, or leaves a size, and never leaves its bounds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vyre_dialect.runtime.tuning.feedback import Feedback, ResizePolicy

BUSY, IDLE = 0, 200_000


@pytest.mark.parametrize(
    ("size", "throughput", "idle", "suggested"),
    [
        (64, 0.5, BUSY, 128),  # too little is done: grow
        (64, 2.0, BUSY, None),  # all is well
        (64, 1.0, BUSY, None),  # the threshold itself is enough
        (64, 2.0, 100_000, None),  # and as much idleness is not too much
        (256, 2.0, IDLE, 128),  # the device waits: shrink
        (256, 0.5, IDLE, 128),  # idleness comes first
        (32, 0.5, IDLE, None),  # not below the least, and then no growth either
        (1024, 0.5, BUSY, None),  # not above the most
        (0, 0.5, BUSY, 2),  # no size counts as 1
    ],
)
def test_what_is_suggested(size: int, throughput: float, idle: int, suggested: int | None):
    assert ResizePolicy().suggest(Feedback(size, throughput, idle)) == suggested


@given(st.integers(0, 4096), st.floats(0, 10), st.integers(0, 10**6))
def test_a_suggestion_is_another_size_within_the_bounds(size: int, throughput: float, idle: int):
    policy = ResizePolicy(most=512, least=16)
    suggested = policy.suggest(Feedback(size, throughput, idle))
    assert suggested is None or (suggested != size and suggested <= max(512, size))
    if suggested is not None and suggested < size:
        assert suggested >= 16


def test_sizes_settle_where_throughput_suffices():
    policy, size = ResizePolicy(), 32
    while (larger := policy.suggest(Feedback(size, size / 200))) is not None:
        size = larger
    assert size == 256
