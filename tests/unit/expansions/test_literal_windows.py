"""The windows of literals never miss an occurrence, and let few random words pass."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vyre_dialect.passes.expansions.literal_windows import (
    FRAME,
    GROUPS,
    WORD,
    Windows,
    choose_windows,
)

LITERALS = st.lists(st.binary(min_size=1, max_size=12), min_size=1, max_size=80).map(tuple)


def passes(windows: Windows, *frames: bytes) -> int:
    """How many times the bytes of two words pass all windows."""
    tables = [(window, windows.table(window)) for window in windows.order]
    count = 0
    for frame in frames:
        found = (1 << GROUPS) - 1
        for window, table in tables:
            found &= table[frame[window // 2] >> window % 2 * 4 & 15]
        count += found != 0
    return count


@given(LITERALS, st.integers(0, 79), st.integers(WORD, FRAME - 1), st.binary(min_size=19))
@settings(max_examples=60)
def test_every_occurrence_passes(literals: tuple[bytes, ...], number: int, end: int, around: bytes):
    literal = literals[number % len(literals)]
    before, after = around[:12], around[12:]
    text = (before + literal)[-end - 1 :] + after
    assert passes(choose_windows(literals), text[:FRAME])


def test_few_random_words_pass_32_words_of_a_language():
    random = Random(0)
    letters = b"etaoinshrdlu"
    literals = tuple(bytes(random.choices(letters, k=random.randint(4, 12))) for _ in range(32))
    windows = choose_windows(literals)
    rate = windows.pass_rate(len(windows.order))
    passed = passes(windows, *(random.randbytes(FRAME) for _ in range(20000)))
    assert rate < 1e-4 and passed <= 20


@pytest.mark.parametrize("literal", [b"a", b"ab", b"abcdefghijkl"])
def test_what_is_fixed_by_no_place_is_no_window(literal: bytes):
    bytes_fixed = min(WORD + len(literal) - 1, FRAME)
    order = choose_windows((literal,)).order
    assert {window // 2 for window in order} == set(range(FRAME - bytes_fixed, FRAME))
