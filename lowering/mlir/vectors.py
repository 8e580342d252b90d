"""Vectors, and what looks into their lanes."""

from __future__ import annotations

from xdsl.dialects import vector
from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, SSAValue

from vyre_dialect.ir.types import lane_count, scalar_type
from vyre_dialect.lowering.mlir.arithmetic import choose, saturated
from vyre_dialect.lowering.mlir.writer import Writer, no_form, type_text
from vyre_dialect.ops.lanes import (
    CompareFloatLanesOp,
    CompareLanesOp,
    ConvertLanesOp,
    LookUpLanesOp,
    SelectLanesOp,
)
from vyre_dialect.ops.words import PermuteBytesOp

_BYTES = 4


def shuffle(writer: Writer, op: vector.ShuffleOp) -> None:
    """Lanes of two vectors; a lane of any value is the first."""
    mask = [max(lane, 0) for lane in op.mask.get_values()]
    first, second = writer.values((op.v1, op.v2))
    types = f"{type_text(op, op.v1.type)}, {type_text(op, op.v2.type)}"
    writer.bind(op.result, writer.let(f"vector.shuffle {first}, {second} {mask} : {types}"))


def extract(writer: Writer, op: vector.ExtractOp) -> None:
    """One lane; 0 where there is none."""
    place = _position(op)
    source, type = writer.value(op.vector), type_text(op, op.vector.type)
    if isinstance(place, int):
        writer.bind(op.result, extracted(writer, source, op.vector.type, type, place))
        return
    scalar = type_text(op, op.result.type)
    inside, known = _known_lane(writer, op.vector.type, writer.value(place))
    lane = writer.let(f"vector.extract {source}[{known}] : {scalar} from {type}")
    zero = writer.zero(scalar)
    writer.bind(op.result, writer.let(f"arith.select {inside}, {lane}, {zero} : {scalar}"))


def extracted(writer: Writer, source: str, of: Attribute, type: str, lane: int) -> str:
    """A lane of `source`."""
    return writer.let(f"vector.extract {source}[{lane}] : {scalar_type(of)} from {type}")


def insert(writer: Writer, op: vector.InsertOp) -> None:
    """A vector with another value in one lane, or as it is where there is no such lane."""
    place = _position(op)
    source, target = writer.values((op.source, op.dest))
    type, scalar = type_text(op, op.result.type), type_text(op, op.source.type)
    if isinstance(place, int):
        text = f"vector.insert {source}, {target} [{place}] : {scalar} into {type}"
        writer.bind(op.result, writer.let(text))
        return
    inside, known = _known_lane(writer, op.result.type, writer.value(place))
    changed = writer.let(f"vector.insert {source}, {target} [{known}] : {scalar} into {type}")
    text = f"arith.select {inside}, {changed}, {target} : {type}"
    writer.bind(op.result, writer.let(text))


def _position(op: vector.ExtractOp | vector.InsertOp) -> SSAValue | int:
    position = op.get_mixed_position()
    if len(position) != 1:
        raise no_form(op)
    return position[0]


def _known_lane(writer: Writer, of: Attribute, position: str) -> tuple[str, str]:
    """Whether a vector has a lane, and that lane, or the first."""
    count, zero = writer.constant(lane_count(of), "index"), writer.constant(0, "index")
    inside = writer.let(f"arith.cmpi ult, {position}, {count} : index")
    return inside, writer.let(f"arith.select {inside}, {position}, {zero} : index")


# Reductions, from the first lane on.

_OF_FLOATS = {"add": "addf", "mul": "mulf", "minimumf": "minimumf", "maximumf": "maximumf"}
_OF_INTEGERS = {
    **{"add": "addi", "mul": "muli", "and": "andi", "or": "ori", "xor": "xori"},
    **{"minui": "minui", "maxui": "maxui", "minsi": "minsi", "maxsi": "maxsi"},
}


def reduction(writer: Writer, op: vector.ReductionOp) -> None:
    """All lanes combined, in order; after the accumulator, where there is one."""
    kind, scalar = str(op.kind.data), str(scalar_type(op.vector.type))
    operation = (_OF_FLOATS if scalar[0] in "fb" else _OF_INTEGERS).get(kind)
    if operation is None:
        raise no_form(op)
    source, type = writer.value(op.vector), type_text(op, op.vector.type)
    lanes = [
        extracted(writer, source, op.vector.type, type, lane)
        for lane in range(lane_count(op.vector.type))
    ]
    result, *others = lanes
    for lane in others:
        result = writer.let(f"arith.{operation} {result}, {lane} : {scalar}")
    if op.acc is not None:
        start = writer.value(op.acc)
        result = writer.let(f"arith.{operation} {start}, {result} : {scalar}")
    writer.bind(op.dest, result)


