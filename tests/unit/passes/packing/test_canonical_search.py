"""The canonical search leaves out what cannot lead to a packing."""

from __future__ import annotations

import numpy as np
import pytest

from vyre_dialect.passes.memory.packing.canonical_search import CanonicalSearch, InfeasibleError
from vyre_dialect.passes.memory.packing.instance import Instance, LiveRange


def _run(live_ranges: list[LiveRange], capacity: int, nodes: int) -> list[int] | None:
    """What is found where buffers have the ranks in which they are listed."""
    order = np.arange(len(live_ranges))
    found = CanonicalSearch(Instance(live_ranges), capacity, order).run(nodes, float("inf"))
    return None if found is None else found.tolist()


def test_nothing_is_placed_where_more_is_alive_at_once_than_fits():
    live_ranges = [LiveRange(0, 1, 1), LiveRange(0, 1, 1)]
    with pytest.raises(InfeasibleError):
        _run(live_ranges, 1, nodes=0)
    assert _run(live_ranges, 2, nodes=2) == [0, 1]
