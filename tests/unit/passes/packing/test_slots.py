"""Slots hold what never lives at once, and take as little as they can where that is known."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from vyre_dialect.passes.memory.packing.instance import LiveRange
from vyre_dialect.passes.memory.packing.slots import Slots, share_slots


@st.composite
def _live_ranges(draw: st.DrawFn, most: int) -> list[LiveRange]:
    drawn = draw(
        st.lists(st.tuples(st.integers(0, 8), st.integers(1, 5), st.integers(1, 20)), max_size=most)
    )
    return [LiveRange(begin, begin + length, size) for begin, length, size in drawn]


def _smallest(live_ranges: list[LiveRange], slots: list[list[LiveRange]]) -> int:
    """The smallest sum, by trying every slot for every buffer."""
    if not live_ranges:
        return sum(max(each.size for each in slot) for slot in slots)
    live_range, *others = live_ranges
    return min(
        _smallest(others, [*slots[:at], [*chosen, live_range], *slots[at + 1 :]])
        for at, chosen in enumerate([*slots, []])
        if all(each.upper <= live_range.lower or live_range.upper <= each.lower for each in chosen)
    )


@given(_live_ranges(30))
@settings(deadline=None, max_examples=100)
def test_a_slot_holds_one_live_buffer_at_a_time(live_ranges: list[LiveRange]):
    slots = share_slots(live_ranges)
    for one, other in combinations(range(len(live_ranges)), 2):
        if slots.slot_of[one] == slots.slot_of[other]:
            first, second = sorted(
                (live_ranges[one], live_ranges[other]), key=lambda live_range: live_range.lower
            )
            assert first.upper <= second.lower
    for live_range, slot in zip(live_ranges, slots.slot_of, strict=True):
        assert live_range.size <= slots.sizes[slot]


@given(_live_ranges(6))
@settings(deadline=None, max_examples=100)
def test_small_instances_take_as_little_as_by_brute_force(live_ranges: list[LiveRange]):
    assert share_slots(live_ranges).total == _smallest(live_ranges, [])


def test_the_search_finds_what_first_fit_misses():
    table = ((5, 6, 6), (2, 5, 2), (1, 4, 4), (4, 8, 6))
    live_ranges = [LiveRange(*each) for each in table]
    assert (share_slots(live_ranges, steps=0).total, share_slots(live_ranges).total) == (14, 12)


def test_nothing_takes_nothing():
    assert share_slots([]) == Slots([], [])
    assert share_slots([]).total == 0
