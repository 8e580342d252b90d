"""Values that one invocation has side by side: in a vector, or, of one, alone."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import VectorType, i32
from xdsl.ir import Attribute

from vyre_dialect.builder import Value, constant, constants
from vyre_dialect.passes.rewriting.reductions import reduction


def several(element: Attribute, count: int) -> Attribute:
    """The type of so many values."""
    return VectorType(element, [count]) if count > 1 else element


def of_each(value: Value, count: int) -> Value:
    """The same value so many times."""
    return value.broadcast(count) if count > 1 else value


def parts(values: Value, count: int) -> list[Value]:
    """Each value."""
    return [values.lane(lane) for lane in range(count)] if count > 1 else [values]


def together(values: Sequence[Value]) -> Value:
    """All values."""
    first, *others = values
    if not others:
        return first
    vector = first.broadcast(len(values))
    for lane, value in enumerate(others, start=1):
        vector = vector.with_lane(lane, value)
    return vector


def highest(values: Value, count: int) -> Value:
    """The highest of some unsigned integers."""
    return reduction(Value.max, values) if count > 1 else values


def numbers(count: int) -> Value:
    """The numbers of so many values."""
    return constants([*range(count)], VectorType(i32, [count])) if count > 1 else constant(0, i32)


def between(low: Value, high: Value, count: int) -> Value:
    """All bits of the values with numbers from `low` up to `high`, and no bits of the others."""
    is_below_low, is_below_high = [
        (numbers(count) - of_each(bound.to(i32), count)).shrsi(31) for bound in (low, high)
    ]
    return is_below_high & ~is_below_low
