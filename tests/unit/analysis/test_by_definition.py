"""What follows from the definition of an op holds of everything that it computes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.foreign_ops import MixOp
from support.generated.definitions import mix_defined, texts
from xdsl.dialects.builtin import i32
from xdsl.utils.test_value import create_ssa_value

from vyre_dialect.analysis.divisors import DIVISOR, power_of_two_divisor
from vyre_dialect.analysis.value_ranges import (
    RANGE,
    SIGNED_RANGE,
    Range,
    RangeTransfer,
    full_range,
    full_signed_range,
)
from vyre_dialect.ir.meaning import Facet
from vyre_dialect.runtime.interpreter.machine import NUMPY


@pytest.fixture(autouse=True, scope="module")
def described() -> Iterator[list[str]]:
    """What `acme.mix` is defined as, which each example says anew."""
    with mix_defined() as definition:
        yield definition


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
    numpy, divisor = NUMPY.of(MixOp), DIVISOR.of(MixOp)
    assert numpy is not None and divisor is not None
    lhs, rhs = _numbers(left, step), _numbers(right, other)
    with np.errstate(all="ignore"):
        pairs = np.array([(a, b) for a in lhs for b in rhs], np.uint32)
        results: list[int] = numpy(op)(pairs[:, 0], pairs[:, 1]).tolist()
    divides = divisor(op, [step, other])
    require_within(RANGE, op, [lhs, rhs], results, full_range(i32))
    signed = [list(map(as_signed, numbers)) for numbers in (lhs, rhs, results)]
    require_within(SIGNED_RANGE, op, signed[:2], signed[2], full_signed_range(i32))
    assert all(power_of_two_divisor(result) >= min(divides, 2**32) for result in results)


def require_within(
    facet: Facet[RangeTransfer],
    op: MixOp,
    operands: Sequence[Sequence[int]],
    results: Sequence[int],
    full: Range,
) -> None:
    """The results are in the range that follows from those of the operands."""
    transfer = facet.of(MixOp)
    assert transfer is not None
    exact = transfer(op, [Range(min(each), max(each)) for each in operands])
    known = exact if exact.within(full) else full
    assert all(known.low <= result <= known.high for result in results)


def as_signed(number: int) -> int:
    """A number of 32 bits read as a signed one."""
    return number - 2**32 if number >= 2**31 else number


def _numbers(bounds: tuple[int, int], step: int) -> list[int]:
    """Some multiples of a step, about from the one number to the other."""
    low, high = (number // step * step for number in bounds)
    return sorted({low, high, (low + high) // 2 // step * step, min(low + step, high)})
