"""`prefilter` of `vyre.scan.literals` changes where the text is scanned, not what is counted."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.scans import as_bytes, literals_scan, outputs, starts
from xdsl.dialects.builtin import i32

SHORTEST = (2, 3, 4, 5, 9)
"""Lengths of literals with pairs at every place, at every second one, and so on."""
SPARSE = st.sampled_from([b".", b"x", b"ab", b"abc", b"\0", b"abcdefghi"])


def check(literals: tuple[bytes, ...], text: bytes, chunk: int, counters: str = "literal") -> None:
    module = literals_scan(literals, i32, chunk, counters=counters, prefilter="pairs")
    results = outputs(module, text=as_bytes(text))
    assert results["matches"].tolist() == [len(starts(text, literal)) for literal in literals]


@pytest.mark.parametrize("size", SHORTEST)
@pytest.mark.parametrize("chunk", [16, 112])
def test_finds_what_stands_alone_anywhere(size: int, chunk: int):
    literal = b"abcdefghi"[:size]
    apart = 2 * chunk + 1  # at another place of its chunk each time
    check((literal,), literal.ljust(apart, b".") * chunk, chunk)


@given(st.lists(SPARSE, max_size=60).map(b"".join), st.sampled_from(["literal", "state", "visit"]))
@settings(max_examples=25)
def test_counts_each_literal(text: bytes, counters: str):
    check((b"abc", b"bcdefghi", b"xab", b"\0\0\0"), text, 48, counters)


@pytest.mark.parametrize("size", SHORTEST)
def test_sections_full_of_literals(size: int):
    check((b"a" * size, b"ba" * size), b"ab" + b"a" * 300 + b"ba" * 50, 144)


def test_literals_of_one_byte_have_no_pairs() -> None:
    with pytest.raises(ValueError, match="expected prefilter of none, got pairs"):
        literals_scan((b"ab", b"a"), i32, None, prefilter="pairs")
