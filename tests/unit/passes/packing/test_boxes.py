"""Boxes waste nothing, and a packing of them is one of the buffers."""

from __future__ import annotations

from time import monotonic

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.packing import minimalloc, require_apart

from benchmarks.packing import planted
from vyre_dialect.passes.memory.packing.boxes import Boxes
from vyre_dialect.passes.memory.packing.greedy import greedy
from vyre_dialect.passes.memory.packing.instance import Instance, LiveRange


def _packed_by_boxes(live_ranges: list[LiveRange], seed: int) -> tuple[int, list[int]]:
    """The arena of a packing of boxes, and the offsets of the buffers in it."""
    instance = Instance(live_ranges)
    boxes = Boxes(instance, seed)
    offsets = greedy(boxes.instance, monotonic() + 60)
    unpacked = boxes.unpacked(offsets)
    assert instance.peak(unpacked) == boxes.instance.peak(offsets)
    return boxes.instance.lower_bound, unpacked.tolist()


_LIFE = st.tuples(st.integers(0, 6), st.integers(0, 4), st.integers(0, 4))


@given(st.lists(_LIFE, max_size=25), st.integers(0, 9))
@settings(deadline=None, max_examples=150)
def test_a_packing_of_boxes_is_one_of_buffers(table: list[tuple[int, int, int]], seed: int):
    live_ranges = [LiveRange(begin, begin + length, size) for begin, length, size in table]
    lower_bound, offsets = _packed_by_boxes(live_ranges, seed)
    require_apart(live_ranges, offsets)
    assert lower_bound == Instance(live_ranges).lower_bound


def test_what_replaces_one_another_is_one_box():
    boxes = Boxes(Instance([LiveRange(0, 2, 8), LiveRange(2, 5, 8), LiveRange(5, 6, 8)]), 0)
    assert boxes.instance.count == 1
    assert boxes.unpacked(np.array([0])).tolist() == [0, 0, 0]


def test_what_lives_at_once_is_stacked():
    boxes = Boxes(Instance([LiveRange(0, 2, 8), LiveRange(0, 2, 4), LiveRange(2, 4, 12)]), 0)
    assert boxes.instance.count == 1
    assert sorted(boxes.unpacked(np.array([0])).tolist()) in ([0, 0, 4], [0, 0, 8])


def test_what_differs_stays_apart():
    assert (
        Boxes(
            Instance([LiveRange(0, 2, 8), LiveRange(1, 4, 4), LiveRange(3, 5, 6)]), 0
        ).instance.count
        == 3
    )


def test_the_pieces_of_a_rectangle_are_put_together_again():
    assert Boxes(Instance(planted(100, 1)), 0).instance.sizes.tolist() == [1000]


@pytest.mark.parametrize("seed", range(4))
def test_other_seeds_merge_otherwise(seed: int):
    instance = Instance(minimalloc("D"))
    found = [Boxes(instance, each).instance.sizes.tolist() for each in (seed, seed, seed + 4)]
    assert found[0] == found[1] != found[2]
    assert len(found[0]) < instance.count
