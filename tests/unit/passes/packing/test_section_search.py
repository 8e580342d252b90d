"""The search by sections finds what fits without gaps, and stops when it is told to."""

from __future__ import annotations

from time import monotonic

import pytest
from support.packing import minimalloc, require_apart

from benchmarks.packing import planted
from vyre_dialect.passes.memory.packing.instance import Instance, LiveRange
from vyre_dialect.passes.memory.packing.section_search import SectionSearch, luby

FOREVER = float("inf")


@pytest.mark.parametrize("seed", range(8))
def test_a_full_arena_is_filled(seed: int):
    live_ranges = planted(40, seed)
    offsets = SectionSearch(Instance(live_ranges), 1000, 1).run(20_000, FOREVER)
    assert offsets is not None
    assert Instance(live_ranges).peak(offsets) == 1000
    require_apart(live_ranges, offsets.tolist())


def test_an_arena_with_room_is_filled():
    live_ranges = minimalloc("C")
    instance = Instance(live_ranges)
    offsets = SectionSearch(instance, instance.lower_bound, 1).run(20_000, FOREVER)
    assert offsets is not None
    assert instance.peak(offsets) == instance.lower_bound
    require_apart(live_ranges, offsets.tolist())


def test_what_cannot_be_is_given_up():
    assert SectionSearch(Instance(planted(30, 1)), 999, 1).run(3000, FOREVER) is None


def test_effort_bounds_what_is_tried():
    instance = Instance(planted(30, 1))
    assert SectionSearch(instance, 1000, 1).run(29, FOREVER) is None
    assert SectionSearch(instance, 1000, 1).run(20_000, monotonic() - 1) is None


def test_buffers_that_need_no_place_have_one():
    found = SectionSearch(Instance([LiveRange(0, 0, 4), LiveRange(0, 3, 0)]), 0, 1).run(1, FOREVER)
    assert found is not None
    assert found.tolist() == [0, 0]


def test_most_descents_are_short():
    assert [luby(place) for place in range(1, 16)] == [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]
