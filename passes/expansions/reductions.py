"""
A vector combined to one word.

The halves of a wide one are combined, which takes few instructions where it fills registers; one
that is not falls apart into its lanes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from vyre_dialect.builder import Value
from vyre_dialect.types import lane_count

WIDE = 16
"""Lanes from which on the halves of a vector are combined, down to two lanes."""


def reduction(combine: Callable[[Value, Value], Value], vector: Value) -> Value:
    """All lanes of a vector combined, as one word; the order must not matter."""
    lanes = lane_count(vector.type)
    if lanes >= WIDE:
        while lanes > 2:
            lanes //= 2
            lower, upper = range(lanes), range(lanes, 2 * lanes)
            vector = combine(vector.shuffle(vector, lower), vector.shuffle(vector, upper))
    return reduce(combine, [vector.lane(lane) for lane in range(lanes)])
