"""`skip_whitespace` decodes what Python decodes of the text without whitespace, wherever it is."""

from base64 import b64decode, b64encode, encodebytes
from textwrap import fill

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.decodes import base64_decoder, decoded, first_error, hex_decoder

BASE64 = base64_decoder(skip_whitespace=True)
HEX = hex_decoder(skip_whitespace=True)
WHITESPACE = b"\t\n\v\f\r "


@pytest.mark.slow
def test_every_length_in_lines():
    for length in (*range(100), 127, 128, 129, 500):
        data = np.random.default_rng(length).bytes(length)
        assert bytes(decoded(BASE64, encodebytes(data))) == data
        assert bytes(decoded(HEX, fill(data.hex(), 60).encode() + b"\n")) == data


@given(st.lists(st.sampled_from([*b"0aF9", *WHITESPACE]), max_size=300).map(bytes))
def test_whitespace_anywhere_in_hex(text: bytes):
    digits = bytes(byte for byte in text if byte not in WHITESPACE)
    if len(digits) % 2:
        assert first_error(HEX, text) == len(digits)
    else:
        assert bytes(decoded(HEX, text)) == bytes.fromhex(digits.decode())


@given(st.binary(max_size=150), st.randoms(use_true_random=False))
def test_whitespace_anywhere_in_base64(data: bytes, random: "np.random.Generator"):
    text = bytearray(b64encode(data))
    for byte in WHITESPACE * 4:
        text.insert(random.randint(0, len(text)), byte)  # pyright: ignore
    assert bytes(decoded(BASE64, bytes(text))) == b64decode(bytes(text))


@pytest.mark.parametrize("byte", [b for b in range(256) if b not in WHITESPACE])
def test_only_whitespace_is_skipped(byte: int):
    text = b"41 " * 40 + bytes([byte]) + b"\n" * 7 + b"41"
    is_digit = chr(byte) in "0123456789abcdefABCDEF"
    assert first_error(HEX, text) == (83 if is_digit else 80)


def test_nothing_but_whitespace():
    for count in (0, 1, 64, 127, 128, 1000):
        assert bytes(decoded(HEX, b" " * count)) == b""


def test_static_counts():
    decoder = hex_decoder(36, 18, skip_whitespace=True)
    assert bytes(decoded(decoder, b"0aFf1 " * 6)[:15]) == bytes.fromhex("0aff1" * 6)
