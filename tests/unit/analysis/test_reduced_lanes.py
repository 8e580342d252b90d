"""Which numbers are all lanes of a vector combined."""

from functools import reduce

import pytest
from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith
from xdsl.dialects.builtin import VectorType, i32
from xdsl.dialects.vector import ExtractOp
from xdsl.ir import Block

from vyre_dialect.analysis.reduced_lanes import reduced_vector
from vyre_dialect.builder import Value
from vyre_dialect.passes.rewriting.reductions import reduction


def block_of(lanes: int) -> tuple[Block, Value]:
    block = Block(arg_types=[VectorType(i32, [lanes])])
    return block, Value(block.args[0])


@pytest.mark.parametrize("lanes", [1, 2, 3, 4, 8, 16, 17, 24, 64])
def test_reductions_are_of_their_vector(lanes: int):
    block, vector = block_of(lanes)
    with ImplicitBuilder(block):
        total = reduction(Value.__add__, vector)
    assert reduced_vector(total.ssa, arith.AddiOp) is vector.ssa
    if lanes > 1:
        assert reduced_vector(total.ssa, arith.OrIOp) is None


def test_a_vector_that_is_a_sum_is_what_is_found():
    block, vector = block_of(4)
    with ImplicitBuilder(block):
        doubled = vector + vector
        total = reduction(Value.__add__, doubled)
    assert reduced_vector(total.ssa, arith.AddiOp) is doubled.ssa


def test_lanes_of_two_vectors_are_those_of_none():
    block, vector = block_of(2)
    with ImplicitBuilder(block):
        total = vector.lane(0) + (vector ^ 1).lane(1)
    assert reduced_vector(total.ssa, arith.AddiOp) is None


def test_halves_that_overlap_are_not_taken_back():
    block, vector = block_of(4)
    with ImplicitBuilder(block):
        halves = vector.shuffle(vector, [0, 1]) + vector.shuffle(vector, [1, 2])
        total = halves.lane(0) + halves.lane(1)
    assert reduced_vector(total.ssa, arith.AddiOp) is halves.ssa
    assert reduced_vector(vector.ssa, arith.AddiOp) is None


@pytest.mark.parametrize("lanes", [65, 128])
def test_more_than_most_lanes_are_not_looked_for(lanes: int):
    block, vector = block_of(lanes)
    with ImplicitBuilder(block):
        other = Value(arith.ConstantOp.from_int_and_width(7, i32).result)
        total = other + reduce(Value.__add__, [vector.lane(lane) for lane in range(lanes)])
    assert reduced_vector(total.ssa, arith.AddiOp) is None


def test_elements_of_two_axes_are_no_lanes():
    block = Block(arg_types=[VectorType(i32, [1, 2])])
    with ImplicitBuilder(block):
        elements = [ExtractOp(block.args[0], [0, lane], i32).result for lane in range(2)]
        total = Value(elements[0]) + Value(elements[1])
    assert reduced_vector(total.ssa, arith.AddiOp) is None
