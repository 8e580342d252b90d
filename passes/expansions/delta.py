"""
`vyre.decode.delta` as one data-parallel arm: one block per invocation.

The running sum starts such that the first word, taken as a difference like the others, gives
the value that it is. Where blocks are whole vectors, four words are summed at a time in two
steps (W. D. Hillis, G. L. Steele, "Data parallel algorithms", Communications of the ACM
29(12), 1986).
"""

from __future__ import annotations

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import VectorType, i32
from xdsl.ir import Attribute
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Value, arm, constant, for_, if_
from vyre_dialect.ops.decode import WORD_BYTES, DeltaOp
from vyre_dialect.passes.expansions.destination import size_destination
from vyre_dialect.passes.expansions.host_side import invocations

LANES = 4
WORDS = VectorType(i32, [LANES])
LONG_BLOCK = 4096
"""Words of a block from which on it pays to look for the end of the last block."""


class ExpandDelta(RewritePattern):
    """Expand `vyre.decode.delta`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DeltaOp, rewriter: PatternRewriter, /) -> None:
        source = Buffer(op.source)
        word_size = WORD_BYTES if op.has_bytes else 1
        size_destination(op, rewriter, lambda: source.length // word_size)
        block = op.block.value.data
        with (
            ImplicitBuilder(rewriter),
            arm("decode.delta", invocations(source, block * word_size)) as i,
        ):
            if op.errors is not None:
                _check_length(i, source, Buffer(op.errors))
            _decode_block(op, (i * block).named("block_start"), word_size)
        rewriter.erase(op)


def _check_length(i: Value, source: Buffer, errors: Buffer) -> None:
    length = source.length.named("length")
    with if_(i.eq(0) & (length % WORD_BYTES).ne(0)):
        errors.trap("invalid delta input", length)


def _decode_block(op: DeltaOp, start: Value, word_size: int) -> None:
    source, destination = Buffer(op.source), Buffer(op.destination)
    block = op.block.value.data
    step, type = (LANES, WORDS) if block % LANES == 0 else (1, i32)

    def encoded(word: Value, type: Attribute) -> Value:
        return source.load(word * word_size, type)

    first = encoded(start, i32).named("first")
    end = constant(block) if block < LONG_BLOCK else (source.length // word_size - start).min(block)
    with for_(0, end, step, carry=[first - _unzigzagged(first)]) as words:
        word = (start + words.counter).named("word")
        sums = _sums(_unzigzagged(encoded(word, type)).named("differences"))
        carried = words.carried[0].named("value")
        values = (sums + (carried if step == 1 else carried.broadcast(LANES))).named("values")
        destination.store(values, word)
        words.yields(values if step == 1 else values.lane(LANES - 1))


def _unzigzagged(coded: Value) -> Value:
    """0, -1, 1, -2, 2 for 0, 1, 2, 3, 4."""
    return coded >> 1 ^ 0 - (coded & 1)


def _sums(differences: Value) -> Value:
    """The sum of each lane and those before it."""
    if not isinstance(differences.type, VectorType):
        return differences
    zeros = constant(0, differences.type)
    pairs = differences + zeros.shuffle(differences, [0, 4, 5, 6])
    return pairs + zeros.shuffle(pairs, [0, 0, 4, 5])
