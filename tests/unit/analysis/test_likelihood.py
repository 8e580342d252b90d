"""How likely conditions on data are taken to hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import pytest
from xdsl.dialects.builtin import IndexType, VectorType, i8, i32, i64

from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.likelihood import EVEN, RARE, Likelihoods
from vyre_dialect.builder import Buffer, Value, constant, program
from vyre_dialect.ops.lanes import CompareLanesOp, Conversion, ConvertLanesOp, Predicate
from vyre_dialect.passes.rewriting.reductions import bits_of

LANES = VectorType(i8, [16])
Condition: TypeAlias = Callable[[Buffer, Value], Value]
CASES: Sequence[tuple[Condition, float]] = [
    (lambda data, i: data[i].eq(7), RARE),
    (lambda data, i: data[i].ne(7), 1 - RARE),
    (lambda data, i: data[i] < 7, EVEN),
    (lambda data, i: data[i] < data[i + 1], EVEN),
    (lambda data, i: (data[i] & 255) < 4, 4 / 256),
    (lambda data, i: (data[i] & 255) <= 4, 5 / 256),
    (lambda data, i: (data[i] & 255) > 4, 251 / 256),
    (lambda data, i: (data[i] & 255) >= 4, 252 / 256),
    (lambda data, i: (data[i] & 255) >= 300, 0),
    (lambda data, i: (data[i] & 255) < 300, 1),
    (lambda data, i: (data[i] & 3).eq(2), 1 / 4),
    (lambda data, i: (data[i] & 3).ne(2), 3 / 4),
    (lambda data, i: (data[i] & 3).eq(9), 0),
    (lambda data, i: ((data[i] & 255) < 64) & ((data[i + 1] & 255) < 64), 1 / 16),
    (lambda data, i: ((data[i] & 255) < 64) | ((data[i + 1] & 255) < 64), 7 / 16),
    (lambda data, i: ~((data[i] & 255) < 64), 3 / 4),
    (lambda data, i: ((data[i] & 255) < 64).to(i32).ne(0), 1 / 4),
    (lambda data, i: ((data[i] & 255) < 64).to(i32).eq(0), 3 / 4),
    (lambda data, i: data[i].ne(0), 1 - RARE),
]


def likelihood(condition: Condition) -> float:
    """Of what `condition` makes of a buffer of words and a place in it."""
    with program("likely", workgroup_size=[64]) as p:
        data, out = p.buffer("data", i32, 64), p.buffer("out", i32, 64, live_out=True)
        with p.arm("arm", 64) as i:
            built = condition(data, i)
            out[i] = built.to(i32)
            return Likelihoods(Integers()).of(built.ssa)


@pytest.mark.parametrize(("condition", "expected"), CASES)
def test_what_is_guessed(condition: Condition, expected: float):
    assert likelihood(condition) == pytest.approx(expected)


def test_a_lane_is_as_likely_as_any():
    def condition(data: Buffer, i: Value) -> Value:
        loaded = data.load(i, VectorType(i32, [4]))
        masked, limit = loaded & constant(255, i32).broadcast(4), constant(64, i32).broadcast(4)
        compared = CompareLanesOp(Predicate.ULT, masked.ssa, limit.ssa)
        return Value(compared.result).lane(2)

    assert likelihood(condition) == pytest.approx(1 / 4)


@pytest.mark.parametrize(("predicate", "of_one"), [("eq", RARE), ("ult", EVEN)])
def test_any_lane_that_holds_is_enough(predicate: str, of_one: float):
    def condition(data: Buffer, i: Value) -> Value:
        loaded = data.load(i, LANES)
        compared = CompareLanesOp(Predicate(predicate), loaded.ssa, loaded.ssa)
        widened = ConvertLanesOp(Conversion.EXTUI, compared.result, LANES)
        return Value(widened.result).bitcast(VectorType(i64, [2])).lane(0).ne(0)

    assert likelihood(condition) == pytest.approx(1 - (1 - of_one) ** 16)


@pytest.mark.parametrize(
    ("taken", "expected"),
    [(None, 8 / (1 - 0.5**16)), (1.0, 16), (0.25, 4 / (1 - 0.75**16)), (0, 0)],
)
def test_lanes_that_hold_are_counted_where_one_does(taken: float | None, expected: float):
    with program("counted", workgroup_size=[64]) as p:
        data, out = p.buffer("data", i8, 64), p.buffer("out", i8, 64, live_out=True)
        with p.arm("arm", 64) as i:
            loaded = data.load(i, LANES)
            mask = CompareLanesOp(Predicate.ULT, loaded.ssa, loaded.ssa).result
            count = bits_of(mask).ctpop().to(IndexType())
            out[i] = count.to(i8)
            likelihoods = Likelihoods(Integers())
            assert likelihoods.set_bits(count.ssa, taken) == pytest.approx(expected)
            assert likelihoods.set_bits(i.ssa) is None
