"""`vyre.scan.prefix_sum` adds up what `itertools.accumulate` adds up."""

from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.scans import outputs, prefix_sum_scan
from xdsl.dialects.builtin import i32, i64

LEAST, LIMIT = -(1 << 31), 1 << 31
VALUES = st.lists(st.integers(LEAST, LIMIT - 1), max_size=300)
BLOCK, GROUP, RUN = 64, 64 * 64, 16 * 64 * 64
SIZES = [0, 1, *(level + step for level in (BLOCK, GROUP, RUN) for step in (-1, 0, 1))]


def wrapped(value: int) -> int:
    return (value - LEAST) % (1 << 32) + LEAST


@given(VALUES, st.sampled_from([4, 8, 16]))
def test_exact_in_64_bits(values: list[int], lanes: int):
    results = outputs(prefix_sum_scan(i64, lanes=lanes), values=np.array(values, np.int32))
    assert results["sums"].tolist() == list(accumulate(values))


@given(VALUES, st.sampled_from([4, 8, 16]))
def test_wraps_in_32_bits(values: list[int], lanes: int):
    results = outputs(prefix_sum_scan(i32, lanes=lanes), values=np.array(values, np.int32))
    assert results["sums"].tolist() == [wrapped(value) for value in accumulate(values)]


@given(st.lists(st.integers(-(1 << 63), (1 << 63) - 1), max_size=300), st.sampled_from([4, 16]))
def test_longs_wrap_in_64_bits(values: list[int], lanes: int):
    given_ = np.array(values, np.int64)
    results = outputs(prefix_sum_scan(i64, source=i64, lanes=lanes), values=given_)
    assert results["sums"].tolist() == np.cumsum(given_).tolist()


@pytest.mark.parametrize("size", [*SIZES, 5 * RUN + 77])
def test_every_level(size: int):
    values = np.random.default_rng(size).integers(LEAST, LIMIT, size, np.int32)
    results = outputs(prefix_sum_scan(i64), values=values)
    np.testing.assert_array_equal(results["sums"], np.cumsum(values, dtype=np.int64))


@pytest.mark.parametrize("sizes", [(5, 3), (3, 200), (100, 64)])
def test_sizes_that_differ(sizes: tuple[int, int]):
    values = np.arange(1, sizes[0] + 1, dtype=np.int32)
    expected = np.cumsum(np.resize(np.append(values, [0] * 200), sizes[1]), dtype=np.int64)
    results = outputs(prefix_sum_scan(i64, sizes), values=values)
    np.testing.assert_array_equal(results["sums"], expected)
