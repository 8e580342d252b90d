"""`vyre.decode.hex` decodes what `bytes.fromhex` decodes, and says where input is bad."""

from string import hexdigits

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.decodes import decoded, first_error, hex_decoder

DECODER = hex_decoder()


def expected_error(text: bytes) -> int | None:
    """The first offset that is bad, looked for one character at a time."""
    for offset, character in enumerate(text):
        if character not in hexdigits.encode():
            return offset
    return len(text) if len(text) % 2 else None


def test_every_length():
    for length in range(201):
        data = np.random.default_rng(length).bytes(length)
        assert bytes(decoded(DECODER, data.hex().encode())) == data
        assert first_error(DECODER, data.hex().encode() + b"0") == 2 * length + 1


def test_every_byte_in_upper_and_lower_case():
    data = bytes(range(256)) * 2
    assert bytes(decoded(DECODER, data.hex().encode())) == data
    assert bytes(decoded(DECODER, data.hex().upper().encode())) == data


@pytest.mark.parametrize("position", range(4))
def test_every_character_at_every_position_of_a_word(position: int):
    for character in range(256):
        text = bytearray(b"aA" * 16)
        text[4 * (character % 8) + position] = character
        assert first_error(DECODER, bytes(text)) == expected_error(bytes(text))


@given(st.text(alphabet="0123456789abcdefABCDEF", max_size=200))
def test_decodes_what_python_decodes(text: str):
    if len(text) % 2:
        assert first_error(DECODER, text.encode()) == len(text)
    else:
        assert bytes(decoded(DECODER, text.encode())) == bytes.fromhex(text)


@given(st.binary(max_size=80))
def test_any_bytes(text: bytes):
    assert first_error(DECODER, text) == expected_error(text)


@given(st.text(alphabet="09afAF/:@G`g \x10é", max_size=80))
def test_nearly_valid_text(text: str):
    assert first_error(DECODER, text.encode()) == expected_error(text.encode())


def test_static_counts():
    assert bytes(decoded(hex_decoder(36, 18), b"0aFf10" * 6)) == b"\x0a\xff\x10" * 6


@pytest.mark.parametrize("lanes", [8, 16])
def test_wide_vectors(lanes: int):
    decoder = hex_decoder(lanes=lanes)
    chunk = 2 * lanes
    for length in (0, 1, chunk - 1, chunk, chunk + 1, 5 * chunk + 3):
        data = np.random.default_rng(length).bytes(length)
        assert bytes(decoded(decoder, data.hex().encode())) == data
        assert first_error(decoder, data.hex().encode() + b"0") == 2 * length + 1


@pytest.mark.parametrize("lanes", [8, 16])
def test_the_first_bad_digit_of_wide_vectors(lanes: int):
    decoder = hex_decoder(lanes=lanes)
    for offset in range(0, 8 * lanes + 8, 5):
        text = bytearray(b"aF" * (4 * lanes + 4))
        text[offset] = 0x80
        text[min(offset + 7, len(text) - 1)] = ord("g")
        assert first_error(decoder, bytes(text)) == offset
