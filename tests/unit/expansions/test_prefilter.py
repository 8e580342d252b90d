"""`prefilter` of `vyre.scan.literals` changes where the text is scanned, not what is counted."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.scans import as_bytes, literals_scan, outputs, starts
from support.tiers import crossed
from xdsl.dialects.builtin import i32

SHORTEST = (2, 3, 4, 5, 9)
"""Lengths of literals with pairs at every place, at every second one, and so on."""
SPARSE = st.sampled_from([b".", b"x", b"ab", b"abc", b"\0", b"abcdefghi"])
FILTERS = pytest.mark.parametrize("prefilter", ["pairs", "windows"])
COUNTERS = st.sampled_from(["literal", "state", "visit"])


def check(
    literals: tuple[bytes, ...],
    text: bytes,
    chunk: int,
    prefilter: str,
    counters: str = "literal",
    streams: int = 1,
) -> None:
    module = literals_scan(
        literals, i32, chunk, streams=streams, counters=counters, prefilter=prefilter
    )
    results = outputs(module, text=as_bytes(text))
    assert results["matches"].tolist() == [len(starts(text, literal)) for literal in literals]


@FILTERS
@pytest.mark.parametrize(("size", "chunk"), crossed(SHORTEST, [16, 112, 320]))
def test_finds_what_stands_alone_anywhere(size: int, chunk: int, prefilter: str):
    literal = b"abcdefghi"[:size]
    apart = 2 * chunk + 1  # at another place of its chunk each time
    check((literal,), literal.ljust(apart, b".") * chunk, chunk, prefilter)


@FILTERS
@given(st.lists(SPARSE, max_size=60).map(b"".join), COUNTERS)
@settings(max_examples=25)
def test_counts_each_literal(prefilter: str, text: bytes, counters: str):
    check((b"abc", b"bcdefghi", b"xab", b"\0\0\0"), text, 48, prefilter, counters)


@FILTERS
@pytest.mark.parametrize("size", SHORTEST)
def test_sections_full_of_literals(size: int, prefilter: str):
    check((b"a" * size, b"ba" * size), b"ab" + b"a" * 300 + b"ba" * 50, 144, prefilter)


def test_literals_of_one_byte_have_no_pairs() -> None:
    with pytest.raises(ValueError, match="expected prefilter of none, windows, got pairs"):
        literals_scan((b"ab", b"a"), i32, None, prefilter="pairs")


@pytest.mark.slow
@given(
    st.lists(st.binary(min_size=1, max_size=14), min_size=1, max_size=6),
    st.lists(st.tuples(st.integers(0, 2999), st.integers(0, 5)), max_size=40),
    st.sampled_from([(16, 1), (48, 2), (256, 1), (112, 4), (1024, 4)]),
    COUNTERS,
)
@settings(max_examples=40)
def test_windows_find_literals_planted_in_noise(
    literals: list[bytes], planted: list[tuple[int, int]], shape: tuple[int, int], counters: str
):
    text = bytearray(Random(len(planted)).randbytes(3000))
    for place, number in planted:
        literal = literals[number % len(literals)]
        text[place : place + len(literal)] = literal
    chunk, streams = shape
    check(tuple(literals), bytes(text), chunk, "windows", counters, streams)


@pytest.mark.slow
@given(st.lists(st.sampled_from([b"a", b"b", b"\0", b"." * 70, b"." * 500]), max_size=60))
@settings(max_examples=25)
def test_windows_give_up_and_start_again(parts: list[bytes]):
    check((b"aa", b"aba", b"a\0", b"\0", b"bbbb"), b"".join(parts), 256, "windows", streams=2)


@pytest.mark.parametrize("count", [33, 300, 1000])
def test_windows_of_many_literals(count: int):
    random = Random(count)
    literals = {bytes(random.choices(b"abcdefgh", k=random.randint(2, 9))) for _ in range(count)}
    text = bytearray(random.randbytes(2000))
    for literal in list(literals)[:40]:
        place = random.randrange(len(text))
        text[place : place + len(literal)] = literal
    check(tuple(sorted(literals)), bytes(text), 320, "windows", "state")
