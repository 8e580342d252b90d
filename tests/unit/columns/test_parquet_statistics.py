"""What statistics of Parquet say is taken where it can be."""

from __future__ import annotations

import pytest
from support.tables import pa

from vyre_dialect.columns.parquet.footer import Statistics
from vyre_dialect.columns.parquet.statistics import UNKNOWN, Bounds, bounds_of


@pytest.mark.parametrize(
    ("least", "greatest", "expected"), [(1, 5, Bounds(1, 5)), (2, 2, Bounds(2, 2)), (5, 1, UNKNOWN)]
)
def test_bounds_in_the_wrong_order_say_nothing(least: int, greatest: int, expected: Bounds) -> None:
    statistics = Statistics(
        least.to_bytes(4, "little"), greatest.to_bytes(4, "little"), is_old=False
    )
    assert bounds_of(statistics, "INT32", pa.int32()) == expected
