"""Scans mean the same whether they test columns as they are encoded or as they are decoded."""

from __future__ import annotations

import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st
from support.encoded_queries import Array, encoded_filters, encoded_queries
from support.fusion import require_same_meaning
from support.schedules import CONTEXT

from vyre_dialect.passes.program.push_down_predicates import push_down_predicates
from vyre_dialect.runtime.program.compilation import apply_pipeline, parse_module

KINDS = {
    "packed": ("packed",),
    "dictionary": ("dictionary",),
    "blocks": ("blocks",),
    "sums": ("sums", "blocks"),
    "all": ("packed", "dictionary", "blocks", "sums"),
}


@pytest.mark.one_in(5)
@pytest.mark.parametrize("kinds", KINDS.values(), ids=list(KINDS))
@given(st.data())
def test_encoded_tests_mean_the_same(kinds: tuple[str, ...], data: st.DataObject) -> None:
    text, inputs = data.draw(encoded_queries(kinds))
    assume(means_the_same(text, inputs))


@pytest.mark.one_in(5)
@given(encoded_filters())
def test_encoded_filters_mean_the_same(drawn: tuple[str, dict[str, Array]]) -> None:
    assume(means_the_same(*drawn))


def means_the_same(text: str, inputs: dict[str, Array]) -> bool:
    """Fail if a program has another meaning once its tests have moved; whether it has one."""
    before = parse_module(text, CONTEXT)
    after = before.clone()
    push_down_predicates(after, None)
    after.verify()
    again = after.clone()
    assert not any(each.has_moved for each in push_down_predicates(again, None))
    assert again.is_structurally_equivalent(after)
    for module in (before, after):
        apply_pipeline(module, "vyre-expand", CONTEXT)
    return require_same_meaning(before, after, inputs) is not None


PROGRAMS = {
    **{name: encoded_queries(kinds) for name, kinds in KINDS.items()},
    "filters": encoded_filters(),
}


@pytest.mark.one_in(5)
@pytest.mark.parametrize("programs", PROGRAMS.values(), ids=list(PROGRAMS))
def test_tests_move_in_enough_of_these_programs(
    programs: st.SearchStrategy[tuple[str, dict[str, Array]]],
) -> None:
    moved = list[bool]()

    @settings(max_examples=120, database=None, phases=[Phase.generate], derandomize=True)
    @given(programs)
    def count(drawn: tuple[str, dict[str, Array]]) -> None:
        outcomes = push_down_predicates(parse_module(drawn[0], CONTEXT), None)
        moved.append(any(each.has_moved for each in outcomes))

    count()
    assert sum(moved) > len(moved) / 10
