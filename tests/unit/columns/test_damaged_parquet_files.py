"""Damaged files of Parquet are errors of one line, or are read like pyarrow reads them."""

from __future__ import annotations

from collections import Counter

import pytest
from support.parquet_mutants import mutants
from support.parquet_values import Decodes, interpreted, outcomes


@pytest.fixture(scope="module", name="decodes")
def _decodes() -> Decodes:
    return interpreted()


def check(seeds: range, decodes: Decodes, *, in_place: bool) -> Counter[bool]:
    """Check a mutant of each seed; gives how many columns were read, and how many not."""
    seen = Counter[bool]()
    for name, data in mutants(seeds):
        for outcome in outcomes(data, decodes, in_place=in_place):
            assert outcome, name
            assert "\n" not in outcome, name
            seen[outcome == "read"] += 1
    return seen


@pytest.mark.one_in(2)
@pytest.mark.parametrize("in_place", [False, True])
def test_mutants_are_errors_or_right(decodes: Decodes, in_place: bool) -> None:
    seen = check(range(100), decodes, in_place=in_place)
    assert seen[True] > 50
    assert seen[False] > 20


@pytest.mark.slow
@pytest.mark.parametrize("in_place", [False, True])
def test_thousands_of_mutants_are_errors_or_right(decodes: Decodes, in_place: bool) -> None:
    seen = check(range(1000, 3000), decodes, in_place=in_place)
    assert seen[True] > 1000
    assert seen[False] > 500
