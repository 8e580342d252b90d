"""Ops on the bytes of words, in several invocations at once."""

from __future__ import annotations

import numpy as np
import pytest
from support.interpreting import Array, computed, operand
from xdsl.dialects.builtin import VectorType, i32
from xdsl.ir import Attribute

from vyre_dialect.ops.words import PermuteBytesOp

FIRST = np.array([0x03020100, 0x13121110], np.uint32)
SECOND = np.array([0x07060504, 0x17161514], np.uint32)


def permuted(first: Array, second: Array, *positions: int, type: Attribute = i32) -> list[object]:
    op = PermuteBytesOp(operand(type), operand(type), positions)
    return [f"{word:08x}" for word in computed(op, first, second).ravel()]


@pytest.mark.parametrize(
    ("positions", "expected"),
    [
        ((0, 1, 2, 3), ["03020100", "13121110"]),
        ((7, 6, 5, 4), ["04050607", "14151617"]),
        ((2, 1, 0, 6), ["06000102", "16101112"]),
        ((4, 4, 4, 4), ["04040404", "14141414"]),
    ],
)
def test_bytes_are_taken_from_two_words(positions: tuple[int, ...], expected: list[str]):
    assert permuted(FIRST, SECOND, *positions) == expected


def test_a_word_that_all_invocations_share_is_taken_by_each():
    zero = np.zeros(1, np.uint32)
    assert permuted(FIRST, zero, 3, 4, 1, 4) == ["00010003", "00110013"]


def test_vectors_are_permuted_lane_by_lane():
    rows = np.stack([FIRST, SECOND])
    type = VectorType(i32, [2])
    expected = ["00010203", "10111213", "04050607", "14151617"]
    assert permuted(rows, rows, 3, 2, 1, 0, type=type) == expected
