"""The ops that test whether an integer is in a set: a few, or none."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from xdsl.dialects.builtin import i1, i32, i64

from vyre_dialect.analysis.value_sets import Interval, ValueSet
from vyre_dialect.builder import Value, constant

SetTest: TypeAlias = Callable[[Value], Value]
"""Builds the test of an integer at the current place."""
WORDS = (i32, i64)
"""Masks with a bit for each integer."""


def set_test(wanted: ValueSet, count: int) -> SetTest | None:
    """
    A test whether an integer, one of the first `count`, is wanted: a range, all but a range, or a
    mask. None for a set that takes more.
    """
    universe = ValueSet.below(wanted.width, count)
    inside, outside = wanted & universe, universe & ~wanted
    if not inside or not outside:
        return lambda _: constant(int(bool(inside)), i1)
    for intervals, holds in ((inside.intervals, True), (outside.intervals, False)):
        if len(intervals) == 1:
            return _range_test(intervals[0], count, holds=holds)
    return _mask_test(inside, count)


def parity_test(*, is_odd: bool) -> SetTest:
    """A test whether an integer is odd, or even."""
    return lambda value: (value & 1).compare("ne" if is_odd else "eq", 0)


def _range_test(interval: Interval, count: int, *, holds: bool) -> SetTest:
    first, last = interval
    if first == last:
        return lambda value: value.compare("eq" if holds else "ne", first)
    if first == 0:
        return lambda value: value.compare("ule" if holds else "ugt", last)
    if last == count - 1:
        return lambda value: value.compare("uge" if holds else "ult", first)
    return lambda value: (value - first).compare("ule" if holds else "ugt", last - first)


def _mask_test(inside: ValueSet, count: int) -> SetTest | None:
    word = next((each for each in WORDS if count <= each.width.data), None)
    if word is None:
        return None
    mask = sum((2 << last) - (1 << first) for first, last in inside.intervals)
    return lambda value: (mask >> value.to(word) & 1).ne(0)
