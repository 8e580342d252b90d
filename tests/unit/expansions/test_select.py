"""`vyre.scan.select` keeps the rows that NumPy keeps."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.interpreting import interpreter
from support.scans import expanded, outputs
from xdsl.dialects.builtin import IntegerType, f32, i8, i16, i32
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.builder import Program, select

WORDS = st.lists(st.integers(-5, 5), max_size=300)


def of_words(p: Program, type: IntegerType = i32) -> None:
    """All that can be kept of the rows that are positive."""
    values, weights = p.buffer("values", i32), p.buffer("weights", f32)
    count = p.buffer("count", type, 1, live_out=True)
    bitmap = p.buffer("bitmap", i8, live_out=True)
    positions = p.buffer("positions", type, live_out=True)
    kept = p.buffer("kept", f32, live_out=True)
    products = p.buffer("products", i32, live_out=True)
    with select(values, weights) as query:
        value, weight = query.row
        query.where(value.compare("sgt", 0))
        query.count(into=count)
        query.bitmap(into=bitmap)
        query.positions(into=positions)
        query.values(weight, into=kept)
        query.values(value * query.position.to(i32), into=products)


MODULES = {width: expanded(partial(of_words, type=IntegerType(width))) for width in (32, 64)}


@given(WORDS, st.integers(0, 300), st.sampled_from([32, 64]))
def test_what_is_kept(words: list[int], weighed: int, width: int):
    values = np.array(words, np.int32)
    weights = np.random.default_rng(weighed).random(weighed).astype(np.float32)
    found = interpreter(MODULES[width]).run({"values": values, "weights": weights}).outputs
    rows = min(len(words), weighed)
    chosen = values[:rows] > 0
    (positions,) = chosen.nonzero()
    signed = {name: found[name].view(f"i{found[name].itemsize}") for name in found}
    assert signed["count"].tolist() == [len(positions)]
    assert (
        signed["bitmap"].view(np.uint8).tolist() == np.packbits(chosen, bitorder="little").tolist()
    )
    assert signed["positions"].tolist() == positions.tolist()
    assert found["kept"].tolist() == weights[:rows][chosen].tolist()
    assert signed["products"].tolist() == (values[:rows] * np.arange(rows))[chosen].tolist()


@pytest.mark.parametrize("type", [i8, i16, i32])
@pytest.mark.parametrize("size", [0, 1, 31, 32, 33, 95, 200])
def test_bitmaps_alone(type: IntegerType, size: int):
    def build(p: Program) -> None:
        values, bitmap = p.buffer("values", i8), p.buffer("bitmap", type, live_out=True)
        with select(values) as query:
            query.where(query.row[0].ne(0))
            query.bitmap(into=bitmap)

    values = np.random.default_rng(size).integers(0, 2, size, np.int8)
    bits = np.unpackbits(
        outputs(expanded(build), values=values)["bitmap"].view(np.uint8), bitorder="little"
    )
    width = type.width.data
    assert len(bits) == -(-size // width) * width
    assert bits[:size].tolist() == values.tolist()
    assert not bits[size:].any()


@pytest.mark.parametrize("size", [0, 40])
def test_every_row_without_a_predicate(size: int):
    def build(p: Program) -> None:
        values, positions = p.buffer("values", i8), p.buffer("positions", i32, live_out=True)
        with select(values) as query:
            query.positions(into=positions)

    found = outputs(expanded(build), values=np.zeros(size, np.int8))
    assert found["positions"].tolist() == list(range(size))


def test_what_does_not_fit_is_left_out_and_what_is_not_reached_kept():
    def build(p: Program) -> None:
        values = p.buffer("values", i32, 100)
        short = p.buffer("short", i32, 3, live_out=True)
        long = p.buffer("long", i32, 60, live_out=True, fill=-7)
        bits = p.buffer("bits", i8, 2, live_out=True)
        with select(values) as query:
            query.where((query.row[0] & 1).ne(0))
            query.positions(into=short)
            query.values(query.row[0], into=long)
            query.bitmap(into=bits)

    found = outputs(expanded(build), values=np.arange(100, dtype=np.int32))
    odd = list(range(1, 100, 2))
    assert found["short"].tolist() == odd[:3]
    assert found["long"].tolist() == [*odd, *[-7] * 10]
    assert found["bits"].view(np.uint8).tolist() == [0b10101010] * 2


def test_a_result_that_is_used_before_has_a_size():
    def build(p: Program) -> None:
        values, kept = p.buffer("values", i32), p.buffer("kept", i32)
        with p.arm("before", kept.length) as i:
            kept[i] = 0
        with select(values) as query:
            query.values(query.row[0], into=kept)

    with pytest.raises(PassFailedException, match="declare '@kept' with its size"):
        expanded(build)
