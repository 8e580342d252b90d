"""Ops on vectors, in several invocations at once."""

from typing import Any

import numpy as np
import pytest
from support.interpreting import computed, operand
from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import (
    DenseArrayBase,
    Float32Type,
    IndexType,
    IntegerType,
    VectorType,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute

from vyre_dialect.runtime.interpreter import UnsupportedError

ROWS = np.arange(12, dtype=np.uint32).reshape(3, 4)
"""A vector<4xi32> in each of three invocations."""


def value(*lanes: int, type: Attribute = i32) -> Any:
    return operand(VectorType(type, lanes) if lanes else type)


def test_arith_works_lane_by_lane():
    op = arith.AddiOp(value(4), value(4))
    assert computed(op, ROWS, np.full((1, 4), 10, np.uint32)).tolist() == (ROWS + 10).tolist()


def test_select_chooses_whole_vectors():
    op = arith.SelectOp(value(type=IntegerType(1)), value(4), value(4))
    result = computed(op, np.array([True, False, True]), ROWS, ROWS + 100)
    assert result[:, 0].tolist() == [0, 104, 8]


def test_broadcast():
    scalar = vector.BroadcastOp(value(), VectorType(i32, [2, 2]))
    assert computed(scalar, np.array([5, 6], np.uint32)).tolist() == [[[5] * 2] * 2, [[6] * 2] * 2]
    row = vector.BroadcastOp(value(4), VectorType(i32, [2, 4]))
    assert computed(row, ROWS).tolist() == [[lanes, lanes] for lanes in ROWS.tolist()]


def test_extract():
    assert computed(vector.ExtractOp(value(4), [2], i32), ROWS).tolist() == [2, 6, 10]
    matrix = ROWS.reshape(3, 2, 2)
    op = vector.ExtractOp(value(2, 2), [1], VectorType(i32, [2]))
    assert computed(op, matrix).tolist() == [[2, 3], [6, 7], [10, 11]]


def test_extract_at_a_computed_position_reads_zero_outside():
    op = vector.ExtractOp(value(4), [value(type=IndexType())], i32)
    assert computed(op, ROWS, np.array([3, 4, -1])).tolist() == [3, 0, 0]
    assert computed(op, ROWS, np.array([1])).tolist() == [1, 5, 9]
    assert computed(op, ROWS[:1], np.array([1, 0])).tolist() == [1, 0]


def test_insert():
    op = vector.InsertOp(value(), value(4), [1])
    before = ROWS.copy()
    assert computed(op, np.array([70, 80, 90], np.uint32), ROWS)[:, 1].tolist() == [70, 80, 90]
    assert ROWS.tolist() == before.tolist()
    shared = computed(op, np.array([70, 80], np.uint32), ROWS[:1])
    assert shared.tolist() == [[0, 70, 2, 3], [0, 80, 2, 3]]


def test_insert_at_a_computed_position_drops_what_is_outside():
    op = vector.InsertOp(value(), value(4), [value(type=IndexType())])
    result = computed(op, np.array([99], np.uint32), ROWS, np.array([0, 4, -1]))
    assert result.tolist() == [[99, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]


def test_shuffle():
    mask = DenseArrayBase.from_list(i64, [5, 0, 3])
    op = vector.ShuffleOp(value(4), value(2), mask, result_type=VectorType(i32, [3]))
    other = np.array([[100, 200]], np.uint32)
    assert computed(op, ROWS, other).tolist() == [[200, 0, 3], [200, 4, 7], [200, 8, 11]]


def test_bitcast_is_little_endian():
    op = vector.BitcastOp(value(4), VectorType(i8, [16]))
    assert computed(op, ROWS).tobytes() == ROWS.tobytes()
    back = vector.BitcastOp(value(16, type=i8), VectorType(i64, [2]))
    assert computed(back, computed(op, ROWS)).tobytes() == ROWS.tobytes()


def test_bitcast_of_single_bits_is_refused():
    op = vector.BitcastOp(value(8, type=IntegerType(1)), VectorType(i8, [1]))
    with pytest.raises(UnsupportedError, match=r"'vector.bitcast' of vectors of i1"):
        computed(op, np.zeros((1, 8), np.bool_))


def test_create_mask():
    op = vector.CreateMaskOp([value(type=IndexType())] * 2, VectorType(IntegerType(1), [2, 3]))
    mask = computed(op, np.array([1, 5]), np.array([2]))
    assert mask.astype(int).tolist() == [[[1, 1, 0], [0, 0, 0]], [[1, 1, 0], [1, 1, 0]]]


LANES = np.array([[200, 3, 100], [7, 7, 255]], np.uint8)
REDUCTIONS: dict[str, list[int]] = {
    "add": [303 % 256, 269 % 256],
    "mul": [200 * 300 % 256, 49 * 255 % 256],
    "minui": [3, 7],
    "maxui": [200, 255],
    "minsi": [200, 255],
    "maxsi": [100, 7],
    "and": [200 & 3 & 100, 7],
    "or": [200 | 3 | 100, 255],
    "xor": [200 ^ 3 ^ 100, 255],
}


def reduction(kind: str, lanes: VectorType[Any], accumulator: bool) -> vector.ReductionOp:
    return vector.ReductionOp.create(
        operands=[operand(lanes)] + [operand(lanes.element_type)] * accumulator,
        result_types=[lanes.element_type],
        properties={"kind": vector.CombiningKindAttr(vector.CombiningKindFlag(kind))},
    )


@pytest.mark.parametrize("kind", REDUCTIONS)
def test_integer_reduction(kind: str):
    op = reduction(kind, VectorType(i8, [3]), accumulator=False)
    assert computed(op, LANES).tolist() == REDUCTIONS[kind]


def test_float_reduction_runs_from_the_accumulator_over_the_lanes_in_order():
    op = reduction("add", VectorType(Float32Type(), [3]), accumulator=True)
    lanes = np.array([[1, -(2.0**30), 1]], np.float32)
    assert computed(op, lanes, np.array([2.0**30], np.float32)).tolist() == [1.0]


def test_fma_of_vectors():
    type = VectorType(Float32Type(), [2])
    op = vector.FMAOp(*(operand(type) for _ in range(3)))
    a, b, c = (np.array([lanes], np.float32) for lanes in ([1, 2], [3, 4], [5, 6]))
    assert computed(op, a, b, c).tolist() == [[8, 14]]
