"""Footprints and shares of tiles: fitted exactly, at any pace."""

from __future__ import annotations

from fractions import Fraction

import islpy as isl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vyre_dialect.analysis.symbols import Symbols
from vyre_dialect.passes.fusion.tiling.intervals import Interval, Pace, Slope, TileSpace

TILES = 24


def space() -> TileSpace:
    return TileSpace(Symbols(isl.Context()))


def values(interval: Interval) -> list[int]:
    """Where the interval begins in the first tiles."""
    found = list[int]()
    for tile in range(TILES):
        at = isl.Set.read_from_str(interval.base.get_ctx(), f"{{ T[{tile}] }}")
        image = isl.Map.from_pw_aff(interval.base).intersect_domain(at).range()
        found.append(int(image.dim_min_val(0).to_python()))
    return found


@given(
    st.integers(-9, 9), st.integers(1, 7), st.integers(-5, 5), st.integers(1, 9), st.integers(1, 5)
)
def test_the_smallest_interval_around_what_tiles_reach(
    step: int, divisor: int, offset: int, count: int, stride: int
) -> None:
    tiles = space()
    text = (
        f"{{ T[w] -> E[e] : exists k : 0 <= k < {count} and "
        f"e = floor(({step} * w) / {divisor}) + {offset} + {stride} * k }}"
    )
    relation = isl.Map.read_from_str(tiles.context, text)
    interval = tiles.fit(relation, Pace(Fraction(step, divisor)))
    assert interval is not None
    assert interval.extent == (count - 1) * stride + 1
    assert values(interval) == [step * tile // divisor + offset for tile in range(TILES)]


def test_no_interval_of_constant_extent_moves_at_another_pace() -> None:
    tiles = space()
    relation = isl.Map.read_from_str(tiles.context, "{ T[w] -> E[e] : e = 3 * w and w >= 0 }")
    assert tiles.fit(relation, Pace(Fraction(2))) is None
    assert tiles.fit(relation, Pace(Fraction(3))) is not None


def test_nothing_is_reached() -> None:
    tiles = space()
    relation = isl.Map.read_from_str(tiles.context, "{ T[w] -> E[e] : false }")
    assert tiles.fit(relation, Pace(Fraction(1))) is None


def test_an_interval_moves_with_a_parameter() -> None:
    tiles = space()
    name = tiles.symbols.name("n", isl, 0, None)  # pyright: ignore[reportArgumentType]
    text = f"[{name}] -> {{ T[w] -> E[e] : {name} - 4 * w - 4 <= e < {name} - 4 * w }}"
    relation = isl.Map.read_from_str(tiles.context, text)
    interval = tiles.fit(relation, Pace(Fraction(-4), ((name, Fraction(1)),)))
    assert interval is not None
    assert interval.extent == 4


@pytest.mark.parametrize("step", [Fraction(1), Fraction(3), Fraction(3, 4), Fraction(-2)])
def test_the_pace_of_invocations_undoes_that_of_elements(step: Fraction) -> None:
    slope = Slope(step, (("p", Fraction(1)),))
    pace = Pace(Fraction(5), (("q", Fraction(2)),))
    assert slope.invocations_at(slope.elements_at(pace)) == pace


def test_the_denominator_makes_all_steps_whole() -> None:
    assert Pace(Fraction(2, 3), (("p", Fraction(1, 4)),)).denominator == 12
