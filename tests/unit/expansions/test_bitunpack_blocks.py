"""`vyre.decode.bitunpack_blocks` unpacks blocks, each by what it says of itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.blocks import Blocks, unpacker
from support.interpreting import interpreter

from vyre_dialect.ops.packed import Layout
from vyre_dialect.runtime.errors import VyreError


def check(blocks: Blocks, count: int | None = None, lanes: int | None = None) -> None:
    """That the blocks are unpacked to what they were packed of."""
    found = interpreter(unpacker(blocks, count, lanes)).run(blocks.inputs()).outputs["decoded"]
    expected = blocks.values() if count is None else blocks.values()[:count]
    assert found.view(f"u{found.itemsize}").tolist() == expected


@pytest.mark.parametrize("layout", Layout)
@pytest.mark.parametrize("width", [8, 16, 32, 64])
@pytest.mark.parametrize("lanes", [1, 4, 16])
def test_every_block_has_a_width_of_its_own(layout: Layout, width: int, lanes: int) -> None:
    bits = [0, 1, width, width - 1, width // 2 + 1]
    per_block = 1024 if layout == Layout.INTERLEAVED else 48
    check(Blocks.drawn(width, layout, per_block, bits), lanes=lanes)


@pytest.mark.slow
@settings(max_examples=40)
@given(
    st.sampled_from([8, 16, 32, 64]),
    st.integers(1, 40),
    st.lists(st.integers(0, 8), min_size=1, max_size=6),
    st.integers(0, 40),
    st.booleans(),
)
def test_any_blocks(width: int, size: int, bits: list[int], less: int, zigzag: bool) -> None:
    blocks = Blocks.drawn(width, Layout.SEQUENTIAL, size, bits, zigzag=zigzag)
    check(blocks, max(0, size * len(bits) - less))


@pytest.mark.parametrize("layout", Layout)
@pytest.mark.parametrize("width", [8, 32, 64])
@pytest.mark.parametrize("zigzag", [False, True])
def test_blocks_that_nobody_wants_are_not_read(layout: Layout, width: int, zigzag: bool) -> None:
    per_block = 1024 if layout == Layout.INTERLEAVED else 48
    blocks = Blocks.drawn(width, layout, per_block, [3, 0, width, 5, 2], zigzag=zigzag)
    wanted = np.array([1, 1, 0, -5], np.int8)  # of the last block, nothing is said
    run = interpreter(unpacker(blocks, masked=True)).run
    expected = np.array(blocks.values(), np.uint64).reshape(-1, per_block)
    expected[[2, 4]] = blocks.fields[[2, 4], 2:].view(np.uint64) & np.uint64((1 << width) - 1)
    source, (start, end) = blocks.source.copy(), blocks.fields[2:4, 0] // 8
    for _ in range(2):
        found = run(blocks.inputs() | {"packed": source, "wanted": wanted}).outputs["decoded"]
        assert found.view(f"u{found.itemsize}").tolist() == expected.ravel().tolist()
        source[start:end] = ~source[start:end]


@pytest.mark.parametrize("per_block", [1, 30, 33])
def test_blocks_that_are_no_multiple_of_a_vector_are_unpacked_value_by_value(
    per_block: int,
) -> None:
    check(Blocks.drawn(16, Layout.SEQUENTIAL, per_block, [3, 5]))


def reported(blocks: Blocks, count: int | None = None) -> int | None:
    try:
        interpreter(unpacker(blocks, count)).run(blocks.inputs())
    except VyreError as error:
        return int(str(error).rpartition(" at offset ")[2])
    return None


@pytest.mark.parametrize("layout", Layout)
def test_blocks_that_are_wrong_are_reported(layout: Layout) -> None:
    per_block = 1024 if layout == Layout.INTERLEAVED else 32
    blocks = Blocks.drawn(16, layout, per_block, [3, 5, 16])
    assert reported(blocks) is None
    size = 8 * len(blocks.source)
    for field, wrong in (
        (1, 17),
        (1, -1),
        (1, -(1 << 63)),
        (0, -16),
        (0, size),
        (0, (1 << 63) - 16),
    ):
        damaged = blocks.with_field(2, field, wrong)
        assert reported(damaged) == 2, (field, wrong)
    assert reported(blocks, 3 * per_block) is None
    assert reported(blocks, 3 * per_block + 1) == 3


def test_lanes_start_with_a_word() -> None:
    blocks = Blocks.drawn(16, Layout.INTERLEAVED, 1024, [3, 5])
    assert reported(blocks.with_field(1, 0, 8)) == 1


def test_blocks_may_start_at_any_bit_and_overlap() -> None:
    blocks = Blocks.drawn(32, Layout.SEQUENTIAL, 8, [7, 7])
    shifted = blocks.with_field(1, 0, 13)
    row = int.from_bytes(blocks.source.tobytes(), "little")
    base = int(blocks.fields[1][2])
    expected = [((row >> 13 + 7 * k & 127) + base) % (1 << 32) for k in range(8)]
    found = interpreter(unpacker(shifted)).run(shifted.inputs()).outputs["decoded"]
    assert found.view(np.uint32)[8:].tolist() == expected
