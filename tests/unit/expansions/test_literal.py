"""`vyre.scan.literal` finds what `bytes.find` finds."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.scans import as_bytes, literal_scan, outputs, starts
from xdsl.dialects.builtin import IntegerType, i32, i64

ALPHABET = st.sampled_from([b"a", b"b", b"\0", b"\xff"])


def strings(min_size: int, max_size: int) -> st.SearchStrategy[bytes]:
    return st.lists(ALPHABET, min_size=min_size, max_size=max_size).map(b"".join)


@st.composite
def texts_with(draw: st.DrawFn, literal: bytes) -> bytes:
    """A text of up to 300 bytes into which the literal was put at some places."""
    text = bytearray(draw(strings(0, 300)))
    for place in draw(st.lists(st.integers(0, 300), max_size=6)):
        text[place : place + len(literal)] = literal
    return bytes(text[:300])


def check(
    literal: bytes,
    text: bytes,
    type: IntegerType = i32,
    positions: int = 0,
    places: int = 32,
    counting: str = "matches",
) -> None:
    expected = starts(text, literal)
    module = literal_scan(literal, type, positions, places=places, counting=counting)
    results = outputs(module, text=as_bytes(text))
    assert results["count"].tolist() == [len(expected)]
    if positions:
        filled = expected[:positions] + [-1] * (positions - len(expected))
        assert results["positions"].tolist() == filled


@given(st.data(), strings(1, 9), st.sampled_from([i32, i64]), st.sampled_from([0, 1, 3, 40]))
def test_counts_all_occurrences_and_finds_the_first(
    data: st.DataObject, literal: bytes, type: IntegerType, positions: int
):
    check(literal, data.draw(texts_with(literal)), type, positions)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("places", [8, 16, 64])
@settings(max_examples=15)
@given(st.data(), st.one_of(strings(1, 9), strings(28, 60)))
def test_any_number_of_places_per_invocation(places: int, data: st.DataObject, literal: bytes):
    check(literal, data.draw(texts_with(literal)), positions=3, places=places)


@pytest.mark.parametrize("places", [8, 32, 64])
@settings(max_examples=25)
@given(st.data(), strings(1, 4).filter(lambda each: each[-1]), st.sampled_from([i32, i64]))
def test_every_place_counts(places: int, data: st.DataObject, literal: bytes, type: IntegerType):
    check(literal, data.draw(texts_with(literal)), type, places=places, counting="places")


@pytest.mark.slow
@given(st.data(), strings(28, 80))
def test_long_literals(data: st.DataObject, literal: bytes):
    check(literal, data.draw(texts_with(literal)), positions=2)


@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 31, 32, 33, 47, 48, 49])
@pytest.mark.parametrize("literal", [b"a", b"aa", b"aaa", b"aaaa", b"aaaaa", b"a" * 17])
def test_overlapping_occurrences_in_one_repeated_byte(size: int, literal: bytes):
    check(literal, b"a" * size, positions=4)


@pytest.mark.parametrize("literal", [b"\0", b"\0\0\0", b"a\0", b"abcd\0", b"abcdef\0\0", b"\0a\0"])
@pytest.mark.parametrize("cut", range(4))
def test_zeros_past_the_end_match_nothing(literal: bytes, cut: int):
    text = b"abcdefgh" + literal
    check(literal, text[: len(text) - cut])
    check(literal, text[: len(text) - cut], positions=2)


@pytest.mark.parametrize("size", [2, 4, 5, 8, 9, 33])
def test_occurrences_at_every_offset(size: int):
    literal = bytes(range(1, size + 1))
    for start in range(34):
        check(literal, b"." * start + literal)


LITERALS = [b"abcdefghijkl"[:size] for size in (2, 3, 4, 5, 8, 9)]


@pytest.mark.one_in(8)
@pytest.mark.parametrize("literal", [*LITERALS, bytes(range(60)), b"x" * 33 + b"y"])
def test_every_byte_of_the_literal_counts(literal: bytes):
    for position in range(len(literal)):
        other = bytearray(literal)
        other[position] ^= 0x80
        check(literal, b".." + bytes(other) + b".." + literal)


@given(st.integers(1, 200), st.integers(1, 12))
@example(16, 16)
def test_more_occurrences_than_positions(occurrences: int, positions: int):
    check(b"ab", b"ab" * occurrences, positions=positions)


def test_adds_to_what_the_host_supplies():
    results = outputs(literal_scan(b"ab"), text=as_bytes(b"ababab"), count=np.array([10], np.int32))
    assert results["count"].tolist() == [13]
