"""Suites that others wrote for what decoders accept and for what scanners find."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.decodes import base64_decoder, decoded
from support.scans import as_bytes, literals_scan, outputs
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.runtime.errors import VyreError

FOLDER = Path(__file__).parents[2] / "data" / "suites"


def suite(name: str) -> list[Any]:
    """The cases of a suite."""
    return json.loads((FOLDER / f"{name}.json").read_text())["tests"]


BASE64 = [(text.encode(), expected) for text, expected in suite("base64-forgiving")]
LITERALS = [case for case in suite("aho-corasick-overlapping") if all(case["patterns"])]
VERTICAL_TAB = b"\x0b"
"""White space to C's `isspace` and to `skip_whitespace`, but not to the web platform."""


@cache
def decoder(*, unpadded: bool) -> ModuleOp:
    """A decoder of base64 in lines."""
    return base64_decoder(skip_whitespace=True, unpadded=unpadded)


@pytest.mark.parametrize(("text", "expected"), BASE64, ids=[repr(text) for text, _ in BASE64])
@pytest.mark.parametrize("unpadded", [False, True])
def test_base64_of_the_web_platform(
    text: bytes, expected: list[int] | None, *, unpadded: bool
) -> None:
    try:
        got = decoded(decoder(unpadded=unpadded), text).tolist()
    except VyreError:
        # The web platform takes both; here, a program says whether there is padding.
        rest = text.translate(None, b" \t\n\f\r")
        is_padded = rest.endswith(b"=") or len(rest) % 4 == 0
        assert expected is None or unpadded == is_padded
        return
    if VERTICAL_TAB not in text:
        assert got == expected


@pytest.mark.parametrize("case", LITERALS, ids=[case["name"] for case in LITERALS])
def test_literals_of_aho_corasick(case: dict[str, Any]) -> None:
    patterns = tuple(bytes.fromhex(each) for each in case["patterns"])
    expected = np.bincount([each for each, _, _ in case["matches"]], minlength=len(patterns))
    if not patterns:
        assert not case["matches"]
        return
    text = as_bytes(bytes.fromhex(case["haystack"]))
    assert outputs(literals_scan(patterns), text=text)["matches"].tolist() == expected.tolist()
