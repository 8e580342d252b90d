"""Slots hold what never lives at once, and take as little as they can where that is known."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from vyre_dialect.passes.memory.packing.instance import Life
from vyre_dialect.passes.memory.packing.slots import Slots, share_slots


@st.composite
def _lives(draw: st.DrawFn, most: int) -> list[Life]:
    drawn = draw(
        st.lists(st.tuples(st.integers(0, 8), st.integers(1, 5), st.integers(1, 20)), max_size=most)
    )
    return [Life(begin, begin + length, size) for begin, length, size in drawn]


def _smallest(lives: list[Life], slots: list[list[Life]]) -> int:
    """The smallest sum, by trying every slot for every buffer."""
    if not lives:
        return sum(max(each.size for each in slot) for slot in slots)
    life, *others = lives
    return min(
        _smallest(others, [*slots[:at], [*chosen, life], *slots[at + 1 :]])
        for at, chosen in enumerate([*slots, []])
        if all(each.upper <= life.lower or life.upper <= each.lower for each in chosen)
    )


@given(_lives(30))
@settings(deadline=None, max_examples=100)
def test_a_slot_holds_one_live_buffer_at_a_time(lives: list[Life]):
    slots = share_slots(lives)
    for one, other in combinations(range(len(lives)), 2):
        if slots.slot_of[one] == slots.slot_of[other]:
            first, second = sorted((lives[one], lives[other]), key=lambda life: life.lower)
            assert first.upper <= second.lower
    for life, slot in zip(lives, slots.slot_of, strict=True):
        assert life.size <= slots.sizes[slot]


@given(_lives(6))
@settings(deadline=None, max_examples=100)
def test_small_instances_take_as_little_as_by_brute_force(lives: list[Life]):
    assert share_slots(lives).total == _smallest(lives, [])


def test_the_search_finds_what_first_fit_misses():
    table = ((5, 6, 6), (2, 5, 2), (1, 4, 4), (4, 8, 6))
    lives = [Life(*each) for each in table]
    assert (share_slots(lives, steps=0).total, share_slots(lives).total) == (14, 12)


def test_nothing_takes_nothing():
    assert share_slots([]) == Slots([], [])
    assert share_slots([]).total == 0
