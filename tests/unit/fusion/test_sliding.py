"""Which producers slide, the granules by which a tile moves on, and what sliding spares."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.fusion import fused
from xdsl.dialects.builtin import IntegerAttr, VectorType, i8, i32

from vyre_dialect.builder import Value, program
from vyre_dialect.ir.types import ITEMS, Access, BufferType, MemorySpace
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.fusion.tiling.granules import Granule, granules_of
from vyre_dialect.passes.fusion.tiling.options import Options, Strategy

TILE = BufferType(256, i8, Access.READ_WRITE, MemorySpace.PRIVATE)
STORED = (Granule(i8, 1), Granule(i32, 4), Granule(VectorType(i32, [4]), 16))


@given(
    stores=st.dictionaries(st.integers(0, 255), st.sampled_from(STORED)),
    begin=st.integers(0, 256),
    count=st.integers(0, 256),
)
def test_granules_are_all_elements_one_after_the_other(
    stores: dict[int, Granule], begin: int, count: int
):
    end = min(begin + count, 256)
    place = begin
    for position, granule in granules_of(TILE, stores, begin, end):
        assert position == place
        place += granule.count
    assert place == end


def test_what_is_stored_stays_whole():
    vector = STORED[2]
    assert list(granules_of(TILE, {6: vector, 22: vector}, 0, 32)) == [
        (0, Granule(i32, 4)),
        (4, Granule(i8, 1)),
        (5, Granule(i8, 1)),
        (6, vector),
        (22, Granule(i8, 1)),
        (23, Granule(i8, 1)),
        (24, Granule(i32, 4)),
        (28, Granule(i32, 4)),
    ]


def reading(*offsets: int, step: int = 1):
    """A decoder of bytes, and a scanner whose invocation reads around `step` times its id."""
    with program("sliding") as p:
        text = p.buffer("text", i8, access=Access.READ_ONLY)
        decoded = p.buffer("decoded", i8, text.length)
        out = p.buffer("out", i8, text.length, live_out=True)
        with p.arm("decode", text.length) as i:
            decoded[i] = text[i] ^ 90
        with p.arm("scan", text.length // abs(step)) as i:
            total: Value | None = None
            for offset in offsets:
                byte = decoded[i * step + offset]
                total = byte if total is None else total + byte
            assert total is not None
            out[i] = total
    return p.module


def steps(offsets: tuple[int, ...], step: int, options: Options) -> tuple[int | None, list[str]]:
    """The steps of the fused arm, if it has any, and why nothing slides."""
    after, outcome = fused(reading(*offsets, step=step), options)
    (arm,) = (op for op in after.walk() if isinstance(op, RegionOp))
    found = arm.attributes.get(ITEMS)
    assert found is None or isinstance(found, IntegerAttr)
    details = [problem.detail for problem in outcome.recomputed.values()]
    return (None if found is None else found.value.data), details


@pytest.mark.parametrize(
    ("offsets", "step", "slides"),
    [((0, 1), 1, True), ((-3, 0), 1, True), ((0, 5), 4, True), ((0, 1), 2, False)],
)
def test_tiles_slide_that_overlap(offsets: tuple[int, ...], step: int, slides: bool):
    options = Options("private", steps=8)
    assert steps(offsets, step, options) == (8 if slides else None, [])


def test_producers_do_not_slide_backwards():
    found, (detail,) = steps((0, 1), -1, Options("private", steps=8))
    assert found is None
    assert detail == "the invocations of 'decode' do not move on by a constant number per tile"


def test_one_step_is_no_loop():
    assert steps((0, 1), 1, Options("private", steps=1)) == (None, [])


@pytest.mark.parametrize(("count", "is_private"), [(1, False), (64, True)])
def test_what_slides_is_cheap(count: int, is_private: bool):
    after, _ = fused(reading(*range(0, 12, 2)), Options("auto", steps=count))
    assert ("private" in str(after)) == is_private


@pytest.mark.parametrize(
    ("strategy", "count", "error"),
    [
        ("private", 0, "expected 1 to 65536 steps, got 0"),
        ("auto", 65537, "expected 1 to 65536 steps, got 65537"),
        ("workgroup", 2, "only private tiles slide"),
    ],
)
def test_steps_that_make_no_sense(strategy: Strategy, count: int, error: str):
    with pytest.raises(ValueError, match=error):
        Options(strategy, steps=count)
