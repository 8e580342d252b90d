"""Which cases of a test `make test` runs; the others are slow, and left to `make test-all`."""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Container, Iterable
from itertools import product
from math import ceil
from typing import Any

import pytest


def crossed(*axes: Iterable[object]) -> list[Any]:
    """
    Every combination of the values of some axes, as parameters of a test. As many are quick as the
    longest axis has values: each value of each axis is in one of them.
    """
    values = [list(axis) for axis in axes]
    longest = max(map(len, values))
    quick = {tuple(n % len(axis) for axis in values) for n in range(longest)}
    return [
        pytest.param(
            *(axis[n] for axis, n in zip(values, chosen, strict=True)),
            marks=() if chosen in quick else pytest.mark.slow,
        )
        for chosen in product(*(range(len(axis)) for axis in values))
    ]


def first_quick(values: Iterable[object]) -> list[Any]:
    """The values as parameters of a test, of which all but the first are slow."""
    first, *others = values
    return [first, *(pytest.param(value, marks=pytest.mark.slow) for value in others)]


def slow_if(values: Iterable[object], slow: Container[object]) -> list[Any]:
    """The values as parameters of a test, of which some are slow."""
    mark = pytest.mark.slow
    return [pytest.param(value, marks=mark) if value in slow else value for value in values]


def dealt_to(case: str, hands: int) -> int:
    """To which of so many a case is dealt, by its name, so that a new test moves none."""
    return zlib.crc32(case.encode()) % hands


def thin_out(quick: Iterable[pytest.Item]) -> None:
    """Mark as slow what `one_in(n)` leaves out of quick cases: of each test, all but one of n."""
    tests = defaultdict[tuple[str, int], list[pytest.Item]](list)
    for item in quick:
        if mark := item.get_closest_marker("one_in"):
            tests[item.nodeid.partition("[")[0], *mark.args].append(item)
    for (_, hands), cases in tests.items():
        cases.sort(key=lambda case: zlib.crc32(case.nodeid.encode()))
        for case in cases[ceil(len(cases) / hands) :]:
            case.add_marker(pytest.mark.slow)
