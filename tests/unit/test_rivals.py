"""What people use in place of vyre gives the answers of the examples."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from benchmarks.rivals import RIVALS, LeftOut, make_rival
from benchmarks.workloads import MAKERS, Workload, make

SMALL = 3072
LARGE = (1 << 20) + SMALL
"""More than a chunk of any rival, and a part of another."""


def straddling(size: int) -> bytes:
    """Matches that overlap, and that go over each end of a chunk in some place."""
    return (b"self    if None: 0000000 " * (size // 25 + 1))[:size]


def check(rival: str, workload: Workload) -> None:
    try:
        run = make_rival(rival, workload)
    except LeftOut as reason:
        pytest.skip(str(reason))
    for _ in range(2):  # buffers are the same each time
        answers = run()
        assert answers.keys() == workload.expected.keys()
        for name, expected in workload.expected.items():
            np.testing.assert_array_equal(answers[name], expected, strict=True)


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("rival", RIVALS)
@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_rivals_answer_as_the_examples_do(rival: str, name: str, size: int) -> None:
    check(rival, make(name, size))


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("rival", RIVALS)
def test_rivals_find_what_lies_across_the_ends_of_chunks(rival: str, name: str) -> None:
    check(rival, MAKERS[name](LARGE, b"self", straddling))


@pytest.mark.parametrize("rival", RIVALS)
@pytest.mark.parametrize("name", ["base64_literal", "xor_literal"])
@pytest.mark.parametrize("literal", [b"None: 0000000", straddling(64)])
def test_literals_may_be_long(rival: str, name: str, literal: bytes) -> None:
    check(rival, MAKERS[name](LARGE, literal, straddling))


@pytest.mark.parametrize("literal", [b"s", straddling(65), b"self\0"])
def test_literals_that_rivals_cannot_look_for_are_named(literal: bytes) -> None:
    with pytest.raises(LeftOut, match="expected a literal of 4 to 64 bytes without zeros, got b's"):
        make_rival("numpy", make("xor_literal", SMALL, literal))


def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pybase64", None)
    monkeypatch.delitem(sys.modules, "benchmarks.rivals.decoded_chunks", raising=False)
    with pytest.raises(LeftOut, match=r"pybase64.*pip install '\.\[bench\]'"):
        make_rival("pybase64 + hyperscan", make("base64_literal", SMALL))
