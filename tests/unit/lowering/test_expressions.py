"""Expressions are printed so that C reads back exactly the operations that they stand for."""

from __future__ import annotations

import struct
from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.c_parser import Tree, parse

from vyre_dialect.lowering.opencl.expressions import (
    BINARY,
    Expression,
    Form,
    binary,
    cast,
    conditional,
    exact,
    index_by,
    negated,
    overloaded,
    unary,
)
from vyre_dialect.lowering.opencl.literals import literal
from vyre_dialect.lowering.opencl.types import BOOL, INDEX, UCHAR, CType

UINT = CType("uint")

Pair = tuple[Expression, Tree]
Combine = Callable[[Pair, Pair], Pair]


def leaf(name: str) -> Pair:
    return Expression(name, UINT), name


def _binary(operator: str) -> Combine:
    return lambda a, b: (binary(a[0], operator, b[0], UINT), (operator, a[1], b[1]))


def _unary(operator: str) -> Combine:
    return lambda a, b: (unary(operator, a[0], UINT), (f"unary{operator}", a[1]))


def _cast(a: Pair, b: Pair) -> Pair:
    return cast(a[0], CType("float")), ("cast", "float", a[1])


def _condition(a: Pair, b: Pair) -> Pair:
    return conditional(a[0], b[0], b[0], UINT), ("?", a[1], b[1], b[1])


def _first_choice(a: Pair, b: Pair) -> Pair:
    return conditional(b[0], a[0], b[0], UINT), ("?", b[1], a[1], b[1])


def _last_choice(a: Pair, b: Pair) -> Pair:
    return conditional(b[0], b[0], a[0], UINT), ("?", b[1], b[1], a[1])


def _call(a: Pair, b: Pair) -> Pair:
    return overloaded("f", UINT, a[0], b[0]), ("call", "f", a[1], b[1])


def _subscript(a: Pair, b: Pair) -> Pair:
    return index_by("p", a[0], UINT), ("[]", "p", _without_cast(a[1]))


def _without_cast(tree: Tree) -> Tree:
    """What a subscript converts by itself."""
    return tree[2] if tree[0] == "cast" else tree


COMBINATIONS: dict[str, Combine] = {operator: _binary(operator) for operator in BINARY} | {
    "-x": _unary("-"),
    "!x": _unary("!"),
    "(float)x": _cast,
    "x ? b : b": _condition,
    "b ? x : b": _first_choice,
    "b ? b : x": _last_choice,
    "f(x, b)": _call,
    "p[x]": _subscript,
}


def combine(name: str, left: Pair, right: Pair) -> Pair:
    return COMBINATIONS[name](left, right)


def check(pair: Pair) -> None:
    expression, expected = pair
    assert parse(expression.text.replace("float", "uint")) == _without_floats(expected)


def _without_floats(tree: Tree) -> Tree:
    if isinstance(tree, str):
        return tree.replace("float", "uint")
    return tuple(_without_floats(part) for part in tree)


@pytest.mark.parametrize(("outer", "inner"), list(product(COMBINATIONS, COMBINATIONS)))
def test_every_pair_of_operators_reads_back_on_either_side(outer: str, inner: str):
    a, b, c = leaf("a"), leaf("b"), leaf("c")
    check(COMBINATIONS[outer](COMBINATIONS[inner](a, b), c))
    check(COMBINATIONS[outer](c, COMBINATIONS[inner](a, b)))


@given(
    st.recursive(
        st.sampled_from("abcd").map(leaf),
        lambda inner: st.builds(combine, st.sampled_from(list(COMBINATIONS)), inner, inner),
        max_leaves=12,
    )
)
def test_trees_of_operators_read_back(pair: Pair):
    check(pair)


@pytest.mark.parametrize(
    ("text", "left", "operator", "right"),
    [
        ("a + b - c", "a + b", "-", "c"),
        ("a - (b - c)", "a", "-", "b - c"),
        ("(a | b) == c", "a | b", "==", "c"),
        ("(a << b) + c", "a << b", "+", "c"),
        ("(a + b) >> c", "a + b", ">>", "c"),
        ("(a & b) | c", "a & b", "|", "c"),
        ("(a && b) || c", "a && b", "||", "c"),
        ("a < b && c", "a < b", "&&", "c"),
    ],
)
def test_parentheses_are_where_c_or_the_reader_needs_them(
    text: str, left: str, operator: str, right: str
):
    assert binary(_parsed(left), operator, _parsed(right), UINT).text == text


def _parsed(text: str) -> Expression:
    parts = text.split()
    if len(parts) == 1:
        return leaf(text)[0]
    return binary(leaf(parts[0])[0], parts[1], leaf(parts[2])[0], UINT)


def test_signs_do_not_run_together():
    minus = unary("-", leaf("a")[0], UINT)
    assert unary("-", minus, UINT).text == "-(-a)"
    assert binary(leaf("b")[0], "-", minus, UINT).text == "b - -a"


def test_the_opposite_of_an_integer_comparison_is_a_comparison():
    comparison = binary(leaf("a")[0], "<", leaf("b")[0], BOOL, Form.PROMOTED)
    assert negated(comparison).text == "a >= b"


def test_the_opposite_of_a_float_comparison_is_none():
    x, y = (Expression(name, CType("float")) for name in "xy")
    assert negated(binary(x, "<", y, BOOL, Form.PROMOTED)).text == "!(x < y)"


def test_casts_that_change_no_bits_are_left_out():
    byte = Expression("byte", UCHAR)
    assert cast(cast(byte, UINT), INDEX).text == "(long)byte"
    assert cast(cast(Expression("x", INDEX), UINT), UCHAR).text == "(uchar)x"


def test_casts_that_change_bits_stay():
    word = Expression("word", UINT)
    assert cast(cast(word, CType("int")), INDEX).text == "(long)(int)word"
    assert cast(cast(word, UCHAR), INDEX).text == "(long)(uchar)word"


def test_wrapped_small_integers_are_cut_only_where_it_matters():
    a, b = (Expression(name, UCHAR) for name in "ab")
    total = binary(a, "+", b, UCHAR, Form.WRAPPING)
    assert exact(total).text == "(uchar)(a + b)"
    assert exact(total).converted == "a + b"


@pytest.mark.parametrize(
    ("value", "type", "text"),
    [
        (255, UCHAR, "255"),
        (-1, UINT, "0xffffffffu"),
        (1000, UINT, "1000u"),
        (-5, INDEX, "-5"),
        (2**40, INDEX, "1099511627776L"),
        (-(2**63), INDEX, "-9223372036854775807L - 1"),
        (1.5, CType("float"), "1.5f"),
        (1e30, CType("float"), "1e+30f"),
        (-0.0, CType("double"), "-0.0"),
        (0.1, CType("half"), "(half)0.1f"),
        (float("inf"), CType("double"), "(double)INFINITY"),
    ],
)
def test_literals(value: float, type: CType, text: str):
    assert literal(value, type).text == text


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_float_literals_are_exact(value: float):
    text = literal(value, CType("float")).text
    assert struct.pack("<f", float(text.removesuffix("f"))) == struct.pack("<f", value)
