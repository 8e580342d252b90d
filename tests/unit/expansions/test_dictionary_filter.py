"""`vyre.scan.dictionary_filter` counts and adds up what Python looks up and selects."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.scans import dictionary_filter_scan, outputs
from xdsl.dialects.builtin import IntegerType, i8, i16, i32, i64

from vyre_dialect.ir.tuning import Choice
from vyre_dialect.runtime.errors import VyreError

LEAST, LIMIT = -(1 << 31), 1 << 31
EXTREMES = st.sampled_from([LEAST, LEAST + 1, -1, 0, 1, LIMIT - 2, LIMIT - 1])
TABLES = st.lists(EXTREMES | st.integers(LEAST, LIMIT - 1), min_size=1, max_size=100)
BOUNDS = EXTREMES | st.just(LIMIT) | st.integers(LEAST, LIMIT) | st.integers(-300, 300)
RANGES = st.tuples(BOUNDS, BOUNDS).filter(lambda bounds: bounds[0] < bounds[1])
UNSIGNED: dict[IntegerType, str] = {i8: "u1", i16: "u2", i32: "u4"}


def check(
    codes: list[int],
    table: list[int],
    low: int,
    high: int,
    *,
    code: IntegerType = i8,
    count: IntegerType = i32,
    values: Choice = 16,
    lanes: Choice = 4,
) -> None:
    chosen = [table[each] for each in codes if low <= table[each] < high]
    scan = dictionary_filter_scan(low, high, codes=code, count=count, values=values, lanes=lanes)
    inputs = {"codes": np.array(codes, UNSIGNED[code]), "table": np.array(table, np.int32)}
    results = outputs(scan, **inputs)
    assert results["count"].tolist() == [len(chosen)]
    assert results["sum"].tolist() == [sum(chosen)]


@st.composite
def codes_and_tables(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    table = draw(TABLES)
    return draw(st.lists(st.integers(0, len(table) - 1), max_size=100)), table


@given(codes_and_tables(), RANGES, st.sampled_from([i8, i16, i32]), st.sampled_from([i32, i64]))
def test_looks_up_counts_and_adds_up(
    drawn: tuple[list[int], list[int]],
    span: tuple[int, int],
    code: IntegerType,
    count: IntegerType,
):
    check(*drawn, *span, code=code, count=count)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("values", [4, 8, 32, 64])
@pytest.mark.parametrize("lanes", [4, 16])
@settings(max_examples=30)
@given(drawn=codes_and_tables(), span=RANGES)
def test_any_number_of_values_in_any_vectors(
    values: int, lanes: int, drawn: tuple[list[int], list[int]], span: tuple[int, int]
):
    check(*drawn, *span, values=values, lanes=lanes)


@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 63, 64, 65])
@pytest.mark.parametrize("span", [(LEAST, LIMIT), (0, 1), (-5, 0), (7, 8), (7, LIMIT)])
def test_codes_past_the_end_do_not_count(size: int, span: tuple[int, int]):
    for first in (0, 7, -3, LEAST, LIMIT - 1):
        check([0] * size, [first, 7], *span)
        check([1] * size, [first, 7], *span)


@pytest.mark.parametrize("values", [4, 64])
@pytest.mark.parametrize("bits", [23, 24, 26, 27, 28, 29, 31, 32])
def test_sums_of_the_largest_distances_are_exact(values: int, bits: int):
    """On either side of where an invocation's sum fits a word of 32 bits."""
    low, high = LEAST, LEAST + (1 << bits)
    check([0] * 200, [high - 1], low, high, values=values)
    check([0, 1] * 100, [high - 1, low], low, high, values=values)


@pytest.mark.parametrize("size", [None, 5])
def test_counts_alone(size: int | None):
    scan = dictionary_filter_scan(10, 20, with_sum=False, size=size)
    codes, table = (
        np.array([0, 1, 2, 3, 4, 3, 3], np.uint8),
        np.array([9, 10, 15, 19, 20], np.int32),
    )
    assert outputs(scan, codes=codes, table=table)["count"].tolist() == [5]


@pytest.mark.parametrize("place", [0, 2, 16, 40])
def test_the_first_code_without_an_element_is_reported(place: int):
    codes = np.zeros(41, np.uint8)
    codes[[place, 40]] = 200
    scan, table = dictionary_filter_scan(10, 20), np.arange(200, dtype=np.int32)
    with pytest.raises(VyreError, match=f"invalid dictionary code at offset {place}$"):
        outputs(scan, codes=codes, table=table)


def test_no_code_has_an_element_in_an_empty_table():
    codes, table = np.zeros(3, np.uint8), np.zeros(0, np.int32)
    scan = dictionary_filter_scan(0, 20)
    with pytest.raises(VyreError, match=r"at offset 0$"):
        outputs(scan, codes=codes, table=table)
    none = outputs(scan, codes=codes[:0], table=table)
    assert none["count"].tolist() == none["sum"].tolist() == [0]
