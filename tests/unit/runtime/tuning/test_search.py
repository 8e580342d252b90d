"""The search sweeps what is small, repeats nothing, and finds fast points with few measurements."""

from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.tiers import first_quick

from benchmarks.tuner_families import DEVELOPMENT, OTHERS, POINTS, drawn
from benchmarks.tuner_replay import fraction_of_optimum, tuner_walk
from vyre_dialect.runtime.tuning.search import (
    Expert,
    ListedSpace,
    Point,
    ProductSpace,
    Search,
    Space,
)


def found_by(search: Search, time: dict[Point, float | None]) -> list[Point]:
    asked = list[Point]()
    while (point := search.ask()) is not None:
        search.tell(point, time[point])
        asked.append(point)
    return asked


def rugged(sizes: tuple[int, ...], seed: int = 0) -> dict[Point, float | None]:
    """Times that depend on each axis by itself, and on pairs of axes, with some failures."""
    random = np.random.default_rng(seed)
    alone = [random.random(size) for size in sizes]
    pairs = {(i, i + 1): random.random((sizes[i], sizes[i + 1])) for i in range(len(sizes) - 1)}
    times = dict[Point, float | None]()
    for point in product(*map(range, sizes)):
        log = sum(axis[place] for axis, place in zip(alone, point, strict=True))
        log += sum(table[point[i], point[j]] for (i, j), table in pairs.items())
        times[point] = None if random.random() < 0.05 else float(np.exp(log))
    return times


def test_a_small_space_is_swept_from_the_first_point_outwards():
    search = Search(ProductSpace([2, 3], (1, 1)), 6)
    asked = found_by(search, rugged((2, 3)))
    assert search.is_sweep
    assert asked[0] == (1, 1)
    assert sorted(asked) == sorted(product(range(2), range(3)))
    distances = [sum(a != b for a, b in zip(point, (1, 1), strict=True)) for point in asked]
    assert distances == sorted(distances)


def test_nothing_to_choose_is_one_point():
    assert found_by(Search(ProductSpace([], ()), 10), {(): 1.0}) == [()]
    assert found_by(Search(ProductSpace([1, 1], (0, 0)), 10), {(0, 0): 1.0}) == [(0, 0)]


@settings(max_examples=10)
@given(st.lists(st.integers(1, 5), min_size=1, max_size=5), st.integers(1, 24), st.integers(0, 99))
def test_every_point_is_asked_for_once_and_is_one_of_the_space(
    sizes: list[int], evaluations: int, seed: int
):
    times = rugged(tuple(sizes), seed)
    asked = found_by(Search(ProductSpace(sizes, (0,) * len(sizes)), evaluations, seed), times)
    assert len(asked) == len(set(asked)) == min(evaluations, prod(sizes))
    assert asked[0] == (0,) * len(sizes)
    assert set(asked) <= times.keys()


def test_the_same_seed_asks_the_same():
    times = rugged((6, 6, 6))
    walks = [found_by(Search(ProductSpace([6] * 3, (0,) * 3), 24, 5), times) for _ in range(2)]
    assert walks[0] == walks[1]


def test_only_listed_points_are_asked_for():
    times = {point: time for point, time in rugged((6, 6, 6)).items() if sum(point) % 2}
    space = ListedSpace((6, 6, 6), (0, 0, 1), np.array(list(times)))
    assert set(found_by(Search(space, 24), times)) <= times.keys()


def test_it_gets_by_where_everything_fails_or_takes_the_same():
    space = ProductSpace([6] * 4, (0,) * 4)
    points = list(product(range(6), repeat=4))
    assert len(found_by(Search(space, 24), dict.fromkeys(points, None))) == 24
    assert len(found_by(Search(space, 24), dict.fromkeys(points, 2.0))) == 24


