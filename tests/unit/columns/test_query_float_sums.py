"""Sums of floats by group are exact sums, rounded once, in whatever order and parts rows come."""

from __future__ import annotations

from fractions import Fraction
from math import fsum, inf, isnan, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tables import pa

from vyre_dialect.columns.errors import QueryError
from vyre_dialect.columns.extras import extra
from vyre_dialect.columns.query.float_sums import MOST_ROWS, parts_of
from vyre_dialect.columns.query.terms import Literal
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.queries import query

NUMBERS = st.floats(2.0**-20, 2.0**20) | st.floats(-(2.0**20), -(2.0**-20)) | st.just(0.0)
"""Magnitudes of which none has bits that are left out."""


def summed(
    keys: list[int], values: list[float | None], device: Any = "reference"
) -> dict[int, Any]:
    table = pa.table({"k": keys, "x": pa.array(values, pa.float64())})
    found = query(table, select="sum(x) as s", group_by="k", device=device)
    return {row["k"]: row["s"] for row in found.to_pylist()}


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 3), st.none() | NUMBERS), min_size=1, max_size=60))
def test_sums_are_exact_and_rounded_once(rows: list[tuple[int, float | None]]) -> None:
    keys, values = [key for key, _ in rows], [value for _, value in rows]
    groups = {key: [x for k, x in rows if k == key and x is not None] for key in set(keys)}
    expected = {key: fsum(group) if group else None for key, group in groups.items()}
    assert summed(keys, values) == expected


# Finite ones of like magnitude: what lies far below the largest one is left out of a sum.
@pytest.mark.slow
@given(st.lists(st.sampled_from([inf, -inf, nan, 1.5e300, -3e300]), min_size=1, max_size=6))
def test_what_is_not_finite_is_said(values: list[float]) -> None:
    (found,) = summed([7] * len(values), [*values]).values()
    is_number = not any(map(isnan, values)) and not {inf, -inf} <= set(values)
    assert isnan(found) if not is_number else found == fsum(values)


def test_bits_far_below_the_largest_value_of_the_column_are_left_out() -> None:
    large = 2.0**60
    found = summed([0, 1, 1, 2], [large, 2.0**-34, 2.0**-36, 2.0**-34 + 2.0**-36])
    assert found == {0: large, 1: 2.0**-34, 2: 2.0**-34}


@pytest.mark.parametrize("largest", [1e-310, 2.0**-950, 1.7e308])
def test_the_least_and_the_greatest_floats_are_added_up(largest: float) -> None:
    found = summed([0, 0, 1, 1], [largest, largest, largest, -largest])
    assert found[1] == 0
    assert found[0] == (largest * 2 if largest > 2.0**-980 else pytest.approx(0, abs=3e-310))


def test_what_is_computed_of_floats_is_added_up() -> None:
    values = [0.1 * each for each in range(30)]
    table = pa.table({"k": [0, 1] * 15, "x": values, "n": range(30), "f": pa.array(values, "f4")})
    select = "sum(x * n + 1) as a, avg(x) as b, sum(case when n > 3 then -x end) as c, sum(f) as d"
    found = query(table, select=select, group_by="k", device="reference").to_pylist()
    for key, row in enumerate(found):
        own, singles = values[key::2], np.array(values, np.float32)[key::2].tolist()
        assert row == {
            "k": key,
            "a": fsum(x * n + 1 for n, x in enumerate(values) if n % 2 == key),
            "b": float(sum(map(Fraction, own)) / 15),
            "c": fsum(-x for n, x in enumerate(values) if n % 2 == key and n > 3),
            "d": fsum(singles),
        }


def test_parts_are_added_up_whatever_they_are(tmp_path: Path) -> None:
    paths = [tmp_path / f"{each}.parquet" for each in range(3)]
    parts = [([0, 1, 2], [0.1, 1e9, inf]), ([0, 1, 2], [0.2, 0.3, 1.0]), ([0, 2], [-0.3, nan])]
    for path, (keys, values) in zip(paths, parts, strict=True):
        extra("pyarrow.parquet").write_table(pa.table({"k": keys, "x": values}), path)
    found = query(paths, select="sum(x) as s, avg(x) as a", group_by="k", device="reference")
    first, second, third = found.to_pylist()
    assert first == {"k": 0, "s": fsum([0.1, 0.2, -0.3]), "a": fsum([0.1, 0.2, -0.3]) / 3}
    assert second == {"k": 1, "s": fsum([1e9, 0.3]), "a": fsum([1e9, 0.3]) / 2}
    assert isnan(third["s"])


@pytest.mark.slow
def test_devices_say_what_the_interpreter_says(device: Device) -> None:
    random = np.random.default_rng(3)
    values = (random.standard_normal(3000) * 10.0 ** random.integers(-6, 6, 3000)).tolist()
    keys = random.integers(0, 9, 3000).tolist()
    found = summed(keys, values, device)
    assert found == {
        key: fsum(x for k, x in zip(keys, values, strict=True) if k == key) for key in found
    }
    assert len(found) == 9


def test_more_rows_than_pieces_can_be_added_up_of_are_refused() -> None:
    with pytest.raises(QueryError, match="floats are added up by group of up to 2147483648 rows"):
        parts_of(Literal(1.0, None), MOST_ROWS + 1)
