"""Comparisons that ranges or forms decide are what they say, and no others that they could."""

from __future__ import annotations

import operator
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.arms import arm, block_of, named_values
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType, i1, i8
from xdsl.utils.test_value import create_ssa_value

from vyre_dialect.analysis.comparisons import are_in_order, decide, decide_by_ranges, required
from vyre_dialect.analysis.guards import PREDICATES, Comparison
from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.linear_forms import LinearForms
from vyre_dialect.analysis.value_ranges import Range, full_range

OPERATORS = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}


@pytest.mark.parametrize(("highest", "in_order"), [(127, True), (128, False)])
def test_signed_and_unsigned_agree_up_to_the_sign_bit(highest: int, in_order: bool) -> None:
    for left, right in product([Range(0, highest), Range(0, 5)], repeat=2):
        both_low = left.high == right.high == 5
        assert are_in_order(i8, "signed", left, right) is (in_order or both_low)


def compared(predicate: str, width: int, left: int, right: int) -> bool:
    """Whether a comparison holds of numbers of so many bits."""
    if predicate[0] == "s" and width == 1:
        left, right = -(left % 2), -(right % 2)
    elif predicate[0] == "s":
        half = 2 ** (width - 1)
        left, right = ((each + half) % (2 * half) - half for each in (left, right))
    else:
        left, right = left % 2**width, right % 2**width
    return OPERATORS[predicate[-2:]](left, right)


@pytest.mark.parametrize("predicate", PREDICATES)
@given(data=st.data(), type=st.sampled_from((i1, i8, IndexType())))
def test_ranges_decide_for_all_their_numbers(
    predicate: str, data: st.DataObject, type: IntegerType | IndexType
) -> None:
    width = type.width.data if isinstance(type, IntegerType) else 64
    full = full_range(type)
    middle = st.sampled_from([0, 1, 2**width // 2, full.high])
    offsets = st.lists(st.integers(-3, 3), min_size=2, max_size=2)

    def known() -> Range:
        around = data.draw(middle)
        ends = [min(max(around + each, full.low), full.high) for each in data.draw(offsets)]
        return Range(min(ends), max(ends))

    left, right = known(), known()
    op = arith.CmpiOp(create_ssa_value(type), create_ssa_value(type), predicate)
    pairs = product(*(range(each.low, each.high + 1) for each in (left, right)))
    outcomes = {compared(predicate, width, *pair) for pair in pairs}
    decided = decide_by_ranges(op, left, right)
    assert decided is None or outcomes == {decided}
    if predicate[0] != "s" and isinstance(type, IntegerType):
        assert (decided is None) == (len(outcomes) == 2)


OPS = """
    %before = arith.subi %i, %c1 : index
    %rest = arith.remui %i, %c4 : index
    %more = arith.addi %i, %c10 : index
    %below = arith.cmpi ult, %any, %n : index
    scf.if %below {
      %inner = arith.addi %any, %c1 : index
    }
"""
DECIDED = {
    ("ult", "i", "n"): True,
    ("uge", "i", "n"): False,
    ("ugt", "n", "i"): True,
    ("ult", "before", "n"): None,
    ("slt", "before", "n"): True,
    ("ule", "more", "i"): False,
    ("ugt", "more", "i"): True,
    ("ult", "any", "n"): None,
    ("eq", "rest", "c4"): False,
    ("ne", "rest", "c4"): True,
    ("eq", "rest", "rest"): True,
    ("ne", "rest", "rest"): False,
    ("eq", "rest", "c1"): None,
}


@pytest.mark.parametrize(("predicate", "left", "right"), DECIDED)
def test_forms_decide_signed_and_unsigned_comparisons(
    predicate: str, left: str, right: str
) -> None:
    found = arm(OPS)
    values = named_values(found)
    block = block_of(values["more"])
    assert block is not None
    op = arith.CmpiOp(values[left], values[right], predicate)
    forms = LinearForms(found, None, Integers())
    assert decide(op, block, forms) is DECIDED[predicate, left, right]


def test_a_guard_decides_what_it_says() -> None:
    """Under an unsigned guard, whatever the number is that it is about."""
    found = arm(OPS)
    values = named_values(found)
    inside, outside = block_of(values["inner"]), block_of(values["more"])
    assert inside is not None
    assert outside is not None
    forms = LinearForms(found, None, Integers())
    for predicate in ("ult", "slt"):
        op = arith.CmpiOp(values["any"], values["n"], predicate)
        assert decide(op, inside, forms) is True
        assert decide(op, outside, forms) is None
        known = required(Comparison.of(op), outside, forms)
        assert decide(op, outside, forms, known) is True
