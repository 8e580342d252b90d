"""Values that one invocation has side by side: in a vector, or, of one, alone."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute

from vyre_dialect.builder import Value


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
