"""Powers of two that divide values."""

from __future__ import annotations

from random import Random

import pytest
from support.arms import arm, block_of, named_values
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import SSAValue

from vyre_dialect.analysis.divisors import OF_ZERO
from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.value_ranges import Range


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("%x = arith.muli %i, %c4 : index", 4),
        ("%x = arith.shli %i, %c4 : index", 16),
        ("%m = arith.muli %i, %c4 : index  %x = arith.addi %m, %c10 : index", 2),
        ("%m = arith.muli %i, %c4 : index  %x = arith.muli %m, %c10 : index", 8),
        ("%m = arith.muli %i, %c4 : index  %x = arith.remui %m, %c10 : index", 2),
        ("%m = arith.muli %i, %c100 : index  %x = arith.floordivsi %m, %c4 : index", 1),
        ("%m = arith.shli %i, %c4 : index  %x = arith.floordivsi %m, %c4 : index", 4),
        ("%m = arith.shli %i, %c4 : index  %x = arith.shrsi %m, %c1 : index", 8),
        ("%x = arith.andi %i, %c100 : index", 4),
        ("%x = arith.subi %c0, %c0 : index", OF_ZERO),
        ("%x = vyre.buf_len %fixed : !vyre.buffer<48xi8, read_write>", 16),
        ("%x = vyre.load %fixed[%c0] : !vyre.buffer<48xi8, read_write> -> i8", 1),
        ("%t = arith.cmpi eq, %i, %c4 : index  %x = arith.select %t, %c4, %c100 : index", 4),
    ],
)
def test_results_of_ops(op: str, expected: int):
    assert Integers().divisor_at(named_values(arm(op))["x"], None) == expected


STRUCTURED = """
    %low = arith.cmpi slt, %any, %c10 : index
    %chosen = scf.if %low -> (index) {
      scf.yield %c4 : index
    } else {
      scf.yield %c100 : index
    }
    %a, %b = scf.for %k = %c0 to %any step %c4 iter_args(%p = %c0, %q = %c0) -> (index, index) {
      %p2 = arith.addi %p, %k : index
      %q2 = arith.addi %q, %p : index
      %q3 = arith.addi %q2, %c10 : index
      scf.yield %p2, %q3 : index, index
    }
    %w = scf.while (%x = %c0) : (index) -> (index) {
      scf.condition(%low) %x : index
    } do {
    ^bb0(%y : index):
      %z = arith.addi %y, %c100 : index
      scf.yield %z : index
    }
"""
EXPECTED = {"chosen": 4, "k": 4, "p": 4, "a": 4, "q": 2, "b": 2, "x": 4, "w": 4, "y": 4}


def test_what_loops_carry_in_any_order_of_questions():
    values, names = named_values(arm(STRUCTURED)), list(EXPECTED)
    for seed in range(10):
        Random(seed).shuffle(names)
        integers = Integers()
        assert {name: integers.divisor_at(values[name], None) for name in names} == EXPECTED


@pytest.mark.slow
def test_a_long_chain_keeps_its_proof():
    four = arith.ConstantOp(IntegerAttr(4, IndexType())).result
    value: SSAValue = four
    for _ in range(20_000):
        value = arith.AddiOp(value, four).result
    assert Integers().divisor_at(value, None) == 4


GUARDED = """
    %p = scf.for %k = %c0 to %any step %c1 iter_args(%before = %c0) -> (index) {
      %is_ten = arith.cmpi eq, %k, %c10 : index
      scf.if %is_ten {
        %here = arith.addi %k, %c0 : index
        %last = arith.addi %before, %c0 : index
      }
      scf.yield %k : index
    }
"""


def test_a_guard_says_nothing_of_the_iteration_before():
    """Under it, the counter is 10, and what was carried is 9."""
    values, integers = named_values(arm(GUARDED)), Integers()
    block = block_of(values["last"])
    assert integers.range_at(values["k"], block) == Range(10, 10)
    assert integers.divisor_at(values["here"], block) == 2
    assert integers.divisor_at(values["before"], block) == 1
    assert integers.divisor_at(values["last"], block) == 1


def test_a_range_ends_with_multiples():
    ops = """
      %low = arith.remui %any, %c10 : index
      %more = arith.addi %low, %c1 : index
      %x = arith.muli %more, %c4 : index
      %most = arith.minsi %x, %c10 : index
      %y = arith.maxsi %most, %c4 : index
      %z = arith.andi %i, %c10 : index
    """
    values, integers = named_values(arm(ops)), Integers()
    found = [integers.range_at(values[name], None) for name in "xyz"]
    assert found == [Range(4, 40), Range(4, 10), Range(0, 10)]
    aligned = named_values(arm("%m = arith.muli %i, %c4 : index %x = arith.remui %m, %c10 : index"))
    assert integers.range_at(aligned["x"], None) == Range(0, 8)


def test_one_number_says_what_divides_it():
    """A sum of constants, of which each alone is odd."""
    values = named_values(arm("%o = arith.subi %c10, %c1 : index  %x = arith.addi %o, %c1 : index"))
    assert Integers().divisor_at(values["x"], None) == 2
    three = named_values(arm("%a = arith.subi %c4, %c1 : index  %x = arith.addi %a, %c1 : index"))
    assert Integers().divisor_at(three["x"], None) == 4
