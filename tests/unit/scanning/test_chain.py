"""What `--decode` takes, and how it is cut into stages."""

from __future__ import annotations

import pytest

from vyre_dialect.runtime.errors import UsageError
from vyre_dialect.runtime.scanning.chain import BASE64, HEX, Stage, parse_chain


def test_keys_belong_to_the_text_in_front_of_them():
    assert parse_chain("base64,xor:K,xor-hex:0aff,hex") == (
        Stage(BASE64, (b"K", b"\x0a\xff")),
        Stage(HEX),
    )
    assert parse_chain("xor:K") == (Stage(None, (b"K",)),)
    assert parse_chain("") == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bse64", "unknown encoding 'bse64': did you mean 'base64'?"),
        ("base64,", "unknown encoding ''"),
        ("rot13", "unknown encoding 'rot13': expected base64, base64url, hex, xor:KEY"),
        ("xor", "'xor' expected a key, as 'xor:KEY', got none"),
        ("xor:", "'xor' expected a key"),
        ("xor-hex:5", "xor-hex:5: expected pairs of digits"),
    ],
)
def test_what_makes_no_sense_is_said(text: str, message: str):
    with pytest.raises(UsageError) as raised:
        parse_chain(text)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("chain", "granule"),
    [("base64", 4), ("base64,xor:abc", 4), ("base64,xor:ab", 8), ("hex,xor:abc", 6), ("xor:ab", 2)],
)
def test_files_begin_with_a_whole_group_and_with_the_key(chain: str, granule: int):
    (stage,) = parse_chain(chain)
    assert stage.granule == granule
    assert all(stage.decoded_length(granule) % len(key) == 0 for key in stage.keys)
