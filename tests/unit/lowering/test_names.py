"""Identifiers are valid, unique, and hide nothing that a kernel uses."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vyre_dialect.lowering.opencl.names import Names, identifier


@pytest.mark.parametrize(
    ("wish", "name"),
    [
        ("count", "count"),
        ("a.b-c", "a_b_c"),
        ("0", "v0"),
        ("int", "int_"),
        ("uint4", "uint4_"),
        ("min", "min_"),
        ("__x", "v___x"),
        ("vyre_load_u8", "v_vyre_load_u8"),
        ("length", "length"),
        ("größe", "gr_e"),
    ],
)
def test_identifiers_are_close_to_the_wish(wish: str, name: str):
    assert identifier(wish) == name


def test_each_name_is_given_out_once():
    names = Names()
    assert [names.fresh(wish) for wish in ("x", "x", "x_1", "x")] == ["x", "x_1", "x_1_1", "x_2"]


@given(st.lists(st.text(min_size=1)))
def test_all_names_are_identifiers_and_differ(wishes: list[str]):
    names = Names()
    given_out = [names.fresh(wish) for wish in wishes]
    assert len(set(given_out)) == len(given_out)
    assert all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) for name in given_out)
    assert not any(name.startswith("__") for name in given_out)
