"""The lines of matches are those that `bytes.split` gives, whatever the text."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vyre_dialect.runtime.scanning.results import FileMatches
from vyre_dialect.runtime.scanning.scanner import Matches
from vyre_dialect.runtime.scanning.walk import Source

TEXTS = st.lists(st.sampled_from([b"a", b"b", b"\n"]), max_size=60).map(b"".join)


@given(TEXTS, st.sampled_from([b"a", b"ab", b"\n", b"b\na"]))
def test_lines_of_matches(text: bytes, literal: bytes):
    places = [match.start() for match in re.finditer(b"(?=" + literal + b")", text)]
    offsets = np.array(places, np.int64)
    found = FileMatches(Source("x"), Matches(text, offsets, offsets, offsets * 0))
    numbers = [text.count(b"\n", 0, place) for place in places]
    lines = text.split(b"\n")
    shown = [text[match.line_begin : match.line_end] for match in found.matches()]
    assert shown == [lines[number] for number in numbers]
    assert [number - 1 for number in found.line_numbers] == numbers
    assert found.line_count == len(set(numbers))
