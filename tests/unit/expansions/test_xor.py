"""`vyre.decode.xor` combines a text with a repeated key, whatever the length of either."""

from itertools import cycle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.decodes import decoded, xor_decoder


def expected(text: bytes, key: bytes) -> bytes:
    return bytes(byte ^ other for byte, other in zip(text, cycle(key), strict=False))


@pytest.mark.parametrize("size", range(1, 41))
def test_every_length_of_key(size: int):
    key = np.random.default_rng(size).bytes(size)
    decoder = xor_decoder(key)
    for length in (0, 1, 15, 16, 17, 16 * size, 16 * size + 5, 1000):
        text = np.random.default_rng(length).bytes(length)
        assert bytes(decoded(decoder, text)) == expected(text, key)


@pytest.mark.parametrize("key", [b"secret key here!", b"abc"])
def test_every_length_of_text(key: bytes):
    decoder = xor_decoder(key)
    for length in range(201):
        text = np.random.default_rng(length).bytes(length)
        assert bytes(decoded(decoder, text)) == expected(text, key)


@pytest.mark.parametrize("lanes", [8, 16])
@pytest.mark.parametrize("size", [1, 3, 16, 32, 64, 96])
def test_vectors_of_other_lengths(lanes: int, size: int):
    key = np.random.default_rng(size).bytes(size)
    decoder = xor_decoder(key, lanes=lanes)
    for length in (0, 1, 31, 32, 33, 63, 64, 65, 1000):
        text = np.random.default_rng(length).bytes(length)
        assert bytes(decoded(decoder, text)) == expected(text, key)


@settings(max_examples=50)
@given(st.binary(max_size=500), st.binary(min_size=1, max_size=300))
def test_any_text_and_key(text: bytes, key: bytes):
    assert bytes(decoded(xor_decoder(key), text)) == expected(text, key)
