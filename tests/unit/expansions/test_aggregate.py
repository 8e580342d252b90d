"""`vyre.scan.aggregate` gives NumPy's answers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.interpreting import interpreter
from support.queries import assert_float_answers, float_query
from support.scans import expanded, outputs
from xdsl.dialects import math
from xdsl.dialects.builtin import f32, f64, i8, i16, i32, i64
from xdsl.ir import Attribute

from vyre_dialect.builder import Buffer, Program, Value, aggregate

LEAST, LIMIT = -(1 << 31), 1 << 31
WORDS = st.lists(st.integers(LEAST, LIMIT - 1) | st.integers(-3, 3), max_size=150)
LENGTHS = st.integers(0, 200)


def result(p: Program, name: str, type: Attribute, fill: float | None = None, n: int = 1) -> Buffer:
    return p.buffer(name, type, n, live_out=True, fill=fill)


def of_words(p: Program) -> None:
    """Everything that can be asked of integers, of the rows whose values are even."""
    values = p.buffer("values", i32)
    count, first = result(p, "count", i64), result(p, "first", i32, -1)
    total, wrapped = result(p, "sum", i64), result(p, "wrapped", i32)
    extremes = {
        "mins": result(p, "mins", i32, LIMIT - 1),
        "minu": result(p, "minu", i32, -1),
        "maxs": result(p, "maxs", i32, LEAST),
        "maxu": result(p, "maxu", i32),
    }
    with aggregate(values) as query:
        (value,) = query.row
        query.where((value & 1).eq(0))
        query.count(into=count)
        query.first(into=first)
        query.sum(value.to(i64, signed=True), into=total)
        query.sum(value, into=wrapped)
        query.min(value, into=extremes["mins"], signed=True)
        query.min(value, into=extremes["minu"])
        query.max(value, into=extremes["maxs"], signed=True)
        query.max(value, into=extremes["maxu"])


@given(WORDS)
def test_what_is_asked_of_integers(words: list[int]):
    found = outputs(WORD_QUERY, values=np.array(words, np.int32))
    even = [word for word in words if word % 2 == 0]
    unsigned = [word % (1 << 32) for word in even]
    assert {name: int(array[0]) for name, array in found.items()} == {
        "count": len(even),
        "first": next((row for row, word in enumerate(words) if word % 2 == 0), -1),
        "sum": sum(even),
        "wrapped": int(np.int64(sum(even)).astype(np.int32)),
        "mins": min(even, default=LIMIT - 1),
        "minu": int(np.uint32(min(unsigned, default=LIMIT * 2 - 1)).astype(np.int32)),
        "maxs": max(even, default=LEAST),
        "maxu": int(np.uint32(max(unsigned, default=0)).astype(np.int32)),
    }


WORD_QUERY = expanded(of_words)


def of_columns(p: Program) -> None:
    """Columns of several types, and a limit that the host computes."""
    bytes_, halves = p.buffer("bytes", i8), p.buffer("halves", i16)
    longs, floats = p.buffer("longs", i64), p.buffer("floats", f64)
    limits = p.buffer("limits", i32, 1)
    count, total = result(p, "count", i32), result(p, "sum", i64)
    limit = limits[0]
    with aggregate(bytes_, halves, longs, floats) as query:
        byte, half, long, number = query.row
        query.where(byte.to(i32) < limit)
        query.where(number < 0.5)
        query.count(into=count)
        query.sum(half.to(i64, signed=True) * long + query.position.to(i64), into=total)


COLUMN_QUERY = expanded(of_columns)


@given(st.lists(LENGTHS, min_size=4, max_size=4), st.integers(0, 256))
def test_there_are_as_many_rows_as_the_shortest_column_has(lengths: list[int], limit: int):
    random = np.random.default_rng([*lengths, limit])
    bytes_ = random.integers(0, 256, lengths[0], np.uint8)
    halves = random.integers(-(1 << 15), 1 << 15, lengths[1], np.int16)
    longs = random.integers(-(1 << 62), 1 << 62, lengths[2], np.int64)
    floats = random.random(lengths[3])
    columns = {"bytes": bytes_, "halves": halves, "longs": longs, "floats": floats}
    limits = np.array([limit], np.int32)
    found = outputs(COLUMN_QUERY, limits=limits, **columns)  # pyright: ignore[reportArgumentType]
    rows = min(lengths)
    chosen = (bytes_[:rows] < limit) & (floats[:rows] < 0.5)
    terms = halves[:rows].astype(np.int64) * longs[:rows] + np.arange(rows)
    assert found["count"].tolist() == [np.count_nonzero(chosen)]
    assert found["sum"].tolist() == [int(terms[chosen].sum())]


def limited(p: Program) -> None:
    values, limits = p.buffer("values", i32), p.buffer("limits", i64, 1)
    count = result(p, "count", i32)
    with aggregate(values, rows=limits[0].to(values.length.type, signed=True)) as query:
        query.count(into=count)


@pytest.mark.parametrize(("rows", "expected"), [(-1, 0), (0, 0), (3, 3), (10, 10), (11, 10)])
def test_rows_may_be_fewer(rows: int, expected: int):
    module = expanded(limited)
    found = outputs(module, values=np.zeros(10, np.int32), limits=np.array([rows]))
    assert found["count"].tolist() == [expected]


@pytest.mark.parametrize(("longer", "shorter"), [(7, 5), (5, None), (None, None)])
def test_columns_of_known_sizes(longer: int | None, shorter: int | None):
    def build(p: Program) -> None:
        left, right = p.buffer("left", i32, longer), p.buffer("right", i8, shorter)
        total = result(p, "sum", i32)
        with aggregate(left, right) as query:
            query.sum(query.row[0] * query.row[1].to(i32), into=total)

    inputs = {"left": np.arange(longer or 9, dtype=np.int32), "right": np.ones(5, np.int8)}
    assert outputs(expanded(build), **inputs)["sum"].tolist() == [10]


GROUPS = 6


def grouped(p: Program) -> None:
    keys, values = p.buffer("keys", i32), p.buffer("values", i32)
    counts, sums = result(p, "counts", i32, n=GROUPS), result(p, "sums", i64, n=GROUPS)
    least = result(p, "least", i32, LIMIT - 1, GROUPS)
    firsts = result(p, "firsts", i64, -1, GROUPS)
    with aggregate(keys, values) as query:
        key, value = query.row
        query.group_by(key)
        query.where(value.ne(0))
        query.count(into=counts)
        query.sum(value.to(i64, signed=True), into=sums)
        query.min(value, into=least, signed=True)
        query.first(into=firsts)


GROUP_QUERY = expanded(grouped)


@given(st.lists(st.tuples(st.sampled_from([LEAST, -1, *range(8), LIMIT - 1]), st.integers(-9, 9))))
def test_rows_of_each_key_and_none_of_others(rows: list[tuple[int, int]]):
    keys, values = np.array(rows, np.int32).reshape(-1, 2).T
    found = outputs(GROUP_QUERY, keys=keys.copy(), values=values.copy())
    for group in range(GROUPS):
        own = [(n, value) for n, (key, value) in enumerate(rows) if key == group and value]
        of_own = [value for _, value in own]
        assert found["counts"][group] == len(own)
        assert found["sums"][group] == sum(of_own)
        assert found["least"][group] == min(of_own, default=LIMIT - 1)
        assert found["firsts"][group] == next((n for n, _ in own), -1)


FLOAT_QUERIES = {np.float32: float_query(f32), np.float64: float_query(f64)}
ANY_FLOATS = st.floats(width=32) | st.sampled_from([0.0, -0.0, 1e30, -1e30])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(st.lists(st.tuples(ANY_FLOATS, st.integers(0, 3)), max_size=200))
def test_floats_in_the_order_that_is_documented(
    dtype: type[np.floating], rows: list[tuple[float, int]]
):
    values = np.array([value for value, _ in rows]).astype(dtype)
    marks = np.array([mark for _, mark in rows], np.int8)
    with np.errstate(all="ignore"):
        found = interpreter(FLOAT_QUERIES[dtype]).run({"values": values, "marks": marks}).outputs
        assert_float_answers(found, values, marks)


@pytest.mark.parametrize("size", [64 * 64 - 1, 64 * 64 * 3 + 65, 64 * 64 * 300])
def test_floats_of_many_blocks(size: int):
    random = np.random.default_rng(size)
    values = (random.standard_normal(size) * 10.0 ** random.integers(-9, 9, size)).astype(
        np.float32
    )
    marks = random.integers(0, 2, size, np.int8)
    found = interpreter(FLOAT_QUERIES[np.float32]).run({"values": values, "marks": marks}).outputs
    assert_float_answers(found, values, marks)


def test_results_are_added_to():
    found = outputs(
        WORD_QUERY,
        values=np.array([2, 4], np.int32),
        count=np.array([10]),
        first=np.array([-1], np.int32),
    )
    assert found["count"].tolist() == [12]


def test_math_in_the_body():
    def build(p: Program) -> None:
        values, total = p.buffer("values", i32), result(p, "sum", i32)
        with aggregate(values) as query:
            query.sum(Value(math.CtPopOp(query.row[0].ssa).result), into=total)

    assert outputs(expanded(build), values=np.array([7, 255], np.int32))["sum"].tolist() == [11]
