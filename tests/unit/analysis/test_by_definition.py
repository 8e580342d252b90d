"""What follows from the definition of an op holds of everything that it computes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.foreign_ops import MixOp
from xdsl.dialects.builtin import i32
from xdsl.utils.test_value import create_ssa_value

from vyre_dialect.analysis.divisors import DIVISOR, power_of_two_divisor
from vyre_dialect.analysis.value_ranges import RANGE, Range, full_range
from vyre_dialect.builder import Value
from vyre_dialect.ir import meaning
from vyre_dialect.ir.meaning import Meaning, Meanings, Registry
from vyre_dialect.runtime.interpreter.machine import NUMPY

OPERATORS = ("+", "-", "*", "&", "|", "^", "<<", ">>", "//", "%", "min", "max")
LEAVES = ("lhs", "rhs")


@st.composite
def texts(draw: st.DrawFn, depth: int = 3) -> str:
    """An expression of two values and of numbers, with an operator at least."""
    parts = list[str]()
    for _ in range(2):
        if depth > 1 and draw(st.booleans()):
            parts.append(draw(texts(depth - 1)))
        else:
            parts.append(draw(st.sampled_from(LEAVES)))
    operator = draw(st.sampled_from(OPERATORS))
    if draw(st.booleans()):
        parts[1] = str(draw(st.sampled_from((1, 2, 3, 8, 12, 31, 255))))
    if operator in ("min", "max"):
        return f"{parts[0]}.{operator}({parts[1]})"
    return f"({parts[0]} {operator} {parts[1]})"


@pytest.fixture(autouse=True, scope="module")
def described() -> Iterator[list[str]]:
    """What `acme.mix` is defined as, which each example says anew."""
    definition = ["lhs"]
    ops = Meanings()

    @ops.describe(MixOp)
    class Mix(Meaning):  # pyright: ignore[reportUnusedClass]
        def definition(self, op: MixOp, lhs: Value, rhs: Value) -> Value:
            return eval(definition[0], {}, {"lhs": lhs, "rhs": rhs})

    before = meaning.OPS
    meaning.OPS = Registry(before._own)
    meaning.OPS.register(ops)
    yield definition
    meaning.OPS = before


def bounds() -> st.SearchStrategy[tuple[int, int]]:
    """The least and the largest number of a value: small ones, or any."""
    number = st.integers(0, 40) | st.integers(0, 2**32 - 1)
    return st.tuples(number, number).map(lambda ends: (min(ends), max(ends)))


@example("((lhs + rhs) >> 1)", (2**32 - 1, 2**32 - 1), (1, 1), 1, 1)  # a sum that wraps around
@given(texts(), bounds(), bounds(), st.sampled_from((1, 2, 8)), st.sampled_from((1, 4, 64)))
def test_facts_hold_of_what_is_computed(
    described: list[str],
    text: str,
    left: tuple[int, int],
    right: tuple[int, int],
    step: int,
    other: int,
) -> None:
    described[0] = text
    op = MixOp(create_ssa_value(i32), create_ssa_value(i32))
    numpy, range_, divisor = NUMPY.of(MixOp), RANGE.of(MixOp), DIVISOR.of(MixOp)
    assert numpy is not None and range_ is not None and divisor is not None
    lhs, rhs = _numbers(left, step), _numbers(right, other)
    with np.errstate(all="ignore"):
        pairs = np.array([(a, b) for a in lhs for b in rhs], np.uint32)
        results: list[int] = numpy(op)(pairs[:, 0], pairs[:, 1]).tolist()
    exact = range_(op, [Range(min(each), max(each)) for each in (lhs, rhs)])
    known = exact if exact.within(full_range(i32)) else full_range(i32)
    divides = divisor(op, [step, other])
    assert all(known.low <= result <= known.high for result in results)
    assert all(power_of_two_divisor(result) >= min(divides, 2**32) for result in results)


def _numbers(bounds: tuple[int, int], step: int) -> list[int]:
    """Some multiples of a step, about from the one number to the other."""
    low, high = (number // step * step for number in bounds)
    return sorted({low, high, (low + high) // 2 // step * step, min(low + step, high)})
