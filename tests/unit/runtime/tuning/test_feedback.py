"""
The resize policy grows, shrinks, or leaves a size, and never leaves its bounds; live runs follow
it, and come back from what is slower.
"""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vyre_dialect.runtime.tuning.feedback import Feedback, ResizePolicy, Resizer, policy_for

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


SIZES = (1, 8, 16, 32, 64, 128, 256, 512, 1024)
GROWING = ResizePolicy(least=1, saturation_per_us=1e9)
WINDOW = 3


def sizes_of(resizer: Resizer, gb_per_s: Callable[[int], float], runs: int, idle_ns: int = 0):
    """The sizes of so many runs of 1 MB each, by what they move with each size."""
    sizes = list[int]()
    for _ in range(runs):
        sizes.append(resizer.size)
        device_ns = int(1e6 / gb_per_s(resizer.size))
        resizer.record(10**6, device_ns, device_ns + idle_ns)
    return sizes


def test_runs_follow_after_each_window_behind_one_that_warms_up():
    sizes = sizes_of(Resizer(SIZES, 64, GROWING, WINDOW), lambda size: size, 12)
    assert sizes == [64] * 4 + [128] * 4 + [256] * 4


def test_runs_come_back_from_what_is_slower_and_stay():
    resizer = Resizer(SIZES, 64, GROWING, WINDOW)
    sizes = sizes_of(resizer, lambda size: size if size <= 128 else 1, 24)
    assert sizes == [64] * 4 + [128] * 4 + [256] * 4 + [128] * 12


def test_runs_stay_where_enough_is_done():
    sizes = sizes_of(Resizer(SIZES, 64, policy_for(100), WINDOW), lambda size: size, 12)
    assert sizes == [64] * 4 + [128] * 8


def test_runs_shrink_while_the_device_waits():
    resizer = Resizer(SIZES, 128, ResizePolicy(idle_us=100), WINDOW)
    sizes = sizes_of(resizer, lambda _: 1e-3, 16, idle_ns=100_000)
    assert sizes == [128] * 4 + [64] * 4 + [32] * 8


def test_sizes_are_legal_ones():
    sizes = sizes_of(Resizer(SIZES, 1, GROWING, WINDOW), lambda size: size, 8)
    assert sizes == [1] * 4 + [8] * 4
    assert set(sizes_of(Resizer([], 64, GROWING, WINDOW), lambda size: 1, 20)) == {64}
    bounded = ResizePolicy(most=100, saturation_per_us=1e9)
    assert set(sizes_of(Resizer(SIZES, 64, bounded, WINDOW), lambda size: 1, 20)) == {64}


def test_runs_that_take_no_time_say_nothing():
    resizer = Resizer(SIZES, 64, GROWING, WINDOW)
    for _ in range(20):
        resizer.record(10**6, 0, 10)
    assert resizer.size == 64


def test_a_window_has_runs():
    with pytest.raises(ValueError, match="expected a window of at least one run, got 0"):
        Resizer(SIZES, 64, GROWING, 0)
