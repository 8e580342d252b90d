"""Decoders of columns, value by value: dictionaries, split bytes, decimals, runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.columns import DTYPES, TYPES, alp, dictionary, patched, run_length, split
from support.interpreting import interpreter
from xdsl.dialects.builtin import ModuleOp, f32, i32, i64

from examples.encodings import Array
from vyre_dialect.runtime.errors import VyreError

SIZES = (0, 1, 2, 7, 64, 100)


def decoded(module: ModuleOp, **inputs: Array) -> Array:
    """What the reference interpreter decodes to; integers are signed."""
    found = interpreter(module).run(inputs).outputs["decoded"]
    return found.view(found.dtype.str.replace("u", "i"))


def reports(module: ModuleOp, message: str, **inputs: Array) -> None:
    with pytest.raises(VyreError, match=message):
        decoded(module, **inputs)


@pytest.mark.parametrize("codes", ["i8", "i16", "i32"])
@pytest.mark.parametrize(("values", "lanes"), [*zip(TYPES, (1, 4, 8, 16, None, 1), strict=True)])
def test_codes_stand_for_elements_of_the_table(codes: str, values: str, lanes: int | None):
    module = dictionary(TYPES[codes], TYPES[values], lanes)
    table = np.arange(200).astype(DTYPES[values]) - 7
    for size in SIZES:
        given_ = np.random.default_rng(size).integers(0, 200, size)
        found = decoded(module, codes=given_.astype(DTYPES[codes]), table=table)
        assert found.tolist() == table[given_].tolist()


@pytest.mark.parametrize(("codes", "bad"), [("i8", 200), ("i16", 65535), ("i32", (1 << 32) - 1)])
def test_codes_are_unsigned_and_reported_where_nothing_has_them(codes: str, bad: int):
    module, table = dictionary(TYPES[codes], i32), np.arange(200, dtype=np.int32)
    given_ = np.array([3, 199, bad, 5, bad], np.uint64).astype(DTYPES[codes])
    reports(module, "invalid dictionary code at offset 2", codes=given_, table=table)


@pytest.mark.parametrize("lanes", [1, 4, 8, 16])
@pytest.mark.parametrize("values", ["i16", "i32", "i64", "f32", "f64"])
def test_split_bytes_come_together(values: str, lanes: int):
    module = split(TYPES[values], lanes)
    for size in SIZES:
        text = np.frombuffer(np.random.default_rng(size).bytes(8 * size), DTYPES[values])
        streams = text.view(np.uint8).reshape(len(text), text.itemsize).T.copy().ravel()
        assert decoded(module, streams=streams).tobytes() == text.tobytes()


@pytest.mark.parametrize("length", [1, 3, 5, 4001])
def test_split_bytes_of_no_whole_number_are_reported(length: int):
    message = f"invalid byte stream split input at offset {length}"
    reports(split(f32), message, streams=np.zeros(length, np.uint8))


@pytest.mark.parametrize("lanes", [1, 4, 8, 16])
@pytest.mark.parametrize("digits", ["i32", "i64"])
@pytest.mark.parametrize(
    ("floats", "exponent", "factor"),
    [
        ("f32", 0, None),
        ("f32", 10, 3),
        ("f64", 2, None),
        ("f64", 18, 18),
        ("f64", 14, 0),
    ],
)
def test_decimals_are_products_in_the_type_of_floats(
    digits: str, floats: str, exponent: int, factor: int | None, lanes: int
):
    module = alp(TYPES[digits], TYPES[floats], exponent, factor, lanes)
    type = DTYPES[floats]
    most = int(np.iinfo(DTYPES[digits]).max)
    given_ = np.array([0, 1, -1, 12345, most, -most - 1], DTYPES[digits])
    expected: Array = given_.astype(type)
    if factor is not None:
        expected = expected * type(10**factor)
    expected = expected * type(float(f"1e-{exponent}"))
    assert decoded(module, digits=given_).tobytes() == expected.tobytes()


@pytest.mark.parametrize("values", [1, 4, 8, 16, 32])
@settings(max_examples=15)
@given(st.data())
def test_exceptions_take_their_places(values: int, data: st.DataObject):
    size = data.draw(st.integers(0, 90))
    places = data.draw(st.sets(st.integers(0, size + 3)))
    digits, positions = np.arange(size), np.array(sorted(places), np.int64)
    exceptions = np.sqrt(positions + 2.0)
    expected = digits * 0.01
    inside = positions < size
    expected[positions[inside]] = exceptions[inside]
    given_ = {"digits": digits, "exceptions": exceptions, "positions": positions}
    assert decoded(patched(values, i64), **given_).tolist() == expected.tolist()


def test_exceptions_that_do_not_ascend_touch_nothing_else():
    positions = np.array([9, 3, -5, 1 << 30, 3, 3], np.int32)
    given_ = {"digits": np.arange(20), "exceptions": np.ones(6), "positions": positions}
    found = decoded(patched(8), **given_)
    others = [place for place in range(20) if place not in (3, 9)]
    assert found[others].tolist() == (np.arange(20) * 0.01)[others].tolist()


@pytest.mark.parametrize("values", [1, 4, 8, 16, 32])
@settings(max_examples=15)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=20), st.integers(0, 3))
def test_runs_are_repeated(values: int, lengths: Sequence[int], spare: int):
    ends, table = np.cumsum(lengths), np.arange(len(lengths), dtype=np.int32) * 3 - 5
    count = max(0, int(ends[-1]) - spare)
    expected = np.repeat(table, lengths)[:count]
    found = decoded(run_length(count, i64, values), ends=ends, table=table)
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("ends", ["i16", "i32", "i64"])
def test_runs_that_end_too_early_are_reported(ends: str):
    given_: dict[str, Any] = {"ends": np.array([5, 9], DTYPES[ends])}
    table = np.array([7, 8], np.int32)
    assert decoded(run_length(9, TYPES[ends]), **given_, table=table).tolist() == [7] * 5 + [8] * 4
    message = "run-length input too short at offset 2"
    reports(run_length(10, TYPES[ends]), message, **given_, table=table)
