"""
What a value of an invocation becomes when several invocations are lanes of one: the same for all,
numbers in equal steps or known numbers apart, a vector, or a value each. Vectors hold the lanes of
an item next to each other, item after item, and indices as `i64`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import IndexType, IntegerType, VectorType, i64
from xdsl.ir import Attribute, SSAValue

from vyre_dialect.analysis.value_ranges import bit_width
from vyre_dialect.builder import Value, constant, constants, index
from vyre_dialect.ir.types import lane_count, scalar_type
from vyre_dialect.passes.loop.vectorization.steps import Offsets, equal_step


def lane_type(type: Attribute) -> Attribute:
    """The type of one lane of the vectors that hold values of a type."""
    scalar = scalar_type(type)
    return i64 if isinstance(scalar, IndexType) else scalar


def wide_type(type: Attribute, lanes: int) -> VectorType:
    """The type that holds so many values of a type."""
    return VectorType(lane_type(type), [lane_count(type) * lanes])


@dataclass(frozen=True)
class LaneValue(ABC):
    """A value in each of `lanes` lanes; whatever is asked is computed at the current place."""

    lanes: int

    @property
    @abstractmethod
    def type(self) -> Attribute:
        """The type in one lane."""

    @abstractmethod
    def at(self, lane: int) -> SSAValue:
        """The value in a lane."""

    @abstractmethod
    def at_index(self, lane: Value) -> SSAValue:
        """The value in the lane of a number that the program computes."""

    @abstractmethod
    def wide(self) -> SSAValue:
        """The vector of all of them."""


@dataclass(frozen=True)
class Uniform(LaneValue):
    """The same value in all lanes."""

    value: SSAValue

    @property
    def type(self) -> Attribute:
        return self.value.type

    def at(self, lane: int) -> SSAValue:
        return self.value

    def at_index(self, lane: Value) -> SSAValue:
        return self.value

    def wide(self) -> SSAValue:
        return broadcast(self.value, self.lanes)


@dataclass(frozen=True)
class Stepped(LaneValue):
    """Integers that grow by `step` from lane to lane, modulo two to the power of their width."""

    first: SSAValue
    step: int

    @property
    def type(self) -> Attribute:
        return self.first.type

    def at(self, lane: int) -> SSAValue:
        offset = lane * self.step
        return (Value(self.first) + _number(offset, self.type)).ssa if offset else self.first

    def at_index(self, lane: Value) -> SSAValue:
        offset = lane * self.step if self.step != 1 else lane
        return (Value(self.first) + offset.to(self.type)).ssa

    def wide(self) -> SSAValue:
        type = wide_type(self.type, self.lanes)
        steps = numbers(range(0, self.lanes * self.step, self.step), type)
        return (Value(broadcast(self.first, self.lanes)) + steps).ssa


@dataclass(frozen=True)
class Offset(LaneValue):
    """Integers known numbers apart from the first, modulo two to the power of their width."""

    first: SSAValue
    offsets: Offsets

    @property
    def type(self) -> Attribute:
        return self.first.type

    def at(self, lane: int) -> SSAValue:
        offset = self.offsets[lane]
        return (Value(self.first) + _number(offset, self.type)).ssa if offset else self.first

    def at_index(self, lane: Value) -> SSAValue:
        return Wide(self.lanes, self.wide(), self.type).at_index(lane)

    def wide(self) -> SSAValue:
        type = wide_type(self.type, self.lanes)
        return (Value(broadcast(self.first, self.lanes)) + numbers(self.offsets, type)).ssa


@dataclass(frozen=True)
class Wide(LaneValue):
    """A vector of the lanes of all items."""

    vector: SSAValue
    item_type: Attribute

    @property
    def type(self) -> Attribute:
        return self.item_type

    def at(self, lane: int) -> SSAValue:
        if not isinstance(self.item_type, VectorType):
            return _as_item(Value(self.vector).lane(lane), self.item_type)
        size = lane_count(self.item_type)
        return _taken(self.vector, range(lane * size, (lane + 1) * size))

    def at_index(self, lane: Value) -> SSAValue:
        if not isinstance(self.item_type, VectorType):
            return _as_item(_lane_at(self.vector, lane), self.item_type)
        size = lane_count(self.item_type)
        item = constant(0, self.item_type)
        for part in range(size):
            item = item.with_lane(part, _lane_at(self.vector, lane * size + part))
        return item.ssa

    def wide(self) -> SSAValue:
        return self.vector


@dataclass(frozen=True)
class Separate(LaneValue):
    """A value for each lane, computed one by one."""

    values: tuple[SSAValue, ...]

    @property
    def type(self) -> Attribute:
        return self.values[0].type

    def at(self, lane: int) -> SSAValue:
        return self.values[lane]

    def at_index(self, lane: Value) -> SSAValue:
        return Wide(self.lanes, self.wide(), self.type).at_index(lane)

    def wide(self) -> SSAValue:
        size, vector = lane_count(self.type), constant(0, wide_type(self.type, self.lanes))
        for lane, item in enumerate(self.values):
            for part, value in enumerate(_parts(item)):
                vector = vector.with_lane(lane * size + part, value)
        return vector.ssa


def separate(values: Iterable[SSAValue]) -> LaneValue:
    """A value for each lane."""
    values = tuple(values)
    return Separate(len(values), values)


def stepped(first: SSAValue, step: int, lanes: int) -> LaneValue:
    """Numbers in equal steps, which may be 0, modulo two to the power of their width."""
    step = wrapped_step(step, first.type) if step else 0
    return Stepped(lanes, first, step) if step else Uniform(lanes, first)


def at_offsets(first: SSAValue, offsets: Offsets) -> LaneValue:
    """Numbers known numbers apart, which may be the same for all, or grow in equal steps."""
    step = equal_step(offsets)
    if step is None:
        return Offset(len(offsets), first, offsets)
    return stepped(first, step, len(offsets))


def wrapped_step(step: int, type: Attribute) -> int:
    """The step from lane to lane of numbers of a type, modulo two to the power of their width."""
    return _wrapped(step, bit_width(type))


def first_and_step(value: LaneValue) -> tuple[SSAValue, int] | None:
    """The first of numbers in equal steps, and the step; None of other values."""
    match value:
        case Uniform():
            return value.value, 0
        case Stepped():
            return value.first, value.step
        case _:
            return None


def with_item(vector: SSAValue, item: SSAValue, lane: Value) -> SSAValue:
    """A wide vector with the value of the lane of a number that the program computes."""
    parts = _parts(item)
    for number, part in enumerate(parts):
        position = lane if len(parts) == 1 else lane * len(parts) + number
        vector = vector_insert(part, vector, position)
    return vector


def vector_insert(value: SSAValue, into: SSAValue, position: Value) -> SSAValue:
    """A vector with a value in the lane of a number that the program computes."""
    return vector.InsertOp(value, into, [position.ssa]).result


def broadcast(value: SSAValue, lanes: int) -> SSAValue:
    """A vector of the same item so many times."""
    if isinstance(value.type, VectorType):
        return _taken(value, [*range(lane_count(value.type))] * lanes)
    if isinstance(value.type, IndexType):
        value = _as_i64(value)
    return Value(value).broadcast(lanes).ssa


def repeated(mask: SSAValue, size: int, lanes: int) -> SSAValue:
    """A mask of items as one of the lanes that each item has."""
    if size == 1:
        return mask
    return Value(mask).shuffle(Value(mask), [lane // size for lane in range(size * lanes)]).ssa


def numbers(values: Sequence[int], type: VectorType) -> Value:
    """A constant vector of numbers, modulo two to the power of their width."""
    lane = type.element_type
    assert isinstance(lane, IntegerType)
    wrapped = [_wrapped(value, lane.width.data) for value in values]
    return constants(wrapped, type)


def _wrapped(value: int, width: int) -> int:
    half = 1 << (width - 1)
    return (value + half) % (2 * half) - half


def _number(value: int, type: Attribute) -> Value:
    return constant(_wrapped(value, bit_width(type)), type)


def _taken(source: SSAValue, lanes: Sequence[int]) -> SSAValue:
    return Value(source).shuffle(Value(source), lanes).ssa


def _lane_at(source: SSAValue, position: Value) -> Value:
    return Value(vector.ExtractOp(source, [position.ssa], scalar_type(source.type)).result)


def _as_item(lane: Value, type: Attribute) -> SSAValue:
    return arith.IndexCastOp(lane.ssa, index).result if isinstance(type, IndexType) else lane.ssa


def _as_i64(value: SSAValue) -> SSAValue:
    return arith.IndexCastOp(value, i64).result


def _parts(item: SSAValue) -> list[SSAValue]:
    """The lanes of an item."""
    if isinstance(item.type, VectorType):
        return [Value(item).lane(part).ssa for part in range(lane_count(item.type))]
    return [_as_i64(item) if isinstance(item.type, IndexType) else item]
