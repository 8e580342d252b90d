"""
What a block says of its values: an arc of the integers modulo 2^width.

    base + u, u <= 2^bits - 1                        from the base on
    base + zigzag(u), u <= 2^bits - 1                from half of the length below the base on
    base + d1 + ... + dj, each d in [low, high]      from low or block * low above the base on

The last is of differences: after `j` of them, a value is from `j * low` to `j * high` above where
it began, which for all `j` from 1 to `block` lies between the extremes at these two.
"""

from __future__ import annotations

from typing import NamedTuple

from xdsl.dialects.builtin import IntegerType, i64

from vyre_dialect.analysis.value_sets import Arc
from vyre_dialect.builder import Buffer, Value, constant, index
from vyre_dialect.ops.decode import DeltaOp
from vyre_dialect.ops.packed import BitUnpackBlocksOp
from vyre_dialect.passes.expansions.bitunpack_blocks import FIELDS

MOST_DIFFERENCE = 1 << 40
"""Differences up to this, of up to `MOST_WORDS`, are summed up in 64 bits without overflow."""
MOST_WORDS = 1 << 16


class Bounds(NamedTuple):
    """The values that a block may have: up to `extent` more than `first`, modulo 2^width."""

    first: Value
    extent: Value

    def meets(self, arc: Arc) -> Value:
        """Whether a block may have a value of an arc: where the one begins in the other."""
        ahead = self.first - arc.first
        return (0 - ahead).compare("ule", self.extent) | ahead.compare("ule", arc.extent)

    @classmethod
    def of(cls, base: Value, extent: Value, *, zigzag: bool) -> Bounds:
        """Those of a block of integers up to `extent`, all bits set, above a base."""
        return cls(base - (extent - (extent >> 1)) if zigzag else base, extent)

    def summed(self, base: Value, count: int, type: IntegerType) -> Bounds:
        """Those of a base and one up to `count` of such values; everything where in doubt."""
        low, length = self.first.to(i64, signed=True), self.extent.to(i64)
        high = low + length
        least, most = low.minsi(low * count), high.maxsi(high * count)
        extent = most - least
        fits = length.compare("ule", MOST_DIFFERENCE)
        fits = fits & (low + MOST_DIFFERENCE).compare("ule", 2 * MOST_DIFFERENCE)
        if type.width.data < i64.width.data:
            fits = fits & extent.compare("ult", 1 << type.width.data)
        return Bounds(base + least.to(type), fits.select(extent.to(type), constant(-1, type)))


def described(op: BitUnpackBlocksOp, number: Value) -> Bounds:
    """Those that a block says of itself, whatever that is."""
    fields, type = Buffer(op.blocks), IntegerType(op.width)
    asked = fields[number * FIELDS + 1].to(index)
    bits = asked.max(0).min(op.width).to(type).named("bits")
    base = fields[number * FIELDS + 2].to(type).named("base")
    half = bits >> 1
    # In two steps, since nothing is left of a word that is shifted by all of its bits.
    above = constant(-1, type) << half << (bits - half)
    return Bounds.of(base, (~above).named("extent"), zigzag=op.zigzag is not None)


def of_sums(op: DeltaOp, number: Value, differences: Bounds) -> Bounds:
    """Those of the values whose differences, with the one to the base, a block holds."""
    assert op.bases is not None
    base = Buffer(op.bases)[number].named("base")
    return differences.summed(base, op.block.value.data, op.word)
