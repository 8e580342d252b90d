"""Ops on the lanes of vectors say of each lane what `arith` says of a scalar."""

from __future__ import annotations

import numpy as np
import pytest
from support.interpreting import Array, computed, operand
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, VectorType, i1, i8, i32
from xdsl.ir import Operation

from vyre_dialect.ops.lanes import (
    CompareLanesOp,
    Conversion,
    ConvertLanesOp,
    LookUpLanesOp,
    Predicate,
    SelectLanesOp,
)

NUMBERS = np.array([0, 1, 2, 127, 128, 129, 254, 255], np.uint8)
ROWS = np.stack([NUMBERS, NUMBERS[::-1]])
BYTES, BITS = VectorType(i8, [8]), VectorType(i1, [8])
MASK = np.array([[True, False] * 4, [False] * 8])


def vector(type: IntegerType) -> VectorType:
    return VectorType(type, [8])


@pytest.mark.parametrize("predicate", Predicate)
def test_lanes_are_compared_as_scalars_are(predicate: Predicate):
    other = np.full((1, 8), 127, np.uint8)
    found = computed(CompareLanesOp(predicate, operand(BYTES), operand(BYTES)), ROWS, other)
    for row, lanes in zip(ROWS, found, strict=True):
        scalar = arith.CmpiOp(operand(i8), operand(i8), str(predicate))
        assert lanes.tolist() == computed(scalar, row, np.full(8, 127, np.uint8)).tolist()


def test_lanes_are_chosen_by_a_mask_of_each_invocation():
    op = SelectLanesOp(operand(BITS), operand(BYTES), operand(BYTES))
    zeros = np.zeros((1, 8), np.uint8)
    assert computed(op, MASK, ROWS, zeros).tolist() == np.where(MASK, ROWS, 0).tolist()


CONVERSIONS = [
    (Conversion.EXTUI, i8, i32, arith.ExtUIOp),
    (Conversion.EXTSI, i8, i32, arith.ExtSIOp),
    (Conversion.EXTSI, i1, i8, arith.ExtSIOp),
    (Conversion.EXTUI, i1, i8, arith.ExtUIOp),
    (Conversion.TRUNCI, i8, i1, arith.TruncIOp),
]


@pytest.mark.parametrize(("conversion", "source", "target", "scalar"), CONVERSIONS)
def test_lanes_are_converted_as_scalars_are(
    conversion: Conversion, source: IntegerType, target: IntegerType, scalar: type[Operation]
):
    rows: Array = MASK if source == i1 else ROWS
    found = computed(ConvertLanesOp(conversion, operand(vector(source)), vector(target)), rows)
    for row, lanes in zip(rows, found, strict=True):
        op = scalar.create(operands=[operand(source)], result_types=[target])
        assert lanes.tolist() == computed(op, row).tolist()


@pytest.mark.parametrize("rows", [1, 2])
def test_lanes_are_looked_up_by_their_lowest_bits(rows: int):
    table, type = np.arange(100, 104, dtype=np.uint32), VectorType(i32, [4])
    op = LookUpLanesOp(operand(type), operand(BYTES))
    found = computed(op, np.stack([table, table + 10])[:rows], ROWS)
    own = np.stack([table, table + 10 * (rows - 1)])
    assert found.tolist() == [
        [int(row[number % 4]) for number in numbers] for row, numbers in zip(own, ROWS, strict=True)
    ]


def test_a_table_may_have_more_lanes_than_positions_tell_apart():
    table = np.arange(512, dtype=np.uint32)[np.newaxis]
    op = LookUpLanesOp(operand(VectorType(i32, [512])), operand(BYTES))
    assert computed(op, table, ROWS).tolist() == ROWS.tolist()