def best_share(space: Space, times: dict[Point, float | None], seed: int) -> float:
    measured = [time for time in times.values() if time is not None]
    asked = found_by(Search(space, 60, seed), times)
    return min(measured) / min(time for point in asked if (time := times[point]) is not None)


def test_few_measurements_find_what_many_at_random_would_not():
    sizes = (8, 6, 4, 3)
    times = rugged(sizes)
    space = ProductSpace(sizes, (0,) * 4)
    shares = [best_share(space, times, seed) for seed in range(2)]
    measured = sorted(time for time in times.values() if time is not None)
    # What the best of 60 at random reaches on average is the quantile 1/61.
    at_random = measured[0] / measured[len(measured) // 61]
    assert np.mean(shares) > at_random


@pytest.mark.slow
@pytest.mark.parametrize("seed", first_quick(range(5)))
def test_beside_the_choice_of_an_expert_each_axis_has_its_turn(seed: int):
    sizes = [4] * 12
    space = ProductSpace(sizes, (0,) * 12, Expert(switches={3: 4}))
    # Most of what is at random fails, and two changes gain something, one of them with its switch.
    search = Search(space, 120, seed)
    best, asked = 1.0, set[Point]()
    while (point := search.ask()) is not None:
        assert point not in asked
        asked.add(point)
        moved = sum(map(bool, point))
        gain = 0.3 * (point[3] == 2 and point[4] > 0) + 0.2 * (point[8] == 1)
        time = 1.0 - gain + 0.1 * max(0, moved - 3)
        search.tell(point, time if moved < 5 else None)
        best = min(best, time)
    assert best == pytest.approx(0.5)


@pytest.mark.parametrize("time", [0.0, -1.0, float("inf"), float("nan")])
def test_what_is_no_time_is_an_error(time: float):
    search = Search(ProductSpace([2], (0,)), 2)
    asked = search.ask()
    assert asked is not None
    with pytest.raises(ValueError, match="expected a positive time"):
        search.tell(asked, time)


@pytest.mark.parametrize(
    ("family", "seed", "evaluations", "least"),
    [
        ("tile", 100, 40, 0.85),
        pytest.param("stream", 100, 50, 0.85, marks=pytest.mark.slow),
        pytest.param("effects", 101, 100, 0.85, marks=pytest.mark.slow),
        pytest.param("scarce", 101, 100, 0.85, marks=pytest.mark.slow),
    ],
)
def test_on_drawn_tables_few_evaluations_come_near_the_optimum(
    family: str, seed: int, evaluations: int, least: float
):
    table = drawn(family, seed)
    walks = [tuner_walk(table, evaluations, seed) for seed in range(3)]
    assert {len(walk) for walk in walks} == {evaluations}
    assert np.mean([fraction_of_optimum(walk, table.optimum) for walk in walks]) >= least


@pytest.mark.parametrize(("family", "seed"), [("effects", 101), ("scarce", 101)])
def test_a_search_with_a_large_budget_finds_fast_points_early(family: str, seed: int):
    table = drawn(family, seed)
    shares = list[float]()
    for each in range(3):
        points = table.points(each)
        search = Search(ListedSpace(table.sizes, points[0], np.array(points)), 200, each)
        walk = list[float | None]()
        while len(walk) < 32 and (point := search.ask()) is not None:
            walk.append(table.times[point])
            search.tell(point, walk[-1])
        shares.append(fraction_of_optimum(walk, table.optimum))
    assert np.mean(shares) >= 0.8


@pytest.mark.parametrize("family", sorted(DEVELOPMENT | OTHERS))
def test_a_drawn_table_is_the_same_for_its_seed_and_within_its_axes(family: str):
    table = drawn(family, 7)
    assert drawn(family, 7) == table != drawn(family, 8)
    assert len(table.times) <= prod(table.sizes) <= POINTS[1]
    places = np.array(list(table.times))
    assert (places >= 0).all()
    assert (places < np.array(table.sizes)).all()
    assert table.optimum > 0
