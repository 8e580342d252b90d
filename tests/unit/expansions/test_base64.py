"""`vyre.decode.base64` decodes what Python's `base64` decodes, and says where input is bad."""

import base64
from binascii import Error as BinasciiError
from string import ascii_letters, digits

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.decodes import base64_decoder, decoded, first_error
from xdsl.dialects.builtin import i64

from vyre_dialect.ops.decode import Alphabet

LAST = {Alphabet.STANDARD: "+/", Alphabet.URL: "-_"}
STANDARD = base64_decoder()
URL = base64_decoder(Alphabet.URL)
DECODERS = {Alphabet.STANDARD: STANDARD, Alphabet.URL: URL}
UNPADDED = {alphabet: base64_decoder(alphabet, unpadded=True) for alphabet in Alphabet}


def encode(data: bytes, alphabet: Alphabet) -> bytes:
    return base64.b64encode(data, LAST[alphabet].encode())


def expected_error(text: bytes, alphabet: Alphabet, unpadded: bool = False) -> int | None:
    """The first offset that is bad, looked for one character at a time."""
    valid = (ascii_letters + digits + LAST[alphabet]).encode()
    padding: set[int] = set()
    if not unpadded and len(text) % 4 == 0:
        stripped = text[:-2] + text[-2:].rstrip(b"=")
        padding = set(range(len(stripped), len(text)))
    for offset, character in enumerate(text):
        if character not in valid and offset not in padding:
            return offset
    incomplete = len(text) % 4 == 1 if unpadded else len(text) % 4 != 0
    return len(text) if incomplete else None


def data_of(length: int) -> bytes:
    return np.random.default_rng(length).bytes(length)


@pytest.mark.parametrize("alphabet", Alphabet)
def test_every_length(alphabet: Alphabet):
    for length in range(201):
        data = data_of(length)
        encoded = encode(data, alphabet)
        assert bytes(decoded(DECODERS[alphabet], encoded)) == data
        assert bytes(decoded(UNPADDED[alphabet], encoded.rstrip(b"="))) == data


@pytest.mark.parametrize("alphabet", Alphabet)
@pytest.mark.parametrize("position", range(4))
def test_every_character_at_every_position_of_a_word(alphabet: Alphabet, position: int):
    for character in range(256):
        text = bytearray(b"A" * 32)
        text[4 * (character % 8) + position] = character
        error = first_error(DECODERS[alphabet], bytes(text))
        assert error == expected_error(bytes(text), alphabet)


def test_every_value_of_a_group():
    data = np.arange(1 << 18, dtype=np.uint32) * 64 + 5
    groups = np.stack([data >> 16, data >> 8, data], axis=1).astype(np.uint8).tobytes()
    assert bytes(decoded(STANDARD, base64.b64encode(groups))) == groups


@given(st.binary(max_size=80), st.sampled_from(Alphabet))
def test_any_bytes(text: bytes, alphabet: Alphabet):
    assert first_error(DECODERS[alphabet], text) == expected_error(text, alphabet)


@given(st.text(alphabet="QZaz09+/-_= \x80é", max_size=60), st.sampled_from(Alphabet), st.booleans())
def test_nearly_valid_text(text: str, alphabet: Alphabet, unpadded: bool):
    encoded = text.encode()
    decoder = (UNPADDED if unpadded else DECODERS)[alphabet]
    assert first_error(decoder, encoded) == expected_error(encoded, alphabet, unpadded)


@given(st.text(alphabet="AQZaz09+/=", max_size=40))
def test_accepts_what_python_accepts(text: str):
    try:
        expected = base64.b64decode(text, validate=True)
    except BinasciiError:
        assert first_error(STANDARD, text.encode()) is not None
        return
    # Some versions of Python take padding after a whole group, which RFC 4648 does not allow.
    if text.rstrip("=") != text and len(text.rstrip("=")) % 4 == 0:
        assert first_error(STANDARD, text.encode()) is not None
        return
    assert bytes(decoded(STANDARD, text.encode())) == expected


@given(st.binary(min_size=1, max_size=300), st.data())
def test_reports_the_first_of_several_bad_characters(data: bytes, choice: st.DataObject):
    text = bytearray(base64.b64encode(data * 3))
    offsets = choice.draw(st.lists(st.integers(0, len(text) - 1), min_size=1, max_size=8))
    for offset in offsets:
        text[offset] = choice.draw(st.sampled_from([0x00, 0x2D, 0x40, 0x7F, 0x80, 0xFF]))
    assert first_error(STANDARD, bytes(text)) == min(offsets)


def test_errors_of_64_bits():
    decoder = base64_decoder(errors_type=i64)
    assert first_error(decoder, b"QUJD" * 10 + b"QU*D") == 42
    assert bytes(decoded(decoder, b"QUJD")) == b"ABC"


def test_static_destination_ends_with_zeros_where_there_is_padding():
    decoder = base64_decoder(source_count=24, destination_count=18)
    encoded = base64.b64encode(b"sixteen letters!")
    assert encoded.endswith(b"==")
    assert bytes(decoded(decoder, encoded)) == b"sixteen letters!\0\0"


def test_takes_the_bits_that_the_last_character_has_in_excess():
    assert bytes(decoded(STANDARD, b"QR==")) == b"A"


@pytest.mark.parametrize("lanes", [4, 8, 16])
def test_wide_vectors(lanes: int):
    padded = base64_decoder(lanes=lanes)
    unpadded = base64_decoder(Alphabet.URL, unpadded=True, lanes=lanes)
    chunk = 12 * lanes
    for length in (0, 1, 2, 3, chunk - 1, chunk, chunk + 1, 3 * chunk + 7):
        data = data_of(length)
        assert bytes(decoded(padded, encode(data, Alphabet.STANDARD))) == data
        assert bytes(decoded(unpadded, encode(data, Alphabet.URL).rstrip(b"="))) == data


@pytest.mark.parametrize("lanes", [4, 8, 16])
def test_the_first_bad_character_of_wide_vectors(lanes: int):
    decoder = base64_decoder(lanes=lanes)
    chunk = 16 * lanes
    for offset in range(0, 2 * chunk + 8, 2 * lanes + 5):
        text = bytearray(b"QUJD" * (chunk // 2 + 2))
        text[offset] = 0xFF
        text[min(offset + 9, len(text) - 1)] = ord("-")
        assert first_error(decoder, bytes(text)) == offset
    for length in (1, chunk - 1, chunk + 2):
        assert first_error(decoder, b"A" * length) == length


WIDE = {lanes: base64_decoder(lanes=lanes) for lanes in (1, 4, 16)}


@given(
    st.sampled_from(sorted(WIDE)),
    st.integers(0, 70),
    st.lists(st.sampled_from([b"A", b"=", b"\0", b"\x80", b"*"]), max_size=6),
    st.integers(0, 300),
)
def test_padding_among_other_characters(lanes: int, begin: int, end: list[bytes], after: int):
    text = b"QUJD" * begin + b"".join(end) + b"A" * (after if after > 250 else after % 4)
    assert first_error(WIDE[lanes], text) == expected_error(text, Alphabet.STANDARD)
