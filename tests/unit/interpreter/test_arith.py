"""Every integer op of `arith` against Python's integers."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.interpreting import computed, operand
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    VectorType,
    i8,
    i16,
)
from xdsl.ir import Attribute, Operation

from vyre_dialect.runtime.interpreter.formats import Array, integer_format
from vyre_dialect.runtime.interpreter.machine import NUMPY

TYPES = [IndexType(), *(IntegerType(width) for width in (1, 5, 8, 16, 24, 32, 33, 64))]
CASTS = [(source, target) for source in TYPES for target in TYPES if source != target]


def width_of(type: Attribute) -> int:
    return integer_format(type).width


def signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def wrapped(value: int, width: int) -> int:
    return value & ((1 << width) - 1)


def held(values: list[int], type: Attribute) -> Array:
    return np.stack([integer_format(type).constant(value) for value in values])


def numbers(values: Array, type: Attribute) -> list[int]:
    """The values as unsigned Python integers, once it is clear that they are held as promised."""
    assert values.dtype == integer_format(type).dtype
    return [wrapped(int(value), width_of(type)) for value in values]


@st.composite
def typed_pairs(draw: st.DrawFn) -> tuple[Attribute, list[tuple[int, int]]]:
    type = draw(st.sampled_from(TYPES))
    width = width_of(type)
    top = 1 << (width - 1)
    edges = st.sampled_from([0, 1, top - 1, top, wrapped(top + 1, width), 2 * top - 1, width - 1])
    value = edges.map(lambda edge: wrapped(edge, width)) | st.integers(0, 2 * top - 1)
    return type, draw(st.lists(st.tuples(value, value), min_size=1, max_size=12))


Oracle = Callable[[int, int, int], int]


def quotient(round_towards: Callable[[int, int], int]) -> Oracle:
    """A signed division, 0 where it is not defined; of i1, -1 by -1 wraps around."""

    def divide(lhs: int, rhs: int, width: int) -> int:
        lhs, rhs = signed(lhs, width), signed(rhs, width)
        if rhs == 0 or (rhs == -1 and lhs == -(1 << (width - 1)) and width > 1):
            return 0
        return round_towards(lhs, rhs)

    return divide


def truncated(lhs: int, rhs: int) -> int:
    magnitude = abs(lhs) // abs(rhs)
    return magnitude if (lhs < 0) == (rhs < 0) else -magnitude


def on_signed(function: Callable[[int, int], int]) -> Oracle:
    return lambda lhs, rhs, width: function(signed(lhs, width), signed(rhs, width))


def on_unsigned(function: Callable[[int, int], int]) -> Oracle:
    return lambda lhs, rhs, _: function(lhs, rhs)


BINARY: dict[type[Operation], Oracle] = {
    arith.AddiOp: on_unsigned(lambda a, b: a + b),
    arith.SubiOp: on_unsigned(lambda a, b: a - b),
    arith.MuliOp: on_unsigned(lambda a, b: a * b),
    arith.DivUIOp: on_unsigned(lambda a, b: a // b if b else 0),
    arith.RemUIOp: on_unsigned(lambda a, b: a % b if b else 0),
    arith.CeilDivUIOp: on_unsigned(lambda a, b: -(-a // b) if b else 0),
    arith.DivSIOp: quotient(truncated),
    arith.RemSIOp: quotient(lambda a, b: a - truncated(a, b) * b),
    arith.FloorDivSIOp: quotient(lambda a, b: a // b),
    arith.CeilDivSIOp: quotient(lambda a, b: -(-a // b)),
    arith.MinUIOp: on_unsigned(min),
    arith.MaxUIOp: on_unsigned(max),
    arith.MinSIOp: on_signed(min),
    arith.MaxSIOp: on_signed(max),
    arith.AndIOp: on_unsigned(lambda a, b: a & b),
    arith.OrIOp: on_unsigned(lambda a, b: a | b),
    arith.XOrIOp: on_unsigned(lambda a, b: a ^ b),
    arith.ShLIOp: lambda a, b, width: a << b if b < width else 0,
    arith.ShRUIOp: lambda a, b, width: a >> b if b < width else 0,
    arith.ShRSIOp: lambda a, b, width: signed(a, width) >> min(b, width - 1),
}
PREDICATES: dict[str, Oracle] = {
    "eq": on_unsigned(lambda a, b: a == b),
    "ne": on_unsigned(lambda a, b: a != b),
    "slt": on_signed(lambda a, b: a < b),
    "sle": on_signed(lambda a, b: a <= b),
    "sgt": on_signed(lambda a, b: a > b),
    "sge": on_signed(lambda a, b: a >= b),
    "ult": on_unsigned(lambda a, b: a < b),
    "ule": on_unsigned(lambda a, b: a <= b),
    "ugt": on_unsigned(lambda a, b: a > b),
    "uge": on_unsigned(lambda a, b: a >= b),
}


@pytest.mark.parametrize(("width", "held_in"), [(1, 8), (5, 8), (8, 8), (9, 16), (33, 64)])
def test_both_ends_of_a_width_are_read_as_what_they_are(width: int, held_in: int):
    fmt = integer_format(IntegerType(width))
    assert fmt.container_bits == held_in
    half = 1 << (width - 1)
    ends = held([-half, half - 1], IntegerType(width))
    assert fmt.signed(ends).tolist() == [-half, half - 1]
    assert fmt.unsigned(ends).tolist() == [half, half - 1]


@pytest.mark.parametrize("op_type", BINARY, ids=lambda op: op.name)
@given(typed_pairs())
def test_binary_op(op_type: Any, case: tuple[Attribute, list[tuple[int, int]]]):
    type, pairs = case
    op = op_type(operand(type), operand(type))
    lhs, rhs = (held(list(side), type) for side in zip(*pairs, strict=True))
    result = computed(op, lhs, rhs)
    width = width_of(type)
    assert numbers(result, type) == [wrapped(BINARY[op_type](a, b, width), width) for a, b in pairs]


@pytest.mark.parametrize("op_type", BINARY, ids=lambda op: op.name)
@given(typed_pairs())
def test_an_operand_that_all_invocations_share_counts_for_each(
    op_type: Any, case: tuple[Attribute, list[tuple[int, int]]]
):
    type, pairs = case
    op = op_type(operand(type), operand(type))
    values, shared = held([a for a, _ in pairs], type), held([pairs[0][1]], type)
    broadcast = computed(op, values, shared)
    spelled_out = computed(op, values, np.repeat(shared, len(values)))
    assert numbers(broadcast, type) == numbers(spelled_out, type)


@pytest.mark.parametrize("op_type", [arith.ShLIOp, arith.ShRUIOp, arith.ShRSIOp])
@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_shifts_of_many_values_at_once(op_type: Any, width: int):
    type = IntegerType(width)
    values = np.random.default_rng(2).integers(0, 1 << width, 999, np.dtype(f"u{width // 8}"))
    for amount in (0, 1, width - 1, width, width + 1, (1 << width) - 1):
        result = computed(op_type(operand(type), operand(type)), values, held([amount], type))
        expected = [BINARY[op_type](value, amount, width) for value in values.tolist()]
        assert numbers(result, type) == [wrapped(value, width) for value in expected]


@pytest.mark.parametrize("predicate", PREDICATES)
@given(typed_pairs())
def test_comparison(predicate: str, case: tuple[Attribute, list[tuple[int, int]]]):
    type, pairs = case
    op = arith.CmpiOp(operand(type), operand(type), predicate)
    lhs, rhs = (held(list(side), type) for side in zip(*pairs, strict=True))
    result = computed(op, lhs, rhs)
    assert result.dtype == np.bool_
    expected = [PREDICATES[predicate](a, b, width_of(type)) for a, b in pairs]
    assert result.tolist() == expected


@given(typed_pairs())
def test_extended_ops(case: tuple[Attribute, list[tuple[int, int]]]):
    type, pairs = case
    width = width_of(type)
    operands = operand(type), operand(type)
    lhs, rhs = (held(list(side), type) for side in zip(*pairs, strict=True))
    low, high = computed(arith.MulUIExtendedOp(*operands), lhs, rhs)
    products = [a * b for a, b in pairs]
    assert numbers(low, type) == [wrapped(product, width) for product in products]
    assert numbers(high, type) == [product >> width for product in products]

    low, high = computed(arith.MulSIExtendedOp(*operands), lhs, rhs)
    products = [signed(a, width) * signed(b, width) for a, b in pairs]
    assert numbers(low, type) == [wrapped(product, width) for product in products]
    assert numbers(high, type) == [wrapped(product >> width, width) for product in products]

    if isinstance(type, IndexType):  # xDSL builds no such op
        return
    total, overflow = computed(arith.AddUIExtendedOp(*operands), lhs, rhs)
    assert numbers(total, type) == [wrapped(a + b, width) for a, b in pairs]
    assert overflow.tolist() == [a + b >= 1 << width for a, b in pairs]


@given(typed_pairs(), st.lists(st.booleans(), min_size=12, max_size=12))
def test_select(case: tuple[Attribute, list[tuple[int, int]]], flags: list[bool]):
    type, pairs = case
    conditions = flags[: len(pairs)]
    i1 = IntegerType(1)
    op = arith.SelectOp(operand(i1), operand(type), operand(type))
    lhs, rhs = (held(list(side), type) for side in zip(*pairs, strict=True))
    result = computed(op, np.array(conditions), lhs, rhs)
    chosen = [a if flag else b for flag, (a, b) in zip(conditions, pairs, strict=True)]
    assert numbers(result, type) == chosen


def cast_values(width: int) -> list[int]:
    top = 1 << (width - 1)
    return sorted({0, 1, top - 1, top, wrapped(top + 1, width), 2 * top - 1})


def casts(source: Attribute, target: Attribute) -> list[tuple[Any, bool]]:
    """The ops from one type to the other, and whether they fill with the sign."""
    if isinstance(source, IndexType) or isinstance(target, IndexType):
        return [(arith.IndexCastOp, True)]
    if width_of(target) < width_of(source):
        return [(arith.TruncIOp, False)]
    return [(arith.ExtSIOp, True), (arith.ExtUIOp, False)]


@pytest.mark.parametrize(("source", "target"), CASTS, ids=str)
def test_cast(source: Attribute, target: Attribute):
    before, after = width_of(source), width_of(target)
    values = cast_values(before)
    for op_type, is_signed in casts(source, target):
        result = computed(op_type(operand(source), target), held(values, source))
        expected = [signed(value, before) if is_signed else value for value in values]
        assert numbers(result, target) == [wrapped(value, after) for value in expected]


@pytest.mark.parametrize("value", [0, 1, -1, 127, -128, 200])
def test_integer_constant(value: int):
    op = arith.ConstantOp(IntegerAttr(value, i8, truncate_bits=True))
    result = computed(op)
    assert result.shape == (1,)
    assert numbers(result, i8) == [wrapped(value, 8)]


def test_index_constant_may_be_negative():
    result = computed(arith.ConstantOp(IntegerAttr(-3, IndexType())))
    assert result.dtype == np.int64 and result.tolist() == [-3]


@pytest.mark.parametrize("values", [[1, -2, 3, 4], [7, 7, 7, 7]])
def test_vector_constant_has_its_lanes(values: list[int]):
    dense = DenseIntOrFPElementsAttr.from_list(VectorType(i16, [2, 2]), values)
    result = computed(arith.ConstantOp(dense))
    assert result.shape == (1, 2, 2)
    assert [wrapped(value, 16) for value in values] == result.ravel().tolist()


def test_every_integer_op_of_arith_has_a_meaning():
    ops = [op for op in arith.Arith.operations if NUMPY.of(op) is None]
    assert [op.name for op in ops] == []
