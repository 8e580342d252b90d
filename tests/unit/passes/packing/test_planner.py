"""Plans are valid, as small as they can be where that is known, and the same each time."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.packing import minimalloc, most_alive, require_apart, smallest_peak

from benchmarks.packing import planted
from vyre_dialect.passes.memory.packing.instance import LiveRange
from vyre_dialect.passes.memory.packing.planner import Effort, Packing, Status, plan

SOME = Effort(nodes=2000)
MUCH = Effort(nodes=50_000)


@st.composite
def _live_ranges(draw: st.DrawFn, most: int, times: int = 12, largest: int = 40) -> list[LiveRange]:
    moment, size = st.integers(0, times), st.integers(0, largest)
    live_ranges = draw(st.lists(st.tuples(moment, moment, size), max_size=most))
    return [LiveRange(min(one, other), max(one, other), data) for one, other, data in live_ranges]


def _require_valid(live_ranges: list[LiveRange], packing: Packing, alignment: int = 1) -> None:
    """Whether offsets are aligned, and within the arena, and no two buffers overlap."""
    require_apart(live_ranges, packing.offsets)
    for live_range, offset in zip(live_ranges, packing.offsets, strict=True):
        assert offset + live_range.size <= packing.peak or live_range.lower == live_range.upper
        assert offset % alignment == 0


@given(_live_ranges(14), st.sampled_from([1, 4, 64]))
@settings(deadline=None, max_examples=150)
def test_no_two_live_buffers_overlap(live_ranges: list[LiveRange], alignment: int):
    _require_valid(live_ranges, plan(live_ranges, SOME, alignment=alignment), alignment)


@given(_live_ranges(14))
@settings(deadline=None, max_examples=100)
def test_the_lower_bound_is_what_is_alive_at_once(live_ranges: list[LiveRange]):
    assert plan(live_ranges, SOME).lower_bound == most_alive(live_ranges)


@given(_live_ranges(6, times=6, largest=4))
@settings(deadline=None, max_examples=60)
def test_small_instances_are_solved_as_by_brute_force(live_ranges: list[LiveRange]):
    packing = plan(live_ranges, MUCH)
    assert packing.peak == smallest_peak(live_ranges)
    assert packing.status in (Status.LOWER_BOUND, Status.OPTIMAL)
    assert packing.gap == 1


@given(_live_ranges(14))
@settings(deadline=None, max_examples=30)
def test_the_same_question_has_the_same_answer(live_ranges: list[LiveRange]):
    assert plan(live_ranges, SOME) == plan(live_ranges, SOME)


@pytest.mark.parametrize("count", [10, 20, 40])
@pytest.mark.parametrize("seed", range(5))
def test_a_perfect_packing_is_found(count: int, seed: int):
    packing = plan(planted(count, seed), MUCH)
    assert (packing.peak, packing.status) == (1000, Status.LOWER_BOUND)


@pytest.mark.parametrize("name", ["A", "C", "D", "F", "H"])
def test_minimalloc_is_solved_at_the_lower_bound(name: str):
    live_ranges = minimalloc(name)
    packing = plan(live_ranges, MUCH)
    assert packing.status == Status.LOWER_BOUND
    _require_valid(live_ranges, packing)


@pytest.mark.slow
@pytest.mark.parametrize("capacity", [None, 1 << 20])
def test_minimalloc_is_solved_far_below_the_capacity_of_its_file(capacity: int | None):
    live_ranges = minimalloc("J")
    packing = plan(live_ranges, Effort(nodes=250_000), capacity=capacity)
    _require_valid(live_ranges, packing)
    assert packing.ratio <= 1.023


@pytest.mark.parametrize("capacity", [0, 700, 1000, 1200, 10**9])
def test_a_capacity_is_what_is_asked_for_first(capacity: int):
    packing = plan(planted(40, seed=1), MUCH, capacity=capacity)
    assert (packing.peak, packing.status) == (1000, Status.LOWER_BOUND)


def test_sizes_beyond_32_bits_are_packed():
    live_ranges = [
        LiveRange(each.lower, each.upper, each.size * (1 << 40) + 1) for each in planted(20, 3)
    ]
    packing = plan(live_ranges, SOME)
    _require_valid(live_ranges, packing)


def test_empty_buffers_are_in_nobodys_way():
    live_ranges = [
        *planted(40, seed=1),
        LiveRange(0, 5, 0),
        LiveRange(995, 2000, 0),
        LiveRange(3000, 3001, 0),
    ]
    packing = plan(live_ranges, MUCH)
    _require_valid(live_ranges, packing)
    assert packing.peak == 1000


def test_an_optimum_above_the_lower_bound_is_proved():
    table = (
        *((0, 1, 4), (0, 1, 1), (0, 2, 1), (1, 3, 3), (2, 4, 1)),
        *((3, 4, 1), (1, 5, 2), (4, 5, 2), (3, 7, 2), (5, 7, 4)),
    )
    live_ranges = [LiveRange(*each) for each in table]
    packing = plan(live_ranges, MUCH)
    assert (packing.peak, packing.lower_bound, packing.status) == (7, 6, Status.OPTIMAL)
    assert smallest_peak(live_ranges) == 7


def test_touching_lives_share():
    packing = plan([LiveRange(0, 2, 8), LiveRange(2, 4, 8)], SOME)
    assert packing.offsets == [0, 0]
    assert packing.peak == 8


def test_what_lives_for_no_time_needs_nothing():
    assert plan([LiveRange(3, 3, 8)], SOME).peak == 0


def test_nothing_needs_nothing():
    assert plan([], SOME) == Packing([], 0, 0, -1, Status.LOWER_BOUND)


def test_effort_bounds_what_is_tried():
    packing = plan(planted(200, seed=1), Effort(nodes=0))
    assert packing.status == Status.BEST_FOUND
    assert 1 < packing.gap < 2


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="expected upper >= lower"):
        LiveRange(2, 1, 1)
    with pytest.raises(ValueError, match="expected a size of at least 0"):
        LiveRange(0, 1, -1)
    with pytest.raises(ValueError, match="expected an alignment of at least 1"):
        plan([], SOME, alignment=0)


def test_more_bytes_than_an_offset_counts_are_refused() -> None:
    with pytest.raises(ValueError, match=f"expected at most {2**60} bytes in all, got {2**60 + 2}"):
        plan([LiveRange(0, 1, 2**59 + 1)] * 2, SOME)
