"""Vectors combined to one word, and summed lane after lane, in registers."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from vyre_dialect.builder import Value, constant
from vyre_dialect.ir.types import lane_count

WIDE = 16
"""Lanes from which on the halves of a vector are combined, down to two lanes."""


def reduction(combine: Callable[[Value, Value], Value], vector: Value) -> Value:
    """
    All lanes of a vector combined, as one word; the order must not matter.

    The halves of a wide one are combined, which takes few instructions where it fills registers;
    one that is not, or has no halves, falls apart into its lanes.
    """
    lanes = lane_count(vector.type)
    if lanes >= WIDE:
        while lanes > 2 and lanes % 2 == 0:
            lanes //= 2
            lower, upper = range(lanes), range(lanes, 2 * lanes)
            vector = combine(vector.shuffle(vector, lower), vector.shuffle(vector, upper))
    return reduce(combine, [vector.lane(lane) for lane in range(lanes)])


def prefix_sums(vector: Value) -> Value:
    """
    The sum of each lane and those before it, in as many steps as it takes to double 1 to their
    number (W. D. Hillis, G. L. Steele, "Data parallel algorithms", Communications of the ACM
    29(12), 1986).
    """
    zeros, lanes = constant(0, vector.type), lane_count(vector.type)
    sums, distance = vector, 1
    while distance < lanes:
        moved = [0] * distance + list(range(lanes, 2 * lanes - distance))
        sums, distance = sums + zeros.shuffle(sums, moved), 2 * distance
    return sums
