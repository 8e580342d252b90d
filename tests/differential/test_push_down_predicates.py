"""Queries mean the same whether they test columns as they are encoded or as they are decoded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.encoded_queries import Array, encoded_queries
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


@pytest.mark.parametrize("kinds", KINDS.values(), ids=list(KINDS))
@given(st.data())
def test_encoded_tests_mean_the_same(kinds: tuple[str, ...], data: st.DataObject) -> None:
    text, inputs = data.draw(encoded_queries(kinds))
    require_same_answers(text, inputs)


def require_same_answers(text: str, inputs: dict[str, Array]) -> int:
    """How many columns' tests moved, once the program has been found to mean the same."""
    before = parse_module(text, CONTEXT)
    after = before.clone()
    outcomes = push_down_predicates(after, None)
    after.verify()
    again = after.clone()
    assert not any(each.has_moved for each in push_down_predicates(again, None))
    assert again.is_structurally_equivalent(after)
    for module in (before, after):
        apply_pipeline(module, "vyre-expand", CONTEXT)
    assert require_same_meaning(before, after, inputs) is not None
    return sum(each.has_moved for each in outcomes)
