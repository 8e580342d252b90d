"""Vectors combined to one word, masks to bits, and sums lane after lane, in registers."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from xdsl.dialects.builtin import IntegerType, VectorType, i64
from xdsl.ir import SSAValue

from vyre_dialect.builder import Value, constant
from vyre_dialect.ir.types import lane_count
from vyre_dialect.ops.lanes import Conversion, ConvertLanesOp

WIDE = 16
"""Lanes from which on the halves of a vector are combined, down to two lanes."""


def halved(combine: Callable[[Value, Value], Value], vector: Value, lanes: int = 2) -> Value:
    """
    The halves of a vector combined, and those of what comes of that, down to so many lanes; the
    order must not matter.
    """
    size = lane_count(vector.type)
    while size > lanes and size % 2 == 0:
        size //= 2
        lower, upper = (vector.shuffle(vector, range(at, at + size)) for at in (0, size))
        vector = combine(lower, upper)
    return vector


def reduction(combine: Callable[[Value, Value], Value], vector: Value) -> Value:
    """
    All lanes of a vector combined, as one word; the order must not matter.

    The halves of a wide one are combined, which takes few instructions where it fills registers;
    one that is not, or has no halves, falls apart into its lanes.
    """
    return one_by_one(
        combine, halved(combine, vector) if lane_count(vector.type) >= WIDE else vector
    )


def one_by_one(combine: Callable[[Value, Value], Value], vector: Value) -> Value:
    """The lanes of a vector combined in their order, as one word."""
    return reduce(combine, [vector.lane(lane) for lane in range(lane_count(vector.type))])


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


def bits_of_bytes(words: Value, size: int) -> Value:
    """
    The low bits of so many bytes of each word, whose other bits are 0, next to each other, the
    first as the lowest: a product brings them into the highest byte.
    """
    highest = 8 * (size - 1)
    return words * sum(1 << highest - 7 * byte for byte in range(size)) >> highest


def any_of(mask: SSAValue) -> Value:
    """Whether any lane of a mask is set."""
    return reduce(Value.__or__, _words_of(mask)).ne(0)


def _words_of(mask: SSAValue) -> list[Value]:
    """The lanes of a mask as bytes, in words of eight bytes, or one of fewer."""
    lanes = lane_count(mask.type)
    data = ConvertLanesOp(Conversion.EXTUI, mask, VectorType(IntegerType(8), [lanes])).result
    width = min(lanes, 8)
    words = Value(data).bitcast(VectorType(IntegerType(8 * width), [lanes // width]))
    return [words.lane(position) for position in range(lanes // width)]


def bits_of(mask: SSAValue) -> Value:
    """The lanes of a mask, up to 64, as bits of a number of 64, the first as the lowest."""
    parts = [
        bits_of_bytes(word.to(i64), 8) << 8 * position
        for position, word in enumerate(_words_of(mask))
    ]
    return reduce(Value.__or__, parts)
