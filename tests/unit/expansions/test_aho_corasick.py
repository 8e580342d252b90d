"""The automaton finds what searching for each pattern by itself finds."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vyre_dialect.passes.expansions.aho_corasick import build_automaton

SMALL_ALPHABET = st.text("ab\0", min_size=1, max_size=5).map(str.encode)
PATTERNS = st.lists(SMALL_ALPHABET | st.binary(min_size=1, max_size=4), min_size=1, max_size=12)
TEXTS = st.text("ab\0c", max_size=60).map(str.encode) | st.binary(max_size=60)


def occurrences(text: bytes, pattern: bytes) -> list[int]:
    """Offsets of the last byte of each occurrence, overlapping ones too."""
    ends = range(len(pattern), len(text) + 1)
    return [end - 1 for end in ends if text[end - len(pattern) : end] == pattern]


@given(PATTERNS, TEXTS)
def test_finds_every_occurrence_of_every_pattern(patterns: list[bytes], text: bytes):
    expected = Counter(
        (end, number)
        for number, pattern in enumerate(patterns)
        for end in occurrences(text, pattern)
    )
    assert Counter(build_automaton(patterns).matches(text)) == expected


@given(PATTERNS)
def test_accepting_states_have_the_highest_numbers(patterns: list[bytes]):
    automaton = build_automaton(patterns)
    accepting = [state for state in range(automaton.state_count) if [*automaton.outputs(state)]]
    assert accepting == list(range(automaton.first_accepting, automaton.state_count))


@given(PATTERNS)
def test_no_smaller_automaton_has_as_many_prefixes(patterns: list[bytes]):
    prefixes = {pattern[:end] for pattern in patterns for end in range(len(pattern) + 1)}
    assert build_automaton(patterns).state_count == len(prefixes)


def test_bytes_in_no_pattern_share_a_class():
    automaton = build_automaton([b"abba"])
    assert automaton.class_count == 3
    assert {automaton.classes[byte] for byte in range(256) if byte not in b"ab"} == {0}


def test_every_byte_value_may_occur_in_a_pattern():
    automaton = build_automaton([bytes(range(256))])
    assert automaton.class_count == 256
    assert list(automaton.matches(bytes(range(256)))) == [(255, 0)]


def test_nested_patterns_share_their_outputs():
    patterns = [b"a" * length for length in range(1, 400)]
    automaton = build_automaton(patterns)
    assert len(automaton.next_outputs) == len(patterns)
    assert len(list(automaton.matches(b"a" * 400))) == sum(400 - n + 1 for n in range(1, 400))


@pytest.mark.parametrize("patterns", [[], [b""], [b"a", b""]])
def test_refuses_an_empty_pattern(patterns: list[bytes]):
    with pytest.raises(ValueError, match="at least one byte"):
        build_automaton(patterns)
