"""`vyre.scan.filter` counts and adds up what a comparison in Python selects."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.scans import filter_scan, outputs
from xdsl.dialects.builtin import IntegerType, i32, i64

from vyre_dialect.ir.tuning import Choice

LEAST, LIMIT = -(1 << 31), 1 << 31
EXTREMES = st.sampled_from([LEAST, LEAST + 1, -1, 0, 1, LIMIT - 2, LIMIT - 1])
VALUES = st.lists(EXTREMES | st.integers(LEAST, LIMIT - 1), max_size=100)
BOUNDS = EXTREMES | st.just(LIMIT) | st.integers(LEAST, LIMIT)
RANGES = st.tuples(BOUNDS, BOUNDS).filter(lambda bounds: bounds[0] < bounds[1])


def check(
    values: list[int],
    low: int,
    high: int,
    type: IntegerType = i32,
    each: Choice = 16,
    lanes: Choice = 4,
) -> None:
    chosen = [value for value in values if low <= value < high]
    scan = filter_scan(low, high, type, values=each, lanes=lanes)
    results = outputs(scan, values=np.array(values, np.int32))
    assert results["count"].tolist() == [len(chosen)]
    assert results["sum"].tolist() == [sum(chosen)]


@given(VALUES, RANGES, st.sampled_from([i32, i64]))
def test_counts_and_adds_up(values: list[int], span: tuple[int, int], type: IntegerType):
    check(values, *span, type)


@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 63, 64, 65])
@pytest.mark.parametrize("span", [(LEAST, LIMIT), (0, 1), (-5, 0), (-1, 1), (LIMIT - 1, LIMIT)])
def test_zeros_past_the_end_do_not_count(size: int, span: tuple[int, int]):
    check([LIMIT - 1] * size, *span)
    check([0] * size, *span)


@pytest.mark.parametrize("each", [4, 8, 32, 64])
@given(VALUES, RANGES)
def test_any_number_of_values_per_invocation(each: int, values: list[int], span: tuple[int, int]):
    check(values, *span, each=each)


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("each", "lanes"), [(4, 16), (8, 8), (16, 16), (64, 8), (64, 16)])
@settings(max_examples=30)
@given(VALUES, RANGES)
def test_vectors_of_other_lengths(each: int, lanes: int, values: list[int], span: tuple[int, int]):
    check(values, *span, each=each, lanes=lanes)


@pytest.mark.parametrize("each", [4, 16, 64])
def test_the_widest_range_whose_distances_are_summed_up(each: int):
    size = ((1 << 32) - 1) // each
    for low in (LEAST, -size, -size // 2, 0, LIMIT - size - 1):
        for width in (size, size + 1):
            found = [low, low + width - 1] * each
            check([*found, low - 1 if low > LEAST else LIMIT - 1] * 3, low, low + width, each=each)


def test_sum_beyond_32_bits():
    check([LIMIT - 1] * 1000, 0, LIMIT)
    check([LEAST] * 1000, LEAST, 0)


def test_count_alone():
    results = outputs(filter_scan(0, 3, with_sum=False), values=np.arange(9, dtype=np.int32))
    assert {name: value.tolist() for name, value in results.items()} == {"count": [3]}
