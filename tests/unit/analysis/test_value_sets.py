"""Sets of values are exact: every operation is that of the numbers in them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vyre_dialect.analysis.value_sets import ValueSet

WIDTH = 4
TURN = 1 << WIDTH
SIGNED = {each: each - TURN if each >= TURN // 2 else each for each in range(TURN)}
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    **{"eq": operator.eq, "ne": operator.ne, "lt": operator.lt},
    **{"le": operator.le, "gt": operator.gt, "ge": operator.ge},
}
NUMBERS = st.sets(st.integers(0, TURN - 1))


def members(of: ValueSet) -> set[int]:
    return {each for each in range(1 << of.width) if each in of}


def made(numbers: set[int], width: int = WIDTH) -> ValueSet:
    found = ValueSet.of(width, ((each, each) for each in numbers))
    assert members(found) == numbers
    return found


ORDERS = [f"{order}{name}" for order in "su" for name in ("lt", "le", "gt", "ge")]


@pytest.mark.parametrize("predicate", ["eq", "ne", *ORDERS])
def test_comparisons(predicate: str) -> None:
    compares = COMPARISONS[predicate[-2:]]
    numbers = SIGNED if predicate[0] == "s" else range(TURN)
    for number in range(TURN):
        expected = {each for each in range(TURN) if compares(numbers[each], numbers[number])}
        assert members(ValueSet.where(WIDTH, predicate, number)) == expected
        assert members(ValueSet.where(WIDTH, predicate, SIGNED[number])) == expected


@given(NUMBERS, NUMBERS, st.integers(-TURN, TURN))
def test_operations(first: set[int], second: set[int], by: int) -> None:
    left, right = made(first), made(second)
    assert members(left | right) == first | second
    assert members(left & right) == first & second
    assert members(left ^ right) == first ^ second
    assert members(~left) == set(range(TURN)) - first
    assert members(left.shifted(by)) == {(each + by) % TURN for each in first}
    assert members(left.negated()) == {-each % TURN for each in first}
    assert members(left.truncated(2)) == {each for each in first if each < 4}
    assert left.size == len(first)
    assert bool(left) == bool(first)


@given(NUMBERS, st.integers(1, 3))
def test_arcs_cover_a_set(numbers: set[int], count: int) -> None:
    of = made(numbers)
    for arcs in (of.arcs(), of.covered_by(count)):
        covered = [(arc.first + k) % TURN for arc in arcs for k in range(arc.extent + 1)]
        assert len(covered) == len(set(covered))
        assert set(covered) >= numbers
        if arcs == of.arcs():
            assert set(covered) == numbers
    assert len(of.covered_by(count)) <= count


@given(st.sets(st.integers(0, 255)))
def test_bytes_behave_as_those_of_numpy(numbers: set[int]) -> None:
    values = np.array(sorted(numbers), np.uint8)
    assert members(made(numbers, 8).shifted(77)) == set((values + np.uint8(77)).tolist())