# What `arith` of xDSL says of numbers alone.


def compare(writer: Writer, op: CompareLanesOp) -> None:
    """`arith.cmpi` in each lane."""
    _compare(writer, op, "cmpi")


def compare_floats(writer: Writer, op: CompareFloatLanesOp) -> None:
    """`arith.cmpf` in each lane."""
    _compare(writer, op, "cmpf")


def _compare(writer: Writer, op: CompareLanesOp | CompareFloatLanesOp, name: str) -> None:
    left, right = writer.values((op.lhs, op.rhs))
    type = type_text(op, op.lhs.type)
    text = f"arith.{name} {op.predicate.data}, {left}, {right} : {type}"
    writer.bind(op.result, writer.let(text))


def select(writer: Writer, op: SelectLanesOp) -> None:
    """`arith.select` in each lane."""
    mask, left, right = writer.values((op.mask, op.lhs, op.rhs))
    writer.bind(op.result, choose(writer, mask, left, right, op))


def convert(writer: Writer, op: ConvertLanesOp) -> None:
    """A conversion of `arith` in each lane."""
    name, source = f"arith.{op.conversion.data}", writer.value(op.input)
    if name in ("arith.fptosi", "arith.fptoui"):
        writer.bind(op.result, saturated(writer, op, name, source, op.input.type))
        return
    types = f"{type_text(op, op.input.type)} to {type_text(op, op.result.type)}"
    writer.bind(op.result, writer.let(f"{name} {source} : {types}"))


def look_up(writer: Writer, op: LookUpLanesOp) -> None:
    """The lanes of a table that the lowest bits of positions name."""
    table, of = writer.value(op.table), op.table.type
    type, positions = type_text(op, of), op.positions.type
    low = writer.constant(lane_count(of) - 1, type_text(op, positions))
    text = f"arith.andi {writer.value(op.positions)}, {low} : {type_text(op, positions)}"
    known, lanes = writer.let(text), list[str]()
    for lane in range(lane_count(positions)):
        number = extracted(writer, known, positions, type_text(op, positions), lane)
        cast = f"arith.index_castui {number} : {scalar_type(positions)} to index"
        place = number if str(scalar_type(positions)) == "index" else writer.let(cast)
        text = f"vector.extract {table}[{place}] : {scalar_type(of)} from {type}"
        lanes.append(writer.let(text))
    writer.bind(op.result, combined(writer, lanes, type_text(op, op.result.type)))


def combined(writer: Writer, lanes: list[str], type: str) -> str:
    """A vector of lanes."""
    return writer.let(f"vector.from_elements {', '.join(lanes)} : {type}")


def permute_bytes(writer: Writer, op: PermuteBytesOp) -> None:
    """Any four bytes of two words, in each lane."""
    words = lane_count(op.result.type)
    type, count = f"vector<{words}xi32>", words * _BYTES
    bytes_type = f"vector<{count}xi8>"
    first, second = (
        _as_bytes(writer, op, each, type, bytes_type) for each in (op.first, op.second)
    )
    mask = [
        word * _BYTES + (place if place < _BYTES else count + place - _BYTES)
        for word in range(words)
        for place in op.positions.get_values()
    ]
    chosen = writer.let(f"vector.shuffle {first}, {second} {mask} : {bytes_type}, {bytes_type}")
    result = writer.let(f"vector.bitcast {chosen} : {bytes_type} to {type}")
    if not isinstance(op.result.type, VectorType):
        result = writer.let(f"vector.extract {result}[0] : i32 from {type}")
    writer.bind(op.result, result)


def _as_bytes(
    writer: Writer, op: PermuteBytesOp, value: SSAValue, type: str, bytes_type: str
) -> str:
    name = writer.value(value)
    if not isinstance(value.type, VectorType):
        name = writer.let(f"vector.broadcast {name} : i32 to {type}")
    return writer.let(f"vector.bitcast {name} : {type} to {bytes_type}")
