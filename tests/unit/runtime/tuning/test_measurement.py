"""Timings by a clock that the test turns: what is repeated, given up, thrown away and refused."""

from collections.abc import Iterable, Iterator
from itertools import chain, repeat

import pytest

from vyre_dialect.runtime.errors import DeviceError
from vyre_dialect.runtime.tuning.measurement import (
    AT_ONCE,
    HOPELESS,
    SAMPLE_NS,
    Run,
    Sampler,
    Timing,
    measure,
)


class Scripted:
    """Gives times in turn, and notes when it was asked."""

    def __init__(self, times: Iterable[int], log: list[str] | None = None, name: str = ""):
        self._times: Iterator[int] = iter(times)
        self._log, self._name = log, name
        self.count = 0

    def __call__(self) -> int:
        self.count += 1
        if self._log is not None:
            self._log.append(self._name)
        return next(self._times)


def steady(ns: int) -> Run:
    return Scripted(repeat(ns))


def failing() -> int:
    raise DeviceError("the device is gone")


def test_the_median_of_five_samples_counts():
    (timing,) = measure([Scripted([10**6] + [x * 10**6 for x in (9, 1, 5, 2, 3)])])
    assert timing.samples == [9e6, 1e6, 5e6, 2e6, 3e6]
    assert timing.ns == 3e6


def test_the_warm_up_does_not_count():
    (timing,) = measure([Scripted(chain([10**12], repeat(2 * 10**6)))])
    assert timing.ns == 2e6


def test_a_sample_lasts_a_millisecond_and_no_longer():
    run = Scripted(repeat(20_000))
    (timing,) = measure([run], rounds=1)
    assert run.count == 1 + SAMPLE_NS // 20_000
    assert timing.ns == 20_000


def test_candidates_take_turns_and_who_is_first_is_last():
    log = list[str]()
    measure([Scripted(repeat(10**6), log, name) for name in "abc"], rounds=4)
    assert "".join(log) == "abc" + "abc" + "cba" + "abc" + "cba"


def test_one_that_is_clearly_slower_is_given_up_after_two_rounds():
    fast, slow = Scripted(repeat(10**6)), Scripted(repeat(int(1.1e6)))
    timings = measure([fast, slow])
    assert [timing.is_given_up for timing in timings] == [False, True]
    assert [len(timing.samples) for timing in timings] == [5, 2]


def test_the_first_is_what_others_are_compared_with_and_never_given_up():
    timings = measure([steady(2 * 10**6), steady(10**6)])
    assert [len(timing.samples) for timing in timings] == [5, 5]


def test_nobody_is_given_up_without_a_race():
    timings = measure([steady(10**6), steady(3 * 10**6)], races=False)
    assert [len(timing.samples) for timing in timings] == [5, 5]


def test_one_that_was_once_as_fast_is_not_given_up():
    close = Scripted([2 * 10**6] + [10**6] + [2 * 10**6] * 4)
    timings = measure([steady(10**6), close])
    assert not timings[1].is_given_up
    assert len(timings[1].samples) == 5


FASTEST = 10**5


def screened(times: Iterable[int]) -> tuple[Timing, int]:
    """The timing of a candidate next to the fastest, and how often it ran."""
    run = Scripted(times)
    sampler = Sampler(run)
    sampler.warm_up()
    sampler.screen(FASTEST)
    return sampler.timing, run.count


def test_one_that_may_be_the_fastest_is_screened_for_a_millisecond():
    timing, count = screened(repeat(FASTEST))
    assert (timing.samples, timing.is_given_up, count) == ([FASTEST], False, 11)


def test_one_that_is_much_slower_twice_is_given_up_within_its_first_sample():
    slow = int(AT_ONCE * FASTEST) + 1
    timing, count = screened(repeat(slow))
    assert (timing.samples, timing.is_given_up, count) == ([slow], True, 2)


@pytest.mark.parametrize("first", [[3 * FASTEST, FASTEST], [FASTEST, 3 * FASTEST]])
def test_one_that_is_much_slower_once_is_not_given_up(first: list[int]):
    timing, count = screened(chain(first, repeat(FASTEST)))
    assert not timing.is_given_up
    assert count > 2


def test_one_that_is_hopeless_only_warms_up():
    slow = int(HOPELESS * FASTEST) + 1
    timing, count = screened(repeat(slow))
    assert (timing.samples, timing.is_given_up, count) == ([slow], True, 1)


def test_one_that_takes_no_time_to_warm_up_is_not_screened():
    timing, count = screened(repeat(0))
    assert (timing.failure, timing.ns, count) == ("the device measured 0 ns", None, 1)


@pytest.mark.parametrize("time", [0, -5])
def test_no_time_is_a_failure(time: int):
    bad, good = measure([Scripted([10**6, 10**6, time]), steady(10**6)])
    assert bad.failure == f"the device measured {time} ns"
    assert bad.ns is None
    assert good.ns == 10**6


def test_one_that_raises_fails_alone():
    bad, good = measure([failing, steady(10**6)])
    assert (bad.failure, bad.ns) == ("the device is gone", None)
    assert good.failure is None


def test_noise_is_a_share_of_the_median():
    assert Timing([100.0] * 5).noise == 0
    assert Timing([90.0, 110.0, 100.0, 100.0, 500.0]).noise == 0.05
    assert Timing([100.0, 100.0, 110.0, 120.0, 120.0]).noise == pytest.approx(20 / 110)
    assert Timing([1.0]).noise == Timing().noise == 0
