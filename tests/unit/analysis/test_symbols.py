"""What is known of the parameters of a program, in terms of those that a question names."""

from __future__ import annotations

import islpy as isl
import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType

from vyre_dialect.analysis.symbols import Symbols


@pytest.fixture
def symbols() -> Symbols:
    """Symbols with `p0`, a length, and `p1`, which is half of it."""
    symbols = Symbols(isl.Context())
    length = arith.ConstantOp.from_int_and_width(0, IndexType()).result
    assert symbols.name("whole", length, 0, None) == "p0"
    assert symbols.name("half", length, None, None) == "p1"
    definition = "[p0, p1] -> { : 2 p1 <= p0 < 2 p1 + 2 }"
    symbols.define("p1", isl.Set.read_from_str(symbols.context, definition))
    return symbols


def names(relation: isl.Set | isl.Map) -> set[str | None]:
    space = relation.get_space()
    kind = isl.dim_type.param
    return {space.get_dim_name(kind, place) for place in range(space.dim(kind))}


def read(symbols: Symbols, text: str) -> isl.Set:
    return isl.Set.read_from_str(symbols.context, text)


def test_what_is_known_names_no_other_parameter(symbols: Symbols) -> None:
    known = symbols.known_of(read(symbols, "[p1] -> { E[e] : e < p1 }"))
    assert names(known) == {"p1"}
    assert known.is_equal(read(symbols, "[p1] -> { : p1 >= 0 }"))


def test_a_question_about_both_uses_the_definition(symbols: Symbols) -> None:
    part = read(symbols, "[p1] -> { E[e] : 0 <= e < p1 }")
    assert symbols.is_within(part, read(symbols, "[p0] -> { E[e] : 2 e < p0 }"))
    assert not symbols.is_within(part, read(symbols, "[p0] -> { E[e] : 3 e < p0 }"))


def test_an_explanation_names_what_a_parameter_is_defined_by(symbols: Symbols) -> None:
    explained = symbols.explained(read(symbols, "[p1] -> { E[e] : 0 <= e < p1 }"))
    assert names(explained) == {"p0", "p1"}
    assert explained.intersect(read(symbols, "[p0] -> { E[e] : p0 < 2 }")).is_empty()


def test_a_relation_is_read_once(symbols: Symbols) -> None:
    text = "{ [n] -> E[e] : 0 <= e < n }"
    assert symbols.relation(text) is symbols.relation(text)
