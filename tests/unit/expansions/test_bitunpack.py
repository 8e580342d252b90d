"""`vyre.decode.bitunpack` takes integers of any width out of rows of bits, in both layouts."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.decodes import bit_unpacker, decoded, first_error
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.ops.packed import Layout

WIDTHS = range(1, 33)
BITS = {
    8: (0, 1, 3, 7, 8),
    16: (0, 1, 5, 8, 13, 16),
    32: (0, 1, 4, 7, 16, 19, 24, 31, 32),
    64: (0, 1, 9, 32, 33, 40, 47, 63, 64),
}
BLOCK = 1024


@dataclass(frozen=True)
class Column:
    """What is packed, and how; the answer is found bit by bit."""

    bits: int
    width: int = 32
    layout: Layout = Layout.SEQUENTIAL
    base: int = 0
    zigzag: bool = False

    def decoder(self, count: int | None = None, **shape: int) -> ModuleOp:
        return bit_unpacker(
            self.bits,
            count,
            width=self.width,
            layout=self.layout,
            base=self.base,
            zigzag=self.zigzag,
            **shape,
        )

    def size(self, count: int) -> int:
        """Bytes that so many values take."""
        if self.layout == Layout.SEQUENTIAL:
            return -(-count * self.bits // 8)
        return -(-count // BLOCK) * BLOCK * self.bits // 8

    def expected(self, text: bytes, count: int | None = None) -> list[int]:
        row = int.from_bytes(text, "little")
        return [self._decoded(row, position) for position in range(self._whole(text, count))]

    def _whole(self, text: bytes, count: int | None) -> int:
        if count is not None:
            return count
        if self.layout == Layout.SEQUENTIAL:
            return 8 * len(text) // self.bits
        return 8 * len(text) // (BLOCK * self.bits) * BLOCK

    def _decoded(self, row: int, position: int) -> int:
        packed = sum((row >> self._place(position, bit) & 1) << bit for bit in range(self.bits))
        value = packed >> 1 ^ -(packed & 1) if self.zigzag else packed
        return (value + self.base) % (1 << self.width)

    def _place(self, position: int, bit: int) -> int:
        """Where a bit of a value is, as a number of a bit in the row."""
        if self.layout == Layout.SEQUENTIAL:
            return position * self.bits + bit
        lanes = BLOCK // self.width
        block, inside = divmod(position, BLOCK)
        row, lane = divmod(inside, lanes)
        word, shift = divmod(row * self.bits + bit, self.width)
        return ((block * self.bits + word) * lanes + lane) * self.width + shift


def random_text(size: int) -> bytes:
    return np.random.default_rng(size).bytes(size)


@pytest.mark.parametrize("bits", WIDTHS)
def test_every_width(bits: int):
    column = Column(bits)
    for length in (0, 1, 3, 4 * bits - 1, 4 * bits, 4 * bits + 1, 9 * bits + 2, 300):
        text = random_text(length)
        assert decoded(column.decoder(), text).tolist() == column.expected(text)


@pytest.mark.parametrize("bits", [1, 5, 7, 24])
def test_every_length(bits: int):
    column = Column(bits)
    decoder = column.decoder()
    for length in range(201):
        text = random_text(length)
        assert decoded(decoder, text).tolist() == column.expected(text)


@pytest.mark.slow
@settings(max_examples=50)
@given(st.binary(max_size=200), st.sampled_from(WIDTHS), st.integers(0, 300))
def test_any_count(text: bytes, bits: int, count: int):
    column = Column(bits)
    decoder = column.decoder(count)
    if count * bits > 8 * len(text):
        assert first_error(decoder, text) == len(text)
    else:
        assert decoded(decoder, text).tolist() == column.expected(text, count)


@pytest.mark.parametrize("values", [4, 8, 16, 32])
@pytest.mark.parametrize("lanes", [4, 16])
@pytest.mark.parametrize("width", BITS)
def test_any_shape_of_one_after_the_other(width: int, values: int, lanes: int):
    for bits in BITS[width]:
        column = Column(bits, width)
        text = random_text(column.size(67) + 1)
        decoder = column.decoder(67, values=values, lanes=lanes)
        assert decoded(decoder, text).tolist() == column.expected(text, 67)


@pytest.mark.one_in(16)
@pytest.mark.parametrize("lanes", [1, 4, 8, 16])
@pytest.mark.parametrize("width", BITS)
def test_any_shape_of_lanes(width: int, lanes: int):
    for bits in BITS[width]:
        column = Column(bits, width, Layout.INTERLEAVED)
        text = random_text(column.size(1100))
        decoder = column.decoder(1100, lanes=lanes)
        assert decoded(decoder, text).tolist() == column.expected(text, 1100)


@pytest.mark.parametrize("length", [0, 1, 383, 384, 385, 767, 768, 1000])
def test_lanes_come_in_whole_blocks(length: int):
    column, text = Column(3, 16, Layout.INTERLEAVED), random_text(length)
    assert decoded(column.decoder(), text).tolist() == column.expected(text)


@pytest.mark.parametrize("length", [0, 383, 384, 767])
def test_a_block_that_is_not_whole_is_reported(length: int):
    column, text = Column(3, 16, Layout.INTERLEAVED), random_text(length)
    enough = 1024 if length >= 384 else 0
    assert first_error(column.decoder(enough), text) is None
    assert first_error(column.decoder(enough + 1), text) == length


@pytest.mark.slow
@settings(max_examples=40)
@given(
    st.sampled_from([(width, bits) for width in BITS for bits in BITS[width]]),
    st.sampled_from(Layout),
    st.booleans(),
    st.integers(0, 1 << 64),
)
def test_any_base_and_sign(kind: tuple[int, int], layout: Layout, zigzag: bool, drawn: int):
    width, bits = kind
    base = drawn % (3 << width - 1) - (1 << width - 1)
    column = Column(bits, width, layout, base if width < 64 else base % (1 << 63), zigzag)
    text = random_text(column.size(33))
    assert decoded(column.decoder(33), text).tolist() == column.expected(text, 33)
