"""`vyre.decode.bitunpack` takes integers of any width out of a row of bits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.decodes import bit_unpacker, decoded, first_error

WIDTHS = range(1, 33)


def expected(text: bytes, bits: int, count: int | None = None) -> list[int]:
    """Taken out of one long integer."""
    row = int.from_bytes(text, "little")
    values = 8 * len(text) // bits if count is None else count
    return [row >> bits * position & (1 << bits) - 1 for position in range(values)]


@pytest.mark.parametrize("bits", WIDTHS)
def test_every_width(bits: int):
    decoder = bit_unpacker(bits)
    for length in (0, 1, 3, 4 * bits - 1, 4 * bits, 4 * bits + 1, 9 * bits + 2, 1000):
        text = np.random.default_rng(length).bytes(length)
        assert decoded(decoder, text).tolist() == expected(text, bits)


@pytest.mark.parametrize("bits", [1, 5, 7, 24])
def test_every_length(bits: int):
    decoder = bit_unpacker(bits)
    for length in range(201):
        text = np.random.default_rng(length).bytes(length)
        assert decoded(decoder, text).tolist() == expected(text, bits)


@settings(max_examples=50)
@given(st.binary(max_size=200), st.sampled_from(WIDTHS), st.integers(0, 300))
def test_any_count(text: bytes, bits: int, count: int):
    decoder = bit_unpacker(bits, count)
    if count * bits > 8 * len(text):
        assert first_error(decoder, text) == len(text)
    else:
        assert decoded(decoder, text).tolist() == expected(text, bits, count)
