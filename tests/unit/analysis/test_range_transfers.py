"""What follows about ranges holds of all numbers in them, however these are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, f32, i1, i8
from xdsl.ir import Attribute, Operation
from xdsl.utils.test_value import create_ssa_value

from vyre_dialect.analysis.value_ranges import (
    RANGE,
    SIGNED_RANGE,
    UNKNOWN,
    Range,
    full_range,
    full_signed_range,
    read_as_signed,
)
from vyre_dialect.meanings import functions, integers
from vyre_dialect.runtime.interpreter.formats import integer_format
from vyre_dialect.runtime.interpreter.machine import NUMPY

FACETS = {"range": (RANGE, full_range), "signed_range": (SIGNED_RANGE, full_signed_range)}
WIDTHS = (1, 2, 3)
"""So few bits that all ranges are tried."""
index = IndexType()


BINARY = (
    *(arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.AndIOp, arith.OrIOp, arith.XOrIOp),
    *(arith.DivUIOp, arith.DivSIOp, arith.FloorDivSIOp, arith.CeilDivUIOp, arith.CeilDivSIOp),
    *(arith.RemUIOp, arith.RemSIOp, arith.ShLIOp, arith.ShRUIOp, arith.ShRSIOp),
    *(arith.MinUIOp, arith.MaxUIOp, arith.MinSIOp, arith.MaxSIOp),
)
UNARY = (math.AbsIOp, math.CtPopOp, math.CountLeadingZerosOp, math.CountTrailingZerosOp)


def applied(op: Callable[..., Operation], *types: Attribute) -> Operation:
    """An op, of values of some types."""
    return op(*map(create_ssa_value, types))


def arithmetic(type: Attribute) -> Mapping[str, Operation]:
    """Ops of two integers of a type, and choices of one, by name."""
    ops = [*(applied(each, type, type) for each in BINARY), applied(arith.SelectOp, i1, type, type)]
    return {op.name: op for op in ops}


def functions_of(bits: int) -> Mapping[str, Operation]:
    """Ops of integers of so many bits, and conversions from and to a few more, by name."""
    type, wide = IntegerType(bits), IntegerType(bits + 2)
    ops = [
        *(applied(each, type) for each in UNARY),
        *(each(create_ssa_value(type), wide) for each in (arith.ExtUIOp, arith.ExtSIOp)),
        arith.TruncIOp(create_ssa_value(wide), type),
        arith.IndexCastOp(create_ssa_value(type), index),
    ]
    return {**arithmetic(type), **{op.name: op for op in ops}}


def results_of(op: Operation, operands: Sequence[Sequence[int]], facet: str) -> NDArray[Any]:
    """What an op computes of each number with each, read as a facet has it: an axis per operand."""
    computation = NUMPY.of(type(op))
    assert computation is not None
    rows = zip(*product(*operands), strict=True)
    arrays = list(map(array_of, rows, op.operand_types))
    with np.errstate(all="ignore"):
        results: Any = computation(op)(*arrays)
    made = integer_format(op.results[0].type)
    read = made.signed if facet == "signed_range" or made.is_index else made.unsigned
    return read(results).reshape([len(numbers) for numbers in operands])


def array_of(numbers: Iterable[int], type: Attribute) -> NDArray[Any]:
    """Numbers, however they are read, as the interpreter holds them."""
    made = integer_format(type)
    bits = np.array([number & made.mask for number in numbers], np.uint64)
    return made.pack(bits.astype(made.unsigned_dtype))


def known_of(op: Operation, operands: Sequence[Range], facet: str) -> Range:
    """What a facet says of the result of an op, which wraps around."""
    asked, full_of = FACETS[facet]
    transfer, full = asked.of(type(op)), full_of(op.results[0].type)
    assert transfer is not None
    exact = transfer(op, operands)
    return exact if exact.within(full) else full


@pytest.mark.parametrize("facet", FACETS)
@pytest.mark.parametrize("name", functions_of(1))
def test_all_results_of_few_bits_are_in_the_range(name: str, facet: str) -> None:
    for bits in WIDTHS:
        op = functions_of(bits)[name]
        if FACETS[facet][0].of(type(op)) is None:
            continue
        full = [FACETS[facet][1](each) for each in op.operand_types]
        results = results_of(op, [range(each.low, each.high + 1) for each in full], facet)
        for operands in product(*map(ranges_within, full)):
            places = zip(operands, full, strict=True)
            part = results[tuple(slice(r.low - f.low, r.high - f.low + 1) for r, f in places)]
            known = known_of(op, operands, facet)
            assert known.low <= part.min() and part.max() <= known.high, operands


def ranges_within(full: Range) -> list[Range]:
    """Every range of some numbers."""
    numbers = range(full.low, full.high + 1)
    return [Range(low, high) for low, high in combinations_with_replacement(numbers, 2)]


@pytest.mark.parametrize("facet", FACETS)
@given(st.data())
def test_results_of_many_bits_are_in_the_range(facet: str, data: st.DataObject) -> None:
    type_ = data.draw(st.sampled_from([index, *map(IntegerType, (4, 7, 8, 16, 32, 64))]))
    op = data.draw(st.sampled_from([*arithmetic(type_).values()]))
    full = [FACETS[facet][1](each) for each in op.operand_types]
    operands = [sorted(data.draw(st.lists(numbers_in(each), min_size=1))) for each in full]
    known = known_of(op, [Range(each[0], each[-1]) for each in operands], facet)
    results = results_of(op, operands, facet)
    assert known.low <= results.min() and results.max() <= known.high


def numbers_in(full: Range) -> st.SearchStrategy[int]:
    """Numbers of a type: any, small ones and those at its ends."""
    near = st.integers(max(full.low, -9), min(full.high, 9))
    ends = st.sampled_from([full.low, full.high, (full.low + full.high) // 2])
    return near | ends | st.integers(full.low, full.high)


def test_every_op_that_states_a_signed_range_is_tried() -> None:
    rows = integers.OPS.by_op | functions.OPS.by_op
    stated = {op.name for op, described in rows.items() if described.states("signed_range")}
    assert stated == {*functions_of(8), arith.ConstantOp.name}


@pytest.mark.parametrize(("number", "bits"), [(-1, 8), (127, 8), (200, 8), (1, 1), (-1, 1)])
def test_a_constant_is_read_as_a_signed_number(number: int, bits: int) -> None:
    type = IntegerType(bits)
    op = arith.ConstantOp(IntegerAttr(number, type, truncate_bits=True))
    (expected,) = results_of(op, [], "signed_range").reshape(-1)
    assert known_of(op, [], "signed_range") == Range(expected, expected)


@pytest.mark.parametrize(
    ("known", "signed"),
    [
        (Range(3, 127), Range(3, 127)),
        (Range(128, 255), Range(-128, -1)),
        (Range(127, 128), None),
        (UNKNOWN, None),
    ],
)
def test_a_range_is_read_as_one_of_signed_numbers(known: Range, signed: Range | None) -> None:
    assert read_as_signed(known, i8) == signed
    assert read_as_signed(known, f32) == UNKNOWN


NEGATIVE, SMALL, ANY = Range(-7, -2), Range(0, 5), Range(-128, 127)


@pytest.mark.parametrize(
    ("op", "operands", "expected"),
    [
        (arith.DivSIOp, (ANY, Range(3, 4)), Range(-42, 42)),
        (arith.RemSIOp, (NEGATIVE, Range(3, 4)), Range(-3, 3)),
        (arith.ShRSIOp, (ANY, Range(2, 3)), Range(-32, 31)),
        (arith.AndIOp, (ANY, SMALL), Range(0, 5)),
        (arith.AndIOp, (NEGATIVE, ANY), Range(-128, 127)),
        (arith.OrIOp, (NEGATIVE, SMALL), Range(-7, -1)),
        (arith.OrIOp, (SMALL, SMALL), Range(0, 7)),
        (arith.XOrIOp, (NEGATIVE, NEGATIVE), Range(0, 7)),
        (arith.XOrIOp, (NEGATIVE, SMALL), Range(-8, 7)),
        (arith.MinSIOp, (ANY, SMALL), Range(-128, 5)),
        (arith.DivUIOp, (SMALL, Range(2, 2)), Range(0, 2)),
    ],
)
def test_signed_numbers_are_followed(
    op: type[Operation], operands: Sequence[Range], expected: Range
) -> None:
    assert known_of(applied(op, i8, i8), operands, "signed_range") == expected
