"""`vyre.scan.locate` finds what `bytes.find` finds, in the order in which it ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.scans import as_bytes, locate_scan, occurrences, outputs
from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i32, i64

from vyre_dialect.ir.constants import integer_of
from vyre_dialect.ir.tuning import Choice
from vyre_dialect.ir.types import UNROLL
from vyre_dialect.runtime.program.compilation import apply_pipeline, make_context

LETTERS = st.sampled_from([b"a", b"b", b"\0", b"\xff"])
PREFILTERS = ["none", "windows"]


def strings(min_size: int, max_size: int) -> st.SearchStrategy[bytes]:
    return st.lists(LETTERS, min_size=min_size, max_size=max_size).map(b"".join)


def located(
    literals: list[bytes],
    text: bytes,
    type: IntegerType = i32,
    size: int | None = None,
    chunk: int | None = None,
    **choices: Choice,
) -> list[tuple[int, int]]:
    module = locate_scan(tuple(literals), type, size, chunk, **choices)
    results = outputs(module, text=as_bytes(text))
    return list(zip(results["positions"].tolist(), results["which"].tolist(), strict=True))


@pytest.mark.slow
@given(
    st.lists(strings(1, 7), min_size=1, max_size=9),
    strings(0, 300),
    st.sampled_from([i32, i64]),
    st.sampled_from([16, 48, 128]),
    st.sampled_from(PREFILTERS),
)
def test_locates_each_occurrence(
    literals: list[bytes],
    text: bytes,
    type: IntegerType,
    chunk: int,
    prefilter: str,
):
    found = located(literals, text, type, chunk=chunk, prefilter=prefilter)
    assert found == occurrences(text, literals)


@pytest.mark.slow
@given(st.lists(strings(2, 7), min_size=1, max_size=5), strings(0, 300))
def test_locates_after_a_look_at_pairs(literals: list[bytes], text: bytes):
    assert located(literals, text, prefilter="pairs") == occurrences(text, literals)


@pytest.mark.parametrize(("prefilter", "loops"), [("none", 0), ("windows", 2)])
def test_words_are_written_out_only_where_the_automaton_stands_once(prefilter: str, loops: int):
    module = locate_scan((b"abcdefg",), prefilter=prefilter)
    apply_pipeline(module, "vyre-expand", make_context())
    by_words = [
        op for op in module.walk() if isinstance(op, scf.ForOp) and integer_of(op.step) == 4
    ]
    rolled = [op for op in by_words if op.attributes.get(UNROLL) == IntegerAttr(1, i64)]
    assert len(rolled) == loops


@pytest.mark.one_in(4)
@pytest.mark.parametrize("literal", [b"ab", b"\0b\0", b"\0\0\0", b"abcdefghijklmnopq" * 3])
def test_occurrences_across_every_chunk_edge(literal: bytes):
    for start in range(40):
        text = b"." * start + literal
        assert located([literal], text, chunk=16) == [(start, 0)]
        assert located([literal], text[:-1], chunk=16) == []


def test_a_shorter_result_takes_what_fits_and_a_longer_one_keeps_the_rest():
    assert located([b"a"], b"aaaa", size=2) == [(0, 0), (1, 0)]
    assert located([b"a"], b".aa", size=4) == [(1, 0), (2, 0), (0, 0), (0, 0)]


def test_of_equal_and_nested_literals_the_longer_and_the_last_listed_come_first():
    assert located([b"b", b"ab", b"b"], b"ab") == [(0, 1), (1, 2), (1, 0)]
