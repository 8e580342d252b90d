"""The drawn relations are those that isl answers with, and stand in the manual as they are."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from support.documents import ROOT

from tools.relations import SAMPLES, SIZE, WORKGROUP, Pair, decided, picture, relations_of, runs

each_sample = pytest.mark.parametrize("name", SAMPLES)


@each_sample
def test_the_manual_shows_what_is_drawn_now(name: str) -> None:
    """`make reference` draws it anew."""
    assert (ROOT / "docs" / f"{name}.svg").read_text() == picture(name)
    assert f"({name}.svg)" in (ROOT / "docs" / "fusion.md").read_text()


@each_sample
def test_a_picture_is_of_one_file(name: str) -> None:
    root = ElementTree.fromstring(picture(name))
    kinds = {each.get("class") for each in root.iter("{http://www.w3.org/2000/svg}rect")}
    assert {"arm", "tile", "arm pale", "tile pale"} <= kinds
    assert ("bad" in kinds) == (name == "relations-shift")


def test_relations_are_those_of_the_arms() -> None:
    sample = SAMPLES["relations-window"]
    found = relations_of(sample.build(), sample.buffer)
    everything = range(SIZE)
    assert found.earlier == {Pair(each, each) for each in everything}
    assert found.later == {
        Pair(each, each + step) for each in everything for step in range(3) if each + step < SIZE
    }
    assert found.elements == found.needed == set(range(8, 18))


@pytest.mark.parametrize("name", ["relations-window", "relations-mirrored"])
def test_the_bands_are_what_the_pass_makes_tiles_of(name: str) -> None:
    built = SAMPLES[name].build()
    found, (_, plan) = relations_of(built, "decoded"), decided(built)
    assert plan is not None
    assert plan.tiles["decoded"] >= len(found.elements)
    assert [each.invocations for each in plan.shares] == [len(found.needed), WORKGROUP]


def test_the_counterexample_is_in_the_relations() -> None:
    built = SAMPLES["relations-shift"].build()
    found, (verdict, plan) = relations_of(built, "data"), decided(built)
    assert plan is None
    example = verdict["counterexample"]
    assert isinstance(example, dict)
    assert Pair(example["earlier"], example["element"]) in found.earlier
    assert Pair(example["later"], example["element"]) in found.later


def test_numbers_that_follow_each_other_are_a_run() -> None:
    assert runs(frozenset({3, 4, 5, 9})) == [(3, 5), (9, 9)]
