"""The least and the greatest float of each group are what NumPy finds, NaN where one is."""

from __future__ import annotations

from math import inf, isnan, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tables import pa

from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.queries import query

FLOATS = st.floats() | st.sampled_from([0.0, -0.0, inf, -inf, nan, 5e-324])


def extremes(
    keys: list[int], values: list[float | None], device: Device | str = "reference"
) -> dict[int, tuple[float | None, float | None]]:
    """The least and the greatest value by key."""
    table = pa.table({"k": keys, "x": pa.array(values, pa.float64())})
    found = query(table, select="min(x) as a, max(x) as b", group_by="k", device=device)
    assert found.schema.field("a").type == pa.float64()
    return {row["k"]: (row["a"], row["b"]) for row in found.to_pylist()}


def assert_found(keys: list[int], values: list[float | None], found: dict[int, Any]) -> None:
    """That what was found of each group is NumPy's answer."""
    rows = list(zip(keys, values, strict=True))
    assert found.keys() == set(keys)
    for key, pair in found.items():
        own = [value for of, value in rows if of == key and value is not None]
        expected = (np.min(own), np.max(own)) if own else (None, None)
        assert [*map(str, map(_plain, pair))] == [*map(str, map(_plain, expected))]


def _plain(number: Any) -> float | None:
    """Of two zeros, which are equal, one."""
    return None if number is None else float(number) + 0.0


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 3), st.none() | FLOATS), min_size=1, max_size=40))
def test_extremes_are_those_of_numpy(rows: list[tuple[int, float | None]]) -> None:
    keys, values = [key for key, _ in rows], [value for _, value in rows]
    assert_found(keys, values, extremes(keys, values))


@pytest.mark.slow
def test_devices_find_what_numpy_finds(device: Device) -> None:
    random = np.random.default_rng(8)
    values: list[float | None] = (random.standard_normal(2000) * 1e3).tolist()
    keys = random.integers(0, 20, 2000).tolist()
    values[5], values[77], values[80] = nan, inf, None
    found = extremes(keys, values, device)
    assert_found(keys, values, found)
    assert isnan(found[keys[5]][0] or 0.0)


def test_computed_and_single_floats_have_extremes() -> None:
    table = pa.table({"k": [0, 0, 1], "x": [0.5, -2.0, 3.0], "f": pa.array([1.5, 2.5, -1], "f4")})
    select = "max(x / 2) as a, min(f) as f, max(x) filter (where x < 1) as c, max(x) - min(x) as d"
    found = query(table, select=select, group_by="k", device="reference").to_pylist()
    assert found == [
        {"k": 0, "a": 0.25, "f": 1.5, "c": 0.5, "d": 2.5},
        {"k": 1, "a": 1.5, "f": -1.0, "c": None, "d": 0.0},
    ]
