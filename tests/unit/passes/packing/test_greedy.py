"""Buffers that are placed one after the other lie as low as those before them let them."""

from __future__ import annotations

import numpy as np
import pytest

from vyre_dialect.passes.memory.packing.greedy import first_fit
from vyre_dialect.passes.memory.packing.instance import Instance, LiveRange


@pytest.mark.parametrize(("size", "offset"), [(7, 4), (8, 4), (9, 20)])
def test_a_gap_is_filled_by_what_is_no_larger(size: int, offset: int):
    live_ranges = [
        LiveRange(0, 3, 4),
        LiveRange(0, 1, 8),
        LiveRange(0, 3, 8),
        LiveRange(1, 3, size),
    ]
    placed = first_fit(Instance(live_ranges), np.arange(4))
    assert placed.tolist() == [0, 4, 12, offset]
