"""Powers of two that divide values."""

from __future__ import annotations

from random import Random

import pytest
from support.arms import arm, named_values
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import SSAValue

from vyre_dialect.analysis.alignment import OF_ZERO, Divisors


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
    assert Divisors().of(named_values(arm(op))["x"]) == expected


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
        divisors = Divisors()
        assert {name: divisors.of(values[name]) for name in names} == EXPECTED


def test_a_long_chain_keeps_its_proof():
    four = arith.ConstantOp(IntegerAttr(4, IndexType())).result
    value: SSAValue = four
    for _ in range(20_000):
        value = arith.AddiOp(value, four).result
    assert Divisors().of(value) == 4
