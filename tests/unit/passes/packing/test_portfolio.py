"""All searches take turns, and together they pack what no one of them was made for."""

from __future__ import annotations

import pytest

from benchmarks.packing import planted
from benchmarks.packing_families import DEVELOPED_ON, FAMILIES, GRAIN, family
from vyre_dialect.passes.memory.packing.instance import Instance
from vyre_dialect.passes.memory.packing.planner import Effort, plan
from vyre_dialect.passes.memory.packing.portfolio import Boxed, Portfolio


def _kinds(instance: Instance, capacity: int, times: int) -> set[str]:
    return {type(search).__name__ for search, _ in Portfolio(instance).searches(capacity, times)}


@pytest.mark.parametrize("times", [1, 4])
def test_each_round_has_every_search(times: int):
    instance = Instance(planted(40, 1))
    everything = {"CanonicalSearch", "Boxed", "SectionSearch", "Population"}
    assert _kinds(instance, 1000, times) == everything
    # Where there is room everywhere, no section is hard.
    assert _kinds(instance, 1200, times) == everything - {"SectionSearch"}


def test_a_later_round_has_more_of_each():
    portfolio = Portfolio(Instance(planted(40, 1)))
    first, second = (sum(n for _, n in portfolio.searches(1000, times)) for times in (1, 4))
    assert second > 2 * first


def test_boxes_refute_nothing():
    instance = Instance(planted(40, 1))
    boxed = [each for each, _ in Portfolio(instance).searches(900, 1) if isinstance(each, Boxed)]
    assert boxed
    assert [each.run(2000, float("inf")) for each in boxed] == [None] * len(boxed)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("seed", DEVELOPED_ON[:1])
def test_families_reach_their_capacity(name: str, seed: int):
    instance = family(name, 150, seed)
    packing = plan(instance.live_ranges, Effort(nodes=60_000))
    assert packing.peak <= max(instance.capacity, packing.lower_bound)


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
def test_large_ones_of_families_reach_their_capacity(name: str):
    instance = family(name, 300, DEVELOPED_ON[0])
    packing = plan(instance.live_ranges, Effort(nodes=300_000))
    assert packing.peak <= max(instance.capacity, packing.lower_bound)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_seed_draws_the_same_lives_within_their_capacity(name: str):
    instance = family(name, 150, 1)
    assert instance == family(name, 150, 1)
    assert instance != family(name, 150, 2)
    assert Instance(instance.live_ranges).lower_bound <= instance.capacity
    assert instance.capacity % GRAIN == 0
