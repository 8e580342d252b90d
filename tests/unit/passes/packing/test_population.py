"""What grows side by side is valid, stays within its capacity and is the same each time."""

from __future__ import annotations

import numpy as np
import pytest
from support.packing import minimalloc

from benchmarks.packing import planted
from vyre_dialect.passes.memory.packing.instance import Instance, Integers, LiveRange
from vyre_dialect.passes.memory.packing.population import NOWHERE, TRIES, Population
from vyre_dialect.passes.memory.packing.portfolio import BY_LENGTH, ranking_keys

MUCH = 1 << 40
FOREVER = float("inf")


def _grown(instance: Instance, capacity: int, size: int) -> Integers | None:
    keys = ranking_keys(instance)[BY_LENGTH]
    return Population(instance, capacity, keys, size, seed=1).run(MUCH, FOREVER)


@pytest.mark.parametrize("seed", range(10))
def test_what_is_found_fits_without_overlap(seed: int):
    instance = Instance(planted(30, seed))
    offsets = _grown(instance, 1150, 16)
    assert offsets is not None
    assert instance.peak(offsets) <= 1150
    ends = offsets + instance.sizes
    for buffer in range(instance.count):
        alive = (instance.first < instance.last[buffer]) & (instance.last > instance.first[buffer])
        overlaps = alive & (offsets < ends[buffer]) & (ends > offsets[buffer])
        assert np.flatnonzero(overlaps).tolist() == [buffer]


def test_more_packings_find_what_few_miss():
    instance = Instance(minimalloc("D"))
    capacity = int(1.045 * instance.lower_bound)
    assert _grown(instance, capacity, 1) is None
    assert _grown(instance, capacity, 128) is not None


def test_the_same_seed_finds_the_same():
    instance = Instance(planted(30, 1))
    first, second = _grown(instance, 1150, 8), _grown(instance, 1150, 8)
    assert first is not None
    assert second is not None
    assert np.array_equal(first, second)


def test_what_cannot_be_is_given_up():
    assert _grown(Instance(planted(30, 1)), 999, 16) is None


def test_effort_bounds_what_is_tried():
    instance = Instance(planted(30, 1))
    keys = ranking_keys(instance)[BY_LENGTH]
    assert Population(instance, 1150, keys, 16, seed=1).run(16 * 30 - 1, FOREVER) is None
    assert Population(instance, 1150, keys, 16, seed=1).run(MUCH, 0.0) is None


def _staircases(count: int) -> list[LiveRange]:
    """
    Staircases of four buffers, which have no time in common. With the last of one below, its third
    is above, so that the second has to be below, and the first cannot. Of every two staircases, the
    first of one, which fails, is followed by the second of the other, which does not.
    """
    first = [LiveRange(4 * at, 4 * at + 1, 1) for at in range(count)]
    second = [LiveRange(4 * at, 4 * at + 2, 1) for at in range(count)]
    third = [LiveRange(4 * at + 1, 4 * at + 3, 1) for at in range(count)]
    last = [LiveRange(4 * at + 2, 4 * at + 3, 1) for at in range(count)]
    in_turn = [each for pair in zip(first[::2], second[1::2], strict=True) for each in pair]
    return [*last, *in_turn, *second[::2], *first[1::2], *third]


def test_what_found_no_place_before_takes_no_tries_again():
    instance = Instance(_staircases(2 * TRIES))
    keys = np.array([[10.0**-rank for rank in range(instance.count)]])
    offsets = Population(instance, 2, keys, 1, seed=1).run(MUCH, FOREVER)
    assert offsets is not None
    assert instance.peak(offsets) == 2


def test_offsets_beyond_32_bits_are_left_to_others():
    live_ranges = planted(30, 1)
    assert _grown(Instance(live_ranges), 1 << 40, 16) is None


def test_offsets_are_found_below_half_of_what_stands_for_none():
    def pair(peak: int) -> Instance:
        return Instance([LiveRange(0, 2, 1), LiveRange(1, 3, peak - 1)])

    largest = NOWHERE // 2 - 1
    offsets = _grown(pair(largest), largest, 16)
    assert offsets is not None
    assert pair(largest).peak(offsets) == largest
    assert _grown(pair(largest + 1), largest + 1, 16) is None
