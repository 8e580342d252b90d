"""
`vyre.decode.bitunpack_blocks` as one data-parallel arm.

An invocation reads how its block is packed, and shifts its values out of the words that hold their
low bits and out of those behind. What a block says of itself may be anything: it is brought into
range before it is computed with, and accesses outside of the source read 0, as everywhere. Of a
block that is not wanted, no word is read, or one for all values in its place, and the values are
its base.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import IntegerType, i32
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Value, arm, constant, for_, if_, index
from vyre_dialect.ops.packed import BLOCK, BitUnpackBlocksOp
from vyre_dialect.passes.expansions.destination import size_destination
from vyre_dialect.passes.expansions.side_by_side import of_each, several, together
from vyre_dialect.passes.expansions.zigzag import unzigzagged

FIELDS = 3
"""Numbers that describe a block: its first bit, the bits of a value, the base."""


class ExpandBitUnpackBlocks(RewritePattern):
    """Expand `vyre.decode.bitunpack_blocks`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BitUnpackBlocksOp, rewriter: PatternRewriter, /) -> None:
        size_destination(op, rewriter, lambda: _count(op))
        lanes, per_block = op.lanes_per_vector, op.block.value.data
        rows = op.width if op.is_interleaved else 1
        with ImplicitBuilder(rewriter):
            count = _count(op)
            blocks = block_count(op)
            shares = per_block // (rows * lanes)
            with arm("decode.bitunpack_blocks", blocks * shares) as i:
                number = (i // shares).named("block")
                block = Block.described(op, number)
                with if_((i % shares).eq(0)):
                    _check(op, number, block, count)
                first = (i % shares * lanes).named("first")
                if op.is_interleaved:
                    _unpack_lanes(op, block, number * BLOCK, first)
                else:
                    _unpack_values(op, block, i * lanes, first)
        rewriter.erase(op)


def block_count(op: BitUnpackBlocksOp) -> Value:
    """How many blocks there are, computed on the host."""
    return _count(op).ceildiv(op.block.value.data).named("blocks")


def _count(op: BitUnpackBlocksOp) -> Value:
    if op.count is not None:
        return Value(op.count)
    return Buffer(op.blocks).length // FIELDS * op.block.value.data


@dataclass(frozen=True)
class Block:
    """How a block is packed."""

    start: Value
    """Its first bit."""
    asked: Value
    """The bits of a value, as the block says."""
    bits: Value
    """The same, within what a result has."""
    base: Value
    wanted: Value | None
    """Whether its values matter; None where those of all blocks do."""

    @classmethod
    def described(cls, op: BitUnpackBlocksOp, number: Value) -> Block:
        """The block of a number."""
        fields = [Buffer(op.blocks)[number * FIELDS + field] for field in range(FIELDS)]
        start, asked, base = fields
        asked = asked.to(index).named("asked_bits")
        bits = asked.max(0).min(op.width).named("bits")
        wanted = None if op.wanted is None else Buffer(op.wanted)[number].ne(0).named("wanted")
        return cls(start.to(index).named("first_bit"), asked, bits, base.named("base"), wanted)

    def values(self, op: BitUnpackBlocksOp, unpack: Callable[[], Value]) -> Value:
        """What `unpack` computes of the block if it is wanted, else as much of zeros."""
        if self.wanted is None:
            return unpack()
        with if_(self.wanted) as branch:
            branch.yields(unpack())
        with branch.else_():
            branch.yields(self.bases(op))
        return branch.results[0].named("values")

    def bases(self, op: BitUnpackBlocksOp) -> Value:
        """What values are above, in each lane."""
        return of_each(self.base.to(IntegerType(op.width)), op.lanes_per_vector)

    def value(self, op: BitUnpackBlocksOp, low: Value, high: Value, shifts: Value) -> Value:
        """What stands in words from a bit of the low ones on."""
        word, lanes = IntegerType(_word_bits(op)), op.lanes_per_vector
        last = word.width.data - 1
        # In two steps, since nothing is left of a word that is shifted by all of its bits.
        bits = low >> shifts | (high << 1) << (shifts ^ last)
        value = (bits & of_each(self._mask(word), lanes)).to(several(IntegerType(op.width), lanes))
        if op.zigzag is not None:
            value = unzigzagged(value)
        return (value + self.bases(op)).named("values")

    def _mask(self, word: IntegerType) -> Value:
        bits = self.bits.to(word)
        half = bits >> 1
        return ~(constant(-1, word) << half << (bits - half))


def _check(op: BitUnpackBlocksOp, number: Value, block: Block, count: Value) -> None:
    """Report a block that cannot be what it says it is, or that nothing describes."""
    per_block = op.block.value.data
    described = Buffer(op.blocks).length // FIELDS
    values: Value | int = per_block
    if not op.is_interleaved:
        values = (count - number * per_block).min(per_block)
    available = (Buffer(op.source).length * 8 - block.bits * values).named("available")
    is_outside = (block.start < 0) | (block.start > available)
    is_bad = block.asked.ne(block.bits) | is_outside | (number >= described)
    if op.is_interleaved:
        is_bad = is_bad | (block.start & op.width - 1).ne(0)
    with if_(is_bad):
        Buffer(op.errors).trap("invalid block of packed integers", number.min(described))


def _word_bits(op: BitUnpackBlocksOp) -> int:
    """Of interleaved words, as wide as results; else of those that devices compute with."""
    least = 8 if op.is_interleaved else i32.width.data
    return max(least, op.width)


def _unpack_values(op: BitUnpackBlocksOp, block: Block, unpacked: Value, first: Value) -> None:
    """Some values, one after the other."""
    width, lanes = _word_bits(op), op.lanes_per_vector
    word, source = IntegerType(width), Buffer(op.source)

    def unpack() -> Value:
        bits = [block.start + (first + lane) * block.bits for lane in range(lanes)]
        places = [(bit >> width.bit_length() - 1) * (width // 8) for bit in bits]
        low = together([source.load(place, word) for place in places])
        high = together([source.load(place + width // 8, word) for place in places])
        return block.value(op, low, high, together([(bit & width - 1).to(word) for bit in bits]))

    Buffer(op.destination).store(block.values(op, unpack), unpacked)


def _unpack_lanes(op: BitUnpackBlocksOp, block: Block, unpacked: Value, first: Value) -> None:
    """All rows of some lanes; of a block that is not wanted, the first one for all of them."""
    if block.wanted is not None:
        # In place of a branch for each row, which is a third of a kernel of all rows.
        bits = block.wanted.select(block.bits, 0).named("wanted_bits")
        block = replace(block, bits=bits)
    width, lanes, stride = op.width, op.lanes_per_vector, BLOCK // op.width
    word, source = IntegerType(width), Buffer(op.source)
    log_width = width.bit_length() - 1
    start = (block.start >> log_width).named("first_word") + first
    with for_(0, width) as rows:
        bit = (rows.counter * block.bits).named("bit")
        place = (start + (bit >> log_width) * stride) * (width // 8)
        low, high = (
            source.load(each, several(word, lanes)).named("words")
            for each in (place, place + BLOCK // 8)
        )
        shifts = of_each((bit & width - 1).to(word).named("shift"), lanes)
        values = block.value(op, low, high, shifts)
        Buffer(op.destination).store(values, unpacked + first + rows.counter * stride)
