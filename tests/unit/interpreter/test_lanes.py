"""Ops on the lanes of vectors say of each lane what `arith` says of a scalar."""

from __future__ import annotations

import numpy as np
import pytest
from support.interpreting import Array, computed, operand
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, VectorType, f32, i1, i8, i32
from xdsl.ir import Attribute, Operation

from vyre_dialect.ops.lanes import (
    CompareFloatLanesOp,
    CompareLanesOp,
    Conversion,
    ConvertLanesOp,
    FloatPredicate,
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


FLOATS = np.array([0, -0.0, 1, -1.5, np.nan, np.inf, -np.inf, 3e38], np.float32)
FLOAT_ROWS = np.stack([FLOATS, FLOATS[::-1]])
FLOAT_VECTOR = VectorType(f32, [8])


@pytest.mark.parametrize("predicate", FloatPredicate)
def test_lanes_of_floats_are_compared_as_scalars_are(predicate: FloatPredicate):
    op = CompareFloatLanesOp(predicate, operand(FLOAT_VECTOR), operand(FLOAT_VECTOR))
    others = np.roll(FLOAT_ROWS, 3, axis=1)
    found = computed(op, FLOAT_ROWS, others)
    for row, other, lanes in zip(FLOAT_ROWS, others, found, strict=True):
        scalar = arith.CmpfOp(operand(f32), operand(f32), str(predicate))
        assert lanes.tolist() == computed(scalar, row, other).tolist()


FLOAT_CONVERSIONS = [
    (Conversion.SITOFP, i8, f32, arith.SIToFPOp),
    (Conversion.UITOFP, i8, f32, arith.UIToFPOp),
    (Conversion.SITOFP, i1, f32, arith.SIToFPOp),
    (Conversion.UITOFP, i1, f32, arith.UIToFPOp),
    (Conversion.FPTOSI, f32, i8, arith.FPToSIOp),
    (Conversion.FPTOUI, f32, i32, arith.FPToUIOp),
    (Conversion.FPTOSI, f32, i1, arith.FPToSIOp),
]


@pytest.mark.parametrize(("conversion", "source", "target", "scalar"), FLOAT_CONVERSIONS)
def test_lanes_become_floats_and_integers_as_scalars_do(
    conversion: Conversion, source: Attribute, target: Attribute, scalar: type[Operation]
):
    rows: Array = FLOAT_ROWS if source == f32 else MASK if source == i1 else ROWS
    op = ConvertLanesOp(conversion, operand(VectorType(source, [8])), VectorType(target, [8]))
    for row, lanes in zip(rows, computed(op, rows), strict=True):
        alone = scalar.create(operands=[operand(source)], result_types=[target])
        assert lanes.tolist() == computed(alone, row).tolist()


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
