"""Floats are rounded as IEEE 754 says; oracles are exact fractions."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.functions import FUNCTIONS
from support.interpreting import computed, operand
from xdsl.dialects import arith
from xdsl.dialects import math as math_dialect
from xdsl.dialects.builtin import (
    AnyFloat,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation

from vyre_dialect.runtime.interpreter.formats import dtype_of, integer_format
from vyre_dialect.runtime.interpreter.machine import NUMPY

FLOATS = [Float16Type(), Float32Type(), Float64Type()]
WIDTHS = {16: Float16Type(), 32: Float32Type(), 64: Float64Type()}


def nearest(exact: Fraction, dtype: np.dtype[Any]) -> Any:
    """The float nearest to `exact`, ties to even; found by looking around an approximation."""
    guess = dtype.type(float(exact))
    with np.errstate(over="ignore"):
        around = [guess, *(np.nextafter(guess, dtype.type(end)) for end in (-np.inf, np.inf))]
    finite = [value for value in around if np.isfinite(value)]
    bits = np.dtype(f"u{dtype.itemsize}")
    return min(
        finite,
        key=lambda value: (abs(Fraction(float(value)) - exact), int(value.view(bits)) & 1),
    )


def in_range(exact: Fraction, dtype: np.dtype[Any]) -> bool:
    return abs(exact) <= Fraction(float(np.finfo(dtype).max))


@st.composite
def triples(draw: st.DrawFn) -> tuple[Attribute, list[float]]:
    width = draw(st.sampled_from([16, 32, 64]))
    value = st.floats(width=width, allow_nan=False, allow_infinity=False)  # pyright: ignore[reportArgumentType]
    return WIDTHS[width], draw(st.lists(value, min_size=3, max_size=3))


EXACT: dict[Any, Callable[[Fraction, Fraction], Fraction | None]] = {
    arith.AddfOp: lambda a, b: a + b,
    arith.SubfOp: lambda a, b: a - b,
    arith.MulfOp: lambda a, b: a * b,
    arith.DivfOp: lambda a, b: a / b if b else None,
}


@pytest.mark.parametrize("op_type", EXACT, ids=lambda op: op.name)
@given(triples())
def test_binary_op_is_rounded_to_nearest(op_type: Any, case: tuple[Attribute, list[float]]):
    type, (a, b, _) = case
    exact = EXACT[op_type](Fraction(a), Fraction(b))
    if exact is None or not in_range(exact, dtype := dtype_of(type)):
        return
    op = op_type(operand(type), operand(type))
    result = computed(op, np.array([a], dtype), np.array([b], dtype))
    assert result.dtype == dtype
    assert result[0] == nearest(exact, dtype)


@given(triples())
def test_fma_is_rounded_once(case: tuple[Attribute, list[float]]):
    type, values = case
    a, b, c = map(Fraction, values)
    dtype = dtype_of(type)
    if not in_range(exact := a * b + c, dtype):
        return
    op = math_dialect.FmaOp(*(operand(type) for _ in range(3)))
    result = computed(op, *(np.array([value], dtype) for value in values))
    assert result[0] == nearest(exact, dtype)


@pytest.mark.parametrize("tiny", [2.0**-60, -(2.0**-60), -(2.0**-52) * (1 - 2.0**-8), 0.0])
def test_fma_next_to_a_tie_is_rounded_once(tiny: float):
    # 1549 * 10831 = 2**24 + 3, which lies half way between two floats of 24 bits.
    values = [1549.0, 10831 / 2**24, tiny]
    op = math_dialect.FmaOp(*(operand(Float32Type()) for _ in range(3)))
    result = computed(op, *(np.array([value], np.float32) for value in values))
    a, b, c = map(Fraction, values)
    assert result[0] == nearest(a * b + c, np.dtype(np.float32))


def test_fma_differs_from_a_product_and_a_sum():
    step = np.float32(2.0**-12)
    a, c = np.float32(1) + step, -(np.float32(1) + 2 * step)
    op = math_dialect.FmaOp(*(operand(Float32Type()) for _ in range(3)))
    assert computed(op, *(np.array([v]) for v in (a, a, c)))[0] == step * step
    assert a * a + c == 0


@pytest.mark.parametrize("type", FLOATS, ids=str)
def test_maximum_and_minimum_know_nan_and_the_sign_of_zero(type: Attribute):
    operands = operand(type), operand(type)
    nan, dtype = math.nan, dtype_of(type)
    lhs = np.array([0.0, -0.0, 1, nan, 2, -0.0], dtype)
    rhs = np.array([-0.0, 0.0, nan, 1, 3, -0.0], dtype)

    def texts(op: Operation) -> list[str]:
        return [str(abs(v) if v != v else v) for v in computed(op, lhs, rhs).tolist()]

    assert texts(arith.MaximumfOp(*operands)) == ["0.0", "0.0", "nan", "nan", "3.0", "-0.0"]
    assert texts(arith.MinimumfOp(*operands)) == ["-0.0", "-0.0", "nan", "nan", "2.0", "-0.0"]
    assert texts(arith.MaxnumfOp(*operands))[2:5] == ["1.0", "1.0", "3.0"]
    assert texts(arith.MinnumfOp(*operands))[2:5] == ["1.0", "1.0", "2.0"]


COMPARED = [(1.0, 2.0), (2.0, 1.0), (1.0, 1.0), (math.nan, 1.0), (1.0, math.nan)]
ORDERED = {"eq": [2], "gt": [1], "ge": [1, 2], "lt": [0], "le": [0, 2], "ne": [0, 1]}
PREDICATES: dict[str, list[int]] = (
    {"false": [], "true": [0, 1, 2, 3, 4], "ord": [0, 1, 2], "uno": [3, 4]}
    | {f"o{name}": holds for name, holds in ORDERED.items()}
    | {f"u{name}": [*holds, 3, 4] for name, holds in ORDERED.items()}
)


@pytest.mark.parametrize("predicate", PREDICATES)
def test_comparison(predicate: str):
    op = arith.CmpfOp(operand(Float32Type()), operand(Float32Type()), predicate)
    lhs, rhs = (np.array(side, np.float32) for side in zip(*COMPARED, strict=True))
    assert np.flatnonzero(computed(op, lhs, rhs)).tolist() == PREDICATES[predicate]


@pytest.mark.parametrize("type", FLOATS, ids=str)
@given(st.integers(0, 2**64 - 1))
def test_integers_are_converted_to_the_nearest_float(type: AnyFloat, value: int):
    dtype = dtype_of(type)
    held = np.array([value], np.uint64)
    for op, exact in (
        (arith.UIToFPOp(operand(i64), type), value),
        (arith.SIToFPOp(operand(i64), type), value - (value >> 63 << 64)),
    ):
        if in_range(Fraction(exact), dtype):
            assert computed(op, held)[0] == nearest(Fraction(exact), dtype)


@pytest.mark.parametrize("width", [8, 16, 32, 64])
@pytest.mark.parametrize("type", FLOATS, ids=str)
@given(value=st.floats())
def test_floats_are_converted_towards_zero_and_saturate(type: Attribute, width: int, value: float):
    target, dtype = IntegerType(width), dtype_of(type)
    with np.errstate(all="ignore"):
        held = np.array([value]).astype(dtype)
    for op_type, low, high in (
        (arith.FPToUIOp, 0, 2**width - 1),
        (arith.FPToSIOp, -(2 ** (width - 1)), 2 ** (width - 1) - 1),
    ):
        result = int(computed(op_type(operand(type), target), held)[0])
        assert result == saturated(float(held[0]), low, high) % 2**width


def saturated(value: float, low: int, high: int) -> int:
    if math.isnan(value):
        return 0
    if math.isinf(value):
        return high if value > 0 else low
    return min(max(math.trunc(value), low), high)


def test_bitcasts_keep_the_bits():
    held = np.array([1.5, -0.0], np.float32)
    bits = computed(arith.BitcastOp(operand(Float32Type()), i32), held)
    assert bits.tolist() == [0x3FC00000, 0x80000000]
    back = computed(arith.BitcastOp(operand(i32), Float32Type()), bits)
    assert back.tobytes() == held.tobytes()


BITS: dict[Any, Callable[[int, int], int]] = {
    math_dialect.CtPopOp: lambda value, _: value.bit_count(),
    math_dialect.CountLeadingZerosOp: lambda value, width: width - value.bit_length(),
    math_dialect.CountTrailingZerosOp: lambda value, width: (
        (value & -value).bit_length() - 1 if value else width
    ),
    math_dialect.AbsIOp: lambda value, width: min(value, 2**width - value),
}


@pytest.mark.parametrize("op_type", BITS, ids=lambda op: op.name)
@pytest.mark.parametrize("width", [5, 8, 16, 32, 33, 64])
@given(data=st.data())
def test_bit_counts(op_type: Any, width: int, data: st.DataObject):
    value = data.draw(st.integers(0, 2**width - 1) | st.sampled_from([0, 1, 2 ** (width - 1)]))
    type = IntegerType(width)
    result = computed(op_type(operand(type)), integer_format(type).constant(value)[None])
    assert int(result[0]) == BITS[op_type](value, width)


@given(st.integers(-(2**31), 2**31 - 1), st.integers(-4, 70))
def test_integer_power(base: int, exponent: int):
    op = math_dialect.IPowIOp(operand(i32), operand(i32))
    held = [integer_format(i32).constant(value)[None] for value in (base, exponent)]
    if exponent >= 0:
        expected = base**exponent
    else:
        expected = {1: 1, -1: -1 if exponent % 2 else 1}.get(base, 0)
    assert int(computed(op, *held)[0]) == expected % 2**32


def test_rounding_ops():
    values = np.array([0.5, 1.5, -0.5, -2.5, 0.49999999999999994, 7])
    of_double = operand(Float64Type())
    assert computed(math_dialect.RoundOp(of_double), values).tolist() == [1, 2, -1, -3, 0, 7]
    assert computed(math_dialect.RoundEvenOp(of_double), values).tolist() == [0, 2, 0, -2, 0, 7]
    assert computed(math_dialect.FloorOp(of_double), values).tolist() == [0, 1, -1, -3, 0, 7]
    assert computed(math_dialect.TruncOp(of_double), values).tolist() == [0, 1, 0, -2, 0, 7]


@pytest.mark.parametrize("op_type", FUNCTIONS, ids=lambda op: op.name)
def test_functions_are_those_of_the_name(op_type: Any):
    values = [0.125, 0.5, 0.75]
    expected = [FUNCTIONS[op_type](value) for value in values]
    got = computed(op_type(operand(Float64Type())), np.array(values))
    assert got.tolist() == pytest.approx(expected, rel=1e-12)


def test_functions_beyond_one_and_of_two_numbers_are_those_of_the_name():
    first, second = np.array([1.25, 3.0]), np.array([2.5, -0.5])
    one, other = operand(Float64Type()), operand(Float64Type())
    assert computed(math_dialect.AcoshOp(one), first).tolist() == pytest.approx(
        [math.acosh(1.25), math.acosh(3.0)], rel=1e-12
    )
    assert computed(math_dialect.Atan2Op(one, other), first, second).tolist() == pytest.approx(
        [math.atan2(1.25, 2.5), math.atan2(3.0, -0.5)], rel=1e-12
    )
    assert computed(math_dialect.PowFOp(one, other), first, second).tolist() == pytest.approx(
        [1.25**2.5, 3.0**-0.5], rel=1e-12
    )


def test_every_op_of_math_has_a_meaning():
    missing = [op.name for op in math_dialect.Math.operations if NUMPY.of(op) is None]
    assert missing == []
