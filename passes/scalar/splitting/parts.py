"""Vectors that OpenCL has not, as parts that it has, and the casts between the two."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate

from xdsl.dialects import vector
from xdsl.dialects.builtin import UnrealizedConversionCastOp, VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from vyre_dialect.builder.values import constant
from vyre_dialect.ir.types import VECTOR_LANES, lane_count


def parts_of(type: Attribute) -> list[VectorType]:
    """The types of the parts of a vector, the largest first; none for what OpenCL has itself."""
    if not isinstance(type, VectorType) or len(type.get_shape()) != 1:
        return []
    (lanes,) = type.get_shape()
    if lanes in VECTOR_LANES or type.get_num_scalable_dims():
        return []
    found = list[VectorType]()
    while lanes:
        most = max(size for size in VECTOR_LANES if size <= lanes)
        found.append(VectorType(type.element_type, [most]))
        lanes -= most
    return found


def is_split(op: Operation) -> bool:
    """Whether a value of `op` has parts."""
    return any(parts_of(value.type) for value in (*op.operands, *op.results))


def split(value: SSAValue) -> Sequence[SSAValue]:
    """The parts of a value, at the current place; a value that has none is its own."""
    if not (types := parts_of(value.type)):
        return [value]
    if isinstance(value.owner, UnrealizedConversionCastOp):
        return value.owner.inputs
    return UnrealizedConversionCastOp.create(operands=[value], result_types=types).results


def join(parts: Sequence[SSAValue], type: Attribute) -> SSAValue:
    """The value of which these are the parts, at the current place."""
    if not parts_of(type):
        (whole,) = parts
        return whole
    return UnrealizedConversionCastOp.create(operands=parts, result_types=[type]).results[0]


def pieces_of(type: VectorType) -> list[tuple[int, VectorType]]:
    """The first lane and the type of each part; a vector that has none is its own."""
    parts = parts_of(type) or [type]
    starts = accumulate((lane_count(part) for part in parts[:-1]), initial=0)
    return list(zip(starts, parts, strict=True))


def of_pieces(type: VectorType, make: Callable[[int, VectorType], SSAValue]) -> SSAValue:
    """The value of which `make` gives the part that begins at a lane and is of a type."""
    return join([make(start, part) for start, part in pieces_of(type)], type)


def lane_of(whole: SSAValue, position: int) -> SSAValue:
    """A lane of a value, which may have parts."""
    part, start = part_with(whole, position)
    assert isinstance(part.type, VectorType)
    return vector.ExtractOp(part, [position - start], part.type.element_type).result


def part_with(whole: SSAValue, position: int) -> tuple[SSAValue, int]:
    """The part that has a lane, and its first lane."""
    assert isinstance(whole.type, VectorType)
    starts = [start for start, _ in pieces_of(whole.type)]
    number = max(number for number, start in enumerate(starts) if start <= position)
    return split(whole)[number], starts[number]


def gathered(lanes: Sequence[SSAValue], type: VectorType) -> SSAValue:
    """A vector of scalars."""
    found = constant(0, type).ssa
    for number, lane in enumerate(lanes):
        found = vector.InsertOp(lane, found, [number]).result
    return found
