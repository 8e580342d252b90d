"""`vyre.scan.literals` counts what `bytes.find` finds, for each literal by itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.scans import as_bytes, literals_scan, outputs, starts
from xdsl.dialects.builtin import IntegerType, i32, i64

from vyre_dialect.ir.tuning import Choice

COUNTERS = ["literal", "state", "visit"]
OF_MANY_STATES = ["literal", "state"]
ALPHABET = st.sampled_from([b"a", b"b", b"\0", b"\xff"])


def strings(min_size: int, max_size: int) -> st.SearchStrategy[bytes]:
    return st.lists(ALPHABET, min_size=min_size, max_size=max_size).map(b"".join)


def check(
    literals: list[bytes],
    text: bytes,
    type: IntegerType = i32,
    chunk: int | None = None,
    **choices: Choice,
) -> None:
    module = literals_scan(tuple(literals), type, chunk, **choices)
    results = outputs(module, text=as_bytes(text))
    assert results["matches"].tolist() == [len(starts(text, literal)) for literal in literals]


@pytest.mark.slow
@given(
    st.lists(strings(1, 7), min_size=1, max_size=9),
    strings(0, 300),
    st.sampled_from([i32, i64]),
    st.sampled_from([16, 48, None]),
    st.sampled_from(COUNTERS),
    st.sampled_from([1, 2, 4]),
)
def test_counts_each_literal(
    literals: list[bytes],
    text: bytes,
    type: IntegerType,
    chunk: int | None,
    counters: str,
    streams: int,
):
    check(literals, text, type, chunk, counters=counters, streams=streams)


@pytest.mark.one_in(15)
@pytest.mark.parametrize("counters", COUNTERS)
@pytest.mark.parametrize("literal", [b"ab", b"\0b\0", b"b\0", b"\0\0\0", b"abcdefghijklmnopq" * 3])
def test_occurrences_across_every_chunk_edge(literal: bytes, counters: str):
    for start in range(40):
        text = b"." * start + literal
        check([literal], text, chunk=16, counters=counters, streams=2)
        check([literal], text[:-1], chunk=16, counters=counters)


@pytest.mark.parametrize("counters", COUNTERS)
@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 127, 128, 129, 300])
def test_one_byte_alphabet(size: int, counters: str):
    literals = [b"a", b"aa", b"aa", b"a" * 5, b"a" * 20]
    check(literals, b"a" * size, chunk=16, counters=counters, streams=8)
    check([b"\0", b"\0\0", b"\0" * 20], b"\0" * size, chunk=16, counters=counters)


@pytest.mark.parametrize("counters", OF_MANY_STATES)
def test_every_byte_value_in_the_literals(counters: str):
    literals = [bytes([value]) for value in range(256)] + [bytes(range(256))]
    check(literals, bytes(range(256)) + b"\xff\0", counters=counters)


@pytest.mark.parametrize("counters", OF_MANY_STATES)
def test_tables_beyond_65536_entries(counters: str):
    literals = [bytes([first, second, first]) for first in range(1, 200) for second in (7, 250)]
    check(literals, b"".join(literals[::17]), counters=counters)


def test_visits_of_many_states_are_not_counted() -> None:
    with pytest.raises(ValueError, match="expected counters of literal, state, got visit"):
        literals_scan((b"a" * 512,), i32, None, counters="visit")
