"""
`vyre.decode.bitunpack_blocks` as one data-parallel arm.

An invocation reads how its block is packed, and shifts its values out of the words that hold their
low bits and out of those behind. Accesses outside of the source read 0, as everywhere. Of a block
that is not wanted, no word is read, or one for all values in its place, and the values are its
base.
"""

from __future__ import annotations

from dataclasses import replace

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import IntegerType
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Value, arm, for_, if_
from vyre_dialect.ops.packed import BLOCK, BitUnpackBlocksOp
from vyre_dialect.passes.expansions.described_packing import FIELDS, Packing
from vyre_dialect.passes.expansions.destination import size_destination
from vyre_dialect.passes.rewriting.side_by_side import of_each, several


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
                block = Packing.described(Buffer(op.blocks), number, op.width)
                wanted = None if op.wanted is None else Buffer(op.wanted)[number].ne(0)
                with if_((i % shares).eq(0)):
                    _check(op, number, block, count)
                first = (i % shares * lanes).named("first")
                if op.is_interleaved:
                    _unpack_lanes(op, _of_wanted(block, wanted), number * BLOCK, first)
                else:
                    _unpack_values(op, block, wanted, i * lanes, first)
        rewriter.erase(op)


def block_count(op: BitUnpackBlocksOp) -> Value:
    """How many blocks there are, computed on the host."""
    return _count(op).ceildiv(op.block.value.data).named("blocks")


def _count(op: BitUnpackBlocksOp) -> Value:
    if op.count is not None:
        return Value(op.count)
    return Buffer(op.blocks).length // FIELDS * op.block.value.data


def _check(op: BitUnpackBlocksOp, number: Value, block: Packing, count: Value) -> None:
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


def _unpack_values(
    op: BitUnpackBlocksOp, block: Packing, wanted: Value | None, unpacked: Value, first: Value
) -> None:
    """Some values, one after the other; the base as often where the block is not wanted."""
    source, destination, lanes = Buffer(op.source), Buffer(op.destination), op.lanes_per_vector
    is_zigzag = op.zigzag is not None
    if wanted is None:
        destination.store(block.sequential(source, first, lanes, zigzag=is_zigzag), unpacked)
        return
    with if_(wanted.named("wanted")) as branch:
        branch.yields(block.sequential(source, first, lanes, zigzag=is_zigzag))
    with branch.else_():
        branch.yields(of_each(block.base.to(IntegerType(op.width)), lanes))
    destination.store(branch.results[0].named("values"), unpacked)


def _of_wanted(block: Packing, wanted: Value | None) -> Packing:
    """
    A block of which one word is read for all values if it is not wanted, in place of a branch for
    each row, which is a third of a kernel of all rows.
    """
    if wanted is None:
        return block
    return replace(block, bits=wanted.named("wanted").select(block.bits, 0).named("wanted_bits"))


def _unpack_lanes(op: BitUnpackBlocksOp, block: Packing, unpacked: Value, first: Value) -> None:
    """All rows of some lanes."""
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
        values = block.value(low, high, shifts, lanes, zigzag=op.zigzag is not None)
        Buffer(op.destination).store(values, unpacked + first + rows.counter * stride)
