"""
How generated programs are drawn and checked: by Hypothesis, so that a failure shrinks and shows
the program.

A test of many programs asks for the fixture `draws`: then it runs once with some of them, and once,
as a slow test, with all. `VYRE_FUZZ_EXAMPLES` says instead how many are tried, `VYRE_FUZZ_SEED`
which ones.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import TypeVar

import hypothesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider
from hypothesis.vendor.pretty import RepresentationPrinter

T = TypeVar("T")


class IndependentProvider(HypothesisProvider):
    """
    Draws each example anew. Of five examples, Hypothesis makes about four from the one before,
    with a part repeated: of programs, which cost much, that tries fewer kinds.
    """


_BACKEND = "independent"
AVAILABLE_PROVIDERS[_BACKEND] = f"{__name__}.{IndependentProvider.__name__}"
FEWEST = 8
_COUNT, _SEED = "VYRE_FUZZ_EXAMPLES", "VYRE_FUZZ_SEED"
_SETTINGS = settings(
    backend=_BACKEND,
    database=None,
    deadline=None,
    derandomize=False,
    phases=(Phase.generate, Phase.shrink),
    print_blob=True,
    suppress_health_check=(
        HealthCheck.data_too_large,
        HealthCheck.filter_too_much,
        HealthCheck.large_base_example,
        HealthCheck.too_slow,
    ),
)


class ShownAsText:
    """What Hypothesis shows by its `repr`, rather than field by field."""

    def _repr_pretty_(self, printer: RepresentationPrinter, cycle: bool) -> None:
        printer.text(repr(self))


# Cached: to validate a strategy costs more than to draw from it.
@cache
def sometimes(percent: int) -> st.SearchStrategy[bool]:
    """True in so many of 100 draws; shrinks to False."""
    return st.integers(0, 99).map(lambda number: number >= 100 - percent)


def any_of(*values: T) -> st.SearchStrategy[T]:
    """One of some values, the more often the more of them are equal; shrinks to the first."""
    return _sampled(*values)


@lru_cache(maxsize=None, typed=True)
def _sampled(*values: T) -> st.SearchStrategy[T]:
    return st.sampled_from(values)


def requested(count: int) -> int:
    """How many examples to try: `count`, unless the environment asks for another number."""
    return int(os.environ.get(_COUNT, count))


Draws = Callable[[int], int]
"""How many of so many examples a test tries: `all_of` them, or `some_of` them."""


def all_of(count: int) -> int:
    """As many as asked for."""
    return requested(count)


def some_of(count: int) -> int:
    """A quarter of them, but enough that what is counted over them says something."""
    return requested(max(count // 4, min(count, FEWEST)))


def for_each(
    strategy: st.SearchStrategy[T], check: Callable[[T], object], *, examples: int, seed: int = 0
) -> None:
    """
    Check so many draws, or as many as the environment asks for. The same seeds draw the same.

    A failure is shrunk, and shows what was drawn and how to draw it again.
    """
    examples, first = requested(examples), int(os.environ.get(_SEED, "0"))

    @hypothesis.seed(first + seed)
    @settings(_SETTINGS, max_examples=examples)
    @given(strategy)
    def each(drawn: T) -> None:
        check(drawn)

    try:
        each()
    except Exception as error:
        test = os.environ.get("PYTEST_CURRENT_TEST", "").rsplit(" ", 1)[0]
        error.add_note(f"again: {_SEED}={first} {_COUNT}={examples} pytest '{test}'")
        raise


def in_batches(
    strategy: st.SearchStrategy[T],
    check: Callable[[Sequence[T]], object],
    *,
    examples: int,
    batch: int,
    seed: int = 0,
) -> int:
    """
    Check so many draws, `batch` of them at a time where that is cheaper; how many they were.

    Of a batch that fails, the draws are checked one by one, and the one to blame is shown. It is
    not shrunk: what is checked in batches takes seconds alone. Give one strategy to all devices,
    in an `xdist_group` of their own, and it draws once.
    """
    drawn = _all_drawn(strategy, examples, seed)
    for first in range(0, len(drawn), batch):
        together = drawn[first : first + batch]
        try:
            check(together)
        except Exception:
            _blame(together, check)
            raise
    return len(drawn)


@lru_cache(maxsize=1)
def _all_drawn(strategy: st.SearchStrategy[T], examples: int, seed: int) -> Sequence[T]:
    """The draws, kept for a test that runs on several devices."""
    drawn = list[T]()
    for_each(strategy, drawn.append, examples=examples, seed=seed)
    return drawn


def _blame(together: Sequence[T], check: Callable[[Sequence[T]], object]) -> None:
    """Raise the error of the first draw that fails alone, with the draw as a note."""
    for each in together:
        try:
            check([each])
        except Exception as error:
            error.add_note(f"drawn: {each}")
            raise
