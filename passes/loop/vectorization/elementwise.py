"""
The vector forms of ops: one of numbers becomes the same op of vectors, one of what an item holds in
a vector becomes one of the lanes of all items.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import TypeAlias

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import IntegerType, VectorType
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.ir import Operation, SSAValue

from vyre_dialect.builder.values import Value
from vyre_dialect.ir.types import lane_count
from vyre_dialect.ops.lanes import (
    CompareFloatLanesOp,
    CompareLanesOp,
    Conversion,
    ConvertLanesOp,
    FloatPredicate,
    Predicate,
    SelectLanesOp,
)
from vyre_dialect.passes.loop.vectorization.lane_values import Uniform, repeated
from vyre_dialect.passes.rewriting.vector_forms import LanesBody, only_where
from vyre_dialect.passes.rewriting.vector_forms import lane_by_lane as lane_by_lane  # for rows

# Comparison, choice and conversion.


def _compares_numbers(op: arith.CmpiOp | arith.CmpfOp) -> bool:
    """Of comparisons of vectors, xDSL 0.74 says that they yield one i1."""
    return not isinstance(op.lhs.type, VectorType)


@only_where(_compares_numbers)
def cmpi(body: LanesBody, op: arith.CmpiOp) -> SSAValue:
    """A mask of the lanes in which a predicate holds."""
    predicate = list(Predicate)[op.predicate.value.data]
    left, right = (body.value(operand).wide() for operand in op.operands)
    return CompareLanesOp(predicate, left, right).result


@only_where(_compares_numbers)
def cmpf(body: LanesBody, op: arith.CmpfOp) -> SSAValue:
    """A mask of the lanes in which a predicate of floats holds."""
    predicate = list(FloatPredicate)[op.predicate.value.data]
    left, right = (body.value(operand).wide() for operand in op.operands)
    return CompareFloatLanesOp(predicate, left, right).result


def select(body: LanesBody, op: arith.SelectOp) -> SSAValue:
    """Each lane from one of two vectors, or one of two vectors."""
    condition = body.value(op.cond)
    true, false = (body.value(case).wide() for case in (op.lhs, op.rhs))
    if isinstance(condition, Uniform):
        return arith.SelectOp(condition.value, true, false).result
    mask = repeated(condition.wide(), lane_count(op.result.type), body.lanes)
    return SelectLanesOp(mask, true, false).result


_ConversionOp: TypeAlias = (
    arith.ExtUIOp
    | arith.ExtSIOp
    | arith.TruncIOp
    | arith.UIToFPOp
    | arith.SIToFPOp
    | arith.FPToUIOp
    | arith.FPToSIOp
)


def convert(body: LanesBody, op: _ConversionOp) -> SSAValue:
    """Each lane as a number of another type."""
    conversion = Conversion(op.name.removeprefix("arith."))
    return _converted(body, op, conversion)


def convert_lanes(body: LanesBody, op: ConvertLanesOp) -> SSAValue:
    """Each lane of all items as a number of another type."""
    return _converted(body, op, op.conversion.data)


def _converted(body: LanesBody, op: Operation, conversion: Conversion) -> SSAValue:
    type = body.wide_type(op.results[0].type)
    return ConvertLanesOp(conversion, body.value(op.operands[0]).wide(), type).result


# Lanes of an item.


def _taken(source: SSAValue, other: SSAValue, lanes: list[int]) -> SSAValue:
    return Value(source).shuffle(Value(other), lanes).ssa


def _is_of_number(op: vector.BroadcastOp) -> bool:
    return not isinstance(op.source.type, VectorType)


@only_where(_is_of_number)
def broadcast(body: LanesBody, op: vector.BroadcastOp) -> SSAValue:
    """Each item's number in each of its lanes."""
    wide, size = body.value(op.source).wide(), lane_count(op.vector.type)
    return _taken(wide, wide, [lane // size for lane in range(size * body.lanes)])


def _is_known_lane(op: vector.ExtractOp | vector.InsertOp) -> bool:
    """Whether the lane is known, and the only one."""
    return not op.dynamic_position and len(op.static_position.get_values()) == 1


def _position(op: vector.ExtractOp | vector.InsertOp) -> int:
    (position,) = op.static_position.get_values()
    return position


@only_where(_is_known_lane)
def extract(body: LanesBody, op: vector.ExtractOp) -> SSAValue:
    """One lane of each item."""
    position = _position(op)
    wide, size = body.value(op.vector).wide(), lane_count(op.vector.type)
    return _taken(wide, wide, [lane * size + position for lane in range(body.lanes)])


@only_where(_is_known_lane)
def insert(body: LanesBody, op: vector.InsertOp) -> SSAValue:
    """Another value in one lane of each item."""
    position, size = _position(op), lane_count(op.dest.type)
    lanes = size * body.lanes
    source, into = body.value(op.source).wide(), body.value(op.dest).wide()
    if size == 1:
        return source
    spread = _taken(source, source, [lane // size for lane in range(lanes)])
    chosen = [lane + lanes if lane % size == position else lane for lane in range(lanes)]
    return _taken(into, spread, chosen)


def _is_of_vectors(op: vector.ShuffleOp) -> bool:
    return isinstance(op.v1.type, VectorType)


@only_where(_is_of_vectors)
def shuffle(body: LanesBody, op: vector.ShuffleOp) -> SSAValue:
    """Lanes of two vectors of each item."""
    first, second = (lane_count(each.type) for each in (op.v1, op.v2))
    lanes = list[int]()
    for item in range(body.lanes):
        for position in (max(each, 0) for each in op.mask.get_values()):
            if position < first:
                lanes.append(item * first + position)
            else:
                lanes.append(body.lanes * first + item * second + position - first)
    return _taken(body.value(op.v1).wide(), body.value(op.v2).wide(), lanes)


def bitcast_lanes(body: LanesBody, op: vector.BitcastOp) -> SSAValue:
    """The bits of all lanes as other lanes."""
    return _cast_bits(body, op.source, op)


def bitcast(body: LanesBody, op: arith.BitcastOp) -> SSAValue:
    """The bits of each number as another type."""
    return _cast_bits(body, op.input, op)


def _cast_bits(body: LanesBody, source: SSAValue, op: Operation) -> SSAValue:
    type = body.wide_type(op.results[0].type)
    return vector.BitcastOp(body.value(source).wide(), type).result


_COMBINATIONS: dict[CombiningKindFlag, Callable[[Value, Value], Value]] = {
    CombiningKindFlag.ADD: Value.__add__,
    CombiningKindFlag.MUL: Value.__mul__,
    CombiningKindFlag.AND: Value.__and__,
    CombiningKindFlag.OR: Value.__or__,
    CombiningKindFlag.XOR: Value.__xor__,
    CombiningKindFlag.MINUI: Value.min,
    CombiningKindFlag.MAXUI: Value.max,
    CombiningKindFlag.MINSI: Value.minsi,
    CombiningKindFlag.MAXSI: Value.maxsi,
}


def _combines_integers(op: vector.ReductionOp) -> bool:
    return op.kind.data in _COMBINATIONS and isinstance(op.dest.type, IntegerType)


@only_where(_combines_integers)
def reduction(body: LanesBody, op: vector.ReductionOp) -> SSAValue:
    """The lanes of each item combined, in order, in the lanes of all items at once."""
    combine = _COMBINATIONS[op.kind.data]
    wide, size = body.value(op.vector).wide(), lane_count(op.vector.type)
    parts = [
        Value(_taken(wide, wide, [item * size + part for item in range(body.lanes)]))
        for part in range(size)
    ]
    if op.acc is not None:
        parts.insert(0, Value(body.value(op.acc).wide()))
    return reduce(combine, parts).ssa
